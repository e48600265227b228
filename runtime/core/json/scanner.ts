/**
 * Reads JSON text by position, without making values of it: answers are checked and cut apart as texts, so numbers keep
 * their digits and nothing is printed again.
 */
import { MAX_JSON_DEPTH } from './json-value.ts';

/** The text is not JSON. `position` counts UTF-16 units. */
export class MalformedJson extends Error {
  readonly what: string;
  readonly position: number;

  constructor(what: string, position: number) {
    super(`${what} at position ${position}`);
    this.what = what;
    this.position = position;
  }
}

/** Codes of the characters that JSON consists of. */
const Char = {
  Quote: 34,
  Comma: 44,
  Minus: 45,
  Zero: 48,
  Nine: 57,
  Colon: 58,
  OpenBracket: 91,
  Backslash: 92,
  CloseBracket: 93,
  OpenBrace: 123,
  CloseBrace: 125,
} as const;

/** One pass over one text. Every method skips the white space before what it reads. */
export class JsonScanner {
  readonly text: string;
  position = 0;
  #depth = 0;

  constructor(text: string) {
    this.text = text;
  }

  /** The next character that is not white space; NaN at the end. */
  peek(): number {
    let code = this.text.charCodeAt(this.position);
    while (code === 32 || code === 10 || code === 13 || code === 9) {
      this.position += 1;
      code = this.text.charCodeAt(this.position);
    }
    return code;
  }

  /** True if an object begins here. */
  get atObject(): boolean {
    return this.peek() === Char.OpenBrace;
  }

  /** True if a list begins here. */
  get atList(): boolean {
    return this.peek() === Char.OpenBracket;
  }

  /** @throws MalformedJson if anything but white space follows */
  expectEnd(): void {
    if (!Number.isNaN(this.peek())) throw this.#unexpected();
  }

  /** Skips one value, whatever it is. @throws MalformedJson */
  skip(): void {
    const code = this.peek();
    if (code === Char.Quote) this.#skipString();
    else if (code === Char.OpenBrace) this.#skipObject();
    else if (code === Char.OpenBracket) this.eachItem(this.#skipItem);
    else this.#skipWord(code);
  }

  /** The text of the next value. @throws MalformedJson */
  slice(): string {
    this.peek();
    const start = this.position;
    this.skip();
    return this.text.slice(start, this.position);
  }

  /**
   * Reads an object: `member` is called with each key and where the key begins, and must read the value.
   * @throws MalformedJson
   */
  eachMember(member: (key: string, start: number) => void): void {
    this.#open(Char.OpenBrace);
    for (let isEnd = this.peek() === Char.CloseBrace; !isEnd; isEnd = this.#endsAt(Char.CloseBrace)) {
      if (this.peek() !== Char.Quote) throw this.#unexpected();
      const start = this.position;
      const hasEscapes = this.#skipString();
      const key = hasEscapes
        ? (JSON.parse(this.text.slice(start, this.position)) as string)
        : this.text.slice(start + 1, this.position - 1);
      this.#skipColon();
      member(key, start);
    }
    this.#close();
  }

  /** Reads a list: `item` is called for each value and must read it. @throws MalformedJson */
  eachItem(item: (index: number) => void): void {
    this.#open(Char.OpenBracket);
    let isEnd = this.peek() === Char.CloseBracket;
    for (let index = 0; !isEnd; index += 1) {
      item(index);
      isEnd = this.#endsAt(Char.CloseBracket);
    }
    this.#close();
  }

  readonly #skipItem = () => this.skip();

  /** As eachMember, without a string for each key. */
  #skipObject(): void {
    this.#open(Char.OpenBrace);
    for (let isEnd = this.peek() === Char.CloseBrace; !isEnd; isEnd = this.#endsAt(Char.CloseBrace)) {
      if (this.peek() !== Char.Quote) throw this.#unexpected();
      this.#skipString();
      this.#skipColon();
      this.skip();
    }
    this.#close();
  }

  #skipColon(): void {
    if (this.peek() !== Char.Colon) throw this.#unexpected();
    this.position += 1;
  }

  /** True at the closing bracket; skips a comma otherwise. */
  #endsAt(closing: number): boolean {
    const code = this.peek();
    if (code === closing) return true;
    if (code !== Char.Comma) throw this.#unexpected();
    this.position += 1;
    return false;
  }

  #open(expected: number): void {
    if (this.peek() !== expected) throw this.#unexpected();
    this.#depth += 1;
    if (this.#depth > MAX_JSON_DEPTH) throw new MalformedJson('the text is nested too deeply', this.position);
    this.position += 1;
  }

  #close(): void {
    this.#depth -= 1;
    this.position += 1;
  }

  /** @returns whether the string has escapes */
  #skipString(): boolean {
    const { text } = this;
    let position = this.position + 1;
    let hasEscapes = false;
    for (;;) {
      const code = text.charCodeAt(position);
      if (code === Char.Quote) break;
      if (code === Char.Backslash) {
        hasEscapes = true;
        position = this.#skipEscape(position);
      } else if (code >= 32) position += 1;
      else throw new MalformedJson('a string is not closed or holds a control character', position);
    }
    this.position = position + 1;
    return hasEscapes;
  }

  #skipEscape(position: number): number {
    const escaped = this.text[position + 1] ?? '';
    if (escaped === 'u') {
      if (/^[\da-fA-F]{4}$/.test(this.text.slice(position + 2, position + 6))) return position + 6;
    } else if (escaped !== '' && '"\\/bfnrt'.includes(escaped)) return position + 2;
    throw new MalformedJson('a string holds an unknown escape', position);
  }

  #skipWord(code: number): void {
    if (code === Char.Minus || (code >= Char.Zero && code <= Char.Nine)) this.#skipNumber();
    else {
      const word = ['true', 'false', 'null'].find((each) => this.text.startsWith(each, this.position));
      if (!word) throw this.#unexpected();
      this.position += word.length;
    }
  }

  #skipNumber(): void {
    NUMBER.lastIndex = this.position;
    if (!NUMBER.test(this.text)) throw this.#unexpected();
    this.position = NUMBER.lastIndex;
  }

  #unexpected(): MalformedJson {
    const found = this.text[this.position];
    return found === undefined
      ? new MalformedJson('the text ends too early', this.position)
      : new MalformedJson(`unexpected ${JSON.stringify(found)}`, this.position);
  }
}

const NUMBER = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y;
