/** Tests of permissions: declared cases, isolation of every row rule, and how many weakened rules these notice. */
import { displayName, objectKey } from '../../runtime/core/names.ts';
import { linkProgram } from '../../runtime/core/program.ts';
import { ruleName } from '../../runtime/core/reason.ts';
import { createPlanner, type Planner } from '../../runtime/core/request/planner.ts';
import type { SavedOptions } from '../../runtime/core/saved.ts';
import { sessionVariables } from '../lint/conditions.ts';
import type { SourceCatalog } from '../model/catalog.ts';
import type { Condition, Model, ModelTable } from '../model/model.ts';
import type { Plan } from '../model/plan.ts';
import { programOf } from '../phases/4-plan/program.ts';
import type { DeclaredCase } from './cases.ts';
import { runDeclared, type TrialDatabases } from './declared.ts';
import { type Check, checkIsolation } from './isolation.ts';
import { type Mutant, mutantsOf } from './mutants.ts';
import { makeRows } from './rows.ts';
import { sessionsFor, type Variables } from './sessions.ts';
import type { Trial } from './trial.ts';

export interface TestInput {
  readonly model: Model;
  readonly plan: Plan;
  readonly catalogs: Readonly<Record<string, SourceCatalog>>;
  readonly serving: SavedOptions;
  readonly cases: readonly DeclaredCase[];
  readonly databases: TrialDatabases;
  /** Whether isolation is tried, and whether rules are weakened. */
  readonly isolation: boolean;
  readonly mutations: boolean;
  readonly say: (step: string) => void;
}

export interface Suite {
  /** File of declared cases, or `role · table`. */
  readonly name: string;
  readonly checks: readonly Check[];
}

export interface MutationResult {
  readonly rule: string;
  readonly what: string;
  readonly noticed: boolean;
}

export interface TestResult {
  readonly suites: readonly Suite[];
  readonly mutations: readonly MutationResult[];
  /** Tables for which no rows could be made, and why. */
  readonly emptyTables: ReadonlyMap<string, string>;
}

/** A row rule under test. */
interface Subject {
  readonly source: string;
  readonly table: ModelTable;
  readonly role: string;
  readonly operation: 'select' | 'update' | 'delete';
  readonly condition: Condition;
  readonly where: string;
  readonly variables: readonly string[];
}

/** Runs everything. Nothing that a case writes is left, but for rows that were made for empty tables. */
export async function testPermissions(input: TestInput): Promise<TestResult> {
  const emptyTables = input.isolation ? await fillTables(input) : new Map<string, string>();
  const suites: Suite[] = [];
  input.say('running declared cases');
  const planner = plannerOf(input.plan, input.serving);
  const declared = await Promise.all(
    [...new Set(input.cases.map(({ file }) => file))].map((file) => ({ file, checks: [] as Check[] })),
  );
  for (const suite of declared) {
    for (const each of input.cases.filter(({ file }) => file === suite.file)) {
      const reason = await runDeclared(each, planner, input.databases);
      suite.checks.push({
        name: each.name,
        ...(reason === undefined
          ? { outcome: 'passed' as const }
          : { outcome: 'failed' as const, reason: `${reason}  (${each.file}:${each.line})` }),
      });
    }
    suites.push({ name: suite.file, checks: suite.checks });
  }
  const subjects = subjectsOf(input);
  const trials = new Map<Subject, readonly Variables[]>();
  if (input.isolation) {
    input.say('trying every row rule with sessions');
    for (const subject of subjects.filter(({ variables }) => variables.length > 0)) {
      const checks = await onDatabase(input, subject, async (trial) => {
        const { shape } = subject.table;
        const sessions = await sessionsFor(trial, subject.condition, shape, subject.variables);
        trials.set(subject, sessions);
        return checkIsolation(trial, ruleOf(subject), sessions);
      });
      suites.push({ name: nameOf(subject), checks });
    }
  }
  const mutations = input.mutations ? await weaken(input, subjects, trials, suites) : [];
  return { suites, mutations, emptyTables };
}

function plannerOf(plan: Plan, serving: SavedOptions): Planner {
  return createPlanner(linkProgram(programOf(plan), serving), serving);
}

