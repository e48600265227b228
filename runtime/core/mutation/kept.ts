/**
 * Values that statements of a mutation keep for later ones, in settings that end with the transaction. So a statement finds
 * the keys of rows that were written before it without a round trip to the server.
 */

import type { Table } from '../program/program.ts';
import { besideColumns } from '../query/json-rows.ts';
import { isDistributed } from '../shards/index.ts';
import {
  builtIn,
  COUNT,
  identifier,
  join,
  literal,
  parameter,
  raw,
  type Sql,
  sql,
  TRUE,
  unnested,
} from '../sql/fragment.ts';
import { NATIVE_WRITTEN } from '../sql/native.ts';
import { print, type Statement } from '../sql/print.ts';
import {
  aliasNamed,
  columnOf,
  type FromItem,
  nested,
  rowsOfTable,
  selectStatement,
  withItem,
} from '../sql/statement.ts';

const EMPTY_TEXT = raw(`''`);
const EMPTY_ARRAY = raw(`'{}'`);
const COMMA = raw(`','`);

/** Rows of the write that a statement is made of. */
export const WRITTEN = aliasNamed('written');

/** An expression over the rows of the write. */
export function ofWritten(columns: Sql, alias?: Sql): Sql {
  return nested(selectStatement({ columns, from: [{ rows: WRITTEN, ...(alias && { alias }) }] }));
}

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
  return sql`${builtIn('set_config', name, text, TRUE)} is not null`;
}

function keptAs(name: Sql): Sql {
  return builtIn('current_setting', name);
}

function setting(name: string): Sql {
  return literal(`engine.${name}`);
}

/** The name of a part of something long: who adds to a setting, or reads a little of it, reads all of it. */
function partOf(name: string, part: Sql): Sql {
  return builtIn('concat', setting(`${name}_`), part);
}

function number(value: number): Sql {
  return parameter({ from: 'constant', value }, 'integer');
}

/** Keeps how many rows were written, so far with those before them. */
export function keepCount(isFirst: boolean): Sql {
  const count = ofWritten(COUNT);
  return keep('count', isFirst ? sql`${count}::text` : sql`${nested(sql`${keptCount} + ${count}`)}::text`);
}

export const keptCount = sql`${kept('count')}::bigint`;

/** Statements whose rows are one part. */
const STATEMENTS = 50;

/** Keeps the rows of one of so many statements, behind those of the ones before. */
export function keepRows(table: Table, index = 0, statements = 1): Sql {
  if (isDistributed(table.source)) {
    const rows = listed({ rows: WRITTEN }, rowText(WRITTEN));
    // Never empty: an empty setting is one that was kept on another node, and no array.
    const before = builtIn('nullif', builtIn('btrim', kept('rows'), EMPTY_ARRAY), EMPTY_TEXT);
    const all = index === 0 ? rows : builtIn('concat_ws', COMMA, before, rows);
    return keep('rows', arrayOf(all));
  }
  const rows = listed({ rows: WRITTEN }, rowColumn(table));
  const part = Math.floor(index / STATEMENTS);
  const name = statements > STATEMENTS ? partOf('rows', number(part)) : setting('rows');
  return keepAs(
    name,
    index === part * STATEMENTS
      ? builtIn('coalesce', rows, EMPTY_TEXT)
      : builtIn('concat_ws', COMMA, builtIn('nullif', keptAs(name), EMPTY_TEXT), rows),
  );
}

/** Keeps the rows that a call returns. */
export function keepRowsOf({ source }: Table, call: Sql, alias: Sql): Sql {
  const rows = listed({ rows: call, alias }, rowText(alias));
  return keep('rows', isDistributed(source) ? arrayOf(rows) : builtIn('coalesce', rows, EMPTY_TEXT));
}

/** Keeps the rows of one statement under a name. */
export function keepRowsAs(name: string, table: Table): Sql {
  return keep(name, builtIn('coalesce', listed({ rows: WRITTEN }, rowColumn(table)), EMPTY_TEXT));
}

/** The rows that one statement has kept under a name, as rows of a table. */
export function keptRowsAs(name: string, table: Table): Sql {
  return rowsOf(table, arrayOf(kept(name)));
}

/**
 * Rows, each as another one where there is such: rows of the table's type.
 * @param before alias of the rows
 * @param now alias of a row of the table that is shown instead, where `condition` holds
 */
export function latestRows(
  { sql: table, rowType }: Table,
  rows: Sql,
  before: Sql,
  now: Sql,
  condition: Sql,
): Sql {
  const latest = selectStatement({
    columns: sql`(${now}.*)::${rowType}`,
    from: [{ rows: table, alias: now }],
    where: [condition],
  });
  const all = selectStatement({
    columns: builtIn('coalesce', nested(latest), sql`(${before}.*)::${rowType}`),
    from: [{ rows, alias: before }],
  });
  return unnested([sql`array${nested(all)}`]);
}

