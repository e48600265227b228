/**
 * Global ids: `[1, "<schema>", "<table>", <key>, …]`, or `[2, "<source>", "<schema>", "<table>", <key>, …]` where several sources
 * have a table of that name.
 */
import type { Column, ProgramContent, Table } from '../program/program.ts';
import type { VisibleTable } from '../schema/visible-table.ts';
import { builtIn, literal, raw, type Sql, sql } from '../sql/fragment.ts';
import { columnOf } from '../sql/statement.ts';
import { base64Json, jsonValue, readBase64Json, readJsonValue } from './base64-json.ts';

/** A decoded id: a table, and the values of its primary key. */
export interface NodeId {
  readonly source?: string;
  readonly schema: string;
  readonly name: string;
  readonly key: readonly unknown[];
}

/** Reads an id; undefined for a text that is not a global id. */
export function readNodeId(id: unknown): NodeId | undefined {
  const list = readBase64Json(id);
  if (!Array.isArray(list)) return undefined;
  const [version, ...rest] = list as unknown[];
  const names = rest.slice(0, version === 2 ? 3 : 2);
  if ((version !== 1 && version !== 2) || !names.every((name) => typeof name === 'string')) return undefined;
  const [name, schema, source] = names.toReversed();
  const key = rest.slice(names.length);
  if (name === undefined || schema === undefined || key.length === 0) return undefined;
  return { ...(version === 2 && { source: source! }), schema, name, key };
}

/** The part of an id that decides about the SQL: the table. */
export function shapeOfNodeId(id: unknown): string {
  const read = readNodeId(id);
  return read ? JSON.stringify([read.source, read.schema, read.name, read.key.length]) : 'n';
}

/** SQL of the id of a row. */
export function nodeIdOf({ table }: VisibleTable, program: ProgramContent, alias: Sql): Sql {
  const { schema, name } = table.shape;
  const names = isAmbiguous(table, program) ? [table.source.name, schema, name] : [schema, name];
  const parts = [
    raw(String(names.length - 1)),
    ...names.map((each) => sql`${literal(each)}::text`),
    ...table.primaryKey.map((column) => jsonValue(column.type, columnOf(alias, column.name))),
  ];
  return base64Json(builtIn('json_build_array', ...parts));
}

function isAmbiguous(table: Table, { tables, sources }: ProgramContent): boolean {
  if (sources.length === 1) return false;
  return tables.filter(({ key }) => key === table.key).length > 1;
}

/** The table that an id names; undefined if no table has this name and key. */
export function tableOfNode(id: NodeId, { tables }: ProgramContent): Table | undefined {
  const found = tables.filter(
    ({ shape, source }) =>
      shape.schema === id.schema &&
      shape.name === id.name &&
      (id.source === undefined || source.name === id.source),
  );
  const [table] = found;
  return found.length === 1 && table!.primaryKey.length === id.key.length ? table : undefined;
}

/** Texts of the values of an id; undefined unless all are of the types of the key. @throws EngineError as encodeValue */
export function keyValuesOf(id: NodeId, key: readonly Column[]): readonly string[] | undefined {
  const texts = key.flatMap(({ type }, index) => readJsonValue(type, id.key[index]) ?? []);
  return texts.length === key.length ? texts : undefined;
}
