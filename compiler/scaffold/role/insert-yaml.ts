/**
 * Puts entries into lists of a YAML (or JSON) file without touching the rest of its text: comments, order and style of what is
 * there stay.
 */
import {
  isMap,
  isScalar,
  isSeq,
  LineCounter,
  type Node,
  parseDocument,
  stringify,
  visit,
  type YAMLMap,
} from 'yaml';
import type { Location } from '../../../runtime/core/diagnostics/diagnostic.ts';
import type { Json } from '../../../runtime/metadata/metadata.ts';

/** A change of a text: what is put in at an offset, in place of some characters. */
interface Splice {
  readonly offset: number;
  readonly length: number;
  readonly text: string;
}

/** Entries for lists below a mapping: key → entries. */
export interface ListEntries {
  /** Where the mapping begins; absent for the document's own value, which may be the list itself. */
  readonly place?: Pick<Location, 'line' | 'column'>;
  readonly lists: Readonly<Record<string, readonly Json[]>>;
}

/** @throws Error if there is no mapping at a place */
export function insertIntoLists(text: string, all: readonly ListEntries[]): string {
  const lines = new LineCounter();
  const document = parseDocument(text, { version: '1.2', lineCounter: lines });
  const splices = all.flatMap(({ place, lists }) => {
    const map = place ? mapAt(document.contents, place, lines) : document.contents;
    if (!isMap(map)) throw new Error('there is no mapping at the place');
    return splicesOf(text, map as YAMLMap.Parsed, lists, lines);
  });
  // From the end, so that offsets hold. New keys of a mapping come behind what its last list gets.
  return splices
    .toReversed()
    .toSorted((left, right) => right.offset - left.offset)
    .reduce(
      (result, { offset, length, text: part }) =>
        result.slice(0, offset) + part + result.slice(offset + length),
      text,
    );
}

function mapAt(
  root: Node | null,
  { line, column }: Pick<Location, 'line' | 'column'>,
  lines: LineCounter,
): Node | undefined {
  // A file's own value is said to begin where the file does.
  if (isMap(root) && line === 1 && column === 1) return root;
  let found: Node | undefined;
  visit(root, {
    Map: (_key, node) => {
      const { line: at, col } = lines.linePos(node.range![0]);
      if (at !== line || col !== column) return undefined;
      found = node;
      return visit.BREAK;
    },
  });
  return found;
}

function splicesOf(
  text: string,
  map: YAMLMap.Parsed,
  lists: Readonly<Record<string, readonly Json[]>>,
  lines: LineCounter,
): Splice[] {
  const isNew = ([key]: readonly [string, unknown]) => !map.items.some((item) => keyOf(item.key) === key);
  const entries = Object.entries(lists).filter(([, list]) => list.length > 0);
  const added = Object.fromEntries(entries.filter(isNew));
  const splices = entries
    .filter((entry) => !isNew(entry))
    .map(([key, list]) => {
      const item = map.items.find((each) => keyOf(each.key) === key)!;
      const column = lines.linePos((item.key as Node).range![0]).col;
      return intoList(text, item.value as Node | null, (item.key as Node).range![1], list, column, lines);
    });
  if (Object.keys(added).length === 0) return splices;
  if (map.flow) {
    const body = JSON.stringify(added).slice(1, -1);
    return [...splices, beforeBracket(text, map, body, map.items.length > 0)];
  }
  const column = lines.linePos((map.items[0]!.key as unknown as Node).range![0]).col;
  return [...splices, onNewLines(text, map.range[1], indented(block(added), column))];
}

function intoList(
  text: string,
  value: Node | null,
  keyEnd: number,
  list: readonly Json[],
  keyColumn: number,
  lines: LineCounter,
): Splice {
  if (isSeq(value) && value.flow && value.items.length > 0)
    return beforeBracket(text, value, list.map((each) => JSON.stringify(each)).join(', '), true);
  if (isSeq(value) && !value.flow) {
    const { col } = lines.linePos(value.range![0]);
    return onNewLines(text, value.range![1], indented(block(list), col));
  }
  // An empty list, or nothing.
  const isEmpty =
    (isSeq(value) && value.items.length === 0) || value === null || (isScalar(value) && value.value === null);
  if (!isEmpty) throw new Error('a list is expected');
  const colon = text.indexOf(':', keyEnd) + 1;
  const end = value?.range ? Math.max(value.range[1], colon) : colon;
  const isJson = text[lines.lineStarts[0]!] === '{';
  const written = isJson ? ` ${JSON.stringify(list)}` : `\n${indented(block(list), keyColumn + 2).trimEnd()}`;
  return { offset: colon, length: end - colon, text: written };
}

function keyOf(key: unknown): string {
  return isScalar(key) ? String(key.value) : String(key);
}

function block(value: unknown): string {
  return stringify(value, { version: '1.2', lineWidth: 0, aliasDuplicateObjects: false });
}

/** @param column of the first character, from 1 */
function indented(text: string, column: number): string {
  return text.replaceAll(/^(?=.)/gm, ' '.repeat(column - 1));
}

/** After the line in which the offset is. */
function onNewLines(text: string, offset: number, part: string): Splice {
  if (offset > 0 && text[offset - 1] === '\n') return { offset, length: 0, text: part };
  const end = text.indexOf('\n', offset);
  return end < 0
    ? { offset: text.length, length: 0, text: `\n${part}` }
    : { offset: end + 1, length: 0, text: part };
}

/** Before the bracket that closes a collection. */
function beforeBracket(text: string, node: Node, part: string, isComma: boolean): Splice {
  const end = node.range![1] - 1;
  const before = text.slice(0, end).trimEnd().length;
  const comma = isComma && text[before - 1] !== ',' ? ', ' : '';
  return { offset: before, length: 0, text: `${comma}${part}` };
}
