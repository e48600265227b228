/** Types of the API as schemas of OpenAPI 3.0. */
import { Kind, type TypeNode } from 'graphql';
import type { SelectedField, Selection } from '../../core/request/selection.ts';
import type {
  EnumType,
  InputFieldDefinition,
  InputType,
  NamedType,
  ScalarType,
  TypeReference,
} from '../../core/schema/types.ts';

export type OpenapiSchema = Readonly<Record<string, unknown>>;

/** Makes schemas; enums and input objects are collected as components, and referred to. */
export interface OpenapiSchemaWriter {
  readonly components: Readonly<Record<string, OpenapiSchema>>;
  /** Schema of the answer of a selection: one property per field. @param isConditional no field is always there */
  readonly answer: (selection: Selection, isConditional: boolean) => OpenapiSchema;
  /** @param type the type that the declaration names, where a use of the variable tells it */
  readonly variable: (declared: TypeNode, type: NamedType | undefined) => OpenapiSchema;
  /** A variable in a path or query, where objects are JSON texts. */
  readonly text: (declared: TypeNode, type: NamedType | undefined) => OpenapiSchema;
  /** A schema with a default; undefined is none. */
  readonly withDefault: (schema: OpenapiSchema, value: unknown) => OpenapiSchema;
}

/** Scalars whose values have one form in JSON. Of any other scalar only PostgreSQL or its owner knows the form. */
const SCALARS: Readonly<Record<string, OpenapiSchema>> = {
  Int: { type: 'integer', format: 'int32' },
  smallint: { type: 'integer', format: 'int32' },
  Float: { type: 'number' },
  Double: { type: 'number' },
  Number: { type: 'number' },
  String: { type: 'string' },
  ID: { type: 'string' },
  Boolean: { type: 'boolean' },
  uuid: { type: 'string', format: 'uuid' },
  timestamptz: { type: 'string', format: 'date-time' },
};

/** Those that may be strings, depending on a setting of the server. */
const LARGE_NUMBERS: Readonly<Record<string, OpenapiSchema>> = {
  bigint: { type: 'integer', format: 'int64' },
  numeric: { type: 'number' },
  float8: { type: 'number' },
};

const STRING: OpenapiSchema = { type: 'string' };
const ANYTHING: OpenapiSchema = {};

