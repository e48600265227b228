/** Requests that try to get the kept answer of another request, or one that is not true any more. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { send, serve, type TestServer } from '../../harness/server.ts';

let server: TestServer;

const own = { owner: { _eq: 'X-Engine-User-Id' } };
const VIEWS: Readonly<Record<string, string>> = {
  now_view: 'select id, owner, now() as t from note',
  age_view: 'select id, owner, age(at) as t from note',
  random_view: 'select id, owner, random() as t from note',
  setting_view: "select id, owner, current_setting('application_name') as t from note",
  user_view: 'select id, owner, current_user::text as t from note',
  sequence_view: 'select 1 as id, 1 as owner, last_value as t from counter',
  activity_view: 'select pid as id, 1 as owner, state as t from pg_stat_activity',
  deep_view: 'select id, owner, t from now_view where id > 0',
  session_view: 'select id, owner, txid_current() as t from note',
  clock_view: "select id, owner, 'now'::text::timestamptz as t from note",
};

beforeAll(async () => {
  server = await serve({
    sql: `
    create sequence counter;
    create table note (
      id int primary key, owner int not null, body text not null, at timestamptz not null default '2020-01-01', days daterange,
      times timestamptz[], doc jsonb not null default '{}');
    create index on note (owner);
    ${Object.entries(VIEWS)
      .map(([name, sql]) => `create view ${name} as ${sql};`)
      .join('\n')}
    create function note_late(note) returns boolean language sql stable as 'select $1.at < now()';
    create function note_of(note, session json) returns text language sql immutable as
      $$ select session ->> 'x-engine-user-id' $$;
    create function said(body text, session json) returns setof note language sql immutable as
      $$ select 1, 1, body || (session ->> 'x-engine-user-id'), null::timestamptz, null::daterange, null::timestamptz[], null::jsonb $$;
    insert into note (id, owner, body) select id, id % 3, 'note ' || id from generate_series(1, 9) as id;
  `,
    options: { RESPONSE_CACHE: '1', ENABLED_APIS: 'graphql,metadata,developer' },
  });
  const views = Object.keys(VIEWS).map((table) => ({ table }));
  const tables = [
    {
      table: 'note',
      computed_fields: [
        { name: 'late', definition: { function: 'note_late' } },
        { name: 'of', definition: { function: 'note_of', session_argument: 'session' } },
      ],
      select_permissions: [
        permission('user', own, { computed_fields: ['late', 'of'] }),
        permission('other', { owner: { _neq: 'X-Engine-User-Id' } }),
      ],
      update_permissions: [{ role: 'user', permission: { columns: ['body'], filter: own, check: {} } }],
    },
    ...views.map(({ table }) => ({
      table,
      select_permissions: [permission('user', {})],
    })),
  ];
  const functions = [{ function: 'said', configuration: { session_argument: 'session' } }];
  const source = {
    name: 'default',
    kind: 'postgres',
    configuration: { connection_info: { database_url: server.database.url } },
    tables,
    functions,
  };
  const metadata = { version: 3, sources: [source] };
  const answer = await send(server, '/v1/metadata', { body: { type: 'replace_metadata', args: metadata } });
  expect(answer.status, answer.text).toBe(200);
});
afterAll(() => server.stop());

function permission(role: string, filter: object, more: object = {}) {
  return { role, permission: { columns: '*', filter, allow_aggregations: true, ...more } };
}

interface Asked {
  readonly query: string;
  readonly variables?: object;
  readonly operationName?: string;
  readonly headers?: readonly string[];
}

const user = (id: number) => ['x-engine-role', 'user', 'x-engine-user-id', String(id)];

async function ask({ headers = user(1), ...body }: Asked) {
  const answer = await send(server, '/v1/graphql', { body, headers });
  return { text: answer.text, isKept: answer.headers['cache-control'] !== undefined };
}

/** Without the directive. */
const fresh = (asked: Asked) => ask({ ...asked, query: asked.query.replaceAll(/@cached(\([^)]*\))?/g, '') });

const list = 'note(order_by: {id: asc}) { id body }';
const by = (where: string) => `note(where: ${where}, order_by: {id: asc}) { id body }`;

