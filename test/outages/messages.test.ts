/** What a server logs while its database is restarted: each part of it one warning, no stacks, and its end. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Cluster, createTestCluster } from '../harness/cluster.ts';
import type { TestDatabase } from '../harness/postgres.ts';
import { send, startTestServer, type TestServer } from '../harness/server.ts';

/** What the parts of a server say that notice an outage at once. */
const AWAY = ['Looking at the queue failed', 'The metadata database does not answer'];
/** What they say at its end. One that has not said so may sleep through the next outage, so that it is the same to it. */
const BACK = ['The metadata database answers again.', 'The queue is looked at again.'];

let cluster: Cluster;
let server: TestServer;

beforeAll(async () => {
  cluster = await createTestCluster();
  await cluster.start();
  server = await startTestServer({ url: cluster.url } as TestDatabase, { SCHEMA_SYNC_POLL_INTERVAL: '50' });
});
afterAll(async () => {
  await server?.stop();
  await cluster?.remove();
});

test('a restart is one warning and one notice of each part, without stacks', async () => {
  const before = server.output().length;
  const lines = () =>
    server
      .output()
      .slice(before)
      .split('\n')
      .filter((line) => /"level":"(warn|error)"|answers again|looked at again/.test(line))
      .map((line) => JSON.parse(line) as { level: string; detail: { message: string; error?: unknown } });
  for (const mode of ['fast', 'immediate'] as const) {
    const known = lines().length;
    await cluster.stop(mode);
    const told = () => lines().slice(known);
    const said = () => told().map(({ detail }) => detail.message.split(/; |\. /)[0]);
    await expect.poll(said, { timeout: 20_000 }).toEqual(expect.arrayContaining(AWAY));
    // Many polls later the same is there.
    for (let poll = 0; poll < 20; poll += 1) await send(server, '/healthz', { method: 'GET' });
    await cluster.start();
    await expect.poll(said, { timeout: 20_000 }).toEqual(expect.arrayContaining(BACK));
    expect(said().sort()).toEqual([...AWAY, ...BACK].sort());
    expect(told().filter(({ detail }) => detail.error !== undefined)).toEqual([]);
  }
});
