/** L1 and L4: live queries that have a row each, of which none changes, or all do. */
import { setTimeout as delay } from 'node:timers/promises';
import { cpuOf, percent } from './measure.ts';
import { item, type Rig } from './rig.ts';

const ROUNDS = 3;

export async function measureIdle(rig: Rig): Promise<void> {
  const { clients, queries, database, pid } = rig;
  await clients.subscribe(queries / 100, 100, item);
  await delay(2000);
  const idle = await database.during(pid, () => delay(5000));
  rig.note({
    id: 'L1',
    what: `${queries} live queries, idle`,
    value: `${idle.statements.toFixed(1)} statements/s, ${percent(idle.cpu)} of a core, database ${percent(idle.database)}`,
    goal: '≤ 20 statements/s, < 1 %, < 1 %',
    isMet: idle.statements <= 20 && idle.cpu < 0.01 && idle.database < 0.01,
  });
  const used = cpuOf(pid);
  const began = performance.now();
  for (let round = 0; round < ROUNDS; round += 1) {
    const all = clients.next(queries);
    await rig.write('update item set n = n + 1 where id <= $1', [queries]);
    await all;
  }
  const [seconds, cpu] = [(performance.now() - began) / 1000, cpuOf(pid) - used];
  const perCore = Math.round((ROUNDS * queries) / cpu);
  rig.note({
    id: 'L4',
    what: `all ${queries} live queries change`,
    value: `${perCore} results per second of the server's CPU time, ${Math.round((ROUNDS * queries) / seconds)}/s with writes and clients`,
    goal: '≥ 5,000 per core',
    isMet: perCore >= 5000,
  });
}
