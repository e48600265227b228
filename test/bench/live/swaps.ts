/** L8: changes of the metadata under live queries. */
import { setTimeout as delay } from 'node:timers/promises';
import type { Rig } from './rig.ts';

const SWAPS = 1000;
const MAX_MILLISECONDS = 20_000;

export async function measureSwaps(rig: Rig): Promise<void> {
  const { clients } = rig;
  const count = await rig.thousand();
  let results = 0;
  clients.received = () => {
    results += 1;
  };
  const until = performance.now() + MAX_MILLISECONDS;
  const target = { table: 'item', role: 'r' };
  let swaps = 0;
  for (; swaps < SWAPS && performance.now() < until; swaps += 1)
    await (swaps % 2
      ? rig.metadata('pg_drop_select_permission', target)
      : rig.metadata('pg_create_select_permission', {
          ...target,
          permission: { columns: '*', filter: {} },
        }));
  await delay(500);
  const before = clients.errors;
  await rig.metadata('pg_untrack_table', { table: 'item', cascade: true });
  await delay(1000);
  const ended = clients.errors - before;
  rig.note({
    id: 'L8',
    what: `${swaps} changes of the metadata under ${count} live queries, then one that ends them`,
    value: `${clients.lost} sockets closed, ${results} results, ${before} errors, then ${ended}`,
    goal: `0 sockets, 0 results, 0 errors, then ${count}`,
    isMet: clients.lost + results + before === 0 && ended === count,
  });
  await rig.metadata('pg_track_table', { table: 'item' });
}
