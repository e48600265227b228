/** The catalogs of Citus, read from stand-ins of them: tables of the same names, which no test has a cluster for. */
import { expect, test } from 'vitest';
import { catalogFileSchema } from '../../../runtime/catalog/catalog-schema.ts';
import { introspectDatabase } from '../../../runtime/catalog/index.ts';
import { createTestDatabase } from '../../harness/postgres.ts';

const TABLES = `
  create table tenant (id serial primary key, name text);
  create table "Order" (id integer, tenant_id integer, primary key (tenant_id, id));
  create table plan (value text primary key);
  create table note (id integer primary key);
  create schema acme;
  create table acme.task (id integer primary key);
  create view orders as select * from "Order";
`;

const FUNCTIONS = `
  create function reads("tenant" integer) returns setof "Order" language sql stable as 'select * from "Order" where tenant_id = 1';
  create function reads_a_view() returns bigint language sql stable as 'select count(*) from public . orders';
  create function calls() returns bigint language sql stable as 'select reads_a_view()';
  create function composes(name text) returns void language plpgsql as $$ begin execute 'select 1'; end $$;
  create function standard() returns bigint language sql stable begin atomic select count(*) from "Order"; end;
  create function of_a_row("order" "Order") returns numeric language sql stable as
    'select extract(epoch from "order".id * interval ''1 second'')';
  create function reads_a_copy() returns bigint language sql stable as 'select count(*) from plan';
  create function reads_a_note() returns bigint language sql stable as '-- from tenant
    select count(*) from note';
`;

const CITUS = `
  set allow_system_table_mods = on;
  create table pg_catalog.pg_dist_partition
    (logicalrelid regclass, partmethod "char", partkey text, colocationid integer, repmodel "char");
  create function pg_catalog.column_to_column_name(relation oid, key text) returns text language sql as 'select key';
  insert into pg_extension select 90000, 'citus', extowner, extnamespace, false, '13.2-1', null, null from pg_extension limit 1;
  insert into pg_dist_partition values
    ('tenant', 'h', 'id', 1, 's'), ('"Order"', 'h', 'tenant_id', 1, 's'), ('plan', 'n', null, 2, 't'),
    ('acme.task', 'n', null, 7, 's'), ('note', 'n', null, 0, 's');
`;

async function read(sql: string) {
  const database = await createTestDatabase(sql);
  const statements: string[] = [];
  const catalog = await introspectDatabase(async (text) => {
    statements.push(text);
    return { rows: await database.query(text) };
  });
  return { catalog, statements };
}

test('distribution columns, colocation groups, reference tables, schemas, and functions that read', async () => {
  const { catalog } = await read(TABLES + FUNCTIONS + CITUS);
  expect(catalog.distribution).toEqual({
    tables: {
      'acme.task': { kind: 'single', group: 7 },
      'public.Order': { kind: 'distributed', by: 'tenant_id', group: 1 },
      'public.plan': { kind: 'reference' },
      'public.tenant': { kind: 'distributed', by: 'id', group: 1, generated: true },
    },
    functions: ['calls', 'composes', 'reads', 'reads_a_view', 'standard'].map((name) => `public.${name}`),
  });
  const file = { version: 3, sources: { default: { ...catalog, enumTables: {} } } };
  expect(catalogFileSchema.parse(JSON.parse(JSON.stringify(file)))).toEqual(file);
});

test('plain PostgreSQL is asked one statement, and says nothing of shards', async () => {
  const { catalog, statements } = await read(TABLES + FUNCTIONS);
  expect(catalog).not.toHaveProperty('distribution');
  expect(statements).toHaveLength(1);
});

test('the extension without a table that is spread is plain PostgreSQL', async () => {
  const { catalog } = await read(`${TABLES + CITUS} truncate pg_dist_partition;`);
  expect(catalog).not.toHaveProperty('distribution');
});
