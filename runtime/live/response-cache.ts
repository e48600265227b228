/**
 * Answers of queries with `@cached`, kept in memory until a change concerns them. What decides that a live query is read again
 * (staleness.ts) decides that an answer is dropped, so no answer is older than the result that a live query would have. An answer belongs
 * to a plan, which belongs to a role, and to all values of its statement: those of variables and of the session.
 * @rule When is a kept answer dropped?
 */
import { type Cache, MemoryBudget } from '../core/memory/budget.ts';
import { stringBytes } from '../core/memory/heap-bytes.ts';
import { remember } from '../core/remember.ts';
import { bindParameters, sourceValue } from '../core/request/bind.ts';
import type { Cached } from '../core/request/cached.ts';
import type { QueryPlan } from '../core/request/plan.ts';
import { planBytes } from '../core/request/planner.ts';
import { requireCurrent } from '../core/session.ts';
import type { ParameterNode } from '../core/sql/fragment.ts';
import { dependOnMoment } from '../core/sql/moments.ts';
import type { Statement } from '../core/sql/print.ts';
import type { ReadSet } from '../core/sql/reads.ts';
import type { Change } from '../database/changes.ts';
import type { SourceConnection } from '../database/source.ts';
import type { AnswerCache } from '../graphql/answer.ts';
import { ReaderIndex } from './concern.ts';
import { Sensitivities, tablesOf } from './sensitivity.ts';
import { Staleness } from './staleness.ts';

/** Milliseconds between two looks for answers whose time is over. */
const SWEEP_INTERVAL = 1000;
/** Milliseconds without a request after which a query is forgotten, and changes are no longer looked for on its behalf. */
const UNUSED = 60_000;

export interface ResponseCache extends AnswerCache {
  /** Drops everything: another program is served, or definitions in a database may have changed. */
  readonly clear: () => void;
  /** Drops everything, and looks for changes no more. */
  readonly stop: () => void;
  /** What is known of a plan; undefined: it was not asked for, or was forgotten. */
  readonly of: (plan: QueryPlan) => CachedQuery | undefined;
}

/** How often a query was asked for since it was first asked, and why its answers, or the last one that was read, are not kept. */
interface CachedQuery {
  readonly answers: number;
  readonly hits: number;
  readonly misses: number;
  readonly refused: string | undefined;
}

/** An answer, or the place of one that is being read. */
interface Answer {
  readonly values: readonly (string | null)[];
  /** When its reading began, and when its time is over, by performance.now(). */
  readonly since: number;
  readonly expires: number;
  text: string;
  /** A change concerned it while it was read. */
  isStale: boolean;
}

/** @param bytes maximum of what is kept */
export function createResponseCache(bytes: number): ResponseCache {
  const memory = new MemoryBudget(bytes);
  const sensitivities = new WeakMap<SourceConnection, Sensitivities>();
  // Clients choose the queries, so that their plans are part of the budget, too.
  const queries = memory.cache<QueryPlan, KeptAnswers>(
    (_, plan) => planBytes(plan, memory.largest),
    (query) => query.stop(),
  );
  const sweeper = setInterval(() => {
    const now = performance.now();
    for (const [plan, query] of [...queries.entries()]) if (query.sweep(now)) queries.delete(plan);
  }, SWEEP_INTERVAL);
  const { clear } = queries;
  const answersOf = (
    plan: QueryPlan,
    reads: ReadSet,
    { parameters }: Statement,
    source: SourceConnection,
  ) => {
    const known = queries.get(plan);
    if (known?.source === source) return known;
    const sensitivity = remember(sensitivities, source, () => new Sensitivities(source));
    const made = new KeptAnswers(source, reads, parameters, sensitivity, memory);
    queries.set(plan, made);
    return queries.get(plan);
  };

  return {
    clear,
    stop: () => {
      clearInterval(sweeper);
      clear();
    },
    of: (plan) => queries.get(plan)?.state,
    answer: async (plan, cached, { variables, session, served: { sources } }, run) => {
      const [step] = plan.steps;
      const source = step?.kind === 'sql' ? sources.get(step.source) : undefined;
      if ('refused' in cached || step?.kind !== 'sql' || !source) return { text: await run() };
      const values = bindParameters(step.statement, variables, session);
      const query = answersOf(plan, cached.reads, step.statement, source);
      if (!query) return { text: await run() };
      const seconds = secondsOf(cached, variables);
      const found = cached.refresh ? undefined : query.find(values, seconds);
      if (found) requireCurrent(session);
      return found ?? query.read(values, seconds, run);
    },
  };
}

/** Seconds that a request may have its answer kept; 0: it may not. */
function secondsOf({ ttl }: Cached, variables: Readonly<Record<string, unknown>>): number {
  return Math.max(0, Number(sourceValue(ttl, variables)));
}

