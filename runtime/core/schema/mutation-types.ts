/** Input and output types of mutations, as one role sees them. */

import { inferableKeys } from '../contract/shapes.ts';
import { displayName } from '../names.ts';
import type { Column } from '../program/program.ts';
import { lazy, remember } from '../remember.ts';
import { isNumeric } from '../types.ts';
import { relatedArgument } from './related-types.ts';
import type { RoleSchema } from './role-schema.ts';
import { columnGraphqlType, INT, STRING, sharedTypes, typename } from './shared-types.ts';
import {
  type ArgumentDefinition,
  byName,
  type EnumType,
  type FieldDefinition,
  type InputFieldDefinition,
  type InputType,
  listOf,
  nonNull,
  type ObjectType,
  type TypeReference,
} from './types.ts';
import type { VisibleTable } from './visible-table.ts';

export interface MutationTypes {
  readonly insertInput: () => InputType;
  readonly onConflict: () => InputType | undefined;
  readonly objectInsertInput: () => InputType;
  readonly arrayInsertInput: () => InputType;
  /** `_set`, `_inc` … that apply to at least one updatable column. */
  readonly updateOperators: () => readonly ArgumentDefinition[];
  readonly updates: () => InputType;
  /** Columns that an insert may give. */
  readonly insertColumns: () => readonly InputFieldDefinition[];
  /** `related` of updates; empty where it is not offered. */
  readonly related: () => readonly ArgumentDefinition[];
  readonly primaryKeyInput: () => InputType;
  readonly response: () => ObjectType;
}

/** Columns that an insert may name: allowed, not preset, not generated. */
function insertableColumns(visible: VisibleTable): readonly Column[] {
  return writableColumns(visible, visible.insert?.columns, visible.insert?.presets);
}

/** Columns that an update may name. */
function updatableColumns(visible: VisibleTable): readonly Column[] {
  return writableColumns(visible, visible.update?.columns, visible.update?.presets);
}

function writableColumns(
  visible: VisibleTable,
  names: readonly string[] | undefined,
  presets: object | undefined,
): readonly Column[] {
  return (names ?? []).flatMap((name) => {
    const column = visible.table.columns.get(name);
    const hidden = !column || column.field === undefined || column.shape.generated || column.shape.readOnly;
    return hidden || Object.hasOwn(presets ?? {}, name) ? [] : [column];
  });
}

export type UpdateOperator =
  | '_set'
  | '_inc'
  | '_append'
  | '_prepend'
  | '_delete_key'
  | '_delete_elem'
  | '_delete_at_path';

/** The operators of updates: argument name, the columns each takes, and the type of its values. */
export const UPDATE_OPERATORS: readonly {
  readonly name: UpdateOperator;
  readonly input: string;
  readonly description: string;
  /** What the type of its values is for, where its description says more than the operator's. */
  readonly typeDescription?: string;
  readonly accepts: (column: Column) => boolean;
  readonly value?: TypeReference;
}[] = [
  {
    name: '_append',
    input: 'append_input',
    description: 'append existing jsonb value of filtered columns with new jsonb value',
    accepts: isJsonb,
  },
  {
    name: '_delete_at_path',
    input: 'delete_at_path_input',
    description:
      'delete the field or element with specified path (for JSON arrays, negative integers count from the end)',
    accepts: isJsonb,
    value: listOf(nonNull(STRING)),
  },
  {
    name: '_delete_elem',
    input: 'delete_elem_input',
    description:
      'delete the array element with specified index (negative integers count from the end). throws an error if top level container is not an array',
    accepts: isJsonb,
    value: INT,
  },
  {
    name: '_delete_key',
    input: 'delete_key_input',
    description:
      'delete key/value pair or string element. key/value pairs are matched based on their key value',
    accepts: isJsonb,
    value: STRING,
  },
  {
    name: '_inc',
    input: 'inc_input',
    description: 'increments the numeric columns with given value of the filtered values',
    typeDescription: 'incrementing numeric columns',
    accepts: (column) => !column.enumTable && isNumeric(column.type),
  },
  {
    name: '_prepend',
    input: 'prepend_input',
    description: 'prepend existing jsonb value of filtered columns with new jsonb value',
    accepts: isJsonb,
  },
  {
    name: '_set',
    input: 'set_input',
    description: 'sets the columns of the filtered rows to the given values',
    typeDescription: 'updating data',
    accepts: () => true,
  },
];

