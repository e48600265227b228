/** The fields that a table's metadata declares besides its columns. */
import type { TableEntry } from '../metadata/metadata.ts';

/** Names of relationships, computed fields and remote relationships. */
export function fieldNames(entry: TableEntry): ReadonlySet<string> {
  return new Set([
    ...relationshipNames(entry),
    ...names(entry.computed_fields),
    ...names(entry.remote_relationships),
  ]);
}

export function relationshipNames(entry: TableEntry): readonly string[] {
  return [...names(entry.object_relationships), ...names(entry.array_relationships)];
}

function names(list: readonly { readonly name: string }[]): readonly string[] {
  return list.map(({ name }) => name);
}
