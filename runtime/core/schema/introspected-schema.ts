/** Introspection of a schema: the types that a role reaches, and those of introspection and directives. */
import {
  astFromValue,
  DirectiveLocation,
  type GraphQLArgument,
  GraphQLBoolean,
  GraphQLDirective,
  GraphQLIncludeDirective,
  GraphQLInt,
  type GraphQLNamedType,
  GraphQLNonNull,
  GraphQLSkipDirective,
  type GraphQLType,
  introspectionTypes,
  isEnumType,
  isListType,
  isNonNullType,
  isObjectType,
  print,
} from 'graphql';
import { naturalCompare } from 'graphql/jsutils/naturalCompare.js';
import { remember } from '../remember.ts';
import type { RoleSchema } from './role-schema.ts';
import { BOOLEAN } from './shared-types.ts';
import {
  type ArgumentDefinition,
  byName,
  described,
  type FieldDefinition,
  type NamedType,
  namedType,
  nonNull,
  type TypeReference,
} from './types.ts';

/** A schema as introspection shows it. */
export interface IntrospectedSchema {
  /** By name, in the order of names. */
  readonly types: ReadonlyMap<string, NamedType>;
  readonly query: NamedType;
  readonly mutation: NamedType | undefined;
  readonly subscription: NamedType | undefined;
  readonly directives: readonly IntrospectedDirective[];
}

export interface IntrospectedDirective {
  readonly name: string;
  readonly description?: string;
  readonly locations: readonly string[];
  readonly arguments: ReadonlyMap<string, ArgumentDefinition>;
}

/** The schema that a role sees. Makes every type of it. */
export function schemaOf({ roots }: RoleSchema): IntrospectedSchema {
  const found = new Map<string, NamedType>();
  const waiting: TypeReference[] = [];
  const add = (type: TypeReference) => {
    const named = namedType(type);
    if (found.has(named.name)) return;
    found.set(named.name, named);
    waiting.push(named);
  };
  for (const root of [roots.query, roots.mutation, roots.subscription]) if (root) add(root);
  for (const type of STANDARD_TYPES) add(type);
  for (const directive of DIRECTIVES) for (const { type } of directive.arguments.values()) add(type);
  for (let type = waiting.pop(); type; type = waiting.pop()) reachedFrom(type).forEach(add);
  return {
    types: new Map([...found].sort(([left], [right]) => naturalCompare(left, right))),
    query: roots.query,
    mutation: roots.mutation,
    subscription: roots.subscription,
    directives: DIRECTIVES,
  };
}

/** Types that a type refers to. */
export function reachedFrom(type: TypeReference): TypeReference[] {
  switch (type.kind) {
    case 'input':
      return shownInputs(type.fields()).map((field) => field.type);
    case 'object':
    case 'interface':
    case 'union':
      return [
        ...shownFields(type.fields()).flatMap((field) => [
          field.type,
          ...[...field.arguments.values()].map((argument) => argument.type),
        ]),
        ...[...(type.abstract?.().values() ?? [])].filter(({ kind }) => kind === 'interface'),
        ...(type.kind === 'object' ? [] : type.possible().values()),
      ];
    default:
      return [];
  }
}

/** Fields without `__typename`, which every type has. */
export function shownFields(fields: ReadonlyMap<string, FieldDefinition>): readonly FieldDefinition[] {
  const shown = [...fields.values()].filter(({ name }) => !name.startsWith('__'));
  return shown.length > 0 ? shown : [PLACEHOLDER];
}

/** Fields of an input type. */
export function shownInputs(fields: ReadonlyMap<string, ArgumentDefinition>): readonly ArgumentDefinition[] {
  return fields.size > 0 ? [...fields.values()] : [PLACEHOLDER];
}

/**
 * GraphQL knows no type without fields, but a role may be left with one: rows of which it may read no column, rows whose every column
 * is preset. Such a type gets this field, which no request may use.
 */
const PLACEHOLDER: FieldDefinition = {
  name: '_PLACEHOLDER',
  description: 'placeholder (do not use)',
  arguments: new Map(),
  type: BOOLEAN,
  meaning: { kind: 'answer' },
};

/** In the order of names. */
export function sortedByName<Item extends { readonly name: string }>(items: Iterable<Item>): Item[] {
  return [...items].sort((left, right) => naturalCompare(left.name, right.name));
}

const converted = new Map<string, NamedType>();
const STANDARD_TYPES: readonly TypeReference[] = introspectionTypes.map(convert);

/** Accepted and without effect. */
const cached = new GraphQLDirective({
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

const DIRECTIVES: readonly IntrospectedDirective[] = [
  cached,
  GraphQLIncludeDirective,
  GraphQLSkipDirective,
].map(({ name, description, locations, args }) => ({
  name,
  ...described(description ?? undefined),
  locations: [...locations].sort(naturalCompare),
  arguments: byName(sortedByName(args.map(convertArgument))),
}));

/** A type of graphql-js as one of ours. */
function convert(type: GraphQLType): TypeReference {
  if (isListType(type)) return { kind: 'list', of: convert(type.ofType) };
  if (isNonNullType(type)) return nonNull(convert(type.ofType) as NamedType);
  return remember(converted, type.name, () => convertNamed(type));
}

function convertNamed(type: GraphQLNamedType): NamedType {
  const { name } = type;
  const own = { name, ...described(type.description ?? undefined) };
  if (isEnumType(type)) {
    const values = type
      .getValues()
      .map((value): [string, { description?: string; value: string }] => [
        value.name,
        { ...described(value.description ?? undefined), value: value.name },
      ]);
    return { kind: 'enum', ...own, values: new Map(values) };
  }
  if (!isObjectType(type)) return { kind: 'scalar', ...own, accepts: 'any' };
  return {
    kind: 'object',
    ...own,
    fields: () =>
      byName(
        Object.values(type.getFields()).map(
          (field): FieldDefinition => ({
            name: field.name,
            ...described(field.description ?? undefined),
            arguments: byName(field.args.map(convertArgument)),
            type: convert(field.type),
            meaning: { kind: 'answer' },
          }),
        ),
      ),
  };
}

function convertArgument({ name, description, type, defaultValue }: GraphQLArgument): ArgumentDefinition {
  const value = defaultValue === undefined ? undefined : astFromValue(defaultValue, type);
  return {
    name,
    ...described(description ?? undefined),
    type: convert(type),
    ...(value ? { defaultValue: print(value) } : {}),
  };
}
