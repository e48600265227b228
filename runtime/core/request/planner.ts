/**
 * Keeps plans. An operation is parsed once per role and text; a plan is kept per shape of variables (see
 * `shapeOf`). Both caches are part of the server's memory budget, because clients choose the texts.
 */
import { EngineError, UnknownName } from '../errors.ts';
import { type Cache, MemoryBudget } from '../memory/budget.ts';
import { heapBytes, stringBytes } from '../memory/heap-bytes.ts';
import type { Program } from '../program/program.ts';
import type { PlanOptions } from '../query/scope.ts';
import { remember, sameOptions } from '../remember.ts';
import { explainUnknown } from '../schema/hidden.ts';
import type { RoleSchema } from '../schema/role-schema.ts';
import type { NamedType, TypeReference } from '../schema/types.ts';
import type { Session } from '../session.ts';
import { chooseOperation, type Operation, parseDocument } from './document.ts';
import { type ExplainedField, explainOperation, planOperation, type RequestPlan } from './plan.ts';
import type { OperationSize } from './size.ts';
import { planRead, planSubscription, type SubscriptionPlan, type WatchedPlan } from './subscription.ts';
import { planningVariables, type Variables, valueShape, variableValues } from './variables.ts';

/** Those of a request to the relay API may be more than the operation has. */
function valuesOf(operation: Operation, { variables = {}, relay }: GraphqlRequest, options: PlanOptions) {
  return variableValues(operation.variables, variables, options, relay);
}

export interface GraphqlRequest {
  readonly query: string;
  readonly operationName?: string | undefined;
  readonly variables?: Readonly<Record<string, unknown>> | undefined;
  /** It is meant for the relay API. */
  readonly relay?: true | undefined;
}

export interface PlannedRequest<Plan = RequestPlan> {
  readonly plan: Plan;
  /** Values of all declared variables, defaults applied. */
  readonly variables: Readonly<Record<string, unknown>>;
}

export interface Planner {
  readonly program: Program;
  readonly options: PlanOptions;
  /** @throws EngineError when the request is wrong */
  readonly plan: (session: Session, request: GraphqlRequest) => PlannedRequest;
  /** Which kind of operation a request asks for. @throws EngineError when it cannot be read */
  readonly kindOf: (session: Session, request: GraphqlRequest) => Operation['kind'];
  /** Like `plan`, for subscriptions. Equal requests get the identical plan. @throws EngineError */
  readonly subscribe: (
    session: Session,
    request: GraphqlRequest,
  ) => PlannedRequest<SubscriptionPlan | WatchedPlan>;
  /** Like `plan`, but each root field separately and without the cache. @throws EngineError */
  readonly explain: (session: Session, request: GraphqlRequest) => ExplainedRequest;
  /** Like `subscribe`, before it is printed and without the cache. @throws EngineError */
  readonly read: (session: Session, request: GraphqlRequest) => PlannedRequest<ReturnType<typeof planRead>>;
  /** The operations that are kept, each with its plans. */
  readonly list: () => readonly KeptOperation[];
  /** The caches. */
  readonly kept: KeptPlans;
}

interface KeptOperation {
  readonly schema: RoleSchema;
  readonly name: string | undefined;
  readonly query: string;
  readonly plans: readonly KeptPlan[];
}

interface ExplainedRequest {
  readonly fields: readonly ExplainedField[];
  readonly variables: Readonly<Record<string, unknown>>;
}

interface CachedOperation {
  /** Tells the plans of this operation from those of others. */
  readonly number: number;
  readonly roleSchema: RoleSchema;
  readonly operation: Operation;
  /** Types of the places of variables that planning has visited. */
  readonly used: Map<string, TypeReference>;
}

/**
 * Decides whether a role may run an operation at all: before it is planned, and again where its arguments ask for more than
 * its fields do. @throws EngineError when not
 */
export type AdmitOperation = (session: Session, operation: Operation, inArguments?: OperationSize) => void;

export type KeptPlan = RequestPlan | SubscriptionPlan | WatchedPlan;

/** Operations and plans of role schemas, for every planner that plans for those schemas. */
interface KeptPlans {
  readonly operations: Cache<string, CachedOperation>;
  readonly plans: Cache<string, KeptPlan>;
  readonly schemas: WeakMap<RoleSchema, number>;
  readonly next: () => number;
}

function createKeptPlans(memory: MemoryBudget): KeptPlans {
  let count = 0;
  const { largest } = memory;
  return {
    // Its document, and the text that names of the document are parts of.
    operations: memory.cache(
      ({ operation }, key) => 2 * stringBytes(key) + heapBytes(operation, undefined, largest),
    ),
    plans: memory.cache((plan, key) => stringBytes(key) + planBytes(plan, largest)),
    schemas: new WeakMap(),
    next: () => {
      count += 1;
      return count;
    },
  };
}

/** Estimates the memory of a plan. @param largest bytes at which to stop counting */
export function planBytes(plan: KeptPlan, largest: number): number {
  return heapBytes(plan, isShared, largest);
}

/** Plans refer to fields and types, which belong to the schema of the role. */
function isShared(object: object): boolean {
  return (
    'meaning' in object || ('kind' in object && typeof object.kind === 'string' && TYPES.has(object.kind))
  );
}

const TYPES: ReadonlySet<string> = new Set([
  'scalar',
  'enum',
  'input',
  'object',
  'interface',
  'union',
] satisfies NamedType['kind'][]);

/**
 * Lets go of what was kept for schemas that a program has not taken over. To be called once the program is served: until
 * then the schemas of the one before are in use.
 */
