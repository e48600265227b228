/** Drops with dependents: refused, or cascaded. */

import { EngineError } from '../core/errors.ts';
import {
  type Dependent,
  describeDependent,
  findDependencies,
  findDependents,
  type Needed,
} from '../metadata/dependencies.ts';
import type { Metadata, TableEntry } from '../metadata/metadata.ts';
import { replaceWhere } from './edit.ts';
import { sameName } from './names.ts';
import type { WorkingCopy } from './working-copy.ts';

/**
 * Sees to what needs the object that is about to be dropped: throws `dependency-error`, or removes it when `cascade`.
 * What belongs to a dropped table or source needs no cascade.
 */
export function refuseDependents(copy: WorkingCopy, dropped: Needed, cascade: boolean): void {
  const dependencies = findDependencies(copy.metadata, (source) => copy.catalog(source));
  const dependents = findDependents(dependencies, [dropped]);
  if (dependents.length === 0) return;
  if (!cascade) throw dependencyError(dependents);
  copy.metadata = removeDependents(copy.metadata, dependents);
}

export function dependencyError(dependents: readonly Dependent[]): EngineError {
  const names = dependents.map(describeDependent).sort();
  return new EngineError(
    'dependency-error',
    `cannot drop due to the following dependent objects: ${names.join(', ')}`,
  );
}

/** The metadata without these objects. */
export function removeDependents(metadata: Metadata, dependents: readonly Dependent[]): Metadata {
  return dependents.reduce(removeDependent, metadata);
}

function removeDependent(metadata: Metadata, dependent: Dependent): Metadata {
  if (dependent.kind === 'remote_schema_relationship') {
    return {
      ...metadata,
      remote_schemas: replaceWhere(
        metadata.remote_schemas,
        ({ name }) => name === dependent.remoteSchema,
        (schema) => ({
          ...schema,
          remote_relationships: replaceWhere(
            schema.remote_relationships,
            ({ type_name }) => type_name === dependent.typeName,
            (type) => ({
              ...type,
              relationships: type.relationships.filter(({ name }) => name !== dependent.name),
            }),
          ),
        }),
      ),
    };
  }
  return {
    ...metadata,
    sources: replaceWhere(
      metadata.sources,
      ({ name }) => name === dependent.source,
      (source) =>
        dependent.kind === 'function'
          ? {
              ...source,
              functions: source.functions.filter((entry) => !sameName(entry.function, dependent.function)),
            }
          : {
              ...source,
              tables: replaceWhere(
                source.tables,
                ({ table }) => sameName(table, dependent.table),
                (entry) => removeFromTable(entry, dependent),
              ),
            },
    ),
  };
}

type TableDependent = Extract<Dependent, { readonly table: unknown }>;

function removeFromTable(entry: TableEntry, dependent: TableDependent): TableEntry {
  if (dependent.kind === 'permission') {
    const list = `${dependent.operation}_permissions` as const;
    const kept = (entry[list] as readonly { readonly role: string }[]).filter(
      ({ role }) => role !== dependent.role,
    );
    return { ...entry, [list]: kept };
  }
  const keep = ({ name }: { readonly name: string }) => name !== dependent.name;
  switch (dependent.kind) {
    case 'relationship':
      return {
        ...entry,
        object_relationships: entry.object_relationships.filter(keep),
        array_relationships: entry.array_relationships.filter(keep),
      };
    case 'computed_field':
      return { ...entry, computed_fields: entry.computed_fields.filter(keep) };
    case 'event_trigger':
      return { ...entry, event_triggers: entry.event_triggers.filter(keep) };
    case 'remote_relationship':
      return { ...entry, remote_relationships: entry.remote_relationships.filter(keep) };
  }
}
