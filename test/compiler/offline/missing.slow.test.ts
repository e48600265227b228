/** What migrations name and the server lacks, on a server of their own as a compile starts it. */
import { readFileSync } from 'node:fs';
import pg from 'pg';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { applyMigrations } from '../../../compiler/offline/apply.ts';
import { type OfflineServer, startOwnServer } from '../../../compiler/offline/servers.ts';
import { readStubs, shippedStubs } from '../../../compiler/offline/stubs.ts';

let server: OfflineServer;
beforeAll(async () => {
  server = await startOwnServer(readStubs(shippedStubs()));
}, 120_000);
afterAll(() => server.stop());

const apply = (url: string, ...texts: string[]) =>
  applyMigrations(
    url,
    texts.map((text, index) => ({ path: `${index + 1}.sql`, text })),
    server.supplies,
  );

async function rows(url: string, sql: string): Promise<object[]> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return (await client.query<object>(sql)).rows;
  } finally {
    await client.end();
  }
}

/** Each names a role that is nowhere, in the form that the server has for it. */
const ROLES = [
  'set role ROLE; create table made (id int); reset role;',
  'set local role ROLE; create table made (id int);',
  'set session role ROLE; create schema made;',
  "set role 'ROLE'; create schema made;",
  "select set_config('role', 'ROLE', true); create schema made;",
  'set session authorization ROLE; create table made (id int); reset session authorization;',
  'set local session authorization ROLE; create schema made;',
  'begin; set local role ROLE; create schema made; commit; create table after_it (id int);',
  'create table first_of_all (id int); begin; create schema made; grant usage on schema made to ROLE; commit;',
  'create table a (id int); grant select on a to ROLE; create schema made;',
  'grant select on all tables in schema public to ROLE, OTHER;',
  'grant ROLE to OTHER;',
  'revoke all on schema public from ROLE;',
  'create table a (id int); alter table a owner to ROLE;',
  'create schema made authorization ROLE;',
  'create schema authorization ROLE;',
  'create table a (id int); alter table a enable row level security; create policy p on a to ROLE using (true);',
  'alter default privileges for role ROLE in schema public grant select on tables to OTHER;',
  'reassign owned by ROLE to OTHER; drop owned by ROLE;',
  "comment on role ROLE is 'x';",
  'alter role ROLE set search_path to public;',
  "alter user ROLE with password 'x';",
  'drop role ROLE;',
  'create function f() returns int language sql as $$select 1$$; alter function f() owner to ROLE;',
  'do $$ begin set local role ROLE; create table made (id int); end $$;',
  "do $$ begin execute format('grant usage on schema public to %I', 'ROLE'); end $$;",
  "do $$ begin perform has_schema_privilege('ROLE', 'public', 'usage'); end $$;",
  "select 'ROLE'::regrole;",
  'create table a (id int);\nCOPY a FROM stdin;\n1\n\\.\ngrant select on a to ROLE;',
  'create publication p; alter publication p owner to ROLE;',
  'create table a (id int); create index concurrently on a (id); grant select on a to ROLE;',
];

test.each(ROLES.map((text, index) => [text, index] as const))('%s', async (text, index) => {
  const url = await server.createDatabase();
  const named = text.replaceAll('ROLE', `role_${index}`).replaceAll('OTHER', `other_${index}`);
  expect(await apply(url, named, 'create table last (id int)')).toBeUndefined();
  expect(await rows(url, "select 1 as one from pg_class where relname = 'last'")).toEqual([{ one: 1 }]);
});

