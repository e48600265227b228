import { expect, test } from 'vitest';
import { typedValue } from '../../../../compiler/phases/4-plan/value.ts';
import { print } from '../../../../runtime/core/sql/print.ts';
import { columnType } from '../../../../runtime/core/types.ts';

const source = { name: 'default', kind: 'postgres', types: {} } as const;
const textOf = (type: string, value: string) =>
  print(typedValue(columnType(source, type), { kind: 'literal', value })).text;

test.each([
  ['timestamptz', 'tomorrow'],
  ['timestamp', 'YESTERDAY noon'],
  ['date', 'today'],
  ['timestamptz', 'now + 1'],
])('a %s literal %s is read at every run, not when the statement is prepared', (type, value) => {
  expect(textOf(type, value)).toContain(`'${value}'::text::`);
});

test.each([
  ['timestamptz', 'now()', 'now()'],
  ['timestamptz', ' Now ', 'now()'],
  ['timestamp', 'NOW', 'now()::timestamp'],
  ['date', 'now', 'now()::date'],
  ['time', 'now', 'now()::time'],
])('a %s literal "%s" is written %s', (type, value, text) => {
  expect(textOf(type, value)).toBe(text);
});

test('a fixed moment is an ordinary literal', () => {
  expect(textOf('timestamptz', '2020-01-01')).toBe("'2020-01-01'::timestamptz");
});
