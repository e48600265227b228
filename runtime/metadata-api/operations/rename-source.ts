import { EngineError } from '../../core/errors.ts';
import { object } from '../../metadata/combinators.ts';
import { mapReferences } from '../../metadata/map-references.ts';
import { name } from '../../metadata/values.ts';
import { sourceObject } from '../request/names.ts';
import { METADATA, operation, SUCCESS } from '../request/operation.ts';

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
    // Without catalogs: the meaning of other names does not matter here.
    copy.metadata = mapReferences(metadata, () => undefined, {
      source: (named) => (named === name ? new_name : named),
    });
    return SUCCESS;
  },
});
