/** Stand-ins of the catalogs of Citus on plain PostgreSQL: no test has a cluster. */

/** SQL that makes the extension and its empty catalog. */
export const CITUS = `
  set allow_system_table_mods = on;
  create table pg_catalog.pg_dist_partition
    (logicalrelid regclass, partmethod "char", partkey text, colocationid integer, repmodel "char");
  grant select on pg_catalog.pg_dist_partition to public;
  create function pg_catalog.column_to_column_name(relation oid, key text) returns text language sql as 'select key';
  insert into pg_extension select 90000, 'citus', extowner, extnamespace, false, '13.2-1', null, null from pg_extension limit 1;
  reset allow_system_table_mods;
`;

/** SQL that spreads tables: name as SQL has it, method (`h` by hash, `n` none), column, colocation group, replication (`t`: copies). */
export function distribute(
  ...rows: readonly (readonly [
    table: string,
    method: 'h' | 'n',
    by: string | null,
    group: number,
    replication?: 's' | 't',
  ])[]
): string {
  const text = (value: string) => `'${value.replaceAll("'", "''")}'`;
  return `insert into pg_dist_partition values ${rows
    .map(
      ([table, method, by, group, replication = 's']) =>
        `(${text(table)}::regclass, '${method}', ${by === null ? 'null' : text(by)}, ${group}, '${replication}')`,
    )
    .join(', ')};`;
}

/** Tables of each place of a cluster. */
export const PLACES = `
  create table tenant (id serial primary key, name text);
  create table doc (id integer, tenant_id integer, body text, primary key (tenant_id, id));
  create table "Order" (id integer, tenant_id integer, primary key (tenant_id, id));
  create table login (email text primary key);
  create table plan (value text primary key);
  create table setting (id integer primary key, plan text references plan);
  create table note (id integer primary key, doc_id integer);
  create table slice (id integer, tenant_id integer, primary key (tenant_id, id)) partition by range (id);
  create table slice_1 partition of slice for values from (1) to (10);
  create table family (id integer);
  create table family_doc (tenant_id integer) inherits (family);
  create schema acme;
  create table acme.task (id integer primary key);
  create materialized view frozen as select * from doc;
`;

export const SPREAD = distribute(
  ['tenant', 'h', 'id', 1],
  ['doc', 'h', 'tenant_id', 1],
  ['"Order"', 'h', 'tenant_id', 1],
  ['family_doc', 'h', 'tenant_id', 1],
  ['slice', 'h', 'tenant_id', 1],
  ['slice_1', 'h', 'tenant_id', 1],
  ['login', 'h', 'email', 3],
  ['plan', 'n', null, 2, 't'],
  ['acme.task', 'n', null, 7],
  ['setting', 'n', null, 0],
);
