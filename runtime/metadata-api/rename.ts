/** Follows renames through everything that refers to a source. */
import { mapNames } from '../metadata/codec.ts';
import { tableEntry } from '../metadata/kinds/table.ts';
import type {
  Metadata,
  QualifiedName,
  RemoteRelationship,
  Source,
  TableEntry,
} from '../metadata/metadata.ts';
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

/** A table of another source, as remote relationships and relationships of custom types refer to it. */
interface RemoteTable {
  readonly source: string;
  readonly table: QualifiedName;
  /** Columns of the table, by the field that is equal to them. */
  readonly field_mapping: Readonly<Record<string, string>>;
}

/** The metadata with every reference to a table of another source changed. */
export function changeRemoteTables(
  metadata: Metadata,
  change: (target: RemoteTable) => RemoteTable,
): Metadata {
  const relationship = (entry: RemoteRelationship): RemoteRelationship => {
    const { definition } = entry;
    if (definition.kind !== 'to_source') return entry;
    const target = change(definition);
    return target === definition ? entry : { ...entry, definition: { ...definition, ...target } };
  };
  return {
    ...metadata,
    sources: metadata.sources.map((owner) =>
      owner.tables.some(({ remote_relationships }) => remote_relationships.length > 0)
        ? {
            ...owner,
            tables: owner.tables.map((entry) =>
              entry.remote_relationships.length === 0
                ? entry
                : { ...entry, remote_relationships: entry.remote_relationships.map(relationship) },
            ),
          }
        : owner,
    ),
    remote_schemas: metadata.remote_schemas.map((schema) => ({
      ...schema,
      remote_relationships: schema.remote_relationships.map((type) => ({
        ...type,
        relationships: type.relationships.map(relationship),
      })),
    })),
    custom_types: {
      ...metadata.custom_types,
      objects: metadata.custom_types.objects.map((type) => ({
        ...type,
        relationships: type.relationships.map(({ remote_table, ...entry }) => {
          const { source, table, field_mapping } = change({ ...entry, table: remote_table });
          return { ...entry, source, remote_table: table, field_mapping };
        }),
      })),
    },
  };
}
