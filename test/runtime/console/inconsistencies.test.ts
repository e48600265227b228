/** `GET /engine/console/inconsistencies`: places are those of the exported document, however the metadata came to the server. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { InconsistenciesAnswer } from '../../../runtime/console/operator-questions.ts';
import { metadataOf } from '../../harness/metadata.ts';
import { send, serve, type TestServer } from '../../harness/server.ts';

const ADMIN = { 'x-engine-admin-secret': 'secret of the test of inconsistencies' };

let server: TestServer;
beforeAll(async () => {
  const options = { ENABLE_CONSOLE: 'true', ADMIN_SECRET: ADMIN['x-engine-admin-secret'] };
  server = await serve({
    sql: 'create table item (id int primary key, name text); create table part (id int primary key, colour text)',
    options,
  });
});
afterAll(() => server?.stop());

async function ask(type: string, args: object, version?: number) {
  const { json, status } = await send(server, '/v1/metadata', {
    headers: ADMIN,
    body: { type, args, version },
  });
  expect([type, status]).toEqual([type, 200]);
  return json;
}

/** The value at `metadata.sources[0].tables[1]` of a document. */
function valueAt(metadata: unknown, path: string): unknown {
  const steps = path.match(/[\w-]+/g)!.slice(1);
  return steps.reduce((value, step) => (value as Record<string, unknown>)[step], metadata);
}

test('places are those of export_metadata, for objects in another order and for added ones', async () => {
  const remote = (name: string, url: string) => ({ name, definition: { url, timeout_seconds: 1 } });
  const metadata = metadataOf([{ table: 'part' }, { table: 'lost' }, { table: 'item' }], {
    remote_schemas: [remote('b', 'http://127.0.0.1:9/b'), remote('a', 'http://127.0.0.1:9/a')],
  });
  await ask('replace_metadata', { metadata, allow_inconsistent_metadata: true }, 2);
  const permission = { columns: ['id', 'colour'], filter: {} };
  await ask('pg_create_select_permission', { table: 'part', role: 'clerk', permission });
  await server.database.query('alter table part drop colour');
  await ask('reload_metadata', { reload_sources: true });
  const { json } = await send(server, '/engine/console/inconsistencies', { method: 'GET', headers: ADMIN });
  const { inconsistencies } = json as InconsistenciesAnswer;
  const { metadata: exported } = (await ask('export_metadata', {}, 2)) as { metadata: unknown };
  expect(
    inconsistencies.map(({ name, path, reload }) => [name, valueAt(exported, path), reload]),
  ).toStrictEqual([
    ['table lost in source default', { schema: 'public', name: 'lost' }, { source: 'default' }],
    ['remote_schema a', expect.objectContaining({ name: 'a' }), { remoteSchema: 'a' }],
    ['remote_schema b', expect.objectContaining({ name: 'b' }), { remoteSchema: 'b' }],
    ['select_permission clerk in table part in source default', ['id', 'colour'], { source: 'default' }],
  ]);
});
