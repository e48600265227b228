/** Doors by which a value of `person.secret` comes out: a role for each reads it by a request, and `who` lists the role. */

import { afterAll, beforeAll, expect, it } from 'vitest';
import { compile } from '../../../../compiler/index.ts';
import { readMetadata } from '../../../../compiler/phases/1-read/index.ts';
import { whoText } from '../../../../compiler/review/audit/render.ts';
import { whoCan } from '../../../../compiler/review/audit/who.ts';
import { type GeneratedCode, readTexts } from '../../../../compiler/review/generated-code/index.ts';
import { CANONICAL } from '../../../../runtime/core/vocabulary.ts';
import { catalogsOf } from '../../../harness/compile.ts';
import { type InProcess, serveInProcess } from '../../../harness/in-process.ts';
import { defaultSource } from '../../../harness/metadata.ts';
import { createTestDatabase } from '../../../harness/postgres.ts';

interface Door {
  readonly name: string;
  /** `%` is the number of the door, in every name that it makes. */
  readonly sql: string;
  /** The table or view whose columns the role reads: what is made, unless given. */
  readonly table?: string;
  readonly columns?: readonly string[];
  readonly computed?: string;
  readonly tracks?: string;
  readonly query: string;
  /** A row is shown or not by the secret; the value itself does not come out. */
  readonly oracle?: true;
}

const view = (name: string, query: string, more: Partial<Door> = {}): Door => ({
  name,
  sql: `create view d% as ${query}`,
  columns: ['x'],
  query: '{ d% { x } }',
  ...more,
});
const field = (name: string, body: string, more: Partial<Door> = {}): Door => ({
  name,
  sql: `create table d% (id int primary key, note text); insert into d% values (1, 'n');
    create function g%(d%) returns text ${body}`,
  columns: ['id'],
  computed: 'g%',
  query: '{ d% { computed } }',
  ...more,
});
const rows = (name: string, body: string, more: Partial<Door> = {}): Door => ({
  name,
  sql: `create table d% (x text); create function g%() returns setof d% ${body}`,
  columns: ['x'],
  tracks: 'g%',
  query: '{ g% { x } }',
  ...more,
});
const SQL = 'language sql stable as';

const DOORS: readonly Door[] = [
  view('a whole row in json', 'select to_jsonb(p)::text as x from person p'),
  view('a whole row beside a column', 'select id, to_jsonb(p)::text as x from person p'),
  view('a whole row as it is', 'select p::text as x from person p'),
  view('whole rows aggregated', 'select json_agg(p)::text as x from person p'),
  view('a row of columns', 'select row(p.*)::text as x from person p'),
  view('a whole join', 'select to_jsonb(j)::text as x from (person natural join (select 1 as one) o) j'),
  view('a whole subquery', 'select to_jsonb(q)::text as x from (select * from person) q'),
  view('a WITH query', 'with w as (select secret as s from person) select s as x from w'),
  view('columns with other names', 'select y as x from person as p (i, y)'),
  view('a lateral join', 'select l.x from person p, lateral (select p.secret || $$!$$ as x) l'),
  view('an array', 'select array(select secret from person)::text as x'),
  view('a window', 'select first_value(secret) over () as x from person'),
  view('an operator of its own', 'select 1 #### 2 as x'),
  view('an aggregate of its own', 'select leak(1) as x'),
  view('a cast of its own', 'select (row(1)::marked)::text as x'),
  view(
    'a text run as SQL',
    'select query_to_xml($$select secret from person$$, true, false, $$$$)::text as x',
  ),
  view('a table as XML', 'select table_to_xml($$person$$, true, false, $$$$)::text as x'),
  view('statistics', 'select most_common_vals::text as x from pg_stats where tablename = $$person$$'),
  view('a generated column', 'select shown as x from person'),
  view('a chain of generated columns', 'select loud as x from copies'),
  view('an untracked view', 'select secret as x from hidden_view'),
  view('an untracked materialized view', 'select s as x from hidden_kept'),
  view('a materialized view over a view', 'select whole as x from hidden_rows'),
  view('a partition', 'select secret as x from parts_1 limit 1'),
  view('a default', 'select copied as x from with_default'),
  view('a condition only', 'select 1 as id, $$yes$$ as x from person where secret like $$canary%$$', {
    oracle: true,
  }),
  view('a join only', 'select o.note as x from others o join person p on p.secret = o.secret_copy', {
    oracle: true,
  }),
  view('an order only', 'select id::text as x from person order by secret', { oracle: true }),
  {
    name: 'a materialized view',
    sql: 'create materialized view d% as select secret as x from person',
    columns: ['x'],
    query: '{ d% { x } }',
  },
  {
    name: 'a generated column of the table',
    sql: 'select 1',
    table: 'person',
    columns: ['shown'],
    query: '{ person { shown } }',
  },
  {
    name: 'a key that refers to it',
    sql: 'create table d% (x text references person (secret)); insert into d% select secret from person',
    columns: ['x'],
    query: '{ d% { x } }',
  },
  {
    name: 'a view of such a key',
    sql: 'create table e% (y text references person (secret)); insert into e% select secret from person; create view d% as select y as x from e%',
    columns: ['x'],
    query: '{ d% { x } }',
  },
  {
    name: 'a child',
    sql: 'create table d% (more text) inherits (person); insert into d% (id, secret) values (1, $$canary_child$$)',
    columns: ['secret'],
    query: '{ d% { secret } }',
  },
  field('a computed field', `${SQL} 'select secret from person limit 1'`),
  field('a computed field over a function', `${SQL} 'select secret_of()'`),
  field(
    'a computed field in BEGIN ATOMIC',
    'language sql stable begin atomic select max(secret) from person; end',
  ),
  field(
    'a computed field in another language',
    `language plpgsql stable as 'begin return (select max(secret) from person); end'`,
  ),
  field(
    'a computed field as its owner',
    `language sql stable security definer as 'select max(secret) from person'`,
  ),
  field(
    'a computed field that runs a text',
    `${SQL} $f$ select query_to_xml('select * from person', true, false, '')::text $f$`,
  ),
  {
    name: 'a computed field of the table',
    sql: `create function g%(person) returns text ${SQL} 'select $1.secret'`,
    table: 'person',
    columns: ['id'],
    computed: 'g%',
    query: '{ person { computed } }',
  },
  {
    name: 'a computed field of the whole row',
    sql: `create function g%(p person) returns text ${SQL} 'select to_json(p)::text'`,
    table: 'person',
    columns: ['id'],
    computed: 'g%',
    query: '{ person { computed } }',
  },
  {
    name: 'a computed field in functional notation',
    sql: `create function g%(p person) returns text ${SQL} 'select secret(p)'`,
    table: 'person',
    columns: ['id'],
    computed: 'g%',
    query: '{ person { computed } }',
  },
  rows('a function', `${SQL} 'select secret from person'`),
  rows('a function with other names', `${SQL} 'select y from person as p (i, y)'`),
  rows('a function over a star', `${SQL} $f$ select to_jsonb(q)::text from (select * from person) q $f$`),
  rows(
    'a function over TABLE',
    `${SQL} 'with w (a, b) as (select id, secret from (table person) t) select b from w'`,
  ),
  rows('a function of an alias', `${SQL} 'select p::text from person p'`),
  rows(
    'a function in another language',
    `language plpgsql stable as 'begin return query select secret from person; end'`,
  ),
  rows('a function that calls one in another language', `${SQL} 'select spoken()'`),
  rows('a function over a view', `${SQL} 'select secret from hidden_view'`),
  rows('a function over a generated column', `${SQL} 'select shown from person'`),
];

