/** A session variable that its rule cannot read is named, with what the rule needs, wherever the rule is asked. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createTestDatabase, type TestDatabase } from '../../harness/postgres.ts';
import { replaceMetadata, send, startTestServer, type TestServer } from '../../harness/server.ts';
import { connect } from '../../harness/socket.ts';

let database: TestDatabase;
let server: TestServer;

beforeAll(async () => {
  database = await createTestDatabase(`
    create table note (id int primary key, team text, at date);
    insert into note values (1, 'a', '2024-01-01')`);
  server = await startTestServer(database, { ADMIN_INTERNAL_ERRORS: 'false', DEV_MODE: 'true' });
  const rules: Record<string, object> = {
    ids: { id: { _in: 'X-Engine-Ids' } },
    teams: { team: { _nin: 'X-Engine-Teams' } },
    id: { id: { _eq: 'X-Engine-Id' } },
    at: { at: { _lt: 'X-Engine-At' } },
  };
  const permissions = (permission: (filter: object) => object) =>
    Object.entries(rules).map(([role, filter]) => ({ role, permission: permission(filter) }));
  await replaceMetadata(server, {
    version: 3,
    sources: [
      {
        name: 'default',
        kind: 'postgres',
        configuration: { connection_info: { database_url: database.url } },
        tables: [
          {
            table: { schema: 'public', name: 'note' },
            select_permissions: permissions((filter) => ({ columns: '*', filter })),
            insert_permissions: permissions((check) => ({ columns: '*', check })),
            update_permissions: permissions((filter) => ({ columns: '*', filter })),
            delete_permissions: permissions((filter) => ({ filter })),
          },
        ],
      },
    ],
  });
});

afterAll(() => server?.stop());

const CASES = [
  [
    'ids',
    '[1,2]',
    'malformed array literal: "[1,2]"',
    'a list of the type integer[] as PostgreSQL writes it, such as {1,2} or {"a b",c}',
  ],
  [
    'ids',
    '{1,x}',
    'invalid input syntax for type integer: "x"',
    'a list of the type integer[] as PostgreSQL writes it, such as {1,2} or {"a b",c}',
  ],
  [
    'teams',
    '["a"]',
    'malformed array literal: "["a"]"',
    'a list of the type text[] as PostgreSQL writes it, such as {1,2} or {"a b",c}',
  ],
  ['id', 'seven', 'invalid input syntax for type integer: "seven"', 'a value of the type integer'],
  ['at', 'soon', 'invalid input syntax for type date: "soon"', 'a value of the type date'],
] as const;

const OPERATIONS = [
  '{ note { id } }',
  'mutation { insert_note_one(object: {id: 9, team: "z", at: "2030-01-01"}) { id } }',
  'mutation { update_note(where: {}, _set: {team: "b"}) { affected_rows } }',
  'mutation { delete_note(where: {}) { affected_rows } }',
];

test.each(CASES)('%s is %s', async (role, value, message, needs) => {
  const name = `x-engine-${role}`;
  const headers = { 'x-engine-role': role, [name]: value };
  const sentence = `${message}. This is the session variable "${name}", of which a rule needs ${needs}`;
  const answers = await Promise.all(
    OPERATIONS.map(async (query) => (await send(server, '/v1/graphql', { headers, body: { query } })).json),
  );
  const socket = await connect(server, { session: headers });
  socket.send({ type: 'subscribe', id: '1', payload: { query: 'subscription { note { id } }' } });
  const { payload } = await socket.next();
  await socket.close();
  const errors = answers.flatMap((each) => (each as { errors: object[] }).errors);
  expect(errors).toHaveLength(OPERATIONS.length);
  const reason = { rule: expect.stringContaining('note'), variable: name };
  for (const error of errors)
    expect(error).toMatchObject({
      message: sentence,
      extensions: { code: 'data-exception', internal: { reason } },
    });
  expect(payload).toMatchObject([{ message: sentence, extensions: { code: 'data-exception' } }]);
});
