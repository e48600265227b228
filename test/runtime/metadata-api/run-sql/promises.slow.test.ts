/**
 * What run_sql promises of any text: afterwards the catalog that PostgreSQL has is served, a refusal undoes the SQL or says what
 * stays, and `read_only` writes nothing.
 */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type MetadataServer, startMetadataServer } from '../../../harness/metadata-server.ts';

const SCHEMA = `
  drop schema public cascade; create schema public;
  create table author (id serial primary key, name text not null, active boolean);
  create table article (id serial primary key, title text, author_id int references author (id));
  create view label as select id, name from author;
  create materialized view titles as select id, title from article;
  create function found(needle text) returns setof article language sql stable as 'select * from article';
  create function shout(a author) returns text language sql stable as 'select upper(a.name)';
  create procedure writes() language plpgsql as $$ begin insert into author (name) values ('p'); commit; end $$;
  create function wrote() returns int language sql volatile as $$ insert into author (name) values ('f') returning id $$;
  insert into author (name) values ('Ada');`;

const permission = (table: string, columns: string[], filter: object) => ({
  table,
  select_permissions: [{ role: 'user', permission: { columns, filter } }],
});

const metadata = () => ({
  version: 3,
  sources: [
    {
      name: 'default',
      kind: 'postgres',
      tables: [
        {
          ...permission('author', ['id', 'name'], { active: { _eq: true } }),
          array_relationships: [
            {
              name: 'articles',
              using: { foreign_key_constraint_on: { table: 'article', column: 'author_id' } },
            },
          ],
          computed_fields: [{ name: 'shout', definition: { function: 'shout' } }],
        },
        {
          ...permission('article', ['title'], { writer: { active: { _eq: true } } }),
          object_relationships: [{ name: 'writer', using: { foreign_key_constraint_on: 'author_id' } }],
        },
        permission('label', ['name'], {}),
        permission('titles', ['title'], {}),
      ],
      functions: [{ function: 'found' }],
      configuration,
    },
  ],
});

const DROP = 'alter table author drop column active';
const AUTHOR = 'create table author (id serial primary key, name text not null, active boolean)';
const LABEL = 'drop view label; create view label as select id, name, active from author';

/** Each leaves transactions, changes what is tracked, or tries to. */
const TEXTS: readonly string[] = [
  `${DROP}; commit`,
  `${DROP}; end`,
  `${DROP}; COMMIT WORK`,
  `begin; ${DROP}; commit`,
  `begin; ${DROP}; end transaction; select 1`,
  `${DROP}; commit; select broken from nowhere`,
  `${DROP}; commit and chain; select 1`,
  `${DROP}; rollback`,
  `${DROP}; abort; alter table article drop column title`,
  `commit; ${DROP}`,
  `rollback; ${DROP}; commit; alter table article drop column title`,
  `/* ; */ -- no end\r commit; ${DROP}; commit -- here`,
  `alter table author add column one int; commit; alter table author add column two int; select 1/0`,
  `savepoint s; ${DROP}; rollback to s`,
  `savepoint s; ${DROP}; release s`,
  `start transaction; alter table author add column born date; commit; start transaction; select 1`,
  `commit; begin read write; insert into author (name) values ('x'); commit; alter table author add column c int`,
  `commit; set transaction read write; insert into author (name) values ('x')`,
  `set transaction read write; insert into author (name) values ('x')`,
  `set transaction_read_only = off; insert into author (name) values ('x')`,
  `set local transaction_read_only = off; insert into author (name) values ('x')`,
  `select set_config('transaction_read_only', 'off', true); insert into author (name) values ('x')`,
  `select set_config('transaction_read_only', 'off', false); commit; insert into author (name) values ('x')`,
  `set session characteristics as transaction read write; commit; insert into author (name) values ('x')`,
  `set default_transaction_read_only = off; commit; begin; insert into author (name) values ('x')`,
  `commit and chain; set transaction read write; insert into author (name) values ('x')`,
  `rollback and chain; set transaction read write; insert into author (name) values ('x')`,
  `savepoint s; set transaction read write; insert into author (name) values ('x')`,
  `do $$ begin perform set_config('transaction_read_only', 'off', true); insert into author (name) values ('x'); end $$`,
  `do $$ begin commit; insert into author (name) values ('x'); end $$`,
  `commit; do $$ begin commit; insert into author (name) values ('x'); end $$; ${DROP}`,
  'call writes()',
  'commit; call writes()',
  'select wrote()',
  `set role none; set local session authorization default; select wrote()`,
  `copy author (name) from program 'echo x'`,
  `with x as (insert into author (name) values ('x') returning 1) select * from x`,
  `explain analyze insert into author (name) values ('x')`,
  `create table other (id int); commit; ${DROP}`,
  `prepare transaction 'p'; ${DROP}`,
  `prepare q as insert into author (name) values ('x'); execute q`,
  `select nextval('author_id_seq'); drop table if exists nothing`,
  `drop table author cascade; ${AUTHOR}; create view label as select id, name from author; create function shout(a author) returns text language sql stable as 'select a.name'; alter table article add constraint article_author_id_fkey foreign key (author_id) references author`,
  `drop table author cascade; ${AUTHOR}`,
  `drop table author cascade; create table author (name text, id int primary key)`,
  `drop table author cascade; ${AUTHOR}; commit; select 1`,
  LABEL,
  'drop view label; create view label as select id from author',
  'drop view label; create materialized view label as select id, name from author',
  'drop view label; create table label (id int, name text)',
  'drop materialized view titles; create materialized view titles as select title, id from article',
  `drop function found; create function found(needle text, more int) returns setof article language sql stable as 'select * from article'`,
  `drop function found; create function found(needle text) returns setof author language sql stable as 'select * from author'`,
  `drop function found; create function found(needle text) returns int language sql stable as 'select 1'`,
  `drop function found; create function found(needle text) returns setof article language sql volatile as 'select * from article'`,
  `drop function shout; create function shout(a author) returns int language sql stable as 'select 1'`,
  `create function found(needle int) returns setof article language sql stable as 'select * from article'`,
  `alter table author rename to writer; ${AUTHOR}`,
  `alter table author rename column name to label; commit`,
  `do $$ begin execute 'alter ta' || 'ble author add column made int'; end $$`,
  `create rule r as on insert to article do also (select 1; select 2); commit; ${DROP}`,
  `create function b() returns int begin atomic select 1; select case when true then 1 end; end; commit; ${DROP}`,
  `select pg_terminate_backend(pg_backend_pid()); ${DROP}`,
  `${DROP}; commit; select pg_terminate_backend(pg_backend_pid())`,
  `set statement_timeout = 20; ${DROP}; commit; select pg_sleep(5)`,
  `set lock_timeout = 20; set search_path = nowhere; ${DROP.replace('author', 'public.author')}; commit`,
];

