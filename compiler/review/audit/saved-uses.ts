/** Uses of a column by a saved operation: it returns it, writes it, or selects rows by it. */
import type { Column } from '../../../runtime/core/program.ts';
import type { InputNode, Selection } from '../../../runtime/core/request/selection.ts';
import type { InputType } from '../../../runtime/core/schema/types.ts';

export type Use = 'shows' | 'writes' | 'chooses rows by';

/** The uses of a column in a selection, without repetition. Columns are compared by identity. */
export function usesOf(column: Column, selection: Selection): Use[] {
  const uses = new Set<Use>();
  walkSelection(column, selection, uses);
  return [...uses];
}

function walkSelection(column: Column, { fields }: Selection, uses: Set<Use>): void {
  for (const { definition, arguments: args, selection } of fields) {
    const { meaning } = definition;
    if (meaning.kind === 'column' && meaning.column.column === column) uses.add('shows');
    if (meaning.kind === 'aggregateColumn' && 'column' in meaning.column && meaning.column.column === column)
      uses.add('shows');
    for (const [name, node] of args)
      walkInput(column, node, WRITTEN.has(name) ? 'writes' : 'chooses rows by', uses);
    walkSelection(column, selection, uses);
  }
}

/** Arguments that hold values to write. */
const WRITTEN: ReadonlySet<string> = new Set(['object', 'objects', '_set', '_inc', '_append', '_prepend']);

function walkInput(column: Column, node: InputNode, use: Use, uses: Set<Use>): void {
  if (node.kind === 'list') for (const item of node.items) walkInput(column, item, use, uses);
  if (node.kind !== 'object') return;
  for (const [name, value] of node.fields) {
    const meaning = node.type.fields().get(name)?.meaning;
    if (meaning?.kind === 'column' && meaning.column.column === column) uses.add(use);
    walkInput(column, value, WRITTEN.has(name) ? 'writes' : use, uses);
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
