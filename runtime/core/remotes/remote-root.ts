/** Remote schemas as one role sees them: root fields, and the types that relationships lead to. */

import { EngineError } from '../errors.ts';
import { remember } from '../remember.ts';
import type { CallResolver } from '../request/steps.ts';
import { fieldsOnDemand, type OfferedFields } from '../schema/fields-on-demand.ts';
import type { RootKind } from '../schema/offer.ts';
import type { Provider } from '../schema/provider.ts';
import type { RoleSchema } from '../schema/role-schema.ts';
import { typename } from '../schema/shared-types.ts';
import { byName, type FieldDefinition, nonNull, type ObjectType } from '../schema/types.ts';
import { ADMIN_ROLE } from '../session.ts';
import { requireMergeable } from './mergeable.ts';
import { remoteTypeRelationships } from './relationship.ts';
import type { RemoteSchemaShape } from './shapes.ts';
import { calledText, compact, type RemoteText } from './text.ts';
import { createRemoteTypes, type RemoteField, type RemoteTypes } from './types.ts';

/** A root field of a request, as the caller sends it. */
export interface RemoteRootPart {
  readonly responseName: string;
  /** Name, arguments and selection; an alias goes before it. */
  readonly text: RemoteText;
  /** Where errors belong. */
  readonly path: string;
}

/** The caller of remote schemas. */
export const REMOTE = 'remote';

/** The types of a remote schema for a role; undefined without a permission. */
export function remoteTypesOf(shape: RemoteSchemaShape, role: RoleSchema): RemoteTypes | undefined {
  const sdl = sdlOf(shape, role.role, role.options.remoteSchemaPermissions === true);
  if (sdl === undefined) return undefined;
  const joinFields = (type: string) => remoteTypeRelationships(role, shape, type);
  return createRemoteTypes(shape, sdl, joinFields, role.program.vocabulary);
}

function sdlOf(
  { schema, roles }: RemoteSchemaShape,
  role: string | undefined,
  permissions: boolean,
): string | undefined {
  if (!permissions || role === ADMIN_ROLE) return schema;
  return role !== undefined && Object.hasOwn(roles, role) ? roles[role] : undefined;
}

/** Root fields of a remote schema. */
export function remoteProvider(shape: RemoteSchemaShape): Provider {
  return {
    name: `remote schema ${shape.name}`,
    roles: Object.keys(shape.roles),
    rootFields: (role, kind) => offeredFields(shape, role, kind),
    // A change of a remote schema is rare: every schema of it is made anew.
    offer: () => JSON.stringify(shape),
  };
}

function offeredFields(shape: RemoteSchemaShape, role: RoleSchema, kind: RootKind): OfferedFields {
  const types = role.remote(shape.name);
  const fields = types?.root(kind) ?? new Map<string, RemoteField>();
  const made = new Map<string, FieldDefinition>();
  const own: OfferedFields = {
    get: (name) => {
      const field = fields.get(name);
      return field && remember(made, name, () => rootField(shape, types!, field));
    },
    names: () => fields.keys(),
    none: () => fields.size === 0,
  };
  const namespace = types?.names.namespace;
  return types && namespace !== undefined ? inNamespace(namespace, types, kind, own) : own;
}

function inNamespace(name: string, types: RemoteTypes, kind: RootKind, own: OfferedFields): OfferedFields {
  const root = types.document.roots[kind];
  if (root === undefined || own.none()) return { get: () => undefined, names: () => [], none: () => true };
  const fields = fieldsOnDemand(own, byName([typename()]));
  const type: ObjectType = { kind: 'object', name: types.names.type(root), fields: () => fields };
  const field: FieldDefinition = {
    name,
    arguments: new Map(),
    type: nonNull(type),
    meaning: { kind: 'namespace' },
  };
  return { get: (asked) => (asked === name ? field : undefined), names: () => [name], none: () => false };
}

function rootField(
  { name: group }: RemoteSchemaShape,
  { names, isObject }: RemoteTypes,
  { definition, meaning }: RemoteField,
): FieldDefinition {
  const resolve: CallResolver = (field, { options }, { operation }): RemoteRootPart => {
    if (operation.kind === 'subscription') {
      const message = 'subscription to remote server is not supported';
      throw new EngineError('not-supported', message, { path: field.path });
    }
    const { responseName, path } = field;
    requireMergeable(field.selection, isObject);
    const text = [
      meaning.name,
      ...calledText(field, meaning, {
        originalType: names.originalType,
        skipNulls: options.skipRemoteNulls,
      }),
    ];
    return { responseName, text: compact(text), path };
  };
  return { ...definition, meaning: { kind: 'call', caller: REMOTE, group, resolve } };
}
