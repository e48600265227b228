import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { parseCondition } from '../../../../runtime/core/condition/parse.ts';
import { printLine } from '../../../../runtime/core/condition/print.ts';
import { readRule, ruleText } from '../../../../runtime/core/condition/rule.ts';
import { type Condition, isReadable } from '../../../../runtime/core/condition/tree.ts';

/** `a and (b or not c)`, with leaves as their tokens. */
function outline(condition: Condition): string {
  switch (condition.kind) {
    case 'leaf':
      return condition.tokens ? condition.tokens.join(' ') : `unreadable ${condition.text}`;
    case 'not':
      return `not [${outline(condition.part)}]`;
    case 'guarded':
      return `if [${outline(condition.when)}] then [${outline(condition.part)}]`;
    case 'exists':
      return `exists ${condition.from.map(({ source }) => source).join(', ')} [${outline(condition.where)}]`;
    default:
      return condition.parts.length === 0
        ? condition.kind
        : `${condition.kind} [${condition.parts.map(outline).join('; ')}]`;
  }
}

test.each([
  ['true', 'and'],
  ['false', 'or'],
  ['{row}."a" = 1', '{row} . "a" = 1'],
  ['{row}."a" OR {row}."b" AND NOT {row}."c"', 'or [{row} . "a"; and [{row} . "b"; not [{row} . "c"]]]'],
  ['({row}."a" or {row}."b") and true', 'and [or [{row} . "a"; {row} . "b"]; and]'],
  ['({row}."a" + 1) = 2', '( {row} . "a" + 1 ) = 2'],
  ['{row}."a" = \'x or (y and\'', '{row} . "a" = \'x or (y and\''],
  ['{row}."and" = {row}."or"', '{row} . "and" = {row} . "or"'],
  ['{row}.or = 1', '{row} . or = 1'],
  ['{row}."a" = E\'it\\\'s\' and {row}."b"', 'and [{row} . "a" = E\'it\\\'s\'; {row} . "b"]'],
  ['{row}."a" is not distinct from {row}."b"', '{row} . "a" is not distinct from {row} . "b"'],
  [
    '{row}."at" < now()::timestamp with time zone and {row}."b"',
    'and [{row} . "at" < now ( ) :: timestamp with time zone; {row} . "b"]',
  ],
  [
    'exists (select 1 from "s"."t" as "_r1" join "s"."u" as "_r2" on "_r2"."t" = "_r1"."id" where "_r1"."x")',
    'exists "s"."t", "s"."u" ["_r1" . "x"]',
  ],
  ['exists (select 1 from "s"."f"({row}) as "_r1")', 'exists "s"."f"({row}) [and]'],
  [
    '{row}."a" and case when {row}."a" or {row}."b" then not {row}."c" end',
    'and [{row} . "a"; if [or [{row} . "a"; {row} . "b"]] then [not [{row} . "c"]]]',
  ],
])('%s is read', (text, expected) => {
  expect(outline(parseCondition(text))).toBe(expected);
});

describe('text beyond the grammar stays one unreadable piece', () => {
  test.each([
    '{row}."a" between 1 and 5',
    'case when {row}."a" then {row}."b" else {row}."c" end',
    'case {row}."a" when 1 then {row}."b" end',
    'case when {row}."a" then {row}."b" end = {row}."c"',
    '{row}."a" -- and so on',
    '{row}."a" /* and */ and {row}."b"',
    '{row}."a" =-- b\n1',
    '{row}."a" = $$x$$',
    '{row}."a" = \'{row}\'',
    '{row}."a" = \'x',
    '({row}."a"',
    '{row}."a")',
    '{row}."a" and',
    'or {row}."a"',
    '{row}."a" = (select max("b") from "s"."t")',
    'exists (select 1 from "s"."t" as "_r1" left join "s"."u" as "_r2" on true where "_r1"."x")',
    'exists (select 1 from "s"."t" as "_r1", "s"."u" as "_r2" where "_r1"."x")',
    'exists (select 1 from "s"."t" as "_r1" where "_r1"."x" limit 0)',
    'exists (select 1 from "s"."t" as "_r1" where "_r1"."x" union select 1)',
    'exists (select 1 from "s"."t" as "_r1" join "s"."t" as "_r1" on true)',
    'exists (select "x" from "s"."t" as "_r1")',
    '{row}."a" where {row}."b"',
    'b\'1\' = {row}."a"',
    'status = 1 and {row}."a"',
  ])('%s', (text) => {
    expect(isReadable(parseCondition(text))).toBe(false);
  });
});

const generated = fileURLToPath(new URL('../../../../generated', import.meta.url));

/** Every rule that the example's access files hold. */
function* exampleRules(): Generator<string> {
  const files = readdirSync(generated, { recursive: true, encoding: 'utf8' });
  for (const file of files.filter((name) => name.endsWith('.access.ts'))) {
    const text = readFileSync(join(generated, file), 'utf8');
    for (const [, quoted, template] of text.matchAll(/(?:where|check): (?:'([^'\n]*)'|`([^`]*)`)/g))
      yield (quoted ?? template)!;
  }
}

test('every rule of the example is read, and printed as it was but for line breaks', () => {
  const rules = [...new Set(exampleRules())];
  expect(rules.length).toBeGreaterThan(30);
  const oneLine = (text: string) =>
    text.replace(/\s+/g, ' ').replaceAll('( ', '(').replaceAll(' )', ')').trim();
  for (const rule of rules) {
    const condition = parseCondition(rule);
    expect(isReadable(condition), rule).toBe(true);
    expect(printLine(condition)).toBe(oneLine(rule));
    expect(ruleText(readRule(rule).sql)).toBe(rule);
  }
});
