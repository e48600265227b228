/** Delivery under load: events per second and statements per event (E1, E8), beside other queues that call the same webhook. */
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import pg from 'pg';
import { beginLease } from '../../../runtime/database/queue/lease.ts';
import { Worker } from '../../../runtime/database/queue/worker.ts';
import type { EventJob } from '../../../runtime/events/claim.ts';
import { createEventStore, type EventOutcome } from '../../../runtime/events/event-store.ts';
import { EVENT_TABLES } from '../../../runtime/events/schema.ts';
import { startMeasured } from '../child.ts';
import type { ServerProcess } from '../server.ts';
import { deliverItems, type EventFigure, ITEMS, numberFrom, type Rig, rateOf, settled } from './rig.ts';

const EVENTS = 10_000;
const ROUNDS = 3;
const anchors = fileURLToPath(new URL('../anchors', import.meta.url));

const committed = 'select xact_commit from pg_stat_database where datname = current_database()';
/** Milliseconds after which what backends have counted is published. */
const PUBLISHED = 1500;

export async function measureRate(rig: Rig): Promise<EventFigure[]> {
  const { progress } = rig;
  const { url, client } = await rig.database('rate');
  await client.query(ITEMS);
  const engine = await rig.serve(url);
  await engine.trigger('rate', '/ok');

  const rates: number[] = [];
  let perEvent = 0;
  for (let round = 0; round <= ROUNDS; round += 1) {
    let before = 0;
    await engine.metadata('pg_pause_event_trigger', { name: 'rate' });
    const rate = await deliverItems(rig, client, round * EVENTS, EVENTS, async () => {
      await delay(PUBLISHED);
      before = await numberFrom(client, committed);
      await engine.metadata('pg_resume_event_trigger', { name: 'rate' });
    });
    await delay(PUBLISHED);
    perEvent = ((await numberFrom(client, committed)) - before) / EVENTS;
    // The first round warms up.
    if (round > 0) rates.push(rate);
    progress(`engine: ${Math.round(rate)} events/s`);
  }
  const single = await statementsOfSingle(client, engine);
  await engine.stop();
  const best = Math.max(...rates);
  const queue = await measureQueue(rig);
  return [
    atLeast('E1', `delivery of ${EVENTS} events`, best, 2000),
    atLeast('E1', 'queue alone, without calls', queue, 15_000),
    ...(await measureOthers(rig, best)),
    {
      id: 'E8',
      what: 'statements per event under load',
      value: perEvent.toFixed(3),
      goal: '≤ 0.1',
      isMet: perEvent <= 0.1,
    },
    {
      id: 'E8',
      what: 'statements of a single event',
      value: single.toFixed(1),
      goal: '3',
      isMet: single <= 3.5,
    },
  ];
}

function atLeast(id: string, what: string, rate: number, goal: number): EventFigure {
  return { id, what, value: `${Math.round(rate)}/s`, goal: `≥ ${goal}/s`, isMet: rate >= goal };
}

/** Statements beyond those of an idle server, and the write itself. */
async function statementsOfSingle(
  client: pg.Client,
  engine: ServerProcess & { query(text: string): Promise<void> },
) {
  const seconds = 8;
  const count = async (run: () => Promise<unknown>) => {
    await delay(PUBLISHED);
    const before = await numberFrom(client, committed);
    await run();
    await delay(PUBLISHED);
    return (await numberFrom(client, committed)) - before;
  };
  const idle = await count(() => delay(seconds * 1000));
  const writes = seconds * 4;
  const begun = performance.now();
  const busy = await count(async () => {
    for (let write = 0; write < writes; write += 1) {
      await engine.query(`mutation { insert_item_one(object: {id: ${1_000_000 + write}}) { id } }`);
      await delay(Math.max(0, begun + ((write + 1) * seconds * 1000) / writes - performance.now()));
    }
  });
  return (busy - idle) / writes - 1;
}

