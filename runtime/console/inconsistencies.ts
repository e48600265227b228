/** Objects of the metadata that are not served, with their places. */

import type { Diagnostic } from '../core/diagnostics/diagnostic.ts';
import type { InconsistentObject } from '../core/diagnostics/inconsistency.ts';
import { pathStep } from '../core/errors.ts';
import type { Located, Metadata, MetadataPath } from '../metadata/metadata.ts';
import type { MetadataState, SourceDatabase } from '../metadata-api/change/state.ts';
import { TABLE_LISTS } from '../metadata-api/change/table-lists.ts';
import {
  functionObject,
  globalObject,
  sourceObject,
  tableObject,
  tablePart,
} from '../metadata-api/request/names.ts';
import type { ConsoleInconsistency, InconsistenciesAnswer } from './operator-questions.ts';

/** The objects that get_inconsistent_metadata lists, in the same order. */
export function inconsistenciesOf({
  metadata,
  compilation: { diagnostics },
}: Pick<MetadataState<SourceDatabase>, 'metadata' | 'compilation'>): InconsistenciesAnswer {
  const seen = new Set<string>();
  const places = placesIn(metadata);
  const inconsistencies = diagnostics.flatMap((diagnostic) => {
    const { inconsistency } = diagnostic;
    const key = JSON.stringify(inconsistency);
    if (inconsistency === undefined || seen.has(key)) return [];
    seen.add(key);
    const { because } = diagnostic;
    const cause = because && diagnostics.find((each) => isSamePlace(each, because));
    return [describe(inconsistency, diagnostic, cause, places, metadata)];
  });
  return { inconsistencies };
}

function isSamePlace(left: Pick<Diagnostic, 'code' | 'path'>, right: Pick<Diagnostic, 'code' | 'path'>) {
  return left.code === right.code && textOf(left.path) === textOf(right.path);
}

function describe(
  object: InconsistentObject,
  diagnostic: Diagnostic,
  cause: Diagnostic | undefined,
  places: Places,
  metadata: Metadata,
): ConsoleInconsistency {
  const { location, details = [] } = diagnostic;
  const path = currentPath(diagnostic, places);
  const because = cause && textOf(currentPath(cause, places));
  const reload = reloadOf(path, metadata);
  return {
    ...namesOf(object),
    reason: object.reason,
    path: textOf(path),
    ...(location && { place: `${location.file}:${location.line}` }),
    details,
    ...(because !== undefined && because !== textOf(path) && { because }),
    ...(reload && { reload }),
  };
}

/** Several objects at once where they conflict. */
function namesOf(object: InconsistentObject): Pick<ConsoleInconsistency, 'name' | 'type' | 'definition'> {
  if (object.conflicts) return { name: 'REST endpoints of a common path', definition: object.conflicts };
  if (object.objects)
    return { name: object.objects.map(({ name }) => name).join(', '), definition: object.objects };
  return { name: object.name, type: object.type, definition: object.definition ?? object.entity };
}

function textOf(path: MetadataPath): string {
  return path.reduce<string>(pathStep, 'metadata');
}

/** By name in lists of inconsistent objects: where an object is, and where it was when it was read. */
type Places = ReadonlyMap<string, { readonly path: MetadataPath; readonly read: MetadataPath }>;

/**
 * The path of a diagnostic as export_metadata shows the document. The diagnostic has it as the object was read: in the order in which
 * the metadata was sent, and from the object alone where an operation added it.
 */
function currentPath({ path, inconsistency }: Diagnostic, places: Places): MetadataPath {
  const place = places.get(inconsistency?.name ?? inconsistency?.objects?.[0]?.name ?? '');
  if (place === undefined) return path;
  const isInside = place.read.every((step, index) => step === path[index]);
  return isInside ? [...place.path, ...path.slice(place.read.length)] : place.path;
}

function placesIn(metadata: Metadata): Places {
  const places = new Map<string, { path: MetadataPath; read: MetadataPath }>();
  const add = (name: string, item: Located, path: MetadataPath) =>
    places.set(name, { path, read: item.path });
  metadata.sources.forEach((source, number) => {
    const top = ['sources', number];
    add(sourceObject(source.name).name, source, top);
    source.tables.forEach((entry, index) => {
      const path = [...top, 'tables', index];
      add(tableObject(source.name, entry.table).name, entry, path);
      for (const [type, list] of Object.entries(TABLE_LISTS))
        entry[list].forEach((item, position) => {
          const part = 'role' in item ? item.role : item.name;
          add(tablePart(type, part, source.name, entry.table).name, item, [...path, list, position]);
        });
    });
    source.functions.forEach((entry, index) => {
      add(functionObject(source.name, entry.function).name, entry, [...top, 'functions', index]);
    });
  });
  metadata.remote_schemas.forEach((remote, index) => {
    const path = ['remote_schemas', index];
    add(globalObject('remote_schema', remote.name).name, remote, path);
    remote.permissions.forEach((permission, position) => {
      const name = `${permission.role} permission in remote schema ${remote.name}`;
      add(globalObject('remote_schema_permission', name).name, permission, [
        ...path,
        'permissions',
        position,
      ]);
    });
  });
  for (const [type, list] of Object.entries(GLOBAL_LISTS))
    metadata[list].forEach((item, index) => {
      add(globalObject(type, item.name).name, item, [list, index]);
    });
  metadata.inherited_roles.forEach((role, index) => {
    add(`inherited role ${role.role_name}`, role, ['inherited_roles', index]);
  });
  metadata.query_collections.forEach((collection, index) => {
    for (const { name } of collection.definition.queries)
      add(`query_collections ${name} in ${collection.name}`, collection, ['query_collections', index]);
  });
  return places;
}

/** Type of an object → its list. */
const GLOBAL_LISTS = {
  action: 'actions',
  cron_trigger: 'cron_triggers',
  rest_endpoint: 'rest_endpoints',
} as const;

/** The source or remote schema that a path leads into. */
function reloadOf([list, index]: MetadataPath, metadata: Metadata): ConsoleInconsistency['reload'] {
  if (typeof index !== 'number') return undefined;
  const source = list === 'sources' ? metadata.sources[index] : undefined;
  if (source) return { source: source.name };
  const remote = list === 'remote_schemas' ? metadata.remote_schemas[index] : undefined;
  return remote && { remoteSchema: remote.name };
}
