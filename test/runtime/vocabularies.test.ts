/** Two servers of two words in one process: each server reads its requests by its word. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { CANONICAL, Vocabulary } from '../../runtime/core/vocabulary.ts';
import { send, serve, type TestServer } from '../harness/server.ts';
import { inVocabulary, outOfVocabulary } from '../harness/vocabulary.ts';

const SECRET = 'the-secret-of-both';
const TABLES = `
  create table note (id serial primary key, owner text, wrote text);
  create function note_wrote() returns trigger language plpgsql as $$
    begin new.wrote = current_setting('engine.user', true); return new; end $$;
  create trigger wrote before insert on note for each row execute function note_wrote();
  create function of_session(wanted json) returns setof note language sql stable as $$
    select * from note where owner = wanted ->> 'x-engine-user-id' $$;
  insert into note (owner) values ('ada'), ('bob');`;

const METADATA = {
  version: 3,
  sources: [
    {
      name: 'default',
      kind: 'postgres',
      configuration: { connection_info: { database_url: { from_env: 'ENGINE_GRAPHQL_DATABASE_URL' } } },
      tables: [
        {
          table: { schema: 'public', name: 'note' },
          select_permissions: [
            {
              role: 'user',
              permission: { columns: '*', filter: { owner: { _eq: 'X-Engine-User-Id' } } },
            },
          ],
          insert_permissions: [
            { role: 'user', permission: { columns: [], check: {}, set: { owner: 'x-engine-user-id' } } },
          ],
        },
      ],
      functions: [
        {
          function: { schema: 'public', name: 'of_session' },
          configuration: { session_argument: 'wanted' },
        },
      ],
    },
  ],
};

/** Requests in the word `engine`. */
const REQUESTS: readonly (readonly [path: string, body: unknown, headers: Record<string, string>])[] = [
  ['/v1/graphql', { query: '{ note { owner } }' }, { 'x-engine-role': 'user', 'x-engine-user-id': 'ada' }],
  [
    '/v1/graphql',
    { query: '{ of_session { owner } }' },
    { 'x-engine-role': 'user', 'x-engine-user-id': 'bob' },
  ],
  ['/v1/graphql', { query: '{ note { owner } }' }, { 'x-engine-role': 'user' }],
  [
    '/v1/graphql',
    { query: 'mutation { insert_note_one(object: {}) { owner wrote } }' },
    { 'x-engine-role': 'user', 'x-engine-user-id': 'eve' },
  ],
  ['/v1/metadata', { type: 'export_metadata', args: {} }, {}],
  [
    '/v1/metadata',
    {
      type: 'pg_create_select_permission',
      args: {
        table: 'note',
        role: 'other',
        permission: { columns: ['id'], filter: { owner: { _eq: 'X-Other-Id' } } },
      },
    },
    {},
  ],
  ['/v1/metadata', { type: 'drop_collection_from_allowlist', args: [] }, {}],
  [
    '/v1/graphql/explain',
    { query: { query: '{ note { id } }' }, user: { 'X-Engine-Role': 'user', 'x-engine-user-id': 'ada' } },
    {},
  ],
];

const WORDS = [CANONICAL, new Vocabulary('acme')];
const servers: TestServer[] = [];

beforeAll(async () => {
  for (const vocabulary of WORDS) {
    const sql = inVocabulary(TABLES, vocabulary.word);
    servers.push(await serve({ sql, options: { ADMIN_SECRET: SECRET }, vocabulary }));
  }
  const args = { metadata: METADATA };
  const answers = await askBoth('/v1/metadata', { type: 'replace_metadata', version: 2, args }, {});
  for (const { answer } of answers) expect(answer).toMatchObject({ is_consistent: true });
}, 120_000);
afterAll(async () => {
  for (const server of servers) await server.stop();
});

/** Asks both servers at once, each in its word. @returns their answers in the word `engine` */
function askBoth(path: string, body: unknown, headers: Readonly<Record<string, string>>) {
  return Promise.all(
    WORDS.map(async ({ word }, index) => {
      const given = JSON.stringify([body, { ...headers, 'x-engine-admin-secret': SECRET }]);
      const [own, sent] = JSON.parse(inVocabulary(given, word)) as [object, Record<string, string>];
      const { status, json } = await send(servers[index]!, path, { body: own, headers: sent });
      return { status, answer: JSON.parse(outOfVocabulary(JSON.stringify(json), word)) as unknown };
    }),
  );
}

test('requests to both at once are answered alike, each in its word', async () => {
  const rounds = await Promise.all(
    [1, 2, 3]
      .flatMap(() => REQUESTS.filter(([path]) => path === '/v1/graphql'))
      .map((each) => askBoth(...each)),
  );
  for (const [usual, other] of rounds) expect(other).toEqual(usual);
  for (const request of REQUESTS) {
    const [usual, other] = await askBoth(...request);
    expect(other, request[0]).toEqual(usual);
  }
  const asked = await Promise.all(REQUESTS.slice(0, 4).map((each) => askBoth(...each)));
  const [first, second, missing, written] = asked.map(([usual]) => usual);
  expect(first!.answer).toEqual({ data: { note: [{ owner: 'ada' }] } });
  expect(second!.answer).toEqual({ data: { of_session: [{ owner: 'bob' }] } });
  expect(missing!.answer).toMatchObject({
    errors: [{ message: 'missing session variable: "x-engine-user-id"' }],
  });
  expect(written!.answer).toMatchObject({
    data: { insert_note_one: { wrote: expect.stringContaining('"x-engine-user-id":"eve"') } },
  });
});

test('an admin secret under the word of the other server is refused', async () => {
  const codes = await Promise.all(
    WORDS.toReversed().map(async ({ prefix }, index) => {
      const headers = { [`${prefix}admin-secret`]: SECRET };
      const body = { query: '{ note { id } }' };
      const { json } = await send(servers[index]!, '/v1/graphql', { body, headers });
      return (json as { errors: { extensions: { code: string } }[] }).errors[0]!.extensions.code;
    }),
  );
  expect(codes).toEqual(['access-denied', 'bad-request']);
});

test('the path of the health has the word of its server', async () => {
  for (const [index, { word }] of WORDS.entries()) {
    const statuses = await Promise.all(
      WORDS.map(
        async (each) => (await send(servers[index]!, `/${each.word}/healthz`, { method: 'GET' })).status,
      ),
    );
    expect(statuses, word).toEqual(WORDS.map((each) => (each.word === word ? 200 : 404)));
  }
});
