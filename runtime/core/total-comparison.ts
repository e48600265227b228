/** Types whose comparisons fail for no pair of their values, whatever a row holds. */
import type { ColumnType } from './types.ts';

const FAMILIES: ReadonlySet<ColumnType['family']> = new Set([
  'integer',
  'float',
  'boolean',
  'text',
  'jsonb',
  'uuid',
  'date',
  'ltree',
]);

/**
 * Types of pg_catalog without a family of their own. Not among them, for example: `box` and `circle`, which compare areas
 * and overflow, and composite types, whose columns may have no equality, which is noticed only when rows are compared.
 */
const NAMES: ReadonlySet<string> = new Set(
  [
    ...['name', 'bytea', 'interval', 'time', 'oid', 'bit', 'varbit', 'xid8', 'pg_lsn', 'tsvector'],
    ...['inet', 'cidr', 'macaddr', 'macaddr8', 'int4range', 'int8range', 'numrange', 'daterange'],
    ...['tsrange', 'tstzrange', 'int4multirange', 'int8multirange', 'nummultirange', 'datemultirange'],
    ...['tsmultirange', 'tstzmultirange'],
  ].flatMap((name) => [name, `"pg_catalog"."${name}"`]),
);

/** True if `=`, `<` and their like, and containment of arrays and jsonb, fail for no values of the type. */
export function hasTotalComparison(type: ColumnType): boolean {
  if (type.element) return hasTotalComparison(type.element);
  return type.native === 'enum' || FAMILIES.has(type.family) || NAMES.has(type.sql.replace(/(?:\[\])+$/, ''));
}
