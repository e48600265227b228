/** What a rule looks at: tables, columns, other rows. Asked of its text, which may be laid out as it likes. */
import { objectKey } from '../names.ts';
import type { RuleText } from '../shapes.ts';
import { isQuotedName, isSession, ROW, readTokens, type Token, type Tokens, unquoted } from './tokens.ts';

/** Whether the rule needs the row itself, not only its columns: it hands it to a function. True if it cannot be read. */
export function readsWholeRow(text: RuleText): boolean {
  const tokens = readTokens(text);
  return tokens?.some((token, index) => token === ROW && tokens[index + 1] !== '.') ?? true;
}

/** Whether other rows than its own decide. True if it cannot be read. */
export function readsOtherRows(text: RuleText): boolean {
  return readTokens(text)?.includes('select') ?? true;
}

/** Whether a rule or preset depends on the session. True if it cannot be read. */
export function readsSession(text: RuleText): boolean {
  return readTokens(text)?.some(isSession) ?? true;
}

/** Whether the rule calls a function by a quoted name. */
export function callsFunction(tokens: Tokens): boolean {
  return tokens.some((token, index) => isQuotedName(token) && tokens[index + 1] === '(');
}

/** Keys of the tables and names of the columns that a rule names; `{row}` is a row of `table`. */
export function columnsOfRule(text: RuleText, table: string): [table: string, column: string][] {
  const tokens = readTokens(text) ?? [];
  const aliases = new Map<Token, string>([[ROW, table]]);
  tokens.forEach((token, index) => {
    if (token !== 'as' || !['from', 'join'].includes(tokens[index - 4] ?? '')) return;
    const [schema, dot, name, , alias] = tokens.slice(index - 3, index + 2);
    if (dot === '.') aliases.set(alias!, objectKey(nameOf(schema!), nameOf(name!)));
  });
  return tokens.flatMap((token, index): [string, string][] => {
    const of = token === '.' ? aliases.get(tokens[index - 1]!) : undefined;
    const column = tokens[index + 1];
    return of === undefined || !isQuotedName(column) ? [] : [[of, nameOf(column!)]];
  });
}

/** Braces of rule texts are doubled, too. */
function nameOf(token: Token): string {
  return unquoted(token).replaceAll('{{', '{').replaceAll('}}', '}');
}
