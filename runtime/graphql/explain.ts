/** What a query would run: the statement of each root field with its values in place, and Postgres' plan for it. */
import { bindParameter } from '../core/request/bind.ts';
import type { GraphqlRequest } from '../core/request/planner.ts';
import type { Session } from '../core/session.ts';
import { quoteLiteral, type Sql } from '../core/sql/fragment.ts';
import { databaseError } from '../database/errors.ts';
import { connectionOf, type Execution } from './execution.ts';

/** One root field (reference graphql-api §7.4); introspection has neither SQL nor plan. */
export interface Explanation {
  readonly field: string;
  readonly sql: string | null;
  readonly plan: readonly string[] | null;
}

/**
 * Explains a query without running it.
 * @throws EngineError for whatever is wrong with the request, and for anything but a query
 */
export async function explainRequest(
  request: GraphqlRequest,
  session: Session,
  execution: Execution,
): Promise<Explanation[]> {
  const { fields, variables } = execution.planner.explain(session, request);
  return Promise.all(
    fields.map(async ({ field, query }): Promise<Explanation> => {
      if (!query) return { field, sql: null, plan: null };
      const text = inlined(query.sql, variables, session);
      try {
        const { rows } = await connectionOf(query.source, execution).query<{ 'QUERY PLAN': string }>(
          `explain (format text) ${text}`,
        );
        return { field, sql: text, plan: rows.map((row) => row['QUERY PLAN']) };
      } catch (error) {
        throw databaseError(error, { text, values: [] });
      }
    }),
  );
}

/** The statement with values as quoted literals: `('42')::integer`. */
function inlined(fragment: Sql, variables: Readonly<Record<string, unknown>>, session: Session): string {
  return fragment.nodes
    .map((node) => {
      if (node.kind === 'text') return node.text;
      if (node.kind === 'row') throw new Error('a rule reached the printer without a row');
      const value = bindParameter(node, variables, session);
      return `(${value === null ? 'null' : quoteLiteral(value)})::${node.type}`;
    })
    .join('');
}
