/** Remote schemas that are added, changed, read again and exported: what is asked of the server, and what stays. */
import { buildSchema, introspectionFromSchema } from 'graphql';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { createTestDatabase } from '../../../harness/postgres.ts';
import { type RemoteServer, startRemoteServer } from '../../../harness/remote-server.ts';
import { send, startTestServer, type TestServer } from '../../../harness/server.ts';

const SDL = 'type Query { user(id: ID!): User } type User { id: ID!, name: String }';

let remote: RemoteServer;
let other: RemoteServer;
let server: TestServer;
/** Introspections that `remote` got. */
let introspections: Parameters<NonNullable<RemoteServer['answer']>>[0][];

beforeAll(async () => {
  remote = await startRemoteServer(SDL, { user: ({ id }: { id: string }) => ({ id, name: `user ${id}` }) });
  other = await startRemoteServer(SDL, { user: { id: '9', name: 'other' } });
  const database = await createTestDatabase('create table item (id integer primary key, owner text)');
  server = await startTestServer(database, { ENABLE_REMOTE_SCHEMA_PERMISSIONS: 'true' });
  await metadata('pg_track_table', { table: 'item' });
});

beforeEach(() => {
  introspections = [];
  offer(remote, undefined);
});

afterAll(async () => {
  await server.stop();
  await Promise.all([remote.stop(), other.stop()]);
});

/** Has a server offer another schema; undefined is its own again. */
function offer(from: RemoteServer, sdl: string | undefined): void {
  const schema = sdl === undefined ? undefined : buildSchema(sdl, { assumeValid: true });
  from.answer = (call) => {
    if (!call.query.includes('__schema')) return undefined;
    introspections.push(call);
    return schema && JSON.stringify({ data: introspectionFromSchema(schema) });
  };
}

async function metadata(type: string, args: object, status = 200): Promise<unknown> {
  const answer = await send(server, '/v1/metadata', {
    body: { type, args },
    headers: { 'x-client': 'theirs' },
  });
  expect([type, answer.status, answer.text]).toEqual([type, status, expect.any(String)]);
  return answer.json;
}

const ask = async (query: string, role = 'admin') =>
  (await send(server, '/v1/graphql', { headers: { 'x-engine-role': role }, body: { query } })).json;

const definition = () => ({ url: remote.url, headers: [{ name: 'X-Fixed', value: 'ours' }] });