/** The column of a write that keeps rows which has their texts: no other has its name. */
export function rowColumn(table: Table): Sql {
  return besideColumns(table, 'engine row');
}

/**
 * The row of an alias as text, exactly: the output functions of its columns' types write it, and their input functions read
 * it back. JSON would lose what it has no notion of: its own null, bounds of arrays, types of extensions. With a star, for a
 * column may have the alias' name; no cast, for the table may have a cast to text of its own.
 */
export function rowText(alias: Sql): Sql {
  return builtIn('concat', sql`${alias}.*`);
}

/** The items of an array of texts, without the braces around them: each begins and ends with a parenthesis. */
function listed(from: FromItem, row: Sql): Sql {
  return nested(
    selectStatement({
      columns: builtIn('btrim', sql`${builtIn('array_agg', row)}::text`, EMPTY_ARRAY),
      from: [from],
    }),
  );
}

function arrayOf(items: Sql): Sql {
  return builtIn('concat', raw(`'{'`), items, raw(`'}'`));
}

/** FROM item: the rows of an array of rows. */
function rowsOf({ shape, rowType }: Table, array: Sql): Sql {
  return rowsOfTable(shape, unnested([sql`${array}::${rowType}[]`]));
}

/**
 * A statement that keeps the rows of a native query, in front of which it stands. A logical model is not a type of the database, so each
 * value is kept as its own text.
 */
export function keepNativeRows({ columns }: Table): Sql {
  const texts = [...columns.values()].map(({ name, shape, type }) => {
    const value = columnOf(NATIVE_WRITTEN, name);
    const shown = shape.nested ? builtIn('to_jsonb', value) : sql`(${value})::${raw(type.sql)}`;
    return sql`case when ${value} is distinct from null then ${builtIn('concat', shown)} end`;
  });
  const rows = sql`${builtIn('array_agg', sql`array[${join(texts, ', ')}]::text`)}::text`;
  return selectStatement({
    columns: keep('rows', builtIn('coalesce', rows, EMPTY_ARRAY)),
    from: [{ rows: NATIVE_WRITTEN }],
  });
}

/** FROM item: the rows that `keepNativeRows` has kept. */
export function keptNativeRows({ columns }: Table): Sql {
  const values = [...columns.values()].map(
    ({ name, type }, index) =>
      sql`("kept"."row"::text[])[${raw(String(index + 1))}]::${raw(type.sql)} as ${identifier(name)}`,
  );
  const from = {
    rows: unnested([sql`${kept('rows')}::text[]`]),
    alias: raw('"kept"'),
    columns: [raw('"row"')],
  };
  return nested(selectStatement({ columns: join(values, ', '), from: [from] }));
}

/** The rows that so many statements have kept, as rows of a table. */
export function keptRows(table: Table, statements = 1): Sql {
  if (isDistributed(table.source)) return rowsOf(table, kept('rows'));
  const last = Math.ceil(statements / STATEMENTS) - 1;
  if (statements <= STATEMENTS) return rowsOf(table, arrayOf(kept('rows')));
  const part = identifier('part');
  const rows = selectStatement({
    columns: builtIn(
      'string_agg',
      builtIn('nullif', keptAs(partOf('rows', part)), EMPTY_TEXT),
      sql`${COMMA} order by ${part}`,
    ),
    from: [{ rows: partsUntil(last), alias: part }],
  });
  return rowsOf(table, arrayOf(nested(rows)));
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
  const all = aliasNamed('kept');
  return print(
    withItem({
      name: all,
      isMaterialized: true,
      item: selectStatement({ columns: sql`${kept(name)}::text[] as "list"` }),
      statement: selectStatement({
        columns: builtIn('count', keepAs(partOf(name, identifier('part')), part)),
        from: [
          { rows: all },
          { join: ',', rows: partsUntil(Math.ceil(length / ITEMS) - 1), alias: identifier('part') },
        ],
      }),
    }),
  );
}

/** Numbers of parts, from 0. */
function partsUntil(last: number): Sql {
  return builtIn('generate_series', raw('0'), number(last));
}

const NO_ROW = 'no row was written';

/** The text; where it is null, the statement fails. */
export function orFail(text: Sql): Sql {
  // Not a constant: Postgres would work it out, and fail, before it is known whether it is needed.
  return builtIn('coalesce', text, sql`${builtIn('concat', literal(NO_ROW))}::boolean::text`);
}

/** True if the message of an error comes from `orFail`. */
export function failedForNoRow(message: string): boolean {
  // The server's message may be in any language.
  return message.includes(NO_ROW);
}