/** Requests of which the first is kept: the others get answers of theirs. */
const APART: readonly (readonly [what: string, first: Asked, ...others: Asked[]])[] = [
  [
    'users',
    { query: `query a1 @cached { ${list} }` },
    { query: `query a1 @cached { ${list} }`, headers: user(2) },
  ],
  [
    'roles with the same variables',
    { query: `query a2 @cached { ${list} }` },
    { query: `query a2 @cached { ${list} }`, headers: ['x-engine-role', 'other', 'x-engine-user-id', '1'] },
    { query: `query a2 @cached { ${list} }`, headers: [] },
  ],
  [
    'names of headers in capitals, and headers that say nothing',
    { query: `query a3 @cached { ${list} }` },
    { query: `query a3 @cached { ${list} }`, headers: ['X-Engine-Role', 'user', 'X-ENGINE-USER-ID', '2'] },
    { query: `query a3 @cached { ${list} }`, headers: [...user(2), 'x-engine-other', '1'] },
    { query: `query a3 @cached { ${list} }`, headers: ['x-engine-role', 'user'] },
    { query: `query a3 @cached { ${list} }`, headers: ['x-engine-role', 'user', 'x-engine-user-id', ''] },
    {
      query: `query a3 @cached { ${list} }`,
      headers: [...user(1), 'x-engine-use-backend-only-permissions', 'true'],
    },
  ],
  [
    'aliases',
    { query: 'query a4 @cached { a: note { id } }' },
    { query: 'query a4 @cached { b: note { id } }' },
    { query: 'query a4 @cached { a: note { b: id } }' },
  ],
  [
    'operations of one text',
    { query: `query x @cached { note { id } } query y @cached { note { body } }`, operationName: 'x' },
    { query: `query x @cached { note { id } } query y @cached { note { body } }`, operationName: 'y' },
  ],
  [
    'what is included',
    { query: 'query a6($b: Boolean!) @cached { note { id body @include(if: $b) } }', variables: { b: true } },
    {
      query: 'query a6($b: Boolean!) @cached { note { id body @include(if: $b) } }',
      variables: { b: false },
    },
  ],
  [
    'what is skipped in a fragment',
    {
      query: 'query a7($b: Boolean!) @cached { note { id ...f @skip(if: $b) } } fragment f on note { body }',
      variables: { b: true },
    },
    {
      query: 'query a7($b: Boolean!) @cached { note { id ...f @skip(if: $b) } } fragment f on note { body }',
      variables: { b: false },
    },
  ],
  [
    'columns that variables select',
    {
      query: 'query a8($o: [note_order_by!]) @cached { note(order_by: $o) { id } }',
      variables: { o: [{ id: 'asc' }] },
    },
    {
      query: 'query a8($o: [note_order_by!]) @cached { note(order_by: $o) { id } }',
      variables: { o: [{ id: 'desc' }] },
    },
    {
      query: 'query a8($o: [note_order_by!]) @cached { note(order_by: $o) { id } }',
      variables: { o: { body: 'desc' } },
    },
    { query: 'query a8($o: [note_order_by!]) @cached { note(order_by: $o) { id } }', variables: { o: null } },
    { query: 'query a8($o: [note_order_by!]) @cached { note(order_by: $o) { id } }' },
  ],
  [
    'distinct columns',
    {
      query: 'query a9($d: [note_select_column!]) @cached { note(distinct_on: $d) { owner } }',
      variables: { d: ['owner'] },
    },
    {
      query: 'query a9($d: [note_select_column!]) @cached { note(distinct_on: $d) { owner } }',
      variables: { d: ['id'] },
    },
  ],
  [
    'conditions that variables are',
    { query: `query a10($w: note_bool_exp!) @cached { ${by('$w')} }`, variables: { w: { id: { _gt: 4 } } } },
    { query: `query a10($w: note_bool_exp!) @cached { ${by('$w')} }`, variables: { w: { id: { _lt: 4 } } } },
    { query: `query a10($w: note_bool_exp!) @cached { ${by('$w')} }`, variables: { w: { id: { _gt: 1 } } } },
    {
      query: `query a10($w: note_bool_exp!) @cached { ${by('$w')} }`,
      variables: { w: { _not: { id: { _gt: 4 } } } },
    },
    { query: `query a10($w: note_bool_exp!) @cached { ${by('$w')} }`, variables: { w: {} } },
  ],
  [
    'values that look alike',
    {
      query: `query a11($a: String!, $b: String!) @cached { ${by('{body: {_in: [$a, $b]}}')} }`,
      variables: { a: 'note 1', b: 'x' },
    },
    {
      query: `query a11($a: String!, $b: String!) @cached { ${by('{body: {_in: [$a, $b]}}')} }`,
      variables: { a: 'note 1","x', b: '' },
    },
    {
      query: `query a11($a: String!, $b: String!) @cached { ${by('{body: {_in: [$a, $b]}}')} }`,
      variables: { a: '', b: 'note 1' },
    },
    {
      query: `query a11($a: String!, $b: String!) @cached { ${by('{body: {_in: [$a, $b]}}')} }`,
      variables: { a: 'note 7', b: 'x' },
    },
  ],
  [
    'null, its text and nothing',
    { query: `query a12($a: String) @cached { said(args: {body: $a}) { body } }`, variables: { a: 'null' } },
    { query: `query a12($a: String) @cached { said(args: {body: $a}) { body } }`, variables: { a: null } },
    { query: `query a12($a: String) @cached { said(args: {body: $a}) { body } }` },
    { query: `query a12($a: String) @cached { said(args: {body: $a}) { body } }`, variables: { a: '' } },
    {
      query: `query a12($a: String) @cached { said(args: {body: $a}) { body } }`,
      variables: { a: 'null' },
      headers: user(2),
    },
  ],
  [
    'lists of other lengths',
    { query: `query a13($l: [Int!]) @cached { ${by('{id: {_in: $l}}')} }`, variables: { l: [1] } },
    { query: `query a13($l: [Int!]) @cached { ${by('{id: {_in: $l}}')} }`, variables: { l: [1, 4] } },
    { query: `query a13($l: [Int!]) @cached { ${by('{id: {_in: $l}}')} }`, variables: { l: [] } },
    { query: `query a13($l: [Int!]) @cached { ${by('{id: {_in: $l}}')} }`, variables: { l: '{4}' } },
  ],
  [
    'computed fields that take the session',
    { query: 'query a14 @cached { note(limit: 1) { of } }' },
    { query: 'query a14 @cached { note(limit: 1) { of } }', headers: user(2) },
    { query: 'query a14 @cached { note(limit: 1) { of } }', headers: ['x-engine-user-id', '7'] },
  ],
  [
    'functions that take the session',
    { query: 'query a15 @cached { said(args: {body: "a"}) { body } }', headers: ['x-engine-user-id', '1'] },
    { query: 'query a15 @cached { said(args: {body: "a"}) { body } }', headers: ['x-engine-user-id', '2'] },
  ],
  [
    'sums of rows that the role may not see',
    { query: 'query a16 @cached { note_aggregate { aggregate { count max { body } } } }' },
    { query: 'query a16 @cached { note_aggregate { aggregate { count max { body } } } }', headers: user(2) },
  ],
  [
    'a schema beside rows',
    { query: 'query a17 @cached { __schema { queryType { fields { name } } } note { id } }' },
    { query: 'query a17 @cached { __schema { queryType { fields { name } } } note { id } }', headers: [] },
  ],
  [
    'defaults of variables',
    { query: `query a18($m: Int = 4) @cached { ${by('{id: {_gte: $m}}')} }` },
    { query: `query a18($m: Int = 4) @cached { ${by('{id: {_gte: $m}}')} }`, variables: { m: 1 } },
    { query: `query a18($m: Int = 4) @cached { ${by('{id: {_gte: $m}}')} }`, variables: { m: null } },
  ],
  [
    'keys',
    { query: 'query a19($id: Int!) @cached { note_by_pk(id: $id) { body } }', variables: { id: 1 } },
    { query: 'query a19($id: Int!) @cached { note_by_pk(id: $id) { body } }', variables: { id: 2 } },
    {
      query: 'query a19($id: Int!) @cached { note_by_pk(id: $id) { body } }',
      variables: { id: 1 },
      headers: user(2),
    },
  ],
];

