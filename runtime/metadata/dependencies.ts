/**
 * Who depends on what: every object of the metadata with the tables, columns, relationships and computed fields that it
 * needs. Built on demand over metadata and catalogs; pure.
 */

import type { SourceCatalog } from '../catalog/catalog.ts';
import { displayName, objectKey } from '../core/names.ts';
import { mapNames } from './codec.ts';
import { eventTrigger } from './kinds/event-trigger.ts';
import { type PermissionKind, permissionEntries } from './kinds/permission.ts';
import { objectRelationship } from './kinds/relationship.ts';
import { remoteRelationship } from './kinds/remote-relationship.ts';
import type { Metadata, QualifiedName, Source, TableEntry } from './metadata.ts';
import { createReferenceContext } from './reference-context.ts';
import type { ReferenceVisitor, TableWalk } from './references.ts';

/** Something that others can depend on. */
export type Needed =
  | { readonly kind: 'source'; readonly source: string }
  | { readonly kind: 'remote_schema'; readonly name: string }
  | { readonly kind: 'table'; readonly source: string; readonly table: QualifiedName }
  | {
      readonly kind: 'column';
      readonly source: string;
      readonly table: QualifiedName;
      readonly column: string;
    }
  | {
      readonly kind: 'foreign_key';
      readonly source: string;
      readonly table: QualifiedName;
      readonly columns: readonly string[];
    }
  | {
      readonly kind: 'relationship' | 'computed_field';
      readonly source: string;
      readonly table: QualifiedName;
      readonly name: string;
    }
  /** A function of the database, tracked or used by a computed field. */
  | { readonly kind: 'function'; readonly source: string; readonly function: QualifiedName };

export type { PermissionKind };

/** An object of the metadata that needs others. */
export type Dependent =
  | {
      readonly kind: 'relationship' | 'computed_field' | 'event_trigger' | 'remote_relationship';
      readonly source: string;
      readonly table: QualifiedName;
      readonly name: string;
    }
  | {
      readonly kind: 'permission';
      readonly source: string;
      readonly table: QualifiedName;
      readonly role: string;
      readonly operation: PermissionKind;
    }
  | { readonly kind: 'function'; readonly source: string; readonly function: QualifiedName }
  | {
      readonly kind: 'remote_schema_relationship';
      readonly remoteSchema: string;
      readonly typeName: string;
      readonly name: string;
    };

export interface Dependency {
  readonly dependent: Dependent;
  readonly needs: Needed;
}

/** All dependencies of the metadata. */
export function findDependencies(
  metadata: Metadata,
  catalogs: (source: string) => SourceCatalog | undefined,
): readonly Dependency[] {
  const found: Dependency[] = [];
  for (const source of metadata.sources) findInSource(source, catalogs(source.name), found);
  for (const remoteSchema of metadata.remote_schemas) {
    for (const { type_name, relationships } of remoteSchema.remote_relationships) {
      for (const { name, definition } of relationships) {
        const dependent: Dependent = {
          kind: 'remote_schema_relationship',
          remoteSchema: remoteSchema.name,
          typeName: type_name,
          name,
        };
        if (definition.kind === 'to_source') found.push(...needsRemoteTable(dependent, definition));
        else found.push({ dependent, needs: { kind: 'remote_schema', name: definition.remote_schema } });
      }
    }
  }
  return found;
}

/**
 * What breaks when `dropped` goes, directly or through something that breaks with it. `dropped` itself and what belongs
 * to a dropped table are not among them.
 */
export function findDependents(
  dependencies: readonly Dependency[],
  dropped: readonly Needed[],
): readonly Dependent[] {
  const gone = new Set(dropped.map(neededKey));
  const goneTables = new Set(
    dropped.flatMap((needed) => (needed.kind === 'table' ? [tableKey(needed)] : [])),
  );
  const goneSources = new Set(dropped.flatMap((needed) => (needed.kind === 'source' ? [needed.source] : [])));
  const dependents = new Map<string, Dependent>();
  const belongsToDropped = (dependent: Dependent) =>
    'source' in dependent &&
    (goneSources.has(dependent.source) || ('table' in dependent && goneTables.has(tableKey(dependent))));
  // To a fixed point: a permission may use a relationship that needs a dropped column.
  for (let size = -1; size !== dependents.size; ) {
    size = dependents.size;
    for (const { dependent, needs } of dependencies) {
      const key = dependentKey(dependent);
      if (dependents.has(key) || !isGone(needs, gone, goneTables, goneSources)) continue;
      dependents.set(key, dependent);
      const offered = offeredBy(dependent);
      if (offered !== undefined) gone.add(neededKey(offered));
    }
  }
  for (const needed of dropped) dependents.delete(neededKey(needed));
  return [...dependents.values()].filter((dependent) => !belongsToDropped(dependent));
}

