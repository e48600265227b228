/** The expected groups of rows, computed from the rows that a lens shows. */
import { aggregateOf, sameCells } from './aggregates.ts';
import type { Exact, Expected } from './answer.ts';
import { exact } from './exact.ts';
import { aggregateHolds, holds, type Lens } from './lens.ts';
import { columnNamed, graphqlName, type Row, type Table } from './project.ts';
import type { AggregateValue, Direction, GroupField, GroupOrder, Groups } from './request.ts';
import { type FuzzType, TYPES, type Value } from './types.ts';

/** @param permitted groups that the role may have at most */
export function expectedGroups(
  lens: Lens,
  table: Table,
  rows: readonly Row[],
  { keys, where, having = [], orderBy = [], limit, offset, fields }: Groups,
  permitted: number,
  aggregate: (rows: readonly Row[], value: AggregateValue) => Expected,
): Expected {
  const found = where ? rows.filter((row) => holds(lens, where, table, row, row, table) === true) : rows;
  const kept = groupsOf(lens, table, found, keys).filter((group) =>
    having.every((condition) => aggregateHolds(lens, condition, table, group) === true),
  );
  const compare = (left: readonly Row[], right: readonly Row[]): number => {
    for (const { key, direction } of orderBy) {
      const result = compareSorted(
        sorted(lens, table, left, key),
        sorted(lens, table, right, key),
        direction,
      );
      if (result !== 0) return result;
    }
    return 0;
  };
  const ties: (readonly Row[])[][] = [];
  for (const group of kept.sort(compare)) {
    const last = ties.at(-1);
    if (last && compare(last[0]!, group) === 0) last.push(group);
    else ties.push([group]);
  }
  return {
    kind: 'rows',
    groups: ties.map((each) => each.map(shown)),
    skip: offset ?? 0,
    take: Math.min(limit ?? Number.POSITIVE_INFINITY, permitted),
  };

  function shown(group: readonly Row[]): Expected {
    return { kind: 'object', entries: fields.map((field) => [field.response, fieldOf(group, field)]) };
  }

  function fieldOf(group: readonly Row[], field: GroupField): Expected {
    switch (field.kind) {
      case 'typename':
        return { kind: 'exactly', value: `${graphqlName(table)}_group_by` };
      case 'key':
        return {
          kind: 'object',
          entries: field.columns.map(({ response, name }) => [response, keyOf(group, name)]),
        };
      case 'aggregate':
        return {
          kind: 'object',
          entries: field.values.map((value) => [value.response, aggregate(group, value)]),
        };
    }
  }

  function keyOf(group: readonly Row[], name: string): Expected {
    if (!keys.includes(name)) return { kind: 'exactly', value: null };
    const type = TYPES[columnNamed(table, name).type];
    return { kind: 'one of', values: group.map((row): Exact => exact(type, lens.cell(table, row, name))) };
  }
}

/** Rows that show the same below the keys; without keys all rows, even none, are one group. */
function groupsOf(lens: Lens, table: Table, rows: readonly Row[], keys: readonly string[]): Row[][] {
  if (keys.length === 0) return [[...rows]];
  const groups: Row[][] = [];
  for (const row of rows) {
    const group = groups.find(([first]) => sameCells(lens, table, first!, row, keys));
    if (group) group.push(row);
    else groups.push([row]);
  }
  return groups;
}

interface Sorted {
  readonly value: Value;
  readonly type: FuzzType;
}

function sorted(lens: Lens, table: Table, group: readonly Row[], key: GroupOrder['key']): Sorted {
  if (key.kind === 'key') {
    const value = lens.cell(table, group[0]!, key.name);
    return { value, type: TYPES[columnNamed(table, key.name).type] };
  }
  const { column } = key;
  if (column === undefined) return { value: group.length, type: TYPES.int4 };
  const values = group.map((row) => lens.cell(table, row, column));
  return aggregateOf(TYPES[columnNamed(table, column).type], key.function, values);
}

/** Which of two values comes first in a direction. */
export function compareSorted(one: Sorted, other: Sorted, direction: Direction): number {
  const nullsFirst = direction.endsWith('nulls_first') || direction === 'desc';
  if (one.value === null || other.value === null) {
    const result = Number(one.value === null) - Number(other.value === null);
    return nullsFirst ? -result : result;
  }
  const result = one.type.compare!(one.value, other.value);
  return direction.startsWith('desc') ? -result : result;
}
