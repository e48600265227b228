/** Follows renames through everything that a source's metadata says. */
import { mapNames } from '../metadata/codec.ts';
import { tableEntry } from '../metadata/kinds/table.ts';
import type { Source, TableEntry } from '../metadata/metadata.ts';
import type { ReferenceContext, ReferenceVisitor } from '../metadata/references.ts';

/** Renames nothing. */
export const sameNames: ReferenceVisitor = {
  table: (name) => name,
  column: (_, column) => column,
  relationship: (_, name) => name,
  computedField: (_, name) => name,
  foreignKey: () => {},
};

/**
 * The source with every name as the visitor answers; `context` knows what names meant before. Tables keep their own names.
 */
export function renameInSource(source: Source, context: ReferenceContext, visitor: ReferenceVisitor): Source {
  return { ...source, tables: source.tables.map((entry) => renameInTable(entry, context, visitor)) };
}

function renameInTable(entry: TableEntry, context: ReferenceContext, visitor: ReferenceVisitor): TableEntry {
  const walk = { table: entry.table, visitor, context };
  const renamed = mapNames(tableEntry, entry, walk);
  // An entry in which nothing changed keeps its identity, so that it is not compiled again.
  return JSON.stringify(renamed) === JSON.stringify(entry) ? entry : { ...renamed, path: entry.path };
}
