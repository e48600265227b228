import type { Json } from '../../metadata/metadata.ts';
import { noArguments } from '../request/arguments.ts';
import { METADATA_AND_LEGACY, operation } from '../request/operation.ts';

export default operation<object>({
  name: 'get_inconsistent_metadata',
  spelling: 'bare',
  endpoints: METADATA_AND_LEGACY,
  documentation:
    'Every object of the metadata that is not served, with the reason: a list of `{definition, reason, type, name}`; with ' +
    '`version: 2` as `{is_consistent, inconsistent_objects}`. What only PostgreSQL can refuse, such as a relationship of two types that it ' +
    'does not compare, is not listed: `engine compile --prove` finds it.',
  arguments: noArguments,
  hasVersion2: true,
  changesMetadata: false,
  run: async (_, copy, { version }) => {
    await copy.check();
    const objects = copy.inconsistent as unknown as Json;
    return version === 2
      ? { is_consistent: copy.inconsistent.length === 0, inconsistent_objects: objects }
      : objects;
  },
});
