/** Random operations that are right for the whole remote schema, and ask here and there for what a part of it lacks. */
import {
  type GraphQLArgument,
  type GraphQLField,
  type GraphQLInputField,
  type GraphQLInputType,
  type GraphQLNamedType,
  type GraphQLSchema,
  getNamedType,
  isCompositeType,
  isEnumType,
  isInputObjectType,
  isListType,
  isNonNullType,
  isObjectType,
  isRequiredArgument,
  isRequiredInputField,
} from 'graphql';
import type { Random } from '../random.ts';
import { OF_CLIENT as TEXT } from './check.ts';

export interface Request {
  readonly query: string;
  readonly variables: Readonly<Record<string, unknown>>;
}

/** Values that no argument of the schema takes. */
const WRONG: readonly unknown[] = [null, 1.5, 3000000000, 'wrong', true, ['wrong'], { wrong: 1 }];

/** @param whole what an administrator sees @param part what the role sees */
export function randomRequest(random: Random, whole: GraphQLSchema, part: GraphQLSchema): Request {
  return new Writer(random, whole, part).request();
}

/** A value of a request, as data, with its type. */
interface Value {
  readonly value: unknown;
  readonly type: GraphQLInputType;
}

class Writer {
  readonly #random: Random;
  readonly #whole: GraphQLSchema;
  readonly #part: GraphQLSchema;
  readonly #variables: Record<string, unknown> = {};
  readonly #declarations: string[] = [];
  readonly #fragments: string[] = [];

  constructor(random: Random, whole: GraphQLSchema, part: GraphQLSchema) {
    this.#random = random;
    this.#whole = whole;
    this.#part = part;
  }

  request(): Request {
    const random = this.#random;
    const mutation = this.#whole.getMutationType();
    const isMutation = mutation && random.chance(0.25);
    const root = isMutation ? mutation : this.#whole.getQueryType()!;
    const selected = this.#selection(root, 0);
    const head = this.#declarations.length > 0 ? `(${this.#declarations.join(', ')})` : '';
    const operation = `${isMutation ? 'mutation' : 'query'} ${head} ${selected}`;
    return { query: [operation, ...this.#fragments].join('\n'), variables: this.#variables };
  }

  #declare(type: string, value: unknown, written?: string): string {
    const name = `v${this.#declarations.length}`;
    this.#declarations.push(`$${name}: ${type}${written === undefined ? '' : ` = ${written}`}`);
    if (written === undefined) this.#variables[name] = value;
    return `$${name}`;
  }

  /** Rarely what the part lacks. */
  #offered<Item extends { readonly name: string }>(
    items: readonly Item[],
    known: Readonly<Record<string, unknown>>,
  ) {
    return items.filter(({ name }) => Object.hasOwn(known, name) || this.#random.chance(0.02));
  }

  #fieldsOf(type: GraphQLNamedType): GraphQLField<unknown, unknown>[] {
    if (!('getFields' in type) || isInputObjectType(type)) return [];
    const own = this.#part.getType(type.name);
    const known = own && 'getFields' in own ? own.getFields() : {};
    return this.#offered(Object.values(type.getFields()), known);
  }

