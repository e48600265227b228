/**
 * Apollo federation: the root fields by which a gateway makes this API a part of a federated graph. `_service` says what the
 * role sees; `_entities` looks rows up by their keys, with the role's select permission, like by-key fields.
 */
import { remember } from '../remember.ts';
import type { OfferedFields } from '../schema/fields-on-demand.ts';
import { isLookedUpByKey } from '../schema/key-lookup.ts';
import type { Provider } from '../schema/provider.ts';
import type { RoleSchema } from '../schema/role-schema.ts';
import { STRING, typename } from '../schema/shared-types.ts';
import {
  type AbstractType,
  byName,
  type FieldDefinition,
  listOf,
  nonNull,
  type ObjectType,
  type ScalarType,
} from '../schema/types.ts';
import type { VisibleTable } from '../schema/visible-table.ts';
import { serviceSdl } from './sdl.ts';

const SERVICE = '_service';
const ENTITIES = '_entities';

const ANY: ScalarType = { kind: 'scalar', name: '_Any', accepts: 'entity' };

export const federationProvider: Provider = {
  name: 'Apollo federation',
  roles: [],
  rootFields: (role, kind) =>
    kind === 'query' && role.options.apolloFederation ? offeredFields(role) : NOTHING,
  // Its fields follow from tables, rules and options.
  offer: () => '',
  hides: ({ typeName, unknownName }, { options }) =>
    typeName === 'query_root' && unknownName === ENTITIES && options.apolloFederation
      ? {
          because: (role) => ({
            rule: `roles.${role}`,
            why: `the role ${role} may select no federated table by its primary key`,
          }),
        }
      : undefined,
};

const NOTHING: OfferedFields = { get: () => undefined, names: () => [], none: () => true };

function offeredFields(role: RoleSchema): OfferedFields {
  const made = new Map<string, { readonly field: FieldDefinition | undefined }>();
  const make = (name: string) => {
    if (name === ENTITIES) return entitiesField(role);
    // The schema is what introspection shows.
    return name === SERVICE && role.introspection ? serviceField(role) : undefined;
  };
  const get = (name: string) =>
    name === ENTITIES || name === SERVICE
      ? remember(made, name, () => ({ field: make(name) })).field
      : undefined;
  return { get, names: () => [ENTITIES, SERVICE], none: () => !get(ENTITIES) && !get(SERVICE) };
}

/** The tables whose rows a role may look up, by the names of their types. */
function entitiesOf(role: RoleSchema): ReadonlyMap<string, VisibleTable> {
  const entities = new Map<string, VisibleTable>();
  for (const table of role.program.tables) {
    if (!table.shape.federated) continue;
    if (isLookedUpByKey(role, table, 'query')) entities.set(table.names.object, role.table(table));
  }
  return entities;
}

function entitiesField(role: RoleSchema): FieldDefinition | undefined {
  const tables = entitiesOf(role);
  if (tables.size === 0) return undefined;
  const possible = () =>
    new Map([...tables].map(([name, { table }]): [string, ObjectType] => [name, role.types(table).object()]));
  const type: AbstractType = {
    kind: 'union',
    name: '_Entity',
    description: 'A union of all types that use the @key directive',
    fields: () => byName([typename()]),
    possible,
  };
  const representations = { name: 'representations', type: nonNull(listOf(nonNull(ANY))) };
  return {
    name: ENTITIES,
    description: 'query _Entity union',
    arguments: byName([representations]),
    // Not a list, although it answers one: clients of this API family rely on it, and gateways know the field.
    type,
    meaning: { kind: 'entities', tables },
  };
}

function serviceField(role: RoleSchema): FieldDefinition {
  const sdl: FieldDefinition = {
    name: 'sdl',
    description: 'SDL representation of schema',
    arguments: new Map(),
    type: nonNull(STRING),
    meaning: { kind: 'constant', value: () => serviceSdl(role, entitiesOf(role)) },
  };
  const type: ObjectType = { kind: 'object', name: '_Service', fields: () => byName([sdl, typename()]) };
  return { name: SERVICE, arguments: new Map(), type: nonNull(type), meaning: { kind: 'namespace' } };
}
