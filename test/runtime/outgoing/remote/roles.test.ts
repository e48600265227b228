/** Roles with special parts of a remote schema: mutations alone, presets of whole inputs and of enums; names that are customized. */
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { type RemoteServer, startRemoteServer } from '../../../harness/remote-server.ts';
import { answerTo, send, serve, type TestServer } from '../../../harness/server.ts';

const SDL = `
  type Query { find(where: Where, level: Level): Found }
  type Mutation { save(text: String): String }
  enum Level { LOW HIGH }
  input Where { a: Int, inner: Inner }
  input Inner { b: Int, c: String }
  type Found { text: String, found: Found }
`;
const PARTS = {
  writer: 'schema { mutation: Mutation } type Mutation { save(text: String): String }',
  reader:
    'schema { query: Query } type Query { find: Found } type Found { text: String } type Mutation { save: String }',
  fixed: `type Query { find(where: Where, level: Level @preset(value: "HIGH", static: true)): Found } enum Level { HIGH }
    input Where { inner: Inner } input Inner { b: Int @preset(value: 5) c: String @preset(value: "x-engine-c", static: true) }
    type Found { text: String found: Found }`,
};

let remote: RemoteServer;
let server: TestServer;

beforeAll(async () => {
  remote = await startRemoteServer(SDL, {
    find: (given: object) => ({ text: JSON.stringify(given), found: { text: 'inner' } }),
    save: ({ text }: { text: string }) => text,
  });
  server = await serve({
    sql: 'create table item (id integer primary key); insert into item values (5)',
    options: { ENABLE_REMOTE_SCHEMA_PERMISSIONS: 'true' },
  });
  await metadata('pg_track_table', { table: 'item' });
  await metadata('pg_create_select_permission', {
    table: 'item',
    role: 'fixed',
    permission: { columns: ['id'], filter: {} },
  });
  await metadata('add_remote_schema', {
    name: 'm',
    definition: {
      url: remote.url,
      customization: {
        root_fields_namespace: 'ns',
        type_names: { prefix: 'P_', mapping: { Inner: 'Deep' } },
        field_names: [{ parent_type: 'Found', prefix: 'f_', mapping: { text: 'words' } }],
      },
    },
  });
  for (const [role, schema] of Object.entries(PARTS))
    await metadata('add_remote_schema_permissions', { remote_schema: 'm', role, definition: { schema } });
});

beforeEach(() => {
  remote.calls.length = 0;
});

afterAll(async () => {
  await server.stop();
  await remote.stop();
});

async function metadata(type: string, args: object): Promise<void> {
  const { status, text } = await send(server, '/v1/metadata', { body: { type, args } });
  expect([type, status, text]).toEqual([type, 200, expect.any(String)]);
}

const ask = (query: string, role: string, variables?: object) => answerTo(server, query, { role, variables });
const sent = () => remote.calls.map(({ query }) => query);

test('a role with mutations alone has no fields of queries but a placeholder', async () => {
  expect(await ask('mutation { ns { save(text: "a") } }', 'writer')).toEqual({ data: { ns: { save: 'a' } } });
  const fields = (await ask('{ __schema { queryType { fields { name } } } }', 'writer')) as {
    data: { __schema: { queryType: { fields: { name: string }[] } } };
  };
  expect(fields.data.__schema.queryType.fields).toEqual([{ name: 'no_queries_available' }]);
  expect(await ask('{ ns { find { words } } }', 'writer')).toMatchObject({ errors: [{}] });
});

test('a schema block without mutations gives none, whatever types there are', async () => {
  expect(await ask('mutation { ns { save } }', 'reader')).toMatchObject({ errors: [{}] });
  expect(remote.calls).toEqual([]);
});

test('an input whose fields are all preset is gone, and always sent', async () => {
  expect(await ask('{ ns { find { words } } }', 'fixed')).toEqual({
    data: { ns: { find: { words: '{"where":{"inner":{"b":5,"c":"x-engine-c"}},"level":"HIGH"}' } } },
  });
  expect(await ask('{ ns { find(where: {}) { words } } }', 'fixed')).toMatchObject({ errors: [{}] });
  expect(sent()).toEqual([
    'query  { find(where: {inner: {b: 5, c: "x-engine-c"}}, level: HIGH) { words: text  } }',
  ]);
});

test('clients use customized names; the remote, permissions and relationships its own', async () => {
  await metadata('pg_create_remote_relationship', {
    table: 'item',
    name: 'found',
    definition: {
      to_remote_schema: {
        remote_schema: 'm',
        lhs_fields: ['id'],
        remote_field: {
          find: { arguments: { where: { inner: { b: '$id' } } }, field: { found: { arguments: {} } } },
        },
      },
    },
  });
  await metadata('create_remote_schema_remote_relationship', {
    remote_schema: 'm',
    type_name: 'Found',
    name: 'named',
    definition: {
      to_remote_schema: {
        remote_schema: 'm',
        lhs_fields: ['text'],
        remote_field: { find: { arguments: {} } },
      },
    },
  });
  expect(await ask('{ item { found { words __typename } } }', 'admin')).toEqual({
    data: { item: [{ found: { words: 'inner', __typename: 'P_Found' } }] },
  });
  expect(await ask('{ item { found { words } } }', 'fixed')).toMatchObject({ data: {} });
  expect(sent()).toEqual([
    'query  { f0: find(where: {inner: {b: 5}}) { found { words: text  __typename  } } }',
    'query  { f0: find(where: {inner: {c: "x-engine-c", b: 5}}, level: HIGH) { found { words: text  } } }',
  ]);
  const query =
    'query ($inner: Deep, $level: P_Level) { ns { __typename find(where: {inner: $inner}, level: $level) { f_found { words } named { words } } } }';
  expect(await ask(query, 'admin', { inner: { b: 1 }, level: 'LOW' })).toMatchObject({
    data: { ns: { __typename: 'nsQuery', find: { f_found: { words: 'inner' }, named: { words: '{}' } } } },
  });
  expect(await ask('{ ns { find { text } } }', 'admin')).toMatchObject({ errors: [{}] });
});
