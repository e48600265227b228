/** Answers: reading JSON without losing digits, and comparing with what the oracle expects. */

/** JSON as it was sent: digits of numbers and order of keys kept. */
export type Exact =
  | null
  | boolean
  | string
  | { readonly kind: 'number'; readonly text: string }
  | { readonly kind: 'list'; readonly items: readonly Exact[] }
  | { readonly kind: 'object'; readonly entries: readonly (readonly [string, Exact])[] };

export type Expected =
  | { readonly kind: 'exactly'; readonly value: Exact }
  /** A value of rows that Postgres finds equal although they print differently: any of them. */
  | { readonly kind: 'one of'; readonly values: readonly Exact[] }
  /** Any of several things, of which the server shows the one that it likes: the row of an object relationship that leads to several. */
  | { readonly kind: 'any'; readonly of: readonly Expected[] }
  /** Averages and deviations: the digits are Postgres' business. */
  | { readonly kind: 'about'; readonly value: number }
  | { readonly kind: 'object'; readonly entries: readonly (readonly [string, Expected])[] }
  /**
   * Rows of which `skip` are passed over and `take` are shown. The groups follow each other; within a group the order,
   * and so which ones are shown, is Postgres' choice.
   */
  | {
      readonly kind: 'rows';
      readonly groups: readonly (readonly Expected[])[];
      readonly skip: number;
      readonly take: number;
    };

const TOKEN = /\s*(?:([[\]{},:])|("(?:[^"\\]|\\.)*")|(-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?)|(true|false|null))/y;

/** What is wrong with the text of an answer whose data is to be as expected; undefined: nothing. */
export function wrongAnswer(data: Expected, text: string): string | undefined {
  let answer: Exact;
  try {
    answer = parseExact(text);
  } catch (error) {
    return (error as Error).message;
  }
  const found = difference({ kind: 'object', entries: [['data', data]] }, answer);
  return found === undefined ? undefined : `${found}\nanswer: ${text}`;
}

/** @throws Error when the text is no JSON */
function parseExact(text: string): Exact {
  TOKEN.lastIndex = 0;
  const next = (): RegExpExecArray => {
    const at = TOKEN.lastIndex;
    const match = TOKEN.exec(text);
    if (!match) throw new Error(`no JSON at position ${at}: ${text}`);
    return match;
  };
  const value = (token: RegExpExecArray): Exact => {
    const [, mark, string, number, word] = token;
    if (string !== undefined) return JSON.parse(string) as string;
    if (number !== undefined) return { kind: 'number', text: number };
    if (word !== undefined) return word === 'null' ? null : word === 'true';
    if (mark === '[') {
      const items: Exact[] = [];
      for (let token = next(); token[1] !== ']'; token = next()) {
        items.push(value(token[1] === ',' ? next() : token));
      }
      return { kind: 'list', items };
    }
    if (mark !== '{') throw new Error(`unexpected ${mark}: ${text}`);
    const entries: [string, Exact][] = [];
    for (let token = next(); token[1] !== '}'; token = next()) {
      const key = token[1] === ',' ? next() : token;
      next();
      entries.push([JSON.parse(key[2]!) as string, value(next())]);
    }
    return { kind: 'object', entries };
  };
  return value(next());
}

/** Where and how an answer differs from what was expected; undefined: it does not. */
function difference(expected: Expected, got: Exact, path = '$'): string | undefined {
  switch (expected.kind) {
    case 'exactly':
      return show(expected.value) === show(got)
        ? undefined
        : `${path}: expected ${show(expected.value)}, got ${show(got)}`;
    case 'one of':
      return expected.values.some((value) => show(value) === show(got))
        ? undefined
        : `${path}: expected ${showExpected(expected)}, got ${show(got)}`;
    case 'any': {
      const found = expected.of.map((each) => difference(each, got, path));
      return found.includes(undefined)
        ? undefined
        : found.length === 1
          ? found[0]
          : `${path}: expected ${showExpected(expected)}, got ${show(got)}`;
    }
    case 'about': {
      const number =
        got !== null && typeof got === 'object' && got.kind === 'number' ? Number(got.text) : Number.NaN;
      const close = Math.abs(number - expected.value) <= 1e-9 * Math.max(1, Math.abs(expected.value));
      return close ? undefined : `${path}: expected about ${expected.value}, got ${show(got)}`;
    }
    case 'object': {
      if (got === null || typeof got !== 'object' || got.kind !== 'object')
        return `${path}: expected an object, got ${show(got)}`;
      const wanted = expected.entries.map(([name]) => name);
      const names = got.entries.map(([name]) => name);
      if (wanted.join() !== names.join())
        return `${path}: expected the keys ${wanted.join()}, got ${names.join()}`;
      for (const [index, [name, value]] of expected.entries.entries()) {
        const found = difference(value, got.entries[index]![1], `${path}.${name}`);
        if (found !== undefined) return found;
      }
      return undefined;
    }
    case 'rows':
      return differenceOfRows(expected, got, path);
  }
}

