/**
 * Which statements are prepared on a connection. Names are hashes of the texts, so that connections shared through a
 * pooler never mean different statements by one name; the oldest are closed, because each costs memory in the backend
 * and clients choose how many there are.
 */
import { createHash } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import type { Preparation } from './text-query.ts';

const UNNAMED: Preparation = { name: '', parse: true, close: [] };

/** Name of a statement on the server. */
export function statementName(text: string): string {
  return `e${createHash('sha256').update(text).digest('base64url').slice(0, 22)}`;
}

/** The prepared statements of one connection. */
export class PreparedStatements {
  /** Text → what to do when the statement is bound once more. */
  readonly #ready: LRUCache<string, Preparation>;
  #evicted: string[] = [];
  #enabled: boolean;

  /** @param limit maximum number of prepared statements; 0 = always use the unnamed statement */
  constructor(limit: number) {
    this.#ready = new LRUCache<string, Preparation>({
      max: Math.max(limit, 1),
      dispose: ({ name }, _text, reason) => {
        if (reason === 'evict') this.#evicted.push(name);
      },
    });
    this.#enabled = limit > 0;
  }

  /** How to bind the statement now; marks it as prepared. */
  prepare(text: string, name: string): Preparation {
    if (!this.#enabled) return UNNAMED;
    const ready = this.#ready.get(text);
    if (ready) return ready;
    this.#ready.set(text, { name, parse: false, close: [] });
    // Its own name as well: a pooler may have given us a backend that knows it, or an old plan of it is to be dropped.
    // Closing a statement that does not exist succeeds.
    const close = [...this.#evicted, name];
    this.#evicted = [];
    return { name, parse: true, close };
  }

  /** The connection does not have the statement after all, or has it with a plan that no longer holds. */
  forget(text: string): void {
    this.#ready.delete(text);
  }

  /** Something failed, and Postgres may not have got to preparing the statement. */
  skipped(text: string, { parse, close }: Preparation): void {
    if (!parse) return;
    this.forget(text);
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
