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
  readonly program: Program;
  readonly options: PlanOptions;
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
  /** Tells the plans of this operation from those of others. */
  readonly number: number;
  readonly operation: Operation;
  /** Places where variables stand, as far as planning has met them. */
  readonly used: Map<string, TypeReference>;
}

/** Most characters of operation texts, and of SQL texts, that a program keeps; some hundred megabytes with their trees. */
const MOST_TEXT = 8_000_000;
const MOST_SQL = 32_000_000;

/** Decides whether a role may run an operation at all, before it is planned. @throws EngineError when not */
export type Admit = (session: Session, operation: Operation) => void;

/** Makes the planner of a program. Options hold for all its plans. */
export function createPlanner(program: Program, options: PlanOptions, admit?: Admit): Planner {
  const operations = new LRUCache<string, CachedOperation>({
    maxSize: MOST_TEXT,
    sizeCalculation: (_operation, key) => key.length + 200,
  });
  const plans = new LRUCache<string, RequestPlan>({
    maxSize: MOST_SQL,
    sizeCalculation: (plan, key) => key.length + planSize(plan),
  });
  const views = new WeakMap<RoleView, number>();
  let count = 0;
  const next = () => {
    count += 1;
    return count;
  };

  const operationOf = (view: RoleView, { query, operationName }: GraphqlRequest): CachedOperation => {
    const key = `${remember(views, view, next)} ${operationName ?? ''}\0${query}`;
    return remember<string, CachedOperation>(operations, key, () => ({
      number: next(),
      operation: chooseOperation(parseDocument(query), operationName),
      used: new Map(),
    }));
  };

  return {
    program,
    options,
    explain: (session, request) => {
      const view = program.view(session.role, session.backendOnly);
      const operation = chooseOperation(parseDocument(request.query), request.operationName);
      const variables = variableValues(operation.variables, request.variables ?? {});
      const context = { declared: operation.variables, values: variables, used: new Map() };
      return { fields: explainOperation(view, operation, context, options), variables };
    },
    plan: (session, request) => {
      const view = program.view(session.role, session.backendOnly);
      const { number, operation, used } = operationOf(view, request);
      admit?.(session, operation);
      const variables = variableValues(operation.variables, request.variables ?? {});
      const known = plans.get(planKey(number, used, variables));
      if (known) return { plan: known, variables };
      const context = { declared: operation.variables, values: variables, used };
      const plan = planOperation(view, operation, context, options);
      if (plan.reusable) plans.set(planKey(number, used, variables), plan);
      return { plan, variables };
    },
  };
}

/** What a plan weighs, in characters. */
function planSize(plan: RequestPlan): number {
  const perPart = 100;
  if (plan.kind === 'mutation') return (plan.fields.length + plan.answer.length) * 20 * perPart;
  return plan.steps.reduce(
    (size, { statement }) => size + statement.text.length + statement.parameters.length * perPart,
    plan.answer.length * perPart,
  );
}

/** The key of a plan: its operation, which variables were looked at, and the shape of each. */
function planKey(
  operation: number,
  used: ReadonlyMap<string, TypeReference>,
  values: Readonly<Record<string, unknown>>,
): string {
  let key = String(operation);
  for (const [name, type] of used) key += ` ${name}=${shapeOf(type, values[name])}`;
  return key;
}
