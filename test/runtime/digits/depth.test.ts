/** Text that is nested too deeply is refused with a sentence wherever it enters; text below the bound works. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { answering, Handler } from '../../harness/handler.ts';
import { createTestDatabase } from '../../harness/postgres.ts';
import { type RemoteServer, startRemoteServer } from '../../harness/remote-server.ts';
import { send, startTestServer, type TestServer } from '../../harness/server.ts';

let server: TestServer;
let handler: Handler;
let remote: RemoteServer;

const metadata = (type: string, args: object | string) =>
  send(server, '/v1/metadata', {
    body: `{"type":"${type}","args":${typeof args === 'string' ? args : JSON.stringify(args)}}`,
  });

async function graphql(query: string, variables = '{}'): Promise<string> {
  const body = `{"query":${JSON.stringify(query)},"variables":${variables}}`;
  return (await send(server, '/v1/graphql', { body })).text;
}

const nest = (levels: number, open: string, close: string, core = '') =>
  open.repeat(levels) + core + close.repeat(levels);

beforeAll(async () => {
  const database = await createTestDatabase(`
    create table node (id int primary key, parent int references node, j jsonb);
    insert into node values (1, 1, '{}');
  `);
  handler = await new Handler().listen();
  remote = await startRemoteServer('scalar any type Query { deep: any }', {});
  server = await startTestServer(database);
  await metadata('pg_track_table', { table: 'node' });
  await metadata('pg_create_object_relationship', {
    table: 'node',
    name: 'up',
    using: { foreign_key_constraint_on: 'parent' },
  });
  await metadata('add_remote_schema', { name: 'r', definition: { url: remote.url } });
  await metadata('create_action', {
    name: 'act',
    definition: { kind: 'synchronous', type: 'query', output_type: 'jsonb', handler: handler.url },
  });
});

afterAll(async () => {
  await server.stop();
  await remote.stop();
  handler.close();
});

const chain = (levels: number) =>
  Array.from({ length: levels }, (_, index) => `fragment f${index} on node { ...f${index + 1} }`).join(' ');

const documents: Readonly<Record<string, (levels: number) => string>> = {
  'selection sets': (levels) => `{ node { ${nest(levels, 'up { ', '} ', 'id ')} } }`,
  'inline fragments': (levels) => `{ node { ${nest(levels, '... { ', '} ', 'id ')} } }`,
  'a chain of fragments': (levels) =>
    `{ node { ...f0 } } ${chain(levels)} fragment f${levels} on node { id }`,
  conditions: (levels) => `{ node(where: ${nest(levels, '{_not: ', '}', '{}')}) { id } }`,
  lists: (levels) =>
    `mutation { update_node(where: {}, _set: {j: ${nest(levels, '[', ']')}}) { affected_rows } }`,
  objects: (levels) =>
    `mutation { update_node(where: {}, _set: {j: ${nest(levels, '{a: ', '}', '1')}}) { affected_rows } }`,
  types: (levels) => `query ($x: ${nest(levels, '[', ']', 'Int')}) { node { id } }`,
  'text that is not GraphQL': (levels) => '{ a '.repeat(levels),
};

test.each(Object.entries(documents))('documents with deep %s', async (name, document) => {
  for (const levels of [201, 5000]) {
    const answer = await graphql(document(levels));
    expect(answer).toContain('is nested more than 200 levels deep');
    expect(answer).toContain('"code":"validation-failed"');
  }
  const below = await graphql(document(30));
  expect(below).toContain(name === 'text that is not GraphQL' ? 'not a valid graphql query' : '{"data":');
});

test('brackets in strings and comments are no levels', async () => {
  const query = `{ # ${'{'.repeat(300)}
    node(where: {j: {_eq: "${'['.repeat(300)}\\"["}}) { id }
    other: node(where: {j: {_eq: """${'('.repeat(300)} \\""" " """}}) { id } }`;
  expect(await graphql(query)).toBe('{"data":{"node":[],"other":[]}}');
});

const variables: readonly (readonly [name: string, query: string, value: (levels: number) => string])[] = [
  ['_and', 'query ($v: node_bool_exp) { node(where: $v) { id } }', (n) => nest(n / 2, '{"_and":[', ']}')],
  [
    'relationships',
    'query ($v: node_bool_exp) { node(where: $v) { id } }',
    (n) => nest(n, '{"up":', '}', '{}'),
  ],
  [
    'jsonb',
    'mutation ($v: jsonb) { update_node(where: {}, _set: {j: $v}) { affected_rows } }',
    (n) => nest(n, '[', ']'),
  ],
];

test.each(variables)('variables with deep %s', async (_, query, value) => {
  for (const levels of [502, 100_000]) {
    const answer = await graphql(query, `{"v":${value(levels)}}`);
    expect(answer).toContain('Error in $: the text is nested more than 500 levels deep');
    expect(answer).toContain('"code":"parse-failed"');
  }
  expect(await graphql(query, `{"v":${value(400)}}`)).toContain('{"data":');
});

test('answers of handlers and remote schemas', async () => {
  for (const levels of [501, 100_000]) {
    handler.answer = answering(nest(levels, '[', ']'));
    expect(await graphql('{ act }')).toContain('a value is nested too deeply');
    remote.answer = () => `{"data":{"deep":${nest(levels, '[', ']')}}}`;
    expect(await graphql('{ deep }')).toContain('is not valid JSON: the text is nested too deeply');
  }
  handler.answer = answering(nest(450, '[', ']'));
  expect(await graphql('{ act }')).toBe(`{"data":{"act":${nest(450, '[', ']')}}}`);
});

test('metadata', async () => {
  const permission = (levels: number) =>
    metadata(
      'pg_create_select_permission',
      `{"table":"node","role":"r${levels}","permission":{"columns":["id"],"filter":${nest(levels, '{"_not":', '}', '{}')}}}`,
    );
  expect((await permission(450)).text).toBe('{"message":"success"}');
  for (const levels of [501, 100_000])
    expect(await permission(levels)).toMatchObject({ status: 400, json: { code: 'parse-failed' } });
  const document = await metadata('create_query_collection', {
    name: 'c',
    definition: { queries: [{ name: 'q', query: nest(5000, '{ a ', '}') }] },
  });
  expect(document).toMatchObject({ status: 400, json: { code: 'parse-failed' } });
  const sdl = await metadata('add_remote_schema_permissions', {
    remote_schema: 'r',
    role: 'user',
    definition: { schema: `type Query { deep(a: ${nest(5000, '[', ']', 'Int')}): any }` },
  });
  expect(sdl).toMatchObject({ status: 400, text: expect.stringContaining('levels deep') });
  const type = await metadata('set_custom_types', {
    objects: [{ name: 'T', fields: [{ name: 'a', type: nest(50_000, '[', ']', 'Int') }] }],
  });
  expect(type).toMatchObject({ status: 400, json: { code: 'parse-failed' } });
});
