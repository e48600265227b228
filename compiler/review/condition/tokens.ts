/** The tokens of rule text: what a condition is made of, without the white space between. */

export type Token = string;

/**
 * String literals, quoted names, holes, numbers, words, and signs. A hole or a literal is one token, so nothing within it
 * is taken for syntax.
 */
const TOKEN =
  /\s*(?<![A-Za-z0-9_])E'(?:\\.|''|[^'\\])*'|\s*'(?:[^']|'')*'|\s*"(?:[^"]|"")*"|\s*\{\{|\s*\}\}|\s*\{[^{}]*\}|\s*\d+(?:\.\d+)?|\s*[A-Za-z_][A-Za-z0-9_$]*|\s*::|\s*[()[\],.;]|\s*[-+*/<>=~!@#%^&|`?:]+/gy;

/** Splits rule text; undefined when it holds anything that rules never hold (comments, dollar quotes). */
export function tokensOf(text: string): Token[] | undefined {
  const tokens: Token[] = [];
  TOKEN.lastIndex = 0;
  let end = 0;
  for (let match = TOKEN.exec(text); match; match = TOKEN.exec(text)) {
    end = TOKEN.lastIndex;
    const token = match[0].trim();
    if (token.startsWith('--') || token.startsWith('/*')) return undefined;
    tokens.push(token);
  }
  return text.slice(end).trim() === '' ? tokens : undefined;
}

/** Tokens as text that is the same however they were laid out. */
export function textOf(tokens: readonly Token[]): string {
  return tokens.join(' ');
}
