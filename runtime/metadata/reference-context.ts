/** The meaning of names in a source, from its metadata and, if there is one, its catalog. Pure. */

import type { SourceCatalog } from '../catalog/catalog.ts';
import { keyOf } from '../core/names.ts';
import type { QualifiedName, RelationshipUsing, Source } from './metadata.ts';
import type { ReferenceContext } from './references.ts';

/** A context over one source. Without a catalog the columns are unknown, and only relationships and computed fields are found. */
export function createReferenceContext(source: Source, catalog: SourceCatalog | undefined): ReferenceContext {
  const entries = new Map(source.tables.map((entry) => [keyOf(entry.table), entry]));
  const tables = new Map((catalog?.tables ?? []).map((table) => [keyOf(table), table]));
  const columns = new Map<string, ReadonlySet<string>>();
  const columnsOf = (key: string) => {
    let names = columns.get(key);
    if (names === undefined) {
      names = new Set(tables.get(key)?.columns.map(({ name }) => name));
      columns.set(key, names);
    }
    return names;
  };
  const referencedTable = (table: QualifiedName, names: readonly string[]): QualifiedName | undefined => {
    const found = tables
      .get(keyOf(table))
      ?.foreignKeys.find(
        (key) => key.columns.length === names.length && names.every((name) => key.columns.includes(name)),
      );
    return found && { schema: found.references.schema, name: found.references.name };
  };
  const targetOf = (table: QualifiedName, using: RelationshipUsing) => {
    switch (using.kind) {
      case 'foreign_key_on_this_table':
        return referencedTable(table, using.columns);
      case 'foreign_key_on_other_table':
        return using.table;
      case 'manual':
        return using.remote_table;
    }
  };
  const returnedTable = (name: QualifiedName): QualifiedName | undefined => {
    const returns = catalog?.functions.find((candidate) => keyOf(candidate) === keyOf(name))?.returns;
    return returns && tables.has(keyOf(returns)) ? { schema: returns.schema, name: returns.name } : undefined;
  };

  return {
    referencedTable,
    returnedTable,
    field: (table, name) => {
      const key = keyOf(table);
      if (columnsOf(key).has(name)) return { kind: 'column' };
      const entry = entries.get(key);
      const relationship =
        entry?.object_relationships.find((candidate) => candidate.name === name) ??
        entry?.array_relationships.find((candidate) => candidate.name === name);
      if (relationship !== undefined) {
        return { kind: 'relationship', target: targetOf(table, relationship.using) };
      }
      const computedField = entry?.computed_fields.find((candidate) => candidate.name === name);
      if (computedField === undefined) return null;
      return { kind: 'computed_field', target: returnedTable(computedField.definition.function) };
    },
  };
}
