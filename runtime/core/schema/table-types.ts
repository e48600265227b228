/** The types that derive from a table, as one role sees it. */

import { displayName } from '../names.ts';
import type { Column, ComputedField, Relationship } from '../program/program.ts';
import { connectionArguments, connectionType, isNode, NODE_ID } from '../relay/types.ts';
import { lazy } from '../remember.ts';
import { tableRelationships } from '../remotes/relationship.ts';
import { aggregatePredicate } from './aggregate-predicate.ts';
import { aggregateFields, aggregateOrderFields } from './aggregate-types.ts';
import { offersAggregates } from './computed-aggregates.ts';
import {
  computedArguments,
  computedDescription,
  isAskedFor,
  relationshipArguments,
  userArguments,
} from './function-arguments.ts';
import { groupsField, offersGroups } from './group-types.ts';
import type { RoleSchema } from './role-schema.ts';
import {
  COUNT_SCALAR,
  columnGraphqlType,
  OFFSET,
  STRING,
  scalarOf,
  sharedTypes,
  typename,
} from './shared-types.ts';
import {
  type ArgumentDefinition,
  byName,
  described,
  description,
  type EnumType,
  type FieldDefinition,
  type InputFieldDefinition,
  type InputType,
  listOf,
  nonNull,
  type ObjectType,
} from './types.ts';
import type { VisibleColumn, VisibleRows, VisibleTable } from './visible-table.ts';

export interface TableTypes {
  readonly visible: VisibleTable;
  /** `<t>`; only with a select permission. */
  readonly object: () => ObjectType;
  readonly aggregate: () => ObjectType;
  /** `<t>_aggregate_fields`. */
  readonly aggregateFields: () => ObjectType;
  readonly booleanExpression: () => InputType;
  readonly orderBy: () => InputType;
  readonly aggregateOrderBy: () => InputType;
  /** undefined when no column is selectable. */
  readonly selectColumn: () => EnumType | undefined;
  /** Arguments of list and aggregate fields. */
  readonly listArguments: () => ReadonlyMap<string, ArgumentDefinition>;
  /** `<t>Connection` and its arguments; only of nodes in the relay API. */
  readonly connection: () => ObjectType;
  readonly connectionArguments: () => ReadonlyMap<string, ArgumentDefinition>;
}

