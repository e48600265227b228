import { EngineError } from '../../core/errors.ts';
import { object } from '../../metadata/combinators.ts';
import type { RemoteRelationship } from '../../metadata/metadata.ts';
import { name } from '../../metadata/values.ts';
import { sourceObject } from '../names.ts';
import { METADATA, operation, SUCCESS } from '../operation.ts';

export default operation({
  name: 'rename_source',
  spelling: 'bare',
  endpoints: METADATA,
  documentation: 'Renames a source, also in the relationships that point to it.',
  arguments: object({ name, new_name: name }),
  policy: 'target',
  targets: ({ new_name }) => [sourceObject(new_name)],
  changesMetadata: true,
  run: ({ name, new_name }, copy) => {
    const { metadata } = copy;
    if (!metadata.sources.some((source) => source.name === name)) {
      throw new EngineError('not-exists', `Could not find source with name "${name}"`);
    }
    if (metadata.sources.some((source) => source.name === new_name)) {
      throw new EngineError('already-exists', `Source with name "${new_name}" already exists`);
    }
    const relationship = (entry: RemoteRelationship): RemoteRelationship =>
      entry.definition.kind === 'to_source' && entry.definition.source === name
        ? { ...entry, definition: { ...entry.definition, source: new_name } }
        : entry;
    copy.metadata = {
      ...metadata,
      sources: metadata.sources.map((source) => ({
        ...source,
        name: source.name === name ? new_name : source.name,
        tables: source.tables.map((entry) =>
          entry.remote_relationships.length === 0
            ? entry
            : { ...entry, remote_relationships: entry.remote_relationships.map(relationship) },
        ),
      })),
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
          relationships: type.relationships.map((entry) =>
            entry.source === name ? { ...entry, source: new_name } : entry,
          ),
        })),
      },
    };
    return SUCCESS;
  },
});
