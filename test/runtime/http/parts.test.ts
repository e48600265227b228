import { describe, expect, test } from 'vitest';
import { NumberText } from '../../../runtime/core/types.ts';
import { parseJson } from '../../../runtime/http/body.ts';
import { originMatcher } from '../../../runtime/http/cors.ts';

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

describe('origins', () => {
  test('are compared by scheme, host and port', () => {
    const allows = originMatcher(['https://foo.com', 'http://localhost:3000']);
    expect(['https://foo.com', 'HTTPS://Foo.com', 'http://localhost:3000'].every(allows)).toBe(true);
    expect(
      [
        'http://foo.com',
        'https://foo.com:8080',
        'https://a.foo.com',
        'http://localhost',
        'https://foo.com.evil.org',
      ].some(allows),
    ).toBe(false);
  });

  test('may have one leading wildcard label', () => {
    const allows = originMatcher(['https://*.foo.com', 'http://*.bar.com:8080']);
    expect(['https://a.foo.com', 'http://x.bar.com:8080'].every(allows)).toBe(true);
    expect(
      [
        'https://foo.com',
        'https://a.b.foo.com',
        'http://a.foo.com',
        'http://x.bar.com',
        'https://evil.org/.foo.com',
        'https://.foo.com',
      ].some(allows),
    ).toBe(false);
  });

  test.each(['foo.com', 'https://', 'https://foo.com/path', 'https://a.*.com'])(
    '%s is no domain',
    (domain) => {
      expect(() => originMatcher([domain])).toThrow(`invalid domain: '${domain}'`);
    },
  );
});
