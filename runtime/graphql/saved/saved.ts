/** The saved operations of one program: how they are found, the allow-list, the REST routes and the generated plans. */
import type { MemoryBudget } from '../../core/memory/budget.ts';
import { lazy, sameOptions } from '../../core/remember.ts';
import type { PlannedRequest, Planner } from '../../core/request/planner.ts';
import type { SubscriptionPlan } from '../../core/request/subscription.ts';
import type { RestRoute, SavedOperation, SavedProgram } from '../../core/saved/saved.ts';
import type { Session } from '../../core/session.ts';
import { createAllowlist } from './allowlist.ts';
import type { CallOptions } from './call.ts';
import { indexById, indexByText } from './index-by-id.ts';
import type { RegisteredQueries } from './registered.ts';
import { createRouter, type MatchRoute } from './router.ts';
import { createPlans, type Plans, savedValues } from './statements.ts';

export interface Saved {
  readonly calls: CallOptions;
  readonly routes: readonly RestRoute[];
  readonly match: MatchRoute;
  readonly plans: Plans;
}

export interface SavedSettings {
  /** Restrict roles to the operations of the allow-list. */
  readonly enforceAllowlist: boolean;
  /** Restrict roles to the operations of query collections. */
  readonly onlySaved: boolean;
  /** Those that clients register; absent: they cannot. */
  readonly registered?: RegisteredQueries;
  /** Limits what is kept of texts that clients send. */
  readonly memory: MemoryBudget;
}

/** Indexes the saved operations of a program for the planner that plans the others. */
export function indexSaved(
  program: SavedProgram | undefined,
  planner: Planner,
  settings: SavedSettings,
): Saved {
  const { limits, options } = planner.program;
  const made = program?.options;
  // Statements that were made for other options answer otherwise; limits of size are counted on documents.
  const usable =
    made &&
    sameOptions(made, { ...planner.options, ...options }) &&
    // They know values and nulls, and no variable that counts as not written.
    !planner.options.omitUnboundVariables &&
    !limits?.depth_limit &&
    !limits?.node_limit;
  const operations = program?.operations ?? [];
  const allowlist = settings.enforceAllowlist
    ? createAllowlist(program ?? { allowlist: [], operations }, settings.memory)
    : undefined;
  // Hashes are computed on first use.
  const byId = lazy(() => indexById(operations));
  return {
    calls: {
      findSaved: (id) => byId()(id),
      hasSaved: operations.length > 0,
      ...(settings.onlySaved
        ? { findByText: indexByText(operations) }
        : settings.registered && { registered: settings.registered }),
      checkAllowed: allowlist,
    },
    routes: program?.routes ?? [],
    match: createRouter(program?.routes ?? []),
    plans: createPlans(usable ? operations : [], planner.program),
  };
}

/**
 * The generated plan of a saved operation; undefined where it has to be planned, because it has none for the role and
 * these values.
 * @throws EngineError when a variable is missing
 */
export function planSaved(
  operation: SavedOperation,
  variables: Readonly<Record<string, unknown>>,
  session: Session,
  { plans }: Saved,
): PlannedRequest | undefined {
  if (!operation.plans || operation.kind === 'subscription') return undefined;
  const values = savedValues(operation, variables);
  const plan = plans.find(operation, session.role, values);
  return plan && plan.kind !== 'subscription' ? { plan, variables: values } : undefined;
}

/** Like `planSaved`, for a subscription over a socket. @throws EngineError */
export function planSavedSubscription(
  operation: SavedOperation,
  variables: Readonly<Record<string, unknown>>,
  session: Session,
  { plans }: Saved,
): PlannedRequest<SubscriptionPlan> | undefined {
  if (!operation.plans) return undefined;
  const values = savedValues(operation, variables);
  const plan = plans.find(operation, session.role, values);
  return plan?.kind === 'subscription' ? { plan, variables: values } : undefined;
}
