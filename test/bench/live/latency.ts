/** L2, L11 and L3: how soon clients get what was written, without recorded writes and with them. */
import { setTimeout as delay } from 'node:timers/promises';
import { percentiles } from './measure.ts';
import { item, type Rig } from './rig.ts';

export async function measureLatency(rig: Rig): Promise<void> {
  const count = await rig.thousand();
  const foreign = await rig.latencies((index) => rig.update(index));
  rig.note({
    id: 'L2',
    what: `${count} live queries, 100 foreign writes/s`,
    value: foreign.text,
    goal: 'p50 ≤ 70 ms, p99 ≤ 150 ms',
    isMet: foreign.p50 <= 70 && foreign.p99 <= 150,
  });
  await measureMutations(rig, `${count} live queries, 100 mutations/s`);
  const other = rig.anotherClient();
  await other.subscribe(1, 1, () => 'slow_item { slept }');
  const beside = await rig.latencies((index) => rig.update(index));
  const ratio = beside.p99 / foreign.p99;
  rig.note({
    id: 'L11',
    what: 'foreign writes beside a live query of 2 s',
    value: `${beside.text}; p99 ${ratio.toFixed(2)} of that without`,
    goal: 'p99 ± 20 %',
    isMet: ratio <= 1.2,
  });
  await other.close();
}

/** @param rig its database records writes */
export async function measureRecordedLatency(rig: Rig): Promise<void> {
  const count = await rig.thousand();
  const foreign = await rig.latencies((index) => rig.update(index));
  rig.note({
    id: 'L2',
    what: `${count} live queries, 100 foreign writes/s, recorded`,
    value: foreign.text,
    goal: 'p50 ≤ 15 ms, p99 ≤ 50 ms',
    isMet: foreign.p50 <= 15 && foreign.p99 <= 50,
  });
  await measureMutations(rig, `${count} live queries, 100 mutations/s, recorded`);
}

async function measureMutations(rig: Rig, what: string): Promise<void> {
  const own = await rig.latencies((index) => rig.mutate(index));
  rig.note({ id: 'L2', what, value: own.text, goal: 'p50 ≤ 5 ms', isMet: own.p50 <= 5 });
}

/** @param rig its database records writes */
export async function measureKeyed(rig: Rig): Promise<void> {
  const { clients, queries, database } = rig;
  await clients.subscribe(queries / 100, 100, item);
  await delay(1500);
  const scans = () => database.number("select idx_scan from pg_stat_user_tables where relname = 'item'");
  const before = await scans();
  const [count, began] = [3000, performance.now()];
  const times = percentiles(await clients.latencies(count, 1000, queries, (index) => rig.update(index)));
  // The clients listen for a second and a half after the last write.
  const rate = Math.round(count / ((performance.now() - began - 1500) / 1000));
  await delay(1500);
  const reads = ((await scans()) - before - count) / count;
  rig.note({
    id: 'L3',
    what: `${queries} live queries, ${rate} keyed writes/s, recorded`,
    value: `${reads.toFixed(2)} reads for each write, ${times.text}`,
    goal: '≤ 1.1 at 1,000 writes/s, p99 ≤ 200 ms',
    isMet: reads <= 1.1 && times.p99 <= 200,
  });
}
