import { buildASTSchema, GraphQLError, introspectionFromSchema, parse } from 'graphql';
import { EngineError } from '../../core/errors.ts';
import { ADMIN_ROLE } from '../../core/session.ts';
import { argument, choose, object, optional } from '../../metadata/combinators.ts';
import { isObject } from '../../metadata/json.ts';
import { type RemoteSchemaHead, remoteSchemaHead } from '../../metadata/kinds/remote-schema.ts';
import type { JsonObject, RemoteSchema } from '../../metadata/metadata.ts';
import { json, name, text } from '../../metadata/values.ts';
import { refuseDependents } from '../dependents.ts';
import { NO_PATH, optionally, replaceWhere } from '../edit.ts';
import { globalObject, type ObjectIdentity } from '../names.ts';
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
  run: async (head, copy) => {
    if ('refusal' in head) throw new EngineError('invalid-params', head.refusal);
    const { name } = head;
    if (copy.metadata.remote_schemas.some((schema) => schema.name === name)) {
      throw new EngineError('already-exists', `remote schema with name "${name}" already exists`);
    }
    const added = { ...NO_PATH, ...head, permissions: [], remote_relationships: [] };
    await copy.readRemote(added);
    copy.metadata = { ...copy.metadata, remote_schemas: [...copy.metadata.remote_schemas, added] };
    await requireValid(copy, name, '');
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
  run: async (head, copy) => {
    if ('refusal' in head) throw new EngineError('invalid-params', head.refusal);
    const { definition, permissions, remote_relationships } = findRemoteSchema(
      copy,
      head.name,
      (name) => `remote schema with name "${name}" doesn't exist`,
    );
    const changed = { ...NO_PATH, ...head, permissions, remote_relationships };
    // Only another address is another server.
    if (JSON.stringify(definition.url) !== JSON.stringify(head.definition.url))
      await copy.readRemote(changed);
    changeRemoteSchema(copy, head.name, () => changed);
    await requireValid(copy, head.name, INCONSISTENT);
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
  run: async ({ name }, copy) => {
    const missing = (wanted: string) => `remote schema with name "${wanted}" does not exist`;
    await copy.readRemote(findRemoteSchema(copy, name, missing));
    return SUCCESS;
  },
});

function permissionObject({
  remote_schema,
  role,
}: {
  readonly remote_schema: string;
  readonly role: string;
}): [ObjectIdentity] {
  return [globalObject('remote_schema_permission', `${role} permission in remote schema ${remote_schema}`)];
}

export const introspectRemoteSchema = operation({
  name: 'introspect_remote_schema',
  spelling: 'bare',
  endpoints: METADATA_AND_LEGACY,
  documentation: 'What a remote schema offers, in the form of an introspection, as it was read last.',
  arguments: object({ name }),
  changesMetadata: false,
  run: ({ name }, copy) => {
    findRemoteSchema(copy, name, () => `remote schema: "${name}" not found`);
    const remote = copy.remotes[name];
    if (!remote || 'error' in remote)
      throw new EngineError('remote-schema-error', remote?.error ?? 'the remote schema was not read');
    const schema = buildASTSchema(parse(remote.sdl), { assumeValid: true });
    return { data: introspectionFromSchema(schema) as unknown as JsonObject };
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
  targets: permissionObject,
  changesMetadata: true,
  run: async ({ remote_schema, role, definition, comment }, copy) => {
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
    await copy.check();
    const [target] = permissionObject({ remote_schema, role });
    const problem = copy.inconsistent.find(({ name }) => name === target.name);
    if (problem) throw new EngineError('validation-failed', withoutContext(problem.reason));
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

/** The part of a reason that says what is wrong with the permission itself. */
function withoutContext(reason: string): string {
  return reason.slice(Math.max(0, reason.indexOf('validation for the given role-based schema')));
}

const INCONSISTENT = 'Inconsistent object: ';

/** Refuses a schema that breaks the rules of GraphQL; clashes with others are judged as those of any object. */
async function requireValid(copy: WorkingCopy, name: string, prefix: string): Promise<void> {
  await copy.check();
  const { name: wanted } = globalObject('remote_schema', name);
  const problem = copy.inconsistent.find((object) => object.name === wanted);
  if (!problem || /: (?:Duplicate remote field|Found conflicting definitions)/.test(problem.reason)) return;
  const reason = problem.reason.replace(INCONSISTENT, prefix);
  const code = reason.includes('reserved field name') ? 'invalid-params' : 'remote-schema-error';
  throw new EngineError(code, reason);
}

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