test.each(APART.map(([what, first, ...others]) => ({ what, first, others })))(
  '$what get answers of their own',
  async ({ first, others }) => {
    await expect.poll(async () => (await ask(first)).isKept).toBe(true);
    for (let round = 0; round < 3; round += 1)
      for (const asked of [first, ...others])
        expect(await ask(asked).then(({ text }) => text)).toBe((await fresh(asked)).text);
  },
);

/** What changes without a write of a table, whatever hides it. */
const NEVER: readonly (readonly [query: string, variables?: object])[] = [
  ...Object.keys(VIEWS).map((view) => [`query n @cached { ${view} { t } }`] as const),
  ['query n @cached { note { id late } }'],
  ['query n @cached { note(where: {late: {_eq: true}}) { id } }'],
  ['query n @cached { note(order_by: {late: asc}) { id } }'],
  ['query n @cached { note(where: {at: {_lt: "now"}}) { id } }'],
  ['query n($t: timestamptz) @cached { note(where: {at: {_lt: $t}}) { id } }', { t: ' ToMorrow ' }],
  ['query n($t: daterange) @cached { note(where: {days: {_eq: $t}}) { id } }', { t: '[today,)' }],
  ['query n @cached { note(where: {times: {_eq: "{yesterday}"}}) { id } }'],
  ['query n @cached(ttl: 0) { note { id } }'],
  ['query n @cached(ttl: -5) { note { id } }'],
];

