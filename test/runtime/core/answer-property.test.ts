/**
 * Answers of handlers are completed exactly as graphql-js completes values: random types and values, most of which are wrong
 * somewhere. What graphql-js accepts gives the same JSON; where it reports an error, the answer is refused at that path.
 */
import {
  execute,
  GraphQLBoolean,
  GraphQLEnumType,
  GraphQLFloat,
  GraphQLID,
  GraphQLInt,
  GraphQLList,
  type GraphQLNamedOutputType,
  GraphQLNonNull,
  GraphQLObjectType,
  type GraphQLOutputType,
  GraphQLScalarType,
  GraphQLSchema,
  GraphQLString,
  getNamedType,
  isObjectType,
  parse,
  parseType,
  type TypeNode,
} from 'graphql';
import { expect, test } from 'vitest';
import { AnswerMismatch, completeAnswer } from '../../../runtime/core/action/answer.ts';
import type { CustomTypesShape } from '../../../runtime/core/action/shapes.ts';
import { actionTypes } from '../../../runtime/core/action/types.ts';
import { parseExactJson } from '../../../runtime/core/json/exact-json.ts';
import type { RoleSchema } from '../../../runtime/core/schema/role-schema.ts';
import { jsonText } from '../../../runtime/core/types.ts';
import { Random } from '../../fuzz/random.ts';

const CASES = 600;
/** Objects in objects, of a value and of what is selected. */
const DEPTH = 4;

const SCALARS = ['Int', 'Float', 'String', 'Boolean', 'ID', 'Mood', 'Anything'] as const;
const OBJECTS = ['A', 'B', 'C'] as const;

function randomType(random: Random, names: readonly string[]): string {
  const name = random.pick(names);
  const depth = random.pick([0, 0, 0, 1, 1, 2]);
  let type = name + (random.chance(0.4) ? '!' : '');
  for (let index = 0; index < depth; index += 1) type = `[${type}]${random.chance(0.4) ? '!' : ''}`;
  return type;
}

function randomTypes(random: Random): CustomTypesShape {
  const fields = () =>
    Object.fromEntries(
      ['a', 'b', 'toString', 'd'].map((name) => {
        // A field that always leads to another object could never be satisfied.
        const type = random.chance(0.6)
          ? randomType(random, SCALARS)
          : randomType(random, OBJECTS).replace(/!$/, '');
        return [name, { type }];
      }),
    );
  return {
    scalars: { Anything: {} },
    enums: { Mood: { values: { good: {}, bad: {} } } },
    objects: Object.fromEntries(OBJECTS.map((name) => [name, { fields: fields() }])),
  };
}

const ODD: readonly unknown[] = [
  ...[
    null,
    true,
    false,
    0,
    -1,
    1.5,
    1e21,
    5e-7,
    2147483647,
    2147483648,
    -2147483648,
    -2147483649,
    123456789012345680000,
  ],
  ...['', ' ', 'x', '12', '0x10', '1e3', '1.5', 'NaN', 'Infinity', 'true', 'good', 'worse'],
  ...[[], [1], [[]], [null], {}, { a: 1 }, { toString: 1 }],
];

/** A value for a type: right in most places. */
function randomValue(random: Random, type: TypeNode, types: CustomTypesShape, depth = 0): unknown {
  if (random.chance(0.03)) return random.pick(ODD);
  if (type.kind === 'NonNullType') return randomValue(random, type.type, types, depth);
  if (random.chance(0.1)) return null;
  if (type.kind === 'ListType') {
    const length = random.below(3);
    return Array.from({ length }, () => randomValue(random, type.type, types, depth));
  }
  const name = type.name.value;
  const object = types.objects![name];
  if (!object) return randomScalar(random, name);
  if (depth >= DEPTH) return null;
  const entries = Object.entries(object.fields).flatMap(([field, shape]) =>
    random.chance(0.05)
      ? []
      : [[field, randomValue(random, parseType(shape.type), types, depth + 1)] as const],
  );
  return Object.fromEntries([...entries, ['undeclared', 1]]);
}

function randomScalar(random: Random, name: string): unknown {
  switch (name) {
    case 'Int':
      return random.pick([random.between(-5, 5), '7', true, 2147483647, -2147483648, 2147483648]);
    case 'Float':
      return random.pick([random.between(-5, 5) / 4, '1.25', 1e21, 'NaN']);
    case 'Boolean':
      return random.pick([true, false, 1, 0, 'true']);
    case 'Mood':
      return random.pick(['good', 'bad']);
    case 'Anything':
      return random.pick(ODD);
    default:
      return random.pick(['text', 5, 12345678901234567000]);
  }
}

