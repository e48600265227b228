/** `npm run bench -- events`: delivery of events, each figure beside its goal. */
import type { GoalFigure } from '../results.ts';
import { measureKill, measureOutages, measureStop } from './faults.ts';
import { measureCapture, measureLatency, measureNeighbour } from './latency.ts';
import { measureRate } from './rate.ts';
import { openRig, type Rig } from './rig.ts';
import { measureSchedule } from './schedule.ts';
import { measureLongTransaction, measureStorage } from './storage.ts';

const MEASURES: readonly (readonly [ids: readonly string[], run: (rig: Rig) => Promise<GoalFigure[]>])[] = [
  [['E1', 'E8'], measureRate],
  [['E2'], measureLatency],
  [['E5'], measureCapture],
  [['E6'], measureNeighbour],
  [['E10'], measureStop],
  [['E9'], measureOutages],
  [['E12'], measureLongTransaction],
  [['E7'], measureStorage],
  [['E3', 'E11'], measureSchedule],
  [['E4'], measureKill],
];

/** @param only ids of measures; all if empty */
export async function benchEvents(
  only: readonly string[],
  progress: (text: string) => void,
): Promise<GoalFigure[]> {
  const rig = await openRig(progress);
  try {
    const figures: GoalFigure[] = [];
    for (const [ids, run] of MEASURES) {
      if (only.length > 0 && !ids.some((id) => only.includes(id))) continue;
      progress(`— ${ids.join(', ')}`);
      figures.push(...(await run(rig)));
    }
    return figures;
  } finally {
    await rig.stop();
  }
}
