/** A remote schema, and random parts of it as permissions. */
import { type DocumentNode, Kind, parse, print, visit } from 'graphql';
import type { RemoteSchemaShape } from '../../../runtime/core/remotes/shapes.ts';
import type { Random } from '../random.ts';

export const UPSTREAM = `
  type Query {
    a(f: F, n: Int = 3): A
    b(id: ID, f: F = {x: "default", y: 1}): B
    n: N
    u: [U!]
    e(v: E, g: [G!]): String
    l(list: [F!], ids: [ID!]): [A!]
  }
  type Mutation { set(f: F, n: Int): A drop(id: ID, g: G): B }
  interface N { id: ID s: String }
  type A implements N { id: ID s: String b(f: F): B secret: String }
  type B implements N { id: ID s: String a: A n: N secret: Int }
  union U = A | B
  enum E { P Q R }
  input F { x: String y: Int e: E f: F g: G secret: String }
  input G { z: String secret: Boolean }
`;

/** Fields that lead back into the remote schema. */
export const RELATIONSHIPS: RemoteSchemaShape['relationships'] = {
  A: {
    toB: {
      to: 'remote',
      remote: 'm',
      keys: ['id'],
      path: [{ field: 'b', arguments: { id: { key: 'id' } } }],
    },
    toA: {
      to: 'remote',
      remote: 'm',
      keys: ['s'],
      path: [{ field: 'a', arguments: { f: { fields: { x: { key: 's' } } } } }],
    },
  },
  B: {
    below: {
      to: 'remote',
      remote: 'm',
      keys: ['id'],
      path: [
        { field: 'a', arguments: {} },
        {
          field: 'b',
          arguments: {
            f: { fields: { x: { key: 'id' }, y: { value: 7 }, f: { fields: { x: { key: 'id' } } } } },
          },
        },
      ],
    },
  },
};

const PRESETS: Readonly<Record<string, readonly string[]>> = {
  String: ['"x-engine-x"', '"X-Engine-X"', '"fixed"'],
  Int: ['77'],
  E: ['Q'],
  ID: ['"fixed"'],
  Boolean: ['true'],
  F: ['{y: 9}', '{x: "x-engine-x", e: Q}'],
};

/** A part of the schema: members left out, and presets on some inputs. It may break the rules of permissions. */
export function randomPart(random: Random): string {
  const keep = () => random.chance(0.8);
  const document = visit(parse(UPSTREAM), {
    enter: (node) => {
      if (node.kind === Kind.FIELD_DEFINITION) return keep() || node.name.value === 'id' ? undefined : null;
      if (node.kind === Kind.ENUM_VALUE_DEFINITION)
        return keep() || node.name.value === 'Q' ? undefined : null;
      if (node.kind !== Kind.INPUT_VALUE_DEFINITION) return undefined;
      if (!keep()) return null;
      const presets = node.type.kind === Kind.NAMED_TYPE ? PRESETS[node.type.name.value] : undefined;
      if (!presets || random.chance(0.65)) return undefined;
      const [directive] = parse(`{ a @preset(value: ${random.pick(presets)}) }`).definitions;
      const field =
        directive?.kind === Kind.OPERATION_DEFINITION ? directive.selectionSet.selections[0] : undefined;
      return { ...node, directives: field?.directives ?? [] };
    },
  }) as DocumentNode;
  return print(document);
}

/** Names that a client sees of a part: `A.b`, `A.b.f`, `F.x`, `E.P`; fields of relationships as if the part had all they need. */
export function membersOf(part: string): ReadonlySet<string> {
  const members = new Set(['A.toB', 'A.toB.f', 'A.toA', 'A.toA.n', 'B.below']);
  for (const type of parse(part).definitions) {
    if (type.kind === Kind.OBJECT_TYPE_DEFINITION || type.kind === Kind.INTERFACE_TYPE_DEFINITION)
      for (const field of type.fields ?? []) {
        members.add(`${type.name.value}.${field.name.value}`);
        for (const argument of field.arguments ?? [])
          if (argument.directives?.length === 0)
            members.add(`${type.name.value}.${field.name.value}.${argument.name.value}`);
      }
    if (type.kind === Kind.INPUT_OBJECT_TYPE_DEFINITION)
      for (const field of type.fields ?? [])
        if (field.directives?.length === 0) members.add(`${type.name.value}.${field.name.value}`);
    if (type.kind === Kind.ENUM_TYPE_DEFINITION)
      for (const { name } of type.values ?? []) members.add(`${type.name.value}.${name.value}`);
  }
  return members;
}
