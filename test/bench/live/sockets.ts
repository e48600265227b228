/** L5, L6 and L7: as many sockets as live queries. */
import { setTimeout as delay } from 'node:timers/promises';
import { cpuOf, memoryOf, percentiles } from './measure.ts';
import { ITEMS, item, type Rig } from './rig.ts';

/** Maximum connections of the server: those of the pool, of live queries and of the metadata. */
const MAX_CONNECTIONS = 54;

const ROUNDS = 5;

/** Milliseconds after which a backend that waits has published what it counted. */
const PUBLISHED = 10_500;

export async function measureSockets(rig: Rig): Promise<void> {
  const { clients, queries: count, database, pid } = rig;
  const scans = () =>
    database.number("select seq_scan + coalesce(idx_scan, 0) from pg_stat_user_tables where relname = 'big'");
  // The heap has the size that it has under load before the first sockets are counted.
  const first = count / 4;
  const open = (sockets: number) => clients.subscribe(sockets, 1, () => 'big_by_pk(id: 1) { text }');
  await open(first);
  await delay(3000);
  const before = memoryOf(pid);
  await open(count - first);
  await delay(3000);
  const kilobytes = (memoryOf(pid) - before) / (count - first);
  rig.note({
    id: 'L6',
    what: `sockets with one live query each, idle: from ${first} to ${count}`,
    value: `${kilobytes.toFixed(1)} kB per socket`,
    goal: '≤ 15 kB',
    isMet: kilobytes <= 15,
  });
  await delay(PUBLISHED);
  const read = await scans();
  const used = cpuOf(pid);
  const times: number[] = [];
  for (let round = 0; round < ROUNDS; round += 1) {
    const last = clients.next(count);
    await rig.write('update big set text = repeat($1, 1000)', [String(round)]);
    const written = performance.now();
    await last;
    times.push(performance.now() - written);
  }
  const cpu = cpuOf(pid) - used;
  await delay(PUBLISHED);
  // Each later one begins after a pause, because it follows at once.
  const [time, rate] = [times[0]!, Math.round((ROUNDS * count) / cpu)];
  const reads = ((await scans()) - read) / ROUNDS - 1;
  rig.note({
    id: 'L5',
    what: `one result of 1 kB for ${count} sockets`,
    value: `last message after ${Math.round(time)} ms, ${rate} messages per second of CPU time, ${reads.toFixed(1)} reads`,
    goal: 'last ≤ 250 ms, ≥ 40,000 messages per core, ≤ 2 reads',
    // Transactions that begin, and those of others, have it read once more.
    isMet: time <= 250 && rate >= 40_000 && reads <= 2,
  });
}

/** Clients connect within ten seconds, while others ask. */
export async function measureStorm(rig: Rig): Promise<void> {
  const { clients, queries: count, database } = rig;
  const requests = async (isDone: () => boolean): Promise<number[]> => {
    const times: number[] = [];
    while (!isDone()) {
      const began = performance.now();
      await rig.post('/v1/graphql', { query: '{ item_by_pk(id: 7) { n } }' });
      times.push(performance.now() - began);
      await delay(5);
    }
    return times;
  };
  const until = performance.now() + 3000;
  const alone = percentiles(await requests(() => performance.now() > until));
  let connections = 0;
  let isOver = false;
  const watch = async () => {
    while (!isOver) {
      const sql = "select count(*) from pg_stat_activity where application_name = 'engine'";
      connections = Math.max(connections, await database.number(sql));
      await delay(100);
    }
  };
  const storm = async () => {
    const times = await clients.storm(count, count / 10, (index) => item(index % ITEMS));
    isOver = true;
    return times;
  };
  const [times, others] = await Promise.all([storm(), requests(() => isOver), watch()]);
  const first = percentiles(times);
  const ratio = percentiles(others).p99 / alone.p99;
  rig.note({
    id: 'L7',
    what: `${count} clients connect within 10 s`,
    value: `${times.length} first results ${first.text}; ${connections} connections; ${clients.refused} tried again; other requests p99 ${ratio.toFixed(1)} times that without`,
    goal: `all, p99 ≤ 2,000 ms; ≤ ${MAX_CONNECTIONS} (50 of the pool and 4); 0; ≤ 2`,
    isMet:
      times.length === count &&
      first.p99 <= 2000 &&
      connections <= MAX_CONNECTIONS &&
      clients.refused === 0 &&
      ratio <= 2,
  });
}
