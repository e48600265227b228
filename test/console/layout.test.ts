/** Which lines of a picture of many tables decide where the tables are. */
import { describe, expect, test } from 'vitest';
import { groups, related } from '../../runtime/console/page/model/layout.ts';
import type { DiagramTable } from '../../runtime/console/proposal-questions.ts';

/** Tables by name, with the tables that their relationships lead to. */
function tables(given: Readonly<Record<string, readonly string[]>>): DiagramTable[] {
  return Object.entries(given).map(([name, others]) => ({
    schema: 'public',
    name,
    isTracked: true,
    columns: 1,
    relationships: others.map((to) => ({ name: `to ${to}`, ...(to && { to: `public.${to}` }) })),
    roles: [],
  }));
}

const shown = (pairs: ReturnType<typeof related>) =>
  [...pairs.values()].map((pair) => pair.map((key) => key.replace('public.', '')).join('–')).sort();

describe('lines', () => {
  test.each([
    ['both directions are one', { a: ['b'], b: ['a'] }, ['b–a']],
    ['several relationships of two tables are one', { a: ['b', 'b'], b: [] }, ['a–b']],
    ['a table that leads to itself', { a: ['a', 'a'] }, ['a–a']],
    ['a table that is not shown', { a: ['gone', 'b'], b: [] }, ['a–b']],
    ['a foreign key that does not exist', { a: [''] }, []],
    ['names with spaces', { 'a b': ['c'], a: ['b c'], c: [], 'b c': [] }, ['a b–c', 'a–b c']],
  ] as const)('%s', (_, given, expected) => {
    expect(shown(related(tables(given)))).toEqual(expected);
  });
});

describe('groups', () => {
  test.each([
    [
      'an order line is beside its order, and not the user',
      {
        user: [],
        tenant: ['user'],
        order: ['user', 'tenant'],
        line: ['order', 'user', 'tenant'],
        note: ['user', 'tenant'],
      },
      ['line–order', 'note–tenant', 'note–user'],
    ],
    [
      'a table of which all others are part keeps them',
      { user: [], a: ['user'], b: ['user'] },
      ['a–user', 'b–user'],
    ],
    ['equal ones by name', { a: ['b', 'c'], b: ['c'], c: [] }, ['a–b', 'a–c']],
    ['a table that leads to itself keeps that', { a: ['a', 'b'], b: [] }, ['a–a', 'a–b']],
    ['nothing', {}, []],
  ] as const)('%s', (_, given, expected) => {
    expect(shown(groups(related(tables(given))))).toEqual(expected);
  });

  test('leave no table alone that has a line', () => {
    for (let size = 2; size < 60; size += 1) {
      const given = Object.fromEntries(
        Array.from({ length: size }, (_, at) => [
          `t${at}`,
          Array.from({ length: at % 4 }, (_unused, step) => `t${(at * 7 + step * step + 3) % size}`),
        ]),
      );
      const pairs = related(tables(given));
      const kept = groups(pairs);
      const ends = (of: typeof pairs) => new Set([...of.values()].flat());
      expect([...pairs].filter(([key]) => kept.has(key))).toEqual([...kept]);
      expect([...ends(kept)].sort()).toEqual([...ends(pairs)].sort());
    }
  });
});
