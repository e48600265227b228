/** A request as a GraphQL document with variables. How much goes into variables and fragments is random, not the meaning. */
import type { Json } from '../../../runtime/metadata/metadata.ts';
import type { Random } from '../random.ts';
import {
  type AggregateCondition,
  aggregateArguments,
  aggregateJson,
  type Comparison,
  type Condition,
  comparisonKey,
  conditionJson,
  keyOf,
  operandJson,
} from './condition.ts';
import { columnNamed, graphqlName, type Project, type Table, tableNamed } from './project.ts';
import type {
  AggregateSelection,
  AggregateValue,
  Arguments,
  Connection,
  Field,
  GroupOrder,
  Groups,
  OrderKey,
  Request,
  RootField,
  Selection,
} from './request.ts';
import { isObject, operandType, TYPES, type TypeName, type Value } from './types.ts';

export interface Document {
  readonly query: string;
  readonly variables: Readonly<Record<string, Json>>;
  readonly relay?: true;
}

/** Cursors by the response names of connections. */
export type Cursors = ReadonlyMap<string, string>;

/** What is written how: each with its probability. */
const VARIABLE = 0.15;
const WHOLE_VARIABLE = 0.2;
const FRAGMENT = 0.15;
const TWICE = 0.08;
const LEFT_OUT = 0.05;

