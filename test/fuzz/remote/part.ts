/** A remote schema, and random parts of it as permissions. */
import { type DocumentNode, Kind, type ObjectTypeDefinitionNode, parse, print, visit } from 'graphql';
import { presetOf } from '../../../runtime/core/remotes/preset.ts';
import type {
  RemoteArguments,
  RemoteCustomization,
  RemoteSchemaShape,
} from '../../../runtime/core/remotes/shapes.ts';
import type { Random } from '../random.ts';
import { KEY } from './check.ts';

export const UPSTREAM = `
  type Query {
    a(f: F, n: Int = 3): A
    b(id: ID, f: F = {x: "default", y: 1}, old: String @deprecated(reason: "gone")): B
    n: N
    m: [M!]!
    u: [U!]
    e(v: E, g: [G!]): String
    es(list: [E!], all: [[Int!]]): [E!]
    l(list: [F!], ids: [ID!], any: Any): [A!]
    o(one: O!, more: [O!]): A!
    need(r: R!, x: Float! = 1.5): C
  }
  type Mutation { set(f: F, n: Int): A drop(id: ID, g: G): B one(o: O): A }
  interface N { id: ID s: String }
  interface M implements N { id: ID s: String b(f: F): B }
  type A implements N & M { id: ID s: String b(f: F): B secret: String flag: Boolean! }
  type B implements N { id: ID s: String a: A n: N u: U secret: Int }
  type C { id: ID! m: M list(only: [Int!]! = [1]): [N] }
  union U = A | B | C
  enum E { P Q R @deprecated }
  scalar Any @specifiedBy(url: "https://any")
  input F { x: String y: Int e: E f: F g: G secret: String list: [Int!] old: Int @deprecated }
  input G { z: String secret: Boolean any: Any }
  input O @oneOf { id: ID name: String in: F list: [Int!] }
  input R { must: ID! may: Boolean! = true o: O }
`;

const to = (
  keys: readonly string[],
  ...path: readonly (readonly [field: string, given: RemoteArguments])[]
) => ({
  to: 'remote' as const,
  remote: 'm',
  keys,
  path: path.map(([field, given]) => ({ field, arguments: given })),
});

/** Fields that lead back into the remote schema. Each key takes values of every kind. */
export const RELATIONSHIPS: NonNullable<RemoteSchemaShape['relationships']> = {
  A: {
    toB: to(['id'], ['b', { id: { key: 'id' } }]),
    toA: to(['s'], ['a', { f: { fields: { x: { key: 's' } } } }]),
    toLists: to(['id', 's'], ['l', { ids: { key: 'id' }, any: { key: 's' } }]),
    toItems: to(['id'], ['l', { ids: { items: [{ key: 'id' }] } }]),
    toOne: to(['id'], ['o', { one: { fields: { id: { key: 'id' } } } }]),
    toEnums: to(['s', 'id'], ['es', { list: { key: 's' }, all: { key: 'id' } }]),
    fixed: to([], ['a', { n: { value: 4 } }]),
  },
  B: {
    below: to(
      ['id'],
      ['a', {}],
      ['b', { f: { fields: { x: { key: 'id' }, y: { value: 7 }, f: { fields: { x: { key: 'id' } } } } } }],
    ),
    belowNeeded: to(
      ['id'],
      ['need', { r: { fields: { must: { key: 'id' } } } }],
      ['list', { only: { key: 'id' } }],
    ),
    fixedOne: to([], ['o', { one: { fields: { name: { value: 'text' } } } }], ['b', {}]),
    toInput: to(['s'], ['o', { one: { fields: { in: { key: 's' } } }, more: { key: 's' } }]),
    toUnion: to(['id'], ['u', {}]),
  },
};

/** JSON of values of rows; every scalar in them is KEY where it is a text. */
export const VALUES: readonly string[] = [
  ...[KEY, [KEY], [KEY, null], [], [[1], [2]], [1, 2], 6, 3000000000, 1.5, true, 'Q', ['P', 'Q'], 'X'].map(
    (value) => JSON.stringify(value),
  ),
  ...['{"x":"of the row"}', '{"nothing":1}', '[{"id":"of the row"}]', '{"id":null}', '{"id":1,"name":"x"}'],
  ...['12345678901234567890', '"\\ud800"', '"quote \\" \\/"'],
];

