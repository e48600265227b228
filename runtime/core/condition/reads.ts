/** What a rule reads: tables, columns, other rows. Independent of the layout of its text. */
import { objectKey } from '../names.ts';
import type { RuleText } from '../shapes.ts';
import { isQuotedName, isSession, ROW, readTokens, type Token, type Tokens, unquoted } from './tokens.ts';

/** True if the rule passes the whole row to a function, or cannot be parsed. */
export function readsWholeRow(text: RuleText): boolean {
  const tokens = readTokens(text);
  return tokens?.some((token, index) => token === ROW && tokens[index + 1] !== '.') ?? true;
}

/** True if the rule depends on other rows, or cannot be parsed. */
export function readsOtherRows(text: RuleText): boolean {
  return readTokens(text)?.includes('select') ?? true;
}

/** Whether a rule or preset depends on the session. True if it cannot be read. */
export function readsSession(text: RuleText): boolean {
  return readTokens(text)?.some(isSession) ?? true;
}

/** True if the rule calls a function by a quoted name. */
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
