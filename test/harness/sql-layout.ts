/**
 * Lays SQL out by its tokens: for the statements of request cases, and to compare with what the printer makes of their trees (layout.ts).
 * Only white space between tokens changes; a text that this cannot read for sure stays unchanged.
 */
import { placeTokens } from '../../runtime/core/condition/tokens.ts';

/** A token, or a group in parentheses; `text` is all of it on one line. */
interface Item {
  /** White space precedes it. */
  readonly spaced: boolean;
  readonly text: string;
  readonly inside?: readonly Item[];
}

const WIDTH = 100;

/** The statement over several lines, indented as in its file. */
export function layOut(sql: string, indent: string): string {
  const items = readItems(sql);
  return items ? `\n${indent}${clauses(items, indent)}\n${indent.slice(2)}` : sql;
}

/** undefined for text that the tokeniser refuses, and for parentheses that do not match. */
function readItems(sql: string): readonly Item[] | undefined {
  const tokens = placeTokens(sql);
  if (!tokens) return undefined;
  const open: { readonly spaced: boolean; readonly items: Item[] }[] = [{ spaced: false, items: [] }];
  for (const [index, { start, end }] of tokens.entries()) {
    const spaced = start > (tokens[index - 1]?.end ?? start);
    const token = sql.slice(start, end);
    if (token === '(') open.push({ spaced, items: [] });
    else if (token === ')') {
      const group = open.pop()!;
      if (open.length === 0) return undefined;
      open.at(-1)!.items.push({ spaced: group.spaced, text: `(${flat(group.items)})`, inside: group.items });
    } else open.at(-1)!.items.push({ spaced, text: token });
  }
  return open.length === 1 ? open[0]!.items : undefined;
}

function flat(items: readonly Item[]): string {
  let text = '';
  for (const item of items) text += item.spaced && text !== '' ? ` ${item.text}` : item.text;
  return text;
}

function wordOf(item: Item | undefined): string {
  return item?.inside ? '' : (item?.text ?? '');
}

/** Words that may precede `join`. */
const JOINS = new Set(['left', 'inner', 'cross']);
const CLAUSES = new Set([
  'select',
  'from',
  'where',
  'having',
  'limit',
  'offset',
  'union',
  'values',
  'set',
  'returning',
]);
const STATEMENTS = new Set(['select', 'with', 'insert', 'update', 'delete']);

/** Whether the item begins a clause of its statement. */
function beginsClause(items: readonly Item[], index: number): boolean {
  const [before, word, after] = [index - 1, index, index + 1].map((at) => wordOf(items[at]));
  if (!items[index]!.spaced || before === 'distinct') return false;
  if (CLAUSES.has(word!)) return true;
  if (word === 'order' || word === 'group') return after === 'by';
  if (word === 'on') return after === 'conflict';
  return JOINS.has(word!) ? after === 'join' : word === 'join' && !JOINS.has(before!);
}

/** A text that fits stays on one line; a statement is broken before its clauses, a condition before and/or, a list after commas. */
function clauses(items: readonly Item[], indent: string): string {
  if (indent.length + flat(items).length <= WIDTH) return flat(items);
  if (STATEMENTS.has(wordOf(items[0]))) {
    return split(items, (index) => beginsClause(items, index))
      .map((clause) => clauseText(clause, indent))
      .join(`\n${indent}`);
  }
  const conditions = splitConditions(items);
  const parts = conditions.length > 1 ? conditions : splitCommas(items);
  return parts.map((part) => itemsText(part, indent)).join(`\n${indent}`);
}

function clauseText(clause: readonly Item[], indent: string): string {
  if (indent.length + flat(clause).length <= WIDTH) return flat(clause);
  const [first, ...rest] = clause;
  const inner = `${indent}  `;
  if (wordOf(first) === 'select' && splitCommas(rest).length > 1)
    return ['select', ...splitCommas(rest).map((part) => `${inner}${itemsText(part, inner)}`)].join('\n');
  return splitConditions(clause)
    .map((part, index) => (index === 0 ? itemsText(part, indent) : `${inner}${itemsText(part, inner)}`))
    .join('\n');
}

function splitConditions(items: readonly Item[]): (readonly Item[])[] {
  return split(items, (index) => wordOf(items[index]) === 'and' || wordOf(items[index]) === 'or');
}

function splitCommas(items: readonly Item[]): (readonly Item[])[] {
  return split(items, (index) => wordOf(items[index - 1]) === ',');
}

/** Parts that begin where the test says so. */
function split(items: readonly Item[], begins: (index: number) => boolean): (readonly Item[])[] {
  const parts: Item[][] = [];
  items.forEach((item, index) => {
    if (index === 0 || begins(index)) parts.push([item]);
    else parts.at(-1)!.push(item);
  });
  return parts;
}

/** Items in a line; parentheses that do not fit are opened. */
function itemsText(items: readonly Item[], indent: string): string {
  if (indent.length + flat(items).length <= WIDTH) return flat(items);
  const inner = `${indent}  `;
  return items
    .map((item, index) => {
      const space = item.spaced && index > 0 ? ' ' : '';
      // Short ones stay: arguments of a cast, lists of names.
      if (!item.inside || item.text.length <= 42) return `${space}${item.text}`;
      return `${space}(\n${inner}${clauses(item.inside, inner)}\n${indent})`;
    })
    .join('');
}
