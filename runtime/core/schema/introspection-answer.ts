/** The texts of introspection's answers. */
import { parseValue, print, specifiedScalarTypes } from 'graphql';
import { EngineError } from '../errors.ts';
import {
  type IntrospectedDirective,
  type IntrospectedSchema,
  shownFields,
  shownInputs,
  sortedByName,
} from './introspected-schema.ts';
import type { Asked } from './introspection-selection.ts';
import type { ArgumentDefinition, EnumType, FieldDefinition, NamedType, TypeReference } from './types.ts';

/** Characters that are collected before they become bytes: small texts that are joined take several times their length. */
const CHUNK = 64 * 1024;

const KINDS = {
  scalar: 'SCALAR',
  enum: 'ENUM',
  input: 'INPUT_OBJECT',
  object: 'OBJECT',
  interface: 'INTERFACE',
  union: 'UNION',
  list: 'LIST',
  nonNull: 'NON_NULL',
} as const satisfies Record<TypeReference['kind'], string>;

type EnumItem = { readonly name: string } & Omit<
  EnumType['values'] extends ReadonlyMap<string, infer Value> ? Value : never,
  'value'
>;

/** How many characters answers may still take; several answers may share it. */
interface AnswerSize {
  left: number;
}

/** Writes one answer. */
export class IntrospectionAnswer {
  readonly #chunks: Buffer[] = [];
  readonly #size: AnswerSize;
  #text = '';

  private constructor(size: AnswerSize) {
    this.#size = size;
  }

  /** The answer to `__schema`. @throws EngineError when it is too long */
  static ofSchema(schema: IntrospectedSchema, asked: readonly Asked[], size: AnswerSize): string {
    const answer = new IntrospectionAnswer(size);
    answer.#schema(schema, asked);
    return answer.#end();
  }

  /** The answer to `__type`. @throws EngineError when it is too long */
  static ofType(type: NamedType, asked: readonly Asked[], size: AnswerSize): string {
    const answer = new IntrospectionAnswer(size);
    answer.#type(type, asked);
    return answer.#end();
  }

  #end(): string {
    this.#chunks.push(Buffer.from(this.#text));
    return Buffer.concat(this.#chunks).toString();
  }

  #add(text: string): void {
    this.#text += text;
    if (this.#text.length < CHUNK) return;
    this.#size.left -= this.#text.length;
    if (this.#size.left < 0)
      throw new EngineError('validation-failed', 'the answer of the introspection is too long');
    this.#chunks.push(Buffer.from(this.#text));
    this.#text = '';
  }

  /** @param write writes the value of a field */
  #object(typename: string, asked: readonly Asked[], write: (field: Asked) => void): void {
    this.#add('{');
    asked.forEach((field, index) => {
      this.#add(index > 0 ? `,${field.key}` : field.key);
      if (field.name === '__typename') this.#value(typename);
      else write(field);
    });
    this.#add('}');
  }

