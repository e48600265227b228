/** Automatic persisted queries: texts that clients registered under their hash, for a while. */
import { createHash } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import { EngineError } from '../core/errors.ts';

export interface RegisteredQueries {
  /** The text that was registered under a hash. Asking for it keeps it. */
  readonly find: (hash: string) => string | undefined;
  /** @throws EngineError bad-request when the hash is not that of the text */
  readonly register: (hash: string, text: string) => void;
}

/** Maximum characters of all texts. Clients choose them, and losing one costs only a repetition. */
const MAX_TEXT = 8_000_000;

/** @param seconds that a text is kept since it was last used */
export function createRegisteredQueries(seconds: number): RegisteredQueries {
  const texts = new LRUCache<string, string>({
    maxSize: MAX_TEXT,
    sizeCalculation: (text) => text.length + 100,
    ttl: seconds * 1000,
    updateAgeOnGet: true,
  });
  return {
    find: (hash) => texts.get(hash),
    register: (hash, text) => {
      if (createHash('sha256').update(text).digest('hex') !== hash)
        throw new EngineError('bad-request', 'provided sha does not match query', {
          path: '$.extensions.persistedQuery.sha256Hash',
        });
      texts.set(hash, text);
    },
  };
}
