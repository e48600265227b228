/** Names: keys of tables, functions and types, and the GraphQL names that are derived from a base name. */

export type NamingConvention = 'engine-default' | 'graphql-default';

/** Extensions of the API family that shape generated code, named like their experimental features. */
export const EXTENSIONS = ['group_by', 'computed_field_aggregates', 'nested_updates'] as const;
export type Extension = (typeof EXTENSIONS)[number];

/** How the names and types of databases are shown. */
export interface NamingOptions {
  /** Apply the naming conventions of sources. */
  readonly enabled: boolean;
  /** Convention of sources without one. */
  readonly default: NamingConvention;
  /** Names of `graphql-default` as its first version had them. */
  readonly early?: true;
  /** Arrays are scalars, `_text`, and not lists. */
  readonly arraysAsScalars?: true;
  /** Extensions that are switched on; absent without any. */
  readonly extensions?: readonly Extension[];
}

/** The scalars of GraphQL itself: a schema has them without a definition. */
export const BUILT_IN_SCALARS: ReadonlySet<string> = new Set(['Int', 'Float', 'String', 'Boolean', 'ID']);

/** Fields of conditions on rows that combine conditions; the others are columns. */
export const CONNECTIVES: readonly string[] = ['_and', '_or', '_not'];

/** Bytes of an identifier that PostgreSQL keeps. */
export const MAX_IDENTIFIER = 63;

/**
 * The rule for names in a GraphQL schema (specification of GraphQL, "Names" and "Reserved Names"): those that begin with two
 * underscores belong to introspection.
 */
export function isGraphqlName(name: string): boolean {
  return /^[_A-Za-z][_0-9A-Za-z]*$/.test(name) && !name.startsWith('__');
}

/** The rule for values of enums: three words are other values. */
export function isEnumValueName(name: string): boolean {
  return isGraphqlName(name) && !['true', 'false', 'null'].includes(name);
}

/** Whether columns may have the name: it is a field, a value of enums, and a condition beside the combinations of conditions. */
export function isColumnField(name: string): boolean {
  return isEnumValueName(name) && !CONNECTIVES.includes(name);
}

/** The name with underscores for characters that GraphQL does not allow; `__x` is `_x`. */
export function graphqlNameOf(name: string): string {
  if (isGraphqlName(name)) return name;
  return name.replaceAll(/[^_0-9A-Za-z]/gu, '_').replace(/^_{2,}|^(?=[0-9])/, '_');
}

/** Key of a table, function or type: `schema.name`, a part quoted when it contains a dot or a double quote. */
export function objectKey(schema: string, name: string): string {
  return `${keyPart(schema)}.${keyPart(name)}`;
}

/** Name of a table, view or function in its database schema. */
export interface QualifiedName {
  readonly schema: string;
  readonly name: string;
}

/** Key of a table or function by its qualified name. */
export function keyOf({ schema, name }: QualifiedName): string {
  return objectKey(schema, name);
}

