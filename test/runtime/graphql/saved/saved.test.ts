import { validate } from '@apidevtools/swagger-parser';
import openapiTypescript, { astToString } from 'openapi-typescript';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { RunningServer } from '../../../../runtime/server/main.ts';
import { readRequestProject } from '../../../harness/request-project.ts';
import { startTestServer } from '../../../harness/server.ts';

let server: RunningServer;
let restOnly: RunningServer;

interface Options {
  readonly method?: string;
  readonly role?: string;
  readonly body?: string | object;
  readonly type?: string;
}

async function send(path: string, options: Options = {}, to = server) {
  const { method = options.body === undefined ? 'GET' : 'POST', role, body, type } = options;
  const response = await fetch(`http://127.0.0.1:${to.port}${path}`, {
    method,
    headers: {
      ...(role ? { 'x-engine-role': role, 'x-engine-user-id': '1' } : {}),
      ...(type ? { 'content-type': type } : {}),
    },
    ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
  });
  const text = await response.text();
  return {
    status: response.status,
    headers: response.headers,
    json: text === '' ? undefined : JSON.parse(text),
  };
}

const rest = (path: string, options?: Options) => send(`/api/rest/${path}`, options);

beforeAll(async () => {
  const { database, metadata } = await readRequestProject('served/rest');
  server = await startTestServer(database, { ENABLE_ALLOWLIST: 'true' });
  const ambiguous = ['ambiguous/:limit/b', 'ambiguous/a/:limit'].map((url) => ({
    name: url,
    url,
    methods: ['GET'],
    definition: { query: { collection_name: 'notes', query_name: 'page' } },
  }));
  const rest_endpoints = [...(metadata.rest_endpoints as object[]), ...ambiguous];
  const args = { metadata: { ...metadata, rest_endpoints }, allow_inconsistent_metadata: true };
  const replaced = await send('/v1/metadata', { body: { type: 'replace_metadata', version: 2, args } });
  expect(replaced.json.inconsistent_objects).toEqual([
    expect.objectContaining({ reason: 'Ambiguous URL paths: ambiguous/:limit/b, ambiguous/a/:limit' }),
  ]);
  restOnly = await startTestServer(database, { ENABLED_APIS: 'metadata' });
});

afterAll(() => Promise.all([server?.stop(), restOnly?.stop()]));

