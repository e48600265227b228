/** How soon webhooks are called (E2), and how one that hangs touches another (E6). */
import { setTimeout as delay } from 'node:timers/promises';
import { median, percentile } from '../results.ts';
import { type EventFigure, ITEMS, now, type Rig, until } from './rig.ts';

const WRITES = 200;

export async function measureLatency(rig: Rig): Promise<EventFigure[]> {
  const { url, client } = await rig.database('latency');
  await client.query(ITEMS);
  const engine = await rig.serve(url);
  await engine.trigger('latency', '/ok');
  const insert = (id: number) => client.query('insert into item values ($1)', [id]);
  const mutate = (id: number) => engine.query(`mutation { insert_item_one(object: {id: ${id}}) { id } }`);
  await timed(rig, 0, 50, mutate);
  const own = await timed(rig, 1000, WRITES, mutate);
  const foreign = await timed(rig, 2000, WRITES, insert);
  await engine.stop();
  return [
    latency('E2', 'own writes: answer to webhook', own, 10, 50),
    latency('E2', 'foreign writes: commit to webhook', foreign, 60, 120),
  ];
}

function latency(id: string, what: string, sorted: readonly number[], p50: number, p99: number): EventFigure {
  const found = [median(sorted), percentile(sorted, 0.99)] as const;
  return {
    id,
    what,
    value: `p50 ${found[0].toFixed(1)} ms, p99 ${found[1].toFixed(1)} ms`,
    goal: `p50 ≤ ${p50} ms, p99 ≤ ${p99} ms`,
    isMet: found[0] <= p50 && found[1] <= p99,
  };
}

/** Milliseconds from each write's answer to its call, in ascending order. */
async function timed(
  { receiver, progress }: Rig,
  first: number,
  count: number,
  write: (id: number) => Promise<unknown>,
): Promise<readonly number[]> {
  const written = new Map<number, number>();
  await receiver.take();
  for (let id = first; id < first + count; id += 1) {
    await write(id);
    written.set(id, now());
    await delay(20 + Math.random() * 30);
  }
  await receiver.waitFor(count);
  const calls = (await receiver.take()).filter(([, id]) => written.has(id));
  const times = calls.map(([, id, at]) => Math.max(0, at - written.get(id)!));
  times.sort((left, right) => left - right);
  progress(`${count} writes: p50 ${median(times).toFixed(1)} ms`);
  return times;
}

export async function measureNeighbour(rig: Rig): Promise<EventFigure[]> {
  const { url, client } = await rig.database('neighbour');
  await client.query(`${ITEMS}; create table other (id int primary key)`);
  const engine = await rig.serve(url);
  await engine.trigger('healthy', '/ok');
  await engine.metadata('pg_track_table', { table: 'other' });
  await engine.metadata('pg_create_event_trigger', {
    name: 'dead',
    table: 'other',
    webhook: `${rig.receiver.url}/hang`,
    insert: { columns: '*' },
    retry_conf: { num_retries: 0, interval_sec: 10, timeout_sec: 60 },
  });
  const insert = (id: number) => client.query('insert into item values ($1)', [id]);
  await timed(rig, 0, 50, insert);
  const alone = percentile(await timed(rig, 1000, WRITES, insert), 0.99);
  await client.query('insert into other select generate_series(1, 1000)');
  await until('hanging calls', async () => (await rig.receiver.hanging()) > 0);
  // As many as there ever are.
  await delay(1000);
  const hanging = await rig.receiver.hanging();
  const beside = percentile(await timed(rig, 2000, WRITES, insert), 0.99);
  await engine.stop('SIGKILL');
  return [
    {
      id: 'E6',
      what: `p99 beside a trigger with ${hanging} hanging calls`,
      value: `${beside.toFixed(1)} ms, alone ${alone.toFixed(1)} ms`,
      goal: '≤ 2 ×',
      isMet: beside <= 2 * alone,
    },
  ];
}

/** Cost of capture per row (E5), by operation. */
export async function measureCapture(rig: Rig): Promise<EventFigure[]> {
  const ROWS = 10_000;
  const { url, client } = await rig.database('capture');
  await client.query(`${ITEMS}; create table plain (like item including all)`);
  const engine = await rig.serve(url, { EVENTS_FETCH_BATCH_SIZE: '0' });
  await engine.trigger('captured', '/ok', {
    insert: { columns: '*' },
    update: { columns: ['n'] },
    delete: { columns: '*' },
  });
  const operations = {
    insert: (table: string) => `insert into ${table} select n, 0, 'x' from generate_series(1, ${ROWS}) n`,
    update: (table: string) => `update ${table} set n = n + 1`,
    delete: (table: string) => `delete from ${table}`,
  };
  const times = new Map<string, number[]>();
  const transactions: Record<string, number> = {};
  for (let round = 0; round < 5; round += 1) {
    for (const [name, sql] of Object.entries(operations))
      for (const table of ['plain', 'item']) {
        const { rows: before } = await client.query('select pg_current_xact_id()::text::bigint as id');
        const begun = performance.now();
        await client.query(sql(table));
        const key = `${name} ${table}`;
        times.set(key, [...(times.get(key) ?? []), performance.now() - begun]);
        const { rows: after } = await client.query('select pg_current_xact_id()::text::bigint as id');
        if (table === 'item') transactions[name] = Number(after[0].id) - Number(before[0].id) - 1;
      }
    await client.query('truncate engine_catalog.event_log');
  }
  await engine.stop();
  return Object.keys(operations).map((name) => {
    const cost = ((median(times.get(`${name} item`)!) - median(times.get(`${name} plain`)!)) * 1000) / ROWS;
    rig.progress(`${name}: ${cost.toFixed(1)} µs per row`);
    return {
      id: 'E5',
      what: `capture, ${name} of ${ROWS} rows`,
      value: `${cost.toFixed(1)} µs per row, ${transactions[name]! - 1} subtransactions`,
      goal: '≤ 30 µs, 0',
      isMet: cost <= 30 && transactions[name] === 1,
    };
  });
}