export function createTableTypes(visible: VisibleTable, role: RoleSchema): TableTypes {
  const { table } = visible;
  const shared = sharedTypes(table.source);
  const name = shared.name;
  const select = (): VisibleRows => {
    if (!visible.select) throw new Error(`the role has no select permission on ${table.key}`);
    return visible.select;
  };
  const columns = lazy(() => [...(visible.select?.columns.values() ?? [])]);
  const display = displayName(table.shape.schema, table.shape.name);

  const types: TableTypes = {
    visible,
    object: lazy(() => ({
      kind: 'object',
      name: table.names.object,
      ...description(table.shape.description, `columns and relationships of "${display}"`),
      fields: lazy(() => byName([...objectFields(), typename()])),
      ...(role.relay && isNode(visible) && { abstract: () => byName([role.node()]) }),
    })),
    connection: lazy(() => connectionType(types)),
    connectionArguments: lazy(() => connectionArguments(types)),
    aggregate: lazy(() => ({
      kind: 'object',
      name: table.names.derived('aggregate'),
      description: `aggregated selection of "${display}"`,
      fields: lazy(() =>
        byName<FieldDefinition>([
          {
            name: 'aggregate',
            arguments: new Map(),
            type: types.aggregateFields(),
            meaning: { kind: 'aggregate' },
          },
          {
            name: 'nodes',
            arguments: new Map(),
            type: nonNull(listOf(nonNull(types.object()))),
            meaning: { kind: 'nodes' },
          },
          typename(),
        ]),
      ),
    })),
    aggregateFields: lazy(() => aggregateFields(visible, types.selectColumn)),
    booleanExpression: lazy((): InputType => {
      const self: InputType = {
        kind: 'input',
        isClause: true,
        name: table.names.derived('bool_exp'),
        description: `Boolean expression to filter rows from the table "${display}". All fields are combined with a logical 'AND'.`,
        fields: lazy(() => byName(booleanFields(self))),
      };
      return self;
    }),
    orderBy: lazy(() => ({
      kind: 'input',
      isClause: true,
      name: table.names.derived('order_by'),
      description: `Ordering options when selecting data from "${display}".`,
      fields: lazy(() => byName(orderFields())),
    })),
    aggregateOrderBy: lazy(() => ({
      kind: 'input',
      isClause: true,
      name: table.names.derived('aggregate_order_by'),
      description: `order by aggregate values of table "${display}"`,
      fields: lazy(() => byName(aggregateOrderFields(visible))),
    })),
    selectColumn: lazy((): EnumType | undefined =>
      columns().length === 0
        ? undefined
        : {
            kind: 'enum',
            name: table.names.derived('select_column'),
            description: `select columns of table "${display}"`,
            values: new Map(
              columns().map((column) => [
                column.field,
                { value: column.column.name, description: 'column name' },
              ]),
            ),
          },
    ),
    listArguments: lazy(() => {
      const column = types.selectColumn();
      return byName<ArgumentDefinition>([
        ...(column
          ? [
              {
                name: name('distinct_on'),
                description: 'distinct select on columns',
                type: listOf(nonNull(column)),
              },
            ]
          : []),
        { name: 'limit', description: 'limit the number of rows returned', type: COUNT_SCALAR },
        { name: 'offset', description: 'skip the first n rows. Use only with order_by', type: OFFSET },
        {
          name: name('order_by'),
          description: 'sort the rows by one or more columns',
          type: listOf(nonNull(types.orderBy())),
        },
        { name: 'where', description: 'filter the rows returned', type: types.booleanExpression() },
      ]);
    }),
  };
  return types;

  function objectFields(): FieldDefinition[] {
    const fields = columns().map(columnField);
    for (const { relationship, visible: target } of select().relationships)
      fields.push(...relationshipFields(relationship, target));
    for (const field of select().computedFields) fields.push(computedField(field));
    if (table.shape.remoteRelationships && !role.relay) fields.push(...tableRelationships(role, visible));
    const taken = new Set(fields.map((field) => field.name));
    const all = [...fields, ...extensionFields().filter((field) => !taken.has(field.name))];
    // The global id takes the place of any other field of its name.
    return role.relay && isNode(visible)
      ? [NODE_ID, ...all.filter(({ name }) => name !== NODE_ID.name)]
      : all;
  }

  /** Fields of extensions. They take no name that another field of the object has. */
  function extensionFields(): FieldDefinition[] {
    const { relationships, computedFields } = select();
    const groups = relationships.flatMap(({ relationship, visible: target }): FieldDefinition[] => {
      if (relationship.shape.kind === 'object' || !offersGroups(target)) return [];
      const groups = groupsField(target, role);
      return [
        {
          name: table.names.related(relationship.name, 'group_by'),
          description: 'Groups of the rows of an array relationship',
          ...groups,
          arguments: new Map([...relationshipArguments(relationship, visible), ...groups.arguments]),
          meaning: { kind: 'relationshipGroups', relationship, visible: target },
        },
      ];
    });
    return [...groups, ...computedFields.flatMap(computedAggregate)];
  }

  function computedAggregate(field: ComputedField): FieldDefinition[] {
    if (!offersAggregates(field, visible)) return [];
    const { table: other } = field.returns;
    const { listArguments, aggregate } = role.types(other);
    return [
      {
        name: table.names.related(field.name, 'aggregate'),
        description: 'Aggregates of the rows of a computed field',
        arguments: new Map([...computedArguments(field, visible), ...listArguments()]),
        type: nonNull(aggregate()),
        meaning: {
          kind: 'computedField',
          computedField: field,
          visible: visible.of(other),
          aggregates: true,
        },
      },
    ];
  }

  function columnField(column: VisibleColumn): FieldDefinition {
    const type = columnGraphqlType(column.column, shared);
    return {
      name: column.field,
      ...described(column.column.shape.description),
      arguments: jsonArguments(column.column),
      type: column.nullable ? type : nonNull(type),
      meaning: { kind: 'column', column },
    };
  }

  function relationshipFields(relationship: Relationship, target: VisibleTable): FieldDefinition[] {
    const targetTypes = role.types(target.table);
    const meaning = { kind: 'relationship', relationship, visible: target } as const;
    const { shape } = relationship;
    const own = relationshipArguments(relationship, visible);
    const listArguments = () => new Map([...own, ...targetTypes.listArguments()]);
    const nested = shape.nested === undefined ? undefined : select().nested.get(shape.nested);
    if (shape.kind === 'object') {
      return [
        {
          name: relationship.field,
          ...description(shape.description, 'An object relationship'),
          arguments: own,
          // The rule of the other model may hide the row.
          type:
            shape.notNull || (nested && !nested.nullable && !target.select?.where)
              ? nonNull(targetTypes.object())
              : targetTypes.object(),
          meaning,
        },
      ];
    }
    const fields: FieldDefinition[] = [
      {
        name: relationship.field,
        ...description(relationship.shape.description, 'An array relationship'),
        arguments: listArguments(),
        type: nested?.nullable
          ? listOf(nonNull(targetTypes.object()))
          : nonNull(listOf(nonNull(targetTypes.object()))),
        meaning,
      },
    ];
    if (role.relay && isNode(target)) {
      fields.push({
        name: `${relationship.name}_connection`,
        ...description(relationship.shape.description, 'An array relationship connection'),
        arguments: new Map([...own, ...targetTypes.connectionArguments()]),
        type: nonNull(targetTypes.connection()),
        meaning: { kind: 'relationshipConnection', relationship, visible: target },
      });
    }
    if (target.select?.aggregations) {
      fields.push({
        name: table.names.related(relationship.name, 'aggregate'),
        description: 'An aggregate relationship',
        arguments: listArguments(),
        type: nonNull(targetTypes.aggregate()),
        meaning: { kind: 'relationshipAggregate', relationship, visible: target },
      });
    }
    return fields;
  }

  function computedField(field: ComputedField): FieldDefinition {
    const { returns } = field;
    const own = computedArguments(field, visible);
    const text = computedDescription(field);
    if ('table' in returns) {
      const target = visible.of(returns.table);
      const targetTypes = role.types(returns.table);
      return {
        name: field.field,
        ...text,
        arguments: returns.set ? new Map([...own, ...targetTypes.listArguments()]) : own,
        type: returns.set ? listOf(nonNull(targetTypes.object())) : targetTypes.object(),
        meaning: { kind: 'computedField', computedField: field, visible: target },
      };
    }
    const type = scalarOf(returns.type);
    const path = returns.type.family === 'json' || returns.type.family === 'jsonb' ? [jsonPath] : [];
    return {
      name: field.field,
      ...text,
      arguments: new Map([...own, ...path.map((argument) => [argument.name, argument] as const)]),
      type: returns.type.element ? listOf(nonNull(type)) : type,
      meaning: { kind: 'computedField', computedField: field },
    };
  }

  function booleanFields(self: InputType): InputFieldDefinition[] {
    const fields: InputFieldDefinition[] = [
      { name: '_and', type: listOf(nonNull(self)), meaning: { kind: 'and' } },
      { name: '_not', type: self, meaning: { kind: 'not' } },
      { name: '_or', type: listOf(nonNull(self)), meaning: { kind: 'or' } },
    ];
    for (const column of columns()) {
      fields.push({
        name: column.field,
        type: shared.comparison(column.column),
        meaning: { kind: 'column', column },
      });
    }
    for (const { relationship, visible: target } of visible.select?.relationships ?? []) {
      if (isAskedFor(relationship.shape)) continue;
      fields.push({
        name: relationship.field,
        type: role.types(target.table).booleanExpression(),
        meaning: { kind: 'relationship', relationship, visible: target },
      });
      if (relationship.shape.kind === 'object' || !target.select?.aggregations) continue;
      if (role.options.hideAggregationPredicates) continue;
      fields.push({
        name: table.names.relatedFilter(relationship.name),
        type: aggregatePredicate(target, role),
        meaning: { kind: 'aggregatePredicate', relationship, visible: target },
      });
    }
    for (const field of visible.select?.computedFields ?? []) {
      if (userArguments(field).length > 0) continue;
      if ('table' in field.returns) {
        const target = visible.of(field.returns.table);
        fields.push({
          name: field.field,
          type: role.types(target.table).booleanExpression(),
          meaning: { kind: 'computedField', computedField: field, visible: target },
        });
      } else {
        fields.push({
          name: field.field,
          type: shared.comparisonOf(field.returns.type),
          meaning: { kind: 'computedField', computedField: field },
        });
      }
    }
    return fields;
  }

  /** Whether rows can be ordered by aggregates of the rows of a view. */
  function ordersByAggregate({ select: read }: VisibleTable): boolean {
    return read !== undefined && (read.aggregations || !role.options.restrictAggregateOrder);
  }

  function orderFields(): InputFieldDefinition[] {
    const fields: InputFieldDefinition[] = columns().map((column) => ({
      name: column.field,
      type: shared.orderBy,
      meaning: { kind: 'column', column },
    }));
    for (const { relationship, visible: target } of visible.select?.relationships ?? []) {
      if (isAskedFor(relationship.shape)) continue;
      if (relationship.shape.kind === 'object') {
        fields.push({
          name: relationship.field,
          type: role.types(target.table).orderBy(),
          meaning: { kind: 'relationship', relationship, visible: target },
        });
      } else if (ordersByAggregate(target)) {
        fields.push({
          name: table.names.related(relationship.name, 'aggregate'),
          type: role.types(target.table).aggregateOrderBy(),
          meaning: { kind: 'aggregateOrder', relationship, visible: target },
        });
      }
    }
    for (const field of visible.select?.computedFields ?? []) {
      if (userArguments(field).length > 0) continue;
      if ('type' in field.returns) {
        fields.push({
          name: field.field,
          type: shared.orderBy,
          meaning: { kind: 'computedField', computedField: field },
        });
      } else if (field.returns.set && ordersByAggregate(visible.of(field.returns.table))) {
        fields.push({
          name: table.names.related(field.name, 'aggregate'),
          type: role.types(field.returns.table).aggregateOrderBy(),
          meaning: { kind: 'aggregateOrder', relationship: field, visible: visible.of(field.returns.table) },
        });
      }
    }
    return fields;
  }
}

const jsonPath: ArgumentDefinition = { name: 'path', description: 'JSON select path', type: STRING };

function jsonArguments(column: Column): ReadonlyMap<string, ArgumentDefinition> {
  return column.type.family === 'json' || column.type.family === 'jsonb' ? byName([jsonPath]) : new Map();
}