/** The queue's statements with no call between them: claims, outcomes. */
async function measureQueue(rig: Rig): Promise<number> {
  const { url, client } = await rig.database('queue');
  await client.query(EVENT_TABLES);
  const pool = new pg.Pool({ connectionString: url, max: 4 });
  const query = async (sql: string, values: readonly unknown[] = []) =>
    (await pool.query(sql, [...values])).rows;
  const failed = (message: string, error: unknown) => rig.progress(`${message} ${error}`);
  const lease = beginLease(query, () => true, failed);
  const done: EventOutcome = {
    isDelivered: true,
    isHopeless: false,
    status: 200,
    request: '{"payload":{},"headers":[],"version":"2"}',
    response: '{"type":"webhook_response","version":"2","data":{}}',
  };
  const rates: number[] = [];
  for (let round = 0; round < ROUNDS; round += 1) {
    await client.query(
      `insert into engine_catalog.event_log (schema_name, table_name, trigger_name, payload)
       select 'public', 'item', 'queue', jsonb_build_object('op', 'INSERT', 'data', jsonb_build_object('new', n))
       from generate_series(1, $1) n`,
      [2 * EVENTS],
    );
    const begun = performance.now();
    const worker = new Worker<EventJob, EventOutcome>({
      store: createEventStore(query, lease, () => [{ name: 'queue', ordering: 'none' }]),
      run: async () => done,
      laneOf: ({ trigger }) => trigger,
      isShared: () => false,
      mayUnblock: () => false,
      concurrency: 100,
      batchSize: 100,
      interval: 1000,
      report: failed,
      notice: () => {},
    });
    await settled(client);
    rates.push((2 * EVENTS * 1000) / (performance.now() - begun));
    await worker.stop(1000);
    rig.progress(`queue alone: ${Math.round(rates.at(-1)!)} events/s`);
  }
  await lease.end();
  await pool.end();
  return Math.max(...rates);
}

/** The floor and the anchors, with as many jobs. */
async function measureOthers(rig: Rig, ours: number): Promise<EventFigure[]> {
  const figures: EventFigure[] = [];
  const note = (what: string, rate: number) => {
    rig.progress(`${what}: ${Math.round(rate)} jobs/s`);
    figures.push({
      id: '',
      what: `the same by ${what}`,
      value: `${Math.round(rate)}/s`,
      goal: `ours: ${(ours / rate).toFixed(2)} of it`,
    });
  };
  note('a plain skip-locked worker', await measureFloor(rig));
  installAnchors(rig.progress);
  for (const kind of ['graphile-worker', 'pg-boss']) note(kind, await measureAnchor(rig, kind));
  return figures;
}

async function measureFloor({ database, receiver }: Rig): Promise<number> {
  const { url, client } = await database('floor');
  await client.query(
    'create table job (id int primary key, payload jsonb not null, done boolean not null default false)',
  );
  await client.query(
    `create index on job (id) where not done;
     insert into job select n, jsonb_build_object('id', n, 'note', repeat('x', 100)) from generate_series(1, ${EVENTS}) n`,
  );
  const floor = await startMeasured('skip-locked.ts', {
    databaseUrl: url,
    webhook: `${receiver.url}/ok`,
    workers: 50,
  });
  await receiver.waitFor(EVENTS, 120);
  await floor.stop();
  return rateOf(await receiver.take());
}

function installAnchors(progress: (text: string) => void): void {
  if (existsSync(`${anchors}/node_modules`)) return;
  progress('installing graphile-worker and pg-boss below test/bench/anchors');
  const args = ['install', '--no-package-lock', '--silent', '--no-audit', '--no-fund', '--prefix', anchors];
  const { status } = spawnSync('npm', args, { stdio: ['ignore', 'ignore', 'inherit'] });
  if (status !== 0) throw new Error('installing graphile-worker and pg-boss failed');
}

async function measureAnchor({ database, receiver }: Rig, kind: string): Promise<number> {
  const { url } = await database(kind);
  const args = [`${anchors}/worker.mjs`, kind, url, `${receiver.url}/ok`, String(EVENTS)];
  const child: ChildProcess = spawn(process.execPath, args, { stdio: ['pipe', 'pipe', 'inherit'] });
  const failed = once(child, 'exit').then(() => {
    throw new Error(`${kind} ended`);
  });
  failed.catch(() => {});
  try {
    await Promise.race([once(child.stdout!, 'data'), failed]);
    child.stdin!.write('\n');
    await Promise.race([receiver.waitFor(EVENTS, 120), failed]);
    return rateOf(await receiver.take());
  } finally {
    child.kill('SIGKILL');
  }
}
