import { buildASTSchema, GraphQLError, introspectionFromSchema } from 'graphql';
import { EngineError } from '../../core/errors.ts';
import { parseGraphql } from '../../core/graphql-text.ts';
import { isObject } from '../../core/json/json.ts';
import { graphqlProblem } from '../../core/reasons.ts';
import { ADMIN_ROLE } from '../../core/session.ts';
import { argument, choose, object, optional } from '../../metadata/combinators.ts';
import { type RemoteSchemaHead, remoteSchemaHead } from '../../metadata/kinds/remote-schema.ts';
import { lookalikesIn, presetsOf } from '../../metadata/lookalikes.ts';
import type { JsonObject, RemoteSchema } from '../../metadata/metadata.ts';
import { json, name, text } from '../../metadata/values.ts';
import { refuseDependents } from '../change/dependents.ts';
import { NO_PATH } from '../change/edit.ts';
import type { WorkingCopy } from '../change/working-copy.ts';
import { innerList, listOperations, serviceList } from '../request/list-operations.ts';
import { globalObject } from '../request/names.ts';
import { METADATA_AND_LEGACY, type MetadataOperation, operation, SUCCESS } from '../request/operation.ts';

const common = { spelling: 'bare', endpoints: METADATA_AND_LEGACY } as const;

export const remoteSchemaList = serviceList('remote_schemas', 'name');

const { create, change, drop } = listOperations(remoteSchemaList, common, (schema) => [
  globalObject('remote_schema', schema),
]);

const permissionObject = (role: string, schema: string) =>
  globalObject('remote_schema_permission', `${role} permission in remote schema ${schema}`);

const permissions = listOperations(
  innerList(
    remoteSchemaList,
    'remote_schema',
    (schema) => new EngineError('not-exists', `remote schema "${schema}" doesn't exist`),
    {
      key: 'role',
      newestFirst: true,
      read: (schema) => schema.permissions,
      write: (schema, permissions) => ({ ...schema, permissions }),
    },
  ),
  { ...common, policy: 'target' },
  (role, { remote_schema }) => [permissionObject(role, remote_schema)],
);

/** `refusal`: the definition has no address or two. The error is raised by the operation, because its code is not parse-failed. */
interface HeadArguments extends RemoteSchemaHead {
  readonly refusal?: string;
}

const headArguments = choose<HeadArguments>((input) => {
  const definition = isObject(input) ? input.definition : undefined;
  if (!isObject(definition)) return remoteSchemaHead;
  const given = [definition.url, definition.url_from_env].filter((url) => url !== undefined && url !== null);
  if (given.length === 1) return remoteSchemaHead;
  const refusal =
    given.length === 0
      ? "both `url` and `url_from_env` can't be empty"
      : "both `url` and `url_from_env` can't be present";
  return argument(json, () => ({ refusal }) as HeadArguments);
});

function refuseHead({ refusal, definition }: HeadArguments): void {
  if (refusal !== undefined) throw new EngineError('invalid-params', refusal);
  const { root_fields_namespace, type_names, field_names = [] } = definition.customization ?? {};
  const given = [type_names, ...field_names].flatMap((names) => [
    names?.prefix,
    ...Object.values(names?.mapping ?? {}),
  ]);
  const reserved = [root_fields_namespace, ...given].find((name) => name?.startsWith('__'));
  if (reserved !== undefined)
    throw new EngineError(
      'invalid-params',
      `names that start with "__" are reserved: ${JSON.stringify(reserved)}`,
    );
}

const sdl = argument(text, (schema, fail) => {
  try {
    parseGraphql(schema);
  } catch (error) {
    if (!(error instanceof GraphQLError)) throw error;
    fail(`the schema is not GraphQL: ${graphqlProblem(error)}`);
  }
  return schema;
});

