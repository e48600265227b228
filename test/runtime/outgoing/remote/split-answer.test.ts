/** Answers of remote schemas are cut apart in one pass: the same members as JSON.parse finds, with the text that was sent. */
import { expect, test } from 'vitest';
import { MalformedJson } from '../../../../runtime/core/json/scanner.ts';
import { splitAnswer } from '../../../../runtime/outgoing/remote/answer.ts';

const DEEP = (levels: number) => `${'['.repeat(levels)}${']'.repeat(levels)}`;

test.each([
  '{"data":{}}',
  '{"data":{"a":1}}',
  ' { "data" : { "a" : [ 1 , { } ] , "b" : null } , "extensions" : { "data" : { "x" : 1 } } } ',
  '{"errors":[{"message":"m"}],"data":{"a":null}}',
  '{"data":{"a":12345678901234567890.10,"b":1e400,"c":-0}}',
  '{"data":{"a":{"data":{"b":1},"errors":[]}}}',
  '{"data":{"a":1,"b":2,"a":{"c":3}}}',
  '{"data":{"__proto__":{"isAdmin":true},"constructor":1,"toString":"x","hasOwnProperty":null}}',
  '{"__proto__":{"data":{"a":1}},"data":{"b":2}}',
  '{"d\\u0061ta":{"\\u0061":"\\"}","b":"\\\\"}}',
  '{"data":{"":0,"ä😀":"😀\\ud800"}}',
  `{"data":{"a":${DEEP(490)}}}`,
  '{"data":{"a":"]}","b":"{\\"data\\":1}"}}',
])('%s', (text) => {
  const { data, members } = splitAnswer(text);
  const found = Object.fromEntries([...members!].map(([key, value]) => [`_${key}`, JSON.parse(value)]));
  const expected = (JSON.parse(text) as { data: object }).data;
  expect(found).toEqual(
    Object.fromEntries(Object.entries(expected).map(([key, value]) => [`_${key}`, value])),
  );
  expect(JSON.parse(data!)).toEqual(expected);
  // Nothing is printed again.
  for (const value of members!.values()) expect(text).toContain(value);
});

test.each([
  '{}',
  '{"data":null}',
  '{"data":[{"a":1}]}',
  '{"data":"{}"}',
  '{"data":1}',
  '{"errors":{"data":{}}}',
])('no members: %s', (text) => {
  expect(splitAnswer(text).members).toBeUndefined();
});

test.each([
  '',
  '[]',
  'null',
  '{"data":{}',
  '{"data":{}}}',
  '{"data":{}} x',
  '{"data":{"a":1,}}',
  '{"data":{"a":01}}',
  '{"data":{"a":.5}}',
  '{"data":{"a":NaN}}',
  '{"data":{a:1}}',
  "{'data':{}}",
  '{"data":{"a":"\n"}}',
  '{"data":{"a":"\\x"}}',
  '{"data":{},"data":{"a":1}}',
  '{"data":null,"data":{"a":1}}',
  '{"data":{"a":1},"data":null}',
  '{"errors":[],"errors":[{}]}',
  '{"data":{"a":1}/* */}',
  '\ufeff{"data":{}}',
  `{"data":{"a":${DEEP(500)}}}`,
])('refused: %j', (text) => {
  expect(() => splitAnswer(text)).toThrow(MalformedJson);
});
