/**
 * One limit in bytes for everything that requests leave in memory. Caches of one budget share it: when it is used up, the
 * least recently used entries of all caches are evicted. So clients, who choose what is cached, cannot exhaust the server's
 * memory, and an unused cache leaves its room to the others.
 */
import { LRUCache } from 'lru-cache';

/** Bytes. */
const DEFAULT_MEMORY = 64 * 1024 * 1024;

/** Part of a budget that one entry may take. What is larger is not kept: it would drive out everything else. */
const LARGEST = 1 / 8;

/** Bytes of an entry besides its value: its object, and its places in two maps and in the order of use. */
const ENTRY = 300;

/** A cache that is part of a budget. Any entry may be gone when it is asked for again. */
export interface Cache<Key, Value> {
  /** Marks the entry as used. */
  readonly get: (key: Key) => Value | undefined;
  /** Keeps a value, unless it is too large for the budget. Replaces the one of the same key. */
  readonly set: (key: Key, value: Value) => void;
  readonly delete: (key: Key) => void;
  readonly clear: () => void;
  /** Without marking them as used. */
  readonly entries: () => Iterable<readonly [Key, Value]>;
  readonly size: number;
}

interface Entry {
  /** Takes the entry out of its cache. */
  readonly leave: () => void;
}

/** A budget and the order in which its entries were used. */
export class MemoryBudget {
  /** Bytes. */
  readonly limit: number;
  /** Estimated bytes that an entry may have. */
  readonly largest: number;
  readonly #entries: LRUCache<Entry, true>;

  /** @param limit bytes */
  constructor(limit = DEFAULT_MEMORY) {
    this.limit = limit;
    this.largest = Math.floor(limit * LARGEST);
    this.#entries = new LRUCache<Entry, true>({
      maxSize: Math.max(limit, 1),
      // Afterwards, because what leaves may take other entries with it.
      disposeAfter: (_value, { leave }, reason) => {
        if (reason === 'evict') leave();
      },
    });
  }

  /** Estimated bytes of what is kept. */
  get used(): number {
    return this.#entries.calculatedSize;
  }

  /**
   * Makes a cache that shares the budget.
   * @param bytesOf estimates the bytes that an entry keeps in memory, its key included (see heapBytes)
   * @param left takes each value that is not in the cache any more, and one that is too large to enter
   */
  cache<Key, Value>(
    bytesOf: (value: Value, key: Key) => number,
    left: (value: Value) => void = () => {},
  ): Cache<Key, Value> {
    const order = this.#entries;
    const { largest } = this;
    const held = new Map<Key, Entry & { readonly value: Value }>();
    const remove = (key: Key) => {
      const entry = held.get(key);
      if (!entry) return;
      held.delete(key);
      order.delete(entry);
      left(entry.value);
    };
    return {
      get: (key) => {
        const entry = held.get(key);
        if (entry) order.get(entry);
        return entry?.value;
      },
      set: (key, value) => {
        remove(key);
        const size = ENTRY + Math.ceil(bytesOf(value, key));
        if (size > largest) return left(value);
        const leave = () => {
          held.delete(key);
          left(value);
        };
        const entry = { value, leave };
        held.set(key, entry);
        order.set(entry, true, { size });
      },
      delete: remove,
      clear: () => {
        for (const key of [...held.keys()]) remove(key);
      },
      *entries() {
        for (const [key, { value }] of held) yield [key, value] as const;
      },
      get size() {
        return held.size;
      },
    };
  }
}
