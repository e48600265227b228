/** Endpoints that no request could be answered by are reported wherever metadata is read, and left out. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { compile } from '../../../../compiler/index.ts';
import { readMetadata } from '../../../../compiler/phases/1-read/index.ts';
import { catalogsOf } from '../../../harness/compile.ts';
import { replaceMetadata, send, serve, type TestServer } from '../../../harness/server.ts';

const QUERIES: Readonly<Record<string, string>> = {
  none: '{ note { id } }',
  one: 'query ($id: Int!) { note(where: {id: {_eq: $id}}) { id } }',
  nullable:
    'query ($id: Int = 1, $where: note_bool_exp! = {}) { note(where: {_and: [{id: {_eq: $id}}, $where]}) { id } }',
  listed: 'query ($ids: [Int!]!) { note(where: {id: {_in: $ids}}) { id } }',
  live: 'subscription { note { id } }',
  both: 'query a { note { id } } query b { note { id } }',
  fragment: 'fragment f on note { id }',
};

const QUESTION =
  /^No request has a path that matches .*: in the segment ".*" the path of an address ends at "\?"/;
const HASH = /in the segment ".*" an address ends at "#" for a server$/;
const DOTS = /in the segment "\.\.?" clients leave such segments out of an address$/;
const ENCODED = /segments are compared decoded, so write it without percent-encoding$/;
const undeclared = (variable: string, query: string) =>
  `Inconsistent object: in endpoint e: the path has a variable "${variable}", which query with name ${query} does not declare`;

const REFUSED: readonly (readonly [url: string, query: string, reason: string | RegExp])[] = [
  ['a/:zzz', 'none', undeclared('zzz', 'none')],
  ['b/:zzz', 'one', undeclared('zzz', 'one')],
  ['c/:ID', 'one', undeclared('ID', 'one')],
  ['a/:id/:other', 'one', undeclared('other', 'one')],
  ['d/:id.json', 'one', undeclared('id.json', 'one')],
  ['e/::id', 'one', undeclared(':id', 'one')],
  ['f/:toString', 'none', undeclared('toString', 'none')],
  ['x?y=1', 'none', QUESTION],
  ['a/:id?', 'one', QUESTION],
  ['a?/b', 'none', QUESTION],
  ['x#top', 'none', HASH],
  ['a/#/b', 'none', HASH],
  ['a/:id#x', 'one', HASH],
  ['.', 'none', DOTS],
  ['a/../b', 'none', DOTS],
  ['a/./:id', 'one', DOTS],
  ['a%20b', 'none', ENCODED],
  ['caf%C3%A9/:id', 'one', ENCODED],
  ['a/:id/b/:id', 'one', 'Duplicate variables found in endpoint path: a/:id/b/:id'],
  ['a//b', 'none', 'Empty segments or unnamed variables are not allowed: a//b'],
  ['/a', 'none', 'Empty segments or unnamed variables are not allowed: /a'],
  ['a/', 'none', 'Empty segments or unnamed variables are not allowed: a/'],
  ['a/:/b', 'none', 'Empty segments or unnamed variables are not allowed: a/:/b'],
  ['a', 'live', 'Inconsistent object: in endpoint e: query with name live is a subscription'],
  ['a', 'both', 'Inconsistent object: in endpoint e: query with name both has multiple definitions.'],
  ['a', 'fragment', 'Inconsistent object: in endpoint e: query with name fragment has no definitions.'],
];

/** With a path that answers. */
const ANSWERED: readonly (readonly [url: string, query: string, path: string])[] = [
  ['plain', 'none', 'plain'],
  ['a b', 'none', 'a%20b'],
  ['ü/田', 'none', '%C3%BC/%E7%94%B0'],
  ['100%', 'none', '100%25'],
  ['a&b=c;d,e+f!(g)', 'none', 'a&b=c;d,e+f!(g)'],
  ['a:b', 'none', 'a:b'],
  ['..a/...', 'none', '..a/...'],
  ['back\\slash', 'none', 'back%5Cslash'],
  ['{id}', 'none', '%7Bid%7D'],
  ['by/:id', 'one', 'by/1'],
  ['by-null/:id', 'nullable', 'by-null/1'],
  ['by-list/:ids', 'listed', 'by-list/[1,2]'],
  ['by-object/:where', 'nullable', `by-object/${encodeURIComponent('{"id":{"_eq":1}}')}`],
  ['in-query', 'one', 'in-query?id=1'],
];

