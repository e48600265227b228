/**
 * Orders texts by code unit: the same in every locale, which neither the database's collation nor `localeCompare` is.
 */
export function compareText(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

/** A record with its keys in order. */
export function sortedRecord<Value>(entries: Iterable<readonly [string, Value]>): Record<string, Value> {
  return Object.fromEntries([...entries].sort(([left], [right]) => compareText(left, right)));
}

interface Named {
  readonly schema: string;
  readonly name: string;
}

/** Orders objects of a database by schema, then by name. */
export function compareNames(a: Named, b: Named): number {
  return compareText(a.schema, b.schema) || compareText(a.name, b.name);
}
