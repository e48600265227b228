/** L13: streams of one query at the head of a table. */
import { setTimeout as delay } from 'node:timers/promises';
import { percentiles } from './measure.ts';
import type { Rig } from './rig.ts';

/** Messages that clients on the same two cores receive in some ten seconds. */
const MAX_MESSAGES = 300_000;
const MAX_WAIT = 15_000;

export async function measureStreams(rig: Rig): Promise<void> {
  for (const count of new Set([Math.min(1000, rig.queries), rig.queries])) await measure(rig, count);
}

async function measure(rig: Rig, count: number): Promise<void> {
  const { clients, database, pid } = rig;
  await rig.write('truncate entry');
  await rig.write('insert into entry default values');
  const field = () => 'entry_stream(batch_size: 100, cursor: {initial_value: {id: "0"}}) { id at }';
  await clients.subscribe(count / 10, 10, field);
  await delay(1000);
  const idle = await database.during(pid, () => delay(2000));
  const rows = new Map<string, number[]>();
  const times: number[] = [];
  let isDone = 0;
  const written = Math.max(10, Math.min(300, Math.floor(MAX_MESSAGES / count)));
  clients.received = (stream, text) => {
    const now = Date.now();
    const seen = rows.get(stream) ?? [];
    rows.set(stream, seen);
    for (const [, id, at] of text.matchAll(/"id":"?(\d+)"?,"at":"([^"]+)"/g)) {
      seen.push(Number(id));
      if (seen.length === written) isDone += 1;
      if (stream === '0' || stream === String(count - 1)) times.push(now - Date.parse(at!));
    }
  };
  const began = performance.now();
  for (let number = 0; number < written; number += 1) {
    await delay(Math.max(0, began + number * 10 - performance.now()));
    await rig.write('insert into entry default values');
  }
  const deadline = performance.now() + MAX_WAIT;
  while (isDone < count && performance.now() < deadline) await delay(50);
  const right = [...rows.values()].filter(
    (seen) => seen.length === written && seen.every((id, index) => index === 0 || id > seen[index - 1]!),
  ).length;
  const latency = percentiles(times);
  rig.note({
    id: 'L13',
    what: `${count} streams at the head, idle, then ${written} inserts, 100 a second`,
    value: `${idle.statements.toFixed(1)} statements/s; ${right} got every row once; ${latency.text}`,
    goal: `≤ 20 statements/s; ${count}; p99 ≤ 100 ms`,
    isMet: idle.statements <= 20 && right === count && latency.p99 <= 100,
  });
  await clients.close();
}
