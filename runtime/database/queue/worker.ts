/**
 * Works off a queue that lives in a database: claims jobs in batches, runs a limited number at a time with fair shares for
 * each lane, and acknowledges outcomes in batches. Jobs that are claimed when the process dies are free again once its lease
 * has ended; see `lease.ts`. Nothing is lost; only calls in flight at that moment are made twice.
 */
import { isUnreachable } from '../failures.ts';

/** The database side of a queue. Calls are made one at a time, `claim` beside the others. */
export interface QueueStore<Job, Outcome> {
  /**
   * Locks and returns due jobs that no living instance holds, oldest first, fairly over the lanes.
   * @param full lanes that have enough to do here: left out
   */
  claim(limit: number, full: readonly string[]): Promise<Claimed<Job>>;
  /** Records what became of jobs and unlocks them, in one transaction. Recording an outcome twice must be harmless. */
  settle(outcomes: readonly (readonly [Job, Outcome])[]): Promise<void>;
  /** Unlocks jobs that were not begun. */
  release(jobs: readonly Job[]): Promise<void>;
}

export interface Claimed<Job> {
  readonly jobs: readonly Job[];
  /** More may be due. */
  readonly hasMore: boolean;
  /** Milliseconds, by the database's clock, until the next job is due that is not due yet; absent when unknown. */
  readonly nextDue?: number | undefined;
}

export interface WorkerOptions<Job, Outcome> {
  readonly store: QueueStore<Job, Outcome>;
  /** Does the job. A rejection is a defect: it is reported, and the job stays locked until the lease ends. */
  readonly run: (job: Job) => Promise<Outcome>;
  /** Jobs of one lane do not hold up those of others: a trigger, for instance. */
  readonly laneOf: (job: Job) => string;
  /** There may be jobs of several lanes: one leaves connections to the others, before they have any. */
  readonly isShared: () => boolean;
  /** An outcome after which others may be due, or the job again: the queue is looked at. Absent: any. */
  readonly mayUnblock?: (job: Job, outcome: Outcome) => boolean;
  /** Jobs that run at a time. */
  readonly concurrency: number;
  /** Jobs claimed at a time. At most two batches are held or, with several lanes, one for each beside what runs. */
  readonly batchSize: number;
  /** Maximum milliseconds between two looks at the queue. */
  readonly interval: number;
  readonly report: (message: string, error: unknown) => void;
  /** Tells that an outage that was reported has ended. */
  readonly notice: (message: string) => void;
}

/** Milliseconds and number of outcomes after which they are recorded. */
const SETTLE_AFTER = 10;
const SETTLE_AT = 100;
/** Milliseconds between attempts while the database does not answer. */
const FIRST_RETRY = 100;
const LAST_RETRY = 2_000;

export class Worker<Job, Outcome> {
  readonly #options: WorkerOptions<Job, Outcome>;
  /** Claimed and not begun, by lane. */
  readonly #waiting = new Map<string, Job[]>();
  readonly #running = new Map<string, number>();
  /** Room that is kept for jobs whose creators lock them, by lane. */
  readonly #reserved = new Map<string, number>();
  #runningCount = 0;
  #waitingCount = 0;
  #outcomes: (readonly [Job, Outcome])[] = [];
  #settling: Promise<void> | undefined;
  #settleTimer: NodeJS.Timeout | undefined;
  #stopped = false;
  #looking: Promise<void>;
  /** Wakes the loop that claims; set while it sleeps. */
  #awake: (() => void) | undefined;
  /** Something may have changed since the last look. */
  #isDirty = true;
  /** No batch was claimed, because two are held. */
  #lacksRoom = false;
  /** Lanes that were left out of the last claim. */
  #full: readonly string[] = [];
  /** The database did not take outcomes: no more work until it does. */
  #isBlocked = false;

  constructor(options: WorkerOptions<Job, Outcome>) {
    this.#options = options;
    this.#looking = this.#look();
  }

  /** Jobs that are held, begun or not, and those whose outcome is not recorded. */
  get held(): number {
    return this.#waitingCount + this.#runningCount + this.#outcomes.length;
  }

