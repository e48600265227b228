/**
 * The SQL of a native query: text, and the places of its arguments. An argument is a value and never text, so it stands where SQL has
 * an expression: not inside a literal, a quoted name or a comment.
 * @rule Where may `{{argument}}` stand in a native query?
 */

/** `at` is the offset in what the metadata says. */
export type NativePart =
  | { readonly text: string; readonly at: number }
  | { readonly argument: string; readonly at: number };

export interface NativeStatement {
  readonly parts: readonly NativePart[];
  /** Of one that begins with WITH: the offsets of the first item of its list, and of what follows the list. */
  readonly list?: number;
  readonly main?: number;
}

export type NativeText = NativeStatement | { readonly problem: string; readonly at: number };

/**
 * What is copied, comments and quotes first, so that nothing inside of them is taken for anything else. As PostgreSQL reads it: every
 * character beyond ASCII is one of a word, a carriage return ends a line, and E'' goes on in a literal on the next line.
 */
const TOKEN =
  /(?<line>--[^\n\r]*)|(?<block>\/\*)|(?<escaped>[eE]'(?:[^'\\]|''|\\.)*'(?:[ \t\f\v]*(?:--[^\n\r]*)?[\n\r](?:\s|--[^\n\r]*[\n\r])*'(?:[^'\\]|''|\\.)*')*)|(?<literal>'(?:[^']|'')*')|(?<name>"(?:[^"]|"")*")|(?<dollar>\$(?:[A-Za-z_\u{80}-\u{10ffff}][\w\u{80}-\u{10ffff}]*)?\$)|(?<argument>\{\{\s*(?<called>[\p{L}_][\p{L}\p{N}_]*)\s*\}\})|(?<word>[A-Za-z_\u{80}-\u{10ffff}][\w$\u{80}-\u{10ffff}]*)|(?<position>\$\d+)|(?<open>\()|(?<close>\))|(?<end>;)|(?<other>.)/suy;

const ARGUMENT = /\{\{\s*[\p{L}_][\p{L}\p{N}_]*\s*\}\}/u;

const PLACES = { literal: 'a literal', name: 'a quoted name', comment: 'a comment' } as const;

/**
 * Reads the text. Comments become spaces and dollar quotes literals, so that the rest can stand inside another statement; a semicolon
 * at the end is left out.
 */
export function readNativeText(code: string): NativeText {
  const parts: NativePart[] = [];
  let depth = 0;
  let ended: number | undefined;
  // The tokens that are neither space nor comment.
  let first: string | undefined;
  let last: string | undefined;
  let list: number | undefined;
  let main: number | undefined;
  for (let at = 0; at < code.length; ) {
    TOKEN.lastIndex = at;
    const match = TOKEN.exec(code)!;
    const found = match.groups!;
    let token = match[0];
    let text = token;
    let quoted: keyof typeof PLACES | undefined;
    if (found.line !== undefined) [text, quoted] = [' ', 'comment'];
    else if (found.block !== undefined) {
      const end = commentEnd(code, at);
      if (end === undefined) return { problem: 'a comment is not closed', at };
      token = code.slice(at, end);
      [text, quoted] = [' ', 'comment'];
    } else if (found.dollar !== undefined) {
      const end = code.indexOf(found.dollar, at + token.length);
      if (end < 0) return { problem: `the text that begins with ${found.dollar} is not closed`, at };
      token = code.slice(at, end + found.dollar.length);
      text = literalOf(code.slice(at + found.dollar.length, end));
      quoted = 'literal';
    } else if (found.literal !== undefined || found.escaped !== undefined) quoted = 'literal';
    else if (found.name !== undefined) quoted = 'name';
    const inside = quoted && ARGUMENT.exec(token);
    if (inside)
      return {
        problem: `the argument ${inside[0]} is in ${PLACES[quoted!]}, where it would be text: write it outside of the quotes, with || for parts of a text`,
        at: at + inside.index,
      };
    if (ended !== undefined && quoted !== 'comment' && !/^\s*$/.test(token))
      return { problem: 'there is more than one statement', at };
    if (found.position !== undefined) return { problem: `${token} is not an argument: write {{name}}`, at };
    if (found.other === "'" || found.other === '"') return { problem: `a ${token} is not closed`, at };
    depth += found.open !== undefined ? 1 : found.close !== undefined ? -1 : 0;
    if (depth < 0) return { problem: 'a parenthesis is closed that was not opened', at };
    if (found.end !== undefined) ended = at;
    else if (found.called !== undefined) parts.push({ argument: found.called, at });
    else parts.push({ text, at });
    if (quoted !== 'comment' && !/^\s+$/.test(token)) {
      const word = token.toLowerCase();
      // An item of the list may be called like a statement.
      const isName = last === 'with' || last === 'recursive' || last === ',';
      if (first === 'with' && word !== 'recursive') list ??= at;
      if (first === 'with' && depth === 0 && !isName && MAIN.has(word)) main ??= at;
      first ??= word;
      last = word;
    }
    at += token.length;
  }
  if (depth > 0) return { problem: 'a parenthesis is not closed', at: code.length };
  return parts.every((part) => 'text' in part && /^\s*$/.test(part.text))
    ? { problem: 'there is no statement', at: 0 }
    : {
        parts: joined(parts, [list, main]),
        ...(list !== undefined && { list }),
        ...(main !== undefined && { main }),
      };
}

