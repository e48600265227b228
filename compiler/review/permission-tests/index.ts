/** Tests of permissions: declared cases, isolation of every row rule, and how many weakened permissions these notice. */

import type { SourceCatalog } from '../../../runtime/catalog/catalog.ts';
import { remember } from '../../../runtime/core/remember.ts';
import type { Planner } from '../../../runtime/core/request/planner.ts';
import type { SavedOptions } from '../../../runtime/core/saved/saved.ts';
import type { Metadata } from '../../../runtime/metadata/metadata.ts';
import type { CompileResult } from '../../index.ts';
import type { Model } from '../../model/model.ts';
import { type BaseResult, type EarlierVersion, tryBase } from './base.ts';
import type { DeclaredCase } from './cases.ts';
import { runDeclared, type TrialsBySource } from './declared.ts';
import type { Check } from './isolation.ts';
import { type MutationResult, tryMutants } from './mutation.ts';
import { notCovered } from './not-covered.ts';
import { makeRows } from './rows.ts';
import { createTryRule } from './rule-trial.ts';
import { planAlone, plannerOf, type RuleKind, subjectsOf, type TestSubject } from './subjects.ts';
import { createSuggester, type Suggestion } from './suggest.ts';

export interface TestInput {
  readonly compiled: CompileResult;
  /** Compiles other metadata against the same catalogs. */
  readonly compile: (metadata: Metadata) => CompileResult;
  readonly catalogs: Readonly<Record<string, SourceCatalog>>;
  readonly serving: SavedOptions;
  readonly cases: readonly DeclaredCase[];
  readonly databases: TrialsBySource;
  /** Enable isolation tests and mutation testing. */
  readonly isolation: boolean;
  readonly mutations: boolean;
  /** Look for cases that notice mutants which nothing notices. */
  readonly suggest?: boolean;
  /** An earlier version, whose isolation checks must pass as well. */
  readonly base?: EarlierVersion;
  readonly say: (step: string) => void;
}

interface Suite {
  /** File of declared cases, `role · kind · table`, or the latter with the base's name. */
  readonly name: string;
  readonly checks: readonly Check[];
}

export interface TestResult {
  readonly suites: readonly Suite[];
  readonly mutations: readonly MutationResult[];
  /** Tables for which no rows could be made, and why. */
  readonly emptyTables: ReadonlyMap<string, string>;
  /** Rules that name no session variable, for which isolation is no question. */
  readonly withoutSession: number;
  /** Permissions whose input a webhook validates; tests let it agree to everything. */
  readonly validated: number;
  /** Objects that only declared cases test. */
  readonly byCasesOnly: { readonly functions: number; readonly views: number; readonly triggers: number };
  /** Kinds of weakening that no mutant makes, with counts. */
  readonly notCovered: readonly string[];
  readonly base?: BaseResult;
  readonly suggestions: readonly Suggestion[];
  /** Inconsistent objects, for which nothing is tested. */
  readonly leftOut: number;
}

/** Runs everything. Nothing that a case writes is left, but for rows that were made for empty tables. */
export async function testPermissions(input: TestInput): Promise<TestResult> {
  const { compiled, databases, serving, say } = input;
  const { plan, model } = compiled.state;
  const emptyTables = input.isolation ? await fillTables(input) : new Map<string, string>();
  const suites: Suite[] = [];
  say('running declared cases');
  const planner = plannerOf(plan, serving);
  for (const file of new Set(input.cases.map((each) => each.file))) {
    const checks: Check[] = [];
    for (const each of input.cases.filter((other) => other.file === file)) {
      const problem = await runDeclared(each, planner, databases);
      checks.push({
        name: each.name,
        ...(problem === undefined
          ? { outcome: 'passed' }
          : { outcome: 'failed', reason: `${problem.text}  (${each.file}:${each.line})` }),
      });
    }
    suites.push({ name: file, checks });
  }
  const subjects = subjectsOf(model);
  const isTried = ({ variables }: TestSubject) => variables.length > 0;
  const tryRule = createTryRule(databases, input.catalogs);
  const planners = new Map<RuleKind, Planner>();
  const alone = ({ kind }: TestSubject) =>
    remember(planners, kind, () => plannerOf(planAlone(plan, kind), serving));
  if (input.isolation) {
    say('trying every row rule that names a session variable');
    for (const subject of subjects.filter(isTried))
      suites.push({ name: subject.name, checks: await tryRule(subject, alone(subject)) });
  }
  const base =
    input.base && input.isolation
      ? await tryBase({ base: input.base, subjects, alone, tryRule, serving, say })
      : undefined;
  const outcomes = (name: string, outcome: Check['outcome']) =>
    new Set(
      suites
        .find((suite) => suite.name === name)
        ?.checks.flatMap((check) => (check.outcome === outcome ? [check.name] : [])),
    );
  if (base) suites.push(...base.suites);
  if (input.mutations) say('weakening permissions on purpose');
  const suggester = input.suggest
    ? createSuggester({ ...{ planner, databases, subjects }, catalogs: input.catalogs, cases: input.cases })
    : undefined;
  const mutations = input.mutations
    ? await tryMutants({
        compiled,
        compile: input.compile,
        databases,
        cases: input.cases.filter((each) => outcomes(each.file, 'passed').has(each.name)),
        plannerOf: (other) => plannerOf(other, serving),
        runCase: (each, other) => runDeclared(each, other, databases),
        tryRule: input.isolation ? tryRule : undefined,
        failing: (name) => outcomes(name, 'failed'),
        ...(suggester && { suggester }),
      })
    : [];
  const writes = model.sources.flatMap(({ tables }) =>
    tables.flatMap(({ permissions: { insert, update, delete: remove } }) =>
      [insert, update, remove].flatMap((permissions) => Object.values(permissions)),
    ),
  );
  return {
    suites,
    mutations,
    emptyTables,
    withoutSession: subjects.filter((subject) => !isTried(subject)).length,
    byCasesOnly: countByCases(model),
    notCovered: notCovered(compiled.state.metadata, model),
    validated: writes.filter(({ validateInput }) => validateInput !== undefined).length,
    ...(base && { base }),
    suggestions: suggester?.suggestions ?? [],
    leftOut: compiled.diagnostics.filter(({ severity }) => severity === 'error').length,
  };
}

function countByCases({ sources }: Model): TestResult['byCasesOnly'] {
  const shapes = sources.flatMap(({ tables }) => tables.map(({ shape }) => shape));
  const called = new Set(
    sources.flatMap(({ shape: { name: source }, functions, tables }) => [
      ...functions.map(({ shape: { schema, name } }) => JSON.stringify([source, schema, name])),
      ...tables.flatMap(({ shape: { computedFields = {} } }) =>
        Object.values(computedFields).map(({ function: { schema, name } }) =>
          JSON.stringify([source, schema, name]),
        ),
      ),
    ]),
  );
  return {
    functions: called.size,
    views: shapes.filter(({ kind }) => kind === 'view' || kind === 'materialized').length,
    triggers: shapes.reduce((sum, { triggers = {} }) => sum + Object.keys(triggers).length, 0),
  };
}

async function fillTables({
  compiled,
  catalogs,
  databases,
  say,
}: TestInput): Promise<ReadonlyMap<string, string>> {
  say('making rows for empty tables');
  const empty = new Map<string, string>();
  for (const { shape, tables } of compiled.state.model.sources) {
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
