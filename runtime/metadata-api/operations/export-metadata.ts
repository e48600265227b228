import { exportMetadata } from '../../metadata/export-metadata.ts';
import { json } from '../../metadata/values.ts';
import { METADATA_AND_LEGACY, operation } from '../request/operation.ts';

export default operation({
  name: 'export_metadata',
  spelling: 'bare',
  endpoints: METADATA_AND_LEGACY,
  documentation:
    'The whole metadata. With `version: 2` as `{resource_version, metadata}`; without, or with 1, the metadata itself.',
  arguments: json,
  hasVersion2: true,
  changesMetadata: false,
  run: (_, copy, { version }) => {
    const metadata = exportMetadata(copy.metadata);
    return version === 2 ? { resource_version: copy.resourceVersion, metadata } : metadata;
  },
});