/** @param cursors where the pages of connections begin; undefined: the request asks for them */
export function printRequest(
  project: Project,
  request: Request,
  random: Random,
  cursors?: Cursors,
  operation: 'query' | 'subscription' = 'query',
): Document {
  const declarations: string[] = [];
  const variables: Record<string, Json> = {};
  const fragments: string[] = [];

  const fields = request.fields.map(rootField);
  const declared = declarations.length > 0 ? ` (${declarations.join(', ')})` : '';
  const head = `${operation}${declared}${operation === 'query' ? '' : ' @_multiple_top_level_fields'}`;
  const query = [`${head} { ${fields.join(' ')} }`, ...fragments].join('\n');
  return { query, variables, ...(request.relay && { relay: true }) };

  function rootField(field: RootField): string {
    const table = tableNamed(project, field.table);
    const name = graphqlName(table);
    switch (field.kind) {
      case 'select':
        return `${named(field.response, name)}${args(table, field.arguments)} ${selection(table, field.selection)}`;
      case 'aggregate':
        return `${named(field.response, `${name}_aggregate`)}${args(table, field.arguments)} ${aggregate(table, field.aggregate)}`;
      case 'by key': {
        const keys = Object.entries(field.key).map(([column, value]) => {
          const type = columnNamed(table, column).type;
          return `${column}: ${operandText(type, value, { name: type, list: false }, true)}`;
        });
        return `${named(field.response, `${name}_by_pk`)}(${keys.join(', ')}) ${selection(table, field.selection)}`;
      }
      case 'entities': {
        const list = field.keys.map((key) => ({ __typename: name, ...key }));
        const argument = random.chance(0.5) ? variable('[_Any!]!', list) : jsonLiteral(list);
        return `${named(field.response, '_entities')}(representations: ${argument}) { ... on ${name} ${selection(table, field.selection)} }`;
      }
      case 'node': {
        const values = table.primaryKey.map((column) =>
          TYPES[columnNamed(table, column).type].number
            ? String(field.key[column])
            : JSON.stringify(field.key[column]),
        );
        const id = `[1,${[table.schema, table.name].map((each) => JSON.stringify(each)).join()},${values.join()}]`;
        const text = Buffer.from(id).toString('base64');
        const argument = random.chance(0.5) ? variable('ID!', text) : JSON.stringify(text);
        return `${named(field.response, 'node')}(id: ${argument}) { ... on ${name} ${selection(table, field.selection)} }`;
      }
      case 'connection':
        return connection(table, field.response, field);
      case 'groups':
        return groups(table, field.response, `${name}_group_by`, field.groups);
    }
  }

  function groups(table: Table, response: string, name: string, asked: Groups): string {
    const { keys, where, having, orderBy, limit, offset, fields } = asked;
    const base = graphqlName(table);
    const list = [
      `keys: ${random.chance(VARIABLE) ? variable(`[${base}_group_by_column!]!`, keys) : keys.length === 1 && random.chance(0.5) ? keys[0] : `[${keys.join(', ')}]`}`,
    ];
    if (having) {
      const text = random.chance(WHOLE_VARIABLE)
        ? variable(`[${base}_aggregate_bool_exp!]`, having.map(aggregateJson))
        : `[${having.map((condition) => aggregateText(table, condition)).join(', ')}]`;
      list.push(`having: ${text}`);
    }
    if (orderBy) {
      const whole = orderBy.map(groupOrderJson);
      list.push(
        `order_by: ${random.chance(WHOLE_VARIABLE) ? variable(`[${base}_group_by_order_by!]`, whole) : enumText(whole)}`,
      );
    }
    const given = {
      ...(where && { where }),
      ...(limit !== undefined && { limit }),
      ...(offset !== undefined && { offset }),
    };
    const shown = fields.map((field) => {
      if (field.kind === 'typename') return named(field.response, '__typename');
      if (field.kind === 'key') {
        const columns = field.columns.map((column) => named(column.response, column.name));
        return `${named(field.response, 'key')} { ${columns.join(' ')} }`;
      }
      const values = field.values.map((value) => aggregateValue(table, value));
      return `${named(field.response, 'aggregate')} { ${values.join(' ')} }`;
    });
    return `${named(response, name)}${args(table, given, list)} { ${shown.join(' ')} }`;
  }

  function connection(table: Table, response: string, field: Connection): string {
    const [size, place, end] = field.backward
      ? (['last', 'before', 'startCursor'] as const)
      : (['first', 'after', 'endCursor'] as const);
    const cursor = cursors?.get(response);
    const count = cursors ? field.count : field.skip;
    const page = [
      ...(count === undefined
        ? []
        : [`${size}: ${random.chance(VARIABLE) ? variable('Int', count) : count}`]),
      ...(cursor === undefined
        ? []
        : [`${place}: ${random.chance(0.5) ? variable('String', cursor) : JSON.stringify(cursor)}`]),
    ];
    const shown = cursors
      ? `edges { node ${selection(table, field.selection)} } pageInfo { hasNextPage hasPreviousPage }`
      : `pageInfo { cursor: ${end} }`;
    return `${named(response, `${graphqlName(table)}_connection`)}${args(table, field.arguments, page)} { ${shown} }`;
  }

  function variable(type: string, value: Json): string {
    const name = `v${declarations.length + 1}`;
    declarations.push(`$${name}: ${type}`);
    variables[name] = value;
    return `$${name}`;
  }

  function selection(table: Table, fields: Selection): string {
    const texts = fields.map((field) => fieldText(table, field));
    const result: string[] = [];
    texts.forEach((text, index) => {
      if (random.chance(FRAGMENT)) result.push(asFragment(table, text));
      else result.push(text);
      const field = fields[index]!;
      // Said twice is said once.
      if (field.kind === 'column' && random.chance(TWICE)) result.push(text);
      if (random.chance(LEFT_OUT)) result.push(leftOut());
    });
    return `{ ${result.join(' ')} }`;
  }

  function leftOut(): string {
    const condition = random.pick(['@include(if: false)', '@skip(if: true)', 'variable']);
    return `left_out: __typename ${condition === 'variable' ? `@include(if: ${variable('Boolean!', false)})` : condition}`;
  }

  function asFragment(table: Table, text: string): string {
    if (random.chance(0.5)) return `... on ${graphqlName(table)} { ${text} }`;
    const name = `f${fragments.length + 1}`;
    fragments.push(`fragment ${name} on ${graphqlName(table)} { ${text} }`);
    return `...${name}`;
  }

  function fieldText(table: Table, field: Field): string {
    switch (field.kind) {
      case 'typename':
        return named(field.response, '__typename');
      case 'column':
        return (
          named(field.response, field.name) +
          (field.path === undefined ? '' : `(path: ${pathText(field.path)})`)
        );
      case 'computed':
        return (
          named(field.response, field.name) +
          (field.added === undefined ? '' : `(args: {added: ${field.added}})`)
        );
      case 'object':
        return `${named(field.response, field.name)} ${selection(targetOf(table, field.name), field.selection)}`;
      case 'array':
      case 'computed rows': {
        const target = targetOf(table, field.name);
        return `${named(field.response, field.name)}${args(target, field.arguments)} ${selection(target, field.selection)}`;
      }
      case 'array groups': {
        const target = targetOf(table, field.name);
        return groups(target, field.response, `${field.name}_group_by`, field.groups);
      }
      case 'computed rows aggregate':
      case 'array aggregate': {
        const target = targetOf(table, field.name);
        return `${named(field.response, `${field.name}_aggregate`)}${args(target, field.arguments)} ${aggregate(target, field.aggregate)}`;
      }
    }
  }

  function pathText(key: string): string {
    const text = random.pick([key, `$.${key}`, `.${key}`, `["${key}"]`]);
    return random.chance(VARIABLE) ? variable('String', text) : JSON.stringify(text);
  }

  function targetOf(table: Table, name: string): Table {
    const relationship = table.relationships.find((each) => each.name === name);
    if (relationship) return tableNamed(project, relationship.target);
    const field = table.computedFields.find((each) => each.name === name);
    if (field?.kind !== 'rows') throw new Error(`${table.name} has no rows ${name}`);
    return tableNamed(project, field.target);
  }

  function aggregate(table: Table, fields: AggregateSelection): string {
    return `{ ${fields.map((field) => aggregateField(table, field)).join(' ')} }`;
  }

  function aggregateField(table: Table, field: AggregateSelection[number]): string {
    switch (field.kind) {
      case 'typename':
        return named(field.response, '__typename');
      case 'nodes':
        return `${named(field.response, 'nodes')} ${selection(table, field.selection)}`;
      case 'aggregate': {
        const values = field.values.map((value) => aggregateValue(table, value));
        return `${named(field.response, 'aggregate')} { ${values.join(' ')} }`;
      }
    }
  }

  function aggregateValue(table: Table, value: AggregateValue): string {
    switch (value.kind) {
      case 'typename':
        return named(value.response, '__typename');
      case 'count': {
        const list = [
          ...(value.columns ? [`columns: ${columnsText(table, value.columns)}`] : []),
          ...(value.distinct === undefined ? [] : [`distinct: ${value.distinct}`]),
        ];
        return named(value.response, 'count') + (list.length > 0 ? `(${list.join(', ')})` : '');
      }
      case 'function':
        return `${named(value.response, value.name)} { ${value.columns.map(({ response, name }) => named(response, name)).join(' ')} }`;
    }
  }

  function args(table: Table, given: Arguments, others: readonly string[] = []): string {
    const { where, orderBy, distinctOn, limit, offset } = given;
    const list = [...others];
    if (where) {
      const type = `${graphqlName(table)}_bool_exp`;
      list.push(
        `where: ${random.chance(WHOLE_VARIABLE) ? variable(type, conditionJson(where)) : conditionText(table, where)}`,
      );
    }
    if (orderBy) {
      const type = `[${graphqlName(table)}_order_by!]`;
      const whole = orderBy.map((key) => orderJson(key));
      const [only] = whole;
      list.push(
        `order_by: ${random.chance(WHOLE_VARIABLE) ? variable(type, whole) : whole.length === 1 ? enumText(only!) : enumText(whole)}`,
      );
    }
    if (distinctOn) list.push(`distinct_on: ${columnsText(table, distinctOn)}`);
    if (limit !== undefined) list.push(`limit: ${random.chance(VARIABLE) ? variable('Int', limit) : limit}`);
    if (offset !== undefined)
      list.push(`offset: ${random.chance(VARIABLE) ? variable('Int', offset) : offset}`);
    return list.length === 0 ? '' : `(${random.shuffle(list).join(', ')})`;
  }

  function columnsText(table: Table, names: readonly string[]): string {
    if (random.chance(VARIABLE)) return variable(`[${graphqlName(table)}_select_column!]`, names);
    return names.length === 1 && random.chance(0.5) ? names[0]! : `[${names.join(', ')}]`;
  }

  function conditionText(table: Table, condition: Condition): string {
    const parts = condition.kind === 'object' ? condition.parts : [condition];
    return `{${parts.map((part) => `${keyOf(part)}: ${partText(table, part)}`).join(', ')}}`;
  }

  function partText(table: Table, part: Condition): string {
    if ((part.kind === 'not' || part.kind === 'relationship') && random.chance(VARIABLE)) {
      const target = part.kind === 'not' ? table : targetOf(table, part.name);
      return variable(`${graphqlName(target)}_bool_exp`, conditionJson(part.item));
    }
    switch (part.kind) {
      case 'and':
      case 'or':
        if (random.chance(VARIABLE))
          return variable(`[${graphqlName(table)}_bool_exp!]`, part.items.map(conditionJson));
        return `[${part.items.map((item) => conditionText(table, item)).join(', ')}]`;
      case 'not':
        return conditionText(table, part.item);
      case 'relationship':
      case 'computed rows':
        return conditionText(targetOf(table, part.name), part.item);
      case 'aggregate':
        return aggregateText(targetOf(table, part.name), part);
      case 'column':
      case 'computed':
        return comparisonsText(part.type, part.comparisons);
      default:
        throw new Error(`a request has no ${part.kind}`);
    }
  }

  function aggregateText(target: Table, condition: AggregateCondition): string {
    const parts = [
      ...(condition.columns.length > 0 ? [`arguments: ${enumText(aggregateArguments(condition))}`] : []),
      ...(condition.distinct ? ['distinct: true'] : []),
      ...(condition.where ? [`filter: ${conditionText(target, condition.where)}`] : []),
      `predicate: ${comparisonsText(condition.type, condition.comparisons)}`,
    ];
    return `{${condition.function}: {${random.shuffle(parts).join(', ')}}}`;
  }

  function comparisonsText(type: TypeName, comparisons: readonly Comparison[]): string {
    const texts = comparisons.map((comparison) => {
      switch (comparison.kind) {
        case 'null':
          return `_is_null: ${random.chance(VARIABLE) ? variable('Boolean', comparison.isNull) : comparison.isNull}`;
        case 'cast':
          return `_cast: {String: ${comparisonsText('text', comparison.comparisons)}}`;
        case 'operator': {
          const { operand, operator } = comparison;
          if (operand.kind !== 'value') throw new Error('a request has no session variables');
          return `${operator}: ${operandText(type, operand.value, operandType(TYPES[type], operator), false)}`;
        }
        default:
          throw new Error(`a request has no ${comparisonKey(comparison)}`);
      }
    });
    return `{${texts.join(', ')}}`;
  }

  function operandText(
    _column: TypeName,
    value: Value,
    operand: { readonly name: TypeName; readonly list: boolean },
    required: boolean,
  ): string {
    const type = TYPES[operand.name];
    const inner = type.element ? `[${type.scalar}!]` : type.scalar;
    const graphqlType = operand.list ? `[${inner}!]` : `${inner}${required ? '!' : ''}`;
    const json = operandJson(operand.name, value);
    if (json !== value) return JSON.stringify(json);
    if (random.chance(VARIABLE)) return variable(graphqlType, value);
    if (operand.list) {
      const items = (value as readonly Value[]).map((item) =>
        random.chance(0.05) ? variable(`${type.scalar}!`, item) : literalText(operand.name, item),
      );
      return `[${items.join(', ')}]`;
    }
    return literalText(operand.name, value);
  }

  function literalText(type: TypeName, value: Value): string {
    const number = TYPES[type].number;
    if (number && typeof value === 'string' && random.chance(0.5)) return value;
    return jsonLiteral(value);
  }
}

