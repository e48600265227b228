/** The types that derive from a table, as one role sees it (reference graphql-api §1.3, §1.7). */

import { displayName } from '../names.ts';
import type { Column, ComputedField, Relationship } from '../program.ts';
import { lazy } from '../remember.ts';
import { type ColumnType, columnType, isComparable, isNumeric } from '../types.ts';
import { aggregatePredicate } from './aggregate-predicate.ts';
import type { RoleView } from './role-view.ts';
import {
  BOOLEAN,
  COUNT,
  columnGraphqlType,
  FLOAT,
  INT,
  OFFSET,
  STRING,
  scalarOf,
  sharedTypes,
} from './shared-types.ts';
import type { ColumnView, SelectView, TableView } from './table-view.ts';
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

export interface TableTypes {
  readonly view: TableView;
  /** `<t>`; only with a select permission. */
  readonly object: () => ObjectType;
  readonly aggregate: () => ObjectType;
  readonly booleanExpression: () => InputType;
  readonly orderBy: () => InputType;
  readonly aggregateOrderBy: () => InputType;
  /** undefined when no column is selectable. */
  readonly selectColumn: () => EnumType | undefined;
  /** Arguments of list and aggregate fields. */
  readonly listArguments: () => ReadonlyMap<string, ArgumentDefinition>;
}

/** Aggregate functions over columns: name and the columns they take. */
const AGGREGATE_FUNCTIONS: readonly {
  readonly name: string;
  readonly sql: string;
  readonly comparable: boolean;
  readonly float: boolean;
}[] = [
  { name: 'avg', sql: 'avg', comparable: false, float: true },
  { name: 'max', sql: 'max', comparable: true, float: false },
  { name: 'min', sql: 'min', comparable: true, float: false },
  { name: 'stddev', sql: 'stddev', comparable: false, float: true },
  { name: 'stddev_pop', sql: 'stddev_pop', comparable: false, float: true },
  { name: 'stddev_samp', sql: 'stddev_samp', comparable: false, float: true },
  { name: 'sum', sql: 'sum', comparable: false, float: false },
  { name: 'var_pop', sql: 'var_pop', comparable: false, float: true },
  { name: 'var_samp', sql: 'var_samp', comparable: false, float: true },
  { name: 'variance', sql: 'variance', comparable: false, float: true },
];

