/** Messages of checks, by every way that writes, through a server: those of the role, and of no other role with the same check. */
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { failedCheck } from '../../../runtime/core/mutation/check.ts';
import type { JsonObject } from '../../../runtime/metadata/metadata.ts';
import type { TestDatabase } from '../../harness/postgres.ts';
import { readRequestProject } from '../../harness/request-project.ts';
import { replaceMetadata, send, startTestServer, type TestServer } from '../../harness/server.ts';

let database: TestDatabase;
let server: TestServer;
let restore: string;

const OPERATIONS = {
  Remove: 'mutation Remove($id: Int!) { delete_folder_by_pk(id: $id) { id } }',
  Put: 'mutation Put($id: Int!, $state: String!) { insert_folder_one(object: { id: $id, owner: "ann", state: $state }, on_conflict: { constraint: folder_pkey, update_columns: [state] }) { id } }',
};
const query = (name: string) => ({ collection_name: 'saved', query_name: name });

beforeAll(async () => {
  const project = await readRequestProject('writing/check-messages');
  ({ database } = project);
  restore = `truncate folder, letter, entry; ${project.rows}`;
  server = await startTestServer(database, { DEV_MODE: 'true' }, { DATABASE_URL: database.url });
  await replaceMetadata(server, {
    ...(project.metadata as JsonObject),
    query_collections: [
      {
        name: 'saved',
        definition: { queries: Object.entries(OPERATIONS).map(([name, text]) => ({ name, query: text })) },
      },
    ],
    rest_endpoints: [
      { name: 'Remove', url: 'folder/:id', methods: ['DELETE'], definition: { query: query('Remove') } },
      { name: 'Put', url: 'folder/:id', methods: ['PUT'], definition: { query: query('Put') } },
    ],
  });
});
afterAll(() => server?.stop());
beforeEach(() => database.query(restore));

const headers = (role: string) => ({ 'x-engine-role': role, 'x-engine-user': 'ann' });
const CLERK = 'Close the folder first, and empty its letters.';
const GENERAL = 'check constraint of a delete permission has failed';
const ODD = /^"It" isn't \[default\.public\.folder\.delete check 1\/2\] .*"x" \[y check\]$/s;

async function post(path: string, role: string, body: object): Promise<JsonObject> {
  return (await send(server, path, { body, headers: headers(role) })).json as JsonObject;
}

test('roles with the same check have each their message, in turn', async () => {
  const body = { query: 'mutation { delete_folder_by_pk(id: 1) { id } }' };
  for (const [role, message] of [
    ['clerk', CLERK],
    ['guest', GENERAL],
    ['odd', expect.stringMatching(ODD)],
    ['guest', GENERAL],
    ['clerk', CLERK],
  ] as const)
    for (const path of ['/v1/graphql', '/v1alpha1/graphql', '/v1beta1/relay'])
      expect(await post(path, role, body), path).toMatchObject({
        errors: [{ message, extensions: { code: 'permission-error', path: '$' } }],
      });
});

test('one of several requests sent together', async () => {
  const batch = [3, 1].map((id) => ({ query: `mutation { delete_folder_by_pk(id: ${id}) { id } }` }));
  const answers = (await send(server, '/v1/graphql', { body: batch, headers: headers('clerk') })).json;
  expect(answers).toMatchObject([{ data: { delete_folder_by_pk: null } }, { errors: [{ message: CLERK }] }]);
});

test('saved operations and REST endpoints', async () => {
  const rest = async (method: string, role: string, id: number, body?: object) =>
    (await send(server, `/api/rest/folder/${id}`, { method, headers: headers(role), ...(body && { body }) }))
      .json;
  expect(await rest('DELETE', 'clerk', 1)).toMatchObject({ code: 'permission-error', error: CLERK });
  expect(await rest('DELETE', 'guest', 1)).toMatchObject({ code: 'permission-error', error: GENERAL });
  expect(await rest('DELETE', 'odd', 1)).toMatchObject({ error: expect.stringMatching(ODD) });
  expect(await rest('PUT', 'clerk', 1, { state: 'lost' })).toMatchObject({ error: 'Folders are not lost.' });
  expect(await rest('PUT', 'clerk', 9, { state: 'lost' })).toMatchObject({
    error: 'Folders do not begin lost.',
  });
});

test('the legacy data operations', async () => {
  const legacy = (type: string, args: object) =>
    post('/v1/query', 'clerk', { type, args: { table: 'folder', ...args } });
  expect(await legacy('delete', { where: { id: 1 } })).toMatchObject({ error: CLERK });
  expect(await legacy('update', { where: {}, $set: { state: 'lost' } })).toMatchObject({
    error: 'Folders are not lost.',
  });
  expect(await legacy('insert', { objects: [{ id: 9, owner: 'ann', state: 'lost' }] })).toMatchObject({
    error: 'Folders do not begin lost.',
  });
});

/** A client can send such a text itself, as a value. */
test.each(['"\\q"', '"\\u12"', '"\t"', '"a'])(
  'a text that is not a message is not read as one: %s',
  (own) => {
    const text = `check constraint of a delete permission has failed ${own} [a check]`;
    expect(failedCheck(text)?.message).not.toBe(own);
  },
);

test('a message without a check leaves the permission out', async () => {
  const answer = await post('/v1/metadata', 'admin', {
    type: 'pg_create_delete_permission',
    args: {
      source: 'default',
      table: 'entry',
      role: 'clerk',
      permission: { filter: {}, check_message: 'No.' },
    },
  });
  expect(answer).toMatchObject({ error: expect.stringContaining('"check_message" needs "check"') });
});
