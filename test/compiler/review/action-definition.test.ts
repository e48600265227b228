/** Definitions of actions as the console writes them: read, printed again, and applied as operations would. */
import { describe, expect, test } from 'vitest';
import { compile } from '../../../compiler/index.ts';
import { describeAction } from '../../../compiler/review/action-definition.ts';
import type { ReadAction } from '../../../runtime/console/services-questions.ts';
import { readMetadata } from '../../../runtime/metadata/read-metadata.ts';

const TYPES = {
  objects: [
    {
      name: 'Greeting',
      fields: [
        { name: 'text', type: 'String!' },
        { name: 'from', type: 'Person' },
      ],
    },
    {
      name: 'Person',
      fields: [
        { name: 'name', type: 'String' },
        { name: 'friends', type: '[Person!]' },
      ],
      description: 'Somebody',
    },
  ],
  input_objects: [{ name: 'Wish', fields: [{ name: 'mood', type: 'Mood!' }] }],
  enums: [{ name: 'Mood', values: [{ value: 'GOOD' }, { value: 'BAD', is_deprecated: true }] }],
};
const action = (name: string, definition: object) => ({
  name,
  definition: { handler: 'http://h', ...definition },
});

function version(actions: readonly object[], custom_types: object = TYPES) {
  const { value, diagnostics } = readMetadata({ version: 3, sources: [], actions, custom_types });
  expect(diagnostics).toEqual([]);
  const catalogs = {};
  return { metadata: value, catalogs, compilation: compile({ metadata: value, catalogs }) };
}

const GREET = action('greet', {
  type: 'query',
  arguments: [
    { name: 'wish', type: 'Wish!' },
    { name: 'times', type: 'Int' },
  ],
  output_type: '[Greeting!]',
});
const OTHER = action('other', { output_type: 'Person', arguments: [] });

describe('an action', () => {
  test('is printed with the types that it uses, with a call and types for its handler', async () => {
    const { definition, call, handler } = await describeAction(version([GREET, OTHER]), 'greet', undefined);
    expect(definition).toMatch(/^type Query \{\n {2}greet\(wish: Wish!, times: Int\): \[Greeting!\]\n\}/);
    for (const part of ['input Wish', 'type Greeting', '"""Somebody"""', 'BAD @deprecated'])
      expect(definition).toContain(part);
    expect(definition).not.toContain('other');
    expect(call).toEqual({
      query:
        'query greet($wish: Wish!, $times: Int) {\n  greet(wish: $wish, times: $times) { text from { name } }\n}',
      variables: { wish: null, times: null },
    });
    expect(handler?.stub).toContain("ActionHandler<'greet'>");
    for (const part of ['export type Greeting', 'GreetArguments', 'export type Mood'])
      expect(handler?.types).toContain(part);
    expect(handler?.types).not.toContain('other');
  });

  test('that is asynchronous is called for its id; one without fields or arguments has none', async () => {
    const later = action('later', { kind: 'asynchronous', output_type: 'Greeting', arguments: [] });
    const plain = action('plain', { output_type: 'String', arguments: [] });
    const served = version([later, plain]);
    expect((await describeAction(served, 'later', undefined)).call?.query).toBe(
      'mutation later {\n  later\n}',
    );
    expect((await describeAction(served, 'plain', undefined)).call?.query).toBe(
      'mutation plain {\n  plain\n}',
    );
    expect(await describeAction(served, 'nothing', undefined)).toEqual({});
  });
});

test('types that only a dropped action uses go with it', async () => {
  const { remaining } = await describeAction(version([GREET, OTHER]), 'greet', undefined);
  expect(remaining).toEqual({ input_objects: [], objects: [TYPES.objects[1]], scalars: [], enums: [] });
  expect(await describeAction(version([GREET, OTHER]), 'other', undefined)).not.toHaveProperty('remaining');
});

describe('a text', () => {
  const read = async (text: string, former?: string) =>
    (await describeAction(version([GREET, OTHER]), former, text)).read as ReadAction;
  const names = (types: object | undefined) =>
    Object.values(types ?? {}).flatMap((list: readonly { name: string }[]) => list.map(({ name }) => name));

  test('that was printed means what is there', async () => {
    const { definition } = await describeAction(version([GREET, OTHER]), 'greet', undefined);
    const found = await read(definition!, 'greet');
    expect(found).toMatchObject({ name: 'greet', signature: { type: 'query', output_type: '[Greeting!]' } });
    expect(found).not.toHaveProperty('remaining');
    expect(found.types).toMatchObject(TYPES);
  });

  test('adds types, and drops those that nothing uses any more', async () => {
    const text = 'type Mutation { greet(x: Int): Reply } type Reply { ok: Boolean }';
    const found = await read(text, 'greet');
    expect(found.signature).toEqual({
      arguments: [{ name: 'x', type: 'Int' }],
      output_type: 'Reply',
      type: 'mutation',
    });
    expect(names(found.types)).toEqual(['Wish', 'Greeting', 'Person', 'Reply', 'Mood']);
    // Person is the answer of another action.
    expect(names(found.remaining)).toEqual(['Person', 'Reply']);
    expect(await read(text)).toEqual(found);
  });

  test('of a renamed action leaves the types of the others', async () => {
    const found = await read('type Query { hello: Person }', 'greet');
    expect([found.name, names(found.remaining)]).toEqual(['hello', ['Person']]);
  });

  test('keeps relationships of a type, which it cannot say', async () => {
    const relationships = [
      {
        name: 'rows',
        type: 'array',
        remote_table: { schema: 'public', name: 't' },
        field_mapping: { id: 'id' },
      },
    ];
    const objects = [{ name: 'Out', fields: [{ name: 'id', type: 'Int!' }], relationships }];
    const served = version([action('a', { output_type: 'Out', arguments: [] })], { objects });
    const { read: found } = await describeAction(
      served,
      'a',
      'type Query { a: Out } type Out { id: Int! n: Int }',
    );
    expect((found as ReadAction).types.objects).toMatchObject([
      { fields: [{ name: 'id' }, { name: 'n' }], relationships: [{ name: 'rows' }] },
    ]);
  });

  test.each([
    ['', 'The text defines no actions'],
    ['type Greeting { text: String }', 'The text defines no actions'],
    ['type Query { a: Int b: Int }', 'The text defines 2 actions'],
    ['type Query { a: Int } type Mutation { b: Int }', 'The text defines 2 actions'],
    ['type Query {', 'line 1, column 13'],
    ['type Query { a: Int }\ninterface X { a: Int }', 'line 2, column 1'],
    ['type Query { a: Int }\nextend type Greeting { a: Int }', 'line 2, column 1'],
    ['{ a }', 'line 1, column 1'],
    ['type Query { a( }', 'line 1'],
    ['<img src=x>', 'line 1, column 1'],
  ])('%j is refused', async (text, problem) => {
    expect(await read(text)).toEqual({ problem: expect.stringContaining(problem) });
  });
});
