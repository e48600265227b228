/** Tables over time: with clean-ups (E7), and while a transaction keeps old row versions (E12). */
import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import type pg from 'pg';
import { createClaim } from '../../../runtime/events/claim.ts';
import { median } from '../results.ts';
import { connect, deliverItems, type EventFigure, ITEMS, numberFrom, type Rig, until } from './rig.ts';

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
    await deliverItems(rig, client, round * EVENTS, EVENTS);
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
  await engine.stop();
  // Autovacuum comes at any time, so the largest sizes of both halves are compared.
  const [early, late] = [sizes.slice(0, ROUNDS / 2), sizes.slice(ROUNDS / 2)].map((half) =>
    Math.max(...half),
  );
  return [
    {
      id: 'E7',
      what: `maximum size in two times ${ROUNDS / 2} rounds of ${EVENTS} events and a clean-up`,
      value: `${early!.toFixed(1)} MB, ${late!.toFixed(1)} MB; ${(share * 100).toFixed(0)} % dead rows`,
      goal: '± 20 %, ≤ 5 % dead',
      isMet: late! <= 1.2 * early! && share <= 0.05,
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
    rates.push(await deliverItems(rig, client, batch * BATCH, BATCH));
    rig.progress(`${Math.round(rates.at(-1)!)} events/s with ${(batch + 1) * BATCH} behind a snapshot`);
  }
  const look = await lookTime(client);
  await holder.query('rollback');
  await holder.end();
  await engine.stop();
  const [begin, end] = [rates[1]!, rates.at(-1)!];
  return [
    {
      id: 'E12',
      what: `${BATCH * BATCHES} events while a transaction keeps its snapshot`,
      value: `${Math.round(begin)}/s, at the end ${Math.round(end)}/s; a look takes ${look.toFixed(1)} ms`,
      goal: 'rate unchanged, ≤ 5 ms',
      isMet: end >= 0.8 * begin && look <= 5,
    },
  ];
}

/** Milliseconds that most looks of a server at the queue take, which has no event that is due. */
async function lookTime(client: pg.Client): Promise<number> {
  const query = async (sql: string, values: readonly unknown[] = []) =>
    (await client.query(sql, [...values])).rows;
  const claim = createClaim(query, randomUUID());
  const times: number[] = [];
  for (let count = 0; count < 50; count += 1) {
    const begun = performance.now();
    await claim([{ name: 'snapshot', ordering: 'none' }], 100);
    times.push(performance.now() - begun);
  }
  return median(times.sort((left, right) => left - right));
}