function isJsonb(column: Column): boolean {
  return column.type.family === 'jsonb';
}

/** Memo: what a role sees of a table never changes. */
const cache = new WeakMap<VisibleTable, MutationTypes>();

export function mutationTypes(visible: VisibleTable, role: RoleSchema): MutationTypes {
  return remember(cache, visible, () => createMutationTypes(visible, role));
}

function createMutationTypes(visible: VisibleTable, role: RoleSchema): MutationTypes {
  const { table } = visible;
  const shared = sharedTypes(table.source);
  const name = shared.name;
  const display = displayName(table.shape.schema, table.shape.name);

  const types: MutationTypes = {
    insertInput: lazy(() => ({
      kind: 'input',
      name: table.names.derived('insert_input'),
      description: `input type for inserting data into table "${display}"`,
      fields: lazy(() => byName([...types.insertColumns(), ...nestedInserts()])),
    })),
    onConflict: lazy(() => onConflict()),
    objectInsertInput: lazy(() =>
      relationshipInsert('obj_rel_insert_input', 'object', nonNull(types.insertInput())),
    ),
    arrayInsertInput: lazy(() =>
      relationshipInsert('arr_rel_insert_input', 'array', nonNull(listOf(nonNull(types.insertInput())))),
    ),
    updateOperators: lazy(() =>
      UPDATE_OPERATORS.flatMap((operator) => {
        const columns = updatableColumns(visible).filter(operator.accepts);
        if (columns.length === 0) return [];
        const type: InputType = {
          kind: 'input',
          name: table.names.derived(operator.input),
          description: operator.typeDescription
            ? `input type for ${operator.typeDescription} in table "${display}"`
            : operator.description,
          fields: lazy(() =>
            byName(
              columns.map((column) => ({
                ...columnInput(column),
                ...(operator.value ? { type: operator.value } : {}),
              })),
            ),
          ),
        };
        return [{ name: name(operator.name), description: operator.description, type }];
      }),
    ),
    updates: lazy(() => ({
      kind: 'input',
      name: table.names.derived('updates'),
      fields: lazy(() =>
        byName<InputFieldDefinition>([
          ...[...types.updateOperators(), ...types.related()].map((argument) => ({
            ...argument,
            meaning: { kind: 'plain' as const },
          })),
          {
            name: 'where',
            description: 'filter the rows which have to be updated',
            type: nonNull(role.types(table).booleanExpression()),
            meaning: { kind: 'plain' },
          },
        ]),
      ),
    })),
    insertColumns: () => insertableColumns(visible).map(columnInput),
    related: lazy(() => relatedArgument(visible, role, (target) => mutationTypes(target, role))),
    primaryKeyInput: lazy(() => ({
      kind: 'input',
      name: table.names.derived('pk_columns_input'),
      description: `primary key columns input for table: ${display}`,
      fields: lazy(() =>
        byName(
          table.primaryKey.map((column) => ({
            ...columnInput(column),
            type: nonNull(columnGraphqlType(column, shared)),
          })),
        ),
      ),
    })),
    response: lazy(() => ({
      kind: 'object',
      name: table.names.derived('mutation_response'),
      description: `response of any mutation on the table "${display}"`,
      fields: lazy(() =>
        byName<FieldDefinition>([
          {
            name: name('affected_rows'),
            description: 'number of rows affected by the mutation',
            arguments: new Map(),
            type: nonNull(INT),
            meaning: { kind: 'affectedRows' },
          },
          ...(visible.select
            ? [
                {
                  name: 'returning',
                  description: 'data from the rows affected by the mutation',
                  arguments: new Map(),
                  type: nonNull(listOf(nonNull(role.types(table).object()))),
                  meaning: { kind: 'returning' as const },
                },
              ]
            : []),
          typename(),
        ]),
      ),
    })),
  };
  return types;

  function columnInput(column: Column): InputFieldDefinition {
    return {
      name: column.field!,
      ...(column.shape.description ? { description: column.shape.description } : {}),
      type: columnGraphqlType(column, shared),
      meaning: {
        kind: 'column',
        column: {
          column,
          field: column.field!,
          nullable: !column.shape.notNull,
          needsWholeRow: false,
          canFail: false,
          looksElsewhere: false,
          value: () => {
            throw new Error('an input has no value');
          },
        },
      },
    };
  }

  function nestedInserts(): InputFieldDefinition[] {
    return [...table.relationships.values()].flatMap((relationship) => {
      const target = visible.of(relationship.target);
      if (!target.insert) return [];
      const targetTypes = mutationTypes(target, role);
      const type =
        relationship.shape.kind === 'object'
          ? targetTypes.objectInsertInput()
          : targetTypes.arrayInsertInput();
      return [
        {
          name: relationship.field,
          type,
          meaning: { kind: 'nestedInsert' as const, relationship, visible: target },
        },
      ];
    });
  }

  function relationshipInsert(suffix: string, kind: string, data: TypeReference): InputType {
    return {
      kind: 'input',
      name: table.names.derived(suffix),
      description: `input type for inserting ${kind} relation for remote table "${display}"`,
      fields: lazy(() => {
        const conflict = types.onConflict();
        return byName<InputFieldDefinition>([
          { name: 'data', type: data, meaning: { kind: 'plain' } },
          ...(conflict
            ? [
                {
                  name: name('on_conflict'),
                  description: 'upsert condition',
                  type: conflict,
                  meaning: { kind: 'plain' as const },
                },
              ]
            : []),
        ]);
      }),
    };
  }

  function onConflict(): InputType | undefined {
    const { primaryKey, unique } = table.shape;
    const constraints = inferableKeys(table.shape);
    if (constraints.length === 0) return undefined;
    const constraint: EnumType = {
      kind: 'enum',
      name: table.names.derived('constraint'),
      description: `unique or primary key constraints on table "${display}"`,
      values: new Map(
        constraints.map((value) => {
          const columns = value === primaryKey?.name ? primaryKey.columns : (unique?.[value] ?? []);
          return [
            value,
            {
              value,
              description:
                columns.length > 0
                  ? `unique or primary key constraint on columns ${columns.map((column) => `"${column}"`).join(', ')}`
                  : 'unique index over expressions or over some rows only',
            },
          ];
        }),
      ),
    };
    const updatable = updatableColumns(visible);
    const column: EnumType = {
      kind: 'enum',
      name: table.names.derived('update_column'),
      description: updatable.length
        ? `update columns of table "${display}"`
        : `placeholder for update columns of table "${display}" (current role has no relevant permissions)`,
      values: updatable.length
        ? new Map(updatable.map((item) => [item.field!, { value: item.name, description: 'column name' }]))
        : new Map([['_PLACEHOLDER', { value: '', description: 'placeholder (do not use)' }]]),
    };
    return {
      kind: 'input',
      name: table.names.derived('on_conflict'),
      description: `on_conflict condition type for table "${display}"`,
      fields: lazy(() =>
        byName<InputFieldDefinition>([
          { name: 'constraint', type: nonNull(constraint), meaning: { kind: 'plain' } },
          {
            name: name('update_columns'),
            type: nonNull(listOf(nonNull(column))),
            defaultValue: '[]',
            meaning: { kind: 'plain' },
          },
          { name: 'where', type: role.types(table).booleanExpression(), meaning: { kind: 'plain' } },
        ]),
      ),
    };
  }
}
