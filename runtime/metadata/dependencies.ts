/**
 * Who depends on what: every object of the metadata with the sources, tables, columns, relationships, computed fields,
 * functions and remote schemas that it needs. Built on demand over metadata and catalogs; pure.
 * @rule What depends on a table, column, function, relationship or computed field?
 */

import type { SourceCatalog } from '../catalog/catalog.ts';
import { displayName, objectKey } from '../core/names.ts';
import { mapReferences } from './map-references.ts';
import type { Metadata, QualifiedName } from './metadata.ts';
import type { Dependent, Needed, SourceTableReference } from './references.ts';

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
  mapReferences(metadata, catalogs, {
    enter: (dependent) => ({
      note: (needs) => {
        found.push({ dependent, needs });
      },
    }),
  });
  return found;
}

/** The metadata without these objects. */
export function removeDependents(metadata: Metadata, dependents: readonly Dependent[]): Metadata {
  const removed = new Set(dependents.map(describeDependent));
  const kept = {};
  // Without catalogs: the meaning of names does not matter here.
  return mapReferences(metadata, () => undefined, {
    enter: (object) => (removed.has(describeDependent(object)) ? null : kept),
  });
}

/**
 * Objects that need a dropped one, directly or through other dependents. The dropped objects themselves and parts of a
 * dropped table are not among them.
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

/** The needed object that is lost with a dependent. */
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

function tableKey({ source, table }: SourceTableReference): string {
  return `${source} ${objectKey(table.schema, table.name)}`;
}

function display(name: QualifiedName): string {
  return displayName(name.schema, name.name);
}
