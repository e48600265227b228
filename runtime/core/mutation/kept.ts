/**
 * What statements of a mutation keep for those after them: settings that end with the transaction. So a statement finds the
 * keys of rows that were written before it without a way back to the server.
 */
import { literal, raw, type Sql, sql } from '../sql/fragment.ts';

/** Rows of the write that a statement is made of. */
export const WRITTEN = raw('"written"');

/** Column of a SELECT that keeps a text. */
export function keep(name: string, text: Sql): Sql {
  // Not what it keeps, which may be large: nobody reads it.
  return sql`set_config(${setting(name)}, ${text}, true) is not null`;
}

/** The text that was kept. */
export function kept(name: string): Sql {
  return sql`current_setting(${setting(name)})`;
}

function setting(name: string): Sql {
  return literal(`engine.${name}`);
}

/** Keeps how many rows were written, so far with those before them. */
export function keepCount(isFirst: boolean): Sql {
  const count = sql`(select count(*) from ${WRITTEN})`;
  return keep('count', isFirst ? sql`${count}::text` : sql`(${keptCount} + ${count})::text`);
}

export const keptCount = sql`${kept('count')}::bigint`;

/** Keeps the written rows, behind those that were kept before. */
export function keepRows(isFirst: boolean, from = WRITTEN, alias = WRITTEN): Sql {
  // With the star, for a column may have the alias' name.
  const rows = sql`(select string_agg(row_to_json(${alias}.*)::text, ',') from ${from})`;
  return keep(
    'rows',
    isFirst ? sql`coalesce(${rows}, '')` : sql`concat_ws(',', nullif(${kept('rows')}, ''), ${rows})`,
  );
}

/** The rows that were kept, as rows of a table. */
export function keptRows(table: Sql): Sql {
  return sql`json_populate_recordset(null::${table}, concat('[', ${kept('rows')}, ']')::json)`;
}

const NO_ROW = 'no row was written';

/** The text; where it is null, the statement fails. */
export function orFail(text: Sql): Sql {
  // Not a constant: Postgres would work it out, and fail, before it is known whether it is needed.
  return sql`coalesce(${text}, concat(${literal(NO_ROW)})::boolean::text)`;
}

/** Whether the message of an error is one of `orFail`. */
export function failedForNoRow(message: string): boolean {
  // In whatever language the server says that it is no boolean.
  return message.includes(NO_ROW);
}
