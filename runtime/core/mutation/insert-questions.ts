/** Questions to webhooks before an insert: its rows, nested ones too, and the updates that conflicts make of them. */
import { objectOf } from '../query/comparison.ts';
import type { InputNode } from '../request/selection.ts';
import { sharedTypes } from '../schema/shared-types.ts';
import type { VisibleTable } from '../schema/visible-table.ts';
import type { ParameterSource } from '../sql/fragment.ts';
import { conflictOf } from './conflict.ts';
import { argumentsItem, inputSource, question, type WriteOperation } from './input-validation.ts';
import type { InputQuestion } from './step.ts';

/**
 * The questions about an insert, the root's first. A table that rows are nested for more than once gets one question. Rows
 * that a conflict may turn into updates are also a question of the update permission: `_set` has what the update takes over.
 */
export function insertQuestions(
  visible: VisibleTable,
  nodes: readonly InputNode[],
  conflict: InputNode | undefined,
): InputQuestion[] {
  const groups = new Map<
    string,
    { visible: VisibleTable; operation: WriteOperation; items: ParameterSource[] }
  >();
  const add = (of: VisibleTable, operation: WriteOperation, items: readonly ParameterSource[]) => {
    if (items.length === 0 || !of[operation]?.validateInput) return;
    const key = `${operation} ${of.table.key}`;
    const group = groups.get(key);
    if (group) group.items.push(...items);
    else groups.set(key, { visible: of, operation, items: [...items] });
  };
  const visit = (of: VisibleTable, rows: readonly InputNode[], onConflict: InputNode | undefined) => {
    if (of.insert?.validateInput) add(of, 'insert', rows.map(inputSource));
    add(of, 'update', upsertItems(of, rows, onConflict));
    for (const row of rows) {
      const { type, fields } = objectOf(row);
      const definitions = type.fields();
      for (const [name, value] of fields) {
        const { meaning } = definitions.get(name)!;
        if (meaning.kind !== 'nestedInsert' || value.kind === 'null') continue;
        const nested = objectOf(value).fields;
        const data = nested.get('data');
        if (!data || data.kind === 'null') continue;
        const target = of.of(meaning.relationship.target);
        const items = data.kind === 'list' ? data.items : [data];
        visit(target, items, nested.get(sharedTypes(target.table.source).name('on_conflict')));
      }
    }
  };
  visit(visible, nodes, conflict);
  return [...groups.values()].flatMap(({ visible: of, operation, items }) => question(of, operation, items));
}

/** The changes of an upsert: for each row the columns that the conflict takes over, and its condition. */
function upsertItems(
  visible: VisibleTable,
  rows: readonly InputNode[],
  node: InputNode | undefined,
): ParameterSource[] {
  const conflict = visible.update?.validateInput ? conflictOf(node, visible) : undefined;
  if (!conflict || conflict.columns.length === 0) return [];
  const where = node?.kind === 'object' ? node.fields.get('where') : undefined;
  return rows.map((row) => {
    const { type, fields } = objectOf(row);
    const definitions = type.fields();
    const taken = [...fields].filter(([name]) => {
      const { meaning } = definitions.get(name)!;
      return meaning.kind === 'column' && conflict.columns.includes(meaning.column.column.name);
    });
    return {
      from: 'object',
      fields: [
        ...(where ? [['where', inputSource(where)] as const] : []),
        [sharedTypes(visible.table.source).name('_set'), argumentsItem(new Map(taken))] as const,
      ],
    };
  });
}
