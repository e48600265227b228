/** The plans of saved operations, as the executor takes them. Nothing is parsed or planned for a request. */

import { EngineError } from '../../core/errors.ts';
import type { WriteStep } from '../../core/mutation/step.ts';
import type { Program } from '../../core/program/program.ts';
import { remember } from '../../core/remember.ts';
import { cachedOf } from '../../core/request/cached.ts';
import type { MutationPlan, QueryPlan, RequestPlan } from '../../core/request/plan.ts';
import { fitsScalar } from '../../core/request/refusals.ts';
import { batchPlan, type SubscriptionPlan } from '../../core/request/subscription.ts';
import type {
  SavedOperation,
  SavedPlan,
  SavedStatement,
  SavedStep,
  SavedWrite,
  SavedWriteStatement,
} from '../../core/saved/saved.ts';
import { savedSql, savedStatement } from '../../core/saved/saved-sql.ts';
import { INT } from '../../core/schema/shared-types.ts';
import { isDistributed } from '../../core/shards/index.ts';
import { print, type Statement } from '../../core/sql/print.ts';

/** @returns undefined when a request with these values has to be planned */
type FindPlan = (
  operation: SavedOperation,
  role: string,
  values: Readonly<Record<string, unknown>>,
) => RequestPlan | SubscriptionPlan | undefined;

interface Case {
  readonly when: SavedPlan['when'];
  readonly plan: RequestPlan | SubscriptionPlan;
}

export interface Plans {
  readonly find: FindPlan;
  /** Those of roles that have asked. */
  readonly list: () => readonly {
    readonly operation: SavedOperation;
    readonly role: string;
    readonly plan: RequestPlan | SubscriptionPlan;
  }[];
}

/** Reads the plans of operations, for a role when it first asks. */
export function createPlans(
  operations: readonly SavedOperation[],
  program: Pick<Program, 'sources' | 'roleSchema'>,
): Plans {
  const plans = new Map(operations.map((operation) => [operation, new Map<string, readonly Case[]>()]));
  const list: Plans['list'] = () =>
    [...plans].flatMap(([operation, byRole]) =>
      [...byRole].flatMap(([role, cases]) => cases.map(({ plan }) => ({ operation, role, plan }))),
    );
  const find: FindPlan = (operation, role, values) => {
    const byRole = plans.get(operation);
    // Only roles that the operation names: others must not fill the map.
    if (!operation.plans?.some(({ roles }) => roles.includes(role))) return undefined;
    const cases = byRole && remember(byRole, role, () => casesOf(operation, role, program));
    const plan = cases?.find(({ when }) => holds(when, values))?.plan;
    return plan && fitsCached(plan, values) ? plan : undefined;
  };
  return { find, list };
}

function casesOf(
  { kind, plans = [], values: shared }: SavedOperation,
  role: string,
  program: Pick<Program, 'sources' | 'roleSchema'>,
): readonly Case[] {
  const clusters = new Set(program.sources.filter(isDistributed).map(({ name }) => name));
  // The rules decide about their statements, so they are planned from the document.
  const isOfCluster = ({ source }: SavedStep | SavedWrite) => clusters.has(source);
  return plans
    .filter(({ roles, steps }) => roles.includes(role) && !steps.some(isOfCluster))
    .map(({ when, steps, values, answer, cached }): Case => {
      const read = ({ sql, writes }: SavedStatement & Pick<SavedWriteStatement, 'writes'>, source: string) =>
        savedStatement({ sql, values: { ...shared, ...values }, writes }, source, role, program);
      if (kind === 'subscription') {
        const { source, sql, once, reads } = steps[0] as SavedStep;
        const query = savedSql({ sql, values: { ...shared, ...values }, reads }, source, role, program);
        return { when, plan: batchPlan(role, { kind: 'live', source, query, ...(once && { once }) }) };
      }
      if (kind === 'mutation') {
        const fields = steps.map((step) => readWrite(step as SavedWrite, read));
        return { when, plan: { kind, fields, answer, reusable: true } };
      }
      const all = { ...shared, ...values };
      const trees = (steps as readonly SavedStep[]).map((step) =>
        savedSql({ ...step, values: all }, step.source, role, program),
      );
      const reads = steps.map(({ source, once }, index) => ({
        kind: 'sql' as const,
        source,
        statement: print(trees[index]!),
        ...(once && { once }),
      }));
      const plan: QueryPlan = { kind: 'query', steps: reads, answer, reusable: true };
      if (!cached) return { when, plan };
      return { when, plan: { ...plan, cached: cachedOf(cached, plan, trees[0], program.sources) } };
    });
}

/** Whether the seconds of `@cached` are a number: planning says what is wrong with others. */
function fitsCached(
  plan: RequestPlan | SubscriptionPlan,
  values: Readonly<Record<string, unknown>>,
): boolean {
  const ttl = plan.kind === 'query' ? plan.cached?.ttl : undefined;
  return ttl?.from !== 'variable' || fitsScalar(INT, values[ttl.name]);
}

function readWrite(
  { source, statements, answer, once }: SavedWrite,
  read: (saved: SavedStatement, source: string) => Statement,
): MutationPlan['fields'][number] {
  const all = statements.map(({ path = '$', noRow, ...saved }) => ({
    statement: read(saved, source),
    path,
    ...(noRow && { noRow }),
  }));
  const step: WriteStep = { kind: 'write', statements: all, answer, ...(once && { once }) };
  return { source, step };
}

function holds(when: SavedPlan['when'], values: Readonly<Record<string, unknown>>): boolean {
  for (const name in when) {
    const value = values[name];
    const kind = value === null ? 'null' : typeof value === 'boolean' ? value : 'value';
    if (kind !== when[name]) return false;
  }
  return true;
}

/**
 * The values of all variables of an operation, defaults applied.
 * @throws EngineError validation-failed when a variable that must not be null has no value, or one is not declared
 */
export function savedValues(
  { variables = {} }: SavedOperation,
  given: Readonly<Record<string, unknown>>,
): Readonly<Record<string, unknown>> {
  // Without a prototype: a variable may be called __proto__.
  const values: Record<string, unknown> = Object.create(null);
  for (const [name, variable] of Object.entries(variables)) {
    const value = Object.hasOwn(given, name) ? given[name] : variable.default;
    const required = variable.type.endsWith('!');
    if (required && value === undefined)
      throw new EngineError('validation-failed', `expecting a value for non-nullable variable: "${name}"`);
    if (required && value === null)
      throw new EngineError(
        'validation-failed',
        `null value found for non-nullable type: "${variable.type}"`,
      );
    values[name] = value ?? null;
  }
  const unknown = Object.keys(given).filter((name) => !Object.hasOwn(variables, name));
  if (unknown.length > 0) {
    throw new EngineError(
      'validation-failed',
      `unexpected variables in variableValues: ${unknown.sort().join(', ')}`,
    );
  }
  return values;
}