function keyPart(part: string): string {
  return /[."]/.test(part) ? `"${part.replaceAll('"', '""')}"` : part;
}

/**
 * Schema of the tables and functions that the metadata declares, logical models and native queries: PostgreSQL has no schema with
 * an empty name, so their keys meet no key of the database.
 */
export const DECLARED_SCHEMA = '';

/** Name as messages print it: bare in schema public, else `schema.name` (reference metadata-api, conventions). */
export function displayName(schema: string, name: string): string {
  return schema === 'public' || schema === DECLARED_SCHEMA ? name : `${schema}.${name}`;
}

/** What messages call a table or a function: a logical model or a native query where the metadata declares it. */
export function kindName(kind: 'table' | 'function', schema: string): string {
  if (schema !== DECLARED_SCHEMA) return kind;
  return kind === 'table' ? 'logical model' : 'native query';
}

/** Name of a table or function with its schema, `public.article`, or of what the metadata declares: `native query report`. */
export function fullName(kind: 'table' | 'function', { schema, name }: QualifiedName): string {
  return schema === DECLARED_SCHEMA ? `${kindName(kind, schema)} ${name}` : objectKey(schema, name);
}

/** Base name of a table's or function's GraphQL nodes: `name` in schema public, else `schema_name`. */
export function defaultBaseName(schema: string, name: string): string {
  return schema === 'public' || schema === DECLARED_SCHEMA ? name : `${schema}_${name}`;
}

/**
 * Base name of a table without a custom name. A name that GraphQL does not allow gets underscores for the characters that it
 * does not allow, and one before a digit at its start: `order items` → `order_items`, `2024` → `_2024`.
 */
export function tableBaseName(schema: string, name: string): string {
  return graphqlNameOf(defaultBaseName(schema, name));
}

/**
 * The names by which clients give the arguments of a function; undefined for hidden ones, which clients do not give.
 * Arguments without a name are `arg_1`, `arg_2` … in their order, whatever arguments with names are between them. A number
 * whose name another argument has is skipped.
 * @param hidden positions
 */
export function argumentNames(
  list: readonly { readonly name: string | null }[],
  hidden: ReadonlySet<number | undefined>,
): readonly (string | undefined)[] {
  const own = new Set(list.map(({ name }) => name));
  let number = 0;
  const next = () => {
    do number += 1;
    while (own.has(`arg_${number}`));
    return `arg_${number}`;
  };
  return list.map(({ name }, position) => (hidden.has(position) ? undefined : (name ?? next())));
}

/** `first_name` → `firstName`; leading underscores stay. */
export function camelCase(name: string): string {
  const lead = /^_*/.exec(name)![0];
  const words = name.slice(lead.length).split('_').filter(Boolean);
  return lead + words.map((word, index) => (index === 0 ? lowerFirst(word) : upperFirst(word))).join('');
}

/** `first_name` → `FirstName`; leading underscores stay. */
export function pascalCase(name: string): string {
  const lead = /^_*/.exec(name)![0];
  return lead + name.slice(lead.length).split('_').filter(Boolean).map(upperFirst).join('');
}

/**
 * Name of an argument, an operator or a field of generated types by a convention. The first version of `graphql-default` left
 * three of them as they are.
 */
export function conventionalName(
  { naming, earlyNames }: { readonly naming?: NamingConvention; readonly earlyNames?: true },
  name: string,
): string {
  if (naming !== 'graphql-default' || (earlyNames && EARLY_EXCEPTIONS.has(name))) return name;
  return camelCase(name);
}

const EARLY_EXCEPTIONS: ReadonlySet<string> = new Set(['affected_rows', 'pk_columns', 'update_columns']);

export function upperFirst(word: string): string {
  return word.slice(0, 1).toUpperCase() + word.slice(1);
}

function lowerFirst(word: string): string {
  return word.slice(0, 1).toLowerCase() + word.slice(1);
}

/** Key of an operation of a collection. */
export function operationKey({
  collection,
  name,
}: {
  readonly collection: string;
  readonly name: string;
}): string {
  return JSON.stringify([collection, name]);
}

/** A table or function as messages print it: `"author"`, outside schema public `"app.author"`. */
export function quotedName({ schema, name }: QualifiedName): string {
  return `"${displayName(schema, name)}"`;
}

/** `a, b and c`. */
export function wordList(names: readonly string[], word: 'and' | 'or' = 'and'): string {
  return names.length > 1 ? `${names.slice(0, -1).join(', ')} ${word} ${names.at(-1)}` : names.join();
}

/** `"a"`, `"a" and "b"`, `"a", "b", and "c"`. */
export function quotedWordList(names: readonly string[], word: 'and' | 'or' = 'and'): string {
  const quoted = names.map((name) => `"${name}"`);
  if (quoted.length <= 2) return quoted.join(` ${word} `);
  return `${quoted.slice(0, -1).join(', ')}, ${word} ${quoted.at(-1)}`;
}
