/** Functions, views and writes that come to tables of a cluster by any path, read from stand-ins of the catalogs of Citus. */
import pg from 'pg';
import { expect, test } from 'vitest';
import { introspectDatabase } from '../../../runtime/catalog/index.ts';
import { loadReadBody } from '../../../runtime/catalog/sql-body.ts';
import type { Distribution } from '../../../runtime/core/shards/shapes.ts';
import { CITUS, PLACES, SPREAD } from '../../harness/citus.ts';
import { createTestDatabase } from '../../harness/postgres.ts';

/** The distribution of a cluster with more SQL. @param before what the reader of the catalog begins with */
async function distributionWith(sql: string, before = ''): Promise<Distribution> {
  const database = await createTestDatabase(`${PLACES}${sql};${CITUS}${SPREAD}`);
  const client = new pg.Client({ connectionString: database.url });
  await client.connect();
  try {
    await client.query(before);
    const catalog = await introspectDatabase(async (text) => client.query(text), loadReadBody);
    return catalog.distribution!;
  } finally {
    await client.end();
  }
}

/** A function `f`, and what may be said of it: `refused`, `alone` (with no table of the cluster beside it) or `free`. */
const FUNCTIONS: readonly (readonly [verdict: 'refused' | 'alone' | 'free', sql: string])[] = [
  ['refused', `create function f() returns setof doc language sql stable as 'select * from doc'`],
  [
    'refused',
    `create function f() returns setof doc language sql stable begin atomic select * from doc; end`,
  ],
  [
    'refused',
    `create function f() returns setof doc language plpgsql as $$ begin return query select * from doc; end $$`,
  ],
  ['refused', `create function f() returns setof plan language sql stable as 'select * from plan'`],
  [
    'refused',
    `create function f() returns setof plan language sql stable begin atomic select * from plan; end`,
  ],
  ['refused', `create function f() returns bigint language sql stable as 'select count(*) from setting'`],
  [
    'refused',
    `create function f() returns integer language sql stable as 'select 1 from public . plan limit 1'`,
  ],
  [
    'refused',
    `create function f() returns integer language sql as 'with x as (insert into doc values (1, 1) returning 1) select 1'`,
  ],
  ['refused', `create function f() returns bigint language sql stable as 'select count(*) from "Order"'`],
  [
    'alone',
    `create function f() returns setof plan language plpgsql stable as $$ begin return query select * from plan; end $$`,
  ],
  ['alone', `create function f() returns setof note language sql stable as 'select * from note'`],
  [
    'alone',
    `create function f(doc) returns bigint language sql stable as 'select count(*) from note where doc_id = $1.id'`,
  ],
  ['alone', `create function f() returns bigint language sql stable as 'select count(*) from frozen'`],
  ['free', `create function f(d doc) returns text language sql stable as 'select d.body || ''!'''`],
  ['free', `create function f(doc doc) returns text language plpgsql as $$ begin return doc.body; end $$`],
  [
    'free',
    `create function f(n integer) returns integer language plpgsql as $$ declare x integer := 1; l integer[]; begin
    -- select from doc, execute
    x := x + n; l[1] := x; if x > 2 then raise notice 'select from doc %', x; end if; return coalesce(l[1], 0); end $$`,
  ],
  [
    'free',
    `create function f(d doc) returns boolean language sql immutable as 'select d.id = 1 and pg_catalog.current_setting(''a.b'', true) is null'`,
  ],
  // By another function, at any depth, by operators, casts, domains, aggregates, columns that are functions, default arguments.
  [
    'refused',
    `create function g() returns bigint language sql stable as 'select count(*) from doc';
    create function f() returns bigint language sql stable as 'select g()'`,
  ],
  [
    'refused',
    `create function g() returns setof plan language sql stable as 'select * from plan';
    create view v as select * from g();
    create function h() returns bigint language plpgsql stable as $$ begin return (select count(*) from v); end $$;
    create function f() returns bigint language sql stable as 'select h()'`,
  ],
  [
    'refused',
    `create view v as select 1 as one from doc; create function f() returns setof v language sql stable as 'select * from v'`,
  ],
  [
    'refused',
    `create view v as select count(*) as n from doc; create view w as select n + 1 as m from v;
    create function f() returns setof w language sql stable begin atomic select * from w; end`,
  ],
  [
    'refused',
    `create function g(integer, integer) returns boolean language sql stable as 'select exists (select from doc where id = $1)';
    create operator ### (leftarg = integer, rightarg = integer, function = g);
    create function f(integer) returns boolean language sql stable as 'select $1 ### 1'`,
  ],
  [
    'refused',
    `create function g(integer, integer) returns boolean language sql stable as 'select exists (select from doc where id = $1)';
    create operator ### (leftarg = integer, rightarg = integer, function = g);
    create function f(x integer) returns boolean language plpgsql stable as $$ begin return x operator(public.###) 1; end $$`,
  ],
  [
    'refused',
    `create type pair as (a integer, b integer);
    create function g(pair) returns integer language sql stable as 'select count(*)::integer from doc';
    create cast (pair as integer) with function g(pair);
    create function f(pair) returns integer language sql stable as 'select $1::integer'`,
  ],
  [
    'refused',
    `create function g(text) returns boolean language sql stable as 'select exists (select from plan where value = $1)';
    create domain planned as text check (g(value));
    create function f(text) returns text language sql stable as 'select $1::planned::text'`,
  ],
  [
    'refused',
    `create function g(text) returns boolean language sql stable as 'select exists (select from plan where value = $1)';
    create domain planned as text check (g(value)); create domain "Planned too" as planned;
    create function f(t text) returns text language plpgsql stable as $$ declare x "Planned too"; begin x := t; return x; end $$`,
  ],
  [
    'refused',
    `create function g(bigint, integer) returns bigint language sql stable as 'select $1 + count(*) from doc';
    create aggregate total(integer) (sfunc = g, stype = bigint, initcond = '0');
    create function f() returns bigint language sql stable as 'select total(x) from generate_series(1, 2) x'`,
  ],
  [
    'refused',
    `create function words(doc) returns bigint language sql stable as 'select count(*) from "Order"';
    create function f(d doc) returns bigint language sql stable as 'select d.words'`,
  ],
  [
    'refused',
    `create function g() returns bigint language sql stable as 'select count(*) from doc';
    create function f(n bigint default g()) returns bigint language sql stable as 'select n'`,
  ],
  [
    'refused',
    `create procedure p() language plpgsql as $$ begin delete from doc; end $$;
    create function f() returns integer language plpgsql as $$ begin call p(); return 1; end $$`,
  ],
  [
    'refused',
    `create function f() returns bigint language sql stable as 'select count(*) from (values (1)) v (x) where exists (table doc)'`,
  ],
  [
    'refused',
    `create function f() returns bigint language sql stable security definer set search_path = acme as 'select count(*) from task'`,
  ],
  [
    'refused',
    `create function f() returns integer language plpgsql as $$ declare c cursor for select 1 from slice_1; begin return 1; end $$`,
  ],
  [
    'refused',
    `create function f() returns integer language plpgsql as $$ begin return 1; exception when others then perform * from doc; return 2; end $$`,
  ],
  [
    'refused',
    `create function f() returns integer language plpgsql as $$ declare l integer[]; begin l[(select 1 from doc)] := 1; return 1; end $$`,
  ],
  // What is not known.
  [
    'refused',
    `create function f() returns integer language plpgsql as $$ begin execute 'select 1'; return 1; end $$`,
  ],
  [
    'refused',
    `create function f() returns setof plan language plpgsql as $$ begin return query execute 'table plan'; end $$`,
  ],
  [
    'refused',
    `create function f() returns integer language plpgsql as $$ declare r record; begin for r in execute 'x' loop end loop; return 1; end $$`,
  ],
  [
    'refused',
    `create function f() returns integer language plpgsql as $$ declare c refcursor; begin open c for execute 'x'; return 1; end $$`,
  ],
  [
    'refused',
    `create function f() returns xml language sql stable as $$ select query_to_xml('select * from doc', true, true, '') $$`,
  ],
  [
    'refused',
    `create function f() returns xml language sql stable begin atomic select query_to_xml('select * from doc', true, true, ''); end`,
  ],
  [
    'refused',
    `create trusted language odd handler plpgsql_call_handler; create function f() returns integer language odd as 'begin return 1; end'`,
  ],
  [
    'refused',
    `create extension if not exists citext; create function f() returns bigint language sql stable as 'select count(*) from doc where body::citext = ''a'''`,
  ],
  // One of several with its name.
  [
    'refused',
    `create function f() returns integer language sql stable as 'select 1';
    create function f(integer) returns bigint language sql stable as 'select count(*) from doc'`,
  ],
];

