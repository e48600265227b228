import { expect, test } from 'vitest';
import { TextQuery } from '../../../runtime/database/text-query.ts';
import { wholeMessages } from '../../../runtime/database/whole-messages.ts';
import { Random } from '../../fuzz/random.ts';

/** A message of PostgreSQL's protocol whose body counts up. */
function message(bodyLength: number): Buffer {
  const bytes = Buffer.alloc(5 + bodyLength, Buffer.from(Array.from({ length: 251 }, (_, index) => index)));
  bytes.write('D');
  bytes.writeUInt32BE(4 + bodyLength, 1);
  return bytes;
}

/** The pieces that are parsed when these arrive one after another. */
function parsed(chunks: readonly Buffer[]): Buffer[] {
  const pieces: Buffer[] = [];
  const take = wholeMessages((bytes) => pieces.push(Buffer.from(bytes)));
  for (const chunk of chunks) take(chunk);
  return pieces;
}

function cut(bytes: Buffer, at: readonly number[]): Buffer[] {
  const ends = [...at, bytes.length].sort((left, right) => left - right);
  return ends
    .map((end, index) => bytes.subarray(ends[index - 1] ?? 0, end))
    .filter(({ length }) => length > 0);
}

test('messages cut at any two places arrive whole, in order and once', () => {
  const messages = [message(0), message(7), message(1), message(0), message(30)];
  const bytes = Buffer.concat(messages);
  for (let first = 0; first <= bytes.length; first += 1) {
    for (let second = first; second <= bytes.length; second += 1)
      expectWhole(messages, cut(bytes, [first, second]));
  }
});

test('messages of random lengths cut at random places arrive whole, in order and once', () => {
  const random = new Random(7);
  for (let round = 0; round < 200; round += 1) {
    const messages = Array.from({ length: random.between(1, 20) }, () =>
      message(random.chance(0.1) ? random.below(200_000) : random.below(50)),
    );
    const bytes = Buffer.concat(messages);
    const places = Array.from({ length: random.below(40) }, () => random.below(bytes.length));
    expectWhole(messages, cut(bytes, places));
  }
});

test('each byte for itself', () => {
  const messages = [message(0), message(9), message(2)];
  const bytes = Buffer.concat(messages);
  expectWhole(
    messages,
    [...bytes].map((byte) => Buffer.from([byte])),
  );
});

test('a row that came in pieces may be taken, and then is not parsed; what lies around it is, in order', () => {
  const [first, long, last] = [message(3), message(200), message(5)];
  const seen: string[] = [];
  const take = wholeMessages(
    (bytes) => seen.push(`parsed ${bytes.length}`),
    (row) => {
      seen.push(`row ${row.length}`);
      return row.equals(long);
    },
  );
  for (const chunk of cut(Buffer.concat([first, long, last]), [50])) take(chunk);
  expect(seen).toEqual([`parsed ${first.length}`, `row ${long.length}`, `parsed ${last.length}`]);
  long.write('E');
  for (const chunk of cut(Buffer.concat([long, last]), [50])) take(chunk);
  expect(seen.slice(3)).toEqual([`parsed ${long.length}`, `parsed ${last.length}`]);
});

test.each([
  ['bytes where they are UTF-8', Buffer.from('ä'.repeat(70_000)), true],
  ['a text where they are not', Buffer.alloc(140_000, 0xff), false],
  ['a text up to 128 kB', Buffer.alloc(2 ** 17, 'x'), false],
])('a long row has %s', (_what, value, isBytes) => {
  let found: readonly (string | Buffer | null)[] | undefined;
  const preparation = { name: '', parse: true, close: [] };
  const query = new TextQuery([{ text: 'select', values: [], preparation }], (_error, rows) => {
    found = rows[0];
  });
  // Code, length, two columns: null, and the value.
  const head = Buffer.from([0x44, 0, 0, 0, 0, 0, 2, 255, 255, 255, 255, 0, 0, 0, 0]);
  head.writeInt32BE(value.length, 11);
  query.handleLongRow(Buffer.concat([head, value]));
  query.handleCommandComplete();
  query.handleReadyForQuery();
  expect(found).toHaveLength(2);
  expect(found![0]).toBeNull();
  expect([Buffer.isBuffer(found![1]), String(found![1])]).toEqual([isBytes, value.toString()]);
});

function expectWhole(messages: readonly Buffer[], chunks: readonly Buffer[]): void {
  const pieces = parsed(chunks);
  expect(Buffer.concat(pieces).equals(Buffer.concat(messages))).toBe(true);
  const ends = endsOf(messages);
  for (const end of endsOf(pieces)) expect(ends).toContain(end);
}

/** The positions at which these end when they follow each other. */
function endsOf(pieces: readonly Buffer[]): number[] {
  let end = 0;
  return pieces.map(({ length }) => {
    end += length;
    return end;
  });
}

test('of a message that has begun, what is whole before it is parsed', () => {
  const [first, second] = [message(3), message(100_000)];
  const pieces = parsed([Buffer.concat([first, second.subarray(0, 50)])]);
  expect(pieces).toEqual([first]);
});
