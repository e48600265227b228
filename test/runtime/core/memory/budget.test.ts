/** Caches that share one limit in bytes. */
import { expect, test } from 'vitest';
import { MemoryBudget } from '../../../../runtime/core/memory/budget.ts';

/** Room for ten entries of 700 bytes, to which each entry adds 300 of its own. */
const LIMIT = 10_000;

test('what was not used for the longest time goes first, whichever cache it belongs to', () => {
  const memory = new MemoryBudget(LIMIT);
  const plans = memory.cache<string, string>(() => 700);
  const texts = memory.cache<number, string>(() => 700);
  for (const name of ['a', 'b', 'c', 'd', 'e']) plans.set(name, name);
  for (const number of [1, 2, 3, 4, 5]) texts.set(number, String(number));
  expect(memory.used).toBe(10_000);
  expect(plans.get('a')).toBe('a');
  texts.set(6, '6');
  expect(memory.used).toBe(10_000);
  expect(plans.get('b')).toBeUndefined();
  expect(plans.get('a')).toBe('a');
  for (const number of [7, 8, 9, 10, 11, 12, 13, 14, 15]) texts.set(number, String(number));
  expect([...plans.entries()]).toEqual([['a', 'a']]);
  expect([...texts.entries()].map(([number]) => number)).toEqual([7, 8, 9, 10, 11, 12, 13, 14, 15]);
});

test('an entry that would take more than an eighth of the budget is not kept, and drives out nothing', () => {
  const memory = new MemoryBudget(LIMIT);
  const cache = memory.cache<string, number>((bytes) => bytes);
  cache.set('small', 100);
  cache.set('large', 951);
  expect([...cache.entries()]).toEqual([['small', 100]]);
  expect(memory.used).toBe(400);
  cache.set('small', 5000);
  expect(cache.get('small')).toBeUndefined();
  expect(memory.used).toBe(0);
});

test('replaced, deleted and cleared entries no longer count', () => {
  const memory = new MemoryBudget(LIMIT);
  const cache = memory.cache<string, number>((bytes) => bytes);
  const other = memory.cache<string, number>((bytes) => bytes);
  cache.set('a', 100);
  cache.set('a', 300);
  cache.set('b', 100);
  other.set('a', 1);
  expect(memory.used).toBe(600 + 400 + 301);
  cache.delete('b');
  expect(memory.used).toBe(600 + 301);
  cache.clear();
  expect(cache.size).toBe(0);
  expect(memory.used).toBe(301);
  expect(other.get('a')).toBe(1);
});