test.each(FUNCTIONS)('a function is %s: %s', async (verdict, sql) => {
  const { functions } = await distributionWith(sql);
  const reach = functions?.['public.f'];
  expect(reach ? (reach.alone ? 'alone' : 'refused') : 'free', reach?.why).toBe(verdict);
});

/** A view `v`, and where it is. */
const VIEWS: readonly (readonly [where: string, sql: string])[] = [
  ['by tenant_id', `create view v as select * from doc`],
  ['by t', `create view v as select tenant_id as t, count(*) from doc group by 1`],
  ['all shards', `create view v as select id from doc`],
  ['all shards', `create view v as select to_jsonb(d.*) as body, 'k'::text as word from doc d`],
  ['all shards', `create view v as select 1 as one from doc`],
  ['all shards', `create view v as select count(*) as n from doc`],
  ['all shards', `create view w as select 1 as one from doc; create view v as select * from w`],
  ['all shards', `create view v as select 1 as one where exists (select from doc)`],
  ['all shards', `create view v as select d from doc d`],
  ['by tenant_id', `create view v as select d.*, p.value from doc d cross join plan p`],
  ['by tenant_id', `create view v as select d.tenant_id, o.id from doc d join "Order" o using (tenant_id)`],
  ['by tenant_id', `create view v as select * from slice`],
  ['one shard', `create view v as select 1 as one from acme.task`],
  ['coordinator', `create view v as select * from note`],
  ['coordinator', `create view v as select * from frozen`],
  ['coordinator', `create view v as select * from plan`],
  ['coordinator', `create view v as select n.* from note n join plan p on true`],
  ['coordinator', `create view v as select x from generate_series(1, 3) x`],
  [
    'coordinator',
    `create function g() returns setof plan language plpgsql stable as $$ begin return query table plan; end $$;
    create view v as select * from g()`,
  ],
  [
    'refused',
    `create function g() returns setof plan language sql stable as 'select * from plan'; create view v as select * from g()`,
  ],
  [
    'refused',
    `create function g() returns setof doc language sql stable as 'select * from doc'; create view v as select 1 as one from g()`,
  ],
  [
    'refused',
    `create function g() returns setof doc language sql stable as 'select * from doc';
    create view w as select * from g(); create view v as select count(*) from w`,
  ],
  [
    'refused',
    `create function g(integer) returns boolean language sql stable as 'select exists (table note)';
    create view v as select * from doc where g(id)`,
  ],
  [
    'refused',
    `create function g() returns bigint language plpgsql stable as $$ begin return 1; end $$;
    create function h() returns bigint language plpgsql stable as $$ begin execute 'x'; return g(); end $$;
    create view v as select h() as n`,
  ],
  ['refused', `create view v as select d.* from doc d join note n on n.doc_id = d.id`],
  ['refused', `create view v as select d.* from doc d, frozen f`],
  ['refused', `create view v as select d.* from doc d where exists (select from setting)`],
  ['refused', `create view v as select d.* from doc d join login l on l.email = d.body`],
  ['refused', `create view v as select d.* from doc d, acme.task t`],
  ['refused', `create view v as select query_to_xml('table doc', true, true, '') as x`],
  ['refused', `create view v as select * from family`],
];