async function fillTables({
  model,
  catalogs,
  databases,
  say,
}: TestInput): Promise<ReadonlyMap<string, string>> {
  say('making rows for empty tables');
  const empty = new Map<string, string>();
  for (const { shape, tables } of model.sources) {
    const database = databases.get(shape.name);
    const catalog = catalogs[shape.name];
    if (!database || !catalog) continue;
    const made = await database.prepare((trial) =>
      makeRows(
        trial,
        catalog,
        tables.map(({ key }) => key),
      ),
    );
    for (const [key, reason] of made.empty) empty.set(key, reason);
  }
  return empty;
}

function subjectsOf({ model, plan }: TestInput): Subject[] {
  return model.sources.flatMap(({ shape, tables }) => {
    const planned = plan.sources.find((source) => source.shape.name === shape.name)!;
    return tables.flatMap((table) => {
      const access = planned.tables.find(
        (each) => objectKey(each.shape.schema, each.shape.name) === table.key,
      )?.access;
      return (['select', 'update', 'delete'] as const).flatMap((operation) =>
        Object.entries(table.permissions[operation]).flatMap(([role, permission]): Subject[] => {
          const rule = access?.[operation]?.[role];
          if (!rule) return [];
          const { filter } = permission;
          return [
            {
              source: shape.name,
              table,
              role,
              operation,
              condition: filter,
              where: rule.where,
              variables: sessionVariables(filter),
            },
          ];
        }),
      );
    });
  });
}

function nameOf({ role, operation, table }: Subject): string {
  return `${role} · ${operation} · ${displayName(table.shape.schema, table.shape.name)}`;
}

function ruleOf({ role, operation, table, where, variables }: Subject) {
  return {
    role,
    schema: table.shape.schema,
    table: table.shape.name,
    name: ruleName(table.shape, operation, role),
    where,
    variables,
  };
}

function onDatabase<Result>(
  { databases }: TestInput,
  { source }: Subject,
  use: (trial: Trial) => Promise<Result>,
): Promise<Result> {
  return databases.get(source)!.trial(use);
}

/** Weakens every rule in every way, and looks whether a check that passed fails now. */
async function weaken(
  input: TestInput,
  subjects: readonly Subject[],
  trials: ReadonlyMap<Subject, readonly Variables[]>,
  suites: readonly Suite[],
): Promise<MutationResult[]> {
  input.say('weakening rules on purpose');
  const passed = (name: string) =>
    new Set(
      suites
        .find((suite) => suite.name === name)
        ?.checks.flatMap(({ name: check, outcome }) => (outcome === 'passed' ? [check] : [])),
    );
  const passedCases = input.cases.filter((each) => passed(each.file).has(each.name));
  const results: MutationResult[] = [];
  for (const subject of subjects) {
    for (const mutant of mutantsOf(subject.table.shape.source, subject.condition)) {
      const known = passed(nameOf(subject));
      const noticed =
        (await isolationNotices(input, subject, mutant, trials.get(subject) ?? [], known)) ||
        (await casesNotice(input, subject, mutant, passedCases));
      results.push({ rule: nameOf(subject), what: mutant.what, noticed });
    }
  }
  return results;
}

async function isolationNotices(
  input: TestInput,
  subject: Subject,
  mutant: Mutant,
  sessions: readonly Variables[],
  passed: ReadonlySet<string>,
): Promise<boolean> {
  if (passed.size === 0) return false;
  const checks = await onDatabase(input, subject, (trial) =>
    checkIsolation(trial, { ...ruleOf(subject), where: mutant.where }, sessions),
  );
  return checks.some(({ name, outcome }) => outcome === 'failed' && passed.has(name));
}

async function casesNotice(
  input: TestInput,
  subject: Subject,
  mutant: Mutant,
  cases: readonly DeclaredCase[],
): Promise<boolean> {
  const own = cases.filter(({ role }) => role === subject.role);
  if (own.length === 0) return false;
  const planner = plannerOf(replaceRule(input.plan, subject, mutant), input.serving);
  for (const each of own) if ((await runDeclared(each, planner, input.databases)) !== undefined) return true;
  return false;
}

function replaceRule(plan: Plan, { source, table, role, operation }: Subject, { where }: Mutant): Plan {
  return {
    ...plan,
    sources: plan.sources.map((each) =>
      each.shape.name !== source
        ? each
        : {
            ...each,
            tables: each.tables.map((planned) => {
              if (objectKey(planned.shape.schema, planned.shape.name) !== table.key) return planned;
              const rules = planned.access[operation]!;
              return {
                ...planned,
                access: { ...planned.access, [operation]: { ...rules, [role]: { ...rules[role]!, where } } },
              };
            }),
          },
    ),
  };
}
