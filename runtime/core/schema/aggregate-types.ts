/** Aggregate fields of a table for a role, and their order inputs. */
import { displayName } from '../names.ts';
import type { ComputedField } from '../program/program.ts';
import { lazy } from '../remember.ts';
import { isComparable, isNumeric } from '../types.ts';
import { computedDescription, userArguments } from './function-arguments.ts';
import {
  BOOLEAN,
  columnGraphqlType,
  FLOAT,
  INT,
  type SharedTypes,
  STRING,
  scalarOf,
  sharedTypes,
  typename,
} from './shared-types.ts';
import {
  type ArgumentDefinition,
  byName,
  described,
  type EnumType,
  type FieldDefinition,
  type InputFieldDefinition,
  listOf,
  nonNull,
  type ObjectType,
  type TypeReference,
} from './types.ts';
import type { VisibleColumn, VisibleTable } from './visible-table.ts';

/**
 * Aggregate functions: the name, also in SQL, whether they take comparable members or numeric ones, and whether the result
 * of a column is a Float. The result of a computed field always has the type of the field.
 */
export const AGGREGATE_FUNCTIONS: readonly {
  readonly name: string;
  readonly comparable: boolean;
  readonly float: boolean;
}[] = [
  { name: 'avg', comparable: false, float: true },
  { name: 'max', comparable: true, float: false },
  { name: 'min', comparable: true, float: false },
  { name: 'stddev', comparable: false, float: true },
  { name: 'stddev_pop', comparable: false, float: true },
  { name: 'stddev_samp', comparable: false, float: true },
  { name: 'sum', comparable: false, float: false },
  { name: 'var_pop', comparable: false, float: true },
  { name: 'var_samp', comparable: false, float: true },
  { name: 'variance', comparable: false, float: true },
];

/** `<t>_aggregate_fields`. */
export function aggregateFields(visible: VisibleTable, selectColumn: () => EnumType | undefined): ObjectType {
  const { table } = visible;
  const shared = sharedTypes(table.source);
  return {
    kind: 'object',
    name: table.names.derived('aggregate_fields'),
    description: `aggregate fields of "${displayName(table.shape.schema, table.shape.name)}"`,
    fields: lazy(() => {
      const column = selectColumn();
      const fields: FieldDefinition[] = [
        {
          name: 'count',
          arguments: byName<ArgumentDefinition>([
            ...(column ? [{ name: 'columns', type: listOf(nonNull(column)) }] : []),
            { name: 'distinct', type: BOOLEAN },
          ]),
          type: nonNull(INT),
          meaning: { kind: 'count' },
        },
      ];
      for (const operation of AGGREGATE_FUNCTIONS) {
        const members = aggregated(visible, operation.comparable);
        if (members.length === 0) continue;
        fields.push({
          name: shared.name(operation.name),
          arguments: new Map(),
          type: {
            kind: 'object',
            name: table.names.aggregateFields(operation.name),
            description: `aggregate ${table.names.aggregateOrderBy(operation.name).field} on columns`,
            fields: lazy(() =>
              byName([
                ...members.map(
                  (member): FieldDefinition => ({
                    name: member.field,
                    ...descriptionOf(member),
                    arguments: new Map(),
                    type: operation.float && 'column' in member ? FLOAT : memberType(member, shared),
                    meaning: { kind: 'aggregateColumn', column: member },
                  }),
                ),
                typename(),
              ]),
            ),
          },
          meaning: { kind: 'aggregateFunction', function: operation.name },
        });
      }
      return byName([...fields, typename()]);
    }),
  };
}

/** Fields of `<t>_aggregate_order_by`. */
export function aggregateOrderFields(visible: VisibleTable): InputFieldDefinition[] {
  const { table } = visible;
  const shared = sharedTypes(table.source);
  const fields: InputFieldDefinition[] = [
    { name: 'count', type: shared.orderBy, meaning: { kind: 'aggregateFunction', function: 'count' } },
  ];
  for (const operation of AGGREGATE_FUNCTIONS) {
    const members = aggregated(visible, operation.comparable).filter(
      (member): member is VisibleColumn => 'column' in member,
    );
    if (members.length === 0) continue;
    const { type, field } = table.names.aggregateOrderBy(operation.name);
    fields.push({
      name: field,
      type: {
        kind: 'input',
        isClause: true,
        name: type,
        description: `order by ${operation.name}() on columns of table "${displayName(table.shape.schema, table.shape.name)}"`,
        fields: lazy(() =>
          byName(
            members.map((column) => ({
              name: column.field,
              ...described(column.column.shape.description),
              type: shared.orderBy,
              meaning: { kind: 'column' as const, column },
            })),
          ),
        ),
      },
      meaning: { kind: 'aggregateFunction', function: operation.name },
    });
  }
  return fields;
}

/** Columns and scalar computed fields that an aggregate function takes. */
function aggregated(visible: VisibleTable, comparable: boolean): (VisibleColumn | ComputedField)[] {
  const { columns, computedFields } = visible.select!;
  const fits = comparable ? isComparable : isNumeric;
  return [
    ...[...columns.values()].filter((column) => !column.column.enumTable && fits(column.column.type)),
    ...computedFields.filter(
      (field) => 'type' in field.returns && fits(field.returns.type) && userArguments(field).length === 0,
    ),
  ];
}

function descriptionOf(member: VisibleColumn | ComputedField): { description?: string } {
  return 'column' in member ? described(member.column.shape.description) : computedDescription(member);
}

function memberType(member: VisibleColumn | ComputedField, shared: SharedTypes): TypeReference {
  if ('column' in member) return columnGraphqlType(member.column, shared);
  return 'type' in member.returns ? scalarOf(member.returns.type) : STRING;
}
