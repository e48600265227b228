/** Random conditions of permissions, and random edits of them. */
import type { Json, JsonObject } from '../../../runtime/metadata/metadata.ts';
import type { Random } from '../random.ts';
import { COLUMNS, type Column, type Project, TABLES, type TableName } from './world.ts';

/** @param depth how far it may nest */
export function randomCondition(random: Random, project: Project, table: TableName, depth = 2): JsonObject {
  const { relationships } = project.tables[table]!;
  const kinds = ['column', 'column', 'column', 'and'];
  if (depth > 0) kinds.push('and', 'or', 'not', 'exists', ...relationships.map(() => 'relationship'));
  const inner = (target = table) => randomCondition(random, project, target, depth - 1);
  switch (random.pick(kinds)) {
    case 'and':
      return {
        _and: random.list(random.between(1, 3), () =>
          depth > 0 ? inner() : randomComparison(random, table),
        ),
      };
    case 'or':
      return { _or: random.list(random.between(1, 3), () => inner()) };
    case 'not':
      return { _not: inner() };
    case 'exists': {
      const target = random.pick(TABLES.filter((name) => project.tables[name]));
      return { _exists: { _table: target, _where: inner(target) } };
    }
    case 'relationship': {
      const { name, target } = random.pick(relationships);
      return project.tables[target] ? { [name]: inner(target) } : randomComparison(random, table);
    }
    default:
      return randomComparison(random, table);
  }
}

function randomComparison(random: Random, table: TableName): JsonObject {
  const column = random.pick(
    COLUMNS[table].filter(({ values, type }) => values.length > 0 || type === 'json'),
  );
  return { [column.name]: randomOperator(random, table, column) };
}

function randomOperator(random: Random, table: TableName, column: Column): JsonObject {
  const { type, values, variables } = column;
  if (type === 'json')
    return random.pick<JsonObject>([
      { _contains: { a: 1 } },
      { _contains: { a: 2 } },
      { _has_key: 'b' },
      { _is_null: random.chance(0.5) },
    ]);
  const value = () =>
    variables.length > 0 && random.chance(0.5) ? random.pick(variables) : random.pick(values);
  const list = (): Json =>
    type === 'int' && random.chance(0.2)
      ? 'X-Engine-Ids'
      : random.list(random.between(0, 2), () => random.pick(values));
  const operators = ['_eq', '_eq', '_eq', '_neq', '_in', '_nin', '_is_null'];
  if (type === 'int' || type === 'text') operators.push('_gt', '_gte', '_lt', '_lte');
  if (type === 'text') operators.push('_like', '_nlike', '_ilike');
  const same = COLUMNS[table].filter((other) => other.type === type && other.name !== column.name);
  if (same.length > 0) operators.push('_ceq', '_cne', '_cgt');
  const operator = random.pick(operators);
  switch (operator) {
    case '_in':
    case '_nin':
      return { [operator]: list() };
    case '_is_null':
      return { [operator]: random.chance(0.5) };
    case '_like':
    case '_nlike':
    case '_ilike':
      return { [operator]: random.pick(['%', 'o%', '%e%', 'open', 'RED']) };
    case '_ceq':
    case '_cne':
    case '_cgt':
      return { [operator]: random.pick(same).name };
    default:
      return { [operator]: value() };
  }
}

/** The condition after one edit, which may make it wider, narrower, both, or leave it as it was. */
export function editCondition(
  random: Random,
  project: Project,
  table: TableName,
  condition: JsonObject,
): JsonObject {
  const entries = Object.entries(condition);
  const other = () => randomCondition(random, project, table, 1);
  // Half of the edits are inside.
  const [key, value] = entries.length > 0 ? random.pick(entries) : ['', null];
  if (key !== '' && random.chance(0.6)) {
    const inside = editInside(random, project, table, key, value!);
    if (inside !== undefined) return { ...condition, [key]: inside };
  }
  switch (random.below(13)) {
    case 0:
      return {};
    case 1:
      return { _and: [condition, other()] };
    case 2:
      return { _or: [condition, other()] };
    case 3:
      return { _not: condition };
    case 4:
      return { _not: { _not: condition } };
    case 5:
      return { _and: [condition, condition] };
    case 6:
      return { _exists: { _table: table, _where: condition } };
    case 7: {
      const { [key]: _, ...rest } = condition;
      return rest;
    }
    case 8:
      return { _or: entries.map(([name, each]) => ({ [name]: each })) };
    case 9:
      return { _and: [condition, { _or: [other(), { _not: other() }] }] };
    case 10: {
      // Rows in which a column of the condition is null are won, and nothing else.
      const nullable = COLUMNS[table].filter(({ name, nullable }) => nullable && name in condition);
      const column = random.pick(nullable.length > 0 ? nullable : COLUMNS[table]);
      return { _or: [condition, { [column.name]: { _is_null: true } }] };
    }
    case 11:
      return splitCondition(condition);
    default:
      return other();
  }
}