describe('REST endpoints', () => {
  test('answer with the content of data, under the rules of the role', async () => {
    expect(await rest('notes/2')).toMatchObject({
      status: 200,
      json: { note_by_pk: { id: 2, text: 'two' } },
    });
    expect((await rest('notes/2', { role: 'user' })).json).toEqual({ note_by_pk: null });
    expect((await rest('notes/1', { role: 'user' })).json).toEqual({ note_by_pk: { id: 1, text: 'one' } });
    expect(await rest('notes/1', { role: 'guest' })).toMatchObject({
      status: 400,
      json: { path: '$.selectionSet.note_by_pk.selectionSet.text', code: 'validation-failed' },
    });
  });

  test('take a default, a value and null, and either boolean', async () => {
    expect((await rest('notes')).json).toEqual({ note: [{ id: 1 }, { id: 2 }] });
    expect((await rest('notes?limit=1&long')).json).toEqual({ note: [{ id: 1, text: 'one' }] });
    expect((await rest('notes?limit=1&long=false')).json).toEqual({ note: [{ id: 1 }] });
    expect((await rest('notes', { role: 'user' })).json).toEqual({ note: [{ id: 1 }, { id: 3 }] });
    const all = await rest('search', { body: { where: {} } });
    expect(all.json).toEqual({ note: [{ id: 1 }, { id: 2 }, { id: 3 }] });
  });

  test('read variables from path, query and body; the later wins', async () => {
    expect((await rest('by-text/three%20%2F%20four')).json).toEqual({ note: [{ id: 3 }] });
    expect((await rest('notes/1?id=2')).json.note_by_pk.id).toBe(1);
    const form = await rest('since/2026-01-01', {
      body: 'rank=1.75',
      type: 'application/x-www-form-urlencoded',
    });
    expect(form.json).toEqual({ note: [{ id: 2 }] });
    const asCurlSends = { body: '{"rank": 1.75}', type: 'application/x-www-form-urlencoded' };
    expect((await rest('since/2026-01-01', asCurlSends)).json).toEqual({ note: [{ id: 2 }] });
    expect((await rest('some?ids=9', { body: { ids: [3, 1] } })).json).toEqual({
      note: [{ id: 1 }, { id: 3 }],
    });
    expect((await rest('some?ids=3&ids=1')).json).toEqual({ note: [{ id: 1 }, { id: 3 }] });
    expect((await rest('some', { body: { ids: [3, 1] } })).json).toEqual({ note: [{ id: 1 }, { id: 3 }] });
  });

  test.each([
    ['notes/abc', 'variable "id" is declared as Int!, which the value "abc"'],
    ['notes/1.5', 'variable "id" is declared as Int!, which the value "1.5"'],
    ['notes?long=perhaps', 'variable "long" is declared as Boolean, which the value "perhaps"'],
    ['since/2026-01-01?rank=0x10', 'variable "rank" is declared as numeric, which the value "0x10"'],
    ['some?ids=x', 'variable "ids" is declared as [Int!]!, which the value "x"'],
    ['notes?other=1', 'Unexpected variable other'],
  ])('refuse %s', async (path, message) => {
    const { status, json } = await rest(path);
    expect(status).toBe(400);
    expect(json.code).toBe('bad-request');
    expect(json.error).toContain(message);
  });

  test('refuse what is missing, of another type in the database, or no JSON object', async () => {
    expect((await rest('some')).json.error).toBe('expecting a value for non-nullable variable: "ids"');
    expect(await rest('since/yesterdayish?rank=1')).toMatchObject({
      status: 400,
      json: { code: 'data-exception' },
    });
    expect((await rest('some', { body: '[1]', type: 'application/json' })).status).toBe(400);
    expect((await rest('some', { body: '{', type: 'application/json' })).json.code).toBe('bad-request');
  });

  test('know which methods and paths there are', async () => {
    expect(await rest('nowhere')).toMatchObject({ status: 404, json: { error: 'Endpoint not found' } });
    expect((await rest('notes/')).status).toBe(404);
    const wrong = await rest('notes/1', { method: 'DELETE' });
    expect(wrong.status).toBe(405);
    expect(wrong.headers.get('allow')).toBe('GET, POST, PATCH');
    expect(wrong.json.error).toBe('Allowed methods: GET, POST, PATCH');
    expect((await rest('notes/1', { method: 'HEAD' })).status).toBe(400);
    expect((await rest('ambiguous/a/b')).json.error).toBe('Multiple endpoints match request');
    expect((await rest('ambiguous/1/b')).status).toBe(200);
  });

  test('change data', async () => {
    expect((await rest('notes/1', { method: 'PATCH' })).json).toEqual({
      update_note_by_pk: { id: 1, done: true },
    });
  });

  test('stay when the GraphQL endpoint is disabled', async () => {
    expect((await send('/v1/graphql', { body: { query: '{ note { id } }' } }, restOnly)).status).toBe(404);
    expect((await send('/api/rest/notes/2', {}, restOnly)).json).toEqual({
      note_by_pk: { id: 2, text: 'two' },
    });
  });
});

describe('the allow-list', () => {
  const ask = (query: string, role: string) => send('/v1/graphql', { role, body: { query } });
  const refused = [expect.objectContaining({ message: 'query is not allowed' })];

  test('compares documents without white space and __typename', async () => {
    expect((await ask('{ note { text } }', 'user')).json.data.note).toHaveLength(2);
    expect((await ask('{note{text __typename}}', 'user')).json.data.note[0].__typename).toBe('note');
    expect((await ask('{ note { words: text } }', 'user')).json.errors).toEqual(refused);
    expect((await ask('{ note { kind: __typename text } }', 'user')).json.errors).toEqual(refused);
  });

  test('opens a collection to its roles, and everything to administrators', async () => {
    expect((await ask('{ note { text } }', 'guest')).json.errors).toEqual(refused);
    expect((await ask('{ note { rank } }', 'admin')).json.data.note).toHaveLength(3);
  });

  test('holds for each member of a batch', async () => {
    const batch = [{ query: '{ note { id } }' }, { query: '{ note { text } }' }];
    const { json } = await send('/v1/graphql', { role: 'user', body: batch });
    expect(json[0].errors).toEqual(refused);
    expect(json[1].data.note).toHaveLength(2);
  });
});

describe('the document of the family', () => {
  test('is valid, and becomes types', async () => {
    const { json } = await send('/api/swagger/json');
    expect(Object.keys(json.paths)).toContain('/api/rest/notes/{id}');
    const types = astToString(await openapiTypescript(structuredClone(json)));
    expect(types).toContain('"/api/rest/notes/{id}"');
    expect(types).toMatch(/note_by_pk\?: \{\s+\/\*\* Int \*\/\s+id\?: number;/);
    await expect(validate(structuredClone(json))).resolves.toBeDefined();
  });

  test('has for a role what it can run', async () => {
    for (const path of ['/api/swagger/json', '/api/openapi.json']) {
      const { json } = await send(`${path}?role=guest`);
      expect(Object.keys(json.paths)).toContain('/api/rest/some');
      expect(Object.keys(json.paths)).not.toContain('/api/rest/notes/{id}');
      expect((await send(path, { role: 'user' })).json.code).toBe('access-denied');
    }
  });
});
