/** Calls of saved operations by hash and name, texts that clients register, and servers that answer nothing else. */

import { createHash } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { RunningServer } from '../../../../runtime/server/main.ts';
import { readRequestProject } from '../../../harness/request-project.ts';
import { serve } from '../../../harness/server.ts';
import { openSocket } from '../../../harness/socket.ts';

const byId = 'query by_id($id: Int!) { note_by_pk(id: $id) { id text } }';
const all = '{ note(order_by: {id: asc}) { id } }';

let plain: RunningServer;
let registering: RunningServer;
let onlySaved: RunningServer;
let listed: RunningServer;

async function send(to: RunningServer, path: string, role: string, body?: unknown) {
  const response = await fetch(`http://127.0.0.1:${to.port}${path}`, {
    method: body === undefined ? 'GET' : 'POST',
    headers: { 'x-engine-role': role, 'x-engine-user-id': '1' },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  return { status: response.status, json: JSON.parse(await response.text()) };
}

const post = async (to: RunningServer, body: unknown, role = 'user') =>
  (await send(to, '/v1/graphql', role, body)).json;

const get = async (to: RunningServer, parameters: Record<string, string>, role = 'user') =>
  (await send(to, `/v1/graphql?${new URLSearchParams(parameters)}`, role)).json;

const hash = (text: string, algorithm = 'sha256') => createHash(algorithm).update(text).digest('hex');
const persisted = (text: string) => ({ persistedQuery: { version: 1, sha256Hash: hash(text) } });

const first = { data: { note_by_pk: { id: 1, text: 'one' } } };
const failure = (message: string, code: string) => ({
  errors: [expect.objectContaining({ message, extensions: expect.objectContaining({ code }) })],
});
const notFound = failure('PersistedQueryNotFound', 'PERSISTED_QUERY_NOT_FOUND');
const onlySavedRefusal = failure(
  'only saved operations are answered: send "documentId" with the hash or the name of one',
  'validation-failed',
);
const notAllowed = failure('query is not allowed', 'validation-failed');
const onlyQueries = failure('only queries can be run with GET; use POST', 'not-supported');

beforeAll(async () => {
  const { database, metadata } = await readRequestProject('served/calls');
  plain = await serve({ database, metadata });
  registering = await serve({
    database,
    options: { ENABLE_PERSISTED_QUERIES: 'true', PERSISTED_QUERIES_TTL: '600' },
  });
  onlySaved = await serve({
    database,
    options: { ONLY_SAVED_OPERATIONS: 'true', ENABLE_PERSISTED_QUERIES: 'true' },
  });
  listed = await serve({ database, options: { ENABLE_ALLOWLIST: 'true', ENABLE_PERSISTED_QUERIES: 'true' } });
});

afterAll(() => Promise.all([plain, registering, onlySaved, listed].map((server) => server?.stop())));

describe('a saved operation', () => {
  const variables = { id: 1 };

  test.each([
    ['its SHA-256', { documentId: hash(byId) }],
    ['its SHA-256, with the name of the algorithm', { documentId: `sha256:${hash(byId)}` }],
    ['its SHA-256 as it is saved', { documentId: hash(`${byId}\n`) }],
    ['its SHA-1', { documentId: hash(byId, 'sha1') }],
    ['its MD5', { documentId: hash(byId, 'md5') }],
    ['collection and name', { documentId: 'notes/by_id' }],
    ['a name that no other collection has', { documentId: 'by_id' }],
    ['the hash of a persisted query', { extensions: persisted(byId) }],
    ['a hash beside the text', { query: byId, extensions: persisted(byId) }],
    ['a hash beside an empty text', { query: '', operationName: 'by_id', extensions: persisted(byId) }],
  ])('is called by %s', async (_, call) => {
    expect(await post(plain, { ...call, variables })).toEqual(first);
  });

  test('is called with GET, unless it changes data', async () => {
    expect(await get(plain, { documentId: 'by_id', variables: '{"id":1}' })).toEqual(first);
    expect(await get(plain, { extensions: JSON.stringify(persisted(byId)), variables: '{"id":1}' })).toEqual(
      first,
    );
    expect(await get(plain, { documentId: 'notes/finish', variables: '{"id":1}' })).toEqual(onlyQueries);
  });

  test('changes data, in a batch as well, under the rules of the role', async () => {
    const calls = [
      { documentId: 'notes/finish', variables: { id: 3 } },
      { documentId: 'nothing' },
      { documentId: 'notes/finish', variables: { id: 2 } },
    ];
    expect(await post(plain, calls)).toEqual([
      { data: { update_note_by_pk: { id: 3, done: true } } },
      notFound,
      { data: { update_note_by_pk: null } },
    ]);
    const { json, status } = await send(plain, '/v1alpha1/graphql', 'guest', calls[0]);
    expect({ json, status }).toEqual({
      json: failure('no mutations exist', 'validation-failed'),
      status: 400,
    });
  });

  test('that is unknown gets the usual code', async () => {
    expect(await post(plain, { documentId: hash(all) })).toEqual(notFound);
    expect(await post(plain, { extensions: persisted(all) })).toEqual(notFound);
    // Two collections have the name.
    expect(await post(plain, { documentId: 'finish', variables })).toEqual(notFound);
  });

  test('gets its variables checked as a text does', async () => {
    const wrong = [{}, { id: null }, { id: 1, other: 2 }, { id: 'x' }];
    for (const variables of wrong) {
      const saved = await post(plain, { documentId: 'by_id', variables });
      expect(saved).toEqual(await post(plain, { query: byId, variables }));
      expect(saved.errors).toHaveLength(1);
    }
  });

  test.each([
    [{ query: byId, documentId: 'by_id' }, 'bad-request', '$.documentId'],
    [{ documentId: 1 }, 'parse-failed', '$.documentId'],
    [{ extensions: { persistedQuery: 'x' } }, 'parse-failed', '$.extensions.persistedQuery'],
    [
      { extensions: { persistedQuery: { version: 2 } } },
      'parse-failed',
      '$.extensions.persistedQuery.version',
    ],
    [
      { extensions: { persistedQuery: { version: 1 } } },
      'parse-failed',
      '$.extensions.persistedQuery.sha256Hash',
    ],
    [{ query: null }, 'parse-failed', '$.query'],
    [{}, 'parse-failed', '$'],
  ])('is not what %j calls', async (body, code, path) => {
    expect((await post(plain, body)).errors[0].extensions).toMatchObject({ code, path });
  });
});

describe('a text that a client registers', () => {
  test('is known by its hash from then on', async () => {
    const query = '{ note(order_by: {id: desc}) { id } }';
    const answer = { data: { note: [{ id: 3 }, { id: 1 }] } };
    expect(await post(registering, { extensions: persisted(query) })).toEqual(notFound);
    expect(await post(registering, { query, extensions: persisted(query) })).toEqual(answer);
    expect(await post(registering, { extensions: persisted(query) })).toEqual(answer);
    const extensions = JSON.stringify(persisted(query));
    expect(await get(registering, { extensions })).toEqual(answer);
    // Each role sees its own rows.
    expect((await post(registering, { extensions: persisted(query) }, 'guest')).data.note).toHaveLength(3);
  });

  test('has to have the hash that it is sent with', async () => {
    expect(
      await post(registering, { query: all, extensions: persisted(byId.replace('id text', 'id')) }),
    ).toEqual(failure('provided sha does not match query', 'bad-request'));
  });

  test('is registered with GET as well, but does not change data there', async () => {
    const query = '{ note { text } }';
    const extensions = JSON.stringify(persisted(query));
    expect((await get(registering, { query, extensions })).data.note).toHaveLength(2);
    expect((await get(registering, { extensions })).data.note).toHaveLength(2);
    const change = 'mutation { update_note(where: {}, _set: {done: true}) { affected_rows } }';
    expect(await get(registering, { query: change, extensions: JSON.stringify(persisted(change)) })).toEqual(
      onlyQueries,
    );
  });

  test('runs where nothing is registered, but is forgotten', async () => {
    const answer = { data: { note: [{ id: 1 }, { id: 3 }] } };
    expect(await post(plain, { query: all, extensions: persisted(all) })).toEqual(answer);
    expect(await post(plain, { extensions: persisted(all) })).toEqual(notFound);
  });
});

describe('where only saved operations are answered', () => {
  test('they run by hash, by name, by their exact text and through REST', async () => {
    const variables = { id: 1 };
    expect(await post(onlySaved, { documentId: hash(byId), variables })).toEqual(first);
    expect(await post(onlySaved, { query: byId, variables })).toEqual(first);
    expect(await get(onlySaved, { query: byId, variables: '{"id":1}' })).toEqual(first);
    expect((await send(onlySaved, '/api/rest/notes/1', 'user')).json).toEqual(first.data);
  });

  test('nothing else does, however it comes', async () => {
    expect(await post(onlySaved, { query: all })).toEqual(onlySavedRefusal);
    expect(await post(onlySaved, { query: byId.replace('text', 'done'), variables: { id: 1 } })).toEqual(
      onlySavedRefusal,
    );
    expect(await get(onlySaved, { query: all })).toEqual(onlySavedRefusal);
    expect(await post(onlySaved, [{ query: all }])).toEqual([onlySavedRefusal]);
    expect(await post(onlySaved, { query: '{ __typename }' })).toEqual(onlySavedRefusal);
    expect(await post(onlySaved, { query: 'not even GraphQL' })).toEqual(onlySavedRefusal);
    // Clients cannot register their way in.
    expect(await post(onlySaved, { query: all, extensions: persisted(all) })).toEqual(onlySavedRefusal);
    expect(await post(onlySaved, { extensions: persisted(all) })).toEqual(notFound);
    const select = { type: 'select', args: { table: 'note', columns: ['id'] } };
    for (const path of ['/v1/query', '/v2/query'])
      expect(await send(onlySaved, path, 'user', select)).toMatchObject({
        status: 400,
        json: { code: 'access-denied' },
      });
    expect((await send(plain, '/v1/query', 'user', select)).json).toHaveLength(2);
  });

  test('but for administrators', async () => {
    expect((await post(onlySaved, { query: all }, 'admin')).data.note).toHaveLength(3);
    const select = { type: 'select', args: { table: 'note', columns: ['id'] } };
    expect((await send(onlySaved, '/v1/query', 'admin', select)).json).toHaveLength(3);
  });
});

describe('the allow-list', () => {
  test('holds for calls by hash and name, per role and for every role', async () => {
    const variables = { id: 1 };
    expect(await post(listed, { documentId: 'by_id', variables })).toEqual(first);
    expect(await post(listed, { documentId: 'by_id', variables }, 'guest')).toEqual(notAllowed);
    expect(await get(listed, { documentId: 'by_id', variables: '{"id":1}' }, 'guest')).toEqual(notAllowed);
    expect(await post(listed, [{ documentId: 'by_id', variables }], 'guest')).toEqual([notAllowed]);
    expect((await send(listed, '/v1alpha1/graphql', 'guest', { query: byId, variables })).status).toBe(400);
    expect((await send(listed, '/api/rest/notes/1', 'guest')).json.error).toBe('query is not allowed');
    expect((await send(listed, '/api/rest/notes/1', 'user')).json).toEqual(first.data);
    // Open to every role by the other collection; what the role may do is another matter.
    expect(await post(listed, { documentId: 'old/finish', variables }, 'guest')).toEqual(
      failure('no mutations exist', 'validation-failed'),
    );
  });

  describe.each(['/v1/graphql', '/v1beta1/relay'])('holds for saved operations at %s', (path) => {
    const calls = [
      { documentId: 'by_id' },
      { documentId: 'notes/by_id' },
      { documentId: hash(byId) },
      { documentId: `md5:${hash(byId, 'md5')}` },
      { extensions: persisted(byId) },
      { query: byId, extensions: persisted(byId) },
      { query: byId },
      { documentId: 'live' },
    ];

    test.each(calls)('over HTTP: %j', async (call) => {
      const body = { ...call, variables: { id: 1 } };
      expect((await send(listed, path, 'guest', body)).json).toEqual(notAllowed);
      expect((await send(listed, path, 'guest', [body])).json).toEqual([notAllowed]);
      // The other API has no GET.
      if (path !== '/v1/graphql') return;
      const search = new URLSearchParams({ variables: '{"id":1}' });
      for (const [name, value] of Object.entries(call))
        search.set(name, typeof value === 'string' ? value : JSON.stringify(value));
      expect((await send(listed, `${path}?${search}`, 'guest')).json).toEqual(notAllowed);
    });

    test.each(calls)('over sockets: %j', async (call) => {
      const headers = { 'x-engine-role': 'guest' };
      const socket = await openSocket(listed, { path });
      socket.send({ type: 'connection_init', payload: { headers } });
      expect(await socket.next()).toMatchObject({ type: 'connection_ack' });
      socket.send({ type: 'subscribe', id: '1', payload: { ...call, variables: { id: 1 } } });
      expect(await socket.next()).toMatchObject({ type: 'error', payload: notAllowed.errors });
      await socket.close();
    });
  });

  test('refuses to register what it does not have', async () => {
    expect(await post(listed, { query: all, extensions: persisted(all) })).toEqual(notAllowed);
    expect(await post(listed, { extensions: persisted(all) })).toEqual(notFound);
  });

  test('closes the legacy data operations to roles', async () => {
    const select = { type: 'select', args: { table: 'note', columns: ['id'] } };
    expect(await send(listed, '/v1/query', 'user', select)).toMatchObject({
      status: 400,
      json: { code: 'access-denied' },
    });
    const bulk = { type: 'bulk', args: [select] };
    expect(await send(listed, '/v1/query', 'user', bulk)).toMatchObject({
      status: 400,
      json: { code: 'access-denied' },
    });
    expect((await send(listed, '/v1/query', 'admin', select)).json).toHaveLength(3);
  });
});