  get running(): number {
    return this.#runningCount;
  }

  /** Looks at the queue now: there may be something new. */
  wake(): void {
    this.#isDirty = true;
    this.#awake?.();
  }

  /**
   * Reserves room for a job that is created locked for this instance, so that no claim is needed. A lane gets at most half
   * of the room: handlers that hang do not hold up jobs of other lanes.
   * @returns takes the job, or without one gives the room back; undefined: create it unlocked
   */
  reserve(lane: string): ((job?: Job) => void) | undefined {
    const { concurrency, store, report } = this.#options;
    const reserved = this.#reserved.get(lane) ?? 0;
    const isFull =
      this.held >= concurrency || this.#heldOf(lane) + reserved >= Math.max(1, Math.floor(concurrency / 2));
    if (isFull || this.#stopped || this.#isBlocked) return undefined;
    this.#reserved.set(lane, reserved + 1);
    return (job) => {
      const left = this.#reserved.get(lane)! - 1;
      if (left > 0) this.#reserved.set(lane, left);
      else this.#reserved.delete(lane);
      if (job === undefined) return;
      if (this.#stopped) {
        store.release([job]).catch((error: unknown) => report('Unlocking a job failed.', error));
        return;
      }
      this.#hold([job]);
    };
  }

  /**
   * Stops claiming, unlocks what was not begun, waits for what runs and records it.
   * @param grace milliseconds to wait for what runs; the rest stays locked until the lease ends
   */
  async stop(grace: number): Promise<void> {
    this.#stopped = true;
    this.#awake?.();
    const deadline = performance.now() + grace;
    await within(this.#looking, grace);
    const unused = [...this.#waiting.values()].flat();
    this.#waiting.clear();
    this.#waitingCount = 0;
    await this.#options.store
      .release(unused)
      .catch((error: unknown) => this.#options.report('Unlocking jobs failed.', error));
    while (this.#runningCount + this.#outcomes.length > 0 && performance.now() < deadline) {
      await within(this.#settle(), deadline - performance.now());
      await sleep(5);
    }
  }

  async #look(): Promise<void> {
    let retry = FIRST_RETRY;
    let isAway = false;
    while (!this.#stopped) {
      try {
        const { hasMore, nextDue = Number.POSITIVE_INFINITY } = await this.#claim();
        retry = FIRST_RETRY;
        // Without room the database was not asked.
        if (isAway && !this.#lacksRoom) {
          this.#options.notice('The queue is looked at again.');
          isAway = false;
        }
        if (!hasMore && !this.#isDirty) await this.#sleep(Math.min(this.#options.interval, nextDue));
      } catch (error) {
        // An unreachable database is logged once, not at every attempt.
        if (!isAway) this.#options.report('Looking at the queue failed; it is tried again.', error);
        isAway = isUnreachable(error);
        await this.#sleep(retry);
        retry = Math.min(retry * 2, LAST_RETRY);
      }
    }
  }

  /** Claims a batch if there is room. */
  async #claim(): Promise<Omit<Claimed<Job>, 'jobs'>> {
    const { store, batchSize, isShared } = this.#options;
    this.#isDirty = false;
    // With several lanes, at most one batch waits per lane, so that a lane that hangs takes no room from the others.
    this.#full = isShared() ? [...this.#waiting.keys()] : [];
    this.#lacksRoom = this.#isBlocked || (!isShared() && this.held > batchSize);
    if (this.#lacksRoom) return { hasMore: false };
    const { jobs, ...claimed } = await store.claim(batchSize, this.#full);
    this.#hold(jobs);
    return claimed;
  }

  #hold(jobs: readonly Job[]): void {
    const { laneOf } = this.#options;
    for (const job of jobs) {
      const lane = laneOf(job);
      const waiting = this.#waiting.get(lane);
      if (waiting) waiting.push(job);
      else this.#waiting.set(lane, [job]);
    }
    this.#waitingCount += jobs.length;
    this.#begin();
  }

  #heldOf(lane: string): number {
    return (this.#waiting.get(lane)?.length ?? 0) + (this.#running.get(lane) ?? 0);
  }

  /**
   * Begins jobs while there is room. Lanes take turns, and each leaves as many connections free as it uses: so some are free
   * for a lane that has had none, however many of the others hang.
   */
  #begin(): void {
    const { concurrency } = this.#options;
    const isShared = this.#options.isShared();
    let hasBegun = true;
    while (hasBegun && !this.#stopped) {
      hasBegun = false;
      for (const [lane, jobs] of this.#waiting) {
        const free = concurrency - this.#runningCount;
        if (free === 0) return;
        if (isShared && (this.#running.get(lane) ?? 0) >= free) continue;
        const job = jobs.shift()!;
        // Lanes that had a turn go to the end.
        this.#waiting.delete(lane);
        if (jobs.length > 0) this.#waiting.set(lane, jobs);
        this.#waitingCount -= 1;
        this.#start(lane, job);
        hasBegun = true;
      }
    }
  }

  #start(lane: string, job: Job): void {
    this.#running.set(lane, (this.#running.get(lane) ?? 0) + 1);
    this.#runningCount += 1;
    this.#options.run(job).then(
      (outcome) => {
        this.#outcomes.push([job, outcome]);
        this.#end(lane);
        this.#settleSoon();
      },
      (error: unknown) => {
        this.#options.report('A job failed in an unexpected way.', error);
        this.#end(lane);
      },
    );
  }

  #end(lane: string): void {
    const left = this.#running.get(lane)! - 1;
    if (left > 0) this.#running.set(lane, left);
    else this.#running.delete(lane);
    this.#runningCount -= 1;
    this.#begin();
    this.#wakeForRoom();
  }

  /** Looks at the queue if there is room now for what the last claim left out. */
  #wakeForRoom(): void {
    const isRoomFor = (lane: string) => !this.#waiting.has(lane);
    if (this.#lacksRoom ? this.held <= this.#options.batchSize : this.#full.some(isRoomFor)) this.wake();
  }

  #settleSoon(): void {
    if (this.#outcomes.length >= SETTLE_AT || this.#runningCount === 0) void this.#settle();
    else this.#settleTimer ??= setTimeout(() => void this.#settle(), SETTLE_AFTER);
  }

  /** Records the outcomes so far; one statement at a time, so those that come meanwhile make the next batch. */
  #settle(): Promise<void> {
    this.#settling ??= this.#settleAll().finally(() => {
      this.#settling = undefined;
      if (this.#outcomes.length > 0) this.#settleSoon();
    });
    return this.#settling;
  }

  async #settleAll(): Promise<void> {
    clearTimeout(this.#settleTimer);
    this.#settleTimer = undefined;
    const outcomes = this.#outcomes.slice(0, 5 * SETTLE_AT);
    if (outcomes.length === 0) return;
    for (let retry = FIRST_RETRY; ; retry = Math.min(retry * 2, LAST_RETRY)) {
      try {
        await this.#options.store.settle(outcomes);
        break;
      } catch (error) {
        if (!this.#isBlocked) this.#options.report('Recording outcomes failed; it is tried again.', error);
        this.#isBlocked = true;
        await sleep(retry);
      }
    }
    this.#isBlocked = false;
    this.#outcomes = this.#outcomes.slice(outcomes.length);
    const { mayUnblock = () => true } = this.#options;
    if (outcomes.some(([job, outcome]) => mayUnblock(job, outcome))) this.wake();
    else this.#wakeForRoom();
  }

  #sleep(milliseconds: number): Promise<void> {
    return new Promise((resolve) => {
      const wake = () => {
        clearTimeout(timer);
        this.#awake = undefined;
        resolve();
      };
      const timer = setTimeout(wake, Math.max(0, milliseconds));
      this.#awake = wake;
      if (this.#stopped) wake();
    });
  }
}

function sleep(milliseconds: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, milliseconds));
}

async function within(work: Promise<unknown>, milliseconds: number): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const limit = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, Math.max(0, milliseconds));
  });
  await Promise.race([work, limit]);
  clearTimeout(timer);
}