test.each(VIEWS)('a view is %s: %s', async (where, sql) => {
  const { tables } = await distributionWith(sql);
  const found = tables['public.v'];
  const by =
    found?.kind === 'distributed' ? (found.by === undefined ? 'all shards' : `by ${found.by}`) : undefined;
  expect(
    by ?? { single: 'one shard', refused: 'refused' }[found?.kind as string] ?? 'coordinator',
    JSON.stringify(found),
  ).toBe(where);
});

const CHECKING = `create function g(integer) returns boolean language sql immutable as 'select exists (select from public.plan)';
  create function h(integer) returns integer language plpgsql immutable as $$ begin return (select count(*) from public.doc); end $$;`;

/** What a shard evaluates when rows of doc are written. */
const WRITES: readonly (readonly [isRefused: boolean, sql: string])[] = [
  [true, `${CHECKING} alter table doc add check (g(id))`],
  [true, `${CHECKING} alter table doc add more integer generated always as (h(id)) stored`],
  [true, `${CHECKING} create index on doc (h(id))`],
  [true, `${CHECKING} create unique index on doc (id) where g(id)`],
  [true, `${CHECKING} create domain d as integer check (g(value)); alter table doc add more d`],
  [false, `${CHECKING} alter table doc alter id set default h(1)`],
  [false, `${CHECKING} alter table note add check (g(id))`],
  [false, `alter table doc add check (id > 0 and lower(body) <> '')`],
];

