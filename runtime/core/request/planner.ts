/**
 * Keeps plans. An operation is parsed once per role view and text; a plan is kept per shape of variables (see
 * `shapeOf`). Both caches are bounded, because clients choose the texts.
 */
import { LRUCache } from 'lru-cache';
import type { Program } from '../program.ts';
import type { PlanOptions } from '../query/scope.ts';
import { remember } from '../remember.ts';
import type { RoleView } from '../schema/role-view.ts';
import type { TypeReference } from '../schema/types.ts';
import type { Session } from '../session.ts';
import { chooseOperation, type Operation, parseDocument } from './document.ts';
import { type ExplainedField, explainOperation, planOperation, type RequestPlan } from './plan.ts';
import { shapeOf, variableValues } from './values.ts';

export interface GraphqlRequest {
  readonly query: string;
  readonly operationName?: string | undefined;
  readonly variables?: Readonly<Record<string, unknown>> | undefined;
}

export interface PlannedRequest {
  readonly plan: RequestPlan;
  /** Values of all declared variables, defaults applied. */
  readonly variables: Readonly<Record<string, unknown>>;
}

export interface Planner {
  /** @throws EngineError when the request is wrong */
  readonly plan: (session: Session, request: GraphqlRequest) => PlannedRequest;
  /** As `plan`, but each root field by itself and nothing kept. @throws EngineError */
  readonly explain: (session: Session, request: GraphqlRequest) => ExplainedRequest;
}

export interface ExplainedRequest {
  readonly fields: readonly ExplainedField[];
  readonly variables: Readonly<Record<string, unknown>>;
}

interface CachedOperation {
  readonly operation: Operation;
  /** Places where variables stand, as far as planning has met them. */
  readonly used: Map<string, TypeReference>;
  readonly plans: LRUCache<string, RequestPlan>;
}

const MOST_OPERATIONS = 1000;
const MOST_SHAPES = 50;
/** Longest operation text that is kept; longer ones are planned every time. */
const LONGEST_TEXT = 200_000;

/** Makes the planner of a program. Options hold for all its plans. */
export function createPlanner(program: Program, options: PlanOptions): Planner {
  const operations = new WeakMap<RoleView, LRUCache<string, CachedOperation>>();
  return {
    explain: (session, request) => {
      const view = program.view(session.role, session.backendOnly);
      const operation = chooseOperation(parseDocument(request.query), request.operationName);
      const variables = variableValues(operation.variables, request.variables ?? {});
      const context = { declared: operation.variables, values: variables, used: new Map() };
      return { fields: explainOperation(view, operation, context, options), variables };
    },
    plan: (session, request) => {
      const view = program.view(session.role, session.backendOnly);
      const cache = remember(
        operations,
        view,
        () => new LRUCache<string, CachedOperation>({ max: MOST_OPERATIONS }),
      );
      const key =
        request.operationName === undefined ? request.query : `${request.operationName}\0${request.query}`;
      let cached = cache.get(key);
      if (!cached) {
        const operation = chooseOperation(parseDocument(request.query), request.operationName);
        cached = { operation, used: new Map(), plans: new LRUCache({ max: MOST_SHAPES }) };
        if (key.length <= LONGEST_TEXT) cache.set(key, cached);
      }
      const variables = variableValues(cached.operation.variables, request.variables ?? {});
      let plan = cached.plans.get(variablesShape(cached.used, variables));
      if (!plan) {
        plan = planOperation(
          view,
          cached.operation,
          { declared: cached.operation.variables, values: variables, used: cached.used },
          options,
        );
        if (plan.reusable) cached.plans.set(variablesShape(cached.used, variables), plan);
      }
      return { plan, variables };
    },
  };
}

/** The key of a plan: which variables were looked at, and the shape of each. */
function variablesShape(
  used: ReadonlyMap<string, TypeReference>,
  values: Readonly<Record<string, unknown>>,
): string {
  if (used.size === 0) return '';
  let key = '';
  for (const [name, type] of used) key += `${name}=${shapeOf(type, values[name])};`;
  return key;
}
