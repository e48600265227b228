/**
 * Mutation testing: each mutant is compiled as if it had been committed, and its checks are made from it: what fails then
 * would have failed in review. What only the checks of the unweakened rule notice is counted apart: that is `--base`.
 */
import { createKnowledge } from '../../../runtime/core/condition/knowledge.ts';
import { parseCondition } from '../../../runtime/core/condition/parse.ts';
import { compareConditions } from '../../../runtime/core/condition/prove.ts';
import { EVERY_ROW, type TableShape } from '../../../runtime/core/contract/shapes.ts';
import type { Planner } from '../../../runtime/core/request/planner.ts';
import { identifier } from '../../../runtime/core/sql/fragment.ts';
import { print } from '../../../runtime/core/sql/print.ts';
import type { Metadata } from '../../../runtime/metadata/metadata.ts';
import type { CompileResult } from '../../index.ts';
import type { DeclaredCase } from './cases.ts';
import type { TrialsBySource } from './declared.ts';
import type { Check } from './isolation.ts';
import { type Mutant, type MutantKind, mutantsOf, type ValueOf } from './mutants.ts';
import { planAlone, subjectsOf, type TestSubject } from './subjects.ts';
import type { Suggester } from './suggest.ts';

/** The check that noticed a mutant: a declared case, an isolation check of the weakened rule, or one of the rule before. */
export type NoticedBy = 'case' | 'isolation' | 'base';

export interface MutationResult {
  readonly kind: MutantKind;
  /** `role · kind · table`. */
  readonly rule: string;
  readonly what: string;
  /** Absent: nothing noticed it. */
  readonly noticedBy?: NoticedBy;
  /** A case that is suggested would notice it. */
  readonly isSuggested?: true;
}

export interface MutationInput {
  readonly compiled: CompileResult;
  readonly compile: (metadata: Metadata) => CompileResult;
  readonly databases: TrialsBySource;
  /** Those that pass. */
  readonly cases: readonly DeclaredCase[];
  readonly plannerOf: (plan: CompileResult['state']['plan']) => Planner;
  readonly runCase: (each: DeclaredCase, planner: Planner) => Promise<unknown>;
  /** Absent: isolation is not tested. */
  readonly tryRule: ((subject: TestSubject, planner: Planner) => Promise<readonly Check[]>) | undefined;
  /** Names of the checks of a rule that fail without any mutant. */
  readonly failing: (rule: string) => ReadonlySet<string>;
  /** Finds cases for what nothing notices. */
  readonly suggester?: Suggester;
}

/** Tries every mutant that compiles and may let more through. */
export async function tryMutants(input: MutationInput): Promise<MutationResult[]> {
  const { compiled, compile } = input;
  const { metadata, model } = compiled.state;
  const before = new Map(subjectsOf(model).map((subject) => [subject.name, subject]));
  const known = new Set([...before.values()].map(({ name, where }) => `${name}\0${where}`));
  const results: MutationResult[] = [];
  for (const mutant of mutantsOf(metadata, model, await valuesOf(input.databases, model))) {
    const weakened = compile(mutant.metadata);
    if (hasNewProblems(weakened, compiled)) continue;
    const subject = subjectOf(mutant, weakened);
    const original = before.get(nameOf(mutant));
    if (mutant.rule !== undefined) {
      const key = `${nameOf(mutant)}\0${subject?.where ?? EVERY_ROW}`;
      if (known.has(key) || !mayBeWeaker(original?.where, subject?.where, mutant, compiled)) continue;
      known.add(key);
    }
    const planner = input.plannerOf(weakened.state.plan);
    const noticedBy = await notice(input, mutant, weakened, planner, subject, original);
    const isNoticed = noticedBy === 'case' || noticedBy === 'isolation';
    const isSuggested =
      !isNoticed &&
      (await input.suggester?.suggest({
        mutant,
        subject,
        planner,
        label: `${nameOf(mutant)}: ${mutant.what}`,
      }));
    results.push({
      kind: mutant.kind,
      rule: nameOf(mutant),
      what: mutant.what,
      ...(noticedBy && { noticedBy }),
      ...(isSuggested && { isSuggested }),
    });
  }
  return results;
}

