/** Follows renames through everything that a source's metadata says. */
import type { Source, TableEntry } from '../metadata/metadata.ts';
import {
  mapDeletePermission,
  mapEventTrigger,
  mapInsertPermission,
  mapRelationshipUsing,
  mapRemoteRelationship,
  mapSelectPermission,
  mapTableConfiguration,
  mapUpdatePermission,
  type ReferenceContext,
  type ReferenceVisitor,
} from '../metadata/references.ts';

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
  const renamed: TableEntry = {
    ...entry,
    configuration: mapTableConfiguration(entry.configuration, walk),
    object_relationships: entry.object_relationships.map((relationship) => ({
      ...relationship,
      using: mapRelationshipUsing(relationship.using, walk),
    })),
    array_relationships: entry.array_relationships.map((relationship) => ({
      ...relationship,
      using: mapRelationshipUsing(relationship.using, walk),
    })),
    remote_relationships: entry.remote_relationships.map((item) => mapRemoteRelationship(item, walk)),
    insert_permissions: entry.insert_permissions.map((item) => mapInsertPermission(item, walk)),
    select_permissions: entry.select_permissions.map((item) => mapSelectPermission(item, walk)),
    update_permissions: entry.update_permissions.map((item) => mapUpdatePermission(item, walk)),
    delete_permissions: entry.delete_permissions.map((item) => mapDeletePermission(item, walk)),
    event_triggers: entry.event_triggers.map((item) => mapEventTrigger(item, walk)),
  };
  // An entry in which nothing changed keeps its identity, so that it is not compiled again.
  return JSON.stringify(renamed) === JSON.stringify(entry) ? entry : renamed;
}
