/** Custom types as GraphQL types, for one role: its relationships lead to tables that the role may read. */
import { DEFAULT_DEPRECATION_REASON, Kind, parseType, type TypeNode } from 'graphql';
import type { SourceShape } from '../contract/shapes.ts';
import type { TableTarget } from '../join/join.ts';
import { lazy, remember } from '../remember.ts';
import type { RoleSchema } from '../schema/role-schema.ts';
import { BOOLEAN, FLOAT, ID, INT, STRING, typename } from '../schema/shared-types.ts';
import {
  byName,
  type EnumType,
  type FieldDefinition,
  type InputFieldDefinition,
  type InputType,
  type ListType,
  listOf,
  type NamedType,
  nonNull,
  type ObjectType,
  type ScalarType,
  type TypeReference,
} from '../schema/types.ts';
import { columnType } from '../types.ts';
import type {
  CustomFieldShape,
  CustomFieldsShape,
  CustomRelationshipShape,
  CustomTypesShape,
} from './shapes.ts';

/** Finds the GraphQL type of a type's text, such as `[Item!]!`. */
type FindType = (text: string) => TypeReference;

/** The types of a role. */
export interface ActionTypes {
  readonly input: FindType;
  readonly output: FindType;
}

/** Built-in scalars. */
const BUILTIN: Readonly<Record<string, ScalarType>> = {
  Int: INT,
  Float: FLOAT,
  String: STRING,
  Boolean: BOOLEAN,
  ID,
};

/** Types without a table behind them. */
const NO_SOURCE: SourceShape = { name: '', kind: 'postgres', types: {} };

/** Memo: a role's schema never changes. */
const cache = new WeakMap<RoleSchema, ActionTypes>();

/** The custom types as a role sees them. */
export function actionTypes(types: CustomTypesShape, role: RoleSchema): ActionTypes {
  return remember(cache, role, () => createActionTypes(types, role));
}

function createActionTypes(types: CustomTypesShape, role: RoleSchema): ActionTypes {
  const named = new Map<string, NamedType>();
  const leaf = (name: string): NamedType | undefined => {
    if (Object.hasOwn(BUILTIN, name)) return BUILTIN[name];
    const postgres = own(types.postgres, name);
    if (postgres !== undefined) return postgresScalar(name, postgres);
    const scalar = own(types.scalars, name);
    if (scalar) return { kind: 'scalar', name, ...scalar, accepts: columnType(NO_SOURCE, 'json') };
    const members = own(types.enums, name);
    return members && enumType(name, members);
  };
  const find = (name: string): NamedType =>
    remember(named, name, () => {
      const inputs = own(types.inputs, name);
      const object = own(types.objects, name);
      const type =
        leaf(name) ??
        (inputs && inputType(name, inputs)) ??
        (object && objectType(name, object, object.relationships ?? {}));
      if (!type) throw new Error(`generated code refers to the type ${name}, which is not part of it`);
      return type;
    });
  const reference: FindType = (text) => typeReference(parseType(text, { noLocation: true }), find);

  function inputType(name: string, { description, fields }: CustomFieldsShape): InputType {
    return {
      kind: 'input',
      name,
      ...(description ? { description } : {}),
      fields: lazy(() => byName(Object.entries(fields).map(inputField))),
    };
  }

  function inputField([name, { type, description }]: [string, CustomFieldShape]): InputFieldDefinition {
    return {
      name,
      ...(description ? { description } : {}),
      type: reference(type),
      meaning: { kind: 'plain' },
    };
  }

  function objectType(
    name: string,
    { description, fields }: CustomFieldsShape,
    relationships: Readonly<Record<string, CustomRelationshipShape>>,
  ): ObjectType {
    return {
      kind: 'object',
      name,
      ...(description ? { description } : {}),
      fields: lazy(() =>
        byName<FieldDefinition>([
          ...Object.entries(fields).map(([field, shape]) => answerField(field, reference(shape.type), shape)),
          ...Object.entries(relationships).flatMap(([field, shape]) => relationshipField(field, shape)),
          typename(),
        ]),
      ),
    };
  }

  function relationshipField(name: string, shape: CustomRelationshipShape): FieldDefinition[] {
    const table = role.program.tables.find(
      ({ key, source }) => key === shape.table && source.name === shape.source,
    );
    // An artefact for some roles leaves out tables that none of them may read.
    if (!table) return [];
    const visible = role.table(table);
    if (!visible.select) return [];
    const target = role.types(table);
    const pairs = Object.entries(shape.columns);
    const keys = pairs.map(([field]) => ({ name: field }));
    const columns = pairs.map(([, column]) => table.columns.get(column)!);
    const meaning = (form: TableTarget['form']): FieldDefinition['meaning'] => ({
      kind: 'join',
      join: {
        keys,
        handover: 'tuple',
        target: { kind: 'table', source: shape.source, visible, columns, form },
      },
    });
    if (shape.kind === 'object') {
      const type = target.object();
      const description = 'An object relationship';
      return [{ name, description, arguments: new Map(), type, meaning: meaning('object') }];
    }
    const list: FieldDefinition = {
      name,
      description: 'An array relationship',
      arguments: target.listArguments(),
      type: nonNull(listOf(nonNull(target.object()))),
      meaning: meaning('array'),
    };
    if (!visible.select.aggregations) return [list];
    const aggregate: FieldDefinition = {
      name: table.names.related(name, 'aggregate'),
      description: 'An aggregate relationship',
      arguments: target.listArguments(),
      type: nonNull(target.aggregate()),
      meaning: meaning('aggregate'),
    };
    return [list, aggregate];
  }

  return { input: reference, output: reference };
}

/** A field whose value the handler answers. */
export function answerField(
  name: string,
  type: TypeReference,
  { description }: { readonly description?: string },
): FieldDefinition {
  return {
    name,
    ...(description ? { description } : {}),
    arguments: new Map(),
    type,
    meaning: { kind: 'answer' },
  };
}

/** A scalar of PostgreSQL. @param key of its type */
export function postgresScalar(name: string, key: string): ScalarType {
  return { kind: 'scalar', name, accepts: columnType(NO_SOURCE, key) };
}

function enumType(
  name: string,
  { description, values }: NonNullable<CustomTypesShape['enums']>[string],
): EnumType {
  return {
    kind: 'enum',
    name,
    ...(description ? { description } : {}),
    values: new Map(
      Object.entries(values).map(([value, { description: text, deprecated }]) => [
        value,
        {
          value,
          ...(text ? { description: text } : {}),
          ...(deprecated ? { deprecationReason: DEFAULT_DEPRECATION_REASON } : {}),
        },
      ]),
    ),
  };
}

function typeReference(node: TypeNode, find: (name: string) => NamedType): TypeReference {
  switch (node.kind) {
    case Kind.NON_NULL_TYPE:
      return nonNull(typeReference(node.type, find) as NamedType | ListType);
    case Kind.LIST_TYPE:
      return listOf(typeReference(node.type, find));
    default:
      return find(node.name.value);
  }
}

function own<Value>(record: Readonly<Record<string, Value>> | undefined, name: string): Value | undefined {
  return record && Object.hasOwn(record, name) ? record[name] : undefined;
}
