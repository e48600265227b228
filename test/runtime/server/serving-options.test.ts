/** Options of the server that concern changes of the metadata, and what is reported. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createTestDatabase, type TestDatabase } from '../../harness/postgres.ts';
import { send, startTestServer, type TestServer } from '../../harness/server.ts';
import { openSocket, type TestSocket } from '../../harness/socket.ts';

const SCHEMA = 'create table item (id integer primary key)';
const TRACK = { type: 'pg_track_table', args: { table: 'item' } };

const metadata = async (server: TestServer, body: object, path = '/v1/metadata') =>
  (await send(server, path, { body })).json;

async function served<Result>(
  options: Readonly<Record<string, string>>,
  run: (server: TestServer, database: TestDatabase) => Promise<Result>,
): Promise<Result> {
  const database = await createTestDatabase(SCHEMA);
  const server = await startTestServer(database, options);
  try {
    return await run(server, database);
  } finally {
    await server.stop();
  }
}

describe('in maintenance mode', () => {
  let server: TestServer;
  beforeAll(async () => {
    server = await startTestServer(await createTestDatabase(SCHEMA), {
      ENABLE_MAINTENANCE_MODE: 'true',
      METADATA_DEFAULTS: JSON.stringify({
        sources: [
          {
            name: 'default',
            kind: 'postgres',
            configuration: { connection_info: { database_url: { from_env: 'ENGINE_GRAPHQL_DATABASE_URL' } } },
            tables: [{ table: 'item' }],
          },
        ],
      }),
    });
  });
  afterAll(() => server?.stop());

  test.each([
    ['/v1/metadata', { type: 'pg_untrack_table', args: { table: 'item' } }, '$.args'],
    ['/v1/metadata', { type: 'reload_metadata', args: {} }, '$.args'],
    ['/v1/metadata', { type: 'bulk', args: [{ type: 'export_metadata', args: {} }, TRACK] }, '$.args'],
    ['/v1/query', { type: 'untrack_table', args: { table: 'item' } }, '$.args'],
    ['/v2/query', { type: 'run_sql', args: { sql: 'create table other (id integer)' } }, '$'],
    ['/v2/query', { type: 'run_sql', args: { sql: 'select 1', check_metadata_consistency: false } }, '$'],
  ])('%s refuses %j', async (path, body, at) => {
    expect(await metadata(server, body, path)).toMatchObject({
      code: 'not-supported',
      error: 'neither metadata nor schemas can be changed: the server is in maintenance mode',
      path: at,
    });
  });

  test('reading and requests are served', async () => {
    expect(await metadata(server, { type: 'export_metadata', args: {} })).toHaveProperty(
      'sources.0.tables.0',
    );
    const sql = { type: 'run_sql', args: { sql: 'select 1 as one', read_only: true } };
    expect(await metadata(server, sql, '/v2/query')).toMatchObject({ result: [['one'], ['1']] });
    const body = { query: 'mutation { insert_item(objects: [{id: 1}]) { affected_rows } }' };
    expect((await send(server, '/v1/graphql', { body })).json).toEqual({
      data: { insert_item: { affected_rows: 1 } },
    });
  });
});

describe('metadata-defaults', () => {
  test('are there beside the source of database-url, in a new metadata database only', async () => {
    const defaults = { query_collections: [{ name: 'kept', definition: { queries: [] } }] };
    await served({ METADATA_DEFAULTS: JSON.stringify(defaults) }, async (server, database) => {
      expect(await metadata(server, { type: 'export_metadata', args: {} })).toMatchObject({
        ...defaults,
        sources: [{ name: 'default' }],
      });
      const other = await startTestServer(database, { METADATA_DEFAULTS: '{"query_collections": []}' });
      expect(await metadata(other, { type: 'export_metadata', args: {} })).toMatchObject(defaults);
      await other.stop();
    });
  });

  test.each([
    ['[]', 'expected an object with parts of the metadata'],
    ['{"actions": 1}', 'metadata-defaults: actions: '],
  ])('%s stops the start', async (value, reason) => {
    await expect(served({ METADATA_DEFAULTS: value }, async () => 'served')).rejects.toThrow(reason);
  });
});

describe('when the metadata changes', () => {
  const changed = <Result>(
    options: Readonly<Record<string, string>>,
    run: (socket: TestSocket) => Promise<Result>,
  ) =>
    served(options, async (server) => {
      const socket = await openSocket(server);
      socket.send({ type: 'connection_init' });
      expect(await socket.next()).toMatchObject({ type: 'connection_ack' });
      await metadata(server, TRACK);
      return run(socket);
    });
  const kept = async (socket: TestSocket) => {
    socket.send({ id: '1', type: 'subscribe', payload: { query: '{ item { id } }' } });
    expect(await socket.next()).toMatchObject({ type: 'next', payload: { data: { item: [] } } });
    await socket.close();
  };

  test('websockets are kept', () => changed({}, kept));

  test('websockets are closed where that is asked for', async () => {
    const closed = await changed({ CLOSE_WEBSOCKETS_ON_METADATA_CHANGE: 'true' }, (socket) =>
      socket.closed(),
    );
    expect(closed).toEqual({ code: 1012, reason: 'the metadata changed' });
  });

  test('the option that keeps them wins', () =>
    changed(
      {
        CLOSE_WEBSOCKETS_ON_METADATA_CHANGE: 'true',
        DISABLE_CLOSE_WEBSOCKETS_ON_METADATA_CHANGE: 'true',
      },
      kept,
    ));
});
