/** The root types of a role: which fields it is offered. */

import type { DeclaredTable, SourceShape } from '../contract/shapes.ts';
import { displayName } from '../names.ts';
import { MUTATION_RESOLVERS, QUERY_RESOLVERS } from '../program/dispatch.ts';
import type { Column, Table } from '../program/program.ts';
import type { MutationField, QueryField, StreamField } from '../program/root-fields.ts';
import { connectionFields, nodeFields } from '../relay/roots.ts';
import { lazy, remember } from '../remember.ts';
import { fieldsOnDemand, type OfferedFields } from './fields-on-demand.ts';
import { functionRootFields } from './function-types.ts';
import { groupsField } from './group-types.ts';
import { mutationTypes } from './mutation-types.ts';
import { offer, type RootKind } from './offer.ts';
import type { RoleSchema } from './role-schema.ts';
import { columnGraphqlType, STRING, sharedTypes, typename } from './shared-types.ts';
import { streamArguments } from './stream-types.ts';
import {
  type ArgumentDefinition,
  byName,
  type FieldDefinition,
  listOf,
  nonNull,
  type ObjectType,
  type TypeReference,
} from './types.ts';
import type { VisibleTable } from './visible-table.ts';

export interface RootTypes {
  readonly query: ObjectType;
  /** undefined: the role may change nothing. */
  readonly mutation: ObjectType | undefined;
  readonly subscription: ObjectType | undefined;
}

/** The only field of a role without queries. */
const NO_QUERIES =
  "There are no queries available to the current role. Either there are no sources or remote schemas configured, or the current role doesn't have the required permissions.";

/** The root types of a role. Fields are made when a request names them; only listing a type makes all of its fields. */
export function createRootTypes(role: RoleSchema): RootTypes {
  const query = lazy(() => {
    const offered = offeredFields(role, 'query');
    const others = byName([...(role.introspection ? introspectionFields() : []), typename()]);
    return objectType('query_root', fieldsOnDemand(offered, others, noQueries()));
  });
  const optional = (kind: 'mutation' | 'subscription', description?: string) =>
    lazy(() => {
      const offered = offeredFields(role, kind);
      if (offered.none()) return undefined;
      return objectType(`${kind}_root`, fieldsOnDemand(offered, byName([typename()])), description);
    });
  const mutation = optional('mutation', 'mutation root');
  const subscription = optional('subscription');
  return {
    get query() {
      return query();
    },
    get mutation() {
      return mutation();
    },
    get subscription() {
      return subscription();
    },
  };
}

function objectType(
  name: string,
  fields: ReadonlyMap<string, FieldDefinition>,
  description?: string,
): ObjectType {
  return { kind: 'object', name, ...(description ? { description } : {}), fields: () => fields };
}

function noQueries(): FieldDefinition {
  return {
    name: 'no_queries_available',
    description: NO_QUERIES,
    arguments: new Map(),
    type: nonNull(STRING),
    meaning: { kind: 'constant', value: NO_QUERIES },
  };
}

/** `__schema` and `__type`: hidden from the list of fields, as in every GraphQL schema. */
function introspectionFields(): FieldDefinition[] {
  return ['__schema', '__type'].map((name) => ({
    name,
    arguments: new Map(),
    type: STRING,
    meaning: { kind: 'introspection' },
  }));
}

/** The fields that a role is offered below one root. */
function offeredFields(role: RoleSchema, kind: RootKind): OfferedFields {
  const isRelayed = role.relay && kind !== 'mutation';
  const parts = role.program.sources.map((source) => {
    const own = isRelayed ? connectionFields(role, source, kind) : sourceFields(role, source, kind);
    return source.rootNamespace ? inNamespace(source, source.rootNamespace, kind, own, role) : own;
  });
  if (isRelayed) parts.push(nodeFields(role, kind));
  if (!role.relay) parts.push(...role.program.providers.map((provider) => provider.rootFields(role, kind)));
  return {
    // If two fields had one name, which the compiler refuses, the later one would count.
    get: (name) => parts.findLast((part) => part.get(name))?.get(name),
    names: function* () {
      for (const part of parts) yield* part.names();
    },
    none: () => parts.every((part) => part.none()),
  };
}

