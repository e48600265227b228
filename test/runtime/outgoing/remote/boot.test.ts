/** Starts with remote schemas that are down, slow, unknown or locked: what is local is served at once. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { lockFile, lockText } from '../../../../runtime/outgoing/remote/lock.ts';
import { freePort } from '../../../harness/free-port.ts';
import { createTestDatabase, type TestDatabase } from '../../../harness/postgres.ts';
import { type RemoteServer, startRemoteServer } from '../../../harness/remote-server.ts';
import { send, startTestServer, type TestServer } from '../../../harness/server.ts';

let database: TestDatabase;
let server: TestServer | undefined;
let remote: RemoteServer;
let slow: RemoteServer;
let folder: string;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'engine-locks-'));
  database = await createTestDatabase(
    'create table item (id integer primary key, owner text); insert into item values (1, $$a$$)',
  );
  const user = ({ id }: { id: string }) => (id === '1' ? { id, name: 'Ann' } : null);
  const sdl = 'type Query { user(id: ID!): User } type User { id: ID!, name: String }';
  // It comes back where it was.
  remote = await startRemoteServer(sdl, { user }, await freePort());
  slow = await startRemoteServer('type Query { weather: String }', { weather: 'fine' });
});

afterAll(async () => {
  await server?.stop();
  await remote.stop();
  await slow.stop();
  rmSync(folder, { recursive: true });
});

async function restart(options: Readonly<Record<string, string>> = {}) {
  await server?.stop();
  server = await startTestServer(database, { ENABLE_REMOTE_SCHEMA_PERMISSIONS: 'true', ...options });
}

async function metadata(type: string, args: object, status = 200): Promise<unknown> {
  const answer = await send(server!, '/v1/metadata', { body: { type, args } });
  expect([answer.status, answer.text]).toEqual([status, expect.any(String)]);
  return answer.json;
}

const ask = async (query: string) => (await send(server!, '/v1/graphql', { body: { query } })).json;

async function inconsistent(): Promise<string[]> {
  const found = (await metadata('get_inconsistent_metadata', {})) as { name: string; reason: string }[];
  return found.map(({ name, reason }) => `${name}: ${reason}`).sort();
}

async function until<Value>(read: () => Promise<Value>, holds: (value: Value) => boolean): Promise<Value> {
  for (let tries = 0; tries < 1200; tries += 1) {
    const value = await read();
    if (holds(value)) return value;
    await new Promise((resolve) => setTimeout(resolve, 25));
  }
  throw new Error(`still ${JSON.stringify(await read())}`);
}

test('a variable that is not set costs the remote schemas that name it, and no other', async () => {
  await restart();
  await metadata('pg_track_table', { table: 'item' });
  await metadata('add_remote_schema', { name: 'people', definition: { url: remote.url } });
  await metadata('add_remote_schema', { name: 'sky', definition: { url: slow.url } });
  await metadata('pg_create_remote_relationship', {
    source: 'default',
    table: 'item',
    name: 'user',
    definition: {
      to_remote_schema: {
        remote_schema: 'people',
        lhs_fields: ['owner'],
        remote_field: { user: { arguments: { id: '$owner' } } },
      },
    },
  });
  const exported = (await metadata('export_metadata', {})) as { remote_schemas: object[] };
  const unset = [
    { name: 'address', definition: { url_from_env: 'NOT_SET_URL' } },
    {
      name: 'header',
      definition: {
        url: remote.url,
        headers: [{ name: 'x', value_from_env: 'NOT_SET_HEADER' }],
        customization: { root_fields_namespace: 'other', type_names: { prefix: 'O_' } },
      },
    },
  ];
  const whole = { ...exported, remote_schemas: [...exported.remote_schemas, ...unset] };
  const args = { allow_inconsistent_metadata: true, metadata: whole };
  const answer = await send(server!, '/v1/metadata', {
    body: { type: 'replace_metadata', version: 2, args },
  });
  expect(answer.status).toBe(200);
  const expected = [
    "remote_schema address: Inconsistent object: environment variable 'NOT_SET_URL' not set",
    "remote_schema header: Inconsistent object: environment variable 'NOT_SET_HEADER' not set",
  ];
  expect(await inconsistent()).toEqual(expected);
  expect(await ask('{ item { id user { name } } user(id: 1) { name } weather }')).toEqual({
    data: { item: [{ id: 1, user: null }], user: { name: 'Ann' }, weather: 'fine' },
  });
  await restart();
  expect(await ask('{ item { id } user(id: 1) { name } weather }')).toMatchObject({ data: {} });
  // Introspection goes on in the background.
  const found = await until(inconsistent, (list) => !list.join().includes('has not been read yet'));
  expect(found).toEqual(expected);
});

test('a start waits for no remote schema, and serves those that it knows', async () => {
  let held = 0;
  slow.answer = () => {
    held += 1;
    return new Promise<string>(() => {});
  };
  await remote.stop();
  await restart();
  expect(await ask('{ item { id owner } }')).toEqual({ data: { item: [{ id: 1, owner: 'a' }] } });
  // The slow one was asked and has not answered.
  await until(
    async () => held,
    (count) => count > 0,
  );
  const roots = (await ask('{ __schema { queryType { fields { name } } } }')) as {
    data: { __schema: { queryType: { fields: { name: string }[] } } };
  };
  const names = roots.data.__schema.queryType.fields.map(({ name }) => name);
  expect(names).toEqual(expect.arrayContaining(['item', 'user', 'weather']));
  expect(await ask('{ user(id: 1) { name } }')).toMatchObject({
    errors: [
      {
        message: expect.stringContaining('HTTP exception occurred'),
        extensions: { code: 'remote-schema-error' },
      },
    ],
  });
});

test('one that is down is listed with the reason, and heals without a restart while another one is slow', async () => {
  await restart();
  const stale = await until(inconsistent, (list) => list.some((each) => each.includes('people')));
  expect(stale).toContainEqual(
    expect.stringMatching(
      /^remote_schema people: Inconsistent object: remote schema "people" is inconsistent because of stale remote schema introspection is used\. The remote schema couldn't be reached for a fresh introspection because we got error: /,
    ),
  );
  const { port } = new URL(remote.url);
  remote = await startRemoteServer(
    'type Query { user(id: ID!): User } type User { id: ID!, name: String, age: Int }',
    { user: { id: '1', name: 'Ann', age: 7 } },
    Number(port),
  );
  await until(inconsistent, (list) => !list.some((each) => each.includes('people')));
  expect(await ask('{ user(id: 1) { age } }')).toEqual({ data: { user: { age: 7 } } });
  expect(server!.output()).toContain('remote schema read again: compatible');
  slow.answer = undefined;
});

test('a lock goes before the server, and what differs is reported', async () => {
  const locked = 'type Query {\n  user(id: ID!): User\n  old: String\n}\n\ntype User {\n  id: ID!\n}\n';
  writeFileSync(lockFile(folder, 'people'), lockText('people', locked));
  const permit = (schema: string) =>
    metadata('add_remote_schema_permissions', {
      remote_schema: 'people',
      role: 'reader',
      definition: { schema },
    });
  await permit('type Query { user(id: ID!): User } type User { age: Int }');
  // The server has no field "old", the lock has no field "age".
  await restart({ REMOTE_SCHEMAS_DIR: folder });
  expect(await ask('{ user(id: 1) { age } }')).toMatchObject({ errors: [{}] });
  expect(await ask('{ user(id: 1) { id } }')).toEqual({ data: { user: { id: '1' } } });
  expect(await inconsistent()).toContainEqual(
    expect.stringMatching(/^remote_schema_permission reader permission in remote schema people: .*"age"/s),
  );
  await until(
    async () => server!.output(),
    (output) => output.includes('remote schema read again: compatible'),
  );
  await metadata('drop_remote_schema_permissions', { remote_schema: 'people', role: 'reader' });
  await permit('type Query { old: String }');
  await restart({ REMOTE_SCHEMAS_DIR: folder });
  const output = await until(
    async () => server!.output(),
    (text) => text.includes('remote schema read again: breaking'),
  );
  expect(output).toContain('reader permission in remote schema people');
  // Nothing is asked of a server whose schema is locked.
  await metadata('remove_remote_schema', { name: 'sky' });
  writeFileSync(lockFile(folder, 'sky'), lockText('sky', 'type Query {\n  moon: String\n}\n'));
  await metadata('add_remote_schema', { name: 'sky', definition: { url: 'http://127.0.0.1:1/' } });
  expect(await ask('{ __type(name: "query_root") { fields { name } } item { id } }')).toMatchObject({
    data: { item: [{ id: 1 }] },
  });
  writeFileSync(lockFile(folder, 'people'), 'changed');
  await restart({ REMOTE_SCHEMAS_DIR: folder });
  expect(await inconsistent()).toContainEqual(expect.stringContaining('was changed by hand'));
});
