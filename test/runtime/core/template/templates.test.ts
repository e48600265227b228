/** Templates: what they render, and which problems they report where. */
import { describe, expect, test } from 'vitest';
import { parseExactJson } from '../../../../runtime/core/json/exact-json.ts';
import { checkTemplate, type Shape } from '../../../../runtime/core/template/check.ts';
import { evaluate, evaluateText } from '../../../../runtime/core/template/evaluate.ts';
import { parseTemplate, parseTextTemplate } from '../../../../runtime/core/template/parse.ts';
import { TemplateError } from '../../../../runtime/core/template/syntax.ts';
import { jsonText } from '../../../../runtime/core/types.ts';

const VARIABLES = {
  $body: parseExactJson(`{
    "name": "Ann", "age": 30, "big": 12345678901234567890, "price": 1.50000000000000000001, "ok": true, "none": null,
    "tags": ["b", "a"], "empty": [], "nested": {"key with space": {"x": [10, 20]}}, "__proto__": {"polluted": 1},
    "people": [{"id": 1, "name": "Ann", "adult": true}, {"id": 2, "name": "Bob", "adult": false}]
  }`),
  $base_url: 'http://hook/base?a=1',
  $session_variables: { 'x-engine-user-id': '7', 'x-engine-role': 'user' },
};

function problemOf(run: () => unknown) {
  try {
    run();
  } catch (error) {
    if (error instanceof TemplateError) return error.problem;
    throw error;
  }
  return undefined;
}

describe('values', () => {
  test.each([
    // JSON is a template of itself.
    ['{"a": [1, -2.5e3, "x", true, null, {}], "": []}', '{"a":[1,-2.5e3,"x",true,null,{}],"":[]}'],
    ['{{$body.name}}', '"Ann"'],
    ['{{ $body.big }}', '12345678901234567890'],
    ['{"p": {{$body.price}}}', '{"p":1.50000000000000000001}'],
    ['"n: {{$body.big}}, {{$body.ok}}, {{$body.none}}"', '"n: 12345678901234567890, true, null"'],
    [`{{$body.nested['key with space'].x[1]}}`, '20'],
    ['{{$body.nested["key with space"]["x"][0]}}', '10'],
    ['{{$body?.missing}}', 'null'],
    ['{{$body?.missing.deeper.still}}', 'null'],
    ["{{$body?.['missing']}}", 'null'],
    ['{{$body.tags?[7]}}', 'null'],
    ['{{$body.none?.x}}', 'null'],
    ['{{$body?.missing ?? "default"}}', '"default"'],
    ['{{$body.none ?? $body?.nothing ?? 3}}', '3'],
    ['{{ $body.age > 18 && $body.name == "Ann" }}', 'true'],
    ['{{ $body.age < 18 || not $body.ok }}', 'false'],
    ['{{ $body.age >= 30 && $body.age <= 30 && $body.age != 31 }}', 'true'],
    ['{{ $body.big == 12345678901234567890 }}', 'true'],
    ['{{ $body.big == 12345678901234567891 }}', 'false'],
    ['{{ $body.big < 12345678901234567891 }}', 'true'],
    ['{{ $body.price == 1.5 }}', 'false'],
    ['{{ 1.0 == 1 && 1e2 == 100 }}', 'true'],
    ['{{ {"a": 1, "b": [2]} == {"b": [2], "a": 1} }}', 'true'],
    ['{{ "a" in $body.tags }}', 'true'],
    ['{{ "name" in $body }}', 'true'],
    ['{{ "toString" in $body }}', 'false'],
    ['{{ if $body.ok }} {"yes": 1} {{ else }} null {{ end }}', '{"yes":1}'],
    ['{{ if $body.age > 40 }} 1 {{ elif $body.age > 20 }} 2 {{ else }} 3 {{ end }}', '2'],
    [
      '{{ range i, x := $body.tags }} {"at": {{i}}, "tag": {{x}}} {{ end }}',
      '[{"at":0,"tag":"b"},{"at":1,"tag":"a"}]',
    ],
    [
      '{{ range _, p := $body.people }} {{ if p.adult }} {{p.name}} {{ else }} null {{ end }} {{ end }}',
      '["Ann",null]',
    ],
    // A range hides outer names and gives them back; a name may be that of a function.
    ['[{{ range _, size := [1,2] }} {{size}} {{ end }}, {{ size [1] }}]', '[[1,2],1]'],
    ['"{{ range i, x := $body.tags }}{{x}}{{i}},{{ end }}"', '"b0,a1,"'],
    ['"{{ if $body.ok }}yes {{$body.name}}{{ else }}no{{ end }}!"', '"yes Ann!"'],
    ['"tab\\tquote\\" \\u00e9 { } }}"', '"tab\\tquote\\" é { } }}"'],
    ['# a comment\n{"a": 1 # another\n}', '{"a":1}'],
    ['{{ empty $body.empty }}', 'true'],
    ['{{ empty "  " }}', 'true'],
    ['{{ size $body.tags }}', '2'],
    ['{{ size "añ😀" }}', '3'],
    ['{{ head $body.tags }}', '"b"'],
    ['{{ tail $body.tags }}', '["a"]'],
    ['{{ head (tail $body.tags) }}', '"a"'],
    ['{{ head tail $body.tags }}', '"a"'],
    ['{{ inverse $body.tags }}', '["a","b"]'],
    ['{{ inverse "ab😀" }}', '"😀ba"'],
    ['{{ inverse 4 }}', '0.25'],
    ['{{ toLower "ÄB" }}', '"äb"'],
    ['{{ toUpper $body.name }}', '"ANN"'],
    [`{{ toTitle "it's a LONG día" }}`, `"It's A Long Día"`],
    ['{{ toCaseFold "Straße" == toCaseFold "STRASSE" }}', 'true'],
    ['{{ fromPairs [["a", 1], ["__proto__", 2]] }}', '{"a":1,"__proto__":2}'],
    ['{{ toPairs {"a": 1} }}', '[["a",1]]'],
    ['{{ removeNulls [1, null, 2] }}', '[1,2]'],
    ['{{ concat [[1,2],[3]] }}', '[1,2,3]'],
    ['{{ concat ["a", $body.name] }}', '"aAnn"'],
    ['{{ concat [{"a":1,"b":1},{"b":2}] }}', '{"a":1,"b":2}'],
    [`"{{ escapeUri "a b/ü'" }}"`, '"a%20b%2F%C3%BC%27"'],
    ['{{ getSessionVariable "X-Engine-User-Id" }}', '"7"'],
    ["{{ $session_variables['x-engine-role'] }}", '"user"'],
    ['{{ $session_variables.x-engine-role }}', '"user"'],
    ['{{ $body["__proto__"].polluted }}', '1'],
  ])('%s', (text, expected) => {
    expect(jsonText(evaluate(parseTemplate(text), VARIABLES))).toBe(expected);
  });
});