test.each([
  'grant connect on database shop to public;',
  "alter database orders set timezone to 'UTC';",
  "comment on database ledger is 'x';",
  'revoke all on database stock from public; alter database stock owner to stock_owner;',
  'grant all privileges on database tills to till_user;',
  "alter role app_reader in database carts set search_path to 'x';",
  'create table t (id int) tablespace fast_disk;',
  "create tablespace archive location '/nowhere/at/all'; create table t (id int) tablespace archive;",
  'SET default_tablespace = slow_disk; create table t (id int);',
  "SET some_timeout_of_tomorrow = 0; SET client_encoding = 'UTF8'; create table t (id int);",
  "create table t (id int); security label for pgsodium on column t.id is 'ENCRYPT';",
  'create schema public; create table public.t (id int);',
  'drop schema public cascade; create schema public; create table public.t (id int);',
  'create extension plpgsql;',
  "create role postgres superuser login; alter role postgres password 'changed';",
  'create procedure p() language plpgsql as $$ begin create table c (id int); commit; end $$; call p();',
  "do $$ begin execute 'alter database ' || current_database() || ' set timezone to ''UTC'''; end $$;",
])('%s', async (text) => {
  const url = await server.createDatabase();
  expect(await apply(url, text, 'create table last (id int)')).toBeUndefined();
});

test('a value added to an enum is used in the same file', async () => {
  const url = await server.createDatabase();
  const failure = await apply(
    url,
    "create type mood as enum ('sad'); create table person (mood mood);",
    "alter type mood add value 'happy'; insert into person values ('happy');",
  );
  expect(failure).toBeUndefined();
  expect(await rows(url, 'select mood from person')).toEqual([{ mood: 'happy' }]);
});

test('what has a place is reported there, and nothing is repeated for ever', async () => {
  const url = await server.createDatabase();
  expect(await apply(url, 'select 1;\ngrant select on nowhere to somebody_new')).toMatchObject({
    line: 2,
    reason: 'relation "nowhere" does not exist',
  });
  expect(await apply(url, 'grant pg_of_tomorrow to somebody_new')).toMatchObject({
    reason: 'role "pg_of_tomorrow" does not exist',
  });
  const deferred =
    'create table a (id int primary key, b int references a deferrable initially deferred);\ninsert into a values (1, 2);';
  expect(await apply(url, deferred)).toMatchObject({
    line: 2,
    reason: expect.stringMatching(/violates foreign key/),
  });
  expect(
    await apply(url, 'do $$ begin raise exception \'role "again" does not exist\'; end $$'),
  ).toMatchObject({
    reason: 'role "again" does not exist',
  });
});

test.each(shippedStubs())('the stub of %s is an extension like others', async (name) => {
  const schema = { supabase_vault: 'vault', pgsodium: 'pgsodium' }[name] ?? 'elsewhere';
  const url = await server.createDatabase();
  const failure = await apply(
    url,
    `create extension if not exists ${name}; comment on extension ${name} is 'x';`,
    `drop extension ${name}; create schema if not exists ${schema};
     create extension ${name} with schema ${schema} version '0.1.2';
     alter extension ${name} update to '0.2';`,
  );
  expect(failure).toBeUndefined();
});

