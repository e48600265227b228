import type { JsonObject } from '../../metadata/metadata.ts';
import { jsonObject, object, oneOf } from '../../metadata/schemas/shared.ts';
import { noArguments } from '../arguments.ts';
import { METADATA, operation, SUCCESS } from '../operation.ts';
import type { CatalogStateKind } from '../store.ts';

interface Arguments {
  readonly type: CatalogStateKind;
  readonly state: JsonObject;
}

export const getCatalogState = operation<object>({
  name: 'get_catalog_state',
  spelling: 'bare',
  endpoints: METADATA,
  documentation: 'What tools keep with the metadata: `{id, cli_state, console_state}`.',
  arguments: noArguments,
  changesMetadata: false,
  run: (_, copy) => copy.services.readCatalogState(),
});

export const setCatalogState = operation<Arguments>({
  name: 'set_catalog_state',
  spelling: 'bare',
  endpoints: METADATA,
  documentation: 'Keeps a state for a tool: migrations that ran, for instance.',
  arguments: object<Arguments>({ type: oneOf('cli', 'console'), state: jsonObject }),
  changesMetadata: false,
  run: async ({ type, state }, copy) => {
    await copy.services.writeCatalogState(type, state);
    return SUCCESS;
  },
});
