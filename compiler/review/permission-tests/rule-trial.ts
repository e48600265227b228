/** Isolation of one rule, tried on its database by the requests of a planner. */
import type { SourceCatalog } from '../../../runtime/catalog/catalog.ts';
import type { Planner } from '../../../runtime/core/request/planner.ts';
import { planCondition } from '../../phases/4-plan/boolean-expression.ts';
import { branchesNaming, isGuardedBy } from './conditions.ts';
import type { TrialsBySource } from './declared.ts';
import { type Check, checkIsolation, unproven } from './isolation.ts';
import { checkedRows, createReader, ruleRows, UntriedError, watchWrites } from './request.ts';
import { comparedColumns, type SessionValues, sessionsFor } from './sessions.ts';
import { isCheck, type TestSubject } from './subjects.ts';
import type { Trial } from './trial.ts';

/** How many sessions reach rows by a branch of a rule. A check takes a request for each row, so it is tried with few. */
const SESSIONS = 6;
const CHECK_SESSIONS = 3;

/** The rows and sessions that a rule is tried with. */
interface Material {
  readonly sessions: readonly SessionValues[];
  /** For checks. */
  readonly rows: readonly string[];
  readonly problem?: string | undefined;
}

/** Tries rules by the requests of a planner, each on its database. */
export type TryRule = (subject: TestSubject, planner: Planner) => Promise<Check[]>;

export function createTryRule(
  databases: TrialsBySource,
  catalogs: Readonly<Record<string, SourceCatalog>>,
): TryRule {
  const known = new Map<TestSubject, Material>();
  const materialFor = async (trial: Trial, subject: TestSubject): Promise<Material> => {
    const { kind, source } = subject;
    const most = isCheck(kind) ? CHECK_SESSIONS : SESSIONS;
    const { sessions, made, problem } = await sessionsFor(trial, catalogs[source]!, subject, most);
    const material = {
      sessions,
      rows: isCheck(kind) ? await checkedRows(trial, subject, sessions) : [],
      problem,
    };
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
          comparedWith: (variable) => comparedColumns(subject, variable),
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

/** An unproven check names the rows that the database refused: with them it could have been proven. */
function withProblem(check: Check, problem: string): Check {
  return check.outcome === 'unproven'
    ? { ...check, reason: `${check.reason}, and none could be made: ${problem}` }
    : check;
}

/** Whether a branch of the rule that names the variable holds for other rows from session to session. */
async function branchesDiffer(
  trial: Trial,
  subject: TestSubject,
  variable: string,
  sessions: readonly SessionValues[],
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
