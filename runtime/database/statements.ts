/**
 * Which statements are prepared on a connection. Names are hashes of the texts, so that connections shared through a
 * pooler never mean different statements by one name. Each costs memory in the backend, and clients choose them: their
 * sizes are counted, and the ones that were not used for the longest time are closed.
 */
import { createHash } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import type { Preparation } from './text-query.ts';

const UNNAMED: Preparation = { name: '', parse: true, close: [] };

/**
 * Bytes that Postgres keeps of a prepared statement and its plan for each character of its text, at most: 40 where it
 * has many columns or parameters, 123 where it has nested relationships (PostgreSQL 18, pg_backend_memory_contexts).
 */
const BYTES_PER_CHARACTER = 120;
/** Estimated bytes of the prepared statements of one connection. */
const MAX_BYTES = 32 * 1024 * 1024;
/** Part of that which one statement may take. Larger ones are not kept; planning them is not what makes them slow. */
const LARGEST = MAX_BYTES / 8;

/** Name of a statement on the server. */
export function statementName(text: string): string {
  return `e${createHash('sha256').update(text).digest('base64url').slice(0, 22)}`;
}

/** Whether a statement is kept on connections. */
function isPreparable(text: string): boolean {
  return text.length * BYTES_PER_CHARACTER < LARGEST;
}

/** The prepared statements of one connection. */
export class PreparedStatements {
  /** Name → what to do when the statement is bound once more. */
  readonly #ready: LRUCache<string, Preparation>;
  #evicted: string[] = [];
  #enabled: boolean;

  /** @param limit maximum number of prepared statements; 0 = always use the unnamed statement */
  constructor(limit: number) {
    this.#ready = new LRUCache<string, Preparation>({
      max: Math.max(limit, 1),
      maxSize: MAX_BYTES,
      dispose: (_preparation, name, reason) => {
        if (reason === 'evict') this.#evicted.push(name);
      },
    });
    this.#enabled = limit > 0;
  }

  /** How to bind the statement now; marks it as prepared. */
  prepare(text: string, name: string): Preparation {
    const size = text.length * BYTES_PER_CHARACTER + 1;
    if (!this.#enabled || !isPreparable(text)) return UNNAMED;
    const ready = this.#ready.get(name);
    if (ready) return ready;
    this.#ready.set(name, { name, parse: false, close: [] }, { size });
    // Its own name as well: a pooler may have given us a backend that knows it, or an old plan of it is to be dropped.
    // Closing a statement that does not exist succeeds.
    const close = [...this.#evicted, name];
    this.#evicted = [];
    return { name, parse: true, close };
  }

  /** The connection does not have the statement after all, or has it with a plan that no longer holds. */
  forget(name: string): void {
    this.#ready.delete(name);
  }

  /** Something failed, and Postgres may not have got to preparing the statement. */
  skipped({ name, parse, close }: Preparation): void {
    if (!parse) return;
    this.forget(name);
    this.#evicted.push(...close);
  }

  /** Uses the unnamed statement from now on. */
  disable(): void {
    this.#enabled = false;
    this.clear();
  }

  /** The connection has no prepared statements any more. */
  clear(): void {
    this.#ready.clear();
    this.#evicted = [];
  }
}