test('stubs have what projects use of the extensions', async () => {
  const url = await server.createDatabase();
  const failure = await apply(
    url,
    'create extension vector; create extension pg_cron; create extension timescaledb; create extension pg_net; create extension pg_partman; create extension supabase_vault;',
    `create table item (id int primary key, embedding vector(3), half halfvec(4));
     insert into item values (1, '[1,2,3]');
     create index on item using hnsw (embedding vector_cosine_ops) with (m = 16, ef_construction = 64);
     create index concurrently on item using ivfflat (embedding vector_l2_ops) with (lists = 100);
     create function nearest(query vector(3), count int default 5) returns setof item language sql stable
       as $$ select * from item where 1 - (embedding <=> query) > 0.5 order by embedding <-> query, embedding <#> query limit count $$;
     select '[1,2]'::vector, array[1,2]::real[]::vector, l2_distance('[1]', '[2]'::vector), avg(embedding) from item;`,
    `select cron.schedule('nightly', '0 3 * * *', $$delete from item$$); select cron.schedule('* * * * *', 'select 1');
     select cron.unschedule('nightly'); update cron.job set active = false; grant usage on schema cron to jobs_user;`,
    `create table measure (at timestamptz not null, device int, value float8);
     select create_hypertable('measure', 'at', chunk_time_interval => interval '1 day', if_not_exists => true);
     select create_hypertable('measure', by_range('at', interval '1 day'));
     select create_hypertable('measure', by_range('at'));
     select add_dimension('measure', by_hash('device', 4));
     alter table measure set (timescaledb.compress, timescaledb.compress_segmentby = 'device');
     select add_compression_policy('measure', interval '7 days'); select add_retention_policy('measure', interval '1 year', if_not_exists => true);
     create materialized view daily with (timescaledb.continuous) as
       select time_bucket('1 day', at) as bucket, device, avg(value), first(value, at), last(value, at) from measure group by 1, 2 with no data;
     select add_continuous_aggregate_policy('daily', start_offset => interval '3 days', end_offset => interval '1 hour', schedule_interval => interval '1 hour');
     call refresh_continuous_aggregate('daily', null, null);`,
    `select net.http_post(url := 'https://example.test', body := '{}'::jsonb, headers := '{}'::jsonb);
     select vault.create_secret('s', 'name'); select decrypted_secret from vault.decrypted_secrets;
     select create_parent(p_parent_table := 'public.item', p_control := 'id', p_interval := '1 day');
     update part_config set retention = '1 month'; call run_maintenance_proc();`,
  );
  expect(failure).toBeUndefined();
  expect(
    await rows(
      url,
      'select attname, format_type(atttypid, atttypmod) from pg_attribute where attrelid = $$item$$::regclass and attnum > 1',
    ),
  ).toEqual([
    { attname: 'embedding', format_type: 'vector(3)' },
    { attname: 'half', format_type: 'halfvec(4)' },
  ]);
  expect(
    await rows(url, "select attname from pg_attribute where attrelid = 'daily'::regclass and attnum = 1"),
  ).toEqual([{ attname: 'bucket' }]);
});

const dumpOf = (version: string) => readFileSync(new URL(`dumps/${version}.sql`, import.meta.url), 'utf8');

/** A dump of 15 with what pg_dump 18 writes besides: a setting, a virtual column, a named NOT NULL, statistics. */
function dumpOf18(): string {
  const additions = [
    ['SET lock_timeout = 0;', 'SET lock_timeout = 0;\nSET transaction_timeout = 0;'],
    [
      'CREATE TABLE shop.nn (\n    a integer\n',
      'CREATE TABLE shop.nn (\n    a integer,\n    b integer GENERATED ALWAYS AS ((a + 1)),\n    c integer CONSTRAINT c_is_there NOT NULL\n',
    ],
    [
      'REFRESH MATERIALIZED VIEW shop.totals;',
      `REFRESH MATERIALIZED VIEW shop.totals;
SELECT * FROM pg_catalog.pg_restore_relation_stats('version', '180001'::integer, 'schemaname', 'shop', 'relname', 'customer',
  'relpages', '1'::integer, 'reltuples', '2'::real, 'relallvisible', '0'::integer, 'relallfrozen', '0'::integer);`,
    ],
  ] as const;
  return additions.reduce((dump, [before, after]) => {
    expect(dump).toContain(before);
    return dump.replace(before, after);
  }, dumpOf('15'));
}

/** A schema with something of everything, as pg_dump writes it; roles, and a database that is named, are missing. */
test.each([
  ['13', () => dumpOf('13')],
  ['15', () => dumpOf('15')],
  ['18', dumpOf18],
])('a dump of PostgreSQL %s goes through', async (version, read) => {
  const url = await server.createDatabase();
  const dump = read();
  expect(await apply(url, dump)).toBeUndefined();
  expect(await rows(url, 'select n from shop.totals')).toEqual([{ n: '1' }]);
  expect(await rows(url, 'select note from shop.customer order by id')).toEqual([
    { note: 'tab\there\nline\\.' },
    { note: null },
  ]);
  expect(await rows(url, 'select "Co l" from "Odd Name"."Ta""ble"')).toHaveLength(3);
  const [publications] = await rows(url, 'select count(*)::int from pg_publication');
  expect(publications).toEqual({ count: version === '13' ? 2 : 3 });
  // An event trigger is called by all that comes after it.
  expect(await apply(url, 'create table shop.more (id int)')).toBeUndefined();
});
