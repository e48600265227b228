/** Remote relationships of types of remote schemas. */

import { EngineError } from '../../core/errors.ts';
import { object } from '../../metadata/combinators.ts';
import { remoteRelationshipDefinition } from '../../metadata/kinds/remote-relationship.ts';
import type { RemoteRelationship } from '../../metadata/metadata.ts';
import { graphqlName, name } from '../../metadata/values.ts';
import { NO_PATH, replaceWhere } from '../edit.ts';
import { globalObject } from '../names.ts';
import { METADATA, type Operation, operation, SUCCESS } from '../operation.ts';
import type { WorkingCopy } from '../working-copy.ts';
import { changeRemoteSchema, findRemoteSchema } from './remote-schemas.ts';

interface Name {
  readonly remote_schema: string;
  readonly type_name: string;
  readonly name: string;
}

const nameFields = { remote_schema: name, type_name: graphqlName, name };

const KIND = 'remote_schema_remote_relationship';

function objectName({ remote_schema, type_name, name }: Name): string {
  return `remote_relationship ${name} on type ${type_name} in remote schema ${remote_schema}`;
}

function write(verb: 'create' | 'update', documentation: string): Operation {
  return operation({
    name: `${verb}_${KIND}`,
    spelling: 'bare',
    endpoints: METADATA,
    documentation,
    arguments: object({ ...nameFields, definition: remoteRelationshipDefinition }),
    policy: 'target',
    targets: (args) => [globalObject(KIND, objectName(args))],
    changesMetadata: true,
    run: (args, copy) => {
      const { name, definition } = args;
      const before = relationshipsOf(args, copy);
      const exists = before.some((entry) => entry.name === name);
      if (verb === 'update' && !exists) throw missing(name);
      if (verb === 'create' && exists) {
        throw new EngineError(
          'already-exists',
          `remote relationship with name "${name}" already exists on type "${args.type_name}"`,
        );
      }
      const written: RemoteRelationship = { ...NO_PATH, name, definition };
      setRelationships(
        args,
        copy,
        exists
          ? replaceWhere(
              before,
              (entry) => entry.name === name,
              () => written,
            )
          : [...before, written],
      );
      return SUCCESS;
    },
  });
}

export const createRemoteSchemaRemoteRelationship = write(
  'create',
  'Connects a type of a remote schema with a field of another one, or with a table.',
);

export const updateRemoteSchemaRemoteRelationship = write(
  'update',
  'Replaces the definition of a remote relationship of a remote schema.',
);

export const deleteRemoteSchemaRemoteRelationship = operation({
  name: `delete_${KIND}`,
  spelling: 'bare',
  endpoints: METADATA,
  documentation: 'Deletes a remote relationship of a remote schema.',
  arguments: object(nameFields),
  policy: 'target',
  changesMetadata: true,
  run: (args, copy) => {
    const before = relationshipsOf(args, copy);
    const kept = before.filter(({ name }) => name !== args.name);
    if (kept.length === before.length) throw missing(args.name);
    setRelationships(args, copy, kept);
    return SUCCESS;
  },
});

function relationshipsOf(
  { remote_schema, type_name }: Name,
  copy: WorkingCopy,
): readonly RemoteRelationship[] {
  const schema = findRemoteSchema(
    copy,
    remote_schema,
    (name) => `remote schema with name "${name}" not found`,
  );
  return schema.remote_relationships.find((type) => type.type_name === type_name)?.relationships ?? [];
}

/** A type that has none left is not kept. */
function setRelationships(
  { remote_schema, type_name }: Name,
  copy: WorkingCopy,
  relationships: readonly RemoteRelationship[],
): void {
  changeRemoteSchema(copy, remote_schema, (schema) => {
    const others = schema.remote_relationships.filter((type) => type.type_name !== type_name);
    const added = relationships.length === 0 ? [] : [{ ...NO_PATH, type_name, relationships }];
    return { ...schema, remote_relationships: [...others, ...added] };
  });
}

function missing(name: string): EngineError {
  return new EngineError('not-exists', `"${name}" does not exist`);
}
