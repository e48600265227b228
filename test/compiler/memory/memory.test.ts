/** What a compile remembers is used again only where all arguments are the same. */
import { describe, expect, test } from 'vitest';
import { createMemory } from '../../../compiler/memory/memory.ts';
import { reuser } from '../../../compiler/memory/reuse.ts';

let calls = 0;
const owner = {};

function join(_: object, ...parts: readonly unknown[]): { readonly text: string } {
  calls += 1;
  return { text: JSON.stringify(parts) };
}

function look(_: object, map: ReadonlyMap<string, number>, keys: readonly string[]): readonly unknown[] {
  calls += 1;
  return keys.map((key) => map.get(key));
}

function total(_: object, map: ReadonlyMap<string, number>): number {
  calls += 1;
  return [...map.values()].reduce((sum, value) => sum + value, 0);
}

/** How many of the calls ran the function. */
function ran(use: () => unknown): number {
  const before = calls;
  use();
  return calls - before;
}

describe('call', () => {
  const item = { id: 1 };

  test.each([
    ['identical objects and equal primitives', [item, 1, undefined], [item, 1, undefined], 1],
    ['another object that says the same', [item], [{ id: 1 }], 2],
    ['lists with the identical items', [[item, [item]]], [[item, [item]]], 1],
    ['lists with other items', [[item, [item]]], [[item, [{ id: 1 }]]], 2],
    ['lists of other lengths', [[item]], [[item, item]], 2],
    ['fewer arguments', [item, undefined], [item], 2],
  ])('%s', (_name, first, second, expected) => {
    const memory = createMemory();
    expect(
      ran(() => {
        memory.call(join, owner, ...first);
        expect(memory.call(join, owner, ...second)).toEqual({ text: JSON.stringify(second) });
      }),
    ).toBe(expected);
  });

  test('the result belongs to the owner, and the last one is kept', () => {
    const memory = createMemory();
    const other = {};
    expect(ran(() => [owner, other, owner, other].map((each) => memory.call(join, each, 1)))).toBe(2);
    expect(ran(() => [2, 1, 1].map((each) => memory.call(join, owner, each)))).toBe(2);
  });

  test('what may see more than its arguments is never found again', () => {
    const memory = createMemory();
    expect(ran(() => [1, 2].map((hidden) => memory.call((each) => join(each, hidden), owner)))).toBe(2);
  });

  test('a memory of an owner keeps results apart', () => {
    const memory = createMemory();
    const [left, right] = [{}, {}];
    expect(ran(() => [left, right, left].map((each) => memory.of(each).call(join, owner, each)))).toBe(2);
  });

  test('of a map, the entries count that were looked at', () => {
    const memory = createMemory();
    const map = new Map([
      ['a', 1],
      ['b', 2],
    ]);
    const keys = ['a', 'missing'];
    memory.call(look, owner, map, keys);
    expect(ran(() => memory.call(look, owner, new Map([['a', 1]]), keys))).toBe(0);
    expect(ran(() => memory.call(look, owner, new Map([['a', 2]]), keys))).toBe(1);
    expect(memory.call(look, owner, new Map([['missing', 3]]), keys)).toEqual([undefined, 3]);
    memory.call(total, owner, map);
    expect(ran(() => memory.call(total, owner, new Map(map)))).toBe(0);
    expect(memory.call(total, owner, new Map([...map, ['c', 3]]))).toBe(6);
  });
});

test('update hands over the last result of the owner', () => {
  const memory = createMemory();
  const keep = reuser<unknown>();
  const first = memory.update(keep, owner, { a: [1, new Map([['x', { y: 1 }]])] });
  expect(memory.update(keep, owner, { a: [1, new Map([['x', { y: 1 }]])] })).toBe(first);
  expect(memory.update(keep, owner, { a: [1, new Map([['x', { y: 2 }]])] })).not.toBe(first);
});
