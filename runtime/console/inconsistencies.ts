/** Objects of the metadata that are not served, with their places. */
import { pathStep } from '../core/errors.ts';
import type { Diagnostic } from '../diagnostics/diagnostic.ts';
import type { InconsistentObject } from '../metadata/inconsistency.ts';
import type { Metadata, MetadataPath } from '../metadata/metadata.ts';
import type { MetadataState, SourceDatabase } from '../metadata-api/state.ts';
import type { ConsoleInconsistency, InconsistenciesAnswer } from './operator-questions.ts';

/** The objects that get_inconsistent_metadata lists, in the same order. */
export function inconsistenciesOf({
  metadata,
  compilation,
}: Pick<MetadataState<SourceDatabase>, 'metadata' | 'compilation'>): InconsistenciesAnswer {
  const seen = new Set<string>();
  const inconsistencies = compilation.diagnostics.flatMap((diagnostic) => {
    const { inconsistency } = diagnostic;
    const key = JSON.stringify(inconsistency);
    if (inconsistency === undefined || seen.has(key)) return [];
    seen.add(key);
    return [describe(inconsistency, diagnostic, metadata)];
  });
  return { inconsistencies };
}

function describe(
  object: InconsistentObject,
  { path, location, details = [], because }: Diagnostic,
  metadata: Metadata,
): ConsoleInconsistency {
  const reload = reloadOf(path, metadata);
  return {
    ...namesOf(object),
    reason: object.reason,
    path: textOf(path),
    ...(location && { place: `${location.file}:${location.line}` }),
    details,
    ...(because && textOf(because.path) !== textOf(path) && { because: textOf(because.path) }),
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

/** The source or remote schema that a path leads into. */
function reloadOf([list, index]: MetadataPath, metadata: Metadata): ConsoleInconsistency['reload'] {
  if (typeof index !== 'number') return undefined;
  const source = list === 'sources' ? metadata.sources[index] : undefined;
  if (source) return { source: source.name };
  const remote = list === 'remote_schemas' ? metadata.remote_schemas[index] : undefined;
  return remote && { remoteSchema: remote.name };
}
