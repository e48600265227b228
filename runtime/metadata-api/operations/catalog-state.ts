import { object } from '../../metadata/combinators.ts';
import { jsonObject, oneOf } from '../../metadata/values.ts';
import { noArguments } from '../request/arguments.ts';
import { METADATA, type MetadataOperation, operation, SUCCESS } from '../request/operation.ts';

export const catalogStateOperations: readonly MetadataOperation[] = [
  operation({
    name: 'get_catalog_state',
    spelling: 'bare',
    endpoints: METADATA,
    documentation: 'What tools keep with the metadata: `{id, cli_state, console_state}`.',
    arguments: noArguments,
    changesMetadata: false,
    run: (_, copy) => copy.services.readCatalogState(),
  }),
  operation({
    name: 'set_catalog_state',
    spelling: 'bare',
    endpoints: METADATA,
    documentation: 'Keeps a state for a tool: migrations that ran, for instance.',
    arguments: object({ type: oneOf('cli', 'console'), state: jsonObject }),
    changesMetadata: false,
    run: async ({ type, state }, copy) => {
      await copy.services.writeCatalogState(type, state);
      return SUCCESS;
    },
  }),
];
