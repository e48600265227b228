/** `GET /engine/console/state`: the last errors of a server that serves REST endpoints. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { ConsoleState } from '../../../runtime/console/questions.ts';
import { metadataOf } from '../../harness/metadata.ts';
import { createTestDatabase } from '../../harness/postgres.ts';
import { send, serve, type TestServer } from '../../harness/server.ts';

const METADATA = metadataOf([{ table: 'broken' }], {
  query_collections: [
    {
      name: 'all',
      definition: {
        queries: [
          {
            name: 'one',
            query: 'query one($name: String!) { broken(where: {name: {_eq: $name}}) { name } }',
          },
        ],
      },
    },
  ],
  rest_endpoints: [
    {
      name: 'broken',
      url: 'broken/:name',
      methods: ['GET'],
      definition: { query: { collection_name: 'all', query_name: 'one' } },
    },
  ],
});

let server: TestServer;
beforeAll(async () => {
  const database = await createTestDatabase(`
    create function fails() returns text language plpgsql as $$ begin raise 'broken' using errcode = 'XX000'; end $$;
    create view broken as select fails() as name`);
  server = await serve({ database, metadata: METADATA, options: { ENABLE_CONSOLE: 'true' } });
});
afterAll(async () => {
  await server?.stop();
});

test('an address that holds a value is shown as its endpoint, once', async () => {
  for (const value of ['ada', 'brook', '%FF'])
    await send(server, `/api/rest/broken/${value}`, { method: 'GET' });
  const { json } = await send(server, '/engine/console/state', { method: 'GET' });
  const { lastErrors, writesFiles } = json as ConsoleState;
  expect(writesFiles).toBe(false);
  expect(lastErrors.filter(({ kind }) => kind === 'request')).toMatchObject([
    { kind: 'request', subject: 'GET /api/rest/broken/:name one', message: 'unexpected at $', count: 2 },
  ]);
});