function named(response: string, name: string): string {
  return response === name ? name : `${response}: ${name}`;
}

function orderJson({ through, key, direction }: OrderKey): Json {
  const [outer, ...inner] = through;
  if (outer !== undefined) return { [outer]: orderJson({ through: inner, key, direction }) };
  if (key.kind !== 'aggregate') return { [key.name]: direction };
  return {
    [`${key.of}_aggregate`]:
      key.column === undefined
        ? { [key.function]: direction }
        : { [key.function]: { [key.column]: direction } },
  };
}

function groupOrderJson({ key, direction }: GroupOrder): Json {
  if (key.kind === 'key') return { key: { [key.name]: direction } };
  const { column } = key;
  return { aggregate: { [key.function]: column === undefined ? direction : { [column]: direction } } };
}

/** JSON in GraphQL's notation, all strings as enum values. */
function enumText(json: Json): string {
  if (Array.isArray(json)) return `[${json.map(enumText).join(', ')}]`;
  if (isObject(json))
    return `{${Object.entries(json)
      .map(([key, value]) => `${key}: ${enumText(value)}`)
      .join(', ')}}`;
  return String(json);
}

function jsonLiteral(json: Json): string {
  if (Array.isArray(json)) return `[${json.map(jsonLiteral).join(', ')}]`;
  if (isObject(json))
    return `{${Object.entries(json)
      .map(([key, value]) => `${key}: ${jsonLiteral(value)}`)
      .join(', ')}}`;
  return JSON.stringify(json);
}
