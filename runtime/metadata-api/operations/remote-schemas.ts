import { GraphQLError, parse } from 'graphql';
import { EngineError } from '../../core/errors.ts';
import { ADMIN_ROLE } from '../../core/session.ts';
import { argument, choose, object, optional } from '../../metadata/combinators.ts';
import { isObject } from '../../metadata/json.ts';
import { type RemoteSchemaHead, remoteSchemaHead } from '../../metadata/kinds/remote-schema.ts';
import type { RemoteSchema } from '../../metadata/metadata.ts';
import { json, name, text } from '../../metadata/values.ts';
import { refuseDependents } from '../dependents.ts';
import { NO_PATH, optionally, replaceWhere } from '../edit.ts';
import { globalObject } from '../names.ts';
import { warnNotServed } from '../not-served.ts';
import { METADATA_AND_LEGACY, operation, SUCCESS } from '../operation.ts';
import type { WorkingCopy } from '../working-copy.ts';

/** The definition has not exactly one address, which is no error of the arguments' shape. */
interface Refused {
  readonly refusal: string;
}

const headArguments = choose<RemoteSchemaHead | Refused>((input) => {
  const definition = isObject(input) ? input.definition : undefined;
  if (!isObject(definition)) return remoteSchemaHead;
  const given = [definition.url, definition.url_from_env].filter((url) => url !== undefined && url !== null);
  if (given.length === 1) return remoteSchemaHead;
  const refusal =
    given.length === 0
      ? 'must provide one of "url" or "url_from_env"'
      : 'only one of "url" or "url_from_env" should be given';
  return argument(json, () => ({ refusal }));
});

export const addRemoteSchema = operation({
  name: 'add_remote_schema',
  spelling: 'bare',
  endpoints: METADATA_AND_LEGACY,
  documentation: "Adds another GraphQL service's schema.",
  arguments: headArguments,
  policy: 'target',
  targets: (head) => ('refusal' in head ? [] : [globalObject('remote_schema', head.name)]),
  changesMetadata: true,
  run: (head, copy) => {
    if ('refusal' in head) throw new EngineError('invalid-params', head.refusal);
    const { name } = head;
    if (copy.metadata.remote_schemas.some((schema) => schema.name === name)) {
      throw new EngineError('already-exists', `remote schema with name "${name}" already exists`);
    }
    const added = { ...NO_PATH, ...head, permissions: [], remote_relationships: [] };
    copy.metadata = { ...copy.metadata, remote_schemas: [...copy.metadata.remote_schemas, added] };
    warnNotServed(copy, 'remote_schema', name, 'Remote schemas');
    return SUCCESS;
  },
});

export const updateRemoteSchema = operation({
  name: 'update_remote_schema',
  spelling: 'bare',
  endpoints: METADATA_AND_LEGACY,
  documentation: 'Replaces the definition of a remote schema; permissions and relationships stay.',
  arguments: headArguments,
  policy: 'target',
  targets: (head) => ('refusal' in head ? [] : [globalObject('remote_schema', head.name)]),
  changesMetadata: true,
  run: (head, copy) => {
    if ('refusal' in head) throw new EngineError('invalid-params', head.refusal);
    const { permissions, remote_relationships } = findRemoteSchema(
      copy,
      head.name,
      (name) => `remote schema with name "${name}" doesn't exist`,
    );
    changeRemoteSchema(copy, head.name, () => ({ ...NO_PATH, ...head, permissions, remote_relationships }));
    warnNotServed(copy, 'remote_schema', head.name, 'Remote schemas');
    return SUCCESS;
  },
});

export const removeRemoteSchema = operation({
  name: 'remove_remote_schema',
  spelling: 'bare',
  endpoints: METADATA_AND_LEGACY,
  documentation:
    'Removes a remote schema with its permissions. Remote relationships that use it are refused.',
  arguments: object({ name }),
  policy: 'others',
  changesMetadata: true,
  run: ({ name }, copy) => {
    findRemoteSchema(copy, name, () => 'no such remote schema');
    refuseDependents(copy, { kind: 'remote_schema', name }, false);
    copy.metadata = {
      ...copy.metadata,
      remote_schemas: copy.metadata.remote_schemas.filter((schema) => schema.name !== name),
    };
    return SUCCESS;
  },
});

