/** Rules for reading: the SQL of a rule without the quotes, casts and braces that only Postgres and the loader need. */
import { EVERY_ROW, type RuleText } from '../contract/shapes.ts';
import type { Vocabulary } from '../vocabulary.ts';
import { isQuotedName, isSession, type PlacedToken, placeTokens, ROW, type Token } from './tokens.ts';

/** `{row}."author_id" = {session.x-engine-user-id::integer}` → `author_id = X-Engine-User-Id`, by the vocabulary's word. */
export function ruleWords(text: RuleText, vocabulary: Vocabulary): string {
  const space = (found: string, before: Token, after: Token) =>
    found === '' || before === '(' || after === ')' ? '' : ' ';
  return inWords(text, vocabulary, space).trim();
}

/** Like ruleWords, in the lines of the generated code. */
export function ruleLayout(text: RuleText, vocabulary: Vocabulary): string {
  const lines = inWords(text, vocabulary, (space) => space)
    .split('\n')
    .filter((line) => line.trim() !== '');
  const indentation = Math.min(...lines.map((line) => line.search(/\S/)));
  return lines.map((line) => line.slice(indentation)).join('\n');
}

/** `x-engine-user-id` → `X-Engine-User-Id`. */
export function sessionWords(variable: string): string {
  return variable.replace(/(^|-)[a-z]/g, (start) => start.toUpperCase());
}

/** Text that cannot be read stays as it is. */
function inWords(
  text: RuleText,
  vocabulary: Vocabulary,
  space: (found: string, before: Token, after: Token) => string,
): string {
  if (text === EVERY_ROW) return 'every row';
  const placed = placeTokens(text);
  if (!placed) return text;
  // Beside other tables the row needs a name.
  const isAlone = !placed.some((token) => token.text === 'exists');
  let words = '';
  placed.forEach(({ text: token, start }, index) => {
    const before = placed[index - 1];
    const found = text.slice(before?.end ?? 0, start);
    words += before ? space(found, before.text, token) : found;
    if (!(isAlone && isRowOfColumn(placed, index)))
      words += tokenWords(token, text, placed[index]!, vocabulary);
  });
  return words + text.slice(placed.at(-1)?.end ?? 0).trimEnd();
}

/** `{row}` or the dot after it, before a column. */
function isRowOfColumn(placed: readonly PlacedToken[], index: number): boolean {
  const row = placed[index]!.text === '.' ? index - 1 : index;
  return placed[row]?.text === ROW && placed[row + 1]?.text === '.' && isQuotedName(placed[row + 2]?.text);
}

function tokenWords(token: Token, text: string, { start, end }: PlacedToken, vocabulary: Vocabulary): string {
  if (token === ROW) return 'row';
  if (isSession(token)) {
    const [, name] = /^\{session\.([^{}:]+)::/.exec(token) ?? [];
    return name === undefined ? 'the session' : sessionWords(vocabulary.fromCanonical(name));
  }
  const plain = isQuotedName(token) ? /^"([a-z_][a-z0-9_]*)"$/.exec(token)?.[1] : undefined;
  return (plain ?? text.slice(start, end)).replaceAll('{{', '{').replaceAll('}}', '}');
}
