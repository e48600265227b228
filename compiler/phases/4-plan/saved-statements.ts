/**
 * The statements of a saved operation, for each role that may run it. Where the SQL depends on whether a variable is null,
 * or on a boolean, there is a plan for each case; where it depends on more, the operation stays a template.
 */

import { isDeepStrictEqual } from 'node:util';
import { unlessRefused } from '../../../runtime/core/errors.ts';
import { objectKey } from '../../../runtime/core/names.ts';
import { analyseOperation, casesOf, caseValues, type When } from '../../../runtime/core/request/analyse.ts';
import type { CacheRequest } from '../../../runtime/core/request/cached.ts';
import type { Operation } from '../../../runtime/core/request/document.ts';
import { planOperation, type RequestPlan } from '../../../runtime/core/request/plan.ts';
import { planRead, planSubscription } from '../../../runtime/core/request/subscription.ts';
import { planningVariables } from '../../../runtime/core/request/variables.ts';
import { wakesOf } from '../../../runtime/core/request/wakes.ts';
import type {
  SavedOperation,
  SavedOptions,
  SavedPlan,
  SavedStatement,
  SavedStep,
  SavedValue,
  SavedWrite,
  SavedWriteStatement,
} from '../../../runtime/core/saved/saved.ts';
import { savedText } from '../../../runtime/core/saved/saved-sql.ts';
import type { RoleSchema } from '../../../runtime/core/schema/role-schema.ts';
import { namedType } from '../../../runtime/core/schema/types.ts';
import { ADMIN_ROLE } from '../../../runtime/core/session.ts';
import { isDistributed } from '../../../runtime/core/shards/index.ts';
import { tablesWritten } from '../../../runtime/core/sql/contents.ts';
import type { Statement } from '../../../runtime/core/sql/print.ts';
import { reuse } from '../../memory/reuse.ts';

type Statements = Omit<SavedPlan, 'roles'> & Required<Pick<SavedPlan, 'values'>>;

/** The plans of a role, or the reason why they depend on the request; undefined if it may not run the operation. */
export interface RoleStatements {
  plans: readonly Statements[] | string | undefined;
  /** Subscriptions only: the read set. */
  readonly wakes?: readonly string[];
}

/** The part of a saved operation that says what runs. */
export function planStatements(
  roles: readonly string[],
  statementsOf: (role: string) => RoleStatements,
): Pick<SavedOperation, 'plans' | 'template' | 'values' | 'wakes'> {
  const groups: { readonly plan: Statements; readonly roles: string[] }[] = [];
  const wakes: Record<string, readonly string[]> = {};
  const groupOf = (plan: Statements) => {
    const found = groups.find((group) => reuse(plan, group.plan) === group.plan);
    if (found) return found;
    const added = { plan, roles: [] };
    groups.push(added);
    return added;
  };
  for (const role of roles) {
    const statements = statementsOf(role);
    if (statements.plans === undefined) continue;
    if (typeof statements.plans === 'string') return { template: statements.plans };
    const own = statements.plans.map(groupOf);
    for (const group of own) group.roles.push(role);
    if (statements.wakes) wakes[role] = statements.wakes;
    // Equal plans of several roles are kept once.
    statements.plans = own.map(({ plan }) => plan);
  }
  if (groups.length === 0) return {};
  const values: Record<string, SavedValue> = {};
  // A reader looks for the roles that have permissions; what runs for the administrator alone comes last.
  const isForAdmin = (group: (typeof groups)[number]) => group.roles.every((role) => role === ADMIN_ROLE);
  const ordered = [...groups.filter((group) => !isForAdmin(group)), ...groups.filter(isForAdmin)];
  const plans = ordered.map(({ plan: { values: all, ...plan }, roles: allowed }): SavedPlan => {
    for (const [key, value] of Object.entries(all)) values[key] ??= value;
    const others = Object.entries(all).filter(([key, value]) => !isDeepStrictEqual(values[key], value));
    return { roles: allowed, ...plan, ...(others.length > 0 && { values: Object.fromEntries(others) }) };
  });
  return {
    ...(Object.keys(values).length > 0 && { values }),
    ...(Object.keys(wakes).length > 0 && { wakes }),
    plans,
  };
}

/** The writes after which a role's subscription is read again; undefined if it may not run it, or its SQL depends on the request. */
export function wakesForRole(
  roleSchema: RoleSchema,
  operation: Operation,
  options: SavedOptions,
): readonly string[] | undefined {
  if (operation.kind !== 'subscription') return undefined;
  return unlessRefused(() => {
    const { samples } = analyseOperation(roleSchema, operation);
    const variables = planningVariables(operation.variables, samples);
    const plan = planSubscription(roleSchema, operation, variables, options);
    return plan.kind === 'subscription' ? wakesOf(plan, roleSchema.program) : undefined;
  });
}

