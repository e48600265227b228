/**
 * Reads JSON text from outside without losing digits of numbers. Every entrance uses it; `test/docs/foreign-json.test.ts`
 * lists the files that may use JSON.parse, and why.
 */
import { isPrintedAgain } from './decimal.ts';
import { MAX_JSON_DEPTH, NumberText } from './json-value.ts';
import { JsonScanner } from './scanner.ts';

/** Characters of a number that JavaScript's numbers print again, whatever it is. */
const SAFE_LENGTH = 15;

/** Whether a text may have a number that is longer than that, has an exponent, or is -0. Strings of the text count as well. */
const UNSAFE = /[\d.]{15}|\d[eE]|-0/;

/** Characters of a text that cannot be nested too deeply. */
const SHALLOW = 2 * MAX_JSON_DEPTH;

/** Characters of a string, or of white space, that are looked at one by one before the end is searched for. */
const SHORT = 32;

const NO_SPACE = /\S/g;

/** Maximum number of different numbers that are kept to be used again. */
const SHARED = 64;

/** A text may stay in memory for the sake of numbers that make up at least one part in so many of it. */
const SPARSE = 8;

/** The text has arrays and objects in more than MAX_JSON_DEPTH others. */
export class TooDeep extends SyntaxError {
  constructor() {
    super(`the text is nested more than ${MAX_JSON_DEPTH} levels deep`);
  }
}

/**
 * Parses JSON. Numbers become NumberText if JavaScript's number would print another value; `-0` is one of them.
 *
 * JSON.parse makes the values. One pass over the text then finds the numbers whose digits were lost and puts them back.
 * Linear for any text; `npm run bench -- memory --only reading` compares time and memory with JSON.parse.
 * @throws SyntaxError, of which TooDeep is one
 */
export function parseExactJson(text: string): unknown {
  if (text.length <= SHALLOW && !UNSAFE.test(text)) return JSON.parse(text);
  const restoration = new Restoration(text, JSON.parse(text));
  return restoration.run() ? restoration.value : readInOrder(new JsonScanner(text));
}

/** As `parseExactJson`; for a text that it refuses, `otherwise`. */
export function exactJsonOr(text: string, otherwise?: unknown): unknown {
  try {
    return parseExactJson(text);
  } catch {
    return otherwise;
  }
}

/** Puts the numbers that lost digits into what JSON.parse made of a text. */
class Restoration {
  readonly #text: string;
  /** By depth: the containers around the current place. Those above `#resolved` have not been looked up. */
  readonly #containers: unknown[];
  #resolved = 0;
  /** By depth: whether the container is an object; number of values before the current one; where its key begins. */
  readonly #isObject = [false];
  readonly #counts = [0];
  readonly #keys = [0];
  /** Until they make up enough of the text. */
  #restored: NumberText[] | undefined = [];
  #restoredLength = 0;
  readonly #shared: (NumberText | undefined)[] = new Array(SHARED).fill(undefined);

  constructor(text: string, value: unknown) {
    this.#text = text;
    this.#containers = [[value]];
  }