/** @param stringifyNumbers whether answers give numbers that JavaScript may not hold as strings */
export function createOpenapiSchemaWriter(stringifyNumbers: boolean): OpenapiSchemaWriter {
  const components: Record<string, OpenapiSchema> = {};

  const component = (name: string, make: () => OpenapiSchema): OpenapiSchema => {
    if (!Object.hasOwn(components, name)) {
      // Known before it is made: input objects refer to themselves.
      components[name] = {};
      components[name] = make();
    }
    return { $ref: `#/components/schemas/${name}` };
  };

  /** A reference has no room for more. OpenAPI 3.0 has null and defaults beside a type only, and null in the list of an enum. */
  const beside = (schema: OpenapiSchema, notes: OpenapiSchema): OpenapiSchema => {
    if (Object.keys(notes).length === 0) return schema;
    const name = typeof schema.$ref === 'string' ? schema.$ref.slice(schema.$ref.lastIndexOf('/') + 1) : '';
    const { enum: values, ...target } = components[name] ?? schema;
    if (Array.isArray(values))
      return { ...target, enum: notes.nullable ? [...values, null] : values, ...notes };
    return name === '' ? { ...schema, ...notes } : { type: 'object', allOf: [schema], ...notes };
  };
  const orNull = (schema: OpenapiSchema): OpenapiSchema =>
    schema.type === undefined && schema.$ref === undefined ? schema : beside(schema, { nullable: true });
  const noted = (
    schema: OpenapiSchema,
    { description, deprecationReason }: Pick<InputFieldDefinition, 'description' | 'deprecationReason'>,
  ): OpenapiSchema =>
    beside(schema, {
      ...(description !== undefined && { description }),
      ...(deprecationReason !== undefined && { deprecated: true }),
    });

  const scalar = (name: string, accepts?: ScalarType['accepts']): OpenapiSchema => {
    const known = SCALARS[name] ?? (stringifyNumbers && LARGE_NUMBERS[name] ? STRING : LARGE_NUMBERS[name]);
    if (known) return known;
    if (typeof accepts !== 'object') return ANYTHING;
    return isText(accepts.family) && !accepts.isComposite && !accepts.element ? STRING : ANYTHING;
  };

  const input = (type: InputType): OpenapiSchema =>
    component(type.name, () => {
      const fields = [...type.fields().values()];
      const required = fields.flatMap((field) =>
        field.type.kind === 'nonNull' && field.defaultValue === undefined ? [field.name] : [],
      );
      return {
        type: 'object',
        ...(type.description !== undefined && { description: type.description }),
        properties: Object.fromEntries(
          fields.map((field) => [field.name, noted(reference(field.type, named), field)]),
        ),
        ...(required.length > 0 && { required }),
        ...(type.isOneOf && { minProperties: 1, maxProperties: 1 }),
      };
    });

  const enumeration = (type: EnumType): OpenapiSchema => {
    const values = [...type.values.keys()];
    return component(type.name, () => ({ ...STRING, ...(values.length > 0 && { enum: values }) }));
  };

  const named = (type: NamedType): OpenapiSchema => {
    if (type.kind === 'scalar') return scalar(type.name, type.accepts);
    if (type.kind === 'input') return input(type);
    return type.kind === 'enum' ? enumeration(type) : { type: 'object' };
  };

  const reference = (type: TypeReference, write: (type: NamedType) => OpenapiSchema): OpenapiSchema => {
    if (type.kind === 'nonNull') return bare(type.of, write);
    return orNull(bare(type, write));
  };

  const bare = (type: TypeReference, write: (type: NamedType) => OpenapiSchema): OpenapiSchema => {
    if (type.kind === 'nonNull') return bare(type.of, write);
    return type.kind === 'list' ? { type: 'array', items: reference(type.of, write) } : write(type);
  };

  const answer = (selection: Selection, isConditional: boolean): OpenapiSchema => {
    const field = ({ definition, selection: inner }: SelectedField) =>
      noted(
        reference(definition.type, (type) =>
          type.kind === 'object' || type.kind === 'interface' || type.kind === 'union'
            ? {
                ...answer(inner, isConditional),
                ...(type.description !== undefined && { description: type.description }),
              }
            : named(type),
        ),
        definition.deprecationReason === undefined ? {} : { deprecationReason: definition.deprecationReason },
      );
    const { fields, narrowed = [] } = selection;
    const properties = Object.assign(
      {},
      ...narrowed.map((each) => answer(each, true).properties),
      Object.fromEntries(fields.map((each) => [each.responseName, field(each)])),
    );
    const required = isConditional ? [] : fields.map(({ responseName }) => responseName);
    return { type: 'object', properties, ...(required.length > 0 && { required }) };
  };

  const declaredAs = (declared: TypeNode, write: (name: string) => OpenapiSchema): OpenapiSchema => {
    if (declared.kind === Kind.NON_NULL_TYPE) return declaredBare(declared.type, write);
    return orNull(declaredBare(declared, write));
  };
  const declaredBare = (declared: TypeNode, write: (name: string) => OpenapiSchema): OpenapiSchema => {
    if (declared.kind === Kind.NON_NULL_TYPE) return declaredBare(declared.type, write);
    return declared.kind === Kind.LIST_TYPE
      ? { type: 'array', items: declaredAs(declared.type, write) }
      : write(declared.name.value);
  };

  return {
    components,
    answer,
    withDefault: (schema, value) => beside(schema, value === undefined ? {} : { default: value }),
    variable: (declared, type) => declaredAs(declared, (name) => (type ? named(type) : scalar(name))),
    text: (declared, type) => {
      const written = (name: string): OpenapiSchema => {
        const schema = type?.kind === 'input' ? ANYTHING : type ? named(type) : scalar(name);
        return Object.keys(schema).length > 0 ? schema : STRING;
      };
      const schema = declaredBare(declared, written);
      // One text per item.
      return schema.items ? { ...schema, items: declaredBare(itemOf(declared), written) } : schema;
    },
  };
}

function itemOf(declared: TypeNode): TypeNode {
  if (declared.kind === Kind.NON_NULL_TYPE) return itemOf(declared.type);
  return declared.kind === Kind.LIST_TYPE ? declared.type : declared;
}

/** Types whose values PostgreSQL prints as text in JSON. */
function isText(family: string): boolean {
  return !['json', 'jsonb', 'geometry', 'geography'].includes(family);
}
