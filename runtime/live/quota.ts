/**
 * How many subscriptions run at once: of a role, and of a session, which is all sockets whose role and session variables are equal.
 * @rule How many subscriptions may a role or a session have?
 */
import { EngineError } from '../core/errors.ts';

export interface SubscriptionLimits {
  /** Maximum at once; 0: any number. */
  readonly perRole: number;
  readonly perSession: number;
}

/**
 * Counts over several processes what begins in this one.
 * @param held names, with how many there may be at once of each
 * @param refused called when that reaches a maximum, with its index
 * @returns call it at the end
 */
export type HoldShared = (
  held: readonly (readonly [key: string, maximum: number])[],
  refused: (index: number) => void,
) => () => void;

export class Quota {
  readonly #limits: readonly { readonly maximum: number; readonly of: string; readonly option: string }[];
  /** By role and by session. */
  readonly #counts: readonly Map<string, number>[] = [new Map(), new Map()];

  constructor({ perRole, perSession }: SubscriptionLimits) {
    this.#limits = [
      { maximum: perRole, of: 'role', option: 'max-subscriptions-per-role' },
      { maximum: perSession, of: 'session', option: 'max-subscriptions-per-session' },
    ];
  }

  /** @param path role and session @throws EngineError when no more may start */
  check(path: readonly string[]): void {
    for (const [index, { maximum }] of this.#limits.entries())
      if (maximum > 0 && (this.#counts[index]!.get(path[index]!) ?? 0) >= maximum)
        throw this.#exceeded(index);
  }

  /** Counts with other processes. @param refused gets the error when there are too many in all */
  hold(path: readonly string[], shared: HoldShared, refused: (error: EngineError) => void): () => void {
    const held = this.#limits.map(({ maximum, of }, index) => [`${of} ${path[index]}`, maximum] as const);
    return shared(held, (index) => refused(this.#exceeded(index)));
  }

  #exceeded(index: number): EngineError {
    const { maximum, of, option } = this.#limits[index]!;
    const message = `at most ${maximum} subscriptions of one ${of} run at once (option ${option})`;
    return new EngineError('overloaded', message);
  }

  /** One more runs, or one less. */
  count(path: readonly string[], change: 1 | -1): void {
    for (const [index, counts] of this.#counts.entries()) {
      const key = path[index]!;
      const count = (counts.get(key) ?? 0) + change;
      if (count > 0) counts.set(key, count);
      else counts.delete(key);
    }
  }
}