export function createTableTypes(view: TableView, role: RoleView): TableTypes {
  const { table } = view;
  const shared = sharedTypes(table.source);
  const name = shared.name;
  const select = (): SelectView => {
    if (!view.select) throw new Error(`the role has no select permission on ${table.key}`);
    return view.select;
  };
  const columns = lazy(() => [...(view.select?.columns.values() ?? [])]);
  const display = displayName(table.shape.schema, table.shape.name);

  const types: TableTypes = {
    view,
    object: lazy(() => ({
      kind: 'object',
      name: table.names.object,
      ...description(table.shape.description, `columns and relationships of "${display}"`),
      fields: lazy(() => byName([...objectFields(), typename()])),
    })),
    aggregate: lazy(() => ({
      kind: 'object',
      name: table.names.derived('aggregate'),
      description: `aggregated selection of "${display}"`,
      fields: lazy(() =>
        byName<FieldDefinition>([
          {
            name: 'aggregate',
            arguments: new Map(),
            type: aggregateFields(),
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
    booleanExpression: lazy((): InputType => {
      const self: InputType = {
        kind: 'input',
        name: table.names.derived('bool_exp'),
        description: `Boolean expression to filter rows from the table "${display}". All fields are combined with a logical 'AND'.`,
        fields: lazy(() => byName(booleanFields(self))),
      };
      return self;
    }),
    orderBy: lazy(() => ({
      kind: 'input',
      name: table.names.derived('order_by'),
      description: `Ordering options when selecting data from "${display}".`,
      fields: lazy(() => byName(orderFields())),
    })),
    aggregateOrderBy: lazy(() => ({
      kind: 'input',
      name: table.names.derived('aggregate_order_by'),
      description: `order by aggregate values of table "${display}"`,
      fields: lazy(() => byName(aggregateOrderFields())),
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
        { name: 'limit', description: 'limit the number of rows returned', type: COUNT },
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
    for (const { relationship, view: target } of select().relationships)
      fields.push(...relationshipFields(relationship, target));
    for (const field of select().computedFields) fields.push(computedField(field));
    return fields;
  }

  function columnField(column: ColumnView): FieldDefinition {
    const type = columnGraphqlType(column.column, shared);
    return {
      name: column.field,
      ...described(column.column.shape.description),
      arguments: jsonArguments(column.column),
      type: column.nullable ? type : nonNull(type),
      meaning: { kind: 'column', column },
    };
  }

  function relationshipFields(relationship: Relationship, target: TableView): FieldDefinition[] {
    const targetTypes = role.types(target.table);
    const meaning = { kind: 'relationship', relationship, view: target } as const;
    if (relationship.shape.kind === 'object') {
      return [
        {
          name: relationship.field,
          ...description(relationship.shape.description, 'An object relationship'),
          arguments: new Map(),
          type: relationship.shape.notNull ? nonNull(targetTypes.object()) : targetTypes.object(),
          meaning,
        },
      ];
    }
    const fields: FieldDefinition[] = [
      {
        name: relationship.field,
        ...description(relationship.shape.description, 'An array relationship'),
        arguments: targetTypes.listArguments(),
        type: nonNull(listOf(nonNull(targetTypes.object()))),
        meaning,
      },
    ];
    if (target.select?.aggregations) {
      fields.push({
        name: name(`${relationship.name}_aggregate`),
        description: 'An aggregate relationship',
        arguments: targetTypes.listArguments(),
        type: nonNull(targetTypes.aggregate()),
        meaning: { kind: 'relationshipAggregate', relationship, view: target },
      });
    }
    return fields;
  }

  function computedField(field: ComputedField): FieldDefinition {
    const { returns } = field;
    const own = computedArguments(field);
    const text = description(
      field.shape.description,
      `A computed field, executes function "${displayName(field.shape.function.schema, field.shape.function.name)}"`,
    );
    if ('table' in returns) {
      const target = view.of(returns.table);
      const targetTypes = role.types(returns.table);
      return {
        name: field.field,
        ...text,
        arguments: returns.set ? new Map([...own, ...targetTypes.listArguments()]) : own,
        type: returns.set ? listOf(nonNull(targetTypes.object())) : targetTypes.object(),
        meaning: { kind: 'computedField', computedField: field, view: target },
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

  function computedArguments(field: ComputedField): ReadonlyMap<string, ArgumentDefinition> {
    const type = argumentsType(field, shared.naming === 'graphql-default' ? name : undefined);
    return type
      ? byName([
          {
            name: 'args',
            description: `input parameters for computed field "${field.name}" defined on table "${display}"`,
            type,
          },
        ])
      : new Map();
  }

  function argumentsType(
    field: ComputedField,
    camel: ((text: string) => string) | undefined,
  ): TypeReference | undefined {
    const hidden = new Set([field.shape.tableArgument, field.shape.sessionArgument]);
    const inputs = functionInputs(field.shape.arguments, hidden, view);
    if (inputs.length === 0) return undefined;
    const type: InputType = {
      kind: 'input',
      name: camel
        ? table.names.derived(`${field.name}_args`)
        : `${table.source.typePrefix ?? ''}${field.name}_${table.shape.graphqlName}_args${table.source.typeSuffix ?? ''}`,
      fields: () => byName(inputs),
    };
    return field.shape.arguments.some((argument, index) => !hidden.has(index) && !argument.hasDefault)
      ? nonNull(type)
      : type;
  }

  function aggregateFields(): ObjectType {
    return {
      kind: 'object',
      name: table.names.derived('aggregate_fields'),
      description: `aggregate fields of "${display}"`,
      fields: lazy(() => {
        const column = types.selectColumn();
        const fields: FieldDefinition[] = [
          {
            name: 'count',
            arguments: byName<ArgumentDefinition>(
              column
                ? [
                    { name: 'columns', type: listOf(nonNull(column)) },
                    { name: 'distinct', type: BOOLEAN },
                  ]
                : [],
            ),
            type: nonNull(INT),
            meaning: { kind: 'count' },
          },
        ];
        for (const operation of AGGREGATE_FUNCTIONS) {
          const members = aggregated(operation.comparable);
          if (members.length === 0) continue;
          fields.push({
            name: name(operation.name),
            arguments: new Map(),
            type: {
              kind: 'object',
              name: table.names.aggregateFields(operation.name),
              description: `aggregate ${operation.name} on columns`,
              fields: lazy(() =>
                byName([
                  ...members.map(
                    (member): FieldDefinition => ({
                      name: member.field,
                      ...('column' in member ? described(member.column.shape.description) : {}),
                      arguments: new Map(),
                      type: operation.float ? FLOAT : memberType(member),
                      meaning: { kind: 'aggregateColumn', column: member },
                    }),
                  ),
                  typename(),
                ]),
              ),
            },
            meaning: { kind: 'aggregateFunction', function: operation.sql },
          });
        }
        return byName([...fields, typename()]);
      }),
    };
  }

  /** Columns and scalar computed fields that an aggregate function takes. */
  function aggregated(comparable: boolean): (ColumnView | ComputedField)[] {
    const fits = comparable ? isComparable : isNumeric;
    return [
      ...columns().filter((column) => !column.column.enumTable && fits(column.column.type)),
      ...select().computedFields.filter(
        (field) => 'type' in field.returns && fits(field.returns.type) && userArguments(field).length === 0,
      ),
    ];
  }

  function memberType(member: ColumnView | ComputedField): TypeReference {
    if ('column' in member) return columnGraphqlType(member.column, shared);
    return 'type' in member.returns ? scalarOf(member.returns.type) : STRING;
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
    for (const { relationship, view: target } of view.select?.relationships ?? []) {
      fields.push({
        name: relationship.field,
        type: role.types(target.table).booleanExpression(),
        meaning: { kind: 'relationship', relationship, view: target },
      });
      if (relationship.shape.kind === 'object' || !target.select?.aggregations) continue;
      if (role.options.hideAggregationPredicates) continue;
      fields.push({
        name: `${relationship.name}_aggregate`,
        type: aggregatePredicate(target, role),
        meaning: { kind: 'aggregatePredicate', relationship, view: target },
      });
    }
    for (const field of view.select?.computedFields ?? []) {
      if (userArguments(field).length > 0) continue;
      if ('table' in field.returns) {
        const target = view.of(field.returns.table);
        fields.push({
          name: field.field,
          type: role.types(target.table).booleanExpression(),
          meaning: { kind: 'computedField', computedField: field, view: target },
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

  function orderFields(): InputFieldDefinition[] {
    const fields: InputFieldDefinition[] = columns().map((column) => ({
      name: column.field,
      type: shared.orderBy,
      meaning: { kind: 'column', column },
    }));
    for (const { relationship, view: target } of view.select?.relationships ?? []) {
      if (relationship.shape.kind === 'object') {
        fields.push({
          name: relationship.field,
          type: role.types(target.table).orderBy(),
          meaning: { kind: 'relationship', relationship, view: target },
        });
      } else if (target.select?.aggregations) {
        fields.push({
          name: name(`${relationship.name}_aggregate`),
          type: role.types(target.table).aggregateOrderBy(),
          meaning: { kind: 'aggregateOrder', relationship, view: target },
        });
      }
    }
    for (const field of view.select?.computedFields ?? []) {
      if (userArguments(field).length > 0) continue;
      if ('type' in field.returns) {
        fields.push({
          name: field.field,
          type: shared.orderBy,
          meaning: { kind: 'computedField', computedField: field },
        });
      } else if (view.of(field.returns.table).select?.aggregations && field.returns.set) {
        fields.push({
          name: name(`${field.name}_aggregate`),
          type: role.types(field.returns.table).aggregateOrderBy(),
          meaning: { kind: 'aggregateOrder', relationship: field, view: view.of(field.returns.table) },
        });
      }
    }
    return fields;
  }

  function aggregateOrderFields(): InputFieldDefinition[] {
    const fields: InputFieldDefinition[] = [
      { name: 'count', type: shared.orderBy, meaning: { kind: 'aggregateFunction', function: 'count' } },
    ];
    for (const operation of AGGREGATE_FUNCTIONS) {
      const members = aggregated(operation.comparable).filter(
        (member): member is ColumnView => 'column' in member,
      );
      if (members.length === 0) continue;
      fields.push({
        name: operation.name,
        type: {
          kind: 'input',
          name: table.names.plain(`${operation.name}_order_by`),
          description: `order by ${operation.name}() on columns of table "${display}"`,
          fields: lazy(() =>
            byName(
              members.map((column) => ({
                name: column.field,
                type: shared.orderBy,
                meaning: { kind: 'column' as const, column },
              })),
            ),
          ),
        },
        meaning: { kind: 'aggregateFunction', function: operation.sql },
      });
    }
    return fields;
  }
}

/** Arguments of a computed field that the client gives. */
export function userArguments(field: ComputedField): readonly { readonly type: string }[] {
  return field.shape.arguments.filter(
    (_, index) => index !== field.shape.tableArgument && index !== field.shape.sessionArgument,
  );
}

/** Inputs of a function as fields of its `args` object; unnamed ones are `arg_1`, `arg_2` … by position. */
export function functionInputs(
  list: ComputedField['shape']['arguments'],
  hidden: ReadonlySet<number | undefined>,
  view: TableView,
): InputFieldDefinition[] {
  return list.flatMap((argument, position) => {
    if (hidden.has(position)) return [];
    const type = view.table.source.types[argument.type];
    const resolved: ColumnType = columnType(view.table.source, argument.type);
    const scalar = scalarOf(resolved);
    const shown = type?.kind === 'composite' ? { ...scalar, name: `${scalar.name}_scalar` } : scalar;
    return [
      {
        name: argument.name ?? `arg_${position + 1}`,
        type: resolved.element ? listOf(nonNull(shown)) : shown,
        meaning: { kind: 'functionArgument', position, type: resolved } as const,
      },
    ];
  });
}

const jsonPath: ArgumentDefinition = { name: 'path', description: 'JSON select path', type: STRING };

function jsonArguments(column: Column): ReadonlyMap<string, ArgumentDefinition> {
  return column.type.family === 'json' || column.type.family === 'jsonb' ? byName([jsonPath]) : new Map();
}

/** `__typename`, which every object type has and introspection does not list. */
export function typename(): FieldDefinition {
  return { name: '__typename', arguments: new Map(), type: nonNull(STRING), meaning: { kind: 'typename' } };
}

/** Metadata's comment rule: absent = the generated text, empty = none. */
export function description(own: string | undefined, generated: string): { description?: string } {
  return described(own ?? generated);
}

function described(text: string | undefined): { description?: string } {
  return text ? { description: text } : {};
}