  get value(): unknown {
    return (this.#containers[0] as unknown[])[0];
  }

  /**
   * @returns false if an object with such a number has a key twice, so that a place of the text may not be one of the value;
   *   the value is of no use then
   */
  run(): boolean {
    const text = this.#text;
    const isObject = this.#isObject;
    const counts = this.#counts;
    const keys = this.#keys;
    const { length } = text;
    let depth = 0;
    let count = 0;
    let isKey = false;
    let position = 0;
    while (position < length) {
      const code = text.charCodeAt(position);
      if (code === 44) {
        count += 1;
        isKey = true;
        position += 1;
      } else if (code === 45 || (code >= 48 && code <= 57)) {
        const start = position;
        let next: number;
        do {
          position += 1;
          next = text.charCodeAt(position);
        } while ((next >= 48 && next <= 57) || next === 46);
        let isSafe = position - start <= SAFE_LENGTH && (code !== 45 || text.charCodeAt(start + 1) !== 48);
        if (next === 101 || next === 69) {
          isSafe = false;
          position = endOfDigits(text, position + 2);
        }
        if (!isSafe && !isPrintedAgain(text, start, position)) {
          counts[depth] = count;
          if (!this.#restore(depth, start, position)) return false;
        }
      } else if (code === 34) {
        if (isKey) keys[depth] = position;
        isKey = false;
        position = endOfString(text, position);
      } else if (code <= 32) position = endOfSpace(text, position);
      else if (code === 91 || code === 123) {
        counts[depth] = count;
        depth += 1;
        if (depth > MAX_JSON_DEPTH) throw new TooDeep();
        isObject[depth] = code === 123;
        count = 0;
        isKey = true;
        position += 1;
      } else if (code === 93 || code === 125) {
        counts[depth] = count;
        if (this.#resolved >= depth && !this.#leave(depth)) return false;
        depth -= 1;
        count = counts[depth]!;
        position += 1;
      } else if (code === 58) position += 1;
      else position += code === 102 ? 5 : 4;
    }
    this.#release();
    return true;
  }

  /** @returns false if there is no such place in the value */
  #restore(depth: number, start: number, end: number): boolean {
    const containers = this.#containers;
    for (; this.#resolved < depth; this.#resolved += 1) {
      const outer = containers[this.#resolved];
      const key = this.#isObject[this.#resolved] ? this.#key(this.#resolved) : this.#counts[this.#resolved]!;
      // Where a key is twice, the value may be without what the text has here, and what it inherits belongs to every object.
      if (!Object.hasOwn(outer as object, key)) return false;
      const child = (outer as Record<string | number, unknown>)[key];
      if (typeof child !== 'object' || child === null) return false;
      if (Array.isArray(child) === this.#isObject[this.#resolved + 1]) return false;
      containers[this.#resolved + 1] = child;
    }
    const number = this.#number(start, end);
    const key = this.#isObject[depth] ? this.#key(depth) : this.#counts[depth]!;
    if (!Object.hasOwn(containers[depth] as object, key)) return false;
    (containers[depth] as Record<string | number, unknown>)[key] = number;
    return true;
  }

  /** Numbers that are written alike, near each other, are one object. */
  #number(start: number, end: number): NumberText {
    const text = this.#text;
    const slot =
      (text.charCodeAt(end - 1) + 3 * text.charCodeAt(end - 2) + 5 * text.charCodeAt(start)) % SHARED;
    const before = this.#shared[slot];
    if (before?.text.length === end - start && text.startsWith(before.text, start)) return before;
    const number = new NumberText(text.slice(start, end));
    this.#shared[slot] = number;
    this.#restored?.push(number);
    this.#restoredLength += end - start;
    if (this.#restoredLength * SPARSE >= text.length) this.#restored = undefined;
    return number;
  }

  #key(depth: number): string {
    const start = this.#keys[depth]!;
    const key = this.#text.slice(start + 1, endOfString(this.#text, start) - 1);
    return key.includes('\\') ? (JSON.parse(`"${key}"`) as string) : key;
  }

  /** Leaves a container in which a number was restored. @returns false if it has a key twice */
  #leave(depth: number): boolean {
    this.#resolved = depth - 1;
    return (
      !this.#isObject[depth] ||
      Object.keys(this.#containers[depth] as object).length === this.#counts[depth]! + 1
    );
  }

  /** A part of a text keeps the whole text in memory, so few numbers of a large one are copied. */
  #release(): void {
    for (const number of this.#restored ?? [])
      Object.assign(number, { text: JSON.parse(`"${number.text}"`) });
  }
}

/** @param start of its first quote, in text that is JSON */
function endOfString(text: string, start: number): number {
  let position = start + 1;
  for (;;) {
    const stop = position + SHORT;
    while (position < stop) {
      const code = text.charCodeAt(position);
      if (code === 34) return position + 1;
      position += code === 92 ? 2 : 1;
    }
    const quote = text.indexOf('"', position);
    let unescaped = quote;
    while (unescaped > position && text.charCodeAt(unescaped - 1) === 92) unescaped -= 1;
    position = quote + 1;
    if ((quote - unescaped) % 2 === 0) return position;
  }
}

/** The end of white space. */
function endOfSpace(text: string, start: number): number {
  const stop = start + SHORT;
  let position = start + 1;
  while (position < stop) {
    if (!(text.charCodeAt(position) <= 32)) return position;
    position += 1;
  }
  NO_SPACE.lastIndex = position;
  return NO_SPACE.test(text) ? NO_SPACE.lastIndex - 1 : text.length;
}

/** The end of digits and points. */
function endOfDigits(text: string, start: number): number {
  let position = start;
  for (;;) {
    const code = text.charCodeAt(position);
    if (!((code >= 48 && code <= 57) || code === 46)) return position;
    position += 1;
  }
}

/** Makes the value piece by piece, several times slower than JSON.parse. The last member with a key counts. */
function readInOrder(scanner: JsonScanner): unknown {
  if (scanner.atObject) {
    const entries: [string, unknown][] = [];
    scanner.eachMember((key) => entries.push([key, readInOrder(scanner)]));
    return Object.fromEntries(entries);
  }
  if (scanner.atList) {
    const items: unknown[] = [];
    scanner.eachItem(() => items.push(readInOrder(scanner)));
    return items;
  }
  const text = scanner.slice();
  const isNumber = /^[-\d]/.test(text);
  return isNumber && !isPrintedAgain(text, 0, text.length) ? new NumberText(text) : JSON.parse(text);
}
