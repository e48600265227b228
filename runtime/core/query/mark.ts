/** Marks of rules in planned statements, by which the compiler finds them when it saves one text for many roles. */
import type { VisibleTable } from '../schema/visible-table.ts';
import { raw, type Sql, sql, TRUE } from '../sql/fragment.ts';

/** A rule in holes of saved statements (see saved-sql.ts). */
export type MarkedOperation = 'select' | 'update' | 'delete' | 'check insert' | 'check update';

/**
 * The conditions that a rule makes, or where the role asks for marks the rule's hole around them: there is one then even
 * where the role's rule demands nothing. Names that a hole cannot hold leave the conditions as they are.
 * @param through the table and the name of a relationship that leads to the row
 */
export function markedRule(
  { marks, table }: VisibleTable,
  operation: MarkedOperation,
  alias: Sql,
  conditions: readonly Sql[],
  through: readonly [string, string] | undefined = undefined,
): readonly Sql[] {
  const [row] = alias.nodes;
  if (!marks || row?.kind !== 'text' || alias.nodes.length > 1) return conditions;
  const words = [table.key, row.text, ...(through ? ['through', ...through] : [])];
  if (!words.every((word) => word === row.text || /^[\w.]+$/.test(word)) || !/^"[^"{}]*"$/.test(row.text))
    return conditions;
  const hole = [operation, ...words].join(' ');
  return [sql`${raw(`/*{${hole}}*/`)}${conditions[0] ?? TRUE}${raw('/**/')}`];
}
