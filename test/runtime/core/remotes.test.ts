/**
 * Random parts of a remote schema as permissions, and random operations against them: nothing outside the part ever leaves,
 * and presets are what the permission says, whatever the document and its variables are.
 */
import {
  buildSchema,
  type DocumentNode,
  GraphQLError,
  Kind,
  type ObjectValueNode,
  parse,
  print,
  TypeInfo,
  validate,
  visit,
  visitWithTypeInfo,
} from 'graphql';
import { expect, test } from 'vitest';
import { permissionProblems } from '../../../compiler/phases/3-resolve/remote-permission.ts';
import { EngineError } from '../../../runtime/core/errors.ts';
import { linkProgram } from '../../../runtime/core/program.ts';
import { readRemoteDocument } from '../../../runtime/core/remotes/document.ts';
import type { RemoteRootPart } from '../../../runtime/core/remotes/remote-root.ts';
import { remoteSchema } from '../../../runtime/core/remotes/shapes.ts';
import { createPlanner } from '../../../runtime/core/request/planner.ts';
import { rootRequest } from '../../../runtime/remote/document.ts';

const UPSTREAM = `
  type Query { a(f: F, n: Int = 3): A, b(id: ID, f: F = {x: "default", y: 1}): B, n: N, u: [U!], e(v: E, g: [G!]): String }
  interface N { id: ID s: String }
  type A implements N { id: ID s: String b(f: F): B secret: String }
  type B implements N { id: ID s: String a: A n: N secret: Int }
  union U = A | B
  enum E { P Q R }
  input F { x: String y: Int e: E f: F g: G secret: String }
  input G { z: String secret: Boolean }
`;

const SESSION = {
  role: 'r',
  backendOnly: false,
  variables: { 'x-engine-role': 'r', 'x-engine-x': 'of the session' },
};

type Random = () => number;

/** mulberry32. */
function random(seed: number): Random {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
  };
}

const PRESETS: Readonly<Record<string, string>> = {
  String: '"x-engine-x"',
  Int: '77',
  E: 'Q',
  ID: '"fixed"',
  Boolean: 'true',
};

/** A part of the schema: members left out, and presets on some inputs. */
function randomPart(next: Random): string {
  const keep = () => next() < 0.75;
  const document = visit(parse(UPSTREAM), {
    enter: (node) => {
      if (node.kind === Kind.FIELD_DEFINITION) return keep() || node.name.value === 'id' ? undefined : null;
      if (node.kind === Kind.ENUM_VALUE_DEFINITION)
        return keep() || node.name.value === 'Q' ? undefined : null;
      if (node.kind !== Kind.INPUT_VALUE_DEFINITION) return undefined;
      if (!keep()) return null;
      const preset = node.type.kind === Kind.NAMED_TYPE ? PRESETS[node.type.name.value] : undefined;
      if (!preset || next() < 0.6) return undefined;
      const [directive] = parse(`{ a @preset(value: ${preset}) }`).definitions;
      const field =
        directive?.kind === Kind.OPERATION_DEFINITION ? directive.selectionSet.selections[0] : undefined;
      return { ...node, directives: field?.directives ?? [] };
    },
  }) as DocumentNode;
  return print(document);
}

function pick<Item>(next: Random, items: readonly Item[]): Item {
  return items[Math.floor(next() * items.length)]!;
}

/** An operation that is mostly right for the whole schema, so that much of it is outside the part. */
function randomOperation(next: Random): { query: string; variables: Record<string, unknown> } {
  const variables: Record<string, unknown> = {};
  const declarations: string[] = [];
  const value = (type: string, depth: number): unknown => {
    switch (type) {
      case 'F': {
        const fields = { x: 'String', y: 'Int', e: 'E', f: 'F', g: 'G', secret: 'String' };
        return Object.fromEntries(
          Object.entries(fields).flatMap(([name, of]) =>
            next() < 0.35 && depth < 3 ? [[name, value(of, depth + 1)]] : [],
          ),
        );
      }
      case 'G':
        return next() < 0.5 ? { z: 'z' } : { secret: false };
      case 'E':
        return pick(next, ['P', 'Q', 'R']);
      case 'Int':
        return 5;
      case 'Boolean':
        return false;
      default:
        return 'of the client';
    }
  };
  const literal = (given: unknown, type: string): string => {
    if (typeof given === 'object' && given !== null)
      return `{${Object.entries(given)
        .map(([name, item]) => `${name}: ${literal(item, name === 'e' ? 'E' : '')}`)
        .join(', ')}}`;
    return type === 'E' ? String(given) : JSON.stringify(given);
  };
  const argument = (name: string, type: string) => {
    const given = value(type, 0);
    if (next() < 0.5) return `${name}: ${literal(given, type)}`;
    const variable = `v${declarations.length}`;
    declarations.push(`$${variable}: ${type}`);
    variables[variable] = given;
    return `${name}: $${variable}`;
  };
  const args = (list: readonly [string, string][]) => {
    const given = list.filter(() => next() < 0.4).map(([name, type]) => argument(name, type));
    return given.length > 0 ? `(${given.join(', ')})` : '';
  };
  const alias = () =>
    next() < 0.3 ? `${pick(next, ['x', 'limit', 'secret'])}${Math.floor(next() * 1000)}: ` : '';
  const object = (type: 'A' | 'B' | 'N' | 'U', depth: number): string => {
    const fields = type === 'U' ? [] : ['id', ...(next() < 0.5 ? [`${alias()}s`] : [])];
    if (type !== 'U' && type !== 'N' && next() < 0.15) fields.push(`${alias()}secret`);
    if (depth < 3 && type === 'A' && next() < 0.5)
      fields.push(`${alias()}b${args([['f', 'F']])} ${object('B', depth + 1)}`);
    if (depth < 3 && type === 'B' && next() < 0.5) fields.push(`a ${object('A', depth + 1)}`);
    if ((type === 'U' || type === 'N') && next() < 0.8)
      fields.push(
        `... on ${pick(next, ['A', 'B'] as const)} ${next() < 0.3 ? '@include(if: true) ' : ''}{ id }`,
      );
    return `{ ${['__typename', ...fields].join(' ')} }`;
  };
  const roots = [
    () =>
      `a${args([
        ['f', 'F'],
        ['n', 'Int'],
      ])} ${object('A', 0)}`,
    () =>
      `b${args([
        ['id', 'ID'],
        ['f', 'F'],
      ])} ${object('B', 0)}`,
    () => `n ${object('N', 0)}`,
    () => `u ${object('U', 0)}`,
    () => `e${args([['v', 'E']])}`,
  ];
  const fields = Array.from(
    { length: 1 + Math.floor(next() * 3) },
    (_, index) => `r${index}: ${pick(next, roots)()}`,
  );
  const head = declarations.length > 0 ? `(${declarations.join(', ')})` : '';
  return { query: `query ${head} { ${fields.join(' ')} }`, variables };
}

