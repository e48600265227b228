/** What PostgreSQL says of native queries that are mutations: nothing runs, what does not fit is refused, and what they write is known. */
import { beforeAll, expect, test } from 'vitest';
import { introspectDatabase, type RunQuery } from '../../../runtime/catalog/introspect.ts';
import { readMetadata } from '../../../runtime/metadata/read-metadata.ts';
import { createTestDatabase, type TestDatabase } from '../../harness/postgres.ts';

let database: TestDatabase;

beforeAll(async () => {
  database = await createTestDatabase(`
    create schema "odd ""one";
    create type pair as (a int, b text);
    create domain positive as int check (value > 0);
    create table item (id serial primary key, n positive, name varchar(9), p pair, ps pair[], j jsonb, "odd ""name" text);
    create table "odd ""one"."t'able" (id int primary key, n int);
    create table parted (id int, n int) partition by range (id);
    create table part partition of parted default;
    create view shown as select id, n from item where n > 1;
    create function added(n int) returns setof item language sql volatile as 'insert into item (n) values (n) returning *';
    create function fired() returns trigger language plpgsql as $$ begin raise exception 'it ran'; end $$;
    create trigger always before insert or update or delete on item for each statement execute function fired();
  `);
});

const ID = [{ name: 'id', type: { scalar: 'int' } }];

/** What the catalog says of the query, or why it is left out. */
async function described(code: string, fields: readonly object[] = ID, type = 'mutation') {
  const query: RunQuery = async (text, values) => ({
    rows: await database.query(text, values ? [...values] : undefined),
  });
  const args = { a: { type: 'int' }, b: { type: 'text', nullable: true } };
  const source = {
    name: 'default',
    kind: 'postgres',
    configuration: { connection_info: { database_url: 'postgres://host/name' } },
    tables: [],
    logical_models: [
      { name: 'row', fields },
      { name: 'pair', fields: [{ name: 'a', type: { scalar: 'int' } }] },
    ],
    native_queries: [{ root_field_name: 'it', type, code, returns: 'row', arguments: args }],
  };
  const { value } = readMetadata({ version: 3, sources: [source] });
  const { functions, refused } = await introspectDatabase(query, undefined, undefined, value.sources[0]!);
  const it = functions.find(({ schema, name }) => schema === '' && name === 'it');
  return it ? { volatility: it.volatility, writes: it.writes } : (refused?.['.it']?.reason ?? 'no reason');
}

test.each<[string, Record<string, string[]>]>([
  ['insert into item (n) values ({{a}}) returning id', { 'public.item': ['insert'] }],
  ['insert into item (n) values (1) on conflict do nothing returning id', { 'public.item': ['insert'] }],
  ['update item set n = 1 where id = {{a}} returning id;', { 'public.item': ['update'] }],
  ['update item set n = 1 where false returning id', { 'public.item': ['update'] }],
  ['delete from only item returning *', { 'public.item': ['delete'] }],
  ['update shown set n = 2 returning id', { 'public.item': ['update'] }],
  ['with "update" as (select 1) delete from item returning id', { 'public.item': ['delete'] }],
  ['with update as (select 1) delete from item returning id', { 'public.item': ['delete'] }],
  [
    'with a as (delete from item returning *), b as (insert into parted select id, 1 from a) select id from a',
    { 'public.item': ['delete'], 'public.parted': ['insert'] },
  ],
  [
    'with recursive a as (select 1 as id union all select id + 1 from a where id < 3) insert into item (n) select id from a returning id',
    { 'public.item': ['insert'] },
  ],
  [
    'with a as materialized (select 1) , b(x) as (values (2)) update item set n = x from b returning item.id',
    { 'public.item': ['update'] },
  ],
  [`update "odd ""one"."t'able" set n = {{a}} returning id`, { '"odd ""one".t\'able': ['update'] }],
  ['insert into parted values (1, 2) returning id', { 'public.parted': ['insert'] }],
  ['select id from added({{a}})', {}],
  [
    `/* insert */ -- update\n insert into item (name) values ('delete; ''' || $$x$$ || {{b}}) returning id`,
    { 'public.item': ['insert'] },
  ],
  [
    'delete from item using parted where parted.id = item.id returning item.id',
    { 'public.item': ['delete'] },
  ],
])('typed, and nothing of it runs: %s', async (code, writes) => {
  expect(await described(code)).toEqual({ volatility: 'volatile', writes });
});

test.each([
  ['insert into item (n) values ({{a}})', 'RETURNING'],
  ['create table x (id int)', 'syntax error'],
  ['drop table item', 'syntax error'],
  ['truncate item', 'syntax error'],
  ['with a as (select 1) drop table item', 'syntax error'],
  ['do $$ begin delete from item; end $$', 'syntax error'],
  ['call nothing()', 'syntax error'],
  ['begin', 'syntax error'],
  ['copy item to stdout', 'syntax error'],
  ['insert into item (n) values (1) returning id; delete from item', 'more than one statement'],
  ['insert into item (n) values (1) returning id) select 1; --', 'closed that was not opened'],
  ["insert into item (name) values ('{{b}}') returning id", 'in a literal'],
  ['insert into item (n) values ({{c}}) returning id', 'line 1, column 30: there is no argument "c"'],
  ['insert into item (m) values (1) returning id', 'line 1, column 19: column "m" of relation "item"'],
  [
    'with a as (delete from item returning id)\nupdate item set m = 1 returning id',
    'line 2, column 17: column "m"',
  ],
  ['insert into item (n) values (1) returning n', 'column "id" does not exist'],
  ["insert into item (n) values (1) returning 'a'::text as id", 'column "id" is of type text, where the'],
  ['insert into item (n) values (1) returning 1::bigint as id', 'column "id" is of type int8'],
  ['insert into item (n) values (1) returning array[id] as id', 'column "id" is of type int4[]'],
  ['with "engine written" as (select 1) delete from item returning id', 'more than once'],
])('refused: %s', async (code, reason) => {
  expect(await described(code)).toContain(reason);
});

test.each<[string, object, string | undefined]>([
  ['n', { scalar: 'positive' }, undefined],
  ['n', { scalar: 'bigint' }, undefined],
  ['n', { scalar: 'text' }, 'is of type int4'],
  ['name', { scalar: 'text' }, undefined],
  ['p', { logical_model: 'pair' }, undefined],
  ['ps', { array: { logical_model: 'pair' } }, undefined],
  ['ps', { logical_model: 'pair' }, 'is of type public.pair[]'],
  ['p', { array: { logical_model: 'pair' } }, 'is of type public.pair'],
  ['j', { logical_model: 'pair' }, undefined],
  ['j', { array: { logical_model: 'pair' } }, undefined],
  ['n', { logical_model: 'pair' }, 'is of type'],
])('types of what is returned: %s as %o', async (name, type, reason) => {
  const found = await described(`update item set n = 1 returning ${name}`, [{ name, type }]);
  if (reason === undefined) expect(found).toMatchObject({ volatility: 'volatile' });
  else expect(found).toContain(reason);
});

test.each([
  ['insert into item (n) values (1) returning id', 'syntax error'],
  ['with a as (delete from item returning id) select id from a', 'top level'],
])('a query only reads: %s', async (code, reason) => {
  const refused = await described(code, ID, 'query');
  expect(refused).toContain(reason);
  expect(refused).toContain('needs "type: mutation"');
});

test('a query that locks rows counts as one that writes', async () => {
  expect(await described('select id from item for update', ID, 'query')).toMatchObject({
    volatility: 'volatile',
  });
});
