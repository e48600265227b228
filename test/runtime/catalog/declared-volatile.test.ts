/** Native queries that may write: found whatever hides the call, and evaluated once. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createTestDatabase, type TestDatabase } from '../../harness/postgres.ts';
import { send, startTestServer, type TestServer } from '../../harness/server.ts';

const WRITE: Readonly<Record<string, string>> = {
  called: 'select noted() as n',
  capitals: 'select NOTED() as n',
  qualified: 'select public.noted() as n',
  quoted: 'select "public"."noted"() as n',
  odd_name: 'select "No ""ted"() as n',
  in_from: 'select n from noted() as n',
  spaced: 'select noted\n /* here */ () as n',
  nested: 'select (select max(x) from (select noted() as x) as q) as n',
  in_where: 'select 1 as n where noted() > 0',
  after_literals: "select case when 'it''s' = E'it\\'s' then noted() end as n",
  by_notation: 'select (r).recorded as n from (select r from note as r limit 1) as q',
  by_view: 'select n from noting limit 1',
  by_view_of_a_view: 'select n from noting_again limit 1',
  next_number: "select nextval('counter')::int as n",
  by_operator: 'select 1 +! 2 as n',
  by_cast: "select ('a'::word)::int as n",
  by_order: 'select 1 as n order by noted()',
};
const READ: Readonly<Record<string, string>> = {
  plain: 'select 1 as n',
  literal: "select length('noted()')::int as n",
  comment: 'select 1 /* noted() */ as n -- noted()',
  trigger_name: 'select count(*)::int as n from (select 1 as fired) as q',
  stable: 'select looked() as n',
  like_an_overload: 'select of_two(1) as n',
  column_name: 'select noted.id as n from note as noted limit 1',
};

let database: TestDatabase;
let server: TestServer;

beforeAll(async () => {
  database = await createTestDatabase(`
    create sequence counter; create table note (id serial primary key); insert into note default values;
    create function noted() returns int language sql volatile as 'insert into note default values returning id';
    create function "No ""ted"() returns int language sql volatile as 'select noted()';
    create function recorded(note) returns int language sql volatile as 'select noted()';
    create function looked() returns int language sql stable as 'select count(*)::int from note';
    create function fired() returns trigger language plpgsql as 'begin return new; end';
    create function noted(int, int) returns int language sql volatile as 'select noted()';
    create operator +! (leftarg = int, rightarg = int, function = noted);
    create type word as enum ('a');
    create function numbered(word) returns int language sql volatile as 'select noted()';
    create cast (word as int) with function numbered(word);
    create function of_two(int) returns int language sql immutable as 'select 1';
    create function of_two(text) returns int language sql volatile as 'select noted()';
    create view noting as select noted() as n from note; create view noting_again as select n from noting;
  `);
  server = await startTestServer(database, { RESPONSE_CACHE: '1' });
  const native_queries = Object.entries({ ...WRITE, ...READ }).map(([root_field_name, code]) => ({
    root_field_name,
    code,
    arguments: {},
    returns: 'number',
  }));
  const note = 'insert into note default values returning id as n';
  native_queries.push(
    ...[
      { root_field_name: 'write_note', permissions: [{ role: 'user' }] },
      { root_field_name: 'write_for_admin' },
    ].map((each) => ({ ...each, type: 'mutation', code: note, arguments: {}, returns: 'number' })),
  );
  const logical_models = [
    {
      name: 'number',
      fields: [{ name: 'n', type: { scalar: 'integer', nullable: true } }],
      select_permissions: [{ role: 'user', permission: { columns: '*', filter: {} } }],
    },
  ];
  const configuration = { connection_info: { database_url: database.url } };
  const collection = {
    name: 'calls',
    definition: { queries: [{ name: 'write', query: 'mutation write { write_note { n } }' }] },
  };
  const endpoint = {
    name: 'write',
    url: 'write',
    methods: ['POST'],
    definition: { query: { collection_name: 'calls', query_name: 'write' } },
  };
  const source = {
    name: 'default',
    kind: 'postgres',
    configuration,
    tables: [],
    logical_models,
    native_queries,
  };
  const body = {
    type: 'replace_metadata',
    args: { version: 3, sources: [source], query_collections: [collection], rest_endpoints: [endpoint] },
  };
  const answer = await send(server, '/v1/metadata', { body });
  expect(answer.status, answer.text).toBe(200);
});
afterAll(() => server.stop());

const headers = { 'x-engine-role': 'user' };

async function get(query: string) {
  const answer = await send(server, `/v1/graphql?query=${encodeURIComponent(query)}`, {
    headers,
    method: 'GET',
  });
  return answer.status;
}

async function rows(): Promise<number> {
  const [row] = await database.query('select count(*)::int as n from note');
  return Number(Object.values(row as object)[0]);
}

test.each(Object.keys(WRITE))('%s is answered by POST, once, and not by GET', async (name) => {
  const query = `query @cached { ${name} { n } }`;
  const before = await rows();
  expect(await get(query)).toBe(405);
  expect(await rows()).toBe(before);
  const answer = await send(server, '/v1/graphql', { body: { query }, headers });
  expect(answer.text).toMatch(/^\{"data":\{"\w+":\[\{"n":\d+\}\]\}\}$/);
  expect(answer.headers['cache-control']).toBeUndefined();
  // Views call it for each row that they have.
  if (!name.startsWith('by_view')) expect((await rows()) - before).toBe(name === 'next_number' ? 0 : 1);
});

test.each(Object.keys(READ))('%s is answered by GET', async (name) => {
  expect(await get(`{ ${name} { n } }`)).toBe(200);
});

test('a mutation is called by those who may, by POST and REST, once, and not by GET', async () => {
  const query = 'mutation { write_note { n } }';
  const before = await rows();
  expect(await get('mutation { write_note { n } }')).toBe(405);
  expect((await send(server, '/api/rest/write', { headers, method: 'GET' })).status).toBe(405);
  for (const refused of [
    '{ write_note { n } }',
    'mutation { write_for_admin { n } }',
    'subscription { write_note { n } }',
  ])
    expect((await send(server, '/v1/graphql', { body: { query: refused }, headers })).text).toContain(
      'error',
    );
  expect(await rows()).toBe(before);
  const answer = await send(server, '/v1/graphql', { body: { query }, headers });
  expect(answer.text).toMatch(/^\{"data":\{"write_note":\[\{"n":\d+\}\]\}\}$/);
  expect(answer.headers['cache-control']).toBeUndefined();
  expect((await send(server, '/api/rest/write', { headers, body: {} })).text).toMatch(
    /"write_note":\[\{"n":\d+\}\]/,
  );
  expect(await rows()).toBe(before + 2);
});
