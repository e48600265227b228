/** The introspection of a remote schema: the query, and its answer as SDL in canonical form, sorted by name. */

import { GraphQLError, parse, parseType, parseValue, print as printAst } from 'graphql';
import { BUILT_IN_SCALARS } from '../names.ts';
import { graphqlProblem } from '../reasons.ts';

const TYPE_REF = `fragment TypeRef on __Type { ${'kind name ofType { '.repeat(7)}kind name${' }'.repeat(7)} }`;

/** Parts of introspection that were added to GraphQL one after the other. */
interface Known {
  /** Arguments and input fields may be deprecated. */
  readonly inputDeprecation?: true;
  readonly specifiedBy?: true;
  readonly oneOf?: true;
  readonly repeatable?: true;
}

/** The text of the query, on one line. */
function introspectionQuery({ inputDeprecation, specifiedBy, oneOf, repeatable }: Known): string {
  const [all, deprecated] = inputDeprecation
    ? ['(includeDeprecated: true)', ' isDeprecated deprecationReason']
    : ['', ''];
  const ofType = `${specifiedBy ? ' specifiedByURL' : ''}${oneOf ? ' isOneOf' : ''}`;
  const isRepeatable = repeatable ? ' isRepeatable' : '';
  return [
    `query IntrospectionQuery { __schema { queryType { name } mutationType { name } subscriptionType { name } types { ...FullType } directives { name description${isRepeatable} locations args${all} { ...InputValue } } } }`,
    `fragment FullType on __Type { kind name description${ofType} fields(includeDeprecated: true) { name description args${all} { ...InputValue } type { ...TypeRef } isDeprecated deprecationReason } inputFields${all} { ...InputValue } interfaces { ...TypeRef } enumValues(includeDeprecated: true) { name description isDeprecated deprecationReason } possibleTypes { ...TypeRef } }`,
    `fragment InputValue on __InputValue { name description type { ...TypeRef } defaultValue${deprecated} }`,
    TYPE_REF,
  ].join(' ');
}

/**
 * The bodies of introspection requests, the one that asks for most first: a server that does not know a part of it refuses the
 * whole, and is asked the next one.
 */
export const INTROSPECTION_BODIES: readonly string[] = [
  { inputDeprecation: true, specifiedBy: true, oneOf: true, repeatable: true } as const,
  { inputDeprecation: true, specifiedBy: true, repeatable: true } as const,
  { inputDeprecation: true } as const,
  {},
].map((known) =>
  JSON.stringify({
    query: introspectionQuery(known),
    variables: null,
    operationName: 'IntrospectionQuery',
  }),
);

/** The answer is not an introspection. The message holds the path of the error. */
export class InvalidIntrospection extends Error {}

type Json = Readonly<Record<string, unknown>>;

const STANDARD_DIRECTIVES: ReadonlySet<string> = new Set([
  'include',
  'skip',
  'deprecated',
  'specifiedBy',
  'oneOf',
]);

/** SDL of an introspection: the content of `data`. @throws InvalidIntrospection */
export function introspectionToSdl(data: unknown): string {
  const schema = object(object(data, '$').__schema, '$.__schema');
  const parts: string[] = [];
  const roots = (['query', 'mutation', 'subscription'] as const).flatMap((root) => {
    const path = `$.__schema.${root}Type`;
    const type = schema[`${root}Type`];
    if (type === null || type === undefined) return [];
    return [`  ${root}: ${name(object(type, path).name, `${path}.name`)}`];
  });
  parts.push(`schema {\n${roots.join('\n')}\n}`);
  const types = list(schema.types, '$.types').map((type, index) => readType(type, `$.types[${index}]`));
  const directives = list(schema.directives ?? [], '$.directives').flatMap((item, index) =>
    readDirective(item, `$.directives[${index}]`),
  );
  const definitions = [...directives, ...types].filter((each) => each !== undefined);
  definitions.sort((left, right) => (left.key < right.key ? -1 : 1));
  parts.push(...definitions.map(({ text }) => text));
  try {
    return `${printAst(parse(parts.join('\n\n'), { noLocation: true }))}\n`;
  } catch (error) {
    if (!(error instanceof GraphQLError)) throw error;
    throw new InvalidIntrospection(`its types cannot be written as GraphQL: ${graphqlProblem(error)}`);
  }
}

interface Definition {
  readonly key: string;
  readonly text: string;
}

function readType(value: unknown, path: string): Definition | undefined {
  const type = object(value, path);
  const typeName = name(type.name, `${path}.name`);
  if (typeName.startsWith('__') || BUILT_IN_SCALARS.has(typeName)) return undefined;
  const head = description(type.description);
  const key = `2 ${typeName}`;
  switch (type.kind) {
    case 'SCALAR':
      return { key, text: `${head}scalar ${typeName}${specification(type)}` };
    case 'OBJECT':
    case 'INTERFACE': {
      const keyword = type.kind === 'OBJECT' ? 'type' : 'interface';
      const interfaces = names(type.interfaces ?? [], `${path}.interfaces`);
      const fields = sorted(type.fields ?? [], `${path}.fields`).map(({ item, at }) => readField(item, at));
      const implemented = interfaces.length > 0 ? ` implements ${interfaces.join(' & ')}` : '';
      return { key, text: `${head}${keyword} ${typeName}${implemented}${block(fields)}` };
    }
    case 'UNION': {
      const members = names(type.possibleTypes ?? [], `${path}.possibleTypes`);
      return {
        key,
        text: `${head}union ${typeName}${members.length > 0 ? ` = ${members.join(' | ')}` : ''}`,
      };
    }
    case 'ENUM': {
      const values = sorted(type.enumValues ?? [], `${path}.enumValues`).map(
        ({ item }) => `${description(item.description)}${String(item.name)}${deprecation(item)}`,
      );
      return { key, text: `${head}enum ${typeName}${block(values)}` };
    }
    case 'INPUT_OBJECT': {
      const fields = sorted(type.inputFields ?? [], `${path}.inputFields`).map(({ item, at }) =>
        readInput(item, at),
      );
      return {
        key,
        text: `${head}input ${typeName}${type.isOneOf === true ? ' @oneOf' : ''}${block(fields)}`,
      };
    }
    default:
      throw new InvalidIntrospection(`Error in ${path}.kind: unknown kind ${JSON.stringify(type.kind)}`);
  }
}