/** Names of a remote schema as its clients see them. */
export function randomCustomization(random: Random): RemoteCustomization | undefined {
  if (random.chance(0.4)) return undefined;
  const affixes = () => ({
    ...(random.chance(0.5) && { prefix: 'p_' }),
    ...(random.chance(0.5) && { suffix: '_s' }),
  });
  const fields = affixes();
  const names = { id: 'key', s: 'text' };
  return {
    ...(random.chance(0.3) && { namespace: 'space' }),
    ...(random.chance(0.6) && { types: { ...affixes(), names: { A: 'First', G: 'Given' } } }),
    ...(random.chance(0.6) && {
      fields: {
        ...Object.fromEntries(['A', 'B', 'N', 'M'].map((type) => [type, { ...fields, names }])),
        C: { names: { list: 'items' } },
        Query: { prefix: 'q_' },
      },
    }),
  };
}

const PRESETS: Readonly<Record<string, readonly string[]>> = {
  String: ['"x-engine-x"', '"X-Engine-X"', '"fixed"'],
  Int: ['77'],
  E: ['Q'],
  ID: ['"fixed"'],
  Boolean: ['true'],
  Any: ['{deep: [1]}', '"x-engine-x"'],
  F: ['{y: 9}', '{x: "x-engine-x", e: Q}'],
};

/** Fields of interfaces. */
const SHARED = ['id', 's', 'b'];

/** A part of the schema: members left out, and presets on some inputs. It may break the rules of permissions. */
export function randomPart(random: Random): string {
  const keep = () => random.chance(0.8);
  // Types that implement an interface lose its fields together.
  const dropped = new Set(SHARED.slice(1).filter(() => !keep()));
  const document = visit(parse(UPSTREAM), {
    enter: (node, _key, _parent, _path, ancestors) => {
      if (node.kind === Kind.FIELD_DEFINITION) {
        const owner = ancestors.at(-1) as ObjectTypeDefinitionNode;
        const lost =
          owner.name.value === 'Query' || !SHARED.includes(node.name.value)
            ? !keep()
            : dropped.has(node.name.value);
        return lost ? null : undefined;
      }
      if (node.kind === Kind.ENUM_VALUE_DEFINITION)
        return keep() || node.name.value === 'Q' ? undefined : null;
      if (node.kind !== Kind.INPUT_VALUE_DEFINITION) return undefined;
      if (node.type.kind !== Kind.NON_NULL_TYPE && !keep()) return null;
      if (ancestors.some((each) => 'name' in each && each.name?.value === 'b')) return undefined;
      const presets = node.type.kind === Kind.NAMED_TYPE ? PRESETS[node.type.name.value] : undefined;
      if (!presets || random.chance(0.65)) return undefined;
      const [directive] = parse(`{ a @preset(value: ${random.pick(presets)}) }`).definitions;
      const field =
        directive?.kind === Kind.OPERATION_DEFINITION ? directive.selectionSet.selections[0] : undefined;
      return { ...node, directives: [...(node.directives ?? []), ...(field?.directives ?? [])] };
    },
  }) as DocumentNode;
  return print(document);
}

/** Names that a client sees of a part: `A.b`, `A.b.f`, `F.x`, `E.P`. */
export function membersOf(part: string): ReadonlySet<string> {
  const members = new Set<string>();
  for (const type of parse(part).definitions) {
    if (type.kind === Kind.OBJECT_TYPE_DEFINITION || type.kind === Kind.INTERFACE_TYPE_DEFINITION)
      for (const field of type.fields ?? []) {
        members.add(`${type.name.value}.${field.name.value}`);
        for (const argument of field.arguments ?? [])
          if (!presetOf(argument))
            members.add(`${type.name.value}.${field.name.value}.${argument.name.value}`);
      }
    if (type.kind === Kind.INPUT_OBJECT_TYPE_DEFINITION)
      for (const field of type.fields ?? [])
        if (!presetOf(field)) members.add(`${type.name.value}.${field.name.value}`);
    if (type.kind === Kind.ENUM_TYPE_DEFINITION)
      for (const { name } of type.values ?? []) members.add(`${type.name.value}.${name.value}`);
  }
  return members;
}
