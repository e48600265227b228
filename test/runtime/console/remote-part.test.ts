/** Parts of a remote schema, chosen field by field: each is a permission that the compiler accepts. */
import { describe, expect, test } from 'vitest';
import { compile } from '../../../compiler/index.ts';
import { remotePart } from '../../../runtime/console/remote-part.ts';
import { readMetadata } from '../../../runtime/metadata/read-metadata.ts';

const SDL = `
schema { query: Root mutation: Change }
scalar Date
enum Size { SMALL LARGE }
input Filter { size: Size, since: Date, both: [Filter!] }
interface Node { id: ID! label: String }
union Found = Shop | Item
"The root" type Root {
  shop(id: ID!): Shop
  items(filter: Filter, first: Int = 10): [Item!]!
  find(text: String!): [Found]
  node: Node
  version: String
}
type Change { rename(id: ID!, name: String): Shop }
type Shop implements Node { "The id" id: ID! """Text""" label("x" long: Boolean): String items: [Item] owner: Person note(of: String!): String }
type Item implements Node { id: ID! label: String size: Size made: Date shop: Shop }
type Person { name: String friends: [Person] }
type Unused { a: Int }
type Link { shop: Shop }
`;

function problemsOf(schema: string): string[] {
  const { value, diagnostics } = readMetadata({
    version: 3,
    sources: [],
    remote_schemas: [
      {
        name: 'shops',
        definition: { url: 'http://h' },
        permissions: [{ role: 'clerk', definition: { schema } }],
      },
    ],
  });
  expect(diagnostics).toEqual([]);
  const result = compile({ metadata: value, catalogs: {}, remotes: { shops: { sdl: SDL } } });
  return result.diagnostics.map(({ message }) => message);
}

describe('the part of a role', () => {
  test.each<[string, string[], string[]]>([
    ['one value', ['Root.version'], ['Root.version']],
    ['a type gets its plain values', ['Root.shop'], ['Root.shop', 'Shop.id', 'Shop.label']],
    ['input types and enums come along', ['Root.items', 'Item.size'], ['Item.size', 'Root.items']],
    [
      'members of a union',
      ['Root.find', 'Shop.id'],
      ['Item.id', 'Item.label', 'Item.made', 'Item.size', 'Root.find', 'Shop.id'],
    ],
    ['types of an interface', ['Root.node', 'Node.id'], ['Item.id', 'Node.id', 'Root.node', 'Shop.id']],
    [
      'a mutation with a query',
      ['Root.version', 'Change.rename', 'Shop.label'],
      ['Change.rename', 'Root.version', 'Shop.label'],
    ],
    [
      'a circle',
      ['Root.shop', 'Shop.owner', 'Person.friends', 'Person.name'],
      ['Person.friends', 'Person.name', 'Root.shop', 'Shop.owner'],
    ],
    ['types that nothing leads to', ['Root.version', 'Unused.a'], ['Root.version', 'Unused.a']],
    ['a field with a required argument', ['Root.shop', 'Shop.note'], ['Root.shop', 'Shop.note']],
  ])('%s', (_, wanted, all) => {
    const { chosen, schema } = remotePart(SDL, undefined, wanted);
    expect(chosen).toEqual(all);
    expect(schema).toContain('query: Root');
    expect(schema).not.toContain('Unused');
    expect(problemsOf(schema)).toEqual([]);
    // What was printed means the same again.
    const again = remotePart(SDL, schema, undefined);
    expect(again.schema).toBe(schema);
    expect(again.chosen).toEqual(all.filter((each) => each !== 'Unused.a'));
  });

  test('everything', () => {
    const { types } = remotePart(SDL, undefined, []);
    expect(types.slice(0, 2).map(({ name, kind }) => [name, kind])).toEqual([
      ['Root', 'query'],
      ['Change', 'mutation'],
    ]);
    const wanted = types.flatMap(({ name, fields }) => fields.map((field) => `${name}.${field.name}`));
    expect(problemsOf(remotePart(SDL, undefined, wanted).schema)).toEqual([]);
  });

  test('a permission that does not fit is told', () => {
    expect(problemsOf('schema { query: Root } type Root { nothing: Int }')).not.toEqual([]);
  });

  test('nothing', () => {
    expect(remotePart(SDL, undefined, undefined)).toMatchObject({ chosen: [], schema: '' });
  });

  test('presets and left out arguments of the permission are kept', () => {
    const written = `schema { query: Root } type Root { shop(id: ID! @preset(value: "7")): Shop items(first: Int = 10): [Item!]! } type Shop { id: ID! } type Item { id: ID! }`;
    const { schema } = remotePart(SDL, written, ['Root.shop', 'Root.items', 'Root.version']);
    expect(schema).toContain('id: ID! @preset(value: "7")');
    expect(schema).toContain('items(first: Int = 10)');
    expect(schema).toContain('version: String');
    expect(schema).not.toContain('input Filter');
    expect(problemsOf(schema)).toEqual([]);
  });

  test('a server with the usual root types needs no block of them', () => {
    expect(remotePart('type Query { a: Int b: Int }', undefined, ['Query.b']).schema).toBe(
      'type Query {\n  b: Int\n}',
    );
  });
});
