/** Errors of the platform and of libraries, in words of this program: what is wrong, and where. */
import { mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { GraphQLError } from 'graphql';
import { afterAll, expect, test } from 'vitest';
import { z } from 'zod';
import { parseGraphql } from '../../../runtime/core/graphql-text.ts';
import { parseExactJson } from '../../../runtime/core/json/exact-json.ts';
import {
  callProblem,
  codeOf,
  fileProblem,
  graphqlProblem,
  jsonProblem,
  valueProblem,
} from '../../../runtime/core/reasons.ts';

const folder = mkdtempSync(join(tmpdir(), 'reasons-'));
afterAll(() => rmSync(folder, { recursive: true }));

function thrown(run: () => unknown): unknown {
  try {
    run();
  } catch (error) {
    return error;
  }
  throw new Error('nothing was thrown');
}

test.each([
  ['', 'it is empty'],
  [' \n', 'it is empty'],
  ['{', 'the text ends too early at line 1, column 2'],
  ['{"a": 1,}', 'unexpected "}" at line 1, column 9'],
  ['{"a": 1 "b": 2}', 'unexpected "\\"" at line 1, column 9'],
  ["{'a': 1}", 'unexpected "\'" at line 1, column 2'],
  ['{a: 1}', 'unexpected "a" at line 1, column 2'],
  ['{"a" 1}', 'unexpected "1" at line 1, column 6'],
  ['[1, 2', 'the text ends too early at line 1, column 6'],
  ['[1,\n 2,\n  x]', 'unexpected "x" at line 3, column 3'],
  ['[01]', 'unexpected "1" at line 1, column 3'],
  ['[1.]', 'unexpected "." at line 1, column 3'],
  ['[+1]', 'unexpected "+" at line 1, column 2'],
  ['nul', 'unexpected "n" at line 1, column 1'],
  ['NaN', 'unexpected "N" at line 1, column 1'],
  ['"a', 'a string is not closed or holds a control character at line 1, column 3'],
  ['"a\nb"', 'a string is not closed or holds a control character at line 1, column 3'],
  ['"\\x"', 'a string holds an unknown escape at line 1, column 2'],
  ['"\\u12"', 'a string holds an unknown escape at line 1, column 2'],
  ['{} {}', 'unexpected "{" at line 1, column 4'],
  ['// no', 'unexpected "/" at line 1, column 1'],
  ['<html>', 'unexpected "<" at line 1, column 1'],
  ['\uFEFF{}', 'unexpected "\uFEFF" at line 1, column 1'],
])('JSON: %j', (text, problem) => {
  expect(() => parseExactJson(text)).toThrow();
  expect(jsonProblem(text)).toBe(problem);
});

test.each([
  ['query {', 'expected Name, found the end at line 1, column 8'],
  ['{ a: }', 'expected Name, found "}" at line 1, column 6'],
  ['{\n  a(\n}', 'expected Name, found "}" at line 3, column 1'],
  ['query ($a) { b }', 'expected ":", found ")" at line 1, column 10'],
  ['{ a(b: "c) }', 'unterminated string at line 1, column 13'],
  ['', 'unexpected the end at line 1, column 1'],
  ['{ a ? }', 'unexpected character: "?" at line 1, column 5'],
  ['typ A { b: Int }', 'unexpected Name "typ" at line 1, column 1'],
  ['('.repeat(300), 'the document is nested more than 200 levels deep'],
])('GraphQL: %j', (text, problem) => {
  expect(graphqlProblem(thrown(() => parseGraphql(text)) as GraphQLError)).toBe(problem);
});

test('files', () => {
  const file = join(folder, 'file');
  writeFileSync(file, '');
  symlinkSync(join(folder, 'circle'), join(folder, 'circle'));
  const read = (path: string) => fileProblem(thrown(() => readFileSync(path)));
  expect(read(join(folder, 'none'))).toBe('it does not exist (ENOENT)');
  expect(read(folder)).toBe('it is a folder (EISDIR)');
  expect(read(join(file, 'below'))).toBe('a part of its path is not a folder (ENOTDIR)');
  expect(read(join(folder, 'circle'))).toBe('its links lead in a circle (ELOOP)');
  expect(read(join(folder, 'x'.repeat(300)))).toBe('its name is too long (ENAMETOOLONG)');
  expect(fileProblem({ code: 'EACCES' })).toBe('this user has no permission (EACCES)');
  expect(fileProblem({ code: 'EODD' })).toBe('the system reports EODD');
  expect(fileProblem(new Error('x'))).toBe('for a reason that the system does not name');
});

test('calls', () => {
  const several = { cause: { errors: [{ code: 'ECONNREFUSED' }, { code: 'ENETUNREACH' }] } };
  expect(callProblem(codeOf(several))).toBe('the connection was refused (ECONNREFUSED)');
  expect(callProblem('DEPTH_ZERO_SELF_SIGNED_CERT')).toBe(
    'the certificate of the server is not trusted (DEPTH_ZERO_SELF_SIGNED_CERT)',
  );
  expect(callProblem('UNABLE_TO_VERIFY_LEAF_SIGNATURE')).toContain('is not trusted');
  expect(callProblem('CERT_HAS_EXPIRED')).toContain('has expired');
  expect(callProblem('ERR_SSL_TLSV1_ALERT_PROTOCOL_VERSION')).toContain('does not speak TLS');
  expect(callProblem('HPE_INVALID_CONSTANT')).toContain('the answer is not HTTP');
  expect(callProblem('EODD')).toBe('the connection failed (EODD)');
  expect(callProblem(undefined)).toBe('the connection failed');
});

test('values of files', () => {
  const schema = z.strictObject({
    name: z.string().min(1),
    count: z.int().min(2).optional(),
    kind: z.enum(['a', 'b']).optional(),
    list: z.array(z.strictObject({ on: z.boolean() })).optional(),
    form: z.union([z.strictObject({ x: z.string() }), z.strictObject({ y: z.string() })]).optional(),
    own: z.string().min(1, 'say why').optional(),
  });
  const problem = (value: unknown) => valueProblem(value, schema.safeParse(value).error!.issues[0]!);
  expect(problem({})).toBe('the key "name" is missing');
  expect(problem([])).toBe('the file: expected a mapping, but found array');
  expect(problem(null)).toBe('the file: expected a mapping, but found null');
  expect(problem({ name: 1 })).toBe('name: expected a text, but found 1');
  expect(problem({ name: '' })).toBe('name: it is empty');
  expect(problem({ name: 'x', nmae: 1 })).toBe('unknown key "nmae"');
  expect(problem({ name: 'x', count: 1 })).toBe('count: expected at least 2, but found 1');
  expect(problem({ name: 'x', count: 1.5 })).toBe('count: expected a whole number, but found 1.5');
  expect(problem({ name: 'x', kind: 'c' })).toBe('kind: expected "a" or "b", but found "c"');
  expect(problem({ name: 'x', list: [{ on: 'yes' }] })).toBe(
    'list.0.on: expected true or false, but found "yes"',
  );
  expect(problem({ name: 'x', list: [{ on: true, off: 1 }] })).toBe('unknown key "off" in list.0');
  expect(problem({ name: 'x', form: 7 })).toBe('form: 7 has none of the forms that are known here');
  expect(problem({ name: 'x', own: '' })).toBe('own: say why');
});
