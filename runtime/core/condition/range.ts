/** Ranges of numbers that comparisons leave. */

export interface Range {
  readonly from: number;
  /** Whether `from` itself is outside. */
  readonly fromOpen: boolean;
  readonly to: number;
  readonly toOpen: boolean;
  readonly excluded: ReadonlySet<number>;
  readonly integer: boolean;
}

const OPPOSITE: Readonly<Record<string, string>> = { '<': '>=', '<=': '>', '>': '<=', '>=': '<' };

/** The part of a range in which a comparison with a number holds, or does not. */
export function restrict(
  range: Range | undefined,
  operator: string,
  holds: boolean,
  value: number,
  integer: boolean,
): Range {
  const now: Range = range ?? {
    ...{ from: -Infinity, fromOpen: true, to: Infinity, toOpen: true },
    ...{ excluded: new Set<number>(), integer },
  };
  switch (holds ? operator : (OPPOSITE[operator] ?? 'not')) {
    case '=':
      return below(above(now, value, false), value, false);
    case '<':
      return below(now, value, true);
    case '<=':
      return below(now, value, false);
    case '>':
      return above(now, value, true);
    case '>=':
      return above(now, value, false);
    default:
      return { ...now, excluded: new Set([...now.excluded, value]) };
  }
}

/** Maximum number of integers that are looked at one by one. */
const MAX_INTEGERS = 100;

/** True if no number is left. */
export function emptyRange({ from, fromOpen, to, toOpen, excluded, integer }: Range): boolean {
  if (from > to || (from === to && (fromOpen || toOpen))) return true;
  if (from === to) return excluded.has(from);
  if (!integer) return false;
  const first = fromOpen ? Math.floor(from) + 1 : Math.ceil(from);
  const last = toOpen ? Math.ceil(to) - 1 : Math.floor(to);
  // False for ranges without an end.
  if (!(last - first <= MAX_INTEGERS)) return false;
  for (let value = first; value <= last; value += 1) if (!excluded.has(value)) return false;
  return true;
}

function above(range: Range, value: number, open: boolean): Range {
  if (value < range.from || (value === range.from && (range.fromOpen || !open))) return range;
  return { ...range, from: value, fromOpen: open };
}

function below(range: Range, value: number, open: boolean): Range {
  if (value > range.to || (value === range.to && (range.toOpen || !open))) return range;
  return { ...range, to: value, toOpen: open };
}
