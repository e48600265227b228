/** Values made once. */

interface Memory<Key, Value> {
  get(key: Key): Value | undefined;
  set(key: Key, value: Value): unknown;
}

/** The value of a key, made when it is asked for first. */
export function remember<Key, Value>(memory: Memory<Key, Value>, key: Key, make: () => Value): Value {
  const known = memory.get(key);
  if (known !== undefined) return known;
  const made = make();
  memory.set(key, made);
  return made;
}

/** A function that computes its value on the first call. */
export function lazy<T>(make: () => T): () => T {
  let made: { readonly value: T } | undefined;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
}

/** True if all switches are equal, on which depends whether something made earlier may be used. An absent one is off. */
export function sameOptions<Options extends object>(left: Options, right: Options): boolean {
  const names = new Set([...Object.keys(left), ...Object.keys(right)]) as Set<keyof Options>;
  return [...names].every((name) => (left[name] || false) === (right[name] || false));
}

/** True if two lists hold identical items in the same order. */
export function sameItems(left: readonly unknown[], right: readonly unknown[]): boolean {
  return left.length === right.length && left.every((item, index) => item === right[index]);
}

/** The entries of each key, in their order. */
export function groupBy<Entry, Key>(
  entries: readonly Entry[],
  key: (entry: Entry) => Key,
): Map<Key, Entry[]> {
  const groups = new Map<Key, Entry[]>();
  for (const entry of entries) {
    const group = groups.get(key(entry));
    if (group) group.push(entry);
    else groups.set(key(entry), [entry]);
  }
  return groups;
}
