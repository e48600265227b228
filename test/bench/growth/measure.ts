/** How the cost of some work grows: the same work at three sizes, each ten times the one before, by processor time. */

export interface GrowthCase {
  readonly name: string;
  /** What grows. */
  readonly unit: string;
  readonly sizes: readonly [number, number, number];
  /** Makes what is needed for a size, and answers the work, whose time counts. It may run many times. */
  readonly prepare: (size: number) => Work | Promise<Work>;
  /** Milliseconds of processor time that whoever does the work has used so far; absent: this process. */
  readonly clock?: () => Promise<number>;
  /** Called after the last size. */
  readonly finish?: () => Promise<unknown>;
}

export type Work = () => unknown;

export interface Growth {
  readonly name: string;
  readonly unit: string;
  readonly sizes: readonly number[];
  /** Milliseconds of processor time for each size. */
  readonly times: readonly number[];
  /** Of the power of the size that the time follows between the last two sizes: 1 is linear, 2 quadratic. */
  readonly exponent: number;
}

/** Milliseconds of processor time after which a size has been measured well enough, and how often it runs at least. */
const ENOUGH = 400;
const RUNS = 3;
const MANY = 1000;
/** Milliseconds of a run after which there is no other. */
const TOO_LONG = 5_000;

export async function measureGrowth({
  name,
  unit,
  sizes,
  prepare,
  clock = ownTime,
  finish,
}: GrowthCase): Promise<Growth> {
  const times: number[] = [];
  for (const size of sizes) times.push(await timeOf(await prepare(size), clock));
  await finish?.();
  return growthOf({ name, unit, sizes }, times);
}

/** @param times of each size */
export function growthOf(
  { name, unit, sizes }: Pick<GrowthCase, 'name' | 'unit' | 'sizes'>,
  times: readonly number[],
): Growth {
  const exponent = Math.log(times[2]! / times[1]!) / Math.log(sizes[2] / sizes[1]);
  return { name, unit, sizes, times, exponent };
}

async function ownTime(): Promise<number> {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}

/** The shortest of several runs: what else happens in the process, a collection of garbage for instance, only adds. */
async function timeOf(work: Work, clock: () => Promise<number>): Promise<number> {
  let shortest = Number.POSITIVE_INFINITY;
  let spent = 0;
  for (let runs = 0; runs < RUNS || (spent < ENOUGH && runs < MANY); runs += 1) {
    const begin = await clock();
    await work();
    const time = (await clock()) - begin;
    spent += time;
    shortest = Math.min(shortest, time);
    if (time > TOO_LONG) break;
  }
  return shortest;
}
