/**
 * Rule text as a tree. This grammar is the only one: what it does not list, it does not read.
 *
 *   condition  = conjunction { "or" conjunction }
 *   conjunction = factor { "and" factor }
 *   factor     = "not" factor | "(" condition ")" | exists | guarded | comparison
 *   exists     = "exists" "(" "select" "1" "from" item { "join" item "on" condition } [ "where" condition ] ")"
 *   guarded    = "case" "when" condition "then" condition "end"
 *   item       = table or call "as" alias
 *   comparison = any other tokens, with words of WORDS, casts, names and calls
 *
 * Text beyond the grammar (a comment, a hole within a string, `between`, another `case`, another subquery, a bare word that could be a clause) is one
 * leaf without tokens: it equals itself, and nothing is concluded from it.
 */
import {
  closingOf,
  isQuotedName,
  isWord,
  type PlacedToken,
  placeTokens,
  type Token,
  type Tokens,
} from './tokens.ts';
import { type Condition, type Leaf, type RuleFromItem, TRUE_CONDITION } from './tree.ts';

/** Words of comparisons. Those that bind weaker than `and`, begin a clause or hold conditions are not among them. */
const WORDS: ReadonlySet<Token> = new Set([
  ...['is', 'not', 'null', 'true', 'false', 'unknown', 'distinct', 'in', 'any', 'all', 'some'],
  ...['like', 'ilike', 'similar', 'to', 'escape', 'collate', 'at', 'isnull', 'notnull', 'array', 'row'],
]);
/** Words of types that consist of several. */
const TYPE_WORDS: ReadonlySet<Token> = new Set(['precision', 'varying', 'with', 'without', 'time', 'zone']);

/** Words that end a factor. */
const ENDS: ReadonlySet<Token> = new Set(['and', 'or', 'where', 'join', 'then', 'end']);

class Unreadable extends Error {}

/** Reads rule text. Never throws: unreadable text is one leaf without tokens. */
export function parseCondition(text: string): Condition {
  const placed = placeTokens(text);
  // A hole in a string or name is a part of it for the loader.
  const isClear = placed?.every(({ text: token }) => isHole(token) || !hasHole(token));
  if (!placed || !isClear) return { kind: 'leaf', text, tokens: undefined };
  try {
    const reader = new Reader(text, placed);
    const condition = reader.condition();
    reader.expectEnd();
    return condition;
  } catch (error) {
    if (error instanceof Unreadable) return { kind: 'leaf', text, tokens: undefined };
    throw error;
  }
}

function isHole(token: Token): boolean {
  return token.startsWith('{');
}

function hasHole(token: Token): boolean {
  return /[{}]/.test(token.replaceAll(/\{\{|\}\}/g, ''));
}

class Reader {
  readonly #text: string;
  readonly #placed: readonly PlacedToken[];
  readonly #tokens: Tokens;
  #at = 0;

  constructor(text: string, placed: readonly PlacedToken[]) {
    this.#text = text;
    this.#placed = placed;
    this.#tokens = placed.map((token) => token.text);
  }