function sourceFields(role: RoleSchema, source: SourceShape, kind: RootKind): OfferedFields {
  const owners = role.program.rootFields.of(source, kind);
  const made = new Map<string, { readonly field: FieldDefinition | undefined }>();
  const get = (name: string) =>
    remember(made, name, () => {
      for (const owner of owners.get(name)?.toReversed() ?? []) {
        const field =
          'table' in owner
            ? tableRootField(role, owner.table, name, kind)
            : functionRootFields(role, owner.called, kind).find((each) => each.name === name);
        if (field) return { field };
      }
      return { field: undefined };
    }).field;
  return {
    get: (name) => (owners.has(name) ? get(name) : undefined),
    names: () => owners.keys(),
    none: () => {
      for (const name of owners.keys()) if (get(name)) return false;
      return true;
    },
  };
}

/** Root fields of a source gathered below one field. */
function inNamespace(
  source: SourceShape,
  name: string,
  kind: RootKind,
  own: OfferedFields,
  role: RoleSchema,
): OfferedFields {
  const field = lazy((): FieldDefinition | undefined => {
    if (own.none()) return undefined;
    const part = kind === 'mutation' ? `mutation_${role.backendOnly ? 'backend' : 'frontend'}` : kind;
    const typeName = `${source.typePrefix ?? ''}${name}_${part}${source.typeSuffix ?? ''}`;
    return {
      name,
      arguments: new Map(),
      type: nonNull(objectType(typeName, fieldsOnDemand(own, byName([typename()])))),
      meaning: { kind: 'namespace' },
    };
  });
  return {
    get: (asked) => (asked === name ? field() : undefined),
    names: () => [name],
    none: own.none,
  };
}

function tableRootField(
  role: RoleSchema,
  table: Table,
  name: string,
  kind: RootKind,
): FieldDefinition | undefined {
  const visible = role.table(table);
  const { query, subscription, mutation } = table.fields;
  if (kind === 'mutation') return mutationField(role, visible, name, mutation.get(name)!);
  const stream = kind === 'subscription' ? subscription.get(name) : undefined;
  return stream
    ? streamField(role, visible, name, stream)
    : queryField(role, visible, name, query.get(name)!, kind);
}

function queryField(
  role: RoleSchema,
  visible: VisibleTable,
  name: string,
  root: QueryField<DeclaredTable>,
  kind: 'query' | 'subscription',
): FieldDefinition | undefined {
  const { table, rules } = visible;
  if (offer(table.shape, rules, { kind: root.field, root: kind }, role.backendOnly) !== true)
    return undefined;
  const types = role.types(table);
  const display = displayName(table.shape.schema, table.shape.name);
  const resolve = root.resolve ?? QUERY_RESOLVERS[root.field];
  const shape: Pick<FieldDefinition, 'name' | 'meaning'> = {
    name,
    meaning: {
      kind: 'query',
      source: table.source.name,
      resolve: (selection, args, requester) => resolve({ of: table.shape, selection, args, requester }),
    },
  };
  switch (root.field) {
    case 'select':
      return {
        ...shape,
        ...text(root.description, `fetch data from the table: "${display}"`),
        arguments: types.listArguments(),
        type: nonNull(listOf(nonNull(types.object()))),
      };
    case 'select_by_pk':
      return {
        ...shape,
        ...text(root.description, `fetch data from the table: "${display}" using primary key columns`),
        arguments: keyArguments(table),
        type: types.object(),
      };
    case 'select_aggregate':
      return {
        ...shape,
        ...text(root.description, `fetch aggregated fields from the table: "${display}"`),
        arguments: types.listArguments(),
        type: nonNull(types.aggregate()),
      };
    case 'select_group_by':
      return {
        ...shape,
        ...text(root.description, `fetch groups of rows of the table: "${display}", with aggregates`),
        ...groupsField(visible, role),
      };
  }
}

