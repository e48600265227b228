/** GET /dev/plan_cache: the operations whose plans are kept, with their SQL, for administrators. */

import type { KeptPlan, Planner } from '../core/request/planner.ts';
import type { CurrentlyServed } from '../graphql/answer.ts';
import { adminEndpoint, type Endpoints } from './context.ts';

/** Texts of operations may hold personal data, so the API `developer` has to be enabled. */
export function planCacheEndpoints(current: CurrentlyServed): Endpoints {
  return (app, context) => {
    if (!context.configuration.enabledApis.includes('developer')) return;
    adminEndpoint(app, context, 'GET', '/dev/plan_cache', () => ({ operations: report(current().planner) }));
  };
}

function report(planner: Planner): object[] {
  return planner.list().map(({ schema, name, query, plans }) => ({
    // Roles that no rule mentions share one schema.
    role: schema.role ?? null,
    backend_only: schema.backendOnly,
    relay: schema.relay,
    operation_name: name ?? null,
    query,
    plans: plans.map((plan) => ({ kind: plan.kind, statements: statementsOf(plan) })),
  }));
}

function statementsOf(plan: KeptPlan): readonly { readonly source: string; readonly sql: string }[] {
  switch (plan.kind) {
    case 'subscription':
      return [{ source: plan.source, sql: plan.text }];
    case 'watched':
      return statementsOf(plan.plan);
    case 'query':
      return plan.steps.flatMap((step) =>
        step.kind === 'sql' ? [{ source: step.source, sql: step.statement.text }] : [],
      );
    case 'mutation':
      return plan.fields.flatMap((field) =>
        'source' in field && field.step.kind === 'write'
          ? field.step.statements.map(({ statement }) => ({ source: field.source, sql: statement.text }))
          : [],
      );
  }
}
