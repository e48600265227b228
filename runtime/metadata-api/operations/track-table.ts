import { EngineError } from '../../core/errors.ts';
import type { QualifiedName, TableConfiguration } from '../../metadata/metadata.ts';
import {
  choose,
  flag,
  isObject,
  nameSchema,
  object,
  oneOf,
  optional,
  qualifiedNameSchema,
  withDefault,
} from '../../metadata/schemas/shared.ts';
import { tableConfigurationSchema } from '../../metadata/schemas/table.ts';
import { sourceArgument } from '../arguments.ts';
import { newTableEntry, optionally, trackedFunction, trackedTable, withSource } from '../edit.ts';
import { quoted, tableObject } from '../names.ts';
import { METADATA_AND_LEGACY, operation, SUCCESS } from '../operation.ts';
import type { WorkingCopy } from '../working-copy.ts';

export interface TrackTableArguments {
  readonly table: QualifiedName;
  readonly source: string;
  readonly configuration?: TableConfiguration;
  readonly is_enum: boolean;
  readonly apollo_federation_config?: { readonly enable: 'v1' };
}

export const trackTableArguments = choose<TrackTableArguments>((input) =>
  isObject(input) && 'table' in input
    ? object<TrackTableArguments>({
        table: qualifiedNameSchema,
        source: sourceArgument,
        configuration: optional(tableConfigurationSchema),
        is_enum: flag,
        apollo_federation_config: optional(object<{ enable: 'v1' }>({ enable: oneOf('v1') })),
      })
    : bareTable,
);

/** `"author"`, `{schema, name}`, or with `is_enum` beside the name, as the legacy API has it. */
const bareTable = choose<TrackTableArguments>((input) => {
  if (!isObject(input))
    return qualifiedNameSchema.transform((table) => ({ table, source: 'default', is_enum: false }));
  return object<QualifiedName & { is_enum: boolean }>({
    name: nameSchema,
    schema: withDefault(nameSchema, 'public'),
    is_enum: flag,
  }).transform(({ name, schema, is_enum }) => ({ table: { schema, name }, source: 'default', is_enum }));
});

export default operation<TrackTableArguments>({
  name: 'track_table',
  spelling: 'prefixed',
  endpoints: METADATA_AND_LEGACY,
  documentation: 'Makes a table or view part of the API, with customization if given.',
  arguments: trackTableArguments,
  policy: 'target',
  targets: ({ source, table }) => [tableObject(source, table)],
  changesMetadata: true,
  run: (args, copy) => {
    trackTable(args, copy);
    return SUCCESS;
  },
});

/** Adds the table to the metadata; throws if it is there, or a function of its name. */
export function trackTable(args: TrackTableArguments, copy: WorkingCopy): void {
  const { source, table, is_enum, configuration, apollo_federation_config } = args;
  if (trackedTable(copy.metadata, source, table) !== undefined) {
    throw new EngineError('already-tracked', `view/table already tracked: ${quoted(table)}`);
  }
  if (trackedFunction(copy.metadata, source, table) !== undefined) {
    throw new EngineError('not-supported', `function with name ${quoted(table)} already exists`);
  }
  const entry = newTableEntry({
    table,
    is_enum,
    ...optionally('configuration', configuration),
    ...optionally('apollo_federation_config', apollo_federation_config),
  });
  copy.metadata = withSource(copy.metadata, source, (owner) => ({
    ...owner,
    tables: [...owner.tables, entry],
  }));
}