export const remoteSchemaOperations: readonly MetadataOperation[] = [
  create({
    name: 'add_remote_schema',
    documentation: "Adds another GraphQL service's schema.",
    arguments: headArguments,
    before: refuseHead,
    taken: ({ name }) =>
      new EngineError('already-exists', `remote schema with name "${name}" already exists`),
    entry: newRemoteSchema,
    after: (head, copy) => copy.readRemote(newRemoteSchema(head)),
    accept: ({ name }, copy) => requireValid(copy, name, ''),
  }),
  change({
    name: 'update_remote_schema',
    documentation: 'Replaces the definition of a remote schema; permissions and relationships stay.',
    arguments: headArguments,
    before: refuseHead,
    missing: ({ name }) => new EngineError('not-exists', `remote schema with name "${name}" doesn't exist`),
    after: async (head, copy) => {
      const { definition } = findRemoteSchema(copy, head.name, '');
      // Only another address is another server.
      if (JSON.stringify(definition.url) !== JSON.stringify(head.definition.url))
        await copy.readRemote(newRemoteSchema(head));
    },
    change: ({ permissions, remote_relationships }, head) => ({
      ...NO_PATH,
      ...head,
      permissions,
      remote_relationships,
    }),
    accept: ({ name }, copy) => requireValid(copy, name, INCONSISTENT),
  }),
  drop({
    name: 'remove_remote_schema',
    documentation:
      'Removes a remote schema with its permissions. Remote relationships that use it are refused.',
    arguments: object({ name }),
    missing: () => new EngineError('not-exists', 'no such remote schema'),
    after: ({ name }, copy) => refuseDependents(copy, { kind: 'remote_schema', name }, false),
  }),
  operation({
    ...common,
    name: 'reload_remote_schema',
    documentation: 'Reads the schema of a remote schema again.',
    arguments: object({ name }),
    policy: 'others',
    changesMetadata: true,
    run: async ({ name }, copy) => {
      await copy.readRemote(findRemoteSchema(copy, name, `remote schema with name "${name}" does not exist`));
      return SUCCESS;
    },
  }),
  operation({
    ...common,
    name: 'introspect_remote_schema',
    documentation: 'What a remote schema offers, in the form of an introspection, as it was read last.',
    arguments: object({ name }),
    changesMetadata: false,
    run: ({ name }, copy) => {
      findRemoteSchema(copy, name, `remote schema: "${name}" not found`);
      const remote = copy.remotes[name];
      if (!remote || 'error' in remote)
        throw new EngineError('remote-schema-error', remote?.error ?? 'the remote schema was not read');
      const schema = buildASTSchema(parseGraphql(remote.sdl), { assumeValid: true });
      return { data: introspectionFromSchema(schema) as unknown as JsonObject };
    },
  }),
  permissions.create({
    name: 'add_remote_schema_permissions',
    documentation: 'Shows a role part of a remote schema, given as SDL.',
    arguments: object({
      remote_schema: name,
      role: name,
      definition: object({ schema: sdl }),
      comment: optional(text),
    }),
    before: (_, copy) => {
      if (copy.services.options.remoteSchemaPermissions) return;
      throw new EngineError(
        'constraint-violation',
        'remote schema permissions can only be added when remote schema permissions are enabled in the engine',
      );
    },
    taken: ({ remote_schema, role }) =>
      new EngineError(
        'already-exists',
        `permissions for role: "${role}" for remote schema:"${remote_schema}" already exists`,
      ),
    after: ({ remote_schema, role, definition }, copy) => {
      if (role === ADMIN_ROLE)
        throw new EngineError('constraint-violation', 'cannot define permission for admin role');
      const { type, name } = permissionObject(role, remote_schema);
      for (const { code, message } of lookalikesIn(
        presetsOf({ path: [], definition }),
        copy.services.options.vocabulary,
      ))
        copy.warn({ code, message, type, name });
    },
    accept: async ({ remote_schema, role }, copy) => {
      await copy.check();
      const { name } = permissionObject(role, remote_schema);
      const problem = copy.inconsistent.find((object) => object.name === name);
      if (!problem) return;
      const reason = withoutContext(problem.reason);
      throw NO_ROOT.test(reason)
        ? new EngineError('unexpected', '"Query" has to be an object type', { status: 400 })
        : new EngineError('validation-failed', reason);
    },
  }),
  permissions.drop({
    name: 'drop_remote_schema_permissions',
    documentation: "Takes a role's permission on a remote schema (`remote_schema`, or `table`) away.",
    arguments: argument(
      object({ remote_schema: optional(name), table: optional(name), role: name }),
      ({ remote_schema, table, role }, fail) => {
        const given = remote_schema ?? table;
        if (given === undefined) fail('key "remote_schema" not found');
        return { remote_schema: given ?? '', role };
      },
    ),
    missing: ({ remote_schema, role }) =>
      new EngineError(
        'not-exists',
        `permissions for role: "${role}" for remote schema:"${remote_schema}" doesn't exist`,
      ),
  }),
];

function newRemoteSchema(head: RemoteSchemaHead): RemoteSchema {
  return { ...NO_PATH, ...head, permissions: [], remote_relationships: [] };
}

/** The part of a reason that says what is wrong with the permission itself. */
function withoutContext(reason: string): string {
  return reason.slice(Math.max(0, reason.indexOf('validation for the given role-based schema')));
}

/** Without root types nothing else can be checked, so this is an error of its own. */
const NO_ROOT = /(?:because|•) "Query" has to be an object type/;

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

/** The remote schema; throws `not-exists` with the operation's message. */
function findRemoteSchema(copy: WorkingCopy, name: string, message: string): RemoteSchema {
  const found = copy.metadata.remote_schemas.find((schema) => schema.name === name);
  if (found === undefined) throw new EngineError('not-exists', message);
  return found;
}