/** Plans an operation as the role of a view sees the API. */
export function planForRole(
  roleSchema: RoleSchema,
  operation: Operation,
  options: SavedOptions,
): RoleStatements['plans'] {
  return unlessRefused(() => {
    const { sources } = roleSchema.program;
    const { used, samples, selection } = analyseOperation(roleSchema, operation);
    const kinds = new Set(selection.fields.map(({ definition }) => definition.meaning.kind));
    if (kinds.has('introspection')) return 'it asks for the schema';
    if (kinds.has('entities')) return 'its SQL depends on the types of the entities that are asked for';
    const shaping = [...used].find(([, type]) => namedType(type).kind !== 'scalar');
    if (shaping) return `the value of $${shaping[0]} decides about the SQL`;
    const cases = casesOf(operation, used);
    if (!cases) return 'too many variables may be null or absent';
    const plans: Statements[] = [];
    for (const when of cases) {
      const values = caseValues(when, samples);
      const variables = planningVariables(operation.variables, values);
      const plan = unlessRefused(() =>
        operation.kind === 'subscription'
          ? planRead(roleSchema, operation, variables, options)
          : planOperation(roleSchema, operation, variables, options),
      );
      // Such values are an error, which planning the request words.
      if (!plan) continue;
      if (sourcesOf(plan).some((source) => isDistributed(sources.find(({ name }) => name === source)!)))
        return DISTRIBUTED;
      const saved = savedPlan(plan, when);
      if (typeof saved === 'string') return saved;
      plans.push(saved);
    }
    return plans;
  });
}

/** The sources of its statements. */
function sourcesOf(plan: AnyPlan): readonly string[] {
  if ('source' in plan) return [plan.source];
  const steps = plan.kind === 'mutation' ? plan.fields : plan.kind === 'query' ? plan.steps : [];
  return steps.flatMap((step) => ('source' in step ? [step.source] : []));
}

type AnyPlan = RequestPlan | ReturnType<typeof planRead>;

/** The plan as data, or why no data can describe it. */
function savedPlan(plan: AnyPlan, when: When): Statements | string {
  const steps: (SavedStep | SavedWrite)[] = [];
  const values: Record<string, SavedValue> = {};
  const save = (
    statement: Pick<Statement, 'tree'>,
  ): (SavedStatement & Pick<SavedStep, 'reads'>) | undefined => {
    const saved = savedText(
      statement,
      plan.kind === 'live' || (plan.kind === 'query' && plan.cached !== undefined),
    );
    if (!saved) return undefined;
    for (const [name, value] of Object.entries(saved.values)) {
      const known = values[name] ?? value;
      if (JSON.stringify(known.encoding) !== JSON.stringify(value.encoding)) return undefined;
      values[name] = known;
    }
    return { sql: saved.sql, ...(saved.reads && { reads: saved.reads }) };
  };
  if (plan.kind === 'watched') return CALLED;
  if (plan.kind === 'streamed') return 'it is a stream';
  if (plan.kind === 'live') {
    const { source, query, once } = plan;
    const saved = save({ tree: query });
    return saved
      ? { ...whenOf(when), steps: [{ source, ...saved, ...(once && { once }) }], values, answer: [] }
      : COMPOSED;
  }
  if (plan.joins) return JOINED;
  if (plan.kind === 'query') {
    for (const step of plan.steps) {
      if (step.kind === 'call') return CALLED;
      const { source, statement, once } = step;
      const saved = save(statement);
      if (!saved) return COMPOSED;
      steps.push({ source, ...saved, ...(once && { once }) });
    }
  } else {
    for (const field of plan.fields) {
      if (!('step' in field)) return CALLED;
      const { source, step } = field;
      if (step.kind === 'constant') return 'a root field has nothing to write';
      if (step.questions) return 'a webhook is asked about its input';
      if (step.instead) return 'it inserts nested objects a table at a time, or one by one where that fails';
      const statements = step.statements.flatMap(({ statement, path, noRow }): SavedWriteStatement[] => {
        const saved = save(statement);
        if (!saved) return [];
        const at = String(path);
        const failure = noRow && { noRow: { ...noRow, path: String(noRow.path) } };
        const writes = writesOf(statement);
        return [
          { ...saved, ...(at !== '$' && { path: at }), ...failure, ...(writes.length > 0 && { writes }) },
        ];
      });
      if (statements.length < step.statements.length) return COMPOSED;
      steps.push({ source, statements, answer: step.answer, ...(step.once && { once: step.once }) });
    }
  }
  const cached = plan.kind === 'query' && plan.cached && { cached: requestOf(plan.cached) };
  return { ...whenOf(when), steps, values, answer: plan.answer, ...cached };
}

/** Whether the answer may be kept is for the server to judge, by the rules that hold then. */
function requestOf({ ttl, refresh }: CacheRequest): CacheRequest {
  return { ttl, refresh };
}

/** Keys of the tables that a statement writes. */
function writesOf({ tree }: Statement): readonly string[] {
  return tree ? tablesWritten(tree).map(({ schema, name }) => objectKey(schema, name)) : [];
}

function whenOf(when: When): Pick<SavedPlan, 'when'> {
  return Object.keys(when).length > 0 ? { when } : {};
}

const CALLED = 'another server answers a part of it';
const JOINED = 'it joins the answers of several steps';
const DISTRIBUTED = 'the rules of a role decide how a cluster is asked for rows of its distributed tables';
const COMPOSED = 'it puts a value together from several variables';
