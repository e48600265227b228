/** Tables whose rows are the values of a GraphQL enum. */

import type { CatalogTable, EnumTableRows } from '../../../runtime/catalog/catalog.ts';
import { typeKey } from '../../../runtime/catalog/type-shapes.ts';
import { messages } from '../../../runtime/core/diagnostics/catalogue.ts';
import {
  displayName,
  isEnumValueName,
  keyOf,
  type NamingConvention,
  quotedName,
} from '../../../runtime/core/names.ts';
import { because, Failure } from './report.ts';

/** Values of an enum table: value → description. @throws Failure if the table cannot be one */
export function resolveEnumTable(
  table: CatalogTable,
  rows: EnumTableRows,
  naming: NamingConvention | undefined,
): Record<string, string | null> {
  // The saved catalog names tables as `schema.name`, without quotes.
  const values = rows[`${table.schema}.${table.name}`];
  const reasons = enumTableReasons(table);
  if (reasons.length === 0) {
    if (!values) throw new Failure(messages.enumTableRowsUnknown({ table: quotedName(table) }));
    if (values.length === 0) reasons.push('the table must have at least one row');
    const shown = new Map<string, string>();
    for (const { value } of values) {
      const name = naming === 'graphql-default' ? value.toUpperCase() : value;
      const other = shown.get(name);
      if (other !== undefined)
        reasons.push(`the values "${other}" and "${value}" are both shown as "${name}"`);
      shown.set(name, value);
      if (!isEnumValueName(value))
        reasons.push(`the value "${value}" is not a valid GraphQL enum value name`);
    }
  }
  if (reasons.length > 0)
    throw new Failure(messages.enumTableUnusable({ table: quotedName(table), reasons: because(reasons) }));
  return Object.fromEntries(values!.map(({ value, comment }) => [value, comment]));
}

/** Why the table cannot be an enum table, whatever its rows are; empty if it can. */
export function enumTableReasons(table: CatalogTable): string[] {
  return [...keyReasons(table), ...columnReasons(table)];
}

function keyReasons(table: CatalogTable): string[] {
  const [first, ...more] = table.primaryKey?.columns ?? [];
  if (first === undefined) return ['the table must have a primary key'];
  if (more.length > 0)
    return [
      `the table’s primary key must not span multiple columns (${table.primaryKey!.columns.join(', ')})`,
    ];
  const type = typeKey(table.columns.find(({ name }) => name === first)!.type);
  if (type !== 'text')
    return [`the table’s primary key ("${first}") must have type "text", not type "${sqlName(type)}"`];
  return [];
}

function columnReasons(table: CatalogTable): string[] {
  const names = table.columns.map(({ name }) => name);
  if (names.length > 2) {
    return [
      `the table must have exactly one primary key and optionally one comment column, not ${names.length} columns (${names.toSorted().join(', ')})`,
    ];
  }
  const [key] = table.primaryKey?.columns ?? [];
  const comment = table.columns.find(({ name }) => name !== key);
  if (key === undefined || !comment || typeKey(comment.type) === 'text') return [];
  return [
    `the table’s comment column ("${comment.name}") must have type "text", not type "${sqlName(typeKey(comment.type))}"`,
  ];
}

const SQL_NAMES: Readonly<Record<string, string>> = {
  int2: 'smallint',
  int4: 'integer',
  int8: 'bigint',
  bool: 'boolean',
};

function sqlName(type: string): string {
  return SQL_NAMES[type] ?? type;
}

/**
 * Column → key of the enum table whose values it holds: what a single-column foreign key to the primary key says. One to
 * another column, which may be unique as well, holds other values.
 * @param enumKeyOf the column that is the primary key of an enum table; undefined for other tables
 * @throws Failure if a column refers to two enum tables
 */
export function resolveEnumReferences(
  table: CatalogTable,
  enumKeyOf: (key: string) => string | undefined,
): Map<string, string> {
  const references = new Map<string, Set<string>>();
  for (const { columns, references: target } of table.foreignKeys) {
    const [column, ...more] = columns;
    if (column === undefined || more.length > 0) continue;
    if (target.columns[0] !== enumKeyOf(keyOf(target))) continue;
    references.set(column, (references.get(column) ?? new Set()).add(keyOf(target)));
  }
  for (const [column, keys] of references) {
    if (keys.size > 1) {
      const enums = table.foreignKeys
        .map(({ references: target }) => target)
        .filter((target) => keys.has(keyOf(target)))
        .map((target) => `"${displayName(target.schema, target.name)}"`);
      throw new Failure(
        messages.enumReferenceAmbiguous({
          column,
          table: quotedName(table),
          enums: [...new Set(enums)].sort().join(', '),
        }),
      );
    }
  }
  return new Map([...references].map(([column, [key]]) => [column, key!]));
}
