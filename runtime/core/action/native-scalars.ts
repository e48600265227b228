/** Scalars of PostgreSQL that custom types may name without declaring them, and whose values are checked before a call. */

/** Names that differ from the type's own. */
const WRITTEN: Readonly<Record<string, string>> = {
  smallint: 'int2',
  integer: 'int4',
  bigint: 'int8',
  real: 'float4',
};

const NAMES: ReadonlySet<string> = new Set([
  ...['int2', 'int4', 'int8', 'float4', 'float8', 'numeric', 'money', 'text', 'varchar', 'bpchar', 'name'],
  ...['bool', 'uuid', 'json', 'jsonb', 'date', 'time', 'timetz', 'timestamp', 'timestamptz', 'interval'],
]);

/** Type key in pg_catalog; undefined for types whose values pass as they are. */
export function nativeScalarKey(name: string): string | undefined {
  if (Object.hasOwn(WRITTEN, name)) return WRITTEN[name];
  return NAMES.has(name) ? name : undefined;
}
