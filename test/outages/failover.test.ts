/** E-8 and E-9: a primary fails over to its standby, with a history check of what clients saw. */
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Cluster, createTestCluster } from '../harness/cluster.ts';
import { type FaultProxy, startFaultProxy } from '../harness/fault-proxy.ts';
import { type Append, anomalies, type ListRead } from '../harness/history.ts';
import { createTestDatabase } from '../harness/postgres.ts';
import { send, startTestServer, type TestServer } from '../harness/server.ts';
import { ask, beginTraffic, type Outcome } from '../harness/traffic.ts';

const READ = '{ list_by_pk(id: 1) { entries } }';

describe('the checker of histories finds', () => {
  const append = (value: string, began: number, ended: number, isAcknowledged = true) => ({
    value,
    began,
    ended,
    isAcknowledged,
  });
  const a = append('a', 0, 1);
  const b = append('b', 2, 3);
  const read = (values: readonly string[], began: number, ended: number) => ({ values, began, ended });
  test.each([
    ['nothing in a good history', [a, b], [read(['a'], 1.5, 2.5), read(['a', 'b'], 4, 5)], ['a', 'b'], 0],
    ['nothing in a write of unknown outcome that happened', [append('a', 0, 1, false)], [], ['a'], 0],
    ['nothing in a write of unknown outcome that did not', [append('a', 0, 1, false)], [], [], 0],
    ['a lost write', [a], [], [], 1],
    ['a write that happened twice', [a], [], ['a', 'a'], 1],
    ['a value from nowhere', [], [], ['a'], 1],
    ['a read of what never was', [append('a', 0, 9), append('b', 0, 9)], [read(['b'], 4, 5)], ['a', 'b'], 1],
    ['a stale read', [a], [read([], 4, 5)], ['a'], 1],
    ['a read of the future', [append('a', 5, 6)], [read(['a'], 1, 2)], ['a'], 1],
    ['a wrong order', [a, b], [], ['b', 'a'], 1],
  ] as const)('%s', (_, appends, reads, last, count) => {
    expect(anomalies(appends, reads, last)).toHaveLength(count);
  });
});

let primary: Cluster;
let standby: Cluster;
let proxy: FaultProxy;
let server: TestServer;
let values = 0;
const appends: Append[] = [];
const reads: ListRead[] = [];

/** Clients that append to a list and read it, and keep what they saw. */
function beginHistory() {
  let next = 0;
  return beginTraffic(server, 6, () => {
    next += 1;
    if (next % 2 === 0)
      return {
        text: READ,
        done: ({ began, ended, data, error }: Outcome) => {
          const list = (data as { list_by_pk: { entries: string[] } } | undefined)?.list_by_pk;
          if (!error && list) reads.push({ began, ended, values: list.entries });
        },
      };
    values += 1;
    const value = `v${values}`;
    return {
      text: `mutation { update_list_by_pk(pk_columns: { id: 1 }, _append: { entries: "${value}" }) { id } }`,
      done: ({ began, ended, error }: Outcome) => {
        appends.push({ value, began, ended, isAcknowledged: error === undefined });
      },
    };
  });
}

/** Waits for so many more acknowledged appends. */
async function acknowledged(count: number): Promise<void> {
  const all = () => appends.filter(({ isAcknowledged }) => isAcknowledged).length;
  const before = all();
  await expect.poll(all).toBeGreaterThan(before + count);
}

async function expectNoAnomaly(): Promise<void> {
  const { data } = await ask(server, READ);
  const last = (data as { list_by_pk: { entries: string[] } }).list_by_pk.entries;
  expect(appends.filter(({ isAcknowledged }) => isAcknowledged).length).toBeGreaterThan(10);
  expect(reads.length).toBeGreaterThan(10);
  expect(anomalies(appends, reads, last)).toEqual([]);
}

beforeAll(async () => {
  primary = await createTestCluster();
  await primary.start();
  await primary.query(
    `create table list (id int primary key, entries jsonb not null default '[]'); insert into list values (1)`,
  );
  await primary.stop('fast');
  standby = await primary.standby();
  await primary.start({ synchronous_standby_names: 'standby', synchronous_commit: 'on' });
  await standby.start();
  proxy = await startFaultProxy(primary.url);
  const metadata = await createTestDatabase();
  server = await startTestServer(metadata, { DATABASE_URL: proxy.url, METADATA_DATABASE_URL: metadata.url });
  await send(server, '/v1/metadata', { body: { type: 'pg_track_table', args: { table: 'list' } } });
});

afterAll(async () => {
  await server?.stop();
  await proxy?.close();
  await standby?.remove();
  await primary?.remove();
});

test('E-9: restarts and broken connections lose nothing, repeat nothing and reorder nothing', async () => {
  const traffic = beginHistory();
  await acknowledged(10);
  for (const mode of ['immediate', 'fast'] as const) {
    await primary.stop(mode);
    await primary.start({ synchronous_standby_names: 'standby' });
    await acknowledged(10);
    proxy.cut();
    await delay(100);
    proxy.heal();
    await acknowledged(10);
    await primary.query(
      `select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'engine'`,
    );
    await acknowledged(10);
  }
  await traffic.stop();
  await expectNoAnomaly();
});

test('E-8: a synchronous standby takes over, and every acknowledged write is there', async () => {
  const traffic = beginHistory();
  await traffic.recovered();
  await primary.stop('immediate');
  proxy.cut();
  await standby.query('select pg_promote()');
  const promoted = performance.now();
  proxy.redirect(standby.url);
  proxy.heal();
  for (;;) {
    await traffic.recovered();
    const acknowledged = appends.find((append) => append.began > promoted && append.isAcknowledged);
    if (!acknowledged) continue;
    console.log(`E-8: first write ${(acknowledged.ended - promoted).toFixed(0)} ms after the promotion`);
    break;
  }
  await acknowledged(10);
  await traffic.stop();
  await expectNoAnomaly();
});

test('E-8: connections to a server that became a standby are given up', async () => {
  // The address leads back to a primary while connections to a standby are still open, as after a switch-over.
  const follower = await (async () => {
    await standby.stop('fast');
    const made = await standby.standby();
    await standby.start();
    await made.start();
    return made;
  })();
  try {
    proxy.redirect(follower.url);
    proxy.cut();
    proxy.heal();
    const append = 'mutation { update_list_by_pk(pk_columns: { id: 1 }, _append: { entries: "x" }) { id } }';
    await expect
      .poll(async () => (await ask(server, append)).error?.message)
      .toMatch(/read-only transaction/);
    expect((await ask(server, READ)).error).toBeUndefined();
    // Open connections stay: nothing but the next write tells them.
    proxy.redirect(standby.url);
    await expect.poll(async () => (await ask(server, append)).error).toBeUndefined();
  } finally {
    await follower.remove();
  }
});
