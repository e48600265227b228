/**
 * The schema object of graphql-js for a role, made from the role's types, for commands that print or compare schemas. A
 * server does not make it: introspection is answered from the types themselves (introspection.ts).
 */
import {
  DirectiveLocation,
  GraphQLBoolean,
  GraphQLDirective,
  GraphQLEnumType,
  type GraphQLFieldConfig,
  GraphQLFloat,
  GraphQLID,
  GraphQLIncludeDirective,
  GraphQLInputObjectType,
  type GraphQLInputType,
  GraphQLInt,
  GraphQLInterfaceType,
  GraphQLList,
  type GraphQLNamedType,
  GraphQLNonNull,
  GraphQLObjectType,
  type GraphQLOutputType,
  GraphQLScalarType,
  GraphQLSchema,
  GraphQLSkipDirective,
  GraphQLString,
  GraphQLUnionType,
  lexicographicSortSchema,
  parseValue,
  valueFromASTUntyped,
} from 'graphql';
import { remember } from '../remember.ts';
import type { RoleSchema } from './role-schema.ts';
import type { AbstractType, NamedType, ObjectType, TypeReference } from './types.ts';

const schemas = new WeakMap<RoleSchema, GraphQLSchema>();

/** The schema that a role sees, everything sorted by name. */
export function graphqlSchema(roleSchema: RoleSchema): GraphQLSchema {
  return remember(schemas, roleSchema, () => buildSchema(roleSchema));
}

/** Scalars of GraphQL itself. */
export const STANDARD: Readonly<Record<string, GraphQLScalarType>> = {
  Int: GraphQLInt,
  Float: GraphQLFloat,
  String: GraphQLString,
  Boolean: GraphQLBoolean,
  ID: GraphQLID,
};

/** Accepted and without effect. */
export const cached = new GraphQLDirective({
  name: 'cached',
  description: 'whether this query should be cached',
  locations: [DirectiveLocation.QUERY],
  args: {
    ttl: { type: new GraphQLNonNull(GraphQLInt), defaultValue: 60, description: 'measured in seconds' },
    refresh: {
      type: new GraphQLNonNull(GraphQLBoolean),
      defaultValue: false,
      description: 'refresh the cache entry',
    },
  },
});

function buildSchema(roleSchema: RoleSchema): GraphQLSchema {
  const built = new Map<string, GraphQLNamedType>();
  const named = (type: NamedType) => remember(built, type.name, () => make(type));
  const reference = (type: TypeReference): unknown => {
    if (type.kind === 'list') return new GraphQLList(reference(type.of) as GraphQLOutputType);
    if (type.kind === 'nonNull') return new GraphQLNonNull(reference(type.of) as never);
    return named(type);
  };
  const output = (type: TypeReference) => reference(type) as GraphQLOutputType;
  const input = (type: TypeReference) => reference(type) as GraphQLInputType;
  const described = (item: { readonly description?: string }) =>
    item.description ? { description: item.description } : {};

  function make(type: NamedType): GraphQLNamedType {
    switch (type.kind) {
      case 'scalar':
        return (
          STANDARD[type.name] ??
          new GraphQLScalarType({
            name: type.name,
            ...described(type),
            ...(type.specifiedBy !== undefined && { specifiedByURL: type.specifiedBy }),
          })
        );
      case 'enum':
        return new GraphQLEnumType({
          name: type.name,
          ...described(type),
          values: Object.fromEntries(
            [...type.values].map(([name, value]) => [
              name,
              {
                ...described(value),
                ...deprecationOf(value),
              },
            ]),
          ),
        });
      case 'input':
        return new GraphQLInputObjectType({
          name: type.name,
          isOneOf: type.isOneOf === true,
          ...described(type),
          fields: () =>
            orPlaceholder(
              [...type.fields().values()].map((field) => [
                field.name,
                {
                  type: input(field.type),
                  ...described(field),
                  ...defaultOf(field),
                  ...deprecationOf(field),
                },
              ]),
            ),
        });
      case 'object':
        return new GraphQLObjectType({
          name: type.name,
          ...described(type),
          interfaces: () => interfacesOf(type),
          fields: () => objectFields(type),
        });
      case 'interface':
        for (const object of type.possible().values()) named(object);
        return new GraphQLInterfaceType({
          name: type.name,
          ...described(type),
          interfaces: () => interfacesOf(type),
          fields: () => objectFields(type),
        });
      case 'union':
        return new GraphQLUnionType({
          name: type.name,
          ...described(type),
          types: () => [...type.possible().values()].map((each) => named(each) as GraphQLObjectType),
        });
    }
  }

  function interfacesOf(type: ObjectType | AbstractType): GraphQLInterfaceType[] {
    return [...(type.abstract?.().values() ?? [])].flatMap((each) =>
      each.kind === 'interface' ? [named(each) as GraphQLInterfaceType] : [],
    );
  }

  function objectFields(
    type: ObjectType | AbstractType,
  ): Record<string, GraphQLFieldConfig<unknown, unknown>> {
    return orPlaceholder(
      [...type.fields().values()]
        .filter((field) => !field.name.startsWith('__'))
        .map((field) => [
          field.name,
          {
            type: output(field.type),
            ...described(field),
            ...deprecationOf(field),
            args: Object.fromEntries(
              [...field.arguments.values()].map((argument) => [
                argument.name,
                {
                  type: input(argument.type),
                  ...described(argument),
                  ...defaultOf(argument),
                  ...deprecationOf(argument),
                },
              ]),
            ),
          },
        ]),
    );
  }

  const { query, mutation, subscription } = roleSchema.roots;
  for (const root of [query, mutation, subscription]) if (root) named(root);
  // Objects of an interface may be reached through it alone. What this makes is looked at in turn.
  for (const type of built.values()) {
    if ('getFields' in type) type.getFields();
    if ('getInterfaces' in type) type.getInterfaces();
    if ('getTypes' in type) type.getTypes();
  }
  return lexicographicSortSchema(
    new GraphQLSchema({
      types: [...built.values()],
      query: named(query) as GraphQLObjectType,
      ...(mutation ? { mutation: named(mutation) as GraphQLObjectType } : {}),
      ...(subscription ? { subscription: named(subscription) as GraphQLObjectType } : {}),
      // Serving does not depend on it; tests validate the schemas of every kind of role.
      assumeValid: true,
      directives: [GraphQLIncludeDirective, GraphQLSkipDirective, cached],
    }),
  );
}

/**
 * Fields by name. GraphQL knows no type without fields, but a role may be left with one: rows of which it may read no column,
 * rows whose every column is preset. Such a type gets a field that no request may use.
 */
function orPlaceholder<Field extends object>(
  fields: (readonly [string, Field])[],
): Record<string, Field | typeof PLACEHOLDER> {
  return fields.length > 0 ? Object.fromEntries(fields) : { _PLACEHOLDER: PLACEHOLDER };
}

const PLACEHOLDER = { type: GraphQLBoolean, description: 'placeholder (do not use)' };

function deprecationOf({ deprecationReason }: { readonly deprecationReason?: string }): {
  deprecationReason?: string;
} {
  return deprecationReason === undefined ? {} : { deprecationReason };
}

function defaultOf({ defaultValue }: { readonly defaultValue?: string }): { defaultValue?: unknown } {
  return defaultValue === undefined ? {} : { defaultValue: valueFromASTUntyped(parseValue(defaultValue)) };
}
