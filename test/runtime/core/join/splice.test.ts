/** Answers are cut where joins stand; everything else stays the text that it was. */
import { expect, test } from 'vitest';
import type { JoinTree, PlannedJoin } from '../../../../runtime/core/join/join.ts';
import {
  type CollectTuples,
  createTuples,
  fill,
  splice,
  type Tuples,
} from '../../../../runtime/core/join/splice.ts';
import { remember } from '../../../../runtime/core/remember.ts';

function join(responseName: string, hidden: readonly string[] = []): PlannedJoin {
  return {
    responseName,
    required: false,
    path: '$',
    handover: hidden.length > 0 ? 'fields' : 'tuple',
    hidden,
  };
}

function tree(parts: Partial<JoinTree>): JoinTree {
  return {
    below: new Map(),
    tuples: new Map(),
    hidden: new Map(),
    omitted: new Set(),
    renamed: new Map(),
    ...parts,
  };
}

function collector(): { readonly collect: CollectTuples; readonly of: (join: PlannedJoin) => Tuples } {
  const tuples = new Map<PlannedJoin, Tuples>();
  const of = (each: PlannedJoin) => remember(tuples, each, () => createTuples(each));
  return { collect: of, of };
}

test('tuples are looked up once, results stand where the field does, other text is untouched', () => {
  const pet = join('pet');
  const rows = tree({ below: new Map([['rows', tree({ tuples: new Map([['pet', pet]]) })]]) });
  const { collect, of } = collector();
  const text =
    '{"rows":[{"id": 9007199254740993,"pet":[1, "a"],"x":1.50}, \n {"id":2,"pet":null},{"pet":[1,"a"]}, {"pet":[2,"a"]}]}';
  const spliced = splice(text, rows, collect);
  expect(of(pet).list).toEqual([
    ['1', '"a"'],
    ['2', '"a"'],
  ]);
  const results = new Map([[pet, [['{"name":"A"}'], ['[]']]]]);
  expect(fill(spliced, results)).toBe(
    '{"rows":[{"id": 9007199254740993,"pet":{"name":"A"},"x":1.50}, \n {"id":2,"pet":null},{"pet":{"name":"A"}}, {"pet":[]}]}',
  );
});

test('hidden fields leave, and the result takes the place of the first', () => {
  const author = join('author', ['h0', 'h1']);
  const hidden = new Map(['h0', 'h1'].map((name, index) => [name, { join: author, index }]));
  const { collect, of } = collector();
  const filled = (text: string) =>
    fill(splice(text, tree({ hidden }), collect), new Map([[author, [['"one"'], ['"two"']]]]));
  expect(filled('{"a":1,"h0":5,"b":[],"h1":"x"}')).toBe('{"a":1,"author":"one","b":[]}');
  expect(filled('{"h1":"y","h0":5}')).toBe('{"author":"two"}');
  expect(filled('{"h0":null,"h1":"y","b":2}')).toBe('{"author":null,"b":2}');
  // Another type than the one that the join belongs to.
  expect(filled('{"b":2}')).toBe('{"b":2}');
  expect(filled('{}')).toBe('{}');
  expect(filled('[{"h0":5,"h1":"x"},null]')).toBe('[{"author":"one"},null]');
  expect(of(author).list).toEqual([
    ['5', '"x"'],
    ['5', '"y"'],
  ]);
});

test('results hold further joins', () => {
  const [outer, inner] = [join('outer'), join('inner')];
  const { collect, of } = collector();
  const spliced = splice('{"outer":[1]}', tree({ tuples: new Map([['outer', outer]]) }), collect);
  const result = splice('{"inner":[7]}', tree({ tuples: new Map([['inner', inner]]) }), collect);
  expect(of(inner).list).toEqual([['7']]);
  const results = new Map([
    [outer, [result]],
    [inner, [['"found"']]],
  ]);
  expect(fill(spliced, results)).toBe('{"outer":{"inner":"found"}}');
});

test('what cannot equal anything on the other side is not looked up', () => {
  const pet: PlannedJoin = { ...join('pet'), encode: ([value]) => (value === '1' ? ['1'] : undefined) };
  const { collect, of } = collector();
  const spliced = splice('[{"pet":["x"]},{"pet":[1]}]', tree({ tuples: new Map([['pet', pet]]) }), collect);
  expect(of(pet).list).toEqual([['1']]);
  expect(fill(spliced, new Map([[pet, [['true']]]]))).toBe('[{"pet":null},{"pet":true}]');
});
