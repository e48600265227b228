import { EngineError } from '../../core/errors.ts';
import { isObject } from '../../core/json/json.ts';
import { defaultBaseName, isGraphqlName, quotedName, tableBaseName } from '../../core/names.ts';
import { argument, choose, object, optional, withDefault } from '../../metadata/combinators.ts';
import { qualifiedName } from '../../metadata/kinds/shared.ts';
import { apolloFederation, tableConfiguration } from '../../metadata/kinds/table.ts';
import type { QualifiedName, Source, TableConfiguration, TableEntry } from '../../metadata/metadata.ts';
import { boolean, name } from '../../metadata/values.ts';
import {
  newTableEntry,
  optionally,
  trackedFunctionEntry,
  trackedTableEntry,
  withSource,
} from '../change/edit.ts';
import type { WorkingCopy } from '../change/working-copy.ts';
import { sourceArgument } from '../request/arguments.ts';
import { tableObject } from '../request/names.ts';
import { METADATA_AND_LEGACY, operation, SUCCESS } from '../request/operation.ts';

export interface TrackTableArguments {
  readonly table: QualifiedName;
  readonly source: string;
  readonly configuration?: TableConfiguration;
  readonly is_enum: boolean;
  readonly apollo_federation_config?: { readonly enable: 'v1' };
}

export const trackTableArguments = choose<TrackTableArguments>((input) =>
  isObject(input) && 'table' in input
    ? object({
        table: qualifiedName,
        source: sourceArgument,
        configuration: optional(tableConfiguration),
        is_enum: withDefault(boolean, false),
        apollo_federation_config: apolloFederation,
      })
    : bareTable,
);

/** `"author"`, `{schema, name}`, or with `is_enum` beside the name, as the legacy API has it. */
const bareTable = choose<TrackTableArguments>((input) => {
  if (!isObject(input))
    return argument(qualifiedName, (table) => ({ table, source: 'default', is_enum: false }));
  return argument(
    object({ name, schema: withDefault(name, 'public'), is_enum: withDefault(boolean, false) }),
    ({ name, schema, is_enum }) => ({ table: { schema, name }, source: 'default', is_enum }),
  );
});

export default operation({
  name: 'track_table',
  spelling: 'prefixed',
  endpoints: METADATA_AND_LEGACY,
  documentation:
    'Makes a table or view part of the API, with customization if given. A name that GraphQL does not allow gets a ' +
    '`custom_name`: `order items` becomes `order_items`.',
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
  if (trackedTableEntry(copy.metadata, source, table) !== undefined) {
    throw new EngineError('already-tracked', `view/table already tracked: ${quotedName(table)}`);
  }
  if (trackedFunctionEntry(copy.metadata, source, table) !== undefined) {
    throw new EngineError('not-supported', `function with name ${quotedName(table)} already exists`);
  }
  const entry = newTableEntry({
    table,
    is_enum,
    ...optionally('configuration', configuration),
    ...optionally('apollo_federation_config', apollo_federation_config),
  });
  copy.metadata = withSource(copy.metadata, source, (owner) => ({
    ...owner,
    tables: [...owner.tables, withAllowedName(entry, owner)],
  }));
}

/** A table whose name GraphQL does not allow gets a custom name that no other table or function of the source has. */
function withAllowedName(entry: TableEntry, { tables, functions }: Source): TableEntry {
  const { table, configuration } = entry;
  if (configuration.custom_name !== undefined || isGraphqlName(defaultBaseName(table.schema, table.name)))
    return entry;
  const taken = new Set([
    ...tables.map(
      (other) => other.configuration.custom_name ?? tableBaseName(other.table.schema, other.table.name),
    ),
    ...functions.map(
      (other) =>
        other.configuration.custom_name ?? defaultBaseName(other.function.schema, other.function.name),
    ),
  ]);
  const base = tableBaseName(table.schema, table.name);
  let name = base;
  for (let number = 2; taken.has(name); number += 1) name = `${base}_${number}`;
  return { ...entry, configuration: { ...configuration, custom_name: name } };
}
