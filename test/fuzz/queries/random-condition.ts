/** Random boolean expressions, of permissions and of requests. */
import type { Random } from '../random.ts';
import {
  type AggregateCondition,
  type Comparison,
  type Condition,
  comparisonKey,
  keyOf,
  type Operand,
} from './condition.ts';
import {
  type Column,
  type ComputedField,
  type Project,
  scalarType,
  type Table,
  tableNamed,
} from './project.ts';
import { isObject, operandType, operatorsOf, randomOperand, TYPES, type TypeName } from './types.ts';

export interface ConditionPlace {
  readonly project: Project;
  readonly table: Table;
  /** How many relationships may follow each other. */
  readonly depth: number;
  readonly columns: (table: Table) => readonly Column[];
  readonly computedFields: (table: Table) => readonly ComputedField[];
  /** Whether relationships to the table may be followed. */
  readonly visible: (table: Table) => boolean;
  /** Whether aggregates of a table's rows may be compared; absent: of none. */
  readonly aggregates?: (table: Table) => boolean;
  /** Of a permission: the table that it is about, and names of session variables. */
  readonly permission?: {
    readonly root: Table;
    readonly session: (type: TypeName, list: boolean) => string;
  };
}

export function randomCondition(random: Random, place: ConditionPlace, size = 3): Condition {
  const { table, depth, permission } = place;
  const columns = place.columns(table);
  const scalars = place
    .computedFields(table)
    .filter(
      (field): field is Exclude<ComputedField, { kind: 'rows' }> =>
        field.kind !== 'rows' && field.kind !== 'plus',
    );
  const rows = place
    .computedFields(table)
    .flatMap((field) =>
      field.kind === 'rows' && place.visible(tableNamed(place.project, field.target)) ? [field] : [],
    );
  const relationships = table.relationships.filter(({ target }) =>
    place.visible(tableNamed(place.project, target)),
  );
  const inner = (of: Table, deeper = depth): Condition =>
    randomCondition(random, { ...place, table: of, depth: deeper }, size - 1);

  const choices: (() => Condition)[] = [];
  const add = (weight: number, choice: () => Condition) => {
    for (let index = 0; index < weight; index += 1) choices.push(choice);
  };
  if (columns.length > 0) {
    add(6, () => {
      const { name, type } = random.pick(columns);
      return { kind: 'column', name, type, comparisons: randomComparisons(random, place, type) };
    });
  }
  if (scalars.length > 0) {
    add(1, () => {
      const field = random.pick(scalars);
      const type = scalarType(field);
      return {
        kind: 'computed',
        name: field.name,
        type,
        comparisons: randomComparisons(random, place, type),
      };
    });
  }
  if (depth > 0 && relationships.length > 0) {
    add(4, () => {
      const { name, target } = random.pick(relationships);
      return { kind: 'relationship', name, item: inner(tableNamed(place.project, target), depth - 1) };
    });
  }
  if (depth > 0 && rows.length > 0) {
    add(3, () => {
      const { name, target } = random.pick(rows);
      return { kind: 'computed rows', name, item: inner(tableNamed(place.project, target), depth - 1) };
    });
  }
  const counted = relationships.filter(
    ({ kind, target }) => kind === 'array' && place.aggregates?.(tableNamed(place.project, target)),
  );
  if (depth > 0 && counted.length > 0) {
    add(1, () => {
      const { name, target } = random.pick(counted);
      const far = tableNamed(place.project, target);
      const where = random.chance(0.4) ? inner(far, depth - 1) : undefined;
      return { kind: 'aggregate', name, ...randomAggregate(random, place, far), ...(where && { where }) };
    });
  }
  if (size > 0) {
    add(1, () => ({ kind: 'and', items: random.list(random.between(0, 3), () => inner(table)) }));
    add(2, () => ({ kind: 'or', items: random.list(random.between(0, 3), () => inner(table)) }));
    add(1, () => ({ kind: 'not', item: inner(table) }));
    add(2, () => {
      const parts = new Map<string, Condition>();
      for (const part of random.list(random.between(0, 3), () => inner(table))) {
        if (part.kind !== 'object') parts.set(keyOf(part), part);
      }
      return { kind: 'object', parts: [...parts.values()] };
    });
    if (permission && depth > 0) {
      add(1, () => {
        const target = random.pick(place.project.tables);
        return { kind: 'exists', schema: target.schema, table: target.name, item: inner(target, depth - 1) };
      });
    }
  }
  return choices.length === 0 ? { kind: 'object', parts: [] } : random.pick(choices)();
}

/** Conditions on aggregates of the rows of a group. */
export function randomHaving(random: Random, place: ConditionPlace): AggregateCondition[] {
  return random.list(random.pick([1, 1, 2]), (): AggregateCondition => {
    const where = random.chance(0.4) ? randomCondition(random, { ...place, depth: 1 }, 1) : undefined;
    const asked = randomAggregate(random, place, place.table);
    const distinct = asked.columns.length === 1 && asked.function !== 'covar_samp' && random.chance(0.3);
    return { kind: 'aggregate', name: '', ...asked, ...(distinct && { distinct }), ...(where && { where }) };
  });
}