function differenceOfRows(
  expected: Extract<Expected, { kind: 'rows' }>,
  got: Exact,
  path: string,
): string | undefined {
  if (got === null || typeof got !== 'object' || got.kind !== 'list')
    return `${path}: expected a list, got ${show(got)}`;
  const all = expected.groups.reduce((sum, group) => sum + group.length, 0);
  const length = Math.max(0, Math.min(all - expected.skip, expected.take));
  if (got.items.length !== length)
    return `${path}: expected ${length} rows, got ${got.items.length}: ${show(got)}`;
  let start = 0;
  for (const group of expected.groups) {
    const end = start + group.length;
    const shown = got.items.slice(Math.max(0, start - expected.skip), Math.max(0, end - expected.skip));
    const found = notAmong(shown, group, `${path}[${Math.max(0, start - expected.skip)}]`);
    if (found !== undefined) return found;
    start = end;
  }
  return undefined;
}

/** Finds for every item a candidate of its own. */
function notAmong(
  items: readonly Exact[],
  candidates: readonly Expected[],
  path: string,
): string | undefined {
  if (items.length === 1 && candidates.length === 1) return difference(candidates[0]!, items[0]!, path);
  const fits = items.map((item) =>
    candidates.map((candidate) => difference(candidate, item, path) === undefined),
  );
  const holder: (number | undefined)[] = candidates.map(() => undefined);
  const place = (item: number, tried: Set<number>): boolean =>
    fits[item]!.some((fit, candidate) => {
      if (!fit || tried.has(candidate)) return false;
      tried.add(candidate);
      if (holder[candidate] !== undefined && !place(holder[candidate], tried)) return false;
      holder[candidate] = item;
      return true;
    });
  for (const [index, item] of items.entries()) {
    if (!place(index, new Set()))
      return `${path}: got the row ${show(item)}, which is not (any more) among\n    ${candidates.map(showExpected).join('\n    ')}`;
  }
  return undefined;
}

function show(value: Exact): string {
  if (value === null || typeof value !== 'object') return JSON.stringify(value);
  switch (value.kind) {
    case 'number':
      return value.text;
    case 'list':
      return `[${value.items.map(show).join()}]`;
    case 'object':
      return `{${value.entries.map(([name, item]) => `${JSON.stringify(name)}:${show(item)}`).join()}}`;
  }
}

/** What is expected, for people. Groups whose order is open are in angle brackets. */
function showExpected(expected: Expected): string {
  switch (expected.kind) {
    case 'exactly':
      return show(expected.value);
    case 'one of':
      return expected.values.map(show).join(' or ');
    case 'any':
      return `(${expected.of.map(showExpected).join(' or ')})`;
    case 'about':
      return `~${expected.value}`;
    case 'object':
      return `{${expected.entries.map(([name, item]) => `${JSON.stringify(name)}:${showExpected(item)}`).join()}}`;
    case 'rows': {
      const groups = expected.groups.map((group) =>
        group.length === 1 ? showExpected(group[0]!) : `<${group.map(showExpected).join()}>`,
      );
      const cut =
        expected.skip > 0 || Number.isFinite(expected.take)
          ? ` skip ${expected.skip} take ${expected.take}`
          : '';
      return `[${groups.join()}]${cut}`;
    }
  }
}
