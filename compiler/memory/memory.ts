/**
 * Memory that a compile leaves to the next ones: results of functions, with the arguments that they were made of. A result
 * is used again only where every argument is the identical, immutable data; so it never matters which compile left it here,
 * or whether that compile's outcome was served.
 *
 * The functions are those of modules, which see nothing but their arguments: no input can be forgotten. A function that
 * is made anew for each call is never found again.
 * @rule When does a compile reuse what an earlier one made?
 */

/** Lists are compared by their items, maps by the entries that were looked at, everything else by identity. */
type Made = { readonly value: unknown; readonly inputs: readonly Input[] };

type Make = (...given: never[]) => unknown;

export interface Memory {
  /**
   * `make(owner, ...given)`, or its last result for this owner if all the arguments are the same. The result goes with the
   * owner.
   */
  call<Owner extends object, Given extends readonly unknown[], Value>(
    make: (owner: Owner, ...given: Given) => Value,
    owner: Owner,
    ...given: Given
  ): Value;
  /**
   * As `call`, for functions that take over parts of their last result for this owner, which may be of other arguments.
   * The content of the result must not depend on it.
   */
  update<Owner extends object, Given extends readonly unknown[], Value>(
    make: (last: Value | undefined, owner: Owner, ...given: Given) => Value,
    owner: Owner,
    ...given: Given
  ): Value;
  /** A memory that goes with the owner: for results that belong to two objects. */
  of(owner: object): Memory;
}

export function createMemory(): Memory {
  const results = new WeakMap<Make, WeakMap<object, Made>>();
  const memories = new WeakMap<object, Memory>();
  const find = <Value>(
    make: Make,
    owner: object,
    given: readonly unknown[],
    run: (last: Value | undefined, watched: readonly unknown[]) => Value,
  ): Value => {
    const owners = results.get(make) ?? new WeakMap<object, Made>();
    results.set(make, owners);
    const last = owners.get(owner);
    if (last?.inputs.length === given.length && last.inputs.every((input, index) => input.is(given[index])))
      return last.value as Value;
    const inputs = given.map(inputOf);
    const value = run(
      last?.value as Value | undefined,
      inputs.map(({ watched }) => watched),
    );
    owners.set(owner, { value, inputs });
    return value;
  };
  return {
    call: (make, owner, ...given) =>
      find(make, owner, given, (_, watched) => make(owner, ...(watched as typeof given))),
    update: (make, owner, ...given) =>
      find<ReturnType<typeof make>>(make, owner, given, (last, watched) =>
        make(last, owner, ...(watched as typeof given)),
      ),
    of: (owner) => {
      const known = memories.get(owner) ?? createMemory();
      memories.set(owner, known);
      return known;
    },
  };
}

/** An argument, as the function sees it. */
interface Input {
  readonly watched: unknown;
  is(next: unknown): boolean;
}

function inputOf(given: unknown): Input {
  if (given instanceof Map) return new WatchedMap(given);
  return { watched: given, is: (next) => same(next, given) };
}

function same(next: unknown, before: unknown): boolean {
  if (next === before) return true;
  if (!Array.isArray(next) || !Array.isArray(before) || next.length !== before.length) return false;
  return next.every((item, index) => same(item, before[index]));
}

/** Answers as the map that it watches, and knows which entries were asked for, present or not. */
class WatchedMap extends Map<unknown, unknown> implements Input {
  readonly watched = this;
  /** The last one that was found to be the same: an earlier one would keep what has gone. */
  #map: ReadonlyMap<unknown, unknown>;
  readonly #seen = new Map<unknown, unknown>();
  #all = false;

  constructor(map: ReadonlyMap<unknown, unknown>) {
    super();
    this.#map = map;
  }

  is(next: unknown): boolean {
    if (next === this.#map) return true;
    if (!(next instanceof Map)) return false;
    if (this.#all && !same([...next], [...this.#map])) return false;
    for (const [key, value] of this.#seen) if (next.get(key) !== value) return false;
    this.#map = next;
    return true;
  }

  get #entries(): ReadonlyMap<unknown, unknown> {
    this.#all = true;
    return this.#map;
  }

  override get(key: unknown): unknown {
    const value = this.#map.get(key);
    this.#seen.set(key, value);
    return value;
  }

  override has(key: unknown): boolean {
    return this.get(key) !== undefined;
  }

  override get size(): number {
    return this.#entries.size;
  }

  override entries(): MapIterator<[unknown, unknown]> {
    return this.#entries.entries() as MapIterator<[unknown, unknown]>;
  }

  override keys(): MapIterator<unknown> {
    return this.#entries.keys() as MapIterator<unknown>;
  }

  override values(): MapIterator<unknown> {
    return this.#entries.values() as MapIterator<unknown>;
  }

  override forEach(callback: (value: unknown, key: unknown, map: Map<unknown, unknown>) => void): void {
    for (const [key, value] of this.#entries) callback(value, key, this);
  }

  override [Symbol.iterator](): MapIterator<[unknown, unknown]> {
    return this.entries();
  }
}