const SCHEMA = `
  create table person (id int primary key, secret text unique, shown text generated always as (upper(secret)) stored);
  insert into person values (1, 'canary_secret');
  create table others (id int, note text, secret_copy text);
  insert into others values (1, 'canary_seen', 'canary_secret');
  create view hidden_view as select secret from person;
  create materialized view hidden_kept as select secret as s from hidden_view;
  create materialized view hidden_rows as select to_jsonb(p)::text as whole from person p;
  create table copies (id int, s text, quiet text generated always as (lower(s)) stored, loud text generated always as (s || '!') stored);
  create function secret_of() returns text ${SQL} 'select max(secret) from person';
  alter table copies alter column s set default secret_of();
  insert into copies (id) values (1);
  create function spoken() returns text language plpgsql stable as 'begin return (select max(secret) from person); end';
  create table with_default (id int, copied text default secret_of());
  insert into with_default (id) values (1);
  create table parts (id int, secret text) partition by list (id);
  create table parts_1 partition of parts for values in (1);
  insert into parts values (1, 'canary_part');
  create function leak_step(text, int) returns text ${SQL} 'select max(secret) from person';
  create aggregate leak(int) (sfunc = leak_step, stype = text);
  create function leak_operator(int, int) returns text ${SQL} 'select max(secret) from person';
  create operator #### (leftarg = int, rightarg = int, function = leak_operator);
  create type marked as (n int);
  create function leak_cast(marked) returns text ${SQL} 'select max(secret) from person';
  create cast (marked as text) with function leak_cast(marked);
`;

const numbered = (text: string, index: number) => text.replaceAll(/(?<=\b[dge])%/g, String(index));
const roleOf = (index: number) => `role_${index}`;

