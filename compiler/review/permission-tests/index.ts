/** Tests of permissions: declared cases, isolation of every row rule, and how many weakened rules these notice. */

import type { SourceCatalog } from '../../../runtime/catalog/catalog.ts';
import { remember } from '../../../runtime/core/remember.ts';
import type { Planner } from '../../../runtime/core/request/planner.ts';
import type { SavedOptions } from '../../../runtime/core/saved.ts';
import type { Model } from '../../model/model.ts';
import type { Plan } from '../../model/plan.ts';
import { planCondition } from '../../phases/4-plan/boolean-expression.ts';
import type { DeclaredCase } from './cases.ts';
import { branchesNaming, isGuardedBy } from './conditions.ts';
import { runDeclared, type TrialDatabases } from './declared.ts';
import { type Check, checkIsolation, unproven } from './isolation.ts';
import { mutantsOf } from './mutants.ts';
import { checkedRows, createReader, ruleRows, UntriedError, watchWrites } from './request.ts';
import { makeRows } from './rows.ts';
import { sessionsFor, type Variables } from './sessions.ts';
import { planAlone, plannerOf, type RuleKind, replaceRule, type Subject, subjectsOf } from './subjects.ts';
import type { Trial } from './trial.ts';

export interface TestInput {
  readonly model: Model;
  readonly plan: Plan;
  readonly catalogs: Readonly<Record<string, SourceCatalog>>;
  readonly serving: SavedOptions;
  readonly cases: readonly DeclaredCase[];
  readonly databases: TrialDatabases;
  /** Enable isolation tests and mutation testing. */
  readonly isolation: boolean;
  readonly mutations: boolean;
  readonly say: (step: string) => void;
}

interface Suite {
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

/** Runs everything. Nothing that a case writes is left, but for rows that were made for empty tables. */
export async function testPermissions(input: TestInput): Promise<TestResult> {
  const emptyTables = input.isolation ? await fillTables(input) : new Map<string, string>();
  const suites: Suite[] = [];
  input.say('running declared cases');
  const planner = plannerOf(input.plan, input.serving);
  for (const file of new Set(input.cases.map((each) => each.file))) {
    const checks: Check[] = [];
    for (const each of input.cases.filter((other) => other.file === file)) {
      const reason = await runDeclared(each, planner, input.databases);
      checks.push({
        name: each.name,
        ...(reason === undefined
          ? { outcome: 'passed' }
          : { outcome: 'failed', reason: `${reason}  (${each.file}:${each.line})` }),
      });
    }
    suites.push({ name: file, checks });
  }
  const subjects = subjectsOf(input.model);
  const tryRule = createTryRule(input);
  const alone = new Map<RuleKind, Plan>();
  const planFor = ({ kind }: Subject) => remember(alone, kind, () => planAlone(input.plan, kind));
  if (input.isolation) {
    input.say('trying every row rule with sessions');
    const planners = new Map<RuleKind, Planner>();
    for (const subject of subjects.filter(({ variables }) => variables.length > 0)) {
      const planner = remember(planners, subject.kind, () => plannerOf(planFor(subject), input.serving));
      suites.push({ name: subject.name, checks: await tryRule(subject, planner) });
    }
  }
  const mutations = input.mutations ? await weaken(input, subjects, planFor, tryRule, suites) : [];
  return { suites, mutations, emptyTables };
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

/** How many sessions reach rows by a branch of a rule. A check takes a request for each row, so it is tried with few. */
const SESSIONS = 6;
const CHECK_SESSIONS = 3;

/** What a rule is tried with. */
interface Material {
  readonly sessions: readonly Variables[];
  /** For checks. */
  readonly rows: readonly string[];
  readonly problem?: string | undefined;
}

/** Tries rules by the requests of a planner, each on its database. */
type TryRule = (subject: Subject, planner: Planner) => Promise<Check[]>;

function createTryRule({ databases, catalogs }: TestInput): TryRule {
  const known = new Map<Subject, Material>();
  const materialFor = async (trial: Trial, subject: Subject): Promise<Material> => {
    const { kind, source } = subject;
    const isCheck = kind === 'insert check' || kind === 'update check';
    const most = isCheck ? CHECK_SESSIONS : SESSIONS;
    const { sessions, made, problem } = await sessionsFor(trial, catalogs[source]!, subject, most);
    const material = { sessions, rows: isCheck ? await checkedRows(trial, subject, sessions) : [], problem };
    // Rows that were made are gone with the trial.
    if (!made) known.set(subject, material);
    return material;
  };
  return (subject, planner) =>
    databases.get(subject.source)!.trial(async (trial) => {
      const { kind, condition, variables } = subject;
      try {
        const { sessions, rows, problem } = known.get(subject) ?? (await materialFor(trial, subject));
        if (kind !== 'select') await watchWrites(trial, subject);
        const checks = await checkIsolation({
          variables,
          sessions,
          isGuard: (variable) => isGuardedBy(condition, variable),
          rowsOf: createReader(trial, subject, planner, rows),
          canDiffer: (variable, among) => branchesDiffer(trial, subject, variable, among),
        });
        return problem === undefined ? checks : checks.map((check) => withProblem(check, problem));
      } catch (error) {
        if (error instanceof UntriedError) return unproven(variables, error.message);
        throw error;
      }
    });
}

/** What could not be shown could have been with rows that were refused. */
function withProblem(check: Check, problem: string): Check {
  return check.outcome === 'unproven'
    ? { ...check, reason: `${check.reason}, and none could be made: ${problem}` }
    : check;
}

/** Whether a branch of the rule that names the variable holds for other rows from session to session. */
async function branchesDiffer(
  trial: Trial,
  subject: Subject,
  variable: string,
  sessions: readonly Variables[],
): Promise<boolean> {
  for (const branch of branchesNaming(subject.condition, variable)) {
    const where = planCondition(subject.table.shape.source, branch, 0);
    const found = new Set<string>();
    for (const session of sessions)
      found.add(JSON.stringify((await ruleRows(trial, subject, where, session, 1000)).sort()));
    if (found.size > 1) return true;
  }
  return false;
}

/** Weakens every rule in every way, and looks whether a check that passed fails now. */
async function weaken(
  input: TestInput,
  subjects: readonly Subject[],
  planFor: (subject: Subject) => Plan,
  tryRule: TryRule,
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
    const known = passed(subject.name);
    const cases = passedCases.filter(({ role }) => role === subject.role);
    const isolationNotices = async (where: string) => {
      const planner = plannerOf(replaceRule(planFor(subject), subject, where), input.serving);
      const checks = await tryRule(subject, planner);
      return checks.some(({ name, outcome }) => outcome === 'failed' && known.has(name));
    };
    for (const { where, what } of mutantsOf(subject.table.shape.source, subject.condition)) {
      const noticed =
        (known.size > 0 && (await isolationNotices(where))) ||
        (await casesNotice(input, subject, where, cases));
      results.push({ rule: subject.name, what, noticed });
    }
  }
  return results;
}

async function casesNotice(
  input: TestInput,
  subject: Subject,
  where: string,
  cases: readonly DeclaredCase[],
): Promise<boolean> {
  if (cases.length === 0) return false;
  const planner = plannerOf(replaceRule(input.plan, subject, where), input.serving);
  for (const each of cases)
    if ((await runDeclared(each, planner, input.databases)) !== undefined) return true;
  return false;
}