test.each(WRITES)('writes are refused: %s: %s', async (isRefused, sql) => {
  const { tables } = await distributionWith(sql);
  const found = tables['public.doc'];
  expect(found && 'unwritable' in found).toBe(isRefused);
});

const READS_PLAN = `create function reads_plan() returns boolean language plpgsql stable as $$ begin return exists (table public.plan); end $$;`;
const READS_NOTE = `create function reads_note() returns boolean language sql stable as 'select exists (table public.note)';`;
const policy = (table: string, rest: string) =>
  `alter table ${table} enable row level security; create policy own on ${table} ${rest}`;

/** Policies, and whether the table is refused to a server that is not a superuser. */
const POLICIES: readonly (readonly [table: string, isRefused: boolean, sql: string])[] = [
  ['doc', false, policy('doc', `using (tenant_id = current_setting('app.tenant')::integer)`)],
  ['doc', false, policy('doc', `using (true) with check (id > 0 and lower(body) <> '')`)],
  ['doc', true, policy('doc', 'using (exists (select from plan where value = body))')],
  ['doc', true, policy('doc', 'using (true) with check (body in (select value from plan))')],
  ['doc', true, policy('doc', 'as restrictive for update using (id in (select doc_id from note))')],
  ['doc', true, policy('doc', 'using (exists (select from "Order" o where o.tenant_id = doc.tenant_id))')],
  ['doc', true, `${READS_PLAN} ${policy('doc', 'using (reads_plan())')}`],
  ['doc', true, `${READS_NOTE} ${policy('doc', 'for select using (id > 3 and reads_note())')}`],
  [
    'doc',
    true,
    `create view v as select 1 as one from login; ${policy('doc', 'using (exists (select from v))')}`,
  ],
  [
    'doc',
    true,
    `${READS_PLAN} ${policy('doc', 'using (true)')}; create policy other on doc using (reads_plan())`,
  ],
  ['plan', true, policy('plan', 'using (value in (select name from tenant))')],
  ['plan', true, policy('plan', 'using (value in (select plan from setting))')],
  ['acme.task', true, policy('acme.task', 'using (exists (select from public.plan))')],
  ['note', false, policy('note', 'using (exists (select from frozen))')],
  ['note', true, policy('note', 'using (doc_id in (select id from doc))')],
  ['note', true, policy('note', 'using (exists (select from plan))')],
  // Not switched on, or made for nobody yet: PostgreSQL reads no policy.
  ['doc', false, `create policy own on doc using (exists (select from plan))`],
  ['note', false, `create policy own on note using (doc_id in (select id from doc))`],
];

const AS_READER = `do $$ begin create role shard_reader; exception when duplicate_object or unique_violation then null; end $$;
  set role shard_reader; `;

test.each(POLICIES)('policies of %s refuse it: %s: %s', async (table, isRefused, sql) => {
  const refusedFor = async (before: string) => {
    const { tables } = await distributionWith(sql, before);
    const found = tables[table.includes('.') ? table : `public.${table}`];
    return found?.kind === 'refused' ? found.why : undefined;
  };
  const why = await refusedFor(AS_READER);
  expect(why !== undefined, why).toBe(isRefused);
  if (isRefused) expect(why).toContain('row security policy that looks elsewhere');
  // It holds for no superuser.
  expect(await refusedFor('')).toBeUndefined();
});
