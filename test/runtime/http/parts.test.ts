import { describe, expect, test } from 'vitest';
import { NumberText } from '../../../runtime/core/types.ts';
import { parseJson } from '../../../runtime/http/body.ts';

describe('numbers in bodies', () => {
  test('keep all their digits', () => {
    const text =
      '{"variables": {"a": 12345678901234567890, "b": [1, -0.12345678901234567, 1e400], "c": 1.5}}';
    expect(parseJson(text)).toEqual({
      variables: {
        a: new NumberText('12345678901234567890'),
        b: [1, new NumberText('-0.12345678901234567'), new NumberText('1e400')],
        c: 1.5,
      },
    });
  });

  test('are left alone inside texts and keys', () => {
    const value = { '12345678901234567890': 'a \\" 12345678901234567890, 1e5', n: ': 98765432109876543210' };
    expect(parseJson(JSON.stringify(value))).toEqual(value);
    expect(parseJson(`{"big": 12345678901234567890, "text": ${JSON.stringify(value.n)}}`)).toEqual({
      big: new NumberText('12345678901234567890'),
      text: value.n,
    });
  });
});
