/** Differences between two texts, line by line. */

/** Lines of context around what differs. */
const CONTEXT = 3;
/** More comparisons than this are not worth the wait: everything between the first and last difference is then replaced. */
const LARGEST_TABLE = 4_000_000;

type Edit = readonly [mark: ' ' | '-' | '+', line: string];

/** The lines that differ, marked `-` (only before) and `+` (only after), with some around them; `''` for equal texts. */
export function lineDifference(before: string, after: string): string {
  if (before === after) return '';
  const edits = compareLines(lines(before), lines(after));
  const near = new Set<number>();
  for (const [index, [mark]] of edits.entries()) {
    if (mark === ' ') continue;
    for (let other = index - CONTEXT; other <= index + CONTEXT; other += 1) near.add(other);
  }
  let text = '';
  for (const [index, [mark, line]] of edits.entries()) {
    if (near.has(index)) text += `${mark} ${line}\n`;
    else if (near.has(index - 1)) text += '  …\n';
  }
  return text;
}

function lines(text: string): readonly string[] {
  return text === '' ? [] : text.replace(/\n$/, '').split('\n');
}

function compareLines(before: readonly string[], after: readonly string[]): readonly Edit[] {
  let start = 0;
  while (start < before.length && start < after.length && before[start] === after[start]) start += 1;
  let end = 0;
  while (
    end < before.length - start &&
    end < after.length - start &&
    before[before.length - 1 - end] === after[after.length - 1 - end]
  ) {
    end += 1;
  }
  const same = (line: string): Edit => [' ', line];
  return [
    ...before.slice(0, start).map(same),
    ...compareMiddle(before.slice(start, before.length - end), after.slice(start, after.length - end)),
    ...before.slice(before.length - end).map(same),
  ];
}

/** By the longest common subsequence. */
function compareMiddle(before: readonly string[], after: readonly string[]): readonly Edit[] {
  const width = after.length + 1;
  if ((before.length + 1) * width > LARGEST_TABLE) {
    return [...before.map((line): Edit => ['-', line]), ...after.map((line): Edit => ['+', line])];
  }
  const common = new Uint32Array((before.length + 1) * width);
  for (let row = before.length - 1; row >= 0; row -= 1) {
    for (let column = after.length - 1; column >= 0; column -= 1) {
      common[row * width + column] =
        before[row] === after[column]
          ? common[(row + 1) * width + column + 1]! + 1
          : Math.max(common[(row + 1) * width + column]!, common[row * width + column + 1]!);
    }
  }
  const edits: Edit[] = [];
  let [row, column] = [0, 0];
  while (row < before.length || column < after.length) {
    if (row < before.length && column < after.length && before[row] === after[column]) {
      edits.push([' ', before[row]!]);
      row += 1;
      column += 1;
    } else if (
      column === after.length ||
      (row < before.length && common[(row + 1) * width + column]! >= common[row * width + column + 1]!)
    ) {
      edits.push(['-', before[row]!]);
      row += 1;
    } else {
      edits.push(['+', after[column]!]);
      column += 1;
    }
  }
  return edits;
}
