/** Logical models: the rows of native queries, and who may read them. */
import { isObject, type Json, type Located } from '../../core/json/json.ts';
import { DECLARED_SCHEMA } from '../../core/names.ts';
import type { Codec, TypeOf } from '../codec.ts';
import {
  choose,
  convert,
  extension,
  key,
  namesInside,
  object,
  optional,
  printedDefault,
  requiredList,
  sorted,
  withDefault,
} from '../combinators.ts';
import { keyedEntries } from '../entries.ts';
import { boolean, graphqlName, naturalNumber, text } from '../values.ts';
import { permissionEntry, permissionList, selectColumns, selectFilter } from './permission.ts';

/** Type of a field; PostgreSQL says what the name of a scalar means. */
export type LogicalType =
  | { readonly kind: 'scalar'; readonly scalar: string; readonly nullable: boolean }
  | { readonly kind: 'array'; readonly array: LogicalType; readonly nullable: boolean }
  | { readonly kind: 'model'; readonly logical_model: string; readonly nullable: boolean };

const nullable = key('Whether it may be null.', printedDefault(boolean, false));

/** Nested types are read when they are met, so that the codec need not hold itself. */
const nested: Codec<LogicalType> = choose<LogicalType>(
  (input) => (isObject(input) ? typeForm(input) : EXPECTED),
  (type) => formOf(type),
);

const EXPECTED = 'Expecting object { scalar }, { array } or { logical_model }.';

const scalarType: Codec<LogicalType> = convert(
  sorted(object({ scalar: key('A type of PostgreSQL.', text), nullable }, { title: 'Logical type' })),
  { read: (raw): LogicalType => ({ kind: 'scalar', ...raw }), write: (type) => type as never },
);
const arrayType: Codec<LogicalType> = convert(
  sorted(object({ array: key('Type of the items.', nested), nullable })),
  { read: (raw): LogicalType => ({ kind: 'array', ...raw }), write: (type) => type as never },
);
const modelType: Codec<LogicalType> = convert(
  sorted(object({ logical_model: key('A logical model.', text), nullable })),
  { read: (raw): LogicalType => ({ kind: 'model', ...raw }), write: (type) => type as never },
);

function typeForm(input: Readonly<Record<string, unknown>>): Codec<LogicalType> | string {
  if ('scalar' in input) return scalarType;
  if ('array' in input) return arrayType;
  return 'logical_model' in input ? modelType : EXPECTED;
}

function formOf({ kind }: LogicalType): Codec<LogicalType> {
  return kind === 'scalar' ? scalarType : kind === 'array' ? arrayType : modelType;
}

export type LogicalField = {
  readonly name: string;
  readonly type: LogicalType;
  readonly description?: string;
};

const description = key('Text for readers and the GraphQL schema.', optional(text));

const fieldObject = object(
  {
    name: key('Name of the field, and of the column of the query.', graphqlName),
    type: key(
      'An object: `{scalar, nullable}`, `{array, nullable}` or `{logical_model, nullable}`. Or, with `nullable` beside it, the name of a type of PostgreSQL.',
      nested,
    ),
    description,
  },
  { title: 'Logical field' },
) as unknown as Codec<LogicalField>;

const shortField: Codec<LogicalField> = convert(
  object({ name: key('Name.', graphqlName), type: key('Type.', text), nullable, description }),
  {
    read: ({ type: scalar, nullable: isNullable, ...rest }): LogicalField => ({
      ...rest,
      type: { kind: 'scalar', scalar, nullable: isNullable },
    }),
    write: (field) => field as never,
  },
);

/** An older form has the type's name as a text. */
const field = choose<LogicalField>(
  (input) => (isObject(input) && typeof input.type === 'string' ? shortField : fieldObject),
  fieldObject,
);

const fieldList = requiredList(field);

/** A list; written by hand also an object, name → field. */
const fields: Codec<readonly LogicalField[]> = {
  ...fieldList,
  read: (input, reading) =>
    fieldList.read(
      isObject(input)
        ? Object.entries(input).map(([name, given]) => ({ name, ...(isObject(given) && given) }) as Json)
        : input,
      reading,
    ),
};

const logicalModelPermission = object(
  {
    columns: selectColumns,
    filter: selectFilter,
    limit: extension('Maximum number of rows that one field gives.', optional(naturalNumber)),
    allow_aggregations: extension('Offer aggregates.', withDefault(boolean, false)),
  },
  { title: 'Permission on a logical model' },
);

export const logicalModelPermissionEntry = permissionEntry(logicalModelPermission);

export const logicalModel = object(
  {
    name: key('Name of the model, and of its GraphQL type.', graphqlName),
    fields: key('Its fields.', fields),
    description,
    select_permissions: key(
      'Roles that may read the rows.',
      permissionList('select', logicalModelPermissionEntry),
    ),
  },
  { title: 'Logical model' },
);

export type LogicalModel = TypeOf<typeof logicalModel> & Located;

export const logicalModels = keyedEntries(
  namesInside(logicalModel, ({ name }) => ({ table: { schema: DECLARED_SCHEMA, name } })),
  { kind: 'logical models', key: ({ name }) => name },
);
