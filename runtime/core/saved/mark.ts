/** Marks of rules in planned statements, by which the compiler finds them when it saves one text for many roles. */
import { referring } from '../condition/rule.ts';
import type { VisibleTable } from '../schema/visible-table.ts';
import { empty, raw, type Sql, TRUE } from '../sql/fragment.ts';
import { holeFor, ruleFor } from '../sql/statement.ts';

/** A rule in holes of saved statements (see saved-sql.ts). */
type MarkedOperation = 'select' | 'update' | 'delete' | 'check insert' | 'check update';

/**
 * The conditions that a rule makes, or where the role asks for marks the rule's hole around them: there is one then even
 * where the role's rule demands nothing. Names that a hole cannot hold leave the conditions as they are.
 * @param through the table and the name of a relationship that leads to the row
 */
export function markedRule(
  visible: VisibleTable,
  operation: MarkedOperation,
  alias: Sql,
  conditions: readonly Sql[],
  through: readonly [string, string] | undefined = undefined,
): readonly Sql[] {
  const [row] = alias.nodes;
  if (!visible.marks || row?.kind !== 'text' || alias.nodes.length > 1) return conditions;
  const words = [row.text, ...(through ? ['through', ...through] : [])];
  const marked = markedPart(visible, operation, words, conditions[0] ?? TRUE, alias);
  return marked ? [marked] : conditions;
}

/** The value that the role's preset gives a column, marked where the role asks for marks. */
export function presetValue(visible: VisibleTable, operation: 'insert' | 'update', column: string): Sql {
  const rule = visible.read(visible[operation]!.presets![column]!);
  const value = referring(rule.sql, visible.rule(operation, 'set', column));
  const referred = ruleFor(rule, empty, value);
  return markedPart(visible, `preset ${operation}`, [column], referred) ?? referred;
}

/**
 * The role's limit of rows, marked where the role asks for marks.
 * @param written a limit that the document holds: the smaller of both. Required where the role has no limit
 */
export function roleLimit(visible: VisibleTable, written = Number.POSITIVE_INFINITY): Sql {
  const limit = raw(String(Math.min(written, visible.select?.limit ?? Number.POSITIVE_INFINITY)));
  const words = Number.isFinite(written) ? [String(written)] : [];
  return markedPart(visible, 'limit', words, limit) ?? limit;
}

/** Undefined where the role asks for no holes, or a hole cannot hold the words: names of tables and columns, and an alias. */
function markedPart(
  { marks, table }: VisibleTable,
  part: string,
  words: readonly string[],
  value: Sql,
  row?: Sql,
): Sql | undefined {
  const all = [table.key, ...words];
  if (!marks || !all.every((word) => /^(?:[\w.]+|"[^"{}]*")$/.test(word))) return undefined;
  return holeFor([part, ...all].join(' '), value, row);
}
