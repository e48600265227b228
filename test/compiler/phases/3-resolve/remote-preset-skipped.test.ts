/** Presets within an optional input object are not sent when a client leaves it out: a warning says where. */
import { expect, test } from 'vitest';
import { compileJson } from '../../../harness/project.ts';

/** What is said of a role that may ask for `field` with its input types; the server's schema is the same without presets. */
function warnings(field: string, ...inputs: string[]): string[] {
  const schema = ['schema { query: Query }', `type Query { ${field} }`, ...inputs].join('\n');
  const sdl = schema.replaceAll(/ @preset\((?:[^()"]|"[^"]*")*\)/g, '');
  const permissions = [{ role: 'user', definition: { schema } }];
  const remote = { name: 'shop', definition: { url: 'http://localhost/shop' }, permissions };
  const { diagnostics } = compileJson(
    { version: 3, sources: [], remote_schemas: [remote] },
    { remotes: { shop: { sdl } } },
  );
  return diagnostics.map(({ code, severity, message, path }) => {
    expect([severity, code, path.join('.')]).toEqual([
      'warning',
      'remote-preset-skipped',
      'remote_schemas.0.permissions.0',
    ]);
    return /for (.*) or sends null/.exec(message)![1]!;
  });
}

const OWNER = 'owner: ID @preset(value: "x-engine-user-id")';
const FILTER = `input Filter { id: ID ${OWNER} }`;

test.each([
  ['an optional argument', 'orders(filter: Filter): Int', [FILTER]],
  ['one with a default', 'orders(filter: Filter = {}): Int', [FILTER]],
  ['a list of them', 'orders(filter: [Filter!]): Int', [FILTER]],
  ['a list with nulls', 'orders(filter: [Filter]!): Int', [FILTER]],
])('%s', (_, field, inputs) => {
  expect(warnings(field, ...inputs)).toEqual(['Filter.owner when a client leaves out Query.orders(filter:)']);
});

test('within a required input of an optional one, and an optional input of a required one', () => {
  const outer = (type: string) => `input Outer { inner: ${type} }`;
  expect(warnings('orders(filter: Outer): Int', outer('Filter!'), FILTER)).toEqual([
    'Filter.owner when a client leaves out Query.orders(filter:)',
  ]);
  expect(warnings('orders(filter: Outer!): Int', outer('Filter'), FILTER)).toEqual([
    'Filter.owner when a client leaves out Outer.inner',
  ]);
});

test('an input that contains itself', () => {
  const node = `input Node { next: Node ${OWNER} }`;
  expect(warnings('orders(filter: Node!): Int', node)).toEqual([
    'Node.owner when a client leaves out Node.next',
  ]);
});

test.each([
  ['a required argument', 'orders(filter: Filter!): Int', [FILTER]],
  ['required items of a required list', 'orders(filter: [Filter!]!): Int', [FILTER]],
  ['a preset of the argument itself', 'orders(owner: ID @preset(value: "x-engine-user-id")): Int', []],
  ['an input without presets', 'orders(filter: Filter): Int', ['input Filter { id: ID }']],
  [
    'an object that is preset as a whole',
    'orders(filter: Filter @preset(value: {owner: "x-engine-user-id"})): Int',
    [FILTER],
  ],
])('nothing is said of %s', (_, field, inputs) => {
  expect(warnings(field, ...inputs)).toEqual([]);
});
