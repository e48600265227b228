/** Functions of templates: their value for each kind of JSON, and the failures of those that have none. */
import { expect, test } from 'vitest';
import { parseExactJson } from '../../../../runtime/core/json/exact-json.ts';
import { callFunction, FunctionFailure } from '../../../../runtime/core/template/functions.ts';
import { jsonText } from '../../../../runtime/core/types.ts';

const NEEDS_STRING = (kind: string) => `! expected String, but encountered ${kind}`;
const SESSION = { 'x-engine-user-id': '7' };

/** The value as JSON, or the failure behind an exclamation mark. */
function call(name: string, argument: string): string {
  try {
    return jsonText(callFunction(name, parseExactJson(argument), SESSION));
  } catch (error) {
    if (error instanceof FunctionFailure) return `! ${error.message}`;
    throw error;
  }
}

const KINDS = ['{"a":1}', '{}', '[1,2]', '[]', '"ab"', '""', '5', '0', 'true', 'null'] as const;

test.each<[string, readonly string[]]>([
  [
    'empty',
    [
      ...['false', 'true', 'false', 'true', 'false', 'true', 'false', 'true'],
      ...['! Cannot define emptiness for a boolean', 'true'],
    ],
  ],
  ['size', ['1', '0', '2', '0', '2', '0', '5', '0', '1', '0']],
  ['inverse', ['{"a":1}', '{}', '[2,1]', '[]', '"ba"', '""', '0.2', '! Division by zero', 'false', 'null']],
  [
    'head',
    [
      ...['! Expected an array or string', '! Expected an array or string', '1', '! Empty array', '"a"'],
      ...['! Empty string', ...Array(4).fill('! Expected an array or string')],
    ],
  ],
  [
    'tail',
    [
      ...['! Expected an array or string', '! Expected an array or string', '[2]', '! Empty array', '"b"'],
      ...['! Empty string', ...Array(4).fill('! Expected an array or string')],
    ],
  ],
  ...['toLower', 'toUpper', 'toTitle', 'toCaseFold', 'escapeUri'].map((name): [string, string[]] => [
    name,
    [
      ...['Object', 'Object', 'Array', 'Array'].map(NEEDS_STRING),
      { toUpper: '"AB"', toTitle: '"Ab"' }[name] ?? '"ab"',
      '""',
      ...['Number', 'Number', 'Boolean', 'Null'].map(NEEDS_STRING),
    ],
  ]),
])('%s', (name, expected) => {
  expect(KINDS.map((argument) => call(name, argument))).toEqual(expected);
});

test.each([
  ['not', 'true', 'false'],
  ['not', 'false', 'true'],
  ['not', 'null', '! expected Boolean, but encountered Null'],
  ['size', '12345678901234567890', '12345678901234567890'],
  ['fromPairs', '[]', '{}'],
  ['fromPairs', '[["a",1],["a",2]]', '{"a":2}'],
  ['fromPairs', '[["a",1,2]]', '! Expected an array of shape [ [k1,v1], [k2,v2] ... ] - With String keys.'],
  ['fromPairs', '[[1,2]]', '! Expected an array of shape [ [k1,v1], [k2,v2] ... ] - With String keys.'],
  ['fromPairs', '{}', '! expected Array, but encountered Object'],
  ['toPairs', '{"b":[1],"a":null}', '[["b",[1]],["a",null]]'],
  ['toPairs', '[]', '! expected Object, but encountered Array'],
  ['removeNulls', '[null,0,"",false,[null],null]', '[0,"",false,[null]]'],
  ['removeNulls', '{"a":null}', '! expected Array, but encountered Object'],
  ['concat', '[]', '[]'],
  ['concat', '[[[1]],[2]]', '[[1],2]'],
  ['concat', '["a","b"]', '"ab"'],
  ['concat', '[{"a":1},{"a":2,"b":3}]', '{"a":2,"b":3}'],
  ['concat', '["a",[1]]', '! Expected an array of arrays, of strings or of objects'],
  ['concat', '"a"', '! expected Array, but encountered String'],
  ['getSessionVariable', '"X-Engine-User-Id"', '"7"'],
  ['getSessionVariable', '"x-none"', '! Session variable "x-none" not found'],
  ['getSessionVariable', '1', '! expected String, but encountered Number'],
])('%s %s', (name, argument, expected) => {
  expect(call(name, argument)).toBe(expected);
});