const collection = {
  name: 'c',
  definition: { queries: Object.entries(QUERIES).map(([name, query]) => ({ name, query })) },
};
const metadata = (endpoints: readonly (readonly [url: string, query: string, ...rest: unknown[]])[]) => ({
  version: 3,
  sources: [
    {
      name: 'default',
      kind: 'postgres',
      configuration: { connection_info: { database_url: { from_env: 'ENGINE_GRAPHQL_DATABASE_URL' } } },
      tables: [{ table: 'note' }],
    },
  ],
  query_collections: [collection],
  rest_endpoints: endpoints.map(([url, query], index) => endpoint(`e${index}`, url, query)),
});
const endpoint = (name: string, url: string, query: string) => ({
  name,
  url,
  methods: ['GET'],
  definition: { query: { collection_name: 'c', query_name: query } },
});
const sameReason = (reason: string | RegExp, name: string) =>
  typeof reason === 'string'
    ? reason.replace('endpoint e:', `endpoint ${name}:`)
    : expect.stringMatching(reason);

let server: TestServer;
beforeAll(async () => {
  server = await serve({
    sql: 'create table note (id int primary key); insert into note values (1)',
    metadata: metadata(ANSWERED),
  });
});
afterAll(() => server?.stop());

const ask = async (type: string, args: object) =>
  send(server, '/v1/metadata', { body: { type, version: type === 'replace_metadata' ? 2 : 1, args } });

describe('when it is created', () => {
  test.each(REFUSED)('%s of %s', async (url, query, reason) => {
    const { status, json } = await ask('create_rest_endpoint', endpoint('e', url, query));
    expect(status).toBe(400);
    expect(json).toMatchObject({
      code: 'invalid-configuration',
      internal: [{ type: 'rest_endpoint', name: 'rest_endpoint e', reason: sameReason(reason, 'e') }],
    });
  });

  test.each(ANSWERED)('%s of %s is answered', async (_url, _query, path) => {
    const { text } = await send(server, `/api/rest/${path}`, { method: 'GET' });
    expect(text).toBe('{"note":[{"id":1}]}');
  });
});

test('when metadata is loaded', async () => {
  const args = { metadata: metadata(REFUSED), allow_inconsistent_metadata: true };
  const { json } = await ask('replace_metadata', args);
  const { inconsistent_objects: objects } = json as { inconsistent_objects: { name: string }[] };
  const reasons = new Map(objects.map((each) => [each.name, each]));
  REFUSED.forEach(([, , reason], index) => {
    expect(reasons.get(`rest_endpoint e${index}`)).toMatchObject({ reason: sameReason(reason, `e${index}`) });
  });
  expect(objects).toHaveLength(REFUSED.length);
  for (const path of ['a/1', 'x', 'x?y=1', 'x%3Fy=1', 'a%2520b'])
    expect((await send(server, `/api/rest/${path}`, { method: 'GET' })).status).toBe(404);
  await replaceMetadata(server, metadata(ANSWERED));
});

test('in a compile', async () => {
  const { value } = readMetadata(metadata(REFUSED));
  const catalogs = await catalogsOf(value, server.database.url);
  const { diagnostics } = compile({ metadata: value, catalogs });
  REFUSED.forEach(([, , reason], index) => {
    const found = diagnostics.find(({ path }) => path.join('.') === `rest_endpoints.${index}`);
    expect(found).toMatchObject({
      severity: 'error',
      inconsistency: { reason: sameReason(reason, `e${index}`) },
    });
  });
});

test('one that is ambiguous as well is reported with the others of its path', async () => {
  const { json } = await ask('create_rest_endpoint', endpoint('e', ':name', 'none'));
  expect(json).toMatchObject({
    internal: [{ reason: expect.stringMatching(/^Ambiguous URL paths: 100%, :name, /) }],
  });
});
