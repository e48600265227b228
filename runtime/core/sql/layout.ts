/**
 * The lines of a printed statement, for people: a clause a line, subqueries indented. Where lines may be broken the tree says (`Layout`
 * of fragment.ts); only white space changes.
 */
import type { Layout } from './fragment.ts';

/** A text, or what is in parentheses; `text` is all of it on one line. */
interface Item {
  readonly text: string;
  readonly layout?: Layout | undefined;
  readonly inside?: readonly Item[];
}

const WIDTH = 100;

/** Parentheses that are not longer stay on a line: arguments of a cast, lists of names. */
const SHORT = 42;

export class Lines {
  /** Items of the parentheses that are open. */
  readonly #open: Item[][] = [[]];

  add(text: string, layout?: Layout): void {
    if (layout === 'open') {
      this.#item(text.slice(0, -1));
      this.#open.push([]);
    } else if (layout === 'close') {
      const inside = this.#open.pop()!;
      this.#item(`(${flat(inside)})`, undefined, inside);
      this.#item(text.slice(1));
    } else this.#item(text, layout);
  }

  text(): string {
    return contents(this.#open[0]!, '');
  }

  #item(text: string, layout?: Layout, inside?: readonly Item[]): void {
    if (text !== '') this.#open.at(-1)!.push({ text, layout, ...(inside && { inside }) });
  }
}

function flat(items: readonly Item[]): string {
  return items.map(({ text }) => text).join('');
}

function fits(items: readonly Item[], indent: string): boolean {
  return indent.length + flat(items).length <= WIDTH;
}

/** A text that fits stays on one line; a statement is broken before its clauses, a condition before and/or, a list after commas. */
function contents(items: readonly Item[], indent: string): string {
  if (fits(items, indent)) return flat(items);
  if (items.some(({ layout }) => layout === 'select' || layout === 'clause'))
    return split(items, 'clause')
      .map((clause) => clauseText(clause, indent))
      .join(`\n${indent}`);
  const conditions = split(items, 'condition');
  const parts = conditions.length > 1 ? conditions : split(items, 'entry');
  return parts.map((part) => itemsText(part, indent)).join(`\n${indent}`);
}

function clauseText(clause: readonly Item[], indent: string): string {
  if (fits(clause, indent)) return flat(clause);
  const [first, ...rest] = clause;
  const entries = split(rest, 'entry');
  const inner = `${indent}  `;
  if (first!.layout === 'select' && entries.length > 1)
    return ['select', ...entries.map((part) => `${inner}${itemsText(part, inner)}`)].join('\n');
  return split(clause, 'condition')
    .map((part, index) => (index === 0 ? itemsText(part, indent) : `${inner}${itemsText(part, inner)}`))
    .join('\n');
}

/** Parts between which a line is broken, without the white space there. */
function split(items: readonly Item[], at: Layout): readonly (readonly Item[])[] {
  const parts: Item[][] = [[]];
  for (const item of items) {
    if (item.layout !== at) parts.at(-1)!.push(item);
    else if (at === 'entry') {
      parts.at(-1)!.push({ ...item, text: item.text.trimEnd() });
      parts.push([]);
    } else {
      const text = item.text.trimStart();
      parts.push(text === '' ? [] : [{ ...item, text }]);
    }
  }
  return parts;
}

/** Items in a line; parentheses that do not fit are opened. */
function itemsText(items: readonly Item[], indent: string): string {
  if (fits(items, indent)) return flat(items);
  const inner = `${indent}  `;
  return items
    .map(({ text, inside }) =>
      inside && text.length > SHORT ? `(\n${inner}${contents(inside, inner)}\n${indent})` : text,
    )
    .join('');
}
