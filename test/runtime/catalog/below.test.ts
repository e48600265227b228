/** What a catalog of a real database says of what is below views, columns and functions. */
import { beforeAll, describe, expect, it } from 'vitest';
import type { Catalog } from '../../../runtime/catalog/catalog.ts';
import { introspectDatabase } from '../../../runtime/catalog/index.ts';
import { loadReadBody } from '../../../runtime/catalog/sql-body.ts';
import type { Below } from '../../../runtime/core/contract/shapes.ts';
import { createTestDatabase } from '../../harness/postgres.ts';
import { queryOf } from './introspection.ts';

/** Each reads column `a` of table `t`, or may. */
const VIEWS: readonly string[] = [
  'select a from t',
  'select upper(a) as x from t',
  'select id from t where a is not null',
  'select id from t order by a',
  'select u.id from u join t on t.a = u.b',
  'select u.id from u join t as s (i, a, c) on s.i = u.id and s.a = u.b',
  'select u.id from u natural join (select a as b from t) s',
  'select count(*) as n from t group by a',
  "select count(*) filter (where a > 'k') as n from t",
  'select row_number() over (order by a) as n from t',
  'select id, (select max(a) from t) as m from u',
  'select id, exists (select from t where t.a = u.b) as e from u',
  'select to_jsonb(t) as j from t',
  'select id, to_jsonb(t) as j from t',
  'select id, t as whole from t',
  'select json_agg(t) as j, 1 as id from t',
  'select id, row(t.*)::text as r from t',
  'select id, t::text as r from t',
  'select id, to_jsonb(j) as r from (t join u using (id)) as j',
  'select j.id, to_jsonb(j) as r from (select * from t) j',
  'with w as (select * from t) select id, to_jsonb(w) as r from w',
  'with recursive w as (select id, a from t union all select id, a from w where false) select id from w',
  'select id, a from only t',
  'select id, null as a from u union select id, a from t',
  'select l.x as id from u, lateral (select a as x from t where t.id = u.id) l',
  'select id from t tablesample system (50) where a is not null',
  'select m_a as x from m_t',
  'select id from m_t where m_a is not null',
  'select id from v_t where v_a is null',
  'select id from part_1 where a is not null',
  'select id, to_jsonb(v_t) as j from v_t',
  'select g1 as x from t',
  'select g2 as x from t',
  'select id from t where g2 is not null',
  'select * from f_sql()',
  'select * from f_atomic()',
  'select f_of_row(t) from t',
  'select t.f_of_row from t',
  'select agg(id) as x from u',
  'select 1 === id as x from u',
  'select f_nested() as x',
  'select a from kid',
  'select d from u',
];

const FUNCTIONS: readonly (readonly [string, string])[] = [
  ['setof text', 'select a from t'],
  ['setof text', 'select t.a from public.t'],
  ['setof text', 'select public.t.a from public.t'],
  ['setof text', 'select x from t as s (i, x)'],
  ['setof jsonb', 'select to_jsonb(t) from t'],
  ['setof jsonb', 'select to_jsonb(s) from (select * from t) s'],
  ['setof jsonb', 'select to_jsonb(j) from (t join u using (id)) j'],
  ['setof text', 'select (s).a from (select t as s from t) q'],
  ['setof text', 'select a(t) from t'],
  ['setof u', 'select id, a, a from t'],
  ['setof u', 'select id, g1, g2 from t'],
  ['setof u', 'select * from u where b in (select a from t)'],
  ['setof u', 'select u.* from u join t on t.a = u.b'],
  ['setof u', 'select u.* from u natural join t'],
  ['setof u', 'select u.* from u order by (select max(a) from t)'],
  ['setof u', 'select * from u union all select id, a, a from t'],
  ['setof u', 'select u from u where (select count(*) from t where "a" = u.b) > 0'],
  ['setof u', 'with w as (table t) select u.* from u, w where w.a = u.b'],
  ['setof text', 'with w (x, y) as (select * from t) select y from w'],
  ['setof text', 'table v_only'],
  ['setof text', 'select v_a from v_t'],
  ['setof text', 'select f_nested()::text'],
  ['setof text', 'select f_of_row(t) from t'],
  ['setof text', 'select t.f_of_row from t'],
  ['setof text', 'select m_a from m_t'],
  ['setof text', 'select a from part_1'],
  ['setof text', 'select a from kid'],
  ['setof int', 'select agg(id) from u'],
  ['setof int', 'select 1 === id from u'],
  ['setof int', 'select 1 operator(public.===) id from u'],
  ['setof text', 'select b from u where id = 1; select a from t'],
  ['setof t', "update t set a = 'x' where a = 'y' returning *"],
  ['setof text', 'insert into u (id) values (9) returning (select max(a) from t)'],
  ['setof text', 'select d from u'],
  ['setof text', 'values ((select max(a) from t))'],
  ['setof text', 'select x.a from t x'],
  ['setof text', 'select A from T'],
  ['setof text', "select case when exists (select 1 from t where a like 'k%') then 'y' end"],
  ['setof text', 'select array_to_string(array(select a from t), $x$,$x$)'],
  ['setof t', 'select t.* from t, u where t.id = u.id and t.a > u.b'],
];