type Arguments = Readonly<Record<string, unknown>>;

const one = (args: Arguments) => ({ type: 'run_sql', args });
const FORMS: Readonly<Record<string, (args: Arguments) => object>> = {
  alone: one,
  bulk: (args) => ({ type: 'bulk', args: [one({ sql: 'select 1' }), one(args)] }),
  bulk_keep_going: (args) => ({
    type: 'bulk_keep_going',
    args: [one(args), one({ sql: 'select 1' })],
  }),
};

let server: MetadataServer;
/** Of the source. */
let configuration: unknown;
beforeAll(async () => {
  server = await startMetadataServer(SCHEMA);
  const { answer } = await server.send({ type: 'export_metadata', args: {} }, { path: '/v1/metadata' });
  configuration = (answer as { sources: { configuration: unknown }[] }).sources[0]!.configuration;
});
afterAll(() => server.stop());

async function reset() {
  await server.database.query(SCHEMA);
  const again = { type: 'reload_metadata', args: {} };
  await server.send(again, { path: '/v1/metadata' });
  const replaced = await server.send(
    { type: 'replace_metadata', version: 2, args: { metadata: metadata() } },
    { path: '/v1/metadata' },
  );
  expect(replaced).toMatchObject({ status: 200, answer: { is_consistent: true } });
}

/** What is served, and of which catalog. */
const served = () => {
  const { metadata, catalogs, inconsistent } = server.engine.state;
  return { tables: metadata.sources[0]!.tables.length, catalogs, inconsistent };
};

async function reload() {
  await server.send({ type: 'reload_metadata', args: {} }, { path: '/v1/metadata' });
}

const names = async () =>
  (await server.database.query('select name from author order by id')).map(({ name }) => name);

describe.each([
  { form: 'alone', cascade: false, no_transaction: false },
  { form: 'alone', cascade: true, no_transaction: true },
  { form: 'bulk', cascade: true, no_transaction: false },
  { form: 'bulk_keep_going', cascade: false, no_transaction: false },
])('$form, cascade $cascade, no_transaction $no_transaction', ({ form, ...options }) => {
  test.each(TEXTS)('%s', async (sql) => {
    await reset();
    const before = served();
    const args = { ...options, sql, check_metadata_consistency: true };
    const { answer } = await server.send(FORMS[form]!(args), {
      path: form === 'bulk_keep_going' ? '/v1/metadata' : '/v2/query',
    });
    const after = served();
    await reload();
    expect(served()).toEqual(after);
    const text = JSON.stringify(answer);
    // What a text committed before it ended its own connection is not known.
    const isKnown = !text.includes('"code"') || text.includes('stays') || sql.includes('terminate');
    if (!isKnown) expect(after.catalogs).toEqual(before.catalogs);
  });
});

describe.each([
  { form: 'alone', no_transaction: true },
  { form: 'bulk', no_transaction: false },
  { form: 'concurrent_bulk', no_transaction: false },
])('read_only, $form, no_transaction $no_transaction', ({ form, no_transaction }) => {
  test.each(TEXTS)('%s', async (sql) => {
    await reset();
    const before = { ...served(), names: await names() };
    const args = { sql, cascade: true, read_only: true, no_transaction };
    const body = form.endsWith('bulk') ? { type: form, args: [one(args), one(args)] } : one(args);
    await server.send(body, { path: form === 'bulk' ? '/v1/query' : '/v2/query' });
    await reload();
    expect({ ...served(), names: await names() }).toEqual(before);
  });
});