  #list<Item>(items: Iterable<Item>, write: (item: Item) => void): void {
    this.#add('[');
    let isFirst = true;
    for (const item of items) {
      if (!isFirst) this.#add(',');
      isFirst = false;
      write(item);
    }
    this.#add(']');
  }

  #value(value: string | boolean | readonly string[] | null | undefined): void {
    this.#add(JSON.stringify(value ?? null));
  }

  #schema(schema: IntrospectedSchema, asked: readonly Asked[]): void {
    this.#object('__Schema', asked, ({ name, below }) => {
      const root = (type: NamedType | undefined) => (type ? this.#type(type, below) : this.#value(null));
      switch (name) {
        case 'types':
          return this.#list(schema.types.values(), (type) => this.#type(type, below));
        case 'queryType':
          return root(schema.query);
        case 'mutationType':
          return root(schema.mutation);
        case 'subscriptionType':
          return root(schema.subscription);
        case 'directives':
          return this.#list(schema.directives, (directive) => this.#directive(directive, below));
        default:
          return this.#value(null);
      }
    });
  }

  #type(type: TypeReference, asked: readonly Asked[]): void {
    const isWrapper = type.kind === 'list' || type.kind === 'nonNull';
    this.#object('__Type', asked, (field) => {
      switch (field.name) {
        case 'kind':
          return this.#value(KINDS[type.kind]);
        case 'name':
          return this.#value(isWrapper ? null : type.name);
        case 'description':
          return this.#value(isWrapper ? null : descriptionOf(type));
        case 'ofType':
          return isWrapper ? this.#type(type.of, field.below) : this.#value(null);
        default:
          return isWrapper ? this.#value(null) : this.#part(type, field);
      }
    });
  }

  /** A field of `__Type` that only some kinds of types have. */
  #part(type: NamedType, { name, arguments: given, below }: Asked): void {
    const isShown = shownItems(given);
    const types = (items: Iterable<NamedType>) =>
      this.#list(sortedByName(items), (item) => this.#type(item, below));
    if (name === 'fields' && (type.kind === 'object' || type.kind === 'interface')) {
      const fields = shownFields(type.fields()).filter(isShown);
      // Those of introspection are in the order of their specification.
      const inOrder = type.name.startsWith('__') ? fields : sortedByName(fields);
      this.#list(inOrder, (field) => this.#field(field, below));
    } else if (name === 'interfaces' && (type.kind === 'object' || type.kind === 'interface')) {
      types([...(type.abstract?.().values() ?? [])].filter(({ kind }) => kind === 'interface'));
    } else if (name === 'possibleTypes' && (type.kind === 'interface' || type.kind === 'union')) {
      types(type.possible().values());
    } else if (name === 'enumValues' && type.kind === 'enum') {
      const items = [...type.values].map(([item, value]) => ({ ...value, name: item }));
      this.#list(inCodeOrder(items.filter(isShown)), (item) => this.#enumValue(item, below));
    } else if (name === 'inputFields' && type.kind === 'input') {
      this.#list(sortedByName(shownInputs(type.fields()).filter(isShown)), (field) =>
        this.#input(field, below),
      );
    } else if (name === 'isOneOf' && type.kind === 'input') this.#value(type.isOneOf === true);
    else this.#value(name === 'specifiedByURL' && type.kind === 'scalar' ? type.specifiedBy : null);
  }

  #field(field: FieldDefinition, asked: readonly Asked[]): void {
    this.#object('__Field', asked, ({ name, arguments: given, below }) => {
      switch (name) {
        case 'name':
          return this.#value(field.name);
        case 'description':
          return this.#value(field.description);
        case 'args':
          return this.#list(
            sortedByName([...field.arguments.values()].filter(shownItems(given))),
            (argument) => this.#input(argument, below),
          );
        case 'type':
          return this.#type(field.type, below);
        case 'isDeprecated':
          return this.#value(field.deprecationReason !== undefined);
        default:
          return this.#value(field.deprecationReason);
      }
    });
  }

  #input(input: ArgumentDefinition, asked: readonly Asked[]): void {
    this.#object('__InputValue', asked, ({ name, below }) => {
      switch (name) {
        case 'name':
          return this.#value(input.name);
        case 'description':
          return this.#value(input.description);
        case 'type':
          return this.#type(input.type, below);
        case 'defaultValue':
          return this.#value(input.defaultValue === undefined ? null : print(parseValue(input.defaultValue)));
        case 'isDeprecated':
          return this.#value(input.deprecationReason !== undefined);
        default:
          return this.#value(input.deprecationReason);
      }
    });
  }

  #enumValue(item: EnumItem, asked: readonly Asked[]): void {
    this.#object('__EnumValue', asked, ({ name }) => {
      switch (name) {
        case 'name':
          return this.#value(item.name);
        case 'description':
          return this.#value(item.description);
        case 'isDeprecated':
          return this.#value(item.deprecationReason !== undefined);
        default:
          return this.#value(item.deprecationReason);
      }
    });
  }

  #directive(directive: IntrospectedDirective, asked: readonly Asked[]): void {
    this.#object('__Directive', asked, ({ name, below }) => {
      switch (name) {
        case 'name':
          return this.#value(directive.name);
        case 'description':
          return this.#value(directive.description);
        case 'isRepeatable':
          return this.#value(false);
        case 'locations':
          return this.#value(directive.locations);
        default:
          return this.#list(directive.arguments.values(), (argument) => this.#input(argument, below));
      }
    });
  }
}

/** Deprecated items are shown where they are asked for. */
function shownItems({ includeDeprecated }: Asked['arguments']) {
  return ({ deprecationReason }: { readonly deprecationReason?: string }): boolean =>
    includeDeprecated === true || deprecationReason === undefined;
}

function descriptionOf(type: NamedType): string | null | undefined {
  const standard = type.kind === 'scalar' && specifiedScalarTypes.find(({ name }) => name === type.name);
  return standard ? standard.description : type.description;
}

function inCodeOrder<Item extends { readonly name: string }>(items: readonly Item[]): Item[] {
  return items.toSorted((left, right) => (left.name < right.name ? -1 : 1));
}