export function forgetOtherSchemas({ program, kept: { operations, plans } }: Planner): void {
  const schemas = new Set(program.schemas.values());
  const known = new Set<number>();
  for (const [key, { number, roleSchema }] of [...operations.entries()]) {
    if (schemas.has(roleSchema)) known.add(number);
    else operations.delete(key);
  }
  for (const [key] of [...plans.entries()]) if (!known.has(operationNumber(key))) plans.delete(key);
}

/**
 * Makes the planner of a program. Options hold for all its plans.
 * @param previous the planner of the program that this one follows: what it kept for schemas that this program took over
 *   stays in use (runtime/core/program/take-over.ts says why that is safe)
 * @param memory limits what is kept, where nothing is taken over
 */
export function createPlanner(
  program: Program,
  options: PlanOptions,
  admit?: AdmitOperation,
  previous?: Planner,
  memory = new MemoryBudget(),
): Planner {
  const kept = previous && sameOptions(previous.options, options) ? previous.kept : createKeptPlans(memory);
  const { operations, plans, schemas, next } = kept;

  const schemaFor = ({ role, backendOnly }: Session, { relay }: GraphqlRequest) =>
    program.roleSchema(role, backendOnly, relay);
  const operationOf = (roleSchema: RoleSchema, { query, operationName }: GraphqlRequest): CachedOperation => {
    const key = `${remember(schemas, roleSchema, next)} ${operationName ?? ''}\0${query}`;
    return remember<string, CachedOperation>(operations, key, () => ({
      number: next(),
      roleSchema,
      operation: chooseOperation(parseDocument(query), operationName),
      used: new Map(),
    }));
  };

  const admitArguments = (session: Session, operation: Operation, plan: KeptPlan) => {
    if (plan.kind === 'mutation' && plan.size) admit?.(session, operation, plan.size);
  };

  /** Plans a request, or finds the plan that was kept. */
  const plan = <Plan extends KeptPlan>(
    session: Session,
    request: GraphqlRequest,
    make: (roleSchema: RoleSchema, operation: Operation, variables: Variables, options: PlanOptions) => Plan,
    subscribes = false,
  ): PlannedRequest<Plan> => {
    const roleSchema = schemaFor(session, request);
    const { number, operation, used } = reportTooDeep(() => operationOf(roleSchema, request));
    admit?.(session, operation);
    const variables = valuesOf(operation, request, options);
    // A subscription that was planned for a socket is not what the same text means over HTTP, where it is refused.
    const fits = (operation.kind === 'subscription') === subscribes;
    const known = fits ? (plans.get(planKey(number, used, variables)) as Plan | undefined) : undefined;
    if (known) {
      admitArguments(session, operation, known);
      return { plan: known, variables };
    }
    const context = planningVariables(operation.variables, variables, used);
    try {
      const made = reportTooDeep(() => make(roleSchema, operation, context, options));
      if (made.kind !== 'query' || made.reusable) plans.set(planKey(number, used, variables), made);
      admitArguments(session, operation, made);
      return { plan: made, variables };
    } catch (error) {
      throw error instanceof UnknownName ? explainUnknown(error, roleSchema, session.role) : error;
    }
  };

  /** Without the cache. */
  const apart = <Plan>(
    session: Session,
    request: GraphqlRequest,
    planIt: (schema: RoleSchema, operation: Operation, variables: Variables, options: PlanOptions) => Plan,
  ): PlannedRequest<Plan> => {
    const roleSchema = schemaFor(session, request);
    const operation = chooseOperation(parseDocument(request.query), request.operationName);
    const variables = valuesOf(operation, request, options);
    const context = planningVariables(operation.variables, variables);
    return { plan: planIt(roleSchema, operation, context, options), variables };
  };

  return {
    program,
    options,
    kept,
    list: () => listKept(kept),
    explain: (session, request) => {
      const { plan: fields, variables } = apart(session, request, explainOperation);
      return { fields, variables };
    },
    read: (session, request) => apart(session, request, planRead),
    kindOf: (session, request) =>
      reportTooDeep(() => operationOf(schemaFor(session, request), request)).operation.kind,
    plan: (session, request) => plan(session, request, planOperation),
    subscribe: (session, request) => plan(session, request, planSubscription, true),
  };
}

function listKept({ operations, plans }: KeptPlans): readonly KeptOperation[] {
  const byOperation = new Map<number, KeptPlan[]>();
  for (const [key, plan] of plans.entries()) remember(byOperation, operationNumber(key), () => []).push(plan);
  return [...operations.entries()].map(([key, { number, roleSchema: schema, operation }]) => ({
    schema,
    name: operation.node.name?.value,
    query: key.slice(key.indexOf('\0') + 1),
    plans: byOperation.get(number) ?? [],
  }));
}

/** The number of the operation of a plan (see planKey). */
function operationNumber(key: string): number {
  return Number.parseInt(key, 10);
}

/** Reports a document that is nested deeper than the call stack of the parser or the planner. @throws EngineError */
export function reportTooDeep<Value>(run: () => Value): Value {
  try {
    return run();
  } catch (error) {
    if (error instanceof RangeError && error.message.includes('call stack'))
      throw new EngineError('validation-failed', 'the operation is nested too deeply');
    throw error;
  }
}

/** The key of a plan: its operation, which variables were looked at, and the shape of each. */
function planKey(
  operation: number,
  used: ReadonlyMap<string, TypeReference>,
  values: Readonly<Record<string, unknown>>,
): string {
  let key = String(operation);
  for (const [name, type] of used) key += ` ${name}=${valueShape(type, values[name])}`;
  return key;
}
