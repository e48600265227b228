/** Random JSON texts, read by `parseExactJson` and by a slow reader that keeps every number as it is written. */
import { expect, test } from 'vitest';
import { parseExactJson } from '../../../../runtime/core/json/exact-json.ts';
import { NumberText } from '../../../../runtime/core/types.ts';
import { Random } from '../../../fuzz/random.ts';
import { normal } from './decimals.ts';

/** A number of a text. */
class Written {
  readonly text: string;
  constructor(text: string) {
    this.text = text;
  }
}

const TOKEN = /\s*("(?:[^"\\]|\\.)*"|[-+.\w]+|[[\]{}:,])\s*/y;

/** Reads token by token; a member replaces an earlier one with its key. */
function readSlowly(text: string): unknown {
  const tokens: string[] = [];
  TOKEN.lastIndex = 0;
  for (let found = TOKEN.exec(text); found; found = TOKEN.exec(text)) tokens.push(found[1]!);
  let next = 0;
  const value = (): unknown => {
    const token = tokens[next++]!;
    if (token === '[') {
      const items: unknown[] = [];
      while (tokens[next] !== ']') {
        items.push(value());
        if (tokens[next] === ',') next += 1;
      }
      next += 1;
      return items;
    }
    if (token !== '{') return /^[-\d]/.test(token) ? new Written(token) : JSON.parse(token);
    const object = {};
    while (tokens[next] !== '}') {
      const key = JSON.parse(tokens[next]!) as string;
      next += 2;
      const member = { value: value(), enumerable: true, configurable: true, writable: true };
      Object.defineProperty(object, key, member);
      if (tokens[next] === ',') next += 1;
    }
    next += 1;
    return object;
  };
  return value();
}

/** The value with its numbers as they were written, except those that are others or lost digits. */
function asWritten(value: unknown, written: unknown): unknown {
  if (written instanceof Written) {
    if (value instanceof NumberText) return new Written(value.text);
    const isKept = typeof value === 'number' && normal(String(value)) === normal(written.text);
    return isKept ? written : value;
  }
  if (value instanceof NumberText || typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value))
    return value.map((item, index) => asWritten(item, (written as unknown[])?.[index]));
  const members = Object.entries(value).map(([key, item]): [string, unknown] => [
    key,
    asWritten(item, (written as Record<string, unknown>)?.[key]),
  ]);
  return Object.fromEntries(members);
}

function randomText(random: Random): string {
  const digits = (count: number) => random.list(count, () => random.below(10)).join('');
  const number = () =>
    random.pick([
      () => '-0',
      () => `1e40${random.below(3)}`,
      () => `${random.below(3)}e-40${random.below(3)}`,
      () => `900719925474099${random.below(10)}`,
      () => `-${1 + random.below(9)}${digits(14 + random.below(6))}`,
      () => `${random.below(10)}.${digits(1 + random.below(18))}`,
      () => `${random.below(10)}.${digits(16)}E${random.pick(['', '+', '-'])}${random.below(30)}`,
      () => String(Math.sin(random.below(1_000_000)) * 10 ** (random.below(30) - 15)),
      () => String(random.below(1000)),
    ])();
  const space = () => {
    if (!random.chance(0.1)) return '';
    const unit = random.list(1 + random.below(7), () => random.pick([' ', '\n', '\t', '\r'])).join('');
    return unit.repeat(
      random.chance(0.05) ? random.pick([960, 1920, 200 + random.below(2000)]) : 1 + random.below(3),
    );
  };
  const letter = () => random.pick(['a', '"', '\\', 'é', '€', '7', '{', ']', '-', '\n']);
  const string = () =>
    JSON.stringify(random.list(random.below(random.chance(0.1) ? 90 : 4), letter).join(''));
  const key = () => random.pick(['"a"', '"\\u0061"', '"b"', '"1"', '"0"', '"__proto__"', string()]);
  const value = (depth: number): string => {
    const kind = random.below(depth > 4 ? 5 : 8);
    const inner = () => `${space()}${value(depth + 1)}${space()}`;
    if (kind < 3) return number();
    if (kind === 3) return string();
    if (kind === 4) return random.pick(['true', 'false', 'null']);
    if (kind === 5)
      return `{${random.list(random.below(5), () => `${key()}${space()}:${inner()}`).join(',')}}`;
    return `[${random.list(random.below(6), inner).join(',')}]`;
  };
  return `${space()}${value(0)}${space()}`;
}

test('every value is at its place, with the digits of its numbers', () => {
  const random = new Random(11);
  let restored = 0;
  for (let count = 0; count < 20_000; count += 1) {
    const text = randomText(random);
    const written = readSlowly(text);
    const value = parseExactJson(text);
    const read = asWritten(value, written);
    expect(read, text).toStrictEqual(written);
    expect(JSON.stringify(read), text).toBe(JSON.stringify(written));
    if (JSON.stringify(value) !== JSON.stringify(JSON.parse(text))) restored += 1;
  }
  expect(restored).toBeGreaterThan(5000);
});
