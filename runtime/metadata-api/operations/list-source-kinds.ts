import { noArguments } from '../request/arguments.ts';
import { METADATA, operation } from '../request/operation.ts';

export default operation<object>({
  name: 'list_source_kinds',
  spelling: 'bare',
  endpoints: METADATA,
  documentation: 'The kinds of databases that can be sources.',
  arguments: noArguments,
  changesMetadata: false,
  run: () => ({
    sources: [{ builtin: true, kind: 'postgres', display_name: 'PostgreSQL', available: true }],
  }),
});
