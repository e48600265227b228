/** What events survive, and how soon: a killed server (E4), outages of PostgreSQL and of a webhook (E9), a stop under load (E10). */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { startEmbeddedPostgres } from '../../../compiler/offline/embedded.ts';
import { connect, type EventFigure, ITEMS, now, numberFrom, type Rig, settled, writeItems } from './rig.ts';

/** One of two servers is killed while calls are under way. */
export async function measureKill(rig: Rig): Promise<EventFigure[]> {
  const EVENTS = 2000;
  const { receiver } = rig;
  const { url, client } = await rig.database('kill');
  await client.query(ITEMS);
  const [first, second] = [await rig.serve(url), await rig.serve(url)];
  await first.trigger('kill', '/slow');
  await receiver.take();
  await writeItems(client, 0, EVENTS);
  await receiver.waitFor(300);
  const held = await numberFrom(
    client,
    'select count(*) from engine_catalog.event_log where locked is not null',
  );
  await first.stop('SIGKILL');
  const killed = now();
  rig.progress('killed a server; its lease ends after 30 s');
  await settled(client);
  const freed = (now() - killed) / 1000;
  await second.stop();
  const calls = await receiver.take();
  const lost = EVENTS - new Set(calls.map(([, id]) => id)).size;
  const twice = calls.length - (EVENTS - lost);
  return [
    {
      id: 'E4',
      what: `kill −9 of one of two servers that hold ${held} of ${EVENTS} events`,
      value: `${lost} lost, ${twice} calls made twice, all delivered after ${freed.toFixed(0)} s`,
      goal: '0 lost, ≤ 100 twice, ≤ 60 s',
      isMet: lost === 0 && twice <= 100 && freed <= 60,
    },
  ];
}

/** SIGTERM while a hundred calls of half a second are under way. */
export async function measureStop(rig: Rig): Promise<EventFigure[]> {
  const { url, client } = await rig.database('stop');
  await client.query(ITEMS);
  const engine = await rig.serve(url);
  await engine.trigger('stop', '/slow');
  await rig.receiver.take();
  await writeItems(client, 0, 2000);
  await rig.receiver.waitFor(300);
  const begun = now();
  await engine.stop('SIGTERM');
  const seconds = (now() - begun) / 1000;
  const locked = await numberFrom(
    client,
    'select count(*) from engine_catalog.event_log where locked is not null',
  );
  await rig.receiver.take();
  return [
    {
      id: 'E10',
      what: 'SIGTERM while calls of 0.5 s are under way',
      value: `exits after ${seconds.toFixed(1)} s, ${locked} rows left locked`,
      goal: '≤ 1.5 s, 0 rows',
      isMet: seconds <= 1.5 && locked === 0,
    },
  ];
}

/** PostgreSQL restarts, and a webhook that refuses connections for a while, under load. */
export async function measureOutages(rig: Rig): Promise<EventFigure[]> {
  const { receiver } = rig;
  const folder = mkdtempSync(join(tmpdir(), 'engine-bench-'));
  let postgres = await startEmbeddedPostgres({ dataDirectory: folder });
  try {
    const { url, port } = postgres;
    const setUp = await connect(url);
    await setUp.query(ITEMS);
    const engine = await rig.serve(url);
    await engine.trigger('outage', '/ok');
    await receiver.take();
    await writeItems(setUp, 0, 10_000);
    await receiver.waitFor(1000);
    await setUp.end();
    await postgres.stop();
    await delay(1000);
    postgres = await startEmbeddedPostgres({ dataDirectory: folder, port });
    const back = now();
    // Calls that were under way when it stopped are told apart by their time.
    const arrived = await receiver.count();
    await receiver.waitFor(arrived + 1);
    const recovery = (now() - back) / 1000;
    rig.progress(`delivers ${recovery.toFixed(1)} s after PostgreSQL is back`);
    const client = await connect(url);
    await settled(client);
    const calls = await receiver.take();
    const lost = 10_000 - new Set(calls.map(([, id]) => id)).size;

    await receiver.control('down');
    await engine.metadata('pg_create_event_trigger', {
      name: 'down',
      table: 'item',
      webhook: `${receiver.url}/down`,
      insert: { columns: '*' },
      retry_conf: { num_retries: 100, interval_sec: 1 },
    });
    await writeItems(client, 20_000, 1000);
    await delay(8000);
    await receiver.control('up');
    const up = now();
    await settled(client);
    const seconds = (now() - up) / 1000;
    const after = (await receiver.take()).filter(([path]) => path === '/down');
    await client.end();
    await engine.stop();
    return [
      {
        id: 'E9',
        what: 'PostgreSQL restarts under load',
        value: `delivers after ${recovery.toFixed(1)} s, ${lost} of 10000 lost`,
        goal: '≤ 5 s, 0 lost',
        isMet: recovery <= 5 && lost === 0,
      },
      {
        id: 'E9',
        what: 'a webhook is down for 8 s, retries every second',
        value: `all delivered after ${seconds.toFixed(1)} s, ${1000 - new Set(after.map(([, id]) => id)).size} lost`,
        goal: '≤ 5 s, 0 lost',
        isMet: seconds <= 5 && new Set(after.map(([, id]) => id)).size === 1000,
      },
    ];
  } finally {
    await postgres.stop();
    rmSync(folder, { recursive: true, force: true });
  }
}
