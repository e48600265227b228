/**
 * Which statements run with a generic plan, made once, rather than with a plan for the values of each execution. Postgres
 * guesses by estimated costs, and plans most nested statements anew each time, which takes longer than running them. Here
 * both are measured: when a read that takes little has run some times, its last executions run again on a connection of
 * their own, with both kinds of plans, under EXPLAIN ANALYZE. docs/connections.md says how values of other frequency are noticed.
 */
import type { PooledConnection } from './connection.ts';
import type { Known } from './history.ts';
import { isPreparable } from './statements.ts';
import type { TextRow } from './text-query.ts';

/** What measuring a statement gave. Milliseconds of planning and running, on average. */
export interface PlanTrial {
  /** `generic`: one plan for all values. `custom`: what Postgres chooses by itself, by default a plan for each. */
  readonly plans: 'generic' | 'custom';
  readonly custom: number;
  readonly generic: number;
}

/** What is known of a statement's plans. */
export interface KnownPlans {
  /** Executions until the next trial. */
  left: number;
  /** Executions between the last trial and the next. */
  interval: number;
  /** Values of the last executions before a trial. */
  samples: TextRow[];
  last?: PlanTrial;
  /** The longest sample with a generic plan (ms). */
  longest: number;
}

/** Executions before a statement is tried: less frequent ones may be planned each time. */
const EXECUTIONS = 20;
/** Those who keep their custom plans are tried again after so many times as many executions. */
const LATER = 10;
/** Executions before a trial whose values are tried. */
const SAMPLES = 5;
/** Times that each is measured; the shortest counts, because other programs only ever add to a time. */
const TIMES = 3;
/** Milliseconds: what takes longer is not slow because of planning. */
const LONGEST = 20;
/** A generic plan has to save this part of the time. */
const SAVING = 0.2;
/** It must not take so many times as long for any sample. */
const WORSE = 1.5;
/** A later execution that takes so many times as long as the longest sample, and so many milliseconds, is tried as well. */
const SUSPECT = 4;
const SUSPECT_TIME = 10;
/** Trials that may wait. */
const MAX_WAITING = 20;

/** Gives a connection of its own. */
type UseAlone = <Result>(use: (connection: PooledConnection) => Promise<Result>) => Promise<Result>;

export class StatementPlans {
  readonly #alone: UseAlone;
  readonly #report: ((text: string, trial: PlanTrial) => void) | undefined;
  #waiting = 0;
  #trials: Promise<void> = Promise.resolve();

  /** @param report takes the outcome of each trial */
  constructor(alone: UseAlone, report?: (text: string, trial: PlanTrial) => void) {
    this.#alone = alone;
    this.#report = report;
  }

  /** A read is sent: notes its values while they may be samples. */
  sent(known: Known, text: string, values: TextRow): void {
    const { plans } = known;
    plans.left -= 1;
    if (plans.left >= SAMPLES || plans.left < 0) return;
    plans.samples.push(values);
    if (plans.left > 0) return;
    const { samples } = plans;
    plans.samples = [];
    plans.interval *= LATER;
    plans.left = plans.interval;
    const { time = LONGEST } = known;
    if (!known.isSlow && time < LONGEST && isPreparable(text)) this.#enqueue(known, text, samples);
  }

  /** A read with a generic plan took so many milliseconds: far too many if its values are much more frequent than others. */
  took(known: Known, text: string, values: TextRow, time: number): void {
    const { plans } = known;
    if (time >= SUSPECT_TIME && time >= SUSPECT * plans.longest) this.suspect(known, text, values);
  }

  /** A read took far too long: tries its values, if it has a generic plan. */
  suspect(known: Known, text: string, values: TextRow): void {
    const { plans } = known;
    if (plans.last?.plans !== 'generic' || plans.longest === Number.POSITIVE_INFINITY) return;
    // Until it is known better.
    plans.longest = Number.POSITIVE_INFINITY;
    this.#enqueue(known, text, [values]);
  }

  #enqueue(known: Known, text: string, samples: readonly TextRow[]): void {
    if (this.#waiting >= MAX_WAITING) return;
    this.#waiting += 1;
    this.#trials = this.#trials.then(() => this.#try(known, text, samples));
  }

  async #try(known: Known, text: string, samples: readonly TextRow[]): Promise<void> {
    const { plans } = known;
    try {
      const { custom, generic } = await this.#alone((connection) => measure(connection, text, samples));
      const isWorse = samples.some((_, index) => generic[index]! > WORSE * custom[index]!);
      const saves = plans.last?.plans === 'generic' || sum(generic) <= (1 - SAVING) * sum(custom);
      plans.last = {
        plans: saves && !isWorse ? 'generic' : 'custom',
        custom: sum(custom) / samples.length,
        generic: sum(generic) / samples.length,
      };
      plans.longest = Math.max(...generic);
      // Values of which a generic plan is not made are seldom, so other ones would not find it again.
      if (plans.last.plans === 'generic' || isWorse) plans.left = Number.POSITIVE_INFINITY;
      this.#report?.(text, plans.last);
    } catch {
      // The statement takes too long or fails, or there is no connection. Postgres chooses, which is what it does by default.
      if (plans.last?.plans === 'generic') plans.last = { ...plans.last, plans: 'custom' };
    } finally {
      this.#waiting -= 1;
    }
  }
}

/** Of a statement that has not run yet. */
export function unknownPlans(): KnownPlans {
  return { left: EXECUTIONS, interval: EXECUTIONS, samples: [], longest: 0 };
}

/** Milliseconds of each sample with either kind of plan. */
async function measure(
  connection: PooledConnection,
  text: string,
  samples: readonly TextRow[],
): Promise<{ readonly custom: number[]; readonly generic: number[] }> {
  const { client } = connection;
  const literal = (value: string | null) => (value === null ? 'null' : client.escapeLiteral(value));
  const timeOf = async (values: TextRow) => {
    const list = values.length > 0 ? `(${values.map(literal).join()})` : '';
    const { rows } = await client.query<{ 'QUERY PLAN': [Readonly<Record<string, number>>] }>(
      `explain (analyze, timing off, costs off, format json) execute tried${list}`,
    );
    const [plan] = rows[0]!['QUERY PLAN'];
    return plan['Planning Time']! + plan['Execution Time']!;
  };
  const timesWith = async (mode: string) => {
    await client.query(`set local plan_cache_mode = ${mode}`);
    // The first execution makes a generic plan.
    await timeOf(samples[0]!);
    const times: number[] = [];
    for (const values of samples) {
      let shortest = Number.POSITIVE_INFINITY;
      for (let time = 0; time < TIMES; time++) shortest = Math.min(shortest, await timeOf(values));
      times.push(shortest);
    }
    return times;
  };
  // It runs what has run before and only reads; nothing of it may last, or take long.
  await client.query(`begin read only; set local statement_timeout = '1s'`);
  try {
    await client.query(`prepare tried as ${text}`);
    return {
      custom: await timesWith('force_custom_plan'),
      generic: await timesWith('force_generic_plan'),
    };
  } finally {
    // In whatever state, the connection is not used again unless this goes well.
    if (connection.state === 'taken') connection.state = 'retiring';
    await client.query('rollback');
    await client.query('deallocate tried');
    if (connection.state === 'retiring') connection.state = 'taken';
  }
}

function sum(times: readonly number[]): number {
  return times.reduce((all, time) => all + time, 0);
}