/** One related row for all, or one for each part of what is said of it. */
function splitCondition(condition: JsonObject): JsonObject {
  return {
    _and: Object.entries(condition).flatMap(([key, value]): JsonObject[] => {
      if (key.startsWith('_') || typeof value !== 'object' || value === null) return [{ [key]: value! }];
      const { _and = [value] } = value as { readonly _and?: readonly JsonObject[] };
      return _and.map((part) => ({ [key]: part }));
    }),
  };
}

/** The value of one key, edited; undefined where nothing fits. */
function editInside(
  random: Random,
  project: Project,
  table: TableName,
  key: string,
  value: Json,
): Json | undefined {
  const column = COLUMNS[table].find(({ name }) => name === key);
  if (column) return editOperator(random, table, column, value as JsonObject);
  if (key === '_and' || key === '_or') {
    const list = value as readonly JsonObject[];
    if (list.length === 0) return [randomCondition(random, project, table, 1)];
    const index = random.below(list.length);
    switch (random.below(5)) {
      case 0:
        return list.toSpliced(index, 1);
      case 1:
        return random.shuffle(list);
      case 2:
        return [...list, randomCondition(random, project, table, 1)];
      default:
        return list.with(index, editCondition(random, project, table, list[index]!));
    }
  }
  if (key === '_not') return editCondition(random, project, table, value as JsonObject);
  if (key === '_exists') {
    const { _table, _where } = value as { _table: TableName; _where: JsonObject };
    return { _table, _where: editCondition(random, project, _table, _where) };
  }
  const relationship = project.tables[table]!.relationships.find(({ name }) => name === key);
  if (!relationship || !project.tables[relationship.target]) return undefined;
  return editCondition(random, project, relationship.target, value as JsonObject);
}

const PAIRS: Readonly<Record<string, readonly string[]>> = {
  _eq: ['_neq', '_in', '_gte'],
  _neq: ['_eq', '_nin'],
  _gt: ['_gte', '_lt', '_neq'],
  _gte: ['_gt', '_eq'],
  _lt: ['_lte', '_gt'],
  _lte: ['_lt', '_eq'],
  _in: ['_nin', '_eq'],
  _nin: ['_in', '_neq'],
  _ceq: ['_cne', '_cgte'],
};

function editOperator(random: Random, table: TableName, column: Column, value: JsonObject): Json {
  const [[operator, operand] = ['', null]] = Object.entries(value);
  const ordered = column.type === 'int' || column.type === 'text';
  const others = (PAIRS[operator] ?? []).filter((name) => ordered || !/[gl]t/.test(name));
  if (operator === '_is_null') return { _is_null: !operand };
  if (typeof operand === 'number' && random.chance(0.4))
    return { [operator]: operand + random.pick([-1, 1]) };
  if (others.length > 0 && random.chance(0.4)) {
    const next = random.pick(others);
    const [one] = Array.isArray(operand) ? operand : [operand];
    if (next === '_in' || next === '_nin')
      return { [next]: Array.isArray(operand) || operand === 'X-Engine-Ids' ? operand : [operand!] };
    if (one !== undefined && one !== 'X-Engine-Ids') return { [next]: one };
  }
  if (operator === '_in' || operator === '_nin') {
    const list = Array.isArray(operand) ? operand : [];
    if (random.chance(0.5)) return { [operator]: [...list, random.pick(column.values)] };
  }
  return randomOperator(random, table, column);
}
