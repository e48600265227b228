/** Permissions of remote schemas whose server changed. */

import { parse, print } from 'graphql';
import { describe, expect, test } from 'vitest';
import { permissionProblems } from '../../../compiler/phases/3-resolve/remote-permission.ts';
import { rebasePermission } from '../../../compiler/review/remote-rebase.ts';
import { readRemoteDocument } from '../../../runtime/core/remotes/document.ts';
import { CANONICAL } from '../../../runtime/core/vocabulary.ts';
import { Random } from '../../fuzz/random.ts';
import { membersOf, randomPart, UPSTREAM } from '../../fuzz/remote/part.ts';

const rebase = (sdl: string, upstream: string) =>
  rebasePermission(sdl, readRemoteDocument(upstream), CANONICAL);
const pretty = (sdl: string) => `${print(parse(sdl))}\n`;

/** [what changed, upstream, permission, proposal or undefined] */
const CASES: readonly (readonly [string, string, string, string | undefined])[] = [
  ['nothing', 'type Query { a: Int, b: Int }', 'type Query { a: Int }', 'type Query { a: Int }'],
  ['a field is gone', 'type Query { a: Int }', 'type Query { a: Int, b: Int }', 'type Query { a: Int }'],
  [
    'a field has another type',
    'type Query { a: Int, b: Int! }',
    'type Query { a: Int, b: Int }',
    'type Query { a: Int }',
  ],
  ['everything is gone', 'type Query { c: Int }', 'type Query { a: Int }', undefined],
  [
    'an argument is gone',
    'type Query { a(y: Int): Int }',
    'type Query { a(x: Int, y: Int): Int }',
    'type Query { a(y: Int): Int }',
  ],
  [
    'an argument with a preset is renamed',
    'type Query { a(y: Int): Int, b: Int }',
    'type Query { a(x: Int @preset(value: 1)): Int, b: Int }',
    'type Query { b: Int }',
  ],
  [
    'a default differs beside a preset',
    'type Query { a(x: Int = 2): Int, b: Int }',
    'type Query { a(x: Int @preset(value: 1)): Int, b: Int }',
    'type Query { b: Int }',
  ],
  [
    'an argument is required now',
    'type Query { a(x: Int!): Int, b: Int }',
    'type Query { a: Int, b: Int }',
    'type Query { b: Int }',
  ],
  [
    'a type is gone with all that leads to it',
    'type Query { b: B, a: Int } type B { x: Int }',
    'type Query { b: B, a: Int } type B { c: C } type C { x: Int }',
    'type Query { a: Int }',
  ],
  [
    'a preset field of an input object is gone',
    'type Query { a(f: F): Int, b: Int } input F { x: Int }',
    'type Query { a(f: F): Int, b: Int } input F { x: Int, y: Int @preset(value: 1) }',
    'type Query { a: Int, b: Int }',
  ],
  [
    'a value of an enum is gone that a preset names',
    'type Query { a(e: E): Int, b(e: E): Int } enum E { P R }',
    'type Query { a(e: E @preset(value: Q)): Int, b(e: E): Int } enum E { P Q }',
    'type Query { b(e: E): Int } enum E { P }',
  ],
  [
    'an object lost a field of its interface',
    'type Query { n: N } interface N { x: Int, y: Int } type A { x: Int }',
    'type Query { n: N } interface N { x: Int, y: Int } type A implements N { x: Int, y: Int }',
    'type Query { n: N } interface N { x: Int, y: Int } type A { x: Int }',
  ],
  [
    'members of a union are gone',
    'type Query { u: U } union U = A type A { x: Int } type B { x: Int }',
    'type Query { u: U } union U = A | B type A { x: Int } type B { x: Int }',
    'type Query { u: U } union U = A type A { x: Int } type B { x: Int }',
  ],
  [
    'the root of a schema block is gone',
    'type Query { a: Int } type Mutation { m: Int }',
    'schema { query: Root } type Root { a: Int } type Query { a: Int } type Mutation { m: Int }',
    undefined,
  ],
];

describe('what no longer fits is left out', () => {
  test.each(CASES)('%s', (_name, upstream, permission, wanted) => {
    const { before, after, problems } = rebase(permission, upstream);
    expect(before).toBe(pretty(permission));
    expect(after).toBe(wanted && pretty(wanted));
    expect(problems).toEqual([]);
  });
});

test('what leaving out cannot mend is said', () => {
  const preset = 'type Query { a(e: E @preset(value: "Q", static: true)): Int } enum E { P }';
  expect(rebase(preset, 'type Query { a(e: E): Int } enum E { P }').problems).toEqual([
    '"Q" not found in the enum: "E"',
  ]);
});

test('of random changes every proposal is valid and wins nothing', () => {
  const random = new Random(20_261_124);
  let changed = 0;
  for (let round = 0; round < 600; round += 1) {
    const permission = randomPart(random);
    // Nothing is proposed for what was no permission before.
    if (permissionProblems(permission, readRemoteDocument(UPSTREAM), CANONICAL).length > 0) continue;
    // Other parts of the same schema are the server after changes; their presets mean nothing there.
    const upstream = randomPart(random).replace(/ @preset\(value: [^)]*\)/g, '');
    const { after, before, problems } = rebase(permission, upstream);
    if (after === undefined) continue;
    if (after !== before) changed += 1;
    const had = membersOf(permission);
    expect([permission, upstream, [...membersOf(after)].filter((each) => !had.has(each))]).toEqual([
      permission,
      upstream,
      [],
    ]);
    expect([permission, upstream, problems]).toEqual([permission, upstream, []]);
  }
  expect(changed).toBeGreaterThan(100);
  expect(rebase(UPSTREAM, UPSTREAM)).toMatchObject({ problems: [], after: pretty(UPSTREAM) });
});