/** Deviations end in digits that are Postgres' business: of them only whether there is one is asked. */
function randomAggregate(
  random: Random,
  place: ConditionPlace,
  table: Table,
): Pick<Extract<Condition, { kind: 'aggregate' }>, 'function' | 'columns' | 'type' | 'comparisons'> {
  const names = (type: TypeName) =>
    place
      .columns(table)
      .filter((column) => column.type === type)
      .map(({ name }) => name);
  const booleans = names('bool');
  const floats = names('float8');
  const kind = random.pick(['count', 'bool', 'float8']);
  if (kind === 'bool' && booleans.length > 0) {
    const name = random.pick(['bool_and', 'bool_or']);
    const comparisons = randomComparisons(random, place, 'bool');
    return { function: name, columns: [random.pick(booleans)], type: 'bool', comparisons };
  }
  if (kind === 'float8' && floats.length > 0) {
    if (random.chance(0.3)) {
      const name = random.pick(['stddev_samp', 'var_samp', 'covar_samp']);
      const columns =
        name === 'covar_samp' ? [random.pick(floats), random.pick(floats)] : [random.pick(floats)];
      const comparisons: Comparison[] = [{ kind: 'null', isNull: random.chance(0.5) }];
      return { function: name, columns, type: 'float8', comparisons };
    }
    const name = random.pick(['avg', 'max', 'min', 'sum']);
    const comparisons = randomComparisons(random, place, 'float8');
    return { function: name, columns: [random.pick(floats)], type: 'float8', comparisons };
  }
  const columns = random
    .some(place.columns(table), 0.2)
    .slice(0, 2)
    .map(({ name }) => name);
  return { function: 'count', columns, type: 'int4', comparisons: randomComparisons(random, place, 'int4') };
}

function randomComparisons(random: Random, place: ConditionPlace, type: TypeName): Comparison[] {
  const comparisons = new Map<string, Comparison>();
  for (let index = random.pick([0, 1, 1, 1, 1, 1, 1, 2]); index > 0; index -= 1) {
    const comparison = randomComparison(random, place, type);
    comparisons.set(comparisonKey(comparison), comparison);
  }
  const list = [...comparisons.values()];
  const [only] = list;
  // Without its operator a value means equality; an object would be read as operators.
  if (
    list.length === 1 &&
    only?.kind === 'operator' &&
    only.operator === '_eq' &&
    only.operand.kind === 'value'
  ) {
    const { value } = only.operand;
    if (place.permission && !isObject(value) && random.chance(0.3))
      return [{ ...only, operand: { ...only.operand, bare: true } }];
  }
  return list;
}

function randomComparison(random: Random, place: ConditionPlace, typeName: TypeName): Comparison {
  const { permission } = place;
  const type = TYPES[typeName];
  if (random.chance(0.12)) return { kind: 'null', isNull: random.chance(0.5) };
  if (typeName === 'jsonb' && random.chance(0.2))
    return { kind: 'cast', comparisons: [randomComparison(random, withoutPermission(place), 'text')] };
  if (permission && random.chance(0.25)) {
    const root = random.chance(0.5);
    const columns = (root ? permission.root : place.table).columns.filter(
      (column) => column.type === typeName,
    );
    const operators = type.compare
      ? ['_ceq', '_cne', '_cneq', '_cgt', '_clt', '_cgte', '_clte']
      : ['_ceq', '_cne'];
    if (columns.length > 0)
      return { kind: 'columns', operator: random.pick(operators), column: random.pick(columns).name, root };
  }
  const operator = random.pick(operatorsOf(type));
  const operand = randomOperandOf(random, place, typeName, operator);
  const spelling = permission && random.chance(0.15) ? otherSpelling(random, operator) : undefined;
  return { kind: 'operator', operator, operand, ...(spelling !== undefined && { spelling }) };
}

const OTHER_NAMES: Readonly<Record<string, string>> = {
  _neq: '_ne',
  _has_keys_any: '_has_any_keys',
  _has_keys_all: '_has_all_keys',
};

function otherSpelling(random: Random, operator: string): string {
  const name = (random.chance(0.5) ? OTHER_NAMES[operator] : undefined) ?? operator;
  return random.chance(0.7) ? `$${name.slice(1)}` : name;
}

function withoutPermission({ permission: _, ...place }: ConditionPlace): ConditionPlace {
  return place;
}

function randomOperandOf(
  random: Random,
  { permission }: ConditionPlace,
  typeName: TypeName,
  operator: string,
): Operand {
  const type = TYPES[typeName];
  const { name, list } = operandType(type, operator);
  // Text operators take patterns and keys take their names, of which session variables have none.
  const plain = ['_eq', '_neq', '_gt', '_lt', '_gte', '_lte', '_in', '_nin', '_contains', '_contained_in'];
  if (permission && plain.includes(operator) && random.chance(0.3))
    return { kind: 'session', name: permission.session(name, list) };
  return { kind: 'value', value: randomOperand(random, type, operator) };
}
