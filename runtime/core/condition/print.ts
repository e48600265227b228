/**
 * Conditions as rule text. The layout breaks long ones over lines as a person would, so that an auditor reads one comparison
 * a line. Line breaks are only between tokens, never within a literal.
 */
import type { Condition, RuleFromItem } from './tree.ts';

/** Maximum length of a line, without its indentation. */
const LINE = 100;

/**
 * Text of a condition: on one line if it fits, else over several, each indented by `indentation` and more, beginning and
 * ending with a line break.
 */
export function printCondition(condition: Condition, indentation: number): string {
  const line = printLine(condition);
  if (line.length <= LINE) return line;
  const lines = layOut(condition).map((each) => `\n${' '.repeat(indentation)}${each}`);
  return `${lines.join('')}\n${' '.repeat(Math.max(0, indentation - 2))}`;
}

/** Text of a condition on one line. */
export function printLine(condition: Condition): string {
  switch (condition.kind) {
    case 'leaf':
      return condition.text;
    case 'and':
    case 'or':
      if (condition.parts.length === 0) return condition.kind === 'and' ? 'true' : 'false';
      return condition.parts.map(operandLine).join(` ${condition.kind} `);
    case 'not':
      return condition.part.kind === 'exists'
        ? `not ${printLine(condition.part)}`
        : `not (${printLine(condition.part)})`;
    case 'guarded':
      return `case when ${printLine(condition.when)} then ${printLine(condition.part)} end`;
    case 'exists': {
      const where = isEmpty(condition.where) ? '' : ` where ${printLine(condition.where)}`;
      return `exists (select 1 from ${condition.from.map(printItem).join(' ')}${where})`;
    }
  }
}

/** An operand of `and` or `or`: a combination of the other kind is in parentheses, though SQL needs them for `or` only. */
function operandLine(condition: Condition): string {
  return isCombination(condition) ? `(${printLine(condition)})` : printLine(condition);
}

function printItem({ source, alias, on }: RuleFromItem): string {
  return on ? `join ${source} as ${alias} on ${printLine(on)}` : `${source} as ${alias}`;
}

function isCombination(condition: Condition): boolean {
  return (condition.kind === 'and' || condition.kind === 'or') && condition.parts.length > 0;
}

function isEmpty(condition: Condition): boolean {
  return condition.kind === 'and' && condition.parts.length === 0;
}

/** Lines of a condition, indented among each other. A condition that fits stays on its line. */
function layOut(condition: Condition): string[] {
  const line = printLine(condition);
  if (line.length <= LINE || condition.kind === 'leaf') return [line];
  switch (condition.kind) {
    case 'and':
    case 'or':
      return condition.parts.flatMap((operand, index) => {
        const lines = isCombination(operand) ? parenthesise('(', operand) : layOut(operand);
        return index === 0 ? lines : prefix(`${condition.kind} `, lines);
      });
    case 'not':
      return condition.part.kind === 'exists'
        ? prefix('not ', layOut(condition.part))
        : parenthesise('not (', condition.part);
    case 'guarded':
      return [
        ...prefix('case when ', layOut(condition.when)),
        ...indent(prefix('then ', layOut(condition.part))),
        'end',
      ];
    case 'exists': {
      const where = isEmpty(condition.where) ? [] : whereLines(condition.where);
      return ['exists (', ...indent(['select 1', ...fromLines(condition.from), ...where]), ')'];
    }
  }
}

function parenthesise(open: string, condition: Condition): string[] {
  const line = `${open}${printLine(condition)})`;
  return line.length <= LINE ? [line] : [open, ...indent(layOut(condition)), ')'];
}

function fromLines([first, ...joins]: readonly RuleFromItem[]): string[] {
  return [`from ${printItem(first!)}`, ...indent(joins.map(printItem))];
}

function whereLines(where: Condition): string[] {
  const [first, ...more] = layOut(where);
  // Lines that continue the condition are below `where`, closing parentheses included.
  return [`where ${first}`, ...indent(more)];
}

function prefix(text: string, [first, ...more]: readonly string[]): string[] {
  return [`${text}${first}`, ...more];
}

function indent(lines: readonly string[]): string[] {
  return lines.map((line) => `  ${line}`);
}
