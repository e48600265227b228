/** JSON texts that a reader may stumble over, and damage to bytes. */
import type { Random } from '../random.ts';

const NUMBERS = [
  '0',
  '-0',
  '1e400',
  '-1E+999999',
  '1e-999999',
  '0.1e1',
  '9007199254740993',
  '-9223372036854775809',
  '1'.repeat(400),
  `0.${'3'.repeat(300)}`,
  '01',
  '1.',
  '.5',
  '+1',
  '0x10',
  'NaN',
  'Infinity',
  '-',
];

const STRINGS = [
  '""',
  '"a"',
  '"\\u0000"',
  '"a\\u0000b"',
  '"\\ud800"',
  '"\\udc00\\ud800"',
  '"\\ud83d\\ude00"',
  '"\u2028\ufeff"',
  '"\t"',
  '"\u0000"',
  '"\\x"',
  '"\\u12"',
  '"open',
  '"__proto__"',
  '"constructor"',
  '"\\""',
  '"\\\\"',
  '"1970-01-01"',
  '"x-engine-user-id"',
  '"%00%zz"',
  '"{{$body}}"',
];

const WORDS = ['null', 'true', 'false', 'nul', 'undefined', 'None', '', '//', '/* */ 1', "'a'"];

export const KEYS = [
  '__proto__',
  'constructor',
  'prototype',
  'toString',
  'hasOwnProperty',
  'toJSON',
  'then',
  'length',
  '',
  'id',
  '\\u0000',
  '\\ud800',
  '__typename',
  'type',
  'query',
  '$',
  '0',
  '-1',
];

/** Sizes of deep and long things; the large ones are rare. */
function size(random: Random): number {
  return random.pick([1, 2, 3, 5, 10, 30, 100, ...(random.chance(0.05) ? [1000, 5000, 20_000] : [])]);
}

/** The text of a JSON value of any kind, now and then of none. */
export function hostileJson(random: Random, depth = 2): string {
  switch (random.below(depth > 0 ? 10 : 4)) {
    case 0:
    case 1:
      return random.pick(NUMBERS);
    case 2:
      return random.pick(STRINGS);
    case 3:
      return random.pick(WORDS);
    case 4:
      return deep(random);
    case 5:
      return long(random);
    case 6:
      return `[${random.list(random.below(4), () => hostileJson(random, depth - 1)).join(',')}]`;
    default: {
      const keys = random.list(random.below(4), () => random.pick(KEYS));
      const pairs = keys.map((key) => `"${key}":${hostileJson(random, depth - 1)}`);
      // Twice the same key, with the same value or another one.
      if (keys.length > 0 && random.chance(0.2))
        pairs.push(random.chance(0.5) ? pairs[0]! : `"${keys[0]}":${hostileJson(random, depth - 1)}`);
      return `{${pairs.join(',')}}`;
    }
  }
}

function deep(random: Random): string {
  const levels = size(random);
  const [open, close] = random.pick([
    ['[', ']'],
    ['{"a":', '}'],
    ['{"_and":[', ']}'],
    ['{"_not":', '}'],
    ['[[],', ']'],
  ] as const);
  const end = random.chance(0.9) ? close.repeat(levels) : '';
  return `${open.repeat(levels)}${random.pick(['1', '{}', 'null', '""'])}${end}`;
}

function long(random: Random): string {
  const length = size(random);
  const item = random.pick([...NUMBERS, ...STRINGS, '{}', '[]', '1e1']);
  switch (random.below(3)) {
    case 0:
      return `"${random.pick(['x', '\\u0000', 'é', '\\n', '\\ud800']).repeat(length)}"`;
    case 1:
      return `[${new Array(length).fill(item).join(',')}]`;
    default:
      return `{${random.list(length, (index) => `"k${random.chance(0.5) ? index : ''}":${item}`).join(',')}}`;
  }
}

const BROKEN = [
  [0xff],
  [0xc3],
  [0xc0, 0x80],
  [0xed, 0xa0, 0x80],
  [0xf4, 0x90, 0x80, 0x80],
  [0xe2, 0x82],
  [0],
  [0xef, 0xbb, 0xbf],
  [0x80],
].map((bytes) => Buffer.from(bytes));

/** The text as bytes, damaged now and then: cut, doubled, flipped, or with bytes that are no UTF-8. */
export function damaged(random: Random, text: string, probability = 0.15): Buffer {
  const bytes = Buffer.from(text);
  if (bytes.length === 0 || !random.chance(probability)) return bytes;
  const at = random.below(bytes.length);
  const end = Math.min(bytes.length, at + 1 + random.below(20));
  switch (random.below(5)) {
    case 0:
      return bytes.subarray(0, at);
    case 1:
      return Buffer.concat([bytes.subarray(0, end), bytes.subarray(at)]);
    case 2:
      return Buffer.concat([bytes.subarray(0, at), bytes.subarray(end)]);
    case 3:
      bytes[at] = random.below(256);
      return bytes;
    default:
      return Buffer.concat([bytes.subarray(0, at), random.pick(BROKEN), bytes.subarray(at)]);
  }
}

/** Bytes as a report shows them. */
export function printable(bytes: Buffer, most = 3000): string {
  const text = JSON.stringify(bytes.toString('latin1').slice(0, most)).slice(1, -1).replaceAll('\\"', '"');
  return bytes.length > most ? `${text}… (${bytes.length} bytes)` : text;
}