let server: InProcess;
let code: GeneratedCode;
beforeAll(async () => {
  const made = DOORS.map(({ sql }, index) => `${numbered(sql, index)};`);
  const { url, query } = await createTestDatabase(`${SCHEMA}${made.join('\n')}`);
  // Values are in the statistics of columns that hold them more than once.
  await query('analyze person');
  const tables = new Map<
    string,
    { readonly table: string; computed_fields: object[]; select_permissions: object[] }
  >();
  const entry = (table: string) => {
    const known = tables.get(table) ?? { table, computed_fields: [], select_permissions: [] };
    tables.set(table, known);
    return known;
  };
  for (const table of ['person', 'parts']) entry(table);
  for (const [index, { table = 'd%', columns = [], computed }] of DOORS.entries()) {
    const tracked = entry(numbered(table, index));
    const name = table === 'person' ? `computed_${index}` : 'computed';
    if (computed) tracked.computed_fields.push({ name, definition: { function: numbered(computed, index) } });
    tracked.select_permissions.push({
      role: roleOf(index),
      permission: { columns, filter: {}, computed_fields: computed ? [name] : [] },
    });
  }
  const functions = DOORS.flatMap(({ tracks }, index) =>
    tracks ? [{ function: numbered(tracks, index) }] : [],
  );
  const metadata = { version: 3, sources: [defaultSource({ tables: [...tables.values()], functions })] };
  server = await serveInProcess(url, metadata as never);
  code = readTexts({ label: 'here', folder: 'generated', files: server.files });
});
afterAll(() => server.end());

it.each(DOORS.map((door, index) => [door.name, index, door] as const))('%s', async (_, index, door) => {
  const { query, table, oracle } = door;
  const asked = numbered(query, index).replace(
    'computed',
    table === 'person' ? `computed_${index}` : 'computed',
  );
  const answer = (await server.answer({ query: asked }, roleOf(index))).toLowerCase();
  const isPart = door.name === 'a partition';
  expect(answer).toMatch(oracle ? /yes|canary_seen|"1"/ : door.name === 'statistics' ? /data/ : /canary_/);
  const target = code.program.tables.find(({ key }) => key === (isPart ? 'public.parts' : 'public.person'))!;
  const result = whoCan(code, target, 'secret');
  expect(result.paths.filter(({ access, role }) => access === 'read' && role === roleOf(index))).not.toEqual(
    [],
  );
  expect(whoText(result, CANONICAL)).toContain(roleOf(index));
});

it('a role without a way is not listed', () => {
  const person = code.program.tables.find(({ key }) => key === 'public.person')!;
  const known = whoCan({ ...code, roles: [...code.roles, 'nobody'] }, person, 'secret');
  expect(known.paths.filter(({ role }) => role === 'nobody')).toEqual([]);
});

it('enums, rules and writes that tell of a value are listed, and what is not read is named', async () => {
  const { url } = await createTestDatabase(`
    create table kind (value text primary key, comment text);
    insert into kind values ('good', 'of use');
    create table thing (id int primary key, kind text references kind, owner int, note text);
    create function stamp() returns trigger language plpgsql as 'begin return new; end';
    create trigger stamps before insert on thing for each row execute function stamp();
    create function renew() returns setof thing language sql volatile as 'update thing set note = note returning *';
    create extension postgres_fdw;
    create server elsewhere foreign data wrapper postgres_fdw;
    create foreign table away (id int) server elsewhere;
    create view shouted as select upper(note) as x from thing;
  `);
  const filter = { owner: { _eq: 'X-Engine-User-Id' } };
  const { value: metadata } = readMetadata({
    version: 3,
    sources: [
      defaultSource({
        tables: [
          { table: 'kind', is_enum: true },
          {
            table: 'thing',
            select_permissions: [{ role: 'user', permission: { columns: ['id', 'kind'], filter } }],
            insert_permissions: [
              { role: 'maker', permission: { columns: ['id'], check: { note: { _is_null: false } } } },
            ],
          },
          { table: 'away' },
          {
            table: 'shouted',
            select_permissions: [{ role: 'user', permission: { columns: ['x'], filter: {} } }],
          },
        ],
        functions: [{ function: 'renew' }],
      }),
    ],
  });
  const catalogs = await catalogsOf(metadata, url);
  const { files } = compile({ metadata, catalogs });
  const here = readTexts({ label: 'here', folder: 'generated', files });
  const who = (table: string, column: string, of = here) =>
    whoCan(of, of.program.tables.find(({ key }) => key === `public.${table}`)!, column);
  const vias = (table: string, column: string) =>
    who(table, column).paths.map(({ role, via, possible }) => `${role} ${via}${possible ? '?' : ''}`);
  expect(vias('kind', 'comment')).toEqual(['user enum']);
  expect(vias('thing', 'owner')).toEqual(['user rule?']);
  expect(vias('thing', 'note')).toEqual(['maker rule?', 'user view?']);
  const text = whoText(who('thing', 'note'), CANONICAL);
  for (const part of [
    'on: public.thing (stamps).',
    'functions write: public.renew.',
    'foreign tables come from: public.away.',
  ])
    expect(text.replace(/\s+/g, ' ')).toContain(part);
  const older = Object.fromEntries(
    Object.entries(catalogs).map(([name, catalog]) => [name, { ...catalog, withoutBelow: true as const }]),
  );
  const before = readTexts({
    label: 'older',
    folder: 'generated',
    files: compile({ metadata, catalogs: older }).files,
  });
  expect(whoText(who('thing', 'note', before), CANONICAL).replace(/\s+/g, ' ')).toContain(
    'run engine introspect, and compile anew',
  );
});
