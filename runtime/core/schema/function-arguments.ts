/** Arguments of functions that clients give. */

import { askedArguments, type SourceShape } from '../contract/shapes.ts';
import { argumentNames, displayName } from '../names.ts';
import type { ComputedField, Relationship } from '../program/program.ts';
import { lazy } from '../remember.ts';
import { type ColumnType, columnType } from '../types.ts';
import { scalarOf } from './shared-types.ts';
import {
  type ArgumentDefinition,
  byName,
  description,
  type InputFieldDefinition,
  type InputType,
  listOf,
  nonNull,
  type ScalarType,
  type TypeReference,
} from './types.ts';
import type { VisibleTable } from './visible-table.ts';

/** `args` of a computed field, where the client has any to give. */
export function computedArguments(
  field: ComputedField,
  visible: VisibleTable,
): ReadonlyMap<string, ArgumentDefinition> {
  const { shape } = visible.table;
  const type = argumentsType(field, visible);
  return type
    ? byName([
        {
          name: 'args',
          description: `input parameters for computed field "${field.name}" defined on table "${displayName(shape.schema, shape.name)}"`,
          type,
        },
      ])
    : new Map();
}

function argumentsType(field: ComputedField, visible: VisibleTable): TypeReference | undefined {
  const { names } = visible.table;
  const hidden = new Set([field.shape.tableArgument, field.shape.sessionArgument]);
  const inputs = functionInputs(field.shape.arguments, hidden, visible);
  if (inputs.length === 0) return undefined;
  const type: InputType = {
    kind: 'input',
    name: names.argsOf(field.name),
    fields: lazy(() => byName(inputs)),
  };
  return field.shape.arguments.some((argument, index) => !hidden.has(index) && !argument.hasDefault)
    ? nonNull(type)
    : type;
}

/** `args` of a relationship to a native query, where the client has any to give. */
export function relationshipArguments(
  { name, shape }: Relationship,
  visible: VisibleTable,
): ReadonlyMap<string, ArgumentDefinition> {
  const asked = askedArguments(shape);
  if (asked.length === 0) return new Map();
  const type: InputType = {
    kind: 'input',
    name: visible.table.names.argsOf(name),
    fields: lazy(() => byName(functionInputs(asked, new Set(), visible))),
  };
  return byName([
    {
      name: 'args',
      description: `input parameters for native query "${shape.query!.name}"`,
      type: isAskedFor(shape) ? nonNull(type) : type,
    },
  ]);
}

/** Whether rows are there only for arguments that a client has to give: conditions and orders have none. */
export function isAskedFor(shape: Relationship['shape']): boolean {
  return askedArguments(shape).some(({ notNull }) => notNull);
}

/** Description of a computed field, also of its aggregates. */
export function computedDescription({ shape }: ComputedField): { description?: string } {
  const { schema, name } = shape.function;
  return description(shape.description, `A computed field, executes function "${displayName(schema, name)}"`);
}

/** Arguments of a computed field that the client gives. */
export function userArguments(field: ComputedField): readonly { readonly type: string }[] {
  return field.shape.arguments.filter(
    (_, index) => index !== field.shape.tableArgument && index !== field.shape.sessionArgument,
  );
}

/** The scalar of an argument of a type, below lists. */
export function argumentScalar(source: SourceShape, key: string): ScalarType {
  const scalar = scalarOf(columnType(source, key));
  return source.types[key]?.kind === 'composite' ? { ...scalar, name: `${scalar.name}_scalar` } : scalar;
}

/** Inputs of a function as fields of its `args` object. */
export function functionInputs(
  list: ComputedField['shape']['arguments'],
  hidden: ReadonlySet<number | undefined>,
  visible: VisibleTable,
): InputFieldDefinition[] {
  const names = argumentNames(list, hidden);
  return list.flatMap((argument, position) => {
    const name = names[position];
    if (name === undefined) return [];
    const resolved: ColumnType = columnType(visible.table.source, argument.type);
    const shown = argumentScalar(visible.table.source, argument.type);
    const type = resolved.element ? { ...listOf(nonNull(shown)), scalar: resolved.name } : shown;
    return [
      {
        name,
        ...(argument.description && { description: argument.description }),
        type: argument.notNull ? nonNull(type) : type,
        meaning: { kind: 'functionArgument', position, type: resolved } as const,
      },
    ];
  });
}
