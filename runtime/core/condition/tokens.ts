/**
 * Tokens of SQL text: rule texts with their holes, and printed statements with their placeholders. It refuses text whose
 * tokens it could mistake: comments and dollar quotes.
 */

/** A token as text. Unquoted words are lower case, as Postgres folds them. */
export type Token = string;
export type Tokens = readonly Token[];

/** A token and its place in the text. */
export interface PlacedToken {
  readonly text: Token;
  readonly start: number;
  readonly end: number;
}

/** The row that a rule is about. */
export const ROW: Token = '{row}';

/** E-strings come before words, words before numbers: `E'…'` is one token, `_r1` is a word. */
const TOKEN =
  /([eE]'(?:[^'\\]|''|\\.)*'|'(?:[^']|'')*'|"(?:[^"]|"")*"|\{[^{}]*\})|([\p{L}_][\p{L}\p{N}_$]*)|\d+(?:\.\d+)?(?:[eE][+-]?\d+)?|\$\d+|::|[()[\],.;]|[-+*/<>=~!@#%^&|`?:]+/suy;

const SPACE = /\s*/y;

/** The tokens with their places; undefined for text that cannot be read. */
export function placeTokens(text: string): PlacedToken[] | undefined {
  const tokens: PlacedToken[] = [];
  for (let at = skipSpace(text, 0); at < text.length; ) {
    TOKEN.lastIndex = at;
    const match = TOKEN.exec(text);
    if (!match) return undefined;
    const [found, literal, word] = match;
    const end = at + found.length;
    if (literal === undefined && /--|\/\*/.test(found)) return undefined;
    tokens.push({ text: word === undefined ? found : found.toLowerCase(), start: at, end });
    foldOperator(tokens);
    at = skipSpace(text, end);
  }
  return tokens;
}

/** Makes one token of `operator(pg_catalog.=)`: the operator that the text means by `=` alone. */
function foldOperator(tokens: PlacedToken[]): void {
  const [word, open, schema, dot, symbol, close] = tokens.slice(-6);
  if (close?.text !== ')' || open?.text !== '(' || word?.text !== 'operator') return;
  if (schema!.text !== 'pg_catalog' || dot!.text !== '.') return;
  tokens.splice(-6, 6, { text: symbol!.text, start: word.start, end: close.end });
}

/** The tokens; undefined for text that cannot be read. */
export function readTokens(text: string): Tokens | undefined {
  return placeTokens(text)?.map((token) => token.text);
}

/** One text for the same tokens, however they were laid out. */
export function textOf(tokens: Tokens): string {
  return tokens.join(' ');
}

export function isString(token: Token | undefined): boolean {
  return token !== undefined && /^[eE]?'/.test(token);
}

export function isQuotedName(token: Token | undefined): boolean {
  return token?.startsWith('"') ?? false;
}

/** Without quotes: `"a ""b"""` is `a "b"`. */
export function unquoted(name: Token): string {
  return name.slice(1, -1).replaceAll('""', '"');
}

export function isWord(token: Token | undefined): boolean {
  return token !== undefined && /^[\p{L}_]/u.test(token) && !isString(token);
}

export function isNumberToken(token: Token | undefined): boolean {
  return token !== undefined && /^\d/.test(token);
}

/** A session variable of the request, or all of them. */
export function isSession(token: Token | undefined): boolean {
  return token !== undefined && /^\{session(\.|::)/.test(token);
}

/** Index of the token that closes the bracket at `open`; undefined if it is not closed. */
export function closingOf(tokens: Tokens, open: number): number | undefined {
  let depth = 0;
  for (let index = open; index < tokens.length; index += 1) {
    const token = tokens[index]!;
    if (token === '(' || token === '[') depth += 1;
    if (token === ')' || token === ']') depth -= 1;
    if (depth === 0) return index;
  }
  return undefined;
}

function skipSpace(text: string, from: number): number {
  SPACE.lastIndex = from;
  SPACE.exec(text);
  return SPACE.lastIndex;
}