  condition(): Condition {
    const parts = [this.#conjunction()];
    while (this.#take('or')) parts.push(this.#conjunction());
    return parts.length === 1 ? parts[0]! : { kind: 'or', parts };
  }

  expectEnd(): void {
    if (this.#at < this.#tokens.length) throw new Unreadable();
  }

  #conjunction(): Condition {
    const parts = [this.#factor()];
    while (this.#take('and')) parts.push(this.#factor());
    return parts.length === 1 ? parts[0]! : { kind: 'and', parts };
  }

  #factor(): Condition {
    if (this.#take('not')) return { kind: 'not', part: this.#factor() };
    if (this.#peek() === 'exists') return this.#exists();
    if (this.#take('case')) return this.#guarded();
    if (this.#peek() === '(') {
      const end = closingOf(this.#tokens, this.#at);
      if (end === undefined) throw new Unreadable();
      if (this.#endsFactor(end + 1)) {
        this.#at += 1;
        const inner = this.condition();
        if (this.#at !== end) throw new Unreadable();
        this.#at += 1;
        return inner;
      }
    }
    return this.#comparison();
  }

  /** True if a factor ends before the token. */
  #endsFactor(index: number): boolean {
    const token = this.#tokens[index];
    return token === undefined || token === ')' || (ENDS.has(token) && this.#tokens[index - 1] !== '.');
  }

  #comparison(): Condition {
    const start = this.#at;
    while (!this.#endsFactor(this.#at)) {
      const token = this.#peek()!;
      if (token === '(' || token === '[') {
        const end = closingOf(this.#tokens, this.#at);
        if (end === undefined || this.#tokens.slice(this.#at, end).includes('select')) throw new Unreadable();
        this.#at = end + 1;
      } else if (token === ']' || token === ';' || !this.#isPartOfComparison(this.#at))
        throw new Unreadable();
      else this.#at += 1;
    }
    if (this.#at === start) throw new Unreadable();
    const tokens = this.#tokens.slice(start, this.#at);
    if (tokens.length === 1 && tokens[0] === 'true') return TRUE_CONDITION;
    if (tokens.length === 1 && tokens[0] === 'false') return { kind: 'or', parts: [] };
    return this.#leaf(start, this.#at);
  }

  #isPartOfComparison(index: number): boolean {
    const token = this.#tokens[index]!;
    const [before, after] = [this.#tokens[index - 1], this.#tokens[index + 1]];
    if (!isWord(token)) return true;
    if (WORDS.has(token) || before === '.' || before === '::' || after === '(') return token !== 'exists';
    if (token === 'from') return before === 'distinct';
    return TYPE_WORDS.has(token);
  }

  #leaf(start: number, end: number): Leaf {
    return {
      kind: 'leaf',
      text: this.#text.slice(this.#placed[start]!.start, this.#placed[end - 1]!.end),
      tokens: this.#tokens.slice(start, end),
    };
  }

  #guarded(): Condition {
    this.#expect('when');
    const when = this.condition();
    this.#expect('then');
    const part = this.condition();
    this.#expect('end');
    return { kind: 'guarded', when, part };
  }

  #exists(): Condition {
    for (const token of ['exists', '(', 'select', '1', 'from']) this.#expect(token);
    const from = [this.#item()];
    while (this.#take('join')) {
      const item = this.#item();
      this.#expect('on');
      from.push({ ...item, on: this.condition() });
    }
    const where = this.#take('where') ? this.condition() : TRUE_CONDITION;
    this.#expect(')');
    const names = from.map(({ alias }) => alias);
    if (new Set(names).size < names.length) throw new Unreadable();
    return { kind: 'exists', from, where };
  }

  /** `"public"."article" as "_r1"`, `"public"."visible"({row}) as "_r1"`. */
  #item(): RuleFromItem {
    const start = this.#at;
    this.#name();
    while (this.#take('.')) this.#name();
    if (this.#peek() === '(') {
      const end = closingOf(this.#tokens, this.#at);
      if (end === undefined || this.#tokens.slice(this.#at, end).includes('select')) throw new Unreadable();
      this.#at = end + 1;
    }
    const { text, tokens } = this.#leaf(start, this.#at);
    this.#expect('as');
    const alias = this.#peek();
    this.#name();
    return { source: text, tokens, alias: alias! };
  }

  #name(): void {
    if (!isQuotedName(this.#peek())) throw new Unreadable();
    this.#at += 1;
  }

  #peek(): Token | undefined {
    return this.#tokens[this.#at];
  }

  #take(token: Token): boolean {
    if (this.#peek() !== token) return false;
    this.#at += 1;
    return true;
  }

  #expect(token: Token): void {
    if (!this.#take(token)) throw new Unreadable();
  }
}
