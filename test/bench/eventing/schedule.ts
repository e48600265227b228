/** Lateness of cron and one-off events with several instances (E3), of which no occurrence may be called twice (E11). */
import { spawnSync } from 'node:child_process';
import { percentile } from '../results.ts';
import { type EventFigure, now, type Rig } from './rig.ts';

const TRIGGERS = 40;
const ONE_OFF = 100;

export async function measureSchedule(rig: Rig): Promise<EventFigure[]> {
  const { receiver } = rig;
  const { url, client } = await rig.database('schedule');
  const library = /^LD_PRELOAD=(.*)$/m.exec(
    spawnSync('faketime', ['-f', '+1m', 'env']).stdout?.toString(),
  )?.[1];
  if (!library) rig.progress('faketime is not installed (Debian: faketime): all clocks are right');
  const skewed = (skew: string) =>
    library ? ['env', `LD_PRELOAD=${library}`, `FAKETIME=${skew}`, 'FAKETIME_DONT_FAKE_MONOTONIC=1'] : [];
  const engine = await rig.serve(url);
  const others = [await rig.serve(url, {}, skewed('+5m')), await rig.serve(url, {}, skewed('-5m'))];
  await receiver.take();
  const first = now() + 2000;
  const due = (index: number) => first + index * 50;
  for (let index = 0; index < ONE_OFF; index += 1)
    await engine.metadata('create_scheduled_event', {
      webhook: `${receiver.url}/one-off`,
      schedule_at: new Date(due(index)).toISOString(),
      payload: { id: index },
    });
  for (let index = 0; index < TRIGGERS; index += 1)
    await engine.metadata('create_cron_trigger', {
      name: `each_minute_${index}`,
      webhook: `${receiver.url}/cron`,
      schedule: '* * * * *',
      payload: { id: index },
      include_in_metadata: true,
    });
  rig.progress('waiting for the next full minute');
  await receiver.waitFor(ONE_OFF + TRIGGERS, 90);
  // Whoever calls twice does so now.
  await receiver.waitFor(ONE_OFF + TRIGGERS + 1, 2).catch(() => {});
  const calls = await receiver.take();
  for (const server of [engine, ...others]) await server.stop();
  await client.end();
  const lateness = (path: string, dueAt: (id: number, at: number) => number) =>
    calls
      .filter(([called]) => called === path)
      .map(([, id, at]) => at - dueAt(id, at))
      .sort((left, right) => left - right);
  const minute = (_: number, at: number) => Math.floor(at / 60_000) * 60_000;
  const occurrences = calls
    .filter(([path]) => path === '/cron')
    .map(([, id, at]) => `${id} ${minute(id, at)}`);
  const twice = occurrences.length - new Set(occurrences).size + lateness('/one-off', due).length - ONE_OFF;
  return [
    late('one-off events', lateness('/one-off', due)),
    late('cron events', lateness('/cron', minute)),
    {
      id: 'E11',
      what: `three instances${library ? ', clocks 5 min ahead and behind' : ''}`,
      value: `${twice} occurrences called twice`,
      goal: '0',
      isMet: twice === 0,
    },
  ];
}

function late(what: string, sorted: readonly number[]): EventFigure {
  const p99 = percentile(sorted, 0.99);
  return {
    id: 'E3',
    what: `lateness of ${what}, p99`,
    value: `${p99.toFixed(0)} ms`,
    goal: '≤ 200 ms',
    isMet: p99 <= 200,
  };
}
