/**
 * A file of SQL as the pieces that are sent one by one, so that a failing one is known by its place: statements, the rows
 * that follow `copy … from stdin` in dumps, and commands of psql, which only psql knows.
 */
import { skipBlanks, statementEnd } from '../../runtime/metadata-api/run-sql/split-statements.ts';

export type SqlPiece =
  | { readonly kind: 'statement'; readonly text: string; readonly offset: number }
  /** `data` are the lines behind the statement, without the `\.` at their end. */
  | { readonly kind: 'copy'; readonly text: string; readonly offset: number; readonly data: string }
  | { readonly kind: 'psql'; readonly text: string; readonly offset: number };

/** psql commands of dumps that change nothing in the database. */
const IDLE_COMMANDS = /^\\(restrict|unrestrict|echo|encoding|set\s+ON_ERROR_STOP)\b/;

/** Splits the text of a file; offsets count UTF-16 units from its beginning. */
export function splitFile(sql: string): SqlPiece[] {
  const pieces: SqlPiece[] = [];
  let position = skipBlanks(sql, sql.startsWith('\uFEFF') ? 1 : 0);
  while (position < sql.length) {
    const offset = position;
    if (sql[offset] === '\\') {
      const end = lineEnd(sql, offset);
      const text = sql.slice(offset, end).trim();
      if (!IDLE_COMMANDS.test(text)) pieces.push({ kind: 'psql', text, offset });
      position = skipBlanks(sql, end);
      continue;
    }
    const end = statementEnd(sql, offset);
    const text = sql.slice(offset, end);
    if (/^copy\b[^;]*\bfrom\s+stdin\b/i.test(text)) {
      const start = lineEnd(sql, end) + 1;
      const last = /^\\\.\r?$/m.exec(sql.slice(start));
      const length = last ? last.index : sql.length - start;
      pieces.push({ kind: 'copy', text, offset, data: sql.slice(start, start + length) });
      position = skipBlanks(sql, lineEnd(sql, start + length) + 1);
      continue;
    }
    if (text !== '') pieces.push({ kind: 'statement', text, offset });
    position = skipBlanks(sql, end + 1);
  }
  return pieces;
}

function lineEnd(sql: string, position: number): number {
  const found = sql.indexOf('\n', position);
  return found < 0 ? sql.length : found;
}

/** Line and column of an offset, both from 1; the column counts UTF-16 units, as editors do. */
export function lineAndColumn(
  text: string,
  offset: number,
): { readonly line: number; readonly column: number } {
  const before = text.slice(0, offset);
  const start = before.lastIndexOf('\n') + 1;
  return { line: before.split('\n').length, column: offset - start + 1 };
}

/** Offset in UTF-16 units of the character that Postgres counts, from 1, as `position`. */
export function offsetOfPosition(text: string, position: number): number {
  let offset = 0;
  for (let count = 1; count < position && offset < text.length; count += 1)
    offset += text.codePointAt(offset)! > 0xffff ? 2 : 1;
  return offset;
}
