/** Random groups of rows that a role may ask for. */
import type { Random } from '../random.ts';
import type { Grant } from './lens.ts';
import { columnNamed, type Table } from './project.ts';
import { type ConditionPlace, randomCondition, randomHaving } from './random-condition.ts';
import { type AggregateValue, DIRECTIONS, type GroupField, type GroupOrder, type Groups } from './request.ts';
import { TYPES } from './types.ts';

/** @param value a random aggregate of the table's rows */
export function randomGroups(
  random: Random,
  table: Table,
  granted: Grant,
  place: ConditionPlace,
  value: (response: string) => AggregateValue,
): Groups {
  // Cells that are hidden in some rows are what could go wrong.
  const preferred = random.chance(0.5) ? granted.columns.filter((name) => granted.masked.has(name)) : [];
  const wanted = preferred.length > 0 ? preferred : granted.columns;
  const keys = random.chance(0.05) ? [] : random.shuffle(wanted).slice(0, random.pick([1, 1, 2, 3]));
  const orderBy = random.chance(0.6)
    ? random.list(random.between(1, 3), () => randomGroupOrder(random, table, granted, keys))
    : undefined;
  const fields: GroupField[] = [];
  if (random.chance(0.9)) {
    const shown = random.chance(0.2) ? [...keys, random.pick(granted.columns)] : keys;
    const names = [...new Set(shown)];
    if (names.length > 0)
      fields.push({
        kind: 'key',
        response: random.chance(0.8) ? 'key' : 'k',
        columns: names.map((name) => ({ name, response: name })),
      });
  }
  if (random.chance(0.8))
    fields.push({
      kind: 'aggregate',
      response: random.chance(0.8) ? 'aggregate' : 'total',
      values: random.list(random.between(1, 3), (index) => value(`v${index}`)),
    });
  if (fields.length === 0 || random.chance(0.1)) fields.push({ kind: 'typename', response: '__typename' });
  return {
    keys,
    ...(random.chance(0.4) && { where: randomCondition(random, place) }),
    ...(random.chance(0.3) && { having: randomHaving(random, place) }),
    ...(orderBy && { orderBy }),
    ...(random.chance(0.25) && { limit: random.between(0, 4) }),
    ...(random.chance(0.15) && { offset: random.between(0, 3) }),
    fields: random.shuffle(fields),
  };
}

function randomGroupOrder(random: Random, table: Table, granted: Grant, keys: readonly string[]): GroupOrder {
  const direction = random.pick(DIRECTIONS);
  const sortable = keys.filter((name) => TYPES[columnNamed(table, name).type].compare);
  return sortable.length > 0 && random.chance(0.6)
    ? { key: { kind: 'key', name: random.pick(sortable) }, direction }
    : { key: { kind: 'aggregate', ...randomAggregateOrder(random, table, granted) }, direction };
}

/** An aggregate by which rows can be ordered; without a column the count. */
export function randomAggregateOrder(
  random: Random,
  table: Table,
  granted: Grant,
): { readonly function: string; readonly column?: string } {
  // What is hidden in some rows shows in the order only if it decides about it.
  const hidden = granted.columns.filter((name) => granted.masked.has(name));
  const chosen = hidden.length > 0 && random.chance(0.6) ? hidden : granted.columns;
  const columns = chosen.map((name) => columnNamed(table, name));
  const numeric = columns.filter(
    ({ type }) => TYPES[type].aggregates && type !== 'numeric' && type !== 'int8',
  );
  const comparable = columns.filter(({ type }) => TYPES[type].extremes);
  if (numeric.length > 0 && random.chance(0.3))
    return { function: random.pick(['sum', 'avg']), column: random.pick(numeric).name };
  if (comparable.length > 0 && random.chance(0.5))
    return { function: random.pick(['max', 'min']), column: random.pick(comparable).name };
  return { function: 'count' };
}
