/**
 * The items of one version that the other one does not have, each once. Items are the same if their identities are equal as data:
 * texts for people are never compared.
 */
export function beyond<Item>(
  some: Iterable<Item>,
  others: Iterable<Item>,
  identity: (item: Item) => unknown = (item) => item,
): Item[] {
  const found = new Map([...some].map((item) => [JSON.stringify(identity(item)), item]));
  for (const item of others) found.delete(JSON.stringify(identity(item)));
  return [...found.values()];
}

/** The items of two versions, side by side: items of the earlier version first, each once. */
export function versionPairs<Item>(
  before: Iterable<Item>,
  after: Iterable<Item>,
  identity: (item: Item) => unknown,
): { readonly was: Item | undefined; readonly is: Item | undefined }[] {
  const [old, next] = [before, after].map(
    (items) => new Map([...items].map((item) => [JSON.stringify(identity(item)), item])),
  );
  return [...new Map([...old!, ...next!]).keys()].map((key) => ({ was: old!.get(key), is: next!.get(key) }));
}
