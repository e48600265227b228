import { EngineError } from '../../core/errors.ts';
import { isObject } from '../../core/json/json.ts';
import { quotedName } from '../../core/names.ts';
import { type Codec, INVALID, type TypeOf } from '../../metadata/codec.ts';
import { object } from '../../metadata/combinators.ts';
import { remoteRelationshipDefinition } from '../../metadata/kinds/remote-relationship.ts';
import type { RemoteRelationshipDefinition } from '../../metadata/metadata.ts';
import { json, name } from '../../metadata/values.ts';
import { findTable, NO_PATH } from '../change/edit.ts';
import { fieldNames } from '../change/table-fields.ts';
import { tableArguments } from '../request/arguments.ts';
import { listOperations, tableList } from '../request/list-operations.ts';
import { tablePart } from '../request/names.ts';
import { METADATA_AND_LEGACY, type MetadataOperation } from '../request/operation.ts';

type NameArguments = TypeOf<typeof nameArguments>;

interface Arguments extends NameArguments {
  readonly definition: RemoteRelationshipDefinition;
}

const nameArguments = object({ ...tableArguments, name });

/** The definition under its key, or flat beside the name. */
const relationshipArguments = (operation: string): Codec<Arguments> => ({
  ...(json as unknown as Codec<Arguments>),
  read(input, reading) {
    const { table, source, name: given, definition, ...flat } = isObject(input) ? input : {};
    const head = nameArguments.read(isObject(input) ? { table, source, name: given } : input, reading);
    const isFlat = definition === undefined;
    if (isFlat ? flat.remote_schema === undefined : Object.keys(flat).length > 0)
      return reading.problem(`${operation} expects exactly one of: remote_schema, definition`);
    const form = isFlat
      ? remoteRelationshipDefinition.read(flat, reading)
      : reading.inside('definition', remoteRelationshipDefinition, definition);
    return head === INVALID || form === INVALID ? INVALID : { ...head, definition: form };
  },
});

const { create, change, drop } = listOperations(
  tableList('remote_relationships', 'name'),
  { spelling: 'either', endpoints: METADATA_AND_LEGACY, policy: 'target' },
  (relationship, { source, table }) => [tablePart('remote_relationship', relationship, source, table)],
);

const missing = (args: NameArguments) => new EngineError('not-exists', `"${args.name}" does not exist`);

export const remoteRelationshipOperations: readonly MetadataOperation[] = [
  create({
    name: 'create_remote_relationship',
    documentation:
      'Connects rows of a table with a field of a remote schema, or with a table of another source.',
    arguments: relationshipArguments('create_remote_relationship'),
    before: ({ source, table, name }, copy) => {
      if (!fieldNames(findTable(copy.metadata, source, table)).has(name)) return;
      throw new EngineError(
        'already-exists',
        `field with name "${name}" already exists in table ${quotedName(table)}`,
      );
    },
  }),
  change({
    name: 'update_remote_relationship',
    documentation: 'Replaces the definition of a remote relationship.',
    arguments: relationshipArguments('update_remote_relationship'),
    missing,
    change: (_, { name, definition }) => ({ ...NO_PATH, name, definition }),
  }),
  drop({
    name: 'delete_remote_relationship',
    documentation: 'Deletes a remote relationship.',
    arguments: nameArguments,
    missing,
  }),
];
