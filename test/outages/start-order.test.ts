/** E-18: a server that starts before its database waits for it, says why, and needs no restart. */
import { afterAll, expect, test } from 'vitest';
import { type Cluster, createTestCluster } from '../harness/cluster.ts';
import { freePort } from '../harness/free-port.ts';
import type { TestDatabase } from '../harness/postgres.ts';
import { startTestServer, type TestServer } from '../harness/server.ts';

let cluster: Cluster | undefined;
let server: TestServer | undefined;

afterAll(async () => {
  await server?.stop();
  await cluster?.remove();
});

test('E-18: a server waits for its database', async () => {
  cluster = await createTestCluster();
  const port = await freePort();
  const get = async (path: string) => {
    const answer = await fetch(`http://127.0.0.1:${port}${path}`).catch(() => undefined);
    return answer && { status: answer.status, json: (await answer.json()) as unknown };
  };
  const starting = startTestServer({ url: cluster.url } as TestDatabase, { SERVER_PORT: String(port) });
  await expect.poll(() => get('/livez')).toEqual({ status: 200, json: { status: 'ok' } });
  expect(await get('/readyz')).toEqual({
    status: 503,
    json: {
      status: 'not ready',
      reasons: ['starting', 'metadata-database'],
      detail: 'connection refused',
    },
  });
  expect(await get('/v1/version')).toMatchObject({ status: 503, json: { error: 'the server is starting' } });
  await cluster.start();
  server = await starting;
  expect(server.port).toBe(port);
  await expect.poll(() => get('/readyz')).toEqual({ status: 200, json: { status: 'ok' } });
  expect(server.output()).toContain(
    'the metadata database does not answer, trying again: connection refused',
  );
});