/** The same types for graphql-js. A handler's object is plain JSON: nothing is inherited. */
function referenceSchema(types: CustomTypesShape, root: string): GraphQLSchema {
  const named = new Map<string, GraphQLNamedOutputType>([
    ...[GraphQLInt, GraphQLFloat, GraphQLString, GraphQLBoolean, GraphQLID].map(
      (type) => [type.name, type] as const,
    ),
    ['Mood', new GraphQLEnumType({ name: 'Mood', values: { good: {}, bad: {} } })],
    ['Anything', new GraphQLScalarType({ name: 'Anything', serialize: (value) => value })],
  ]);
  const reference = (node: TypeNode): GraphQLOutputType => {
    if (node.kind === 'NonNullType')
      return new GraphQLNonNull(reference(node.type) as GraphQLNamedOutputType);
    if (node.kind === 'ListType') return new GraphQLList(reference(node.type));
    return named.get(node.name.value)!;
  };
  const field = (name: string, type: string) => ({
    type: reference(parseType(type)),
    resolve: (source: object) =>
      Object.hasOwn(source, name) ? (source as Record<string, unknown>)[name] : undefined,
  });
  for (const [name, { fields }] of Object.entries(types.objects!))
    named.set(
      name,
      new GraphQLObjectType({
        name,
        isTypeOf: (value) => typeof value === 'object' && !Array.isArray(value),
        fields: () =>
          Object.fromEntries(Object.entries(fields).map(([each, { type }]) => [each, field(each, type)])),
      }),
    );
  return new GraphQLSchema({
    query: new GraphQLObjectType({ name: 'Query', fields: () => ({ root: field('root', root) }) }),
  });
}

function everything(type: GraphQLOutputType, depth = 0): string {
  const named = getNamedType(type);
  if (!isObjectType(named)) return '';
  const fields = Object.values(named.getFields()).flatMap((field) =>
    depth > DEPTH + 1 && isObjectType(getNamedType(field.type))
      ? []
      : [`${field.name} ${everything(field.type, depth + 1)}`],
  );
  return `{ __typename ${fields.join(' ')} }`;
}

/** Without `__typename`, which keeps selections from being empty. */
function plain(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value), (_key, each) => {
    if (typeof each !== 'object' || each === null || !('__typename' in each)) return each;
    const { __typename: _, ...rest } = each;
    return rest;
  });
}

function pathText(path: readonly (string | number)[]): string {
  return `$${path.map((step) => (typeof step === 'number' ? `[${step}]` : `.${step}`)).join('')}`;
}

test('answers are completed as graphql-js completes them', async () => {
  const random = new Random(19);
  const seen = { accepted: 0, refused: 0, deep: 0 };
  for (let index = 0; index < CASES; index += 1) {
    const types = randomTypes(random);
    const text = randomType(random, [...SCALARS, ...OBJECTS, ...OBJECTS, ...OBJECTS]);
    const value = randomValue(random, parseType(text), types);
    const json = JSON.stringify(value);
    const schema = referenceSchema(types, text);
    const document = parse(`{ root ${everything(schema.getQueryType()!.getFields().root!.type)} }`);
    const { data, errors } = await execute({ schema, document, rootValue: { root: JSON.parse(json) } });
    const about = `${text} ${JSON.stringify(types.objects)} ${json}`;
    try {
      const type = actionTypes(types, {} as RoleSchema).output(text);
      const completed = completeAnswer(type, parseExactJson(json));
      expect(
        errors?.map(({ message }) => message),
        about,
      ).toBeUndefined();
      expect(JSON.parse(jsonText(completed)), about).toEqual(plain(data!.root));
      seen.accepted += 1;
    } catch (error) {
      if (!(error instanceof AnswerMismatch)) throw error;
      const paths = (errors ?? []).map(({ path }) => pathText(path!.slice(1)));
      expect(paths, `${error.message} at ${error.path}: ${about}`).toContain(error.path);
      seen.refused += 1;
      if (error.path.split(/[.[]/).length > 4) seen.deep += 1;
    }
  }
  // Neither kind is rare.
  expect(seen.accepted).toBeGreaterThan(CASES / 5);
  expect(seen.refused).toBeGreaterThan(CASES / 5);
  expect(seen.deep).toBeGreaterThan(CASES / 50);
});
