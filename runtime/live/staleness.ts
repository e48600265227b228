/**
 * What of a live query may have changed since it was read. Changes of data are compared with what the query depends on, which
 * is asked of the database once, and again when definitions there may have changed (sensitivity.ts).
 * @rule When is a live query read again?
 */
import type { ReadSet } from '../core/sql/reads.ts';
import type { Change } from '../database/changes.ts';
import { concernOf, type ValueIndex } from './concern.ts';
import type { Round } from './pace.ts';
import { type Sensitivities, type Sensitivity, tablesOf } from './sensitivity.ts';

/** Milliseconds after which definitions in the database are looked at again: they may change unnoticed. */
const LEARN_AGAIN = 60_000;
/** Milliseconds after which all is read once although the record of writes concerns nothing: this checks the record. */
const CHECK_INTERVAL = 45_000;
/** Maximum milliseconds until a change is reported. */
const MAX_DELAY = 2000;

/** @typeParam Reader reads with separate values: a cohort, or a kept answer */
export class Staleness<Reader> {
  readonly #reads: ReadSet;
  readonly #sensitivities: Sensitivities;
  readonly #index: ValueIndex<Reader>;
  readonly #missed: () => void;
  readonly #tables: ReadonlySet<string>;
  /** Readers that the next round reads. */
  #stale: 'all' | Set<Reader> = new Set();
  #isNamed = false;
  /** undefined: not known yet. */
  #sensitivity: Sensitivity | undefined;
  #mustLearn = true;
  /** What the database said before, by performance.now(), does not count. */
  #since = performance.now();
  #isLearning = false;
  /** When the sensitivity was asked for, by performance.now(). */
  #learned = 0;
  /** When the last round that read all began, and when the last change came that concerned the query. */
  #readAll = performance.now();
  #concerned = 0;
  #isCheck = false;

  /** @param missed a change that nothing had reported was found by a look for such changes */
  constructor(reads: ReadSet, sensitivities: Sensitivities, index: ValueIndex<Reader>, missed: () => void) {
    this.#reads = reads;
    this.#sensitivities = sensitivities;
    this.#index = index;
    this.#missed = missed;
    this.#tables = tablesOf(reads);
  }

  get isEmpty(): boolean {
    return this.#stale !== 'all' && this.#stale.size === 0;
  }

  /** Whether a change is among the reasons that is known to concern the query. */
  get isNamed(): boolean {
    return this.#isNamed;
  }

  /** Why the query is read at its interval; undefined: it is read after changes of data. */
  get polledBecause(): string | undefined {
    return this.#sensitivity ? this.#sensitivity.polledBecause : 'nothing is known of it yet';
  }

  /** Whether it is about to be known on what the query depends. */
  get isLearning(): boolean {
    return this.#mustLearn || this.#isLearning;
  }

  /** Whether `learn` is to be called. */
  get mustLearn(): boolean {
    return this.#mustLearn;
  }

  /** Definitions in the database may have changed. */
  forget(): void {
    this.#sensitivity = undefined;
    this.#mustLearn = true;
    this.#since = performance.now();
  }

  /** Asks what the query depends on. If that remains unknown, it is read at its interval. */
  async learn(): Promise<void> {
    const since = this.#since;
    this.#mustLearn = false;
    this.#learned = performance.now();
    this.#isLearning = true;
    const sensitivity = await this.#sensitivities.of(this.#reads, since).catch(() => undefined);
    // Definitions may have changed while it was asked: then it is being asked again.
    if (since !== this.#since) return;
    this.#isLearning = false;
    this.#sensitivity = sensitivity;
  }

  /** Takes a change. @returns whether it makes something stale */
  note(change: Change): boolean {
    const now = performance.now();
    if (change.redefined) this.forget();
    else if (!this.#mustLearn && now - this.#learned > LEARN_AGAIN) {
      this.#mustLearn = true;
      this.#since = now;
    }
    const concern = concernOf(change, this.#tables, this.#sensitivity, this.#index);
    if (concern === 'none') {
      if (change.tables || now - this.#readAll < CHECK_INTERVAL) return false;
      this.#isCheck = true;
    } else this.#concerned = now;
    if (typeof concern === 'string') this.#stale = 'all';
    else if (concern.size === 0) return false;
    else this.add(concern);
    this.#isNamed ||= concern !== 'any';
    return true;
  }

  add(readers: Iterable<Reader>): void {
    if (this.#stale !== 'all') for (const reader of readers) this.#stale.add(reader);
  }

  /** Takes the readers of the round that begins now. */
  take(): 'all' | ReadonlySet<Reader> {
    const stale = this.polledBecause === undefined ? this.#stale : 'all';
    this.#stale = new Set();
    this.#isNamed = false;
    if (stale === 'all') this.#readAll = performance.now();
    return stale;
  }

  /** If the round was a check and found a change, that change has to be reported now; if it is not, its report was missed. */
  ended({ began, hasChanged }: Round): void {
    const isMissing = this.#isCheck && hasChanged;
    this.#isCheck = false;
    if (!isMissing) return;
    setTimeout(() => {
      if (this.#concerned < began - MAX_DELAY) this.#missed();
    }, MAX_DELAY).unref();
  }
}
