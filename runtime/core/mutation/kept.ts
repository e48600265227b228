/**
 * Values that statements of a mutation keep for later ones, in settings that end with the transaction. So a statement finds
 * the keys of rows that were written before it without a round trip to the server.
 */
import type { Table } from '../program.ts';
import type { SourceShape } from '../shapes.ts';
import { isDistributed } from '../shards/index.ts';
import {
  identifier,
  join,
  literal,
  parameter,
  print,
  raw,
  type Sql,
  type Statement,
  sql,
} from '../sql/fragment.ts';

/** Rows of the write that a statement is made of. */
export const WRITTEN = raw('"written"');

/** Column of a SELECT that keeps a text. */
export function keep(name: string, text: Sql): Sql {
  return keepAs(setting(name), text);
}

/** The text that was kept. */
export function kept(name: string): Sql {
  return keptAs(setting(name));
}

function keepAs(name: Sql, text: Sql): Sql {
  // Without the kept value, which may be large and is not read.
  return sql`set_config(${name}, ${text}, true) is not null`;
}

function keptAs(name: Sql): Sql {
  return sql`current_setting(${name})`;
}

function setting(name: string): Sql {
  return literal(`engine.${name}`);
}

/** The name of a part of something long: who adds to a setting, or reads a little of it, reads all of it. */
function partOf(name: string, part: Sql): Sql {
  return sql`concat(${setting(`${name}_`)}, ${part})`;
}

function number(value: number): Sql {
  return parameter({ from: 'constant', value }, 'integer');
}

/** Keeps how many rows were written, so far with those before them. */
export function keepCount(isFirst: boolean): Sql {
  const count = sql`(select count(*) from ${WRITTEN})`;
  return keep('count', isFirst ? sql`${count}::text` : sql`(${keptCount} + ${count})::text`);
}

export const keptCount = sql`${kept('count')}::bigint`;

/** Statements whose rows are one part. */
const STATEMENTS = 50;

/** Keeps the rows of one of so many statements, behind those of the ones before. */
export function keepRows(table: Table, from = WRITTEN, alias = WRITTEN, index = 0, statements = 1): Sql {
  const rows = sql`(${listed(table, from, alias)})`;
  if (isDistributed(table.source)) {
    // Never empty: an empty setting is one that was kept on another node, and no JSON.
    const before = sql`nullif(substr(${kept('rows')}, 2, length(${kept('rows')}) - 2), '')`;
    const all = index === 0 ? rows : sql`concat_ws(',', ${before}, ${rows})`;
    return keep('rows', sql`concat('[', ${all}, ']')`);
  }
  const part = Math.floor(index / STATEMENTS);
  const name = statements > STATEMENTS ? partOf('rows', number(part)) : setting('rows');
  return keepAs(
    name,
    index === part * STATEMENTS
      ? sql`coalesce(${rows}, '')`
      : sql`concat_ws(',', nullif(${keptAs(name)}, ''), ${rows})`,
  );
}

/** Keeps the rows of one statement under a name. */
export function keepRowsAs(name: string, table: Table): Sql {
  return keep(name, sql`coalesce((${listed(table, WRITTEN, WRITTEN)}), '')`);
}

/** The rows that one statement has kept under a name, as rows of a table. */
export function keptRowsAs(name: string, { sql: table }: Table): Sql {
  return sql`json_populate_recordset(null::${table}, concat('[', ${kept(name)}, ']')::json)`;
}

/**
 * Rows, each as another one where there is such: rows of the table's type.
 * @param before alias of the rows
 * @param now alias of a row of the table that is shown instead, where `condition` holds
 */
export function latestRows(table: Table, rows: Sql, before: Sql, now: Sql, condition: Sql): Sql {
  const latest = sql`(select ${rowJson(table, now)} from ${table.sql} as ${now} where ${condition})`;
  const list = sql`select string_agg(coalesce(${latest}, ${rowJson(table, before)})::text, ',') from ${rows} as ${before}`;
  return sql`json_populate_recordset(null::${table.sql}, concat('[', (${list}), ']')::json)`;
}

function listed(table: Table, from: Sql, alias: Sql): Sql {
  return sql`select string_agg(${rowJson(table, alias)}::text, ',') from ${from}`;
}

/** The row of an alias, to be read by `keptRows`. With stars, for a column may have the alias' name. */
function rowJson({ shape: { columns }, source }: Table, alias: Sql): Sql {
  const texts = Object.entries(columns)
    .filter(([, { type }]) => mayHaveOwnJson(source, type))
    .map(([name]) => sql`${alias}.${identifier(name)}::text as ${identifier(name)}`);
  if (texts.length === 0) return sql`row_to_json(${alias}.*)`;
  // If two values have one name, the second is read.
  return sql`(select row_to_json("row".*) from (select ${join([sql`${alias}.*`, ...texts], ', ')}) as "row")`;
}

/** True if an extension may define the JSON of the type, which its input function may not read back. */
function mayHaveOwnJson(source: SourceShape, type: string): boolean {
  const declared = source.types[type];
  if (!declared) return type.endsWith('[]') && mayHaveOwnJson(source, type.slice(0, -2));
  if (declared.kind === 'domain') return mayHaveOwnJson(source, declared.base);
  return declared.kind === 'base' || declared.kind === 'composite';
}

/** The rows that so many statements have kept, as rows of a table. */
export function keptRows({ sql: table, source }: Table, statements = 1): Sql {
  if (isDistributed(source)) return sql`json_populate_recordset(null::${table}, ${kept('rows')}::json)`;
  const last = Math.ceil(statements / STATEMENTS) - 1;
  const part = raw('"part"');
  const rows =
    statements > STATEMENTS
      ? sql`(select string_agg(nullif(${keptAs(partOf('rows', part))}, ''), ',' order by ${part}) from generate_series(0, ${number(last)}) as ${part})`
      : kept('rows');
  return sql`json_populate_recordset(null::${table}, concat('[', ${rows}, ']')::json)`;
}

/** Items of a list that are one part. */
const ITEMS = 100;

/** The item of a list of texts; of a long one `keepParts` has to be there before. */
export function keptItem(name: string, index: number, length: number): Sql {
  const part = Math.floor(index / ITEMS);
  const list = kept(length > ITEMS ? `${name}_${part}` : name);
  return sql`(${list}::text[])[${raw(String(index - part * ITEMS + 1))}]`;
}

/** Keeps a long list once more, in parts. */
export function keepParts(name: string, length: number): Statement | undefined {
  if (length <= ITEMS) return undefined;
  const items = raw(String(ITEMS));
  const item = sql`"part" * ${items}`;
  const part = sql`("list"[${item} + 1:${item} + ${items}])::text`;
  return print(
    sql`with "kept" as materialized (select ${kept(name)}::text[] as "list") select count(${keepAs(partOf(name, raw('"part"')), part)}) from "kept", generate_series(0, ${number(Math.ceil(length / ITEMS) - 1)}) as "part"`,
  );
}

const NO_ROW = 'no row was written';

/** The text; where it is null, the statement fails. */
export function orFail(text: Sql): Sql {
  // Not a constant: Postgres would work it out, and fail, before it is known whether it is needed.
  return sql`coalesce(${text}, concat(${literal(NO_ROW)})::boolean::text)`;
}

/** True if the message of an error comes from `orFail`. */
export function failedForNoRow(message: string): boolean {
  // The server's message may be in any language.
  return message.includes(NO_ROW);
}