/** Reads of no table, or of others than `t.a`. */
const INNOCENT: readonly (readonly [string, string])[] = [
  ['setof t', 'select * from t where id = 1'],
  ['setof t', 'select x.* from t x join u on u.id = x.id'],
  ['setof int', 'select id from t'],
  ['setof int', 'select count(*)::int from t'],
  ['text', 'select upper($1)'],
  ['setof u', 'select * from u where b is not null'],
  ['setof text', "select 'select a from t'"],
];

const SCHEMA = `
  create table t (id int primary key, a text, c text, g1 text generated always as (upper(a)) stored);
  alter table t add column g2 text generated always as (lower(a) || c) stored;
  create function f_default() returns text language sql as 'select max(a) from t';
  create table u (id int primary key, b text, d text default f_default());
  create table part (id int, a text) partition by list (id);
  create table part_1 partition of part for values in (1);
  create table kid (extra text) inherits (t);
  create view v_t as select id, a as v_a from t;
  create view v_only as select a from t;
  create materialized view m_t as select id, v_a as m_a from v_t;
  create function f_sql() returns setof text language sql stable as 'select a from t';
  create function f_atomic() returns setof text language sql stable begin atomic select to_jsonb(t)::text from t; end;
  create function f_of_row(t) returns text language sql stable as 'select $1.a';
  create function f_nested() returns text language sql stable as 'select string_agg(f_sql, $x$,$x$) from f_sql()';
  create function f_step(int, int) returns int language sql stable as 'select $1 + $2 from t where a is not null';
  create aggregate agg(int) (sfunc = f_step, stype = int);
  create function f_same(int, int) returns boolean language sql stable as 'select exists (select from t where a > $x$k$x$)';
  create operator === (leftarg = int, rightarg = int, function = f_same);
  create function p_plain() returns text language plpgsql as 'begin return (select max(a) from t); end';
  create function p_sql() returns text language sql as 'select p_plain()';
  create function p_xml() returns text language sql as $$ select query_to_xml('select * from t', true, false, '')::text $$;
  create function p_stats() returns text language sql as 'select max(most_common_vals::text) from pg_stats';
  create view w_plain as select p_plain() as x;
  create view w_xml as select query_to_xml('select * from t', true, false, '') as x;
  create view w_stats as select most_common_vals::text as x from pg_stats;
  create view w_files as select pg_read_file('postgresql.conf') as x where false;
  create table x_default (id int, d text default query_to_xml('select * from t', true, false, '')::text);
`;

let catalog: Catalog;
beforeAll(async () => {
  // Some have another type than they declare.
  const unchecked = 'set check_function_bodies = off;';
  const body = (text: string) => `$body$ ${text} $body$`;
  const made = [
    ...VIEWS.map((query, index) => `create view v${index} as ${query};`),
    ...[...FUNCTIONS, ...INNOCENT].map(
      ([returns, text], index) =>
        `create function f${index}(x text default '') returns ${returns} language sql as ${body(text)};`,
    ),
  ];
  const database = await createTestDatabase(`${unchecked}${SCHEMA}${made.join('\n')}`);
  catalog = await introspectDatabase(queryOf(database), loadReadBody);
});

