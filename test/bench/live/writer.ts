/** L9: what the record of writes costs the writer. */
import { percent, percentiles } from './measure.ts';
import type { Rig } from './rig.ts';

/** Updates by key, of a table with triggers and of one without, in turn. */
export async function measureWriter(rig: Rig, state: string, maximum: number): Promise<void> {
  const times = { item: [] as number[], plain_item: [] as number[] };
  for (let count = 0; count < 3000; count += 1)
    for (const table of ['item', 'plain_item'] as const) {
      const began = performance.now();
      const text = `update ${table} set n = n + 1 where id = $1`;
      await rig.database.client.query({ name: `update ${table}`, text, values: [1 + (count % 10_000)] });
      times[table].push(performance.now() - began);
    }
  const [armed, plain] = [percentiles(times.item).p50, percentiles(times.plain_item).p50];
  const microseconds = Math.round((armed - plain) * 1000);
  rig.note({
    id: 'L9',
    what: `cost for the writer, ${state}`,
    value: `${microseconds} µs per statement, ${percent(armed / plain - 1)} of its time`,
    goal: `≤ ${maximum} µs per statement, ≤ 5 %`,
    isMet: microseconds <= maximum && armed / plain <= 1.05,
  });
}

export async function measureArmedWriter(rig: Rig): Promise<void> {
  const count = await rig.thousand();
  await measureWriter(rig, `${count} live queries`, 50);
}
