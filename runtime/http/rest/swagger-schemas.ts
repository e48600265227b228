/** Types of the API as schemas of the document of /api/swagger/json. */
import { Kind, type TypeNode } from 'graphql';
import type { SelectedField, Selection } from '../../core/request/selection.ts';
import type { InputType, NamedType, TypeReference } from '../../core/schema/types.ts';

export type SwaggerSchema = Readonly<Record<string, unknown>>;

/** Makes schemas; named ones are collected, and referred to. */
export interface SwaggerSchemaWriter {
  readonly components: Readonly<Record<string, SwaggerSchema>>;
  /** Schema of the answer of a selection: one property per field. */
  readonly properties: (selection: Selection) => SwaggerSchema;
  /** @param named the type that the declaration names, where a use of the variable tells it */
  readonly variable: (declared: TypeNode, named: NamedType | undefined) => SwaggerSchema;
  /** A variable in a path or query text; undefined for one that only a body can hold. */
  readonly text: (declared: TypeNode, named: NamedType | undefined) => SwaggerSchema | undefined;
}

const UUID = '[a-f0-9]{8}-[a-f0-9]{4}-4[a-f0-9]{3}-[89aAbB][a-f0-9]{3}-[a-f0-9]{12}';

/** Standard scalars are written where they occur, without a component. */
const STANDARD: Readonly<Record<string, string>> = {
  Int: 'integer',
  Float: 'number',
  String: 'string',
  ID: 'string',
  Boolean: 'boolean',
};

const WHOLE_NUMBERS: ReadonlySet<string> = new Set(['smallint', 'bigint', 'int8', 'int2']);
const NUMBERS: ReadonlySet<string> = new Set(['numeric', 'float8', 'float4', 'real', 'Double', 'Number']);
const ANYTHING: ReadonlySet<string> = new Set(['json', 'jsonb', '_Any']);

/** @param stringifyNumbers whether answers give numbers that JavaScript may not hold as strings */
export function createSwaggerSchemaWriter(stringifyNumbers: boolean): SwaggerSchemaWriter {
  const components: Record<string, SwaggerSchema> = {};

  const component = (name: string, nullable: boolean, make: () => SwaggerSchema): SwaggerSchema => {
    const key = nullable ? name : `${name}!`;
    if (!Object.hasOwn(components, key)) {
      // Known before it is made: input objects refer to themselves.
      components[key] = {};
      components[key] = make();
    }
    return { $ref: `#/components/schemas/${key}` };
  };

  const scalarType = (name: string): SwaggerSchema => {
    if (ANYTHING.has(name)) return {};
    if (WHOLE_NUMBERS.has(name)) return { type: stringifyNumbers ? 'string' : 'integer' };
    if (NUMBERS.has(name)) return { type: stringifyNumbers ? 'string' : 'number' };
    return { type: 'string', ...(name === 'uuid' ? { pattern: UUID } : {}) };
  };

  const scalar = (name: string, nullable: boolean): SwaggerSchema => {
    const standard = STANDARD[name];
    return standard === undefined
      ? component(name, nullable, () => ({ title: name, nullable, ...scalarType(name) }))
      : { title: name, type: standard, nullable };
  };

  const inputObject = (type: InputType, nullable: boolean): SwaggerSchema =>
    component(type.name, nullable, () => ({
      title: type.name,
      type: 'object',
      ...(type.description === undefined ? {} : { description: type.description }),
      nullable,
      properties: Object.fromEntries(
        [...type.fields().values()].map((field) => [field.name, reference(field.type, named, true)]),
      ),
    }));

  const named = (type: NamedType, nullable: boolean): SwaggerSchema => {
    if (type.kind === 'scalar') return scalar(type.name, nullable);
    if (type.kind === 'input') return inputObject(type, nullable);
    if (type.kind !== 'enum') return { title: type.name, type: 'object', nullable };
    return component(type.name, nullable, () => ({
      title: type.name,
      type: 'string',
      nullable,
      ...(type.values.size > 0 ? { enum: [...type.values.keys(), ...(nullable ? [null] : [])] } : {}),
    }));
  };

  const reference = (
    type: TypeReference,
    write: (type: NamedType, nullable: boolean) => SwaggerSchema,
    nullable: boolean,
  ): SwaggerSchema => {
    if (type.kind === 'nonNull') return reference(type.of, write, false);
    if (type.kind === 'list') return { type: 'array', nullable, items: reference(type.of, write, true) };
    return write(type, nullable);
  };

  const field = ({ definition, selection }: SelectedField): SwaggerSchema =>
    reference(
      definition.type,
      (type, nullable) =>
        type.kind === 'object'
          ? {
              title: type.name,
              type: 'object',
              ...(type.description === undefined ? {} : { description: type.description }),
              nullable,
              properties: properties(selection),
            }
          : named(type, nullable),
      true,
    );

  const properties = (selection: Selection): SwaggerSchema =>
    Object.fromEntries(selection.fields.map((each) => [each.responseName, field(each)]));

  const variable = (declared: TypeNode, type: NamedType | undefined, nullable = true): SwaggerSchema => {
    if (declared.kind === Kind.NON_NULL_TYPE) return variable(declared.type, type, false);
    if (declared.kind === Kind.LIST_TYPE)
      return { type: 'array', nullable, items: variable(declared.type, type) };
    return type ? named(type, nullable) : scalar(declared.name.value, nullable);
  };

  const text = (declared: TypeNode, type: NamedType | undefined): SwaggerSchema | undefined => {
    const bare = declared.kind === Kind.NON_NULL_TYPE ? declared.type : declared;
    if (bare.kind === Kind.LIST_TYPE || type?.kind === 'input') return undefined;
    if (type?.kind === 'enum') return { type: 'string', enum: [...type.values.keys()] };
    const name = bare.name.value;
    return STANDARD[name] === undefined ? scalarType(name) : { type: STANDARD[name] };
  };

  return { components, properties, variable: (declared, type) => variable(declared, type), text };
}
