/** What is saved, at work: the allow-list's check, the REST routes and the statements of one program. */
import type { RestRoute, SavedOperation, SavedProgram } from '../core/saved.ts';
import type { Session } from '../core/session.ts';
import { type Execution, executeData, runPlan } from '../graphql/execute.ts';
import { type CheckAllowed, createAllowlist } from './allowlist.ts';
import { createRouter, type MatchRoute } from './router.ts';
import { createPlans, type FindPlan, savedValues } from './statements.ts';

export interface Saved {
  /** Absent when the allow-list is not enabled. */
  readonly checkAllowed?: CheckAllowed;
  readonly routes: readonly RestRoute[];
  readonly match: MatchRoute;
  readonly findPlan: FindPlan;
}

export interface SavedSettings {
  /** Whether roles may send only what the allow-list has. */
  readonly enforceAllowlist: boolean;
  readonly inferFunctionPermissions: boolean;
}

/** Prepares what a program has saved, for the execution that will run it. */
export function prepareSaved(
  program: SavedProgram | undefined,
  { planner }: Execution,
  settings: SavedSettings,
): Saved {
  const { limits, sources } = planner.program;
  const { stringifyNumbers, collapseNulls } = planner.options;
  const made = program?.options;
  // Statements that were made for other options answer otherwise; limits of size are counted on documents.
  const usable =
    made?.stringifyNumbers === stringifyNumbers &&
    made.collapseNulls === collapseNulls &&
    made.inferFunctionPermissions === settings.inferFunctionPermissions &&
    !limits?.depth_limit &&
    !limits?.node_limit;
  return {
    ...(settings.enforceAllowlist ? { checkAllowed: createAllowlist(program?.allowlist ?? []) } : {}),
    routes: program?.routes ?? [],
    match: createRouter(program?.routes ?? []),
    findPlan: createPlans(usable && program ? program.operations : [], sources),
  };
}

/**
 * Runs a saved operation: by its statements where it has them for the role and the values, else by planning it.
 * @throws EngineError as any request
 */
export async function runSaved(
  operation: SavedOperation,
  variables: Readonly<Record<string, unknown>>,
  session: Session,
  { saved, ...execution }: Execution & { readonly saved: Saved },
): Promise<string> {
  saved.checkAllowed?.(session.role, operation.document);
  if (operation.plans) {
    const values = savedValues(operation, variables);
    const plan = saved.findPlan(operation, session.role, values);
    if (plan) return runPlan(plan, values, session, execution);
  }
  return executeData({ query: operation.document, variables }, session, execution);
}
