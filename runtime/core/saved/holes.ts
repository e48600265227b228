/** Holes for the rules of a role in planned statements: the compiler saves one text for many roles. */
import { referring } from '../condition/rule.ts';
import type { VisibleTable } from '../schema/visible-table.ts';
import { empty, raw, type Sql, TRUE } from '../sql/fragment.ts';
import { holeFor, ruleFor } from '../sql/statement.ts';

/** A rule in holes of saved statements (see saved-sql.ts). */
type HoleOperation = 'select' | 'update' | 'delete' | 'check insert' | 'check update' | 'check delete';

/**
 * The conditions that a rule makes, or where statements are planned to be saved the rule's hole around them: there is one then even
 * where the role's rule demands nothing. Names that a hole cannot hold leave the conditions as they are.
 * @param through the table and the name of a relationship that leads to the row
 */
export function ruleOrHole(
  visible: VisibleTable,
  operation: HoleOperation,
  alias: Sql,
  conditions: readonly Sql[],
  through: readonly [string, string] | undefined = undefined,
): readonly Sql[] {
  const [row] = alias.nodes;
  if (!visible.holes || row?.kind !== 'text' || alias.nodes.length > 1) return conditions;
  const words = [row.text, ...(through ? ['through', ...through] : [])];
  const hole = holeAround(visible, operation, words, conditions[0] ?? TRUE, alias);
  return hole ? [hole] : conditions;
}

/** The value that the role's preset gives a column, or the hole around it. */
export function presetValue(visible: VisibleTable, operation: 'insert' | 'update', column: string): Sql {
  const rule = visible.read(visible[operation]!.presets![column]!);
  const value = referring(rule.sql, visible.rule(operation, 'set', column));
  const referred = ruleFor(rule, empty, value);
  return holeAround(visible, `preset ${operation}`, [column], referred) ?? referred;
}

/**
 * The role's limit of rows, or the hole around it.
 * @param written a limit that the document holds: the smaller of both. Required where the role has no limit
 */
export function roleLimit(visible: VisibleTable, written = Number.POSITIVE_INFINITY): Sql {
  const limit = raw(String(Math.min(written, visible.select?.limit ?? Number.POSITIVE_INFINITY)));
  const words = Number.isFinite(written) ? [String(written)] : [];
  return holeAround(visible, 'limit', words, limit) ?? limit;
}

/** Undefined where statements are not planned to be saved, or a hole cannot hold the words: names of tables and columns, and an alias. */
function holeAround(
  { holes, table }: VisibleTable,
  part: string,
  words: readonly string[],
  value: Sql,
  row?: Sql,
): Sql | undefined {
  const all = [table.key, ...words];
  if (!holes || !all.every((word) => /^(?:[\w.]+|"[^"{}]*")$/.test(word))) return undefined;
  return holeFor([part, ...all].join(' '), value, row);
}