const MAIN: ReadonlySet<string> = new Set([
  'select',
  'insert',
  'update',
  'delete',
  'merge',
  'values',
  'table',
]);

/**
 * The parts of the statement as an item of WITH, in front of another one that reads its rows under the name `engine written`. Items of
 * its own stay beside it: PostgreSQL writes in the list of a whole statement only.
 */
export function nativeWithItem({ parts, main = 0 }: NativeStatement): readonly NativePart[] {
  const own = parts.filter(({ at }) => at < main);
  return [
    ...own,
    { text: `${main > 0 ? ', ' : 'with '}"engine written" as materialized (`, at: main },
    ...parts.filter(({ at }) => at >= main),
    { text: '\n)', at: main },
  ];
}

/** The statement of a text that the compiler has read. @throws Error if a person has broken it since */
export function nativeStatement(code: string): NativeStatement {
  const read = readNativeText(code);
  if ('problem' in read) throw new Error(`${placeInText(code, read.at)}: ${read.problem}`);
  return read;
}

/** Comments nest. */
function commentEnd(code: string, start: number): number | undefined {
  let depth = 0;
  for (const { 0: mark, index } of code.slice(start).matchAll(/\/\*|\*\//g)) {
    depth += mark === '/*' ? 1 : -1;
    if (depth === 0) return start + index + 2;
  }
  return undefined;
}

function literalOf(text: string): string {
  const quoted = `'${text.replaceAll("'", "''")}'`;
  return text.includes('\\') ? ` E${quoted.replaceAll('\\', '\\\\')}` : quoted;
}

/** Texts that are as they were written become one. */
function joined(parts: readonly NativePart[], cuts: readonly (number | undefined)[]): readonly NativePart[] {
  const result: NativePart[] = [];
  for (const part of parts) {
    const last = result.at(-1);
    if (
      last &&
      'text' in last &&
      'text' in part &&
      last.at + last.text.length === part.at &&
      !cuts.includes(part.at)
    )
      result[result.length - 1] = { text: last.text + part.text, at: last.at };
    else result.push(part);
  }
  return result;
}

/** The statement with each argument as the SQL that `place` gives. */
export function nativeSql(parts: readonly NativePart[], place: (argument: string) => string): string {
  return parts.map((part) => ('text' in part ? part.text : place(part.argument))).join('');
}

/** Line and column, counted from 1. */
export function placeInText(code: string, at: number): string {
  const before = code.slice(0, at).split('\n');
  return `line ${before.length}, column ${before.at(-1)!.length + 1}`;
}
