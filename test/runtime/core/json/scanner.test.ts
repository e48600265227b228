/** The scanner takes exactly the texts that JSON.parse takes. */
import { expect, test } from 'vitest';
import { JsonScanner, MalformedJson } from '../../../../runtime/core/json/scanner.ts';

const TEXTS = [
  '{}',
  '[]',
  'null',
  ' true ',
  'false',
  '0',
  '-0.5e+10',
  '12345678901234567890',
  '""',
  '"a\\"b\\\\c\\u00e9\\n"',
  '{"a":[1,2,{"b":null}],"c":"x"}',
  '[[],{},[[]]]',
  ' {\n"a" : 1 ,\t"b":\r[ ] } ',
];

function accepts(text: string): boolean {
  const scanner = new JsonScanner(text);
  try {
    scanner.skip();
    scanner.expectEnd();
    return true;
  } catch (error) {
    if (error instanceof MalformedJson) return false;
    throw error;
  }
}

function parses(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

test.each(TEXTS)('takes %j', (text) => {
  expect(accepts(text)).toBe(true);
  expect(new JsonScanner(text).slice()).toBe(text.trim());
});

test('agrees with JSON.parse on texts with one character missing, doubled or replaced', () => {
  const characters = [
    '"',
    '{',
    '}',
    '[',
    ']',
    ',',
    ':',
    '0',
    '1',
    '-',
    '.',
    'e',
    '\\',
    'u',
    't',
    ' ',
    '\n',
    '',
  ];
  let refused = 0;
  for (const text of TEXTS) {
    for (let index = 0; index <= text.length; index += 1) {
      for (const character of characters) {
        for (const width of [0, 1]) {
          const changed = text.slice(0, index) + character + text.slice(index + width);
          expect([changed, accepts(changed)]).toEqual([changed, parses(changed)]);
          if (!accepts(changed)) refused += 1;
        }
      }
    }
  }
  expect(refused).toBeGreaterThan(1000);
});

test('refuses text that is nested too deeply, without exhausting the stack', () => {
  expect(accepts('['.repeat(499) + ']'.repeat(499))).toBe(true);
  expect(accepts('['.repeat(100_000) + ']'.repeat(100_000))).toBe(false);
});

test('keys are read with their escapes', () => {
  const keys: string[] = [];
  const scanner = new JsonScanner('{"a\\u0062":1,"c\\"":2}');
  scanner.eachMember((key) => {
    keys.push(key);
    scanner.skip();
  });
  expect(keys).toEqual(['ab', 'c"']);
});
