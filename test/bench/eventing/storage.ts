/** Tables over time: with clean-ups (E7), and while a transaction keeps old row versions (E12). */
import { setTimeout as delay } from 'node:timers/promises';
import type pg from 'pg';
import {
  connect,
  type EventFigure,
  ITEMS,
  numberFrom,
  type Rig,
  rateOf,
  undelivered,
  until,
  writeItems,
} from './rig.ts';

const size = `select sum(pg_total_relation_size(c.oid)) / 1e6 from pg_class c
  where c.relnamespace = 'engine_catalog'::regnamespace and c.relname in ('event_log', 'event_invocation_logs')`;

const ROUNDS = 8;
/** Events of a round. */
const EVENTS = 3000;

// In relation to what a round writes to the two tables: clean-ups leave no rows to compare with.
const dead = `select coalesce(sum(n_dead_tup)::float8 / ${2 * EVENTS}, 0) from pg_stat_user_tables
  where schemaname = 'engine_catalog' and relname in ('event_log', 'event_invocation_logs')`;

/** Rounds of events that are delivered, then deleted. */
export async function measureStorage(rig: Rig): Promise<EventFigure[]> {
  const { url, client } = await rig.database('storage');
  await client.query(ITEMS);
  // As in a day, in which it comes by 1,440 times.
  await client.query(`alter system set autovacuum_naptime = '1s'`);
  await client.query('select pg_reload_conf()');
  const engine = await rig.serve(url);
  await engine.trigger('storage', '/ok');
  const sizes: number[] = [];
  for (let round = 0; round < ROUNDS; round += 1) {
    await writeItems(client, round * EVENTS, EVENTS);
    await until('outcomes', async () => (await undelivered(client)) === 0);
    await engine.metadata('cleanup_event_trigger_logs', {
      event_trigger_name: 'storage',
      clear_older_than: 0,
      clean_invocation_logs: true,
    });
    await delay(2500);
    sizes.push(await numberFrom(client, size));
    rig.progress(`round ${round + 1}: ${sizes.at(-1)!.toFixed(1)} MB`);
  }
  await until('vacuum', async () => (await numberFrom(client, dead)) <= 0.05, 30).catch(() => {});
  const share = await numberFrom(client, dead);
  await client.query('alter system reset autovacuum_naptime');
  await client.query('select pg_reload_conf()');
  await rig.receiver.take();
  await engine.stop();
  const [settled, last] = [sizes[2]!, sizes.at(-1)!];
  return [
    {
      id: 'E7',
      what: `tables after 3 and ${ROUNDS} rounds of ${EVENTS} events and a clean-up`,
      value: `${settled.toFixed(1)} MB, ${last.toFixed(1)} MB; ${(share * 100).toFixed(0)} % dead rows`,
      goal: '± 20 %, ≤ 5 % dead',
      isMet: last <= 1.2 * settled && share <= 0.05,
    },
  ];
}

/** A transaction holds a snapshot, so nothing is vacuumed while events are delivered. */
export async function measureLongTransaction(rig: Rig): Promise<EventFigure[]> {
  const BATCH = 10_000;
  const BATCHES = 5;
  const { url, client } = await rig.database('snapshot');
  await client.query(ITEMS);
  const engine = await rig.serve(url);
  await engine.trigger('snapshot', '/ok');
  const holder = await connect(url);
  await holder.query('begin isolation level repeatable read');
  await holder.query('select count(*) from engine_catalog.event_log');
  const rates: number[] = [];
  for (let batch = 0; batch < BATCHES; batch += 1) {
    await writeItems(client, batch * BATCH, BATCH);
    await rig.receiver.waitFor(BATCH, 120);
    rates.push(rateOf(await rig.receiver.take()));
    rig.progress(`${Math.round(rates.at(-1)!)} events/s with ${(batch + 1) * BATCH} behind a snapshot`);
  }
  await until('outcomes', async () => (await undelivered(client)) === 0);
  const fetch = await fetchTime(client);
  await holder.query('rollback');
  await holder.end();
  await engine.stop();
  const [begin, end] = [rates[1]!, rates.at(-1)!];
  return [
    {
      id: 'E12',
      what: `${BATCH * BATCHES} events while a transaction keeps its snapshot`,
      value: `${Math.round(begin)}/s, at the end ${Math.round(end)}/s; looking takes ${fetch.toFixed(1)} ms`,
      goal: 'rate unchanged, ≤ 5 ms',
      isMet: end >= 0.8 * begin && fetch <= 5,
    },
  ];
}

/** Milliseconds that finding the next events of a trigger takes. */
async function fetchTime(client: pg.Client): Promise<number> {
  const { rows } = await client.query(
    `explain (analyze, timing off, format json)
     select id from engine_catalog.event_log e where trigger_name = 'snapshot' and next_retry_at is null
       and delivered = false and error = false and archived = false order by seq limit 100`,
  );
  return rows[0]['QUERY PLAN'][0]['Execution Time'];
}
