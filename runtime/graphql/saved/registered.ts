/** Automatic persisted queries: texts that clients registered under their hash, for a while. */
import { createHash } from 'node:crypto';
import { EngineError } from '../../core/errors.ts';
import type { MemoryBudget } from '../../core/memory/budget.ts';
import { stringBytes } from '../../core/memory/heap-bytes.ts';

export interface RegisteredQueries {
  /** The text that was registered under a hash. Asking for it keeps it. */
  readonly find: (hash: string) => string | undefined;
  /** @throws EngineError bad-request when the hash is not that of the text */
  readonly register: (hash: string, text: string) => void;
}

interface Registered {
  readonly text: string;
  /** Milliseconds since 1970. */
  until: number;
}

/**
 * @param seconds that a text is kept since it was last used
 * @param memory limits how much is kept: clients choose the texts, and losing one costs only a repetition
 */
export function createRegisteredQueries(seconds: number, memory: MemoryBudget): RegisteredQueries {
  const texts = memory.cache<string, Registered>(({ text }) => 200 + stringBytes(text));
  const until = () => Date.now() + seconds * 1000;
  return {
    find: (hash) => {
      const registered = texts.get(hash);
      if (!registered) return undefined;
      if (registered.until <= Date.now()) {
        texts.delete(hash);
        return undefined;
      }
      registered.until = until();
      return registered.text;
    },
    register: (hash, text) => {
      if (createHash('sha256').update(text).digest('hex') !== hash)
        throw new EngineError('bad-request', 'provided sha does not match query', {
          path: '$.extensions.persistedQuery.sha256Hash',
        });
      texts.set(hash, { text, until: until() });
    },
  };
}