function streamField(
  role: RoleSchema,
  visible: VisibleTable,
  name: string,
  root: StreamField,
): FieldDefinition | undefined {
  const { table, select } = visible;
  if (!select || select.columns.size === 0) return undefined;
  if (select.subscriptionRoots && !select.subscriptionRoots.includes(root.field)) return undefined;
  const types = role.types(table);
  const display = displayName(table.shape.schema, table.shape.name);
  return {
    name,
    ...text(root.description, `fetch data from the table in a streaming manner: "${display}"`),
    arguments: streamArguments(types),
    type: nonNull(listOf(nonNull(types.object()))),
    meaning: { kind: 'stream', source: table.source.name, visible },
  };
}

function mutationField(
  role: RoleSchema,
  visible: VisibleTable,
  name: string,
  root: MutationField<DeclaredTable>,
): FieldDefinition | undefined {
  const { table, rules } = visible;
  const offered = offer(table.shape, rules, { kind: root.field, root: 'mutation' }, role.backendOnly);
  if (offered !== true) return undefined;
  const types = mutationTypes(visible, role);
  const shared = sharedTypes(table.source);
  const display = displayName(table.shape.schema, table.shape.name);
  const resolve = root.resolve ?? MUTATION_RESOLVERS[root.field];
  const where: ArgumentDefinition = {
    name: 'where',
    description:
      root.field === 'delete'
        ? 'filter the rows which have to be deleted'
        : 'filter the rows which have to be updated',
    type: nonNull(role.types(table).booleanExpression()),
  };
  const field = (
    generated: string,
    list: readonly ArgumentDefinition[],
    type: TypeReference,
  ): FieldDefinition => ({
    name,
    ...text(root.description, generated),
    arguments: byName(list),
    type,
    meaning: {
      kind: 'mutation',
      source: table.source.name,
      resolve: (selection, args, requester) => resolve({ of: table.shape, selection, args, requester }),
    },
  });
  const onConflict = () => {
    const type = types.onConflict();
    return type ? [{ name: shared.name('on_conflict'), description: 'upsert condition', type }] : [];
  };
  switch (root.field) {
    case 'insert':
      return field(
        `insert data into the table: "${display}"`,
        [
          {
            name: 'objects',
            description: 'the rows to be inserted',
            type: nonNull(listOf(nonNull(types.insertInput()))),
          },
          ...onConflict(),
        ],
        types.response(),
      );
    case 'insert_one':
      return field(
        `insert a single row into the table: "${display}"`,
        [
          { name: 'object', description: 'the row to be inserted', type: nonNull(types.insertInput()) },
          ...onConflict(),
        ],
        role.types(table).object(),
      );
    case 'update':
      return field(
        `update data of the table: "${display}"`,
        [...types.updateOperators(), ...types.related(), where],
        types.response(),
      );
    case 'update_by_pk':
      return field(
        `update single row of the table: "${display}"`,
        [
          ...types.updateOperators(),
          ...types.related(),
          { name: shared.name('pk_columns'), type: nonNull(types.primaryKeyInput()) },
        ],
        role.types(table).object(),
      );
    case 'update_many':
      if (role.options.hideUpdateMany) return undefined;
      return field(
        `update multiples rows of table: "${display}"`,
        [
          {
            name: 'updates',
            description: 'updates to execute, in order',
            type: nonNull(listOf(nonNull(types.updates()))),
          },
        ],
        listOf(types.response()),
      );
    case 'delete':
      return field(`delete data from the table: "${display}"`, [where], types.response());
    case 'delete_by_pk':
      return field(
        `delete single row from the table: "${display}"`,
        [...keyArguments(table).values()],
        role.types(table).object(),
      );
  }
}

function keyArguments(table: Table): ReadonlyMap<string, ArgumentDefinition> {
  const shared = sharedTypes(table.source);
  return byName(
    table.primaryKey.map((column: Column) => ({
      name: column.field!,
      ...(column.shape.description ? { description: column.shape.description } : {}),
      type: nonNull(columnGraphqlType(column, shared)),
    })),
  );
}

function text(own: string | undefined, generated: string): { description?: string } {
  const chosen = own ?? generated;
  return chosen ? { description: chosen } : {};
}
