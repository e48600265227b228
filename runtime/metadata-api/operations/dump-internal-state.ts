import { exportMetadata } from '../../metadata/export-metadata.ts';
import type { Json } from '../../metadata/metadata.ts';
import { noArguments } from '../request/arguments.ts';
import { METADATA_AND_LEGACY, operation } from '../request/operation.ts';

export default operation<object>({
  name: 'dump_internal_state',
  spelling: 'bare',
  endpoints: METADATA_AND_LEGACY,
  documentation: 'Metadata, catalogs and diagnostics as the server has them, for a report of a defect.',
  arguments: noArguments,
  changesMetadata: false,
  run: (_, copy) => ({
    resource_version: copy.resourceVersion,
    metadata: exportMetadata(copy.metadata),
    catalogs: copy.catalogs as unknown as Json,
    diagnostics: copy.compilation.diagnostics as unknown as Json,
    inconsistent_objects: copy.inconsistent as unknown as Json,
    generated_files: [...copy.compilation.files.keys()],
  }),
});
