/** Uses of a column by a saved operation: it returns it, writes it, or selects rows by it. */
import type { Column } from '../../../runtime/core/program/program.ts';
import type { InputNode, Selection } from '../../../runtime/core/request/selection.ts';
import type { InputType } from '../../../runtime/core/schema/types.ts';

export type ColumnUse = 'shows' | 'writes' | 'chooses rows by';

/** The uses of a column in a selection, without repetition. Columns are compared by identity. */
export function usesOf(column: Column, selection: Selection): ColumnUse[] {
  const found = [...columnUses(selection)].flatMap(([used, use]) => (used === column ? [use] : []));
  return [...new Set(found)];
}

/** Every use of a column in a selection. */
export function* columnUses({ fields }: Selection): Iterable<readonly [Column, ColumnUse]> {
  for (const { definition, arguments: args, selection } of fields) {
    const { meaning } = definition;
    if (meaning.kind === 'column') yield [meaning.column.column, 'shows'];
    if (meaning.kind === 'aggregateColumn' && 'column' in meaning.column)
      yield [meaning.column.column, 'shows'];
    for (const [name, node] of args) yield* inputUses(node, WRITTEN.has(name) ? 'writes' : 'chooses rows by');
    yield* columnUses(selection);
  }
}

/** Arguments that hold values to write. */
const WRITTEN: ReadonlySet<string> = new Set([
  'object',
  'objects',
  'data',
  '_set',
  '_inc',
  '_append',
  '_prepend',
]);

function* inputUses(node: InputNode, use: ColumnUse): Iterable<readonly [Column, ColumnUse]> {
  if (node.kind === 'list') for (const item of node.items) yield* inputUses(item, use);
  if (node.kind !== 'object') return;
  for (const [name, value] of node.fields) {
    const meaning = node.type.fields().get(name)?.meaning;
    if (meaning?.kind === 'column') yield [meaning.column.column, use];
    yield* inputUses(value, WRITTEN.has(name) ? 'writes' : use);
  }
}

/** Whether a value of the input type can name the column, at any depth: what a variable of that type may do. */
export function inputReaches(column: Column, type: InputType, seen = new Set<string>()): boolean {
  if (seen.has(type.name)) return false;
  seen.add(type.name);
  for (const { meaning, type: inner } of type.fields().values()) {
    if (meaning.kind === 'column' && meaning.column.column === column) return true;
    let named = inner;
    while (named.kind === 'list' || named.kind === 'nonNull') named = named.of;
    if (named.kind === 'input' && inputReaches(column, named, seen)) return true;
  }
  return false;
}
