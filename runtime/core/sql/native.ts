/** The SQL of native queries: as an item of FROM, or as what writes in front of a statement. */
import type { NativeShape, SourceShape } from '../contract/shapes.ts';
import { DECLARED_SCHEMA } from '../names.ts';
import { type NativePart, nativeStatement, nativeWithItem } from '../native-text.ts';
import { type ColumnType, columnType } from '../types.ts';
import { CLOSE, identifier, join, literal, OPEN, raw, type Sql, sql } from './fragment.ts';
import { aliasNamed, CLAUSE, callOf, columnOf, nativeOf, nested, selectStatement } from './statement.ts';

/**
 * The statement in parentheses.
 * @param value SQL of an argument
 */
export function nativeRowsOf({ name, sql: code }: NativeShape, value: (name: string) => Sql): Sql {
  return nativeOf(DECLARED_SCHEMA, name, [OPEN, ...placed(nativeStatement(code!).parts, value), CLOSE]);
}

/** What gives an argument its value, and the type that the query declares. */
interface Given {
  readonly value: Sql;
  readonly type: Sql;
}

/** The values of arguments that columns of a row give. */
export function givenValues(
  source: SourceShape,
  { arguments: list }: NativeShape,
  given: Readonly<Record<string, string>>,
  row: Sql,
): ReadonlyMap<string, Given> {
  return new Map(
    Object.entries(given).map(([name, column]) => {
      const argument = list.find((each) => each.name === name)!;
      return [name, { value: columnOf(row, column), type: raw(columnType(source, argument.type).sql) }];
    }),
  );
}

const GIVEN = aliasNamed('engine arguments');

/**
 * The same, where columns of a row around it give arguments. They are read through an item of WITH: an aggregate over nothing but a
 * column from outside would be one of the statement around.
 * @param given values by argument
 */
export function correlatedRowsOf(
  { name, sql: code }: NativeShape,
  given: ReadonlyMap<string, Given>,
  value: (name: string) => Sql,
): Sql {
  const columns = join(
    [...given].map(([name, each]) => sql`${each.value} as ${identifier(name)}`),
    ', ',
  );
  const item = sql`${GIVEN} as ${nested(selectStatement({ columns }))}`;
  const { parts, list } = nativeStatement(code!);
  const place = (argument: string): Sql => {
    const type = given.get(argument)?.type;
    if (!type) return value(argument);
    const read = selectStatement({ columns: columnOf(GIVEN, argument), from: [{ rows: GIVEN }] });
    // Without the cast, `any ({{list}})` would compare with the rows of the SELECT instead of the items of the list.
    return sql`${nested(read)}::${type}`;
  };
  const before = (part: NativePart) => list !== undefined && part.at < list;
  const head = list === undefined ? ['with '] : placed(parts.filter(before), place);
  const rest = placed(
    parts.filter((part) => !before(part)),
    place,
  );
  return nativeOf(DECLARED_SCHEMA, name, [
    OPEN,
    ...head,
    item,
    list === undefined ? ' ' : ', ',
    ...rest,
    CLOSE,
  ]);
}

/** The rows of a statement that `nativeWrite` makes. */
export const NATIVE_WRITTEN = aliasNamed('engine written');

/** The statement in front of another one, which reads its rows as `NATIVE_WRITTEN`. */
export function nativeWrite(
  { name, sql: code }: NativeShape,
  value: (name: string) => Sql,
  statement: Sql,
): Sql {
  const parts = placed(nativeWithItem(nativeStatement(code!)), value);
  return nativeOf(DECLARED_SCHEMA, name, [...parts, CLAUSE, statement]);
}

function placed(parts: readonly NativePart[], value: (name: string) => Sql): (string | Sql)[] {
  return parts.map((part) => ('text' in part ? part.text : sql`(${value(part.argument)})`));
}

/**
 * The rows inside of a value: a row or a list of rows, as JSON or composite values. What is not an object is not a row, and what is
 * not a list is not a list of one.
 * @param columns the fields that are read
 */
export function nestedRowsOf(
  columns: readonly { readonly name: string; readonly type: ColumnType }[],
  value: Sql,
  kind: 'object' | 'array',
): Sql {
  const definition = join(
    columns.map(({ name, type }) => sql`${identifier(name)} ${raw(type.sql)}`),
    ', ',
  );
  const json = callOf('pg_catalog', 'to_jsonb', [value]);
  const objects = callOf('pg_catalog', 'jsonb_path_query_array', [
    json,
    // Else a list would be taken for its items, and an item for a list.
    literal(`strict $${kind === 'array' ? ' ? (@.type() == "array")[*]' : ''} ? (@.type() == "object")`),
  ]);
  const rows = callOf('pg_catalog', 'jsonb_to_recordset', [objects]);
  const alias = raw('"item"');
  return nested(
    selectStatement({
      columns: sql`${alias}.*`,
      // A definition of columns is not empty.
      from: [{ rows, alias, columns: [columns.length > 0 ? definition : raw('"-" text')] }],
    }),
  );
}
