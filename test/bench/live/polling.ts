/** The programs that poll (floors.ts): their cost when idle, and how soon they know of a write. */
import { fork } from 'node:child_process';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { percent, percentiles } from './measure.ts';
import type { Rig } from './rig.ts';

const NAMES = {
  each: 'floor: a statement for each of',
  batched: 'floor: a statement for a hundred of',
} as const;

export async function measurePolling(rig: Rig, kind: keyof typeof NAMES, subscribers: number): Promise<void> {
  const program = fileURLToPath(new URL('floors.ts', import.meta.url));
  const child = fork(program, [kind, rig.url, String(subscribers)], { execArgv: ['--import', 'tsx'] });
  try {
    await delay(3000);
    const idle = await rig.database.during(child.pid!, () => delay(3000));
    const times: number[] = [];
    const written = new Map<number, number>();
    child.on('message', (id: number) => {
      const at = written.get(id);
      if (at !== undefined) times.push(performance.now() - at);
      written.delete(id);
    });
    for (let count = 0; count < 300; count += 1) {
      const index = (count * 7) % Math.min(1000, subscribers);
      await rig.update(index);
      written.set(index + 1, performance.now());
      await delay(10);
    }
    await delay(2500);
    rig.note({
      id: '',
      what: `${NAMES[kind]} ${subscribers} subscribers each second`,
      value: `${Math.round(idle.statements)} statements/s, ${percent(idle.cpu)} of a core, database ${percent(idle.database)}; ${percentiles(times).text}`,
      goal: '',
    });
  } finally {
    child.kill('SIGKILL');
  }
}
