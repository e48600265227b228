/** Everything at once for a long time while the database breaks: nothing is lost, nothing fails outside the faults. */
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Cluster, createTestCluster } from '../harness/cluster.ts';
import { type FaultProxy, startFaultProxy } from '../harness/fault-proxy.ts';
import { growth } from '../harness/flatness.ts';
import { type Append, anomalies, type ListRead } from '../harness/history.ts';
import { createTestDatabase } from '../harness/postgres.ts';
import { send } from '../harness/server.ts';
import { connect, type TestSocket } from '../harness/socket.ts';
import { ask, beginTraffic, type Outcome } from '../harness/traffic.ts';
import { startWebhook, type WebhookReceiver } from '../harness/webhook.ts';
import { type MemorySample, type SoakServer, startSoakServer } from './server.ts';

const MINUTES = Number(process.env.ENGINE_SOAK_MINUTES ?? 1);
const SUBSCRIBERS = 5;
const COUNT = '{ item_aggregate { aggregate { count } } }';
const LIST = '{ list_by_pk(id: 1) { entries } }';

let seed = Number(process.env.ENGINE_SOAK_SEED ?? 1);
/** Megabytes a minute by which memory may grow in the second half of a run, when caches are full. */
const MAX_GROWTH = 1;
/** Minutes below which a run says nothing of growth. */
const SAYS_SOMETHING = 8;
/** Milliseconds between two measurements of memory. */
const MEASURE = 15_000;

/** From 0 to 1. */
function random(): number {
  seed = (seed * 1_103_515_245 + 12_345) % 2 ** 31;
  return seed / 2 ** 31;
}

let cluster: Cluster;
let proxy: FaultProxy;
let server: SoakServer;
let webhook: WebhookReceiver;

const metadata = async (type: string, args: object) => {
  const { json } = await send(server, '/v1/metadata', { body: { type, args } });
  return json as { readonly error?: string };
};

beforeAll(async () => {
  cluster = await createTestCluster();
  await cluster.start();
  await cluster.query(`create table item (id serial primary key, name text unique);
    create table list (id int primary key, entries jsonb not null default '[]'); insert into list values (1)`);
  proxy = await startFaultProxy(cluster.url);
  webhook = await startWebhook();
  const stored = await createTestDatabase();
  server = await startSoakServer({
    DATABASE_URL: proxy.url,
    METADATA_DATABASE_URL: stored.url,
    EVENTS_FETCH_INTERVAL: '200',
    LOG_LEVEL: 'error',
    // Every write has a text of its own: caches have to be full before growth means anything.
    CACHE_MEMORY: '8',
  });
  for (const table of ['item', 'list'])
    expect(await metadata('pg_track_table', { table })).not.toHaveProperty('error');
  const trigger = { name: 'added', table: 'item', webhook: webhook.url, insert: { columns: '*' } };
  expect(await metadata('pg_create_event_trigger', trigger)).not.toHaveProperty('error');
});

afterAll(async () => {
  await webhook?.close();
  await proxy?.close();
  await cluster?.remove();
});

const TERMINATE = `select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'engine'`;

/** What breaks, and is whole again after the last step. */
const FAULTS: readonly (readonly [name: string, steps: readonly (() => unknown)[]])[] = [
  ['restart', [() => cluster.stop('fast'), () => cluster.start()]],
  ['crash', [() => cluster.stop('immediate'), () => cluster.start()]],
  ['reset', [() => proxy.cut(), () => delay(500), () => proxy.heal()]],
  ['silence', [() => proxy.swallow(), () => delay(1000), () => proxy.heal()]],
  ['terminated backends', [() => cluster.query(TERMINATE)]],
];

/** Prints the memory over time. What grows after the first half is a leak. */
function expectFlat(memory: readonly MemorySample[]): void {
  const [first] = memory;
  const minutes = ({ at }: MemorySample) => (at - first!.at) / 60_000;
  for (const sample of memory) {
    const { heap, resident } = sample;
    console.log(
      `minute ${minutes(sample).toFixed(1)}: heap ${heap.toFixed(1)} MB, process ${resident.toFixed(0)} MB`,
    );
  }
  const second = memory.slice(Math.floor(memory.length / 2));
  const of = (key: 'heap' | 'resident') =>
    growth(second.map((sample) => ({ at: minutes(sample), value: sample[key] })));
  console.log(
    `growth in the second half: heap ${of('heap').toFixed(2)}, process ${of('resident').toFixed(2)} MB a minute`,
  );
  if (MINUTES < SAYS_SOMETHING) {
    console.log(`growth is not judged below ${SAYS_SOMETHING} minutes`);
    return;
  }
  expect(memory.length).toBeGreaterThan(MINUTES);
  expect(of('heap')).toBeLessThan(MAX_GROWTH);
  expect(of('resident')).toBeLessThan(4 * MAX_GROWTH);
}

