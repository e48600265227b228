/** Groups of rows with aggregates, an extension of the API: the field that returns them, and its types, as one role sees them. */
import { displayName } from '../names.ts';
import type { Table } from '../program/program.ts';
import { lazy, remember } from '../remember.ts';
import { hasTotalComparison } from '../total-comparison.ts';
import { aggregatePredicate } from './aggregate-predicate.ts';
import type { RoleSchema } from './role-schema.ts';
import { COUNT_SCALAR, columnGraphqlType, OFFSET, sharedTypes, typename } from './shared-types.ts';
import {
  type ArgumentDefinition,
  byName,
  described,
  type EnumType,
  type FieldDefinition,
  type InputType,
  listOf,
  nonNull,
  type ObjectType,
} from './types.ts';
import type { VisibleColumn, VisibleTable } from './visible-table.ts';

interface GroupTypes {
  /** `<t>_group_by`. */
  readonly object: ObjectType;
  /** `<t>_group_by_column`. */
  readonly column: EnumType;
  /** `<t>_group_by_order_by`. */
  readonly orderBy: InputType;
}

/** Memo: what a role sees of a table never changes. */
const cache = new WeakMap<VisibleTable, GroupTypes>();

/** Whether rows of the table can be grouped at all: it has a root field for that, which means that the names are free. */
export function hasGroups({ fields }: Table): boolean {
  return [...fields.query.values()].some(({ field }) => field === 'select_group_by');
}

/** Whether the role may group rows of the table: it may aggregate them, and read a column that groups can have in common. */
export function offersGroups(visible: VisibleTable): boolean {
  return (
    visible.select?.aggregations === true && hasGroups(visible.table) && groupColumns(visible).length > 0
  );
}

/** Arguments and type of a field that groups rows of a table; only where `offersGroups`. */
export function groupsField(
  visible: VisibleTable,
  role: RoleSchema,
): Pick<FieldDefinition, 'arguments' | 'type'> {
  const { name } = sharedTypes(visible.table.source);
  const { object, column, orderBy } = remember(cache, visible, () => groupTypes(visible, role));
  const having: ArgumentDefinition = {
    name: 'having',
    description: 'filter the groups returned, by aggregates of their rows; all conditions must hold',
    type: listOf(nonNull(aggregatePredicate(visible, role))),
  };
  return {
    arguments: byName<ArgumentDefinition>([
      ...(role.options.hideAggregationPredicates ? [] : [having]),
      {
        name: 'keys',
        description:
          'columns whose values the rows of a group have in common; without any, all rows are one group',
        type: nonNull(listOf(nonNull(column))),
      },
      { name: 'limit', description: 'limit the number of groups returned', type: COUNT_SCALAR },
      { name: 'offset', description: 'skip the first n groups. Use only with order_by', type: OFFSET },
      {
        name: name('order_by'),
        description: 'sort the groups by keys and aggregates',
        type: listOf(nonNull(orderBy)),
      },
      {
        name: 'where',
        description: 'filter the rows that are grouped',
        type: role.types(visible.table).booleanExpression(),
      },
    ]),
    type: nonNull(listOf(nonNull(object))),
  };
}

function groupTypes(visible: VisibleTable, role: RoleSchema): GroupTypes {
  const { table } = visible;
  const { names } = table;
  const shared = sharedTypes(table.source);
  const types = role.types(table);
  const columns = groupColumns(visible);
  const display = displayName(table.shape.schema, table.shape.name);
  const key: ObjectType = {
    kind: 'object',
    name: names.derived('group_by_key'),
    description: `values that the rows of a group of "${display}" have in common; null for columns that are not among the keys`,
    fields: lazy(() =>
      byName<FieldDefinition>([
        ...columns.map((column) => ({
          name: column.field,
          ...described(column.column.shape.description),
          arguments: new Map(),
          type: columnGraphqlType(column.column, shared),
          meaning: { kind: 'column' as const, column },
        })),
        typename(),
      ]),
    ),
  };
  const keyOrder: InputType = {
    kind: 'input',
    isClause: true,
    name: names.derived('group_by_key_order_by'),
    description: `order by keys of groups of "${display}"`,
    fields: lazy(() =>
      byName(
        columns.map((column) => ({
          name: column.field,
          type: shared.orderBy,
          meaning: { kind: 'column' as const, column },
        })),
      ),
    ),
  };
  return {
    column: {
      kind: 'enum',
      name: names.derived('group_by_column'),
      description: `columns by which rows of table "${display}" can be grouped`,
      values: new Map(
        columns.map((column) => [column.field, { value: column.column.name, description: 'column name' }]),
      ),
    },
    object: {
      kind: 'object',
      name: names.derived('group_by'),
      description: `rows of "${display}" with equal values of the keys`,
      fields: lazy(() =>
        byName<FieldDefinition>([
          {
            name: 'aggregate',
            arguments: new Map(),
            type: nonNull(types.aggregateFields()),
            meaning: { kind: 'aggregate' },
          },
          { name: 'key', arguments: new Map(), type: nonNull(key), meaning: { kind: 'groupKey' } },
          typename(),
        ]),
      ),
    },
    orderBy: {
      kind: 'input',
      isClause: true,
      name: names.derived('group_by_order_by'),
      description: `ordering options for groups of "${display}"`,
      fields: lazy(() =>
        byName([
          { name: 'aggregate', type: types.aggregateOrderBy(), meaning: { kind: 'groupAggregate' } },
          { name: 'key', type: keyOrder, meaning: { kind: 'groupKey' } },
        ]),
      ),
    },
  };
}

/** Columns that the role may read, with values that Postgres can compare without an error. */
function groupColumns({ select }: VisibleTable): readonly VisibleColumn[] {
  return [...(select?.columns.values() ?? [])].filter(({ column }) => hasTotalComparison(column.type));
}
