/** Tables, columns and other rows that a rule reads. Independent of the layout of its text. */

import type { RuleText } from '../contract/shapes.ts';
import { objectKey } from '../names.ts';
import { RULE_ALIAS, readRule } from './rule.ts';
import { isQuotedName, isSession, ROW, readTokens, type Token, type Tokens, unquoted } from './tokens.ts';
import type { Condition } from './tree.ts';

/** True if the rule passes the whole row to a function, or cannot be parsed. */
export function readsWholeRow(text: RuleText): boolean {
  const tokens = readTokens(text);
  const isColumn = (next: Token | undefined, name: Token | undefined) => next === '.' && isQuotedName(name);
  return (
    tokens?.some((token, index) => token === ROW && !isColumn(tokens[index + 1], tokens[index + 2])) ?? true
  );
}

/** True if a condition asks a query, or cannot be parsed. */
export function holdsQuery(condition: Condition): boolean {
  switch (condition.kind) {
    case 'and':
    case 'or':
      return condition.parts.some(holdsQuery);
    case 'not':
      return holdsQuery(condition.part);
    case 'guarded':
      return holdsQuery(condition.when) || holdsQuery(condition.part);
    case 'exists':
      return true;
    case 'leaf':
      return condition.tokens?.some((token) => QUERY.has(token)) ?? true;
  }
}

const QUERY: ReadonlySet<Token> = new Set(['select', 'values', 'table']);

/** True if the rule depends on other rows, or cannot be parsed. */
export function readsOtherRows(text: RuleText): boolean {
  return readTokens(text)?.includes('select') ?? true;
}

/** Whether a rule or preset depends on the session. True if it cannot be read. */
export function readsSession(text: RuleText): boolean {
  return readTokens(text)?.some(isSession) ?? true;
}

/** The session variables that rules and presets name, in lower case, sorted. */
export function sessionVariablesIn(texts: readonly RuleText[]): string[] {
  const names = texts
    .flatMap((text) => readRule(text).sql.nodes)
    .flatMap((node) => (node.kind === 'parameter' && node.source.from === 'session' ? node.source.name : []));
  return [...new Set(names)].sort();
}

/** True if the rule calls a function by a quoted name. */
export function callsFunction(tokens: Tokens): boolean {
  return tokens.some((token, index) => isQuotedName(token) && tokens[index + 1] === '(');
}

/** Key of a table, name of a column, and the texts that a rule compares it with. */
type NamedColumn = [table: string, column: string, values: readonly string[]];

/** The columns that a rule names, as often as it does; `{row}` is a row of `table`. */
export function columnsOfRule(text: RuleText, table: string): NamedColumn[] {
  const tokens = readTokens(text) ?? [];
  const aliases = new Map<Token, string>([[ROW, table]]);
  tokens.forEach((token, index) => {
    if (token !== 'as' || !['from', 'join'].includes(tokens[index - 4] ?? '')) return;
    const [schema, dot, name, , alias] = tokens.slice(index - 3, index + 2);
    if (dot === '.') aliases.set(alias!, objectKey(nameOfToken(schema!), nameOfToken(name!)));
  });
  return tokens.flatMap((token, index): NamedColumn[] => {
    const of = token === '.' ? aliases.get(tokens[index - 1]!) : undefined;
    const column = tokens[index + 1];
    if (of === undefined || !isQuotedName(column)) return [];
    return [[of, nameOfToken(column!), comparedTexts(tokens.slice(index + 2))]];
  });
}

/** Key of the table that an item of `from` names; undefined for the call of a function. */
export function tableOfItem([schema, dot, name, ...rest]: Tokens): string | undefined {
  if (dot !== '.' || rest.length > 0 || !isQuotedName(schema) || !isQuotedName(name)) return undefined;
  return objectKey(nameOfToken(schema!), nameOfToken(name!));
}

/** The texts of `= 'a'`, `<> 'a'`, `in ('a', 'b')` and `not in ('a', 'b')`. */
function comparedTexts(tokens: Tokens): string[] {
  const [operator, ...rest] = tokens[0] === 'not' ? tokens.slice(1) : tokens;
  const texts: Tokens =
    operator === 'in'
      ? rest.slice(1, rest.indexOf(')'))
      : operator === '=' || operator === '<>'
        ? rest.slice(0, 1)
        : [];
  return texts.flatMap((token) => textOfString(token) ?? []);
}

/** The value of a token that is a string without a prefix. */
export function textOfString(token: Token | undefined): string | undefined {
  if (!token?.startsWith("'")) return undefined;
  return token.slice(1, -1).replace(/''|\{\{|\}\}/g, ([first]) => first!);
}

/** The first alias of rules that a text uses and nothing declares. */
export function undeclaredAlias(text: RuleText): string | undefined {
  const tokens = readTokens(text) ?? [];
  const declared = new Set(tokens.filter((_, index) => tokens[index - 1] === 'as'));
  const used = tokens.find(
    (token, index) =>
      isQuotedName(token) && ALIAS.test(token) && tokens[index + 1] === '.' && !declared.has(token),
  );
  return used && unquoted(used);
}

const ALIAS = new RegExp(`^"${RULE_ALIAS}\\d+"$`);

/** Braces of rule texts are doubled, too. */
export function nameOfToken(token: Token): string {
  return unquoted(token).replaceAll('{{', '{').replaceAll('}}', '}');
}