/** What is inconsistent without the mutant counts for nothing. */
function hasNewProblems({ diagnostics }: CompileResult, before: CompileResult): boolean {
  const errors = (all: CompileResult['diagnostics']) =>
    all.filter(({ severity }) => severity === 'error').length;
  return diagnostics.length > before.diagnostics.length || errors(diagnostics) > errors(before.diagnostics);
}

function nameOf({ role, rule, operation, table: { key } }: Mutant): string {
  return `${role} · ${rule ?? operation} · ${key.replace(/^public\./, '')}`;
}

function subjectOf(mutant: Mutant, { state }: CompileResult): TestSubject | undefined {
  return mutant.rule === undefined
    ? undefined
    : subjectsOf(state.model, mutant.table.key).find(
        ({ name, source }) => name === nameOf(mutant) && source === mutant.source,
      );
}

/** False if it is proved that the rule lets no other row through. */
function mayBeWeaker(
  before: string = EVERY_ROW,
  after: string = EVERY_ROW,
  { rule, source, table }: Mutant,
  { state: { model } }: CompileResult,
): boolean {
  const shapes = model.sources.find(({ shape }) => shape.name === source)!.tables.map(({ shape }) => shape);
  const knowledge = createKnowledge(shapes)(table.shape, rule === 'insert check' || rule === 'update check');
  const verdict = compareConditions(parseCondition(before), parseCondition(after), knowledge);
  return verdict === 'wider' || verdict === 'different' || verdict === 'undecidable';
}

async function notice(
  { compiled, cases, plannerOf, runCase, tryRule, failing }: MutationInput,
  { role, table, rule }: Mutant,
  weakened: CompileResult,
  planner: Planner,
  subject: TestSubject | undefined,
  original: TestSubject | undefined,
): Promise<NoticedBy | undefined> {
  const heirs = rolesWith(compiled.state.inheritedRoles, role);
  const concerned = cases.filter((each) => heirs.has(each.role));
  // Those that name the table are the likeliest to fail.
  const names = (each: DeclaredCase) =>
    (rule === undefined) === 'types' in each && JSON.stringify(each).includes(table.shape.graphqlName);
  for (const each of [...concerned.filter(names), ...concerned.filter((other) => !names(other))])
    if ((await runCase(each, planner)) !== undefined) return 'case';
  if (!tryRule || rule === undefined) return undefined;
  const alone = plannerOf(planAlone(weakened.state.plan, rule));
  const fails = async (tried: TestSubject | undefined) => {
    if (!tried || tried.variables.length === 0) return false;
    const known = failing(tried.name);
    return (await tryRule(tried, alone)).some(
      ({ name, outcome }) => outcome === 'failed' && !known.has(name),
    );
  };
  if (await fails(subject)) return 'isolation';
  return (await fails(original)) ? 'base' : undefined;
}

/** The role, and those that inherit from it. */
function rolesWith(inherited: CompileResult['state']['inheritedRoles'], role: string): ReadonlySet<string> {
  const roles = new Set([role]);
  // Ordered: parents come first.
  for (const { role_name, role_set } of inherited)
    if (role_set.some((parent) => roles.has(parent))) roles.add(role_name);
  return roles;
}

/** Values to set columns to: the greatest, which is seldom that of the session of a case. */
async function valuesOf(
  databases: TrialsBySource,
  { sources }: CompileResult['state']['model'],
): Promise<ValueOf> {
  const values = new Map<string, string>();
  const key = (source: string, { schema, name }: TableShape, column: string) =>
    JSON.stringify([source, schema, name, column]);
  for (const { shape, tables } of sources)
    for (const table of tables) {
      const { insert, update } = table.permissions;
      const columns = new Set(
        [...Object.values(insert), ...Object.values(update)].flatMap(({ presets }) => Object.keys(presets)),
      );
      for (const column of columns) {
        const { text } = print(identifier(table.shape.schema, table.shape.name));
        const name = print(identifier(column)).text;
        const value = await databases.get(shape.name)?.trial(async (trial) => {
          try {
            const rows = await trial.run<{ value: string }>(
              `select ${name}::text as value from ${text} where ${name} is not null order by ${name} desc limit 1`,
            );
            return rows[0]?.value;
          } catch {
            // A type without an order.
            return undefined;
          }
        });
        if (value !== undefined) values.set(key(shape.name, table.shape, column), value);
      }
    }
  return (source, table, column) => values.get(key(source, table, column));
}
