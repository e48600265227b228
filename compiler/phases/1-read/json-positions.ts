/**
 * Finds the places of values in JSON text. `JSON.parse` is several times faster but knows no places, so this runs only
 * when a place is asked for, or to say where the text stops being JSON.
 */

import type { Location } from '../../../runtime/core/diagnostics/diagnostic.ts';
import { MAX_JSON_DEPTH } from '../../../runtime/core/json/json-value.ts';
import type { PositionNode } from '../../../runtime/metadata/origin.ts';

export class JsonSyntaxError extends Error {
  readonly offset: number;
  constructor(reason: string, offset: number) {
    super(reason);
    this.offset = offset;
  }
}

/**
 * The places of the value in the text and of everything inside it; a value in an object is placed at its key.
 * @throws JsonSyntaxError where the text is not JSON.
 */
export function scanJson(text: string, file: string): PositionNode {
  const place = locator(text, file);
  let offset = 0;
  let depth = 0;

  function fail(expected: string): never {
    const found = offset < text.length ? JSON.stringify(text[offset]) : 'the end of the file';
    throw new JsonSyntaxError(`expected ${expected}, but found ${found}`, offset);
  }
  function match(pattern: RegExp): string | undefined {
    pattern.lastIndex = offset;
    const token = pattern.exec(text)?.[0];
    if (token !== undefined) offset += token.length;
    return token;
  }
  function skipBlank(): void {
    match(/[ \t\r\n]*/y);
  }
  function take(token: string): boolean {
    skipBlank();
    if (text[offset] !== token) return false;
    offset += 1;
    return true;
  }
  /** The items between brackets, `readItem` taking one of them. */
  function items(close: string, what: string, readItem: () => void): void {
    depth += 1;
    if (depth > MAX_JSON_DEPTH)
      throw new JsonSyntaxError(`the text is nested more than ${MAX_JSON_DEPTH} levels deep`, offset - 1);
    if (!take(close)) readItems(close, what, readItem);
    depth -= 1;
  }
  function readItems(close: string, what: string, readItem: () => void): void {
    do {
      skipBlank();
      readItem();
    } while (take(','));
    if (!take(close)) fail(`"," or "${close}" after ${what}`);
  }
  function value(location: Location): PositionNode {
    skipBlank();
    const children = new Map<string | number, PositionNode>();
    if (take('{')) {
      items('}', 'a value', () => {
        const keyLocation = place(offset);
        const key = match(stringToken) ?? fail('a key in double quotes');
        if (!take(':')) fail('":" after the key');
        children.set(JSON.parse(key), value(keyLocation));
      });
    } else if (take('[')) {
      items(']', 'an item', () => {
        children.set(children.size, value(place(offset)));
      });
    } else if (match(scalarToken) === undefined) {
      fail('a value');
    }
    return { location, children };
  }

  skipBlank();
  const root = value(place(offset));
  skipBlank();
  if (offset < text.length) fail('the end of the file');
  return root;
}

const stringToken = /"(?:[^"\\\p{Cc}]|\u007f|[\u0080-\u009f]|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*"/uy;
const scalarToken = new RegExp(
  `${stringToken.source}|-?(?:0|[1-9][0-9]*)(?:\\.[0-9]+)?(?:[eE][-+]?[0-9]+)?|true|false|null`,
  'uy',
);

/** Turns offsets into lines and columns. */
export function locator(text: string, file: string): (offset: number) => Location {
  const lineStarts = [0];
  for (let end = text.indexOf('\n'); end >= 0; end = text.indexOf('\n', end + 1)) lineStarts.push(end + 1);
  return (offset) => {
    let low = 0;
    let high = lineStarts.length - 1;
    while (low < high) {
      const middle = Math.ceil((low + high) / 2);
      if (lineStarts[middle]! <= offset) low = middle;
      else high = middle - 1;
    }
    return { file, line: low + 1, column: offset - lineStarts[low]! + 1 };
  };
}
