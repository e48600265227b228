/** Random operations made from a schema alone: every field, argument and input type of it, with operands of all kinds. */
import {
  type GraphQLArgument,
  type GraphQLInputField,
  type GraphQLInputType,
  type GraphQLObjectType,
  type GraphQLSchema,
  getNamedType,
  isEnumType,
  isInputObjectType,
  isLeafType,
  isListType,
  isNonNullType,
  isObjectType,
} from 'graphql';
import type { Json } from '../../../runtime/metadata/metadata.ts';
import type { Random } from '../random.ts';
import { randomList, randomScalar } from './values.ts';

/** A document with its variables, as clients send them. */
export interface HostileRequest {
  readonly query: string;
  readonly variables: Readonly<Record<string, Json>>;
}

/** Name of an enum's value, which a literal writes without quotes. */
class EnumName {
  readonly name: string;
  constructor(name: string) {
    this.name = name;
  }
}

type Given = Json | EnumName | readonly Given[] | { readonly [key: string]: Given };

export function randomDocument(
  random: Random,
  schema: GraphQLSchema,
  kind: 'query' | 'mutation',
): HostileRequest | undefined {
  const root = kind === 'query' ? schema.getQueryType() : schema.getMutationType();
  if (!root) return undefined;
  const declarations: string[] = [];
  const variables: Record<string, Json> = {};

  const fields = random.list(random.pick([1, 1, 2]), (index) => `r${index}: ${field(root, 3)}`);
  const declared = declarations.length > 0 ? `(${declarations.join(', ')})` : '';
  return { query: `${kind} ${declared} { ${fields.join(' ')} }`, variables };

  function field(type: GraphQLObjectType, depth: number): string {
    const all = Object.values(type.getFields());
    const leaves = all.filter(({ type: of }) => isLeafType(getNamedType(of)));
    const chosen = depth > 0 ? all : leaves;
    if (chosen.length === 0) return '__typename';
    const { name, args, type: of } = random.pick(chosen);
    const named = getNamedType(of);
    const inner = isObjectType(named) ? ` { ${selection(named, depth - 1)} }` : '';
    return `${name}${argumentsOf(args)}${inner}`;
  }

  function selection(type: GraphQLObjectType, depth: number): string {
    return random
      .list(random.pick([1, 1, 2, 3]), (index) => {
        const text = field(type, depth);
        return text === '__typename' ? text : `f${index}: ${text}`;
      })
      .join(' ');
  }

  function argumentsOf(args: readonly GraphQLArgument[]): string {
    const given = args.filter(
      ({ type, defaultValue }) => (isNonNullType(type) && defaultValue === undefined) || random.chance(0.45),
    );
    if (given.length === 0) return '';
    return `(${given.map((argument) => `${argument.name}: ${written(argument.type)}`).join(', ')})`;
  }

  function written(type: GraphQLInputType): string {
    const value = randomValue(random, type, 4);
    if (!random.chance(0.35)) return literal(value);
    const name = `v${declarations.length}`;
    declarations.push(`$${name}: ${type}`);
    variables[name] = plain(value);
    return `$${name}`;
  }
}

function randomValue(random: Random, type: GraphQLInputType, depth: number): Given {
  if (isNonNullType(type)) return randomValue(random, type.ofType, depth);
  if (random.chance(0.03)) return null;
  if (isListType(type)) {
    const item = () => randomValue(random, type.ofType, depth) as Json;
    if (isLeafType(getNamedType(type)) && random.chance(0.1))
      return randomList(random, () => randomList(random, item));
    return randomList(random, item) as Given;
  }
  if (isEnumType(type)) {
    const names = type.getValues().map(({ name }) => name);
    return random.chance(0.03) ? 'no_value' : new EnumName(random.pick(names));
  }
  if (isInputObjectType(type)) {
    const fields = Object.values(type.getFields());
    const required = fields.filter((field) => isNonNullType(field.type) && field.defaultValue === undefined);
    // Deep objects end here.
    const others = fields.filter((field) => !required.includes(field) && (depth > 0 || !isDeep(field)));
    const some =
      others.length > 0 ? random.list(random.pick([0, 1, 1, 1, 2]), () => random.pick(others)) : [];
    return Object.fromEntries(
      [...new Set([...required, ...some])].map((field) => [
        field.name,
        randomValue(random, field.type, depth - 1),
      ]),
    );
  }
  return randomScalar(random, type.name);
}

function isDeep({ type }: GraphQLInputField): boolean {
  return isInputObjectType(getNamedType(type));
}

function literal(value: Given): string {
  if (value instanceof EnumName) return value.name;
  if (Array.isArray(value)) return `[${value.map(literal).join(', ')}]`;
  if (typeof value === 'object' && value !== null) {
    const fields = Object.entries(value).filter(([name]) => /^[_A-Za-z]\w*$/.test(name));
    return `{${fields.map(([name, part]) => `${name}: ${literal(part)}`).join(', ')}}`;
  }
  return JSON.stringify(value);
}

function plain(value: Given): Json {
  if (value instanceof EnumName) return value.name;
  if (Array.isArray(value)) return value.map(plain);
  if (typeof value === 'object' && value !== null)
    return Object.fromEntries(Object.entries(value).map(([name, part]) => [name, plain(part)]));
  return value as Json;
}