test('a server is introspected with the configured headers, as an administrator', async () => {
  const forwarding = { ...definition(), forward_client_headers: true };
  await metadata('add_remote_schema', { name: 'people', definition: forwarding });
  expect(introspections).toHaveLength(1);
  const [{ body, query, headers }] = introspections as [(typeof introspections)[number]];
  expect(JSON.parse(body)).toEqual({ query, variables: null, operationName: 'IntrospectionQuery' });
  expect(query).toMatch(
    /^query IntrospectionQuery \{ __schema \{ queryType \{ name \} mutationType \{ name \}/,
  );
  expect(query.match(/ofType \{/g)).toHaveLength(7);
  expect(query).toContain('inputFields(includeDeprecated: true) { ...InputValue }');
  expect(query).toMatch(/specifiedByURL isOneOf .*isRepeatable|isRepeatable .*specifiedByURL isOneOf/);
  expect(query).not.toContain('\n');
  expect(headers).toMatchObject({ 'x-fixed': 'ours', 'x-engine-role': 'admin' });
  expect(headers).not.toHaveProperty('x-client');
});

test('an update keeps permissions and relationships, and asks only another address', async () => {
  const schema = 'type Query { user(id: ID!): User } type User { id: ID! }';
  await metadata('add_remote_schema_permissions', {
    remote_schema: 'people',
    role: 'reader',
    definition: { schema },
  });
  const to_source = {
    source: 'default',
    table: 'item',
    relationship_type: 'array',
    field_mapping: { id: 'owner' },
  };
  await metadata('create_remote_schema_remote_relationship', {
    remote_schema: 'people',
    type_name: 'User',
    name: 'items',
    definition: { to_source },
  });
  await metadata('update_remote_schema', {
    name: 'people',
    definition: { ...definition(), timeout_seconds: 7 },
    comment: 'changed',
  });
  expect(introspections).toHaveLength(0);
  expect(await ask('{ user(id: 1) { id items { id } } }')).toEqual({
    data: { user: { id: '1', items: [] } },
  });
  expect(await ask('{ user(id: 1) { id } }', 'reader')).toEqual({ data: { user: { id: '1' } } });
  offer(other, undefined);
  await metadata('update_remote_schema', { name: 'people', definition: { url: other.url } });
  expect(introspections).toHaveLength(1);
  expect(await ask('{ user(id: 1) { name } }')).toEqual({ data: { user: { name: 'other' } } });
  await metadata('update_remote_schema', {
    name: 'people',
    definition: { ...definition(), customization: {} },
  });
});

test('an export has the keys in order, and an empty customization where it was given', async () => {
  const { remote_schemas } = (await metadata('export_metadata', {})) as { remote_schemas: object[] };
  expect(JSON.stringify(remote_schemas).replaceAll(remote.url, 'URL')).toBe(
    '[{"name":"people","definition":{"url":"URL","timeout_seconds":60,"customization":{},"headers":[{"name":"X-Fixed","value":"ours"}]},' +
      '"permissions":[{"role":"reader","definition":{"schema":"type Query { user(id: ID!): User } type User { id: ID! }"}}],' +
      '"remote_relationships":[{"type_name":"User","relationships":[{"name":"items","definition":{"to_source":{"field_mapping":{"id":"owner"},"relationship_type":"array","source":"default","table":{"name":"item","schema":"public"}}}}]}]}]',
  );
});

test('a permission that no longer fits is inconsistent, and heals', async () => {
  offer(remote, SDL.replace('id: ID!,', 'key: ID!, id: ID,'));
  expect(await metadata('reload_metadata', { reload_remote_schemas: true })).toMatchObject({
    is_consistent: false,
    inconsistent_objects: [
      {
        type: 'remote_schema_permission',
        name: 'remote_schema_permission reader permission in remote schema people',
        reason:
          'Inconsistent object: in remote schema permission for role "reader": validation for the given role-based schema failed because expected type of "id"("Object field") to be ID but received ID!',
      },
    ],
  });
  expect(await ask('{ user(id: 1) { id } }', 'reader')).toMatchObject({ errors: [{}] });
  offer(remote, undefined);
  await metadata('reload_remote_schema', { name: 'people' });
  expect(await ask('{ user(id: 1) { id } }', 'reader')).toEqual({ data: { user: { id: '1' } } });
});

test('a schema that breaks the rules of GraphQL is refused', async () => {
  offer(
    other,
    'type Query { other: Thing } type Thing implements Named { id: ID } interface Named { name: String }',
  );
  expect(
    await metadata('add_remote_schema', { name: 'other', definition: { url: other.url } }, 400),
  ).toMatchObject({
    code: 'remote-schema-error',
    error: `Interface field 'Named'."name" expected, but 'Thing' does not provide it`,
  });
});

test('types of two remote schemas that have one name are one type if they are equal', async () => {
  const add = (status: number) =>
    metadata('add_remote_schema', { name: 'other', definition: { url: other.url } }, status);
  offer(other, 'type Query { somebody: User } type User { name: String, id: ID! }');
  await add(200);
  expect(await ask('{ somebody { __typename id } user(id: 1) { __typename } }')).toMatchObject({
    errors: [{}],
  });
  await metadata('remove_remote_schema', { name: 'other' });
  offer(other, 'type Query { somebody: User } type User { name: Int, id: ID! }');
  expect(JSON.stringify(await add(400))).toContain('Found conflicting definitions for \\"User\\"');
});
