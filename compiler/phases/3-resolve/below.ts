/** What is below a view, a column or a function, with what columns of tables that are not tracked refer to. */
import type { Below } from '../../../runtime/core/contract/shapes.ts';
import { keyOf } from '../../../runtime/core/names.ts';
import type { SourceScope } from './scope.ts';

type Column = readonly [table: string, column: string];

/**
 * Values of a foreign key are values of what it refers to. Audits follow the keys of tracked tables; those of others are followed
 * here, as if the columns were read.
 */
export function belowShape(scope: SourceScope, below: Below): Below {
  const read = Object.entries(below.reads ?? {}).flatMap(([table, columns]) =>
    columns.map((column): Column => [table, column]),
  );
  const added = read.flatMap(([table, column]) =>
    scope.tables.has(table) ? [] : referredBy(scope, table, column),
  );
  if (added.length === 0) return below;
  const reads = new Map(Object.entries(below.reads ?? {}).map(([table, columns]) => [table, [...columns]]));
  for (const [table, column] of added) {
    const known = reads.get(table) ?? [];
    if (!known.includes(column)) reads.set(table, [...known, column]);
  }
  const sorted = [...reads].sort(([left], [right]) => (left < right ? -1 : 1));
  return { ...below, reads: Object.fromEntries(sorted) };
}

/** Columns to which a column refers, and those to which these do where they are not tracked. */
function referredBy({ catalogTables, tables }: SourceScope, table: string, column: string): Column[] {
  const found: Column[] = [];
  const follow = (key: string, name: string): void => {
    for (const { columns, references } of catalogTables.get(key)?.foreignKeys ?? []) {
      const target = keyOf(references);
      const to = references.columns[columns.indexOf(name)];
      if (to === undefined || found.some(([of, each]) => of === target && each === to)) continue;
      found.push([target, to]);
      if (!tables.has(target)) follow(target, to);
    }
  };
  follow(table, column);
  return found;
}
