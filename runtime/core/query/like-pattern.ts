/** LIKE patterns: refused before Postgres sees them where it would fail for the rows that the pattern nearly matches. */
import { EngineError } from '../errors.ts';
import { type ColumnType, encodeValue } from '../types.ts';

/** The text of a pattern for a column of the type. @throws EngineError bad-request where it ends in the escape character */
export function encodePattern(type: ColumnType, value: unknown): string | null {
  const pattern = encodeValue(type, value);
  if (pattern !== null && endsInEscape(pattern, type))
    throw new EngineError('bad-request', 'LIKE pattern must not end with escape character');
  return pattern;
}

/** Postgres drops the spaces at the end of a `character` before it matches. */
function endsInEscape(pattern: string, { name }: ColumnType): boolean {
  const read = name === 'bpchar' ? pattern.replace(/ +$/, '') : pattern;
  const escapes = /\\*$/.exec(read)![0].length;
  return escapes % 2 === 1;
}