describe('problems', () => {
  test.each([
    ['{{$body.world}}', 'Attribute Error', "'Object' has no attribute 'world'.", [1, 3, 1, 14]],
    ['{"a":\n  {{ $bodi }}}', 'Attribute Error', "Unbound variable '$bodi'.", [2, 6, 2, 11]],
    [
      '{{$body.name.first}}',
      'Type Error',
      "Unexpected type 'String' expected an Object or an Array.",
      [1, 3, 1, 19],
    ],
    ['{{$body.tags[2]}}', 'Range Error', 'Index out of range', [1, 3, 1, 16]],
    ['{{$body.tags["x"]}}', 'Type Error', "Unexpected type 'String', expected an integer.", [1, 3, 1, 18]],
    ['"{{$body.tags}}"', 'Type Error', "Cannot interpolate type: 'Array'.", [1, 4, 1, 14]],
    [
      '{{ if $body.age }} 1 {{ else }} 2 {{ end }}',
      'Type Error',
      "'Number' is not a boolean.",
      [1, 7, 1, 16],
    ],
    [
      '{{ range _, x := $body.name }} 1 {{ end }}',
      'Range Error',
      'Can only range over an array',
      [1, 18, 1, 28],
    ],
    ['{{ head [] }}', 'Function Error', 'Empty array', [1, 4, 1, 11]],
    ['{{ toLower 1 }}', 'Function Error', 'expected String, but encountered Number', [1, 4, 1, 13]],
    [
      '{{ getSessionVariable "x-none" }}',
      'Function Error',
      'Session variable "x-none" not found',
      [1, 4, 1, 31],
    ],
    ['{{ constructor }}', 'Attribute Error', "Unbound variable 'constructor'.", [1, 4, 1, 15]],
    ['{"a": 1', 'Parse Error', 'Unexpected end of the template, expected "}".', [1, 8, 1, 8]],
    ['{"a": {{$body.name}', 'Parse Error', 'Unexpected "}", expected "}}".', [1, 19, 1, 20]],
    ['{{ if true }} 1 {{ end }}', 'Parse Error', 'Unexpected "end".', [1, 20, 1, 23]],
    ['{"{{$body.name}}": 1}', 'Parse Error', 'Keys of an object must be constant.', [1, 3, 1, 17]],
    ['1 2', 'Parse Error', 'Unexpected "2".', [1, 3, 1, 4]],
    ['01', 'Parse Error', 'Unexpected "0".', [1, 1, 1, 2]],
    ['', 'Parse Error', 'Unexpected end of the template.', [1, 1, 1, 1]],
  ] as const)('%s', (text, error_code, message, [start_line, start_column, end_line, end_column]) => {
    expect(problemOf(() => evaluate(parseTemplate(text), VARIABLES))).toEqual({
      error_code,
      message,
      source_position: { start_line, start_column, end_line, end_column },
    });
  });

  test('templates that exhaust stack or time are refused', () => {
    const deep = `${'['.repeat(10_000)}${']'.repeat(10_000)}`;
    expect(problemOf(() => parseTemplate(deep))?.error_code).toBe('Parse Error');
    const parentheses = `{{${'('.repeat(10_000)}1${')'.repeat(10_000)}}}`;
    expect(problemOf(() => parseTemplate(parentheses))?.error_code).toBe('Parse Error');
    const chain = parseTemplate(`{{ true${' && true'.repeat(100_000)} }}`);
    expect(problemOf(() => evaluate(chain, {}))?.error_code).toBe('Evaluation Error');
    const list = '{{ range _, a := $list }}';
    const product = parseTemplate(`${list.repeat(4)} 1 ${'{{ end }}'.repeat(4)}`);
    const $list = Array.from({ length: 100 }, () => 0);
    expect(problemOf(() => evaluate(product, { $list }))?.error_code).toBe('Evaluation Error');
  });
});