export const reloadRemoteSchema = operation({
  name: 'reload_remote_schema',
  spelling: 'bare',
  endpoints: METADATA_AND_LEGACY,
  documentation: 'Reads the schema of a remote schema again.',
  arguments: object({ name }),
  policy: 'others',
  changesMetadata: true,
  run: ({ name }, copy) => {
    findRemoteSchema(copy, name, () => 'no such remote schema');
    warnNotServed(copy, 'remote_schema', name, 'Remote schemas');
    return SUCCESS;
  },
});

const sdl = argument(text, (schema, fail) => {
  try {
    parse(schema);
  } catch (error) {
    if (!(error instanceof GraphQLError)) throw error;
    fail(error.message);
  }
  return schema;
});

export const addRemoteSchemaPermissions = operation({
  name: 'add_remote_schema_permissions',
  spelling: 'bare',
  endpoints: METADATA_AND_LEGACY,
  documentation: 'Shows a role part of a remote schema, given as SDL.',
  arguments: object({
    remote_schema: name,
    role: name,
    definition: object({ schema: sdl }),
    comment: optional(text),
  }),
  policy: 'target',
  targets: ({ remote_schema, role }) => [
    globalObject('remote_schema_permission', `${role} permission in remote schema ${remote_schema}`),
  ],
  changesMetadata: true,
  run: ({ remote_schema, role, definition, comment }, copy) => {
    if (!copy.services.options.remoteSchemaPermissions) {
      throw new EngineError(
        'constraint-violation',
        'remote schema permissions can only be added when remote schema permissions are enabled in the engine',
      );
    }
    const schema = findRemoteSchema(copy, remote_schema, (name) => `remote schema "${name}" doesn't exist`);
    if (role === ADMIN_ROLE) {
      throw new EngineError('constraint-violation', 'cannot define permission for admin role');
    }
    if (schema.permissions.some((permission) => permission.role === role)) {
      throw new EngineError(
        'already-exists',
        `permissions for role: "${role}" for remote schema:"${remote_schema}" already exists`,
      );
    }
    // The newest is exported first.
    const added = { ...NO_PATH, role, definition, ...optionally('comment', comment) };
    changeRemoteSchema(copy, remote_schema, (found) => ({
      ...found,
      permissions: [added, ...found.permissions],
    }));
    warnNotServed(
      copy,
      'remote_schema_permission',
      `${role} in ${remote_schema}`,
      'Permissions of remote schemas',
    );
    return SUCCESS;
  },
});

export const dropRemoteSchemaPermissions = operation({
  name: 'drop_remote_schema_permissions',
  spelling: 'bare',
  endpoints: METADATA_AND_LEGACY,
  documentation: "Takes a role's permission on a remote schema (`remote_schema`, or `table`) away.",
  arguments: argument(
    object({ remote_schema: optional(name), table: optional(name), role: name }),
    ({ remote_schema, table, role }, fail) => {
      const given = remote_schema ?? table;
      if (given === undefined) fail('key "remote_schema" not found');
      return { remote_schema: given ?? '', role };
    },
  ),
  policy: 'target',
  changesMetadata: true,
  run: ({ remote_schema, role }, copy) => {
    const schema = findRemoteSchema(copy, remote_schema, (name) => `remote schema "${name}" doesn't exist`);
    if (!schema.permissions.some((permission) => permission.role === role)) {
      throw new EngineError(
        'not-exists',
        `permissions for role: "${role}" for remote schema:"${remote_schema}" doesn't exist`,
      );
    }
    changeRemoteSchema(copy, remote_schema, (found) => ({
      ...found,
      permissions: found.permissions.filter((permission) => permission.role !== role),
    }));
    return SUCCESS;
  },
});

/** The remote schema; throws `not-exists`, worded by the operation. */
export function findRemoteSchema(
  copy: WorkingCopy,
  name: string,
  describe: (name: string) => string,
): RemoteSchema {
  const found = copy.metadata.remote_schemas.find((schema) => schema.name === name);
  if (found === undefined) throw new EngineError('not-exists', describe(name));
  return found;
}

export function changeRemoteSchema(
  copy: WorkingCopy,
  name: string,
  change: (schema: RemoteSchema) => RemoteSchema,
): void {
  const remote_schemas = replaceWhere(copy.metadata.remote_schemas, (schema) => schema.name === name, change);
  copy.metadata = { ...copy.metadata, remote_schemas };
}
