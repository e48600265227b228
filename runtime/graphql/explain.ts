/** Explains a query: the statement of each root field with its values inlined, and its plan in Postgres. */
import { EngineError } from '../core/errors.ts';
import { bindParameter, bindParameters } from '../core/request/bind.ts';
import type { GraphqlRequest } from '../core/request/planner.ts';
import { batchPlan } from '../core/request/subscription.ts';
import type { Session } from '../core/session.ts';
import { treeForShards } from '../core/shards/index.ts';
import { shapeOf } from '../core/shards/plans.ts';
import { type ParameterNode, quoteLiteral, type Sql } from '../core/sql/fragment.ts';
import { printInto } from '../core/sql/print.ts';
import { databaseError } from '../database/errors.ts';
import { connectionOf, type Runnable } from './request.ts';

/** One root field; introspection has neither SQL nor plan. */
export interface FieldExplanation {
  readonly field: string;
  readonly sql: string | null;
  readonly plan: readonly string[] | null;
}

/**
 * Explains a query without running it.
 * @throws EngineError for every error of the request, and for anything but a query
 */
export async function explainRequest(
  request: GraphqlRequest,
  session: Session,
  served: Runnable,
): Promise<FieldExplanation[]> {
  const { fields, variables } = served.planner.explain(session, request);
  return Promise.all(
    fields.map(async ({ field, query }): Promise<FieldExplanation> => {
      if (!query) return { field, sql: null, plan: null };
      const shape = shapeOf(query.source, served.planner.program.sources);
      const text = inlined(treeForShards(query.sql, shape), variables, session);
      const connection = connectionOf(query.source, served);
      try {
        const { rows } = await connection.query<{ 'QUERY PLAN': string }>(`explain (format text) ${text}`);
        return { field, sql: text, plan: rows.map((row) => row['QUERY PLAN']) };
      } catch (error) {
        throw databaseError(error, { text, values: [] });
      }
    }),
  );
}

/** A subscription: the statement that reads it, and the values of its one cohort (reference graphql-api §7.4). */
export interface SubscriptionExplanation {
  readonly sql: string;
  readonly plan: readonly string[];
  readonly variables: {
    readonly session: Readonly<Record<string, string>>;
    readonly query: Readonly<Record<string, never>>;
    /** Values of the document and of its variables, as Postgres gets them. */
    readonly synthetic: readonly (string | null)[];
    readonly cursor: Readonly<Record<string, string>>;
  };
}

/** Explains a subscription without running it. @throws EngineError for every error of the request */
export async function explainSubscription(
  request: GraphqlRequest,
  session: Session,
  served: Runnable,
): Promise<SubscriptionExplanation> {
  const { plan, variables } = served.planner.subscribe(session, request);
  const { plan: read } = served.planner.read(session, request);
  if (plan.kind === 'watched' || read.kind === 'watched')
    throw new EngineError(
      'not-supported',
      'results of asynchronous actions are read by no statement of a source',
    );
  const values = bindParameters(plan, variables, session);
  const sent = plan.apart
    ? values
    : [...(plan.cursor ? ['{0}'] : ['{0}', '{null}', '0']), ...values.map(arrayOf)];
  const { text: sql } = batchPlan(session.role, read, (position) => literalOf(sent[position - 1]!));
  const sessionVariables: Record<string, string> = {};
  const cursor: Record<string, string> = {};
  const synthetic: (string | null)[] = [];
  plan.parameters.forEach(({ source }, index) => {
    if (source.from === 'session') sessionVariables[source.name] = values[index]!;
    else if (source.from === 'session-object') Object.assign(sessionVariables, session.variables);
    else if (source.from === 'cursor') cursor[plan.cursor!.field] = values[index]!;
    else synthetic.push(values[index]!);
  });
  try {
    const { rows } = await connectionOf(plan.source, served).query<{ 'QUERY PLAN': string }>(
      `explain (format text) ${sql}`,
    );
    const lines = rows.map((row) => row['QUERY PLAN']);
    return {
      sql,
      plan: lines,
      variables: { session: session.vocabulary.session(sessionVariables), query: {}, synthetic, cursor },
    };
  } catch (error) {
    throw databaseError(error, { text: sql, values: [] });
  }
}

/** The text of an array of one. */
function arrayOf(value: string | null): string {
  return value === null ? '{null}' : `{"${value.replaceAll('\\', '\\\\').replaceAll('"', '\\"')}"}`;
}

/** The statement with values as quoted literals: `('42')::integer`. */
function inlined(fragment: Sql, variables: Readonly<Record<string, unknown>>, session: Session): string {
  const parameters: ParameterNode[] = [];
  return printInto(fragment, parameters, (position) =>
    literalOf(bindParameter(parameters[position - 1]!, variables, session)),
  );
}

function literalOf(value: string | null): string {
  return value === null ? 'null' : quoteLiteral(value);
}