function readField(field: Json, path: string): string {
  const args = sorted(field.args ?? [], `${path}.args`).map(({ item, at }) => readInput(item, at));
  const given = args.length > 0 ? `(\n${args.join('\n')}\n)` : '';
  const type = readReference(field.type, `${path}.type`);
  return `${description(field.description)}${String(field.name)}${given}: ${type}${deprecation(field)}`;
}

function readInput(input: Json, path: string): string {
  const { defaultValue } = input;
  let preset = '';
  if (typeof defaultValue === 'string') {
    try {
      preset = ` = ${printAst(parseValue(defaultValue))}`;
    } catch {
      throw new InvalidIntrospection(`Error in ${path}.defaultValue: ${defaultValue} is not a GraphQL value`);
    }
  }
  return `${description(input.description)}${String(input.name)}: ${readReference(input.type, `${path}.type`)}${preset}${deprecation(input)}`;
}

function readReference(value: unknown, path: string): string {
  const type = object(value, path);
  if (type.kind === 'NON_NULL') return `${readReference(type.ofType, `${path}.ofType`)}!`;
  if (type.kind === 'LIST') return `[${readReference(type.ofType, `${path}.ofType`)}]`;
  const text = name(type.name, `${path}.name`);
  parseType(text);
  return text;
}

function readDirective(value: unknown, path: string): Definition[] {
  const directive = object(value, path);
  const directiveName = name(directive.name, `${path}.name`);
  if (STANDARD_DIRECTIVES.has(directiveName)) return [];
  const locations = list(directive.locations, `${path}.locations`)
    .map((location, index) => name(location, `${path}.locations[${index}]`))
    .sort();
  const args = sorted(directive.args ?? [], `${path}.args`).map(({ item, at }) => readInput(item, at));
  const given = args.length > 0 ? `(\n${args.join('\n')}\n)` : '';
  const head = description(directive.description);
  return [
    {
      key: `1 ${directiveName}`,
      text: `${head}directive @${directiveName}${given}${directive.isRepeatable === true ? ' repeatable' : ''} on ${locations.join(' | ')}`,
    },
  ];
}

function block(members: readonly string[]): string {
  return members.length > 0 ? ` {\n${members.join('\n')}\n}` : '';
}

function description(value: unknown): string {
  if (typeof value !== 'string' || value === '') return '';
  return `${JSON.stringify(value)}\n`;
}

function specification({ specifiedByURL }: Json): string {
  return typeof specifiedByURL === 'string' ? ` @specifiedBy(url: ${JSON.stringify(specifiedByURL)})` : '';
}

function deprecation({ isDeprecated, deprecationReason }: Json): string {
  if (isDeprecated !== true) return '';
  return typeof deprecationReason === 'string'
    ? ` @deprecated(reason: ${JSON.stringify(deprecationReason)})`
    : ' @deprecated';
}

function sorted(value: unknown, path: string): { readonly item: Json; readonly at: string }[] {
  return list(value, path)
    .map((item, index) => ({ item: object(item, `${path}[${index}]`), at: `${path}[${index}]` }))
    .map(({ item, at }) => {
      name(item.name, `${at}.name`);
      return { item, at };
    })
    .sort((left, right) => (String(left.item.name) < String(right.item.name) ? -1 : 1));
}

function names(value: unknown, path: string): string[] {
  return list(value, path)
    .map((item, index) => name(object(item, `${path}[${index}]`).name, `${path}[${index}].name`))
    .sort();
}

function object(value: unknown, path: string): Json {
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Json;
  throw mismatch(path, 'record', 'Object', value);
}

function list(value: unknown, path: string): readonly unknown[] {
  if (Array.isArray(value)) return value;
  throw mismatch(path, '[]', 'Array', value);
}

function name(value: unknown, path: string): string {
  if (typeof value !== 'string') throw mismatch(path, 'Name', 'String', value);
  if (/^[_A-Za-z]\w*$/.test(value)) return value;
  throw new InvalidIntrospection(`Error in ${path}: ${JSON.stringify(value)} is not a GraphQL name`);
}

function mismatch(path: string, what: string, expected: string, found: unknown): InvalidIntrospection {
  const kind =
    found === null || found === undefined
      ? 'Null'
      : Array.isArray(found)
        ? 'Array'
        : typeof found === 'object'
          ? 'Object'
          : `${(typeof found)[0]!.toUpperCase()}${(typeof found).slice(1)}`;
  return new InvalidIntrospection(
    `Error in ${path}: parsing ${what} failed, expected ${expected}, but encountered ${kind}`,
  );
}