/** An object as lists of dependents name it: `relationship article.author in source "default"`. */
export function describeDependent(dependent: Dependent): string {
  if (dependent.kind === 'remote_schema_relationship') {
    const { name, typeName, remoteSchema } = dependent;
    return `remote_relationship ${name} on type ${typeName} in remote schema ${remoteSchema}`;
  }
  const place = `in source "${dependent.source}"`;
  if (dependent.kind === 'function') return `function ${display(dependent.function)} ${place}`;
  const table = display(dependent.table);
  switch (dependent.kind) {
    case 'permission':
      return `permission ${table}.${dependent.role}.${dependent.operation} ${place}`;
    case 'computed_field':
      return `computed field ${table}.${dependent.name} ${place}`;
    case 'event_trigger':
      return `event-trigger ${table}.${dependent.name} ${place}`;
    case 'remote_relationship':
      return `remote relationship ${table}.${dependent.name} ${place}`;
    case 'relationship':
      return `relationship ${table}.${dependent.name} ${place}`;
  }
}

function findInSource(source: Source, catalog: SourceCatalog | undefined, found: Dependency[]): void {
  const context = createReferenceContext(source, catalog);
  const name = source.name;
  const relations = new Set(
    (catalog?.tables ?? []).map(({ schema, name: table }) => objectKey(schema, table)),
  );
  /** A walk whose visitor notes for `dependent` whatever is named. */
  const noting = (table: QualifiedName, dependent: Dependent): TableWalk => {
    const note = (needs: Needed) => found.push({ dependent, needs });
    const visitor: ReferenceVisitor = {
      table: (named) => {
        note({ kind: 'table', source: name, table: named });
        return named;
      },
      column: (of, column) => {
        note({ kind: 'column', source: name, table: of, column });
        return column;
      },
      relationship: (of, relationship) => {
        note({ kind: 'relationship', source: name, table: of, name: relationship });
        return relationship;
      },
      computedField: (of, field) => {
        note({ kind: 'computed_field', source: name, table: of, name: field });
        return field;
      },
      foreignKey: (of, columns) => note({ kind: 'foreign_key', source: name, table: of, columns }),
    };
    return { table, visitor, context };
  };
  const noteReturnedTable = (dependent: Dependent, of: QualifiedName) => {
    const returns = catalog?.functions.find((candidate) => display(candidate) === display(of))?.returns;
    if (returns === undefined || !relations.has(objectKey(returns.schema, returns.name))) return;
    found.push({
      dependent,
      needs: { kind: 'table', source: name, table: { schema: returns.schema, name: returns.name } },
    });
  };

  for (const entry of source.tables) {
    for (const { dependent, walk } of objectsOf(entry, name)) walk(noting(entry.table, dependent));
    for (const { name: field, definition } of entry.computed_fields) {
      const dependent: Dependent = { kind: 'computed_field', source: name, table: entry.table, name: field };
      found.push({ dependent, needs: { kind: 'function', source: name, function: definition.function } });
      noteReturnedTable(dependent, definition.function);
    }
    for (const { name: relationship, definition } of entry.remote_relationships) {
      const dependent: Dependent = {
        kind: 'remote_relationship',
        source: name,
        table: entry.table,
        name: relationship,
      };
      if (definition.kind === 'to_source') found.push(...needsRemoteTable(dependent, definition));
      else found.push({ dependent, needs: { kind: 'remote_schema', name: definition.remote_schema } });
    }
  }
  for (const entry of source.functions) {
    noteReturnedTable({ kind: 'function', source: name, function: entry.function }, entry.function);
  }
}

