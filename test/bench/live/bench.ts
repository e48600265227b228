/**
 * `npm run bench -- live`: what live queries cost and how soon clients get what was written, each figure beside its goal and
 * beside programs that poll. Servers and programs are processes of their own; clients and the writer are this one.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';
import { startEmbeddedPostgres } from '../../../compiler/offline/embedded.ts';
import { captureStatus, installCapture } from '../../../runtime/database/record/install.ts';
import { buildPackage } from '../processes.ts';
import type { GoalFigure } from '../results.ts';
import { measureFairness } from './fairness.ts';
import { measureIdle } from './idle.ts';
import { measureKeyed, measureLatency, measureRecordedLatency } from './latency.ts';
import { measurePolling } from './polling.ts';
import { ITEMS, Rig, SCHEMA, TRACKED } from './rig.ts';
import { measureSockets, measureStorm } from './sockets.ts';
import { measureStreams } from './streams.ts';
import { measureSwaps } from './swaps.ts';
import { measureArmedWriter, measureWriter } from './writer.ts';

interface Measure {
  readonly ids: readonly string[];
  readonly run: (rig: Rig) => Promise<void>;
  /** It needs no server. */
  readonly alone?: true;
}

const FLOORS = 'floors';

const MEASURES: readonly Measure[] = [
  { ids: ['L1', 'L4'], run: measureIdle },
  { ids: ['L2', 'L11'], run: measureLatency },
  { ids: ['L8'], run: measureSwaps },
  { ids: ['L5', 'L6'], run: measureSockets },
  { ids: ['L7'], run: measureStorm },
  { ids: ['L13'], run: measureStreams },
  { ids: ['L14'], run: measureFairness },
  { ids: [FLOORS], run: (rig) => measurePolling(rig, 'each', Math.min(1000, rig.queries)), alone: true },
  { ids: [FLOORS], run: (rig) => measurePolling(rig, 'batched', rig.queries), alone: true },
];

/** With recorded writes. */
const RECORDED: readonly Measure[] = [
  { ids: ['L9'], run: (rig) => measureWriter(rig, 'no server listens', 5), alone: true },
  { ids: ['L9'], run: measureArmedWriter },
  { ids: ['L2'], run: measureRecordedLatency },
  { ids: ['L3'], run: measureKeyed },
];

/** Seconds after which a measure is given up, so that the whole ends in time; and all of them together. */
const MAX_SECONDS = 45;
const MAX_SECONDS_OF_ALL = 270;

export interface LiveBenchOptions {
  /** How many live queries, each with a value of its own. */
  readonly queries: number;
  /** Measures; all if empty. */
  readonly only: readonly string[];
  readonly progress: (text: string) => void;
}

export async function benchLive({ queries, only, progress }: LiveBenchOptions): Promise<GoalFigure[]> {
  if (queries > ITEMS || queries < 100 || queries % 100 > 0)
    throw new Error(`--queries must be a multiple of 100 up to ${ITEMS}`);
  const isWanted = ({ ids }: Measure) => only.length === 0 || ids.some((id) => only.includes(id));
  const folder = mkdtempSync(join(tmpdir(), 'engine-bench-live-'));
  const cluster = await startEmbeddedPostgres();
  const client = new pg.Client({ connectionString: cluster.url });
  await client.connect();
  const figures: GoalFigure[] = [];
  const until = performance.now() + MAX_SECONDS_OF_ALL * 1000;
  const note = (figure: GoalFigure) => {
    const { id, what, value, goal, isMet } = figure;
    figures.push(figure);
    const verdict = isMet === undefined ? '' : ` (goal: ${goal}: ${isMet ? 'met' : 'missed'})`;
    progress(`${id} ${what}: ${value}${verdict}`.trim());
  };
  try {
    progress('building the package');
    const program = buildPackage(folder);
    await client.query(SCHEMA);
    const rig = () => new Rig(cluster.url, client, queries, note);
    await withServer(rig(), program, (first) => first.track());
    const measure = async ({ ids, run, alone }: Measure) => {
      if (performance.now() > until) {
        progress(`  ${ids.join(', ')} left out: ${MAX_SECONDS_OF_ALL} s are over`);
        return;
      }
      const began = performance.now();
      const given = rig();
      const whole = alone ? run(given) : withServer(given, program, run);
      await within(Math.min(MAX_SECONDS, (until - performance.now()) / 1000), whole, given, ids);
      progress(`  ${ids.join(', ')} took ${Math.round((performance.now() - began) / 1000)} s`);
      // Backends of a server that was killed are still ending.
      await delay(500);
    };
    for (const each of MEASURES.filter(isWanted)) await measure(each);
    const recorded = RECORDED.filter(isWanted);
    if (recorded.length > 0) {
      const names = TRACKED.map((name) => ({ schema: 'public', name }));
      await installCapture(client, await captureStatus(client, names));
    }
    for (const each of recorded) await measure(each);
    return figures;
  } finally {
    await client.end();
    await cluster.stop();
    rmSync(folder, { recursive: true, force: true });
  }
}

async function withServer(rig: Rig, program: string, run: (rig: Rig) => Promise<void>): Promise<void> {
  try {
    await rig.serve(program);
    await run(rig);
  } finally {
    await rig.stop();
  }
}

/** Waits for a measure, but not for ever: what is not known by then is said to be so. */
async function within(
  seconds: number,
  measuring: Promise<void>,
  rig: Rig,
  ids: readonly string[],
): Promise<void> {
  const failed = (value: string) =>
    rig.note({ id: ids.join(', '), what: `${rig.queries} live queries`, value, goal: 'ends', isMet: false });
  const measured = measuring.then(
    () => true,
    (error: Error) => {
      failed(`failed: ${error.message}`);
      return true;
    },
  );
  if (await Promise.race([measured, delay(seconds * 1000, false)])) return;
  failed(`not known after ${Math.round(seconds)} s`);
  await rig.stopAtOnce();
}
