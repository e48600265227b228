/** How late a replica is; test/outages/replicas.test.ts has the servers. */
import { describe, expect, test } from 'vitest';
import { PositionHistory, parsePosition, printPosition } from '../../../runtime/database/replicas.ts';
import { SeenPositions } from '../../../runtime/http/positions.ts';

test.each([
  ['0/3000148', 0x3000148n],
  ['A/0', 0xa_0000_0000n],
  ['FFFFFFFF/FFFFFFFF', 0xffff_ffff_ffff_ffffn],
])('the position %s', (text, position) => {
  expect(parsePosition(text)).toBe(position);
  expect(printPosition(position)).toBe(text);
});

test.each(['', '0', '0/', '/0', '0/G', '0/123456789', ' 0/1'])('"%s" is no position', (text) => {
  expect(parsePosition(text)).toBeUndefined();
});

describe('a replica is as late as the oldest position that it has not replayed', () => {
  const history = new PositionHistory(10);
  history.add(100n, 1000);
  history.add(100n, 2000);
  history.add(200n, 3000);
  history.add(300n, 4000);
  test.each([
    ['at the last position', 300n, 0],
    ['beyond it', 301n, 0],
    ['a position behind', 250n, 5],
    ['two behind', 100n, 6],
    ['before all that was seen', 99n, Number.POSITIVE_INFINITY],
  ])('%s', (_, position, lag) => {
    expect(history.lag(position, 9000)).toBe(lag);
  });

  test('nothing is known before the primary was seen', () => {
    expect(new PositionHistory(10).lag(100n, 0)).toBe(Number.POSITIVE_INFINITY);
  });

  test('what is older than anybody asks for is forgotten', () => {
    const short = new PositionHistory(1);
    for (let second = 0; second < 100; second += 1) short.add(BigInt(second), second * 1000);
    expect(short.lag(98n, 99_500)).toBe(0.5);
    expect(short.lag(90n, 99_500)).toBe(Number.POSITIVE_INFINITY);
  });

  test('another primary with less of the log begins anew', () => {
    const other = new PositionHistory(10);
    other.add(500n, 0);
    other.add(400n, 1000);
    expect(other.lag(400n, 2000)).toBe(0);
    expect(other.lag(399n, 2000)).toBe(Number.POSITIVE_INFINITY);
  });
});

describe('positions of a client', () => {
  test('names of sources may hold anything', () => {
    const positions = new SeenPositions();
    positions.written('a,b=c', 1n);
    positions.written('ü', 2n);
    expect(positions.print()).toBe('a%2Cb%3Dc=0/1,%C3%BC=0/2');
    const read = new SeenPositions(positions.print());
    expect([read.of('a,b=c'), read.of('ü'), read.of('x')]).toEqual([1n, 2n, undefined]);
  });

  test('a later position of a source wins, whatever the order', () => {
    const positions = new SeenPositions('s=0/9');
    positions.written('s', 3n);
    expect(positions.of('s')).toBe(9n);
  });

  test.each(['%=0/1', 's', '=', ',,', 's=0/x', '\0'])('%j says nothing of s', (text) => {
    expect(new SeenPositions(text).of('s')).toBeUndefined();
  });
});
