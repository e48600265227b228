/** Operations that replace one setting of a tracked table. */
import { CANONICAL } from '../../core/vocabulary.ts';
import { type Codec, validate } from '../../metadata/codec.ts';
import { argument, object, optional } from '../../metadata/combinators.ts';
import { tableConfiguration } from '../../metadata/kinds/table.ts';
import type { TableEntry } from '../../metadata/metadata.ts';
import { boolean, json, oneOf } from '../../metadata/values.ts';
import { optionally, without, withTable } from '../change/edit.ts';
import { tableArguments } from '../request/arguments.ts';
import type { TablePlace } from '../request/list-operations.ts';
import { tableObject } from '../request/names.ts';
import {
  METADATA,
  METADATA_AND_LEGACY,
  type MetadataOperation,
  operation,
  SUCCESS,
} from '../request/operation.ts';

function tableSetting<Args extends TablePlace>(
  definition: Pick<MetadataOperation<Args>, 'name' | 'endpoints' | 'documentation'> & {
    readonly spelling?: 'bare';
    readonly arguments: Codec<Args>;
    readonly change: (entry: TableEntry, args: Args) => TableEntry;
  },
): MetadataOperation {
  const { change, ...own } = definition;
  return operation<Args>({
    spelling: 'prefixed',
    ...own,
    policy: 'target',
    targets: ({ source, table }) => [tableObject(source, table)],
    changesMetadata: true,
    run: (args, copy) => {
      copy.metadata = withTable(copy.metadata, args.source, args.table, (entry) => change(entry, args));
      return SUCCESS;
    },
  });
}

export const tableSettingOperations: readonly MetadataOperation[] = [
  tableSetting({
    name: 'set_table_customization',
    endpoints: METADATA_AND_LEGACY,
    documentation: 'Replaces the custom names and comments of a table, its columns and root fields.',
    arguments: object({ ...tableArguments, configuration: tableConfiguration }),
    change: (entry, { configuration }) => ({ ...entry, configuration }),
  }),
  tableSetting({
    name: 'set_table_custom_fields',
    spelling: 'bare',
    endpoints: ['/v1/query'],
    documentation:
      'Deprecated form of `set_table_customization`, with `custom_root_fields` and `custom_column_names` only.',
    // The parts of the configuration are beside the table.
    arguments: argument(
      object({ ...tableArguments, custom_root_fields: optional(json), custom_column_names: optional(json) }),
      ({ table, source, ...parts }, fail) => {
        // Names and texts: none of them depends on the vocabulary.
        const { value, problems } = validate(tableConfiguration, parts, CANONICAL);
        for (const { message, path } of problems) fail(message, [...path]);
        return { table, source, configuration: value ?? { column_config: {}, custom_root_fields: {} } };
      },
    ),
    change: (entry, { configuration }) => ({ ...entry, configuration }),
  }),
  tableSetting({
    name: 'set_table_is_enum',
    endpoints: METADATA_AND_LEGACY,
    documentation:
      'Makes a table an enum table, whose rows become the values of a GraphQL enum, or an ordinary one again.',
    arguments: object({ ...tableArguments, is_enum: boolean }),
    change: (entry, { is_enum }) => ({ ...entry, is_enum }),
  }),
  tableSetting({
    name: 'set_apollo_federation_config',
    endpoints: METADATA,
    documentation: 'Makes a table part of a federated graph; without `apollo_federation_config` no longer.',
    arguments: object({
      ...tableArguments,
      apollo_federation_config: optional(object({ enable: oneOf('v1') })),
    }),
    change: (entry, { apollo_federation_config }) => ({
      ...without(entry, 'apollo_federation_config'),
      ...optionally('apollo_federation_config', apollo_federation_config),
    }),
  }),
];