describe('texts', () => {
  test.each([
    ['{{$base_url}}/x', 'http://hook/base?a=1/x'],
    ['/{{ escapeUri $body.name }}?q={{$body.age}}', '/Ann?q=30'],
    ['say "{{$body.name}}"', 'say "Ann"'],
    ['{{$body.none}}', null],
    ['{{ if $body.ok }}null{{ else }}x{{ end }}', null],
    ['{{ $literal }}', 'null'],
    ['', ''],
  ])('%s', (text, expected) => {
    expect(evaluateText(parseTextTemplate(text), { ...VARIABLES, $literal: 'null' })).toBe(expected);
  });
});

describe('checks before any evaluation', () => {
  const text: Shape = { kind: 'scalar', name: 'String' };
  const person: Shape = { kind: 'object', fields: { name: text, tags: { kind: 'array', item: text } } };
  const shapes = {
    $body: { kind: 'object', fields: { input: person, list: { kind: 'array', item: person } } },
  } as const;

  test.each([
    ['{{$body.input.name}}', []],
    ['{{$body.input.nam}}', ["'Object' has no attribute 'nam'."]],
    ['{{$body.input?.nam ?? "x"}}', ["'Object' has no attribute 'nam'."]],
    [
      '{{ if size $body.input.name > 2 }} {{$body.x}} {{ else }} {{$nothing}} {{ end }}',
      ["'Object' has no attribute 'x'.", "Unbound variable '$nothing'."],
    ],
    [
      '{{ range i, p := $body.list }} [{{p.name}}, {{p.age}}, {{i}}] {{ end }}',
      ["'Object' has no attribute 'age'."],
    ],
    ['{{ range i, p := $body.input }} 1 {{ end }}', ['Can only range over an array']],
    ['"{{$body.input}}"', ["Cannot interpolate type: 'Object'."]],
    ['{{$body.input.name.first}}', ["Unexpected type 'String' expected an Object or an Array."]],
    ['{{$body.input.tags[0]}} ', []],
    ["{{$body.input.tags['x']}}", ["Unexpected type 'String', expected an integer."]],
    ['{{ $body[ $body.input.name ] }}', []],
    ['{{ {"a": 1}.a }}', []],
  ])('%s', (template, messages) => {
    expect(checkTemplate(parseTemplate(template), shapes).map(({ message }) => message)).toEqual(messages);
  });
});
