/** Watches which entries of a map are looked at. */

export interface Trace<Key, Value> {
  /** Answers as the map that is watched. */
  readonly map: Map<Key, Value>;
  /** The keys that were asked for, present or not; undefined if all entries were looked at. */
  readonly keys: () => readonly Key[] | undefined;
}

export function trace<Key, Value>(watched: ReadonlyMap<Key, Value>): Trace<Key, Value> {
  const map = new TracedMap(watched);
  return { map, keys: () => (map.all ? undefined : [...map.seen]) };
}

class TracedMap<Key, Value> extends Map<Key, Value> {
  readonly seen = new Set<Key>();
  all = false;
  readonly #watched: ReadonlyMap<Key, Value>;

  constructor(watched: ReadonlyMap<Key, Value>) {
    super();
    this.#watched = watched;
  }

  override get size(): number {
    this.all = true;
    return this.#watched.size;
  }

  override get(key: Key): Value | undefined {
    this.seen.add(key);
    return this.#watched.get(key);
  }

  override has(key: Key): boolean {
    this.seen.add(key);
    return this.#watched.has(key);
  }

  override entries(): MapIterator<[Key, Value]> {
    this.all = true;
    return this.#watched.entries() as MapIterator<[Key, Value]>;
  }

  override keys(): MapIterator<Key> {
    this.all = true;
    return this.#watched.keys() as MapIterator<Key>;
  }

  override values(): MapIterator<Value> {
    this.all = true;
    return this.#watched.values() as MapIterator<Value>;
  }

  override forEach(callback: (value: Value, key: Key, map: Map<Key, Value>) => void): void {
    this.all = true;
    for (const [key, value] of this.#watched) callback(value, key, this);
  }

  override [Symbol.iterator](): MapIterator<[Key, Value]> {
    return this.entries();
  }
}
