import type { Metadata } from '../../metadata/metadata.ts';
import { EMPTY_SOURCE, emptyMetadata } from '../../metadata/metadata.ts';
import { noArguments } from '../request/arguments.ts';
import { METADATA_AND_LEGACY, operation, SUCCESS } from '../request/operation.ts';

export default operation<object>({
  name: 'clear_metadata',
  spelling: 'bare',
  endpoints: METADATA_AND_LEGACY,
  documentation: 'Forgets everything but the address of source `default`, which is left empty.',
  arguments: noArguments,
  changesMetadata: true,
  run: async (_, copy) => {
    copy.cleared = true;
    copy.metadata = cleared(copy.metadata);
    await copy.check();
    return SUCCESS;
  },
});

function cleared(metadata: Metadata): Metadata {
  const kept = metadata.sources.filter(({ name }) => name === 'default');
  return {
    ...emptyMetadata,
    sources: kept.map(({ name, kind, configuration, path }) => ({
      name,
      kind,
      configuration,
      path,
      ...EMPTY_SOURCE,
    })),
  };
}