  #selection(type: GraphQLNamedType, depth: number): string {
    const random = this.#random;
    const fields = this.#fieldsOf(type).filter(
      (field) => depth < 3 || !isCompositeType(getNamedType(field.type)),
    );
    const joined = fields.filter(({ name }) => /^to|^below|^fixed/.test(name));
    const kind = random.below(depth === 0 ? 20 : 10);
    if (kind === 0) return '{ __typename }';
    if (kind === 1 && depth > 0) return this.#nothing(type, fields);
    if (kind === 2 && joined.length > 0) return `{ ${this.#field(type, random.pick(joined), depth)} }`;
    const chosen = random.some(fields, depth === 0 ? 0.25 : 0.4);
    const parts = chosen.map((field) => this.#field(type, field, depth));
    if (random.chance(0.4)) parts.push(`${random.chance(0.3) ? 'm: ' : ''}__typename`);
    if (depth > 0 && depth < 3)
      for (let count = isObjectType(type) ? random.below(2) : random.between(0, 3); count > 0; count -= 1)
        parts.push(this.#fragment(type, depth));
    if (parts.length === 0) parts.push(random.chance(0.5) ? '__typename' : `... { __typename }`);
    return `{ ${random.shuffle(parts).join(' ')} }`;
  }

  /** A selection of which nothing is left. */
  #nothing(type: GraphQLNamedType, fields: readonly GraphQLField<unknown, unknown>[]): string {
    const random = this.#random;
    const field = fields.length > 0 ? random.pick(fields).name : '__typename';
    const leaf = fields.find((each) => each.name === field && !isCompositeType(getNamedType(each.type)));
    const written = leaf && !leaf.args.some(isRequiredArgument) ? field : '__typename';
    const skipped = this.#skipping();
    const others = Object.values(this.#whole.getTypeMap()).filter(
      (each) => isObjectType(each) && each !== type && /^[\w]*[ABC]\w*$/.test(each.name),
    );
    return random.pick([
      () => `{ ${written} ${skipped} }`,
      () => `{ ... ${skipped} { ${written} } }`,
      () => `{ ${this.#spread(type.name, `{ ${written} }`)} ${skipped} }`,
      () => `{ ... on ${type.name} { ${written} ${skipped} } ${written} ${skipped} }`,
      () =>
        isObjectType(type) && others.length > 0
          ? `{ ... on ${random.pick(others).name} { __typename } }`
          : `{ ... on ${this.#narrower(type).name} { __typename ${skipped} } }`,
    ])();
  }

  #spread(on: string, selection: string): string {
    const name = `F${this.#fragments.length}`;
    this.#fragments.push(`fragment ${name} on ${on} ${selection}`);
    return `...${name}`;
  }

  #skipping(): string {
    const name = this.#random.pick(['skip', 'include'] as const);
    return `@${name}(if: ${this.#boolean(name === 'skip')})`;
  }

  #boolean(value: boolean): string {
    if (this.#random.chance(0.5)) return String(value);
    return this.#declare('Boolean!', value, this.#random.chance(0.3) ? String(value) : undefined);
  }

  #directive(): string {
    if (this.#random.chance(0.9)) return '';
    const name = this.#random.pick(['skip', 'include'] as const);
    return ` @${name}(if: ${this.#boolean(this.#random.chance(0.5))})`;
  }

  /** Some type that an object of the type may be of. */
  #narrower(type: GraphQLNamedType): GraphQLNamedType {
    const whole = this.#whole;
    if (isObjectType(type)) return this.#random.pick([type, ...type.getInterfaces()]);
    if (!isCompositeType(type)) return type;
    const objects = whole.getPossibleTypes(type);
    return this.#random.pick([type, ...objects, ...objects.flatMap((each) => each.getInterfaces())]);
  }

  #fragment(type: GraphQLNamedType, depth: number): string {
    const on = this.#narrower(type);
    const selection = this.#selection(on, depth + 1);
    if (this.#random.chance(0.4)) return `${this.#spread(on.name, selection)}${this.#directive()}`;
    return `... on ${on.name}${this.#directive()} ${selection}`;
  }

  #field(owner: GraphQLNamedType, field: GraphQLField<unknown, unknown>, depth: number): string {
    const random = this.#random;
    const own = this.#part.getType(owner.name);
    const known =
      own && 'getFields' in own && !isInputObjectType(own) ? own.getFields()[field.name]?.args : undefined;
    const offered = Object.fromEntries((known ?? []).map(({ name }) => [name, true]));
    const given = this.#offered(field.args, offered)
      .filter((argument) => isRequiredArgument(argument) || random.chance(0.5))
      .map((argument) => `${argument.name}: ${this.#argument(argument)}`);
    const list = given.length > 0 ? `(${given.join(', ')})` : '';
    const type = getNamedType(field.type);
    const below = isCompositeType(type) ? ` ${this.#selection(type, depth + 1)}` : '';
    const isRenamed = depth === 0 ? random.chance(0.8) : random.chance(0.3);
    const alias = random.chance(0.1)
      ? random.pick(['x', 'secret', 'f0', '__join_nothing'])
      : `a${random.below(1000)}`;
    return `${isRenamed ? `${alias}: ` : ''}${field.name}${list}${this.#directive()}${below}`;
  }

  /** A literal, a variable with a value, or a variable with a default. */
  #argument({ type }: GraphQLArgument): string {
    const value = this.#value(type, 0);
    return this.#written({ type, value }, String(type), 0.4);
  }

  /** @param place the type with which a variable for the place is declared */
  #written({ type, value }: Value, place: string, chance: number): string {
    if (!this.#random.chance(chance)) return this.#literal(value, type, Math.min(chance, 0.15));
    const isDefault = this.#random.chance(0.2);
    return this.#declare(place, value, isDefault ? this.#literal(value, type, 0) : undefined);
  }

  #value(type: GraphQLInputType, depth: number): unknown {
    const random = this.#random;
    if (random.chance(0.01)) return random.pick(WRONG);
    if (isNonNullType(type)) {
      const found = this.#value(type.ofType, depth);
      return found === null ? this.#value(type, depth) : found;
    }
    if (random.chance(0.08)) return null;
    if (isListType(type)) {
      const items = random.list(random.between(0, 2), () => this.#value(type.ofType, depth + 1));
      return items.length === 1 && items[0] !== null && random.chance(0.3) ? items[0] : items;
    }
    if (isInputObjectType(type)) {
      const own = this.#part.getType(type.name);
      const fields = this.#offered(
        Object.values(type.getFields()),
        isInputObjectType(own) ? own.getFields() : {},
      );
      const chosen = type.isOneOf
        ? fields.length > 0 && random.chance(0.97)
          ? [random.pick(fields)]
          : fields
        : fields.filter((each) => isRequiredInputField(each) || (depth < 3 && random.chance(0.35)));
      return Object.fromEntries(
        chosen.map((each) => [each.name, this.#fieldValue(each, type.isOneOf, depth)]),
      );
    }
    if (isEnumType(type)) {
      const own = this.#part.getType(type.name);
      const known = isEnumType(own) ? own.getValues() : [];
      const names = type.getValues().filter(({ name }) => known.some((each) => each.name === name));
      return random.pick(names.length > 0 ? names : type.getValues()).name;
    }
    switch (type.name) {
      case 'Int':
        return 5;
      case 'Float':
        return 2.5;
      case 'Boolean':
        return false;
      case 'Any':
        return random.pick<unknown>([TEXT, { deep: [TEXT, 1] }, [TEXT], 3, true]);
      default:
        return TEXT;
    }
  }

  #fieldValue({ type }: GraphQLInputField, isOneOf: boolean, depth: number): unknown {
    const value = this.#value(type, depth + 1);
    return value === null && isOneOf && this.#random.chance(0.95)
      ? this.#fieldValue({ type } as GraphQLInputField, isOneOf, depth)
      : value;
  }

  /** Parts of lists and input objects may be variables. */
  #literal(value: unknown, type: GraphQLInputType, chance = 0.15): string {
    if (value === null) return 'null';
    if (isNonNullType(type)) return this.#literal(value, type.ofType, chance);
    if (isListType(type)) {
      if (!Array.isArray(value)) return this.#literal(value, type.ofType, chance);
      const { ofType } = type;
      return `[${value.map((item) => this.#written({ value: item, type: ofType }, String(ofType), chance)).join(', ')}]`;
    }
    if (isInputObjectType(type) && typeof value === 'object' && !Array.isArray(value)) {
      const fields = type.getFields();
      const members = Object.entries(value).map(([name, item]) => {
        const field = fields[name];
        if (!field) return `${name}: ${printed(item)}`;
        const place = `${String(field.type)}${type.isOneOf ? '!' : ''}`;
        return `${name}: ${this.#written({ value: item, type: field.type }, place, chance)}`;
      });
      return `{${members.join(', ')}}`;
    }
    return isEnumType(type) && typeof value === 'string' ? value : printed(value);
  }
}

/** A value of any type as a literal. */
function printed(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(printed).join(', ')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  return `{${Object.entries(value)
    .map(([name, item]) => `${name}: ${printed(item)}`)
    .join(', ')}}`;
}