const ofView = (name: string) => catalog.tables.find((each) => each.name === name)!.below;
const ofFunction = (name: string) => catalog.functions.find((each) => each.name === name)!.below;
const ofColumn = (table: string, name: string) =>
  catalog.tables.find((each) => each.name === table)!.columns.find((each) => each.name === name)!.below;
/** Tables of the schema whose column `a` is read. */
const sees = (below: Below | undefined) =>
  ['public.t', 'public.part'].some((key) => below?.reads?.[key]?.includes('a'));

const shows = (query: string) => `v${VIEWS.indexOf(query)}`;

describe('a column is read', () => {
  it.each(VIEWS.map((query, index) => [query, `v${index}`]))('by the view %s', (_, name) => {
    expect(sees(ofView(name))).toBe(true);
  });
  it.each(FUNCTIONS.map(([, query], index) => [query, `f${index}`]))('by the function %s', (_, name) => {
    expect(ofFunction(name)?.unread).toBeUndefined();
    expect(sees(ofFunction(name))).toBe(true);
  });
  it.each([
    ['t', 'g1'],
    ['t', 'g2'],
    ['u', 'd'],
    [shows('select m_a as x from m_t'), 'x'],
    [shows('select g1 as x from t'), 'x'],
    ['part_1', 'a'],
  ])('by the column %s.%s, or not', (table, name) => {
    // Rows of a partition are told of by the tables above it.
    expect(sees(ofColumn(table, name))).toBe(table !== 'part_1');
  });
});

describe('a column is not read', () => {
  it.each(INNOCENT.map(([, query], index) => [query, `f${FUNCTIONS.length + index}`]))('by %s', (_, name) => {
    expect(ofFunction(name)?.unread).toBeUndefined();
    expect(sees(ofFunction(name))).toBe(false);
  });
  it('where rows are the result as they are', () => {
    expect(ofFunction(`f${FUNCTIONS.length}`)).toEqual({ reads: { 'public.t': ['id'] }, shows: 'public.t' });
  });
});

describe('what is not known is named', () => {
  it.each([
    ['p_plain', { 'public.p_plain': 'its body is not read: plpgsql' }],
    ['p_sql', { 'public.p_plain': 'its body is not read: plpgsql' }],
    ['p_xml', { 'public.p_xml': expect.stringContaining('given as text') }],
    ['p_stats', { 'public.p_stats': expect.stringContaining('statistics') }],
  ])('of the function %s', (name, unread) => {
    expect(ofFunction(name)?.unread).toEqual(unread);
  });
  it.each(['w_plain', 'w_xml', 'w_stats', 'w_files'])('of the view %s', (name) => {
    expect(Object.keys(ofView(name)?.unread ?? {})).toHaveLength(1);
  });
  it('of a default', () => {
    expect(ofColumn('x_default', 'd')?.unread).toEqual({ 'public.x_default.d': expect.any(String) });
  });
  it('where no bodies are read', async () => {
    const database = await createTestDatabase(SCHEMA);
    const { functions } = await introspectDatabase(queryOf(database));
    expect(functions.find(({ name }) => name === 'f_sql')?.below?.unread).toEqual({
      'public.f_sql': 'its body is not read',
    });
  });
});

it('functions of casts are called by everything that is kept as text', async () => {
  const database = await createTestDatabase(`
    create table t (a text);
  create type marked as (n int);
  create function f_cast(marked) returns text language sql stable as 'select max(a) from t';
  create function f_mark(int) returns marked language sql stable as 'select row($1)::marked';
  create cast (int as marked) with function f_mark(int);
  create cast (marked as text) with function f_cast(marked);
    create view v as select (1::marked)::text as x;
    create function f() returns text language sql as 'select (1::marked)::text';
  `);
  const { tables, functions } = await introspectDatabase(queryOf(database), loadReadBody);
  expect(sees(tables.find(({ name }) => name === 'v')!.below)).toBe(true);
  expect(sees(functions.find(({ name }) => name === 'f')!.below)).toBe(true);
});

it('tables above others are listed at every level', () => {
  const above = (name: string) => catalog.tables.find((each) => each.name === name)!.ancestors;
  expect(above('part_1')).toEqual([{ schema: 'public', name: 'part' }]);
  expect(above('kid')).toEqual([{ schema: 'public', name: 't' }]);
  expect(above('t')).toBeUndefined();
});
