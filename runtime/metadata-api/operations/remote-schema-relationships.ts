/** Remote relationships of types of remote schemas. */
import { EngineError } from '../../core/errors.ts';
import { object } from '../../metadata/combinators.ts';
import { remoteRelationshipDefinition } from '../../metadata/kinds/remote-relationship.ts';
import type { RemoteRelationship } from '../../metadata/metadata.ts';
import { graphqlName, name } from '../../metadata/values.ts';
import { NO_PATH } from '../change/edit.ts';
import { innerList, type KeyedList, listOperations } from '../request/list-operations.ts';
import { globalObject } from '../request/names.ts';
import { METADATA, type MetadataOperation } from '../request/operation.ts';
import { remoteSchemaList } from './remote-schemas.ts';

const KIND = 'remote_schema_remote_relationship';

interface TypePlace {
  readonly remote_schema: string;
  readonly type_name: string;
}

const types = innerList(
  remoteSchemaList,
  'remote_schema',
  (schema) => new EngineError('not-exists', `remote schema with name "${schema}" not found`),
  {
    key: 'type_name',
    read: (schema) => schema.remote_relationships,
    write: (schema, remote_relationships) => ({ ...schema, remote_relationships }),
  },
);

/** The relationships of a type. A type is listed while it has one. */
const relationships: KeyedList<TypePlace, RemoteRelationship> = {
  key: 'name',
  place: ['remote_schema', 'type_name'],
  read: (metadata, place) =>
    types.read(metadata, place).find((type) => type.type_name === place.type_name)?.relationships ?? [],
  update: (metadata, place, change) =>
    types.update(metadata, place, (listed) => {
      const { type_name } = place;
      const others = listed.filter((type) => type.type_name !== type_name);
      const changed = change(relationships.read(metadata, place));
      return changed.length === 0 ? others : [...others, { ...NO_PATH, type_name, relationships: changed }];
    }),
};

const { create, change, drop } = listOperations(
  relationships,
  { spelling: 'bare', endpoints: METADATA, policy: 'target' },
  (relationship, { remote_schema, type_name }) => [
    globalObject(
      KIND,
      `remote_relationship ${relationship} on type ${type_name} in remote schema ${remote_schema}`,
    ),
  ],
);

const nameFields = { remote_schema: name, type_name: graphqlName, name };
const writeArguments = object({ ...nameFields, definition: remoteRelationshipDefinition });

const missing = ({ remote_schema, name }: { readonly remote_schema: string; readonly name: string }) =>
  new EngineError(
    'not-exists',
    `no relationship defined on remote schema ${JSON.stringify(remote_schema)} with name ${JSON.stringify(name)}`,
  );

export const remoteSchemaRelationshipOperations: readonly MetadataOperation[] = [
  create({
    name: `create_${KIND}`,
    documentation: 'Connects a type of a remote schema with a field of another one, or with a table.',
    arguments: writeArguments,
    taken: (args) =>
      new EngineError(
        'already-exists',
        `remote relationship with name "${args.name}" already exists on type "${args.type_name}"`,
      ),
  }),
  change({
    name: `update_${KIND}`,
    documentation: 'Replaces the definition of a remote relationship of a remote schema.',
    arguments: writeArguments,
    missing,
    change: (_, { name, definition }) => ({ ...NO_PATH, name, definition }),
  }),
  drop({
    name: `delete_${KIND}`,
    documentation: 'Deletes a remote relationship of a remote schema.',
    arguments: object(nameFields),
    missing,
  }),
];
