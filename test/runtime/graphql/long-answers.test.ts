/** Answers with long texts, which pass as the bytes of the database: the same by every way to ask. */
import { request } from 'node:http';
import { gunzipSync } from 'node:zlib';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { metadataOf } from '../../harness/metadata.ts';
import { createTestDatabase } from '../../harness/postgres.ts';
import { replaceMetadata, send, startTestServer, type TestServer } from '../../harness/server.ts';
import { connect } from '../../harness/socket.ts';

/** Longer than what stays bytes, and of 1 to 4 bytes a character. */
const LONG = 'aä€🙂"\\\n'.repeat(20_000);
const PAGES = [
  { id: 1, text: LONG, note: { text: 'short' } },
  { id: 2, text: 'short', note: { text: `${LONG}end` } },
];
const QUERY = '{ page(order_by: {id: asc}) { id text note { text } } page_by_pk(id: 3) { id } }';
const DATA = { page: PAGES, page_by_pk: null };

let server: TestServer;
beforeAll(async () => {
  const database = await createTestDatabase(`
    create table note (id int primary key, text text);
    create table page (id int primary key, text text, note_id int references note);
  `);
  for (const { id, text, note } of PAGES) {
    await database.query('insert into note values ($1, $2)', [id, note.text]);
    await database.query('insert into page values ($1, $2, $1)', [id, text]);
  }
  server = await startTestServer(database, {}, { DATABASE_URL: database.url });
  const select = (role: string) => ({ role, permission: { columns: '*', filter: {} } });
  const roles = ['user', 'hurried'].map(select);
  const collection = { name: 'pages', definition: { queries: [{ name: 'pages', query: QUERY }] } };
  const metadata = metadataOf(
    [
      {
        table: 'page',
        object_relationships: [{ name: 'note', using: { foreign_key_constraint_on: 'note_id' } }],
        select_permissions: roles,
      },
      { table: 'note', select_permissions: roles },
    ],
    {
      query_collections: [collection],
      api_limits: { disabled: false, time_limit: { global: 60, per_role: { user: 50, hurried: 30 } } },
      rest_endpoints: [
        {
          name: 'pages',
          url: 'pages',
          methods: ['GET'],
          definition: { query: { collection_name: 'pages', query_name: 'pages' } },
        },
      ],
    },
  );
  await replaceMetadata(server, metadata);
});
afterAll(() => server?.stop());

const ask = (query: string, headers: Readonly<Record<string, string>> = {}) =>
  send(server, '/v1/graphql', { body: { query }, headers });

test.each(['admin', 'user', 'hurried'])(
  'by POST as %s, and again from a prepared statement',
  async (role) => {
    for (let round = 0; round < 3; round++)
      expect((await ask(QUERY, { 'x-engine-role': role })).json).toEqual({ data: DATA });
  },
);

test('by GET, with a length in bytes', async () => {
  const { json, headers, text } = await send(server, `/v1/graphql?query=${encodeURIComponent(QUERY)}`, {
    method: 'GET',
  });
  expect(json).toEqual({ data: DATA });
  expect(headers['content-length']).toBe(String(Buffer.byteLength(text)));
});

test('in a batch, beside an error', async () => {
  const { json } = await send(server, '/v1/graphql', {
    body: [{ query: QUERY }, { query: '{ nothing }' }, { query: '{ page_by_pk(id: 2) { note { text } } }' }],
  });
  expect(json).toMatchObject([
    { data: DATA },
    { errors: [{ message: expect.stringContaining('nothing') }] },
    { data: { page_by_pk: { note: PAGES[1]!.note } } },
  ]);
});

test('by a REST endpoint', async () => {
  expect((await send(server, '/api/rest/pages', { method: 'GET' })).json).toEqual(DATA);
});

test('with @cached', async () => {
  const cached = QUERY.replace('{', 'query @cached {');
  for (let round = 0; round < 2; round++) {
    expect((await ask(cached)).json).toEqual({ data: DATA });
  }
});

test('as the answer of a mutation', async () => {
  const { json } = await ask(
    `mutation { update_page_by_pk(pk_columns: {id: 2}, _set: {note_id: 2}) { note { text } } }`,
  );
  expect(json).toEqual({ data: { update_page_by_pk: { note: PAGES[1]!.note } } });
});

test('compressed', async () => {
  const body = JSON.stringify({ query: QUERY });
  const [encoding, bytes] = await new Promise<[string | undefined, Buffer]>((resolve, reject) => {
    const outgoing = request(
      { port: server.port, path: '/v1/graphql', method: 'POST', headers: { 'accept-encoding': 'gzip' } },
      (response) => {
        const chunks: Buffer[] = [];
        response.on('data', (chunk: Buffer) => chunks.push(chunk));
        response.on('end', () => resolve([response.headers['content-encoding'], Buffer.concat(chunks)]));
      },
    );
    outgoing.on('error', reject);
    outgoing.end(body);
  });
  expect(encoding).toBe('gzip');
  expect(JSON.parse(gunzipSync(bytes).toString())).toEqual({ data: DATA });
});

test.each(['query', 'subscription'])('on a socket, as a %s', async (kind) => {
  const socket = await connect(server);
  const query = `${kind} { page(order_by: {id: asc}) { id text note { text } } }`;
  socket.send({ id: '1', type: 'subscribe', payload: { query } });
  expect(await socket.next()).toEqual({ id: '1', type: 'next', payload: { data: { page: PAGES } } });
  await socket.close();
});
