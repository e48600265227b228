import { describe, expect, test } from 'vitest';
import { isPrintedAgain } from '../../../../runtime/core/json/decimal.ts';
import { parseExactJson, TooDeep } from '../../../../runtime/core/json/exact-json.ts';
import { jsonText, NumberText } from '../../../../runtime/core/types.ts';
import { Random } from '../../../fuzz/random.ts';
import { normal } from './decimals.ts';

const exact = (text: string) => new NumberText(text);

test.each([
  ['9007199254740993', exact('9007199254740993')],
  ['-9007199254740993', exact('-9007199254740993')],
  ['12345678901234567890.12345', exact('12345678901234567890.12345')],
  ['1e400', exact('1e400')],
  ['1e-400', exact('1e-400')],
  ['-0', exact('-0')],
  ['-0.00', exact('-0.00')],
  ['-0e5', exact('-0e5')],
  ['0.1234567890123456789', exact('0.1234567890123456789')],
  ['9007199254740992', 9007199254740992],
  ['1e1', 10],
  ['1E+2', 100],
  ['0.1', 0.1],
  ['-1.50', -1.5],
  ['0.30000000000000004', 0.30000000000000004],
  ['8.333333333333334', 8.333333333333334],
  ['3.1504516417868444e-7', 3.1504516417868444e-7],
  ['0.02763074069065268', 0.02763074069065268],
  ['3.1504516417868443e-7', exact('3.1504516417868443e-7')],
])('%s', (text, value) => {
  expect(parseExactJson(text)).toStrictEqual(value);
  expect(parseExactJson(`{"a":[{"b":"x"},${text}]}`)).toStrictEqual({ a: [{ b: 'x' }, value] });
  if (value instanceof NumberText) expect(jsonText(parseExactJson(`[${text}]`))).toBe(`[${text}]`);
});

test('a number stays a number only if JavaScript prints its value', () => {
  const seeded = new Random(7);
  const random = () => (seeded.below(2 ** 26) * 2 ** 27 + seeded.below(2 ** 27)) / 2 ** 53;
  const integer = (limit: number) => Math.floor(random() * limit);
  const digits = (count: number) => Array.from({ length: count }, () => integer(10)).join('');
  let kept = 0;
  for (let count = 0; count < 200_000; count += 1) {
    const point = 1 + integer(16);
    const text = [
      () => String(random()),
      () => String((random() - 0.5) * 10 ** integer(20)),
      () => (random() * 2 ** integer(60)).toPrecision(15 + integer(3)).replace(/e.*/, ''),
      () => `${1 + integer(9)}${digits(14 + integer(5))}`,
      () => `${digits(point).replace(/^0+(?=.)/, '')}.${digits(17 - point + integer(2))}`,
      () => String(2 ** integer(60) + integer(3)),
      () => `${integer(10)}.${digits(1 + integer(16))}e${integer(200) - 100}`,
    ][count % 7]!();
    if (!isPrintedAgain(text, 0, text.length)) continue;
    kept += 1;
    expect([text, normal(String(Number(text)))]).toEqual([text, normal(text)]);
  }
  // Most doubles that JavaScript prints stay what they are.
  expect(kept).toBeGreaterThan(80_000);
});

describe('places', () => {
  const id = '9007199254740993';
  test.each([
    `{"a":${id},"a":1}`,
    `{"a":1,"a":${id}}`,
    `{"a":{"b":${id}},"a":{"c":1}}`,
    `{"a":{"b":${id}},"a":[${id},2]}`,
    `{"a":[${id}],"a":[1,2]}`,
    `{"x":[{"a":{"b":[1,${id}]},"a":{"b":[1,2,3]}}],"y":${id}}`,
    `{"2":${id},"1":1,"b":${id},"0":[${id}]}`,
    `{"__proto__":${id},"a":{"__proto__":{"b":${id}}}}`,
    `{"\\u0061\\"\\\\":${id},"${'k'.repeat(40)}":${id},"${'\\\\'.repeat(33)}":${id}}`,
    `{"a":"${'x'.repeat(31)}\\"${id}","b":"${'y'.repeat(40)}\\\\","c":${id}}`,
    `[[],{},[[${id}]],{"a":[]},"[${id}","]",${id},null,true]`,
    ` [ 1 , ${id} , { "a" : -0 } ] `,
  ])('%s', (text) => {
    const expected = JSON.parse(
      text.replace(/(?<=[:[, ])(9007199254740993|-0)(?=[,\]} ])/g, '{"exact":"$1"}'),
      (_, value) => (typeof value?.exact === 'string' ? new NumberText(value.exact) : value),
    );
    expect(parseExactJson(text)).toStrictEqual(expected);
    expect(Object.keys(parseExactJson(text) as object)).toEqual(Object.keys(expected as object));
  });
});

test('few numbers of a large text do not keep it in memory, and are the same', () => {
  const value = parseExactJson(`{"n":12345678901234567890,"s":"${'x'.repeat(100_000)}"}`) as {
    n: NumberText;
  };
  expect(value.n).toStrictEqual(exact('12345678901234567890'));
});

test('depth is bounded', () => {
  const nested = (levels: number) => `${'[{"a":'.repeat(levels / 2)}1${'}]'.repeat(levels / 2)}`;
  expect(jsonText(parseExactJson(nested(500)))).toBe(nested(500));
  for (const levels of [502, 1_000_000]) expect(() => parseExactJson(nested(levels))).toThrow(TooDeep);
  expect(() => parseExactJson('[9007199254740993,')).toThrow(SyntaxError);
});

test('what JSON.stringify makes of a number keeps its digits', () => {
  expect(JSON.stringify({ a: exact('12345678901234567890') })).toBe('{"a":"12345678901234567890"}');
  expect(String(exact('1e400'))).toBe('1e400');
});

test('texts over several lines are those of JSON.stringify', () => {
  const value = { a: [], b: {}, c: [1, { d: 'x"', e: undefined }], f: null };
  expect(jsonText(value, '  ')).toBe(JSON.stringify(value, null, 2));
  expect(jsonText(value)).toBe(JSON.stringify(value));
});

test.each([
  '{"a":{"__proto__":{"polluted":1e400}},"a":{}}',
  '{"a":{"__proto__":{"polluted":[1e400]}},"a":{"b":1}}',
  '{"a":{"\\u005f_proto__":{"polluted":1e400}},"a":{}}',
  '[{"a":[{"__proto__":{"polluted":1e400}}],"a":[{}]}]',
  '{"a":{"constructor":{"prototype":{"polluted":1e400}}},"a":{}}',
  '{"a":{"x":{"__proto__":1e400}},"a":{"x":{}}}',
])('%s changes no other object', (text) => {
  const read = parseExactJson(text);
  expect(({} as { polluted?: unknown }).polluted).toBeUndefined();
  expect(Object.keys(Object.prototype)).toEqual([]);
  expect(read).toEqual(JSON.parse(text));
});

test('a key called __proto__ is one like any other', () => {
  const read = parseExactJson('{"__proto__":{"n":1e400},"b":12345678901234567890}') as object;
  expect(Object.getPrototypeOf(read)).toBe(Object.prototype);
  expect(jsonText(read)).toBe('{"__proto__":{"n":1e400},"b":12345678901234567890}');
});
