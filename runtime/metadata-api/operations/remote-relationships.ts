import { EngineError } from '../../core/errors.ts';
import { type Codec, INVALID, type TypeOf } from '../../metadata/codec.ts';
import { object } from '../../metadata/combinators.ts';
import { isObject } from '../../metadata/json.ts';
import { remoteRelationshipDefinition } from '../../metadata/kinds/remote-relationship.ts';
import type { RemoteRelationship, RemoteRelationshipDefinition } from '../../metadata/metadata.ts';
import { json, name } from '../../metadata/values.ts';
import { tableArguments } from '../arguments.ts';
import { findTable, NO_PATH, replaceWhere, withTable } from '../edit.ts';
import { quoted, tablePart } from '../names.ts';
import { METADATA_AND_LEGACY, type Operation, operation, SUCCESS } from '../operation.ts';
import { fieldNames } from '../table-fields.ts';

type NameArguments = TypeOf<typeof nameArguments>;

interface Arguments extends NameArguments {
  readonly definition: RemoteRelationshipDefinition;
}

const nameArguments = object({ ...tableArguments, name });

/** The definition under its key, or flat beside the name. */
const relationshipArguments: Codec<Arguments> = {
  ...(json as unknown as Codec<Arguments>),
  read(input, reading) {
    const { table, source, name: given, definition, ...flat } = isObject(input) ? input : {};
    const head = nameArguments.read(isObject(input) ? { table, source, name: given } : input, reading);
    if (definition !== undefined && Object.keys(flat).length > 0) {
      return reading.problem('expecting either "definition" or the flat form, not both');
    }
    const form =
      definition === undefined
        ? remoteRelationshipDefinition.read(flat, reading)
        : reading.inside('definition', remoteRelationshipDefinition, definition);
    return head === INVALID || form === INVALID ? INVALID : { ...head, definition: form };
  },
};

const target = ({ source, table, name }: NameArguments) => [
  tablePart('remote_relationship', name, source, table),
];

function writeRemoteRelationship(verb: 'create' | 'update', documentation: string): Operation {
  return operation({
    name: `${verb}_remote_relationship`,
    spelling: 'either',
    endpoints: METADATA_AND_LEGACY,
    documentation,
    arguments: relationshipArguments,
    policy: 'target',
    targets: target,
    changesMetadata: true,
    run: ({ source, table, name, definition }, copy) => {
      const entry = findTable(copy.metadata, source, table);
      if (verb === 'update') requireRemoteRelationship(entry.remote_relationships, name);
      else if (fieldNames(entry).has(name)) {
        throw new EngineError(
          'already-exists',
          `field with name "${name}" already exists in table ${quoted(table)}`,
        );
      }
      const written: RemoteRelationship = { ...NO_PATH, name, definition };
      copy.metadata = withTable(copy.metadata, source, table, (found) => ({
        ...found,
        remote_relationships:
          verb === 'create'
            ? [...found.remote_relationships, written]
            : replaceWhere(
                found.remote_relationships,
                (candidate) => candidate.name === name,
                () => written,
              ),
      }));
      return SUCCESS;
    },
  });
}

export const createRemoteRelationship = writeRemoteRelationship(
  'create',
  'Connects rows of a table with a field of a remote schema, or with a table of another source.',
);

export const updateRemoteRelationship = writeRemoteRelationship(
  'update',
  'Replaces the definition of a remote relationship.',
);

export const deleteRemoteRelationship = operation({
  name: 'delete_remote_relationship',
  spelling: 'either',
  endpoints: METADATA_AND_LEGACY,
  documentation: 'Deletes a remote relationship.',
  arguments: nameArguments,
  policy: 'target',
  changesMetadata: true,
  run: ({ source, table, name }, copy) => {
    requireRemoteRelationship(findTable(copy.metadata, source, table).remote_relationships, name);
    copy.metadata = withTable(copy.metadata, source, table, (entry) => ({
      ...entry,
      remote_relationships: entry.remote_relationships.filter((candidate) => candidate.name !== name),
    }));
    return SUCCESS;
  },
});

function requireRemoteRelationship(list: readonly RemoteRelationship[], name: string): void {
  if (list.some((entry) => entry.name === name)) return;
  throw new EngineError('not-exists', `"${name}" does not exist`);
}