test('nothing outside a permission leaves, and presets stay', () => {
  const upstream = readRemoteDocument(UPSTREAM);
  const next = random(20_260_501);
  const counts = { sent: 0, refused: 0, presets: 0 };
  for (let round = 0; round < 150; round += 1) {
    const sdl = randomPart(next);
    let schema: ReturnType<typeof buildSchema>;
    try {
      if (permissionProblems(sdl, upstream).length > 0) continue;
      schema = buildSchema(
        `directive @preset(value: P, static: Boolean) on ARGUMENT_DEFINITION | INPUT_FIELD_DEFINITION\nscalar P\n${sdl}`,
        {
          assumeValid: true,
        },
      );
    } catch (error) {
      if (error instanceof GraphQLError) continue;
      throw error;
    }
    const shape = remoteSchema({
      name: 'm',
      url: 'http://x',
      timeout: 1,
      schema: UPSTREAM,
      roles: { r: sdl },
    });
    const options = { stringifyNumbers: false, collapseNulls: false };
    const planner = createPlanner(
      linkProgram(
        { sources: [], tables: [], functions: [], remotes: [shape] },
        { inferFunctionPermissions: true, remoteSchemaPermissions: true },
      ),
      options,
    );
    for (let index = 0; index < 20; index += 1) {
      const request = randomOperation(next);
      try {
        const { plan, variables } = planner.plan(SESSION, request);
        const [step] = plan.kind === 'query' ? plan.steps : [];
        if (step?.kind !== 'call') throw new Error('a remote field is a call');
        const sent = rootRequest(step.parts as RemoteRootPart[], 'query', undefined, {
          variables,
          session: SESSION,
        });
        const document = parse(sent.query);
        expect([sdl, request, validate(schema, document)]).toEqual([sdl, request, []]);
        counts.presets += checkPresets(schema, document, sent.variables);
        counts.sent += 1;
      } catch (error) {
        if (!(error instanceof EngineError)) throw error;
        counts.refused += 1;
      }
    }
  }
  expect(counts.sent).toBeGreaterThan(200);
  expect(counts.refused).toBeGreaterThan(200);
  expect(counts.presets).toBeGreaterThan(100);
});

/** Every preset argument, and every preset field of an input object, is there with its value. */
function checkPresets(
  schema: ReturnType<typeof buildSchema>,
  document: DocumentNode,
  variables: ReadonlyMap<string, string>,
): number {
  let found = 0;
  const info = new TypeInfo(schema);
  const presetOf = (
    node:
      | {
          readonly directives?: readonly {
            readonly name: { readonly value: string };
            readonly arguments?: readonly { readonly value: Parameters<typeof print>[0] }[];
          }[];
        }
      | null
      | undefined,
  ) => node?.directives?.find(({ name }) => name.value === 'preset')?.arguments?.[0]?.value;
  const check = (
    wanted: Parameters<typeof print>[0] | undefined,
    given: Parameters<typeof print>[0] | undefined,
  ) => {
    if (!wanted) return;
    found += 1;
    const text = given && print(given);
    if (print(wanted) === '"x-engine-x"') expect(variables.get(text!.slice(1))).toBe('"of the session"');
    else expect(text).toBe(print(wanted));
  };
  const checkObject = (node: ObjectValueNode) => {
    const type = info.getInputType();
    const named = type && 'getFields' in type ? type : undefined;
    for (const field of Object.values(named?.getFields() ?? {}))
      check(presetOf(field.astNode), node.fields.find(({ name }) => name.value === field.name)?.value);
  };
  visit(
    document,
    visitWithTypeInfo(info, {
      enter: (node) => {
        if (node.kind === Kind.OBJECT) checkObject(node);
        if (node.kind !== Kind.FIELD) return;
        for (const argument of info.getFieldDef()?.args ?? [])
          check(
            presetOf(argument.astNode),
            node.arguments?.find(({ name }) => name.value === argument.name)?.value,
          );
      },
    }),
  );
  return found;
}