/** The answers of one query. */
class KeptAnswers {
  readonly source: SourceConnection;
  readonly #parameters: readonly ParameterNode[];
  readonly #tables: ReadonlySet<string>;
  readonly #answers: Cache<string, Answer>;
  readonly #index: ReaderIndex<Answer>;
  /** They may have been read before a change. */
  readonly #reading = new Set<Answer>();
  readonly #staleness: Staleness<Answer>;
  readonly #stopListening: () => void;
  #asked = performance.now();
  #hits = 0;
  #misses = 0;
  /** Why the last answer that was read is not kept. */
  #lastRefused: string | undefined;

  constructor(
    source: SourceConnection,
    reads: ReadSet,
    parameters: readonly ParameterNode[],
    sensitivities: Sensitivities,
    memory: MemoryBudget,
  ) {
    this.source = source;
    this.#parameters = parameters;
    this.#tables = tablesOf(reads);
    this.#answers = memory.cache(
      ({ text }, key) => stringBytes(text) + 2 * stringBytes(key),
      (answer) => this.#index.remove(answer),
    );
    this.#index = new ReaderIndex(parameters, { values: () => this.#all() });
    this.#staleness = new Staleness(reads, sensitivities, this.#index, () => {});
    this.#stopListening = source.changes.listen((change) => this.#changed(change));
    void this.#staleness.learn();
  }

  get state(): CachedQuery {
    const refused = this.#refused ?? this.#lastRefused;
    return { answers: this.#answers.size, hits: this.#hits, misses: this.#misses, refused };
  }

  /** @param seconds for which this request may have it kept: another one may have said more */
  find(values: Answer['values'], seconds: number) {
    const now = performance.now();
    this.#asked = now;
    if (this.#refused !== undefined) return undefined;
    const answer = this.#answers.get(keyOf(values));
    if (!answer) return undefined;
    const left = Math.min(answer.expires, answer.since + 1000 * seconds) - now;
    if (left <= 0) return undefined;
    this.#hits += 1;
    return { text: answer.text, seconds: Math.ceil(left / 1000), isHit: true as const };
  }

  /** Reads an answer, and keeps it unless a change that concerns it came meanwhile. @throws what `run` throws */
  async read(values: Answer['values'], seconds: number, run: () => Promise<string>) {
    this.#misses += 1;
    const since = performance.now();
    const answer = { values, since, expires: since + 1000 * seconds, text: '', isStale: false };
    this.#reading.add(answer);
    this.#index.add(answer);
    try {
      answer.text = await run();
    } catch (error) {
      this.#index.remove(answer);
      throw error;
    } finally {
      this.#reading.delete(answer);
    }
    const { text } = answer;
    this.#lastRefused = this.#whyNotKept(answer);
    if (this.#lastRefused !== undefined) {
      this.#index.remove(answer);
      return { text };
    }
    this.#answers.set(keyOf(values), answer);
    return { text, seconds };
  }

  #whyNotKept({ values, since, expires, isStale }: Answer): string | undefined {
    if (this.#refused !== undefined) return this.#refused;
    if (expires === since) return 'its ttl is 0';
    if (isStale) return 'a change concerned it while it was read';
    return dependOnMoment(this.#parameters, values) ? 'a value depends on the time' : undefined;
  }

  /** Drops what has expired. @returns whether the query is not asked any more */
  sweep(now: number): boolean {
    for (const [key, { expires }] of [...this.#answers.entries()])
      if (expires <= now) this.#answers.delete(key);
    return this.#answers.size === 0 && this.#reading.size === 0 && now - this.#asked > UNUSED;
  }

  stop(): void {
    this.#stopListening();
    for (const answer of this.#reading) answer.isStale = true;
    this.#answers.clear();
  }

  get #refused(): string | undefined {
    if (this.source.replicas) return 'read replicas answer the source: they may be late';
    return this.#staleness.polledBecause;
  }

  *#all(): Iterable<Answer> {
    yield* this.#reading;
    for (const [, answer] of this.#answers.entries()) yield answer;
  }

  #changed(change: Change): void {
    const isStale = this.#staleness.note(change);
    if (this.#staleness.mustLearn) void this.#staleness.learn();
    // A client that wrote through this server reads its write: it does not wait for what the database has recorded of it.
    const isOwn = change.isOwn || [...(change.tables ?? [])].some((table) => this.#tables.has(table));
    if (!isStale && !isOwn) return;
    const stale = this.#staleness.take();
    const dropped = isOwn || stale === 'all' ? [...this.#all()] : stale;
    for (const answer of dropped) {
      answer.isStale = true;
      this.#answers.delete(keyOf(answer.values));
    }
  }
}

function keyOf(values: Answer['values']): string {
  return JSON.stringify(values);
}