/** The objects of a table that name columns and relationships, each with its walk. */
function objectsOf(
  entry: TableEntry,
  source: string,
): readonly { readonly dependent: Dependent; readonly walk: (walk: TableWalk) => unknown }[] {
  const { table } = entry;
  const permission = (operation: PermissionKind, role: string): Dependent => ({
    kind: 'permission',
    source,
    table,
    role,
    operation,
  });
  return [
    ...[...entry.object_relationships, ...entry.array_relationships].map((given) => ({
      dependent: { kind: 'relationship', source, table, name: given.name } as const,
      walk: (walk: TableWalk) => mapNames(objectRelationship, given, walk),
    })),
    ...entry.insert_permissions.map((given) => ({
      dependent: permission('insert', given.role),
      walk: (walk: TableWalk) => mapNames(permissionEntries.insert, given, walk),
    })),
    ...entry.select_permissions.map((given) => ({
      dependent: permission('select', given.role),
      walk: (walk: TableWalk) => mapNames(permissionEntries.select, given, walk),
    })),
    ...entry.update_permissions.map((given) => ({
      dependent: permission('update', given.role),
      walk: (walk: TableWalk) => mapNames(permissionEntries.update, given, walk),
    })),
    ...entry.delete_permissions.map((given) => ({
      dependent: permission('delete', given.role),
      walk: (walk: TableWalk) => mapNames(permissionEntries.delete, given, walk),
    })),
    ...entry.event_triggers.map((given) => ({
      dependent: { kind: 'event_trigger', source, table, name: given.name } as const,
      walk: (walk: TableWalk) => mapNames(eventTrigger, given, walk),
    })),
    ...entry.remote_relationships.map((given) => ({
      dependent: { kind: 'remote_relationship', source, table, name: given.name } as const,
      walk: (walk: TableWalk) => mapNames(remoteRelationship, given, walk),
    })),
  ];
}

function needsRemoteTable(
  dependent: Dependent,
  definition: {
    readonly source: string;
    readonly table: QualifiedName;
    readonly field_mapping: Readonly<Record<string, string>>;
  },
): readonly Dependency[] {
  const { source, table } = definition;
  return [
    { dependent, needs: { kind: 'source', source } },
    { dependent, needs: { kind: 'table', source, table } },
    ...Object.values(definition.field_mapping).map(
      (column): Dependency => ({
        dependent,
        needs: { kind: 'column', source, table, column },
      }),
    ),
  ];
}

function isGone(
  needs: Needed,
  gone: ReadonlySet<string>,
  tables: ReadonlySet<string>,
  sources: ReadonlySet<string>,
): boolean {
  if (gone.has(neededKey(needs))) return true;
  if ('table' in needs && tables.has(tableKey(needs))) return true;
  return 'source' in needs && sources.has(needs.source);
}

/** What others lose when a dependent goes. */
function offeredBy(dependent: Dependent): Needed | undefined {
  if (dependent.kind !== 'relationship' && dependent.kind !== 'computed_field') return undefined;
  const { kind, source, table, name } = dependent;
  return { kind, source, table, name };
}

function neededKey(needed: Needed): string {
  switch (needed.kind) {
    case 'source':
      return JSON.stringify([needed.kind, needed.source]);
    case 'remote_schema':
      return JSON.stringify([needed.kind, needed.name]);
    case 'table':
      return JSON.stringify([needed.kind, tableKey(needed)]);
    case 'column':
      return JSON.stringify([needed.kind, tableKey(needed), needed.column]);
    case 'foreign_key':
      return JSON.stringify([needed.kind, tableKey(needed), [...needed.columns].sort()]);
    case 'function':
      return JSON.stringify([
        needed.kind,
        needed.source,
        objectKey(needed.function.schema, needed.function.name),
      ]);
    case 'relationship':
    case 'computed_field':
      return JSON.stringify([needed.kind, tableKey(needed), needed.name]);
  }
}

function dependentKey(dependent: Dependent): string {
  const offered = offeredBy(dependent);
  return offered === undefined ? describeDependent(dependent) : neededKey(offered);
}

function tableKey({ source, table }: { readonly source: string; readonly table: QualifiedName }): string {
  return `${source} ${objectKey(table.schema, table.name)}`;
}

function display(name: QualifiedName): string {
  return displayName(name.schema, name.name);
}