test(
  `${MINUTES} minutes of everything at once`,
  async () => {
    const end = performance.now() + MINUTES * 60_000;
    const isOver = () => performance.now() > end;
    const windows: { readonly began: number; ended: number }[] = [];
    const named: string[] = [];
    let names = 0;
    let writes = 0;
    let reads = 0;
    const failures: Outcome[] = [];
    const inWindow = ({ began, ended }: Pick<Outcome, 'began' | 'ended'>) =>
      windows.some((window) => began <= window.ended && ended >= window.began);
    const keep = (outcome: Outcome) => {
      if (outcome.error) failures.push(outcome);
    };
    // Rows, whose events are to arrive.
    const traffic = beginTraffic(server, 3, () => {
      names += 1;
      const name = `n${names}`;
      if (names % 2 === 0) {
        reads += 1;
        return { text: COUNT, done: keep };
      }
      return {
        text: `mutation { insert_item_one(object: { name: "${name}" }) { id } }`,
        done: (outcome) => {
          writes += 1;
          keep(outcome);
          if (!outcome.error) named.push(name);
        },
      };
    });
    // A list, whose history is checked.
    const appends: Append[] = [];
    const seen: ListRead[] = [];
    const history = (async () => {
      for (let step = 0; !isOver(); step += 1) {
        const value = `v${step}`;
        const outcome = await ask(
          server,
          `mutation { update_list_by_pk(pk_columns: { id: 1 }, _append: { entries: "${value}" }) { id } }`,
        );
        keep(outcome);
        appends.push({ ...outcome, value, isAcknowledged: !outcome.error });
        if (step % 20 === 0) {
          const read = await ask(server, LIST);
          keep(read);
          const { entries } =
            (read.data as { list_by_pk: { entries: string[] } } | undefined)?.list_by_pk ?? {};
          if (!read.error && entries) seen.push({ ...read, values: entries });
        }
        await delay(250);
      }
    })();
    const sockets: TestSocket[] = [];
    for (let index = 0; index < SUBSCRIBERS; index += 1) {
      const socket = await connect(server);
      socket.send({ type: 'subscribe', id: 'count', payload: { query: `subscription ${COUNT}` } });
      sockets.push(socket);
    }
    let changes = 0;
    const changing = (async () => {
      for (; !isOver(); changes += 1) {
        const role = { table: 'item', role: `role${changes % 3}` };
        const made = await metadata('pg_create_select_permission', {
          ...role,
          permission: { columns: '*', filter: {} },
        });
        if (!made.error) await metadata('pg_drop_select_permission', role);
        await delay(1000);
      }
    })();
    const memory: MemorySample[] = [];
    const sampling = (async () => {
      while (!isOver()) {
        const sample = await server.memory().catch(() => undefined);
        if (sample) memory.push(sample);
        await delay(MEASURE);
      }
    })();
    while (!isOver()) {
      await delay(5000 + random() * 15_000);
      if (isOver()) break;
      const [name, steps] = FAULTS[Math.floor(random() * FAULTS.length)]!;
      const window = { began: performance.now(), ended: Number.POSITIVE_INFINITY };
      windows.push(window);
      for (const step of steps) await step();
      const took = await traffic.recovered();
      // Requests that were under way on dead connections end within this time.
      window.ended = performance.now() + (name === 'silence' ? 15_000 : 2000);
      console.log(`${name}: recovered after ${took.toFixed(0)} ms`);
    }
    await Promise.all([traffic.stop(), history, changing, sampling]);

    expect(failures.filter((failure) => !inWindow(failure))).toEqual([]);
    const [row] = await cluster.query('select count(*)::int as count from item');
    const total = row!.count as number;
    const rows = await cluster.query('select name from item');
    const stored = new Set(rows.map(({ name }) => name as string));
    expect(named.filter((name) => !stored.has(name))).toEqual([]);
    const last = (await ask(server, LIST)).data as { list_by_pk: { entries: string[] } };
    expect(anomalies(appends, seen, last.list_by_pk.entries)).toEqual([]);
    // Every subscriber ends with what a fresh query answers.
    const counts = () =>
      sockets.map(({ messages }) => {
        const next = messages.findLast(({ type }) => type === 'next');
        const { data } = (next?.payload ?? {}) as {
          data?: { item_aggregate: { aggregate: { count: number } } };
        };
        return data?.item_aggregate.aggregate.count;
      });
    await expect.poll(counts, { timeout: 60_000 }).toEqual(sockets.map(() => total));
    const undelivered = () => {
      const delivered = new Set(
        webhook.calls.map(
          ({ body }) => (body as { event: { data: { new: { name: string } } } }).event.data.new.name,
        ),
      );
      return [...stored].filter((name) => !delivered.has(name)).length;
    };
    await expect.poll(undelivered, { timeout: 120_000, interval: 1000 }).toBe(0);
    console.log(
      `${reads} reads, ${writes} writes, ${appends.length} appends, ${changes} changes of metadata, ${windows.length} faults, ` +
        `${failures.length} failures inside them, ${webhook.calls.length} calls for ${stored.size} events`,
    );
    for (const socket of sockets) await socket.close();
    // Faults that the server has not got over would hold it up.
    const stopping = performance.now();
    await server.stop();
    console.log(`the server stopped in ${((performance.now() - stopping) / 1000).toFixed(1)} s`);
    expectFlat(memory);
  },
  MINUTES * 60_000 + 300_000,
);
