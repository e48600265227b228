/**
 * Conditions on their way from a tree to text: what stands between `and`, `or`, `not` and `exists`. The layout breaks long
 * ones over lines as a person would, so that an auditor reads one condition a line.
 */

export type Clause =
  /** A comparison, in one piece. Binds tighter than `not`. */
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'and' | 'or'; readonly clauses: readonly Clause[] }
  | { readonly kind: 'not'; readonly clause: Clause }
  /** `from` has one line a table. */
  | { readonly kind: 'exists'; readonly from: readonly string[]; readonly where: Clause };

/** Conjunction without nesting and without repetition; nothing at all is true. */
export function allOf(clauses: readonly Clause[]): Clause {
  return combine('and', clauses);
}

/** Disjunction without nesting and without repetition; nothing at all is false. */
export function anyOf(clauses: readonly Clause[]): Clause {
  return combine('or', clauses);
}

function combine(kind: 'and' | 'or', clauses: readonly Clause[]): Clause {
  const flat = clauses.flatMap((clause) => (clause.kind === kind ? clause.clauses : [clause]));
  const said = new Set<string>();
  const distinct = flat.filter((clause) => {
    if (clause.kind !== 'text') return true;
    const isNew = !said.has(clause.text);
    said.add(clause.text);
    return isNew;
  });
  return distinct.length === 1 ? distinct[0]! : { kind, clauses: distinct };
}

export function not(clause: Clause): Clause {
  return { kind: 'not', clause };
}

/** Longest line of a rule that is not broken, without its indentation. */
const LINE = 100;

/**
 * Text of a condition: on one line if it fits, else over several, each indented by `indentation` and more, beginning and
 * ending with a line break. Line breaks are only between tokens, never within a literal.
 */
export function printClause(clause: Clause, indentation: number): string {
  const line = oneLine(clause);
  if (line.length <= LINE) return line;
  const lines = layOut(clause).map((each) => `\n${' '.repeat(indentation)}${each}`);
  return `${lines.join('')}\n${' '.repeat(Math.max(0, indentation - 2))}`;
}

function oneLine(clause: Clause): string {
  switch (clause.kind) {
    case 'text':
      return clause.text;
    case 'and':
    case 'or':
      if (clause.clauses.length === 0) return clause.kind === 'and' ? 'true' : 'false';
      return clause.clauses.map(operandLine).join(` ${clause.kind} `);
    case 'not':
      return clause.clause.kind === 'exists'
        ? `not ${oneLine(clause.clause)}`
        : `not (${oneLine(clause.clause)})`;
    case 'exists': {
      const where = isEmpty(clause.where) ? '' : ` where ${oneLine(clause.where)}`;
      return `exists (select 1 from ${clause.from.join(' ')}${where})`;
    }
  }
}

/** A clause between `and` or `or`: a combination of the other kind stands in parentheses, though SQL asks it of `or` only. */
function operandLine(clause: Clause): string {
  return isCombination(clause) ? `(${oneLine(clause)})` : oneLine(clause);
}

function isCombination(clause: Clause): boolean {
  return (clause.kind === 'and' || clause.kind === 'or') && clause.clauses.length > 0;
}

function isEmpty(clause: Clause): boolean {
  return clause.kind === 'and' && clause.clauses.length === 0;
}

/** Lines of a clause, indented among each other. A clause that fits stays on its line. */
function layOut(clause: Clause): string[] {
  const line = oneLine(clause);
  if (line.length <= LINE || clause.kind === 'text') return [line];
  switch (clause.kind) {
    case 'and':
    case 'or':
      return clause.clauses.flatMap((operand, index) => {
        const lines = isCombination(operand) ? parenthesise('(', operand) : layOut(operand);
        return index === 0 ? lines : prefix(`${clause.kind} `, lines);
      });
    case 'not':
      return clause.clause.kind === 'exists'
        ? prefix('not ', layOut(clause.clause))
        : parenthesise('not (', clause.clause);
    case 'exists': {
      const where = isEmpty(clause.where) ? [] : whereLines(clause.where);
      return ['exists (', ...indent(['select 1', ...fromLines(clause.from), ...where]), ')'];
    }
  }
}

function parenthesise(open: string, clause: Clause): string[] {
  const line = `${open}${oneLine(clause)})`;
  return line.length <= LINE ? [line] : [open, ...indent(layOut(clause)), ')'];
}

function fromLines([first, ...joins]: readonly string[]): string[] {
  return [`from ${first}`, ...indent(joins)];
}

function whereLines(where: Clause): string[] {
  const [first, ...more] = layOut(where);
  // What continues the condition stands below `where`, closing parentheses included.
  return [`where ${first}`, ...indent(more)];
}

function prefix(text: string, [first, ...more]: readonly string[]): string[] {
  return [`${text}${first}`, ...more];
}

function indent(lines: readonly string[]): string[] {
  return lines.map((line) => `  ${line}`);
}