interface Listed {
  readonly operation_name: string;
  readonly query: string;
  readonly misses: number;
  readonly not_kept_because: string | null;
}

async function listed(): Promise<readonly Listed[]> {
  const { json } = await send(server, '/dev/cache', { method: 'GET' });
  return (json as { queries: readonly Listed[] }).queries;
}

test.each(NEVER.map(([query, variables]) => ({ query, variables })))(
  '$query $variables is never kept',
  async ({ query, variables }) => {
    const asked = { query, ...(variables && { variables }) };
    const reason = async () => {
      const { text, isKept } = await ask(asked);
      expect([text.slice(0, 7), isKept], text).toEqual(['{"data"', false]);
      return (await listed()).find((each) => each.query === query)?.not_kept_because;
    };
    await expect.poll(reason).not.toBe('nothing is known of it yet');
    expect((await ask(asked)).isKept).toBe(false);
  },
);

test.each([
  'query r @cached @cached { note { id } }',
  'query r { note @cached { id } }',
  'query r { note { id @cached } }',
  'query r { ...f @cached } fragment f on query_root { note { id } }',
  'mutation r @cached { update_note_by_pk(pk_columns: {id: 1}, _set: {body: "x"}) { id } }',
  'query r @cached(ttl: 1.5) { note { id } }',
  'query r @cached(ttl: 99999999999) { note { id } }',
  'query r @cached(ttl: [1]) { note { id } }',
  'query r @cached(ttl: {}) { note { id } }',
  'query r @cached(refresh: "true") { note { id } }',
  'query r @cached(ttl: $t) { note { id } }',
  'query r($t: String) @cached(ttl: $t) { note { id } }',
])('%s is refused', async (query) => {
  for (let round = 0; round < 2; round += 1) expect((await ask({ query })).text).toMatch(/^\{"errors"/);
});

test.each([
  ['ttl: null', undefined],
  ['refresh: null', undefined],
  ['ttl: $t', { t: null }],
  ['ttl: $t', undefined],
])('(%s) with the variables %o counts as not written', async (given, variables) => {
  const declared = given.includes('$') ? '($t: Int)' : '';
  const query = `query u${declared} @cached(${given}) { ${list} }`;
  const answer = async () =>
    (await send(server, '/v1/graphql', { body: { query, variables }, headers: user(1) })).headers[
      'cache-control'
    ];
  await expect.poll(answer).toMatch(/^max-age=(60|59)$/);
});

test('a request gets no answer that is older than it asks for', async () => {
  const query = `query old($t: Int) @cached(ttl: $t) { ${list} }`;
  await expect.poll(async () => (await ask({ query, variables: { t: 600 } })).isKept).toBe(true);
  const text = async (t: number) =>
    (await send(server, '/v1/graphql', { body: { query, variables: { t } }, headers: user(1) })).headers[
      'cache-control'
    ];
  expect(await text(30)).toMatch(/^max-age=(30|29)$/);
  expect(await text(0)).toBeUndefined();
});

test('many queries leave room for no more than the cache has', async () => {
  const kept = { query: `query first @cached { ${list} }` };
  await expect.poll(async () => (await ask(kept)).isKept).toBe(true);
  const fields = Array.from(
    { length: 60 },
    (_, index) => `f${index}: note(where: {id: {_gt: ${index}}}) { id body }`,
  );
  for (let number = 0; number < 120; number += 1)
    await ask({ query: `query q${number} @cached { ${fields.join(' ')} }` });
  const known = (await listed()).filter(
    ({ operation_name: name, misses }) => /^q\d/.test(name) && misses > 0,
  );
  expect(known.length).toBeLessThan(100);
  expect(known.map(({ operation_name: name }) => name)).toContain('q119');
});
