/** Differences between two texts, line by line. */
import { diffArrays } from 'diff';

/** Lines of context around what differs. */
const CONTEXT = 3;
/** Of a comparison: with more edits than this everything is replaced, because nobody reads so much line by line. */
const MAX_EDITS = 5000;

/** The lines that differ, marked `-` (only before) and `+` (only after), with some around them; `''` for equal texts. */
export function lineDifference(before: string, after: string): string {
  if (before === after) return '';
  const [old, young] = [lines(before), lines(after)];
  const changes = diffArrays(old, young, { maxEditLength: MAX_EDITS }) ?? [
    { removed: true, added: false, value: old },
    { removed: false, added: true, value: young },
  ];
  const edits = changes.flatMap(({ removed, added, value }) => {
    const mark = removed ? '-' : added ? '+' : ' ';
    return value.map((line) => ({ mark, line }));
  });
  const near = new Set<number>();
  for (const [index, { mark }] of edits.entries()) {
    if (mark === ' ') continue;
    for (let other = index - CONTEXT; other <= index + CONTEXT; other += 1) near.add(other);
  }
  let text = '';
  for (const [index, { mark, line }] of edits.entries()) {
    if (near.has(index)) text += `${mark} ${line}\n`;
    else if (near.has(index - 1)) text += '  …\n';
  }
  return text;
}

function lines(text: string): string[] {
  return text === '' ? [] : text.replace(/\n$/, '').split('\n');
}
