/** Actions for the console: the definition as GraphQL text, read and printed as in `actions.graphql`, and how to answer and to call one. */
import type { DescribeAction } from '../../runtime/console/preview-change.ts';
import type { ActionAnswer, ReadAction } from '../../runtime/console/services-questions.ts';
import type { ActionsProgram } from '../../runtime/core/action/shapes.ts';
import type { JsonObject } from '../../runtime/core/json/json.ts';
import { customTypes } from '../../runtime/metadata/kinds/custom-types.ts';
import type { Action, CustomTypes, Metadata } from '../../runtime/metadata/metadata.ts';
import { printSignatures } from '../cli/metadata-folder.ts';
import type { CompileResult } from '../index.ts';
import { mergeActions, type TypeKind, typeKinds } from '../phases/1-read/actions-sdl.ts';
import { baseType } from '../phases/3-resolve/custom-types.ts';

type WrittenTypes = Readonly<Record<TypeKind, readonly WrittenType[]>>;
interface WrittenType {
  readonly name: string;
  readonly fields?: readonly Typed[];
}
interface Typed {
  readonly name: string;
  readonly type: string;
}
interface Signature {
  readonly arguments: readonly Typed[];
  readonly output_type: string;
  readonly type: 'query' | 'mutation';
}

export const describeAction: DescribeAction = async ({ metadata, compilation }, name, text) => {
  const given = customTypes.write(metadata.custom_types) as unknown as Partial<WrittenTypes>;
  const types = byKind((kind) => given[kind] ?? []);
  const action = metadata.actions.find((each) => each.name === name);
  return {
    ...(action && (await described(action, metadata, types, compilation as CompileResult))),
    ...(text !== undefined && { read: read(text, metadata, types, name) }),
  };
};

async function described(
  action: Action,
  { actions, custom_types }: Metadata,
  types: WrittenTypes,
  { state }: CompileResult,
): Promise<ActionAnswer> {
  const used = namesOf([action.definition], types);
  const others = actions.filter((each) => each !== action).map(({ definition }) => definition);
  return {
    definition: printSignatures([action], only(custom_types, used)),
    call: callOf(action, types),
    ...remainingOf(types, minus(used, namesOf(others, types))),
    ...(await handlerOf(state.plan.actions, action.name, used)),
  };
}

/** Names of the types that signatures use, those within types included. */
function namesOf(signatures: readonly Pick<Signature, 'arguments' | 'output_type'>[], types: WrittenTypes) {
  const fields = new Map(
    typeKinds.flatMap((kind) => types[kind].map((type) => [type.name, type.fields ?? []])),
  );
  const found = new Set<string>();
  const visit = (type: string) => {
    const name = baseType(type);
    if (found.has(name) || !fields.has(name)) return;
    found.add(name);
    for (const field of fields.get(name)!) visit(field.type);
  };
  for (const { arguments: args, output_type } of signatures)
    for (const type of [...args.map((each) => each.type), output_type]) visit(type);
  return found;
}

function only(types: CustomTypes, names: ReadonlySet<string>): CustomTypes {
  const used = byKind<object>((kind) => types[kind].filter(({ name }) => names.has(name)));
  return { ...types, ...used } as CustomTypes;
}

/** The meaning of a text. @param former name of the action that it takes the place of */
function read(
  text: string,
  { actions }: Metadata,
  before: WrittenTypes,
  former: string | undefined,
): ReadAction | { problem: string } {
  const diagnostics: Parameters<typeof mergeActions>[3] = [];
  const merged = mergeActions(text, 'the definition', undefined, diagnostics).value;
  const [problem] = diagnostics;
  if (problem) {
    const { line, column } = problem.location ?? { line: 1, column: 1 };
    return { problem: `line ${line}, column ${column}: ${problem.message}` };
  }
  const [action, ...others] = merged.actions as readonly { name: string; definition: Signature }[];
  if (!action || others.length > 0)
    return {
      problem: `The text defines ${action ? others.length + 1 : 'no'} actions. Write one field of type Query or of type Mutation.`,
    };
  const given = merged.custom_types as WrittenTypes;
  const types = byKind((kind) => merge(before[kind], given[kind]));
  const ended = actions.filter(({ name }) => name === (former ?? action.name));
  const kept = actions.filter(({ name }) => name !== former && name !== action.name);
  const used = namesOf(
    [...kept, action].map(({ definition }) => definition),
    types,
  );
  const unused = minus(
    namesOf(
      ended.map(({ definition }) => definition),
      before,
    ),
    used,
  );
  const written = new Set(typeKinds.flatMap((kind) => given[kind].map(({ name }) => name)));
  return {
    name: action.name,
    signature: action.definition as unknown as JsonObject,
    types: types as unknown as JsonObject,
    ...remainingOf(types, minus(unused, written)),
  };
}

function minus(names: ReadonlySet<string>, others: ReadonlySet<string>): ReadonlySet<string> {
  return new Set([...names].filter((name) => !others.has(name)));
}

/** Arguments of `set_custom_types` without types that nothing uses any more, as `remaining`; no key if every type is used. */
function remainingOf(types: WrittenTypes, unused: ReadonlySet<string>): Pick<ReadAction, 'remaining'> {
  if (unused.size === 0) return {};
  const remaining = byKind((kind) => types[kind].filter(({ name }) => !unused.has(name)));
  return { remaining: remaining as unknown as JsonObject };
}

function byKind<Type>(of: (kind: TypeKind) => readonly Type[]): Readonly<Record<TypeKind, readonly Type[]>> {
  return Object.fromEntries(typeKinds.map((kind) => [kind, of(kind)])) as Record<TypeKind, readonly Type[]>;
}

/** Types of the text take the place of those of their name; what the text does not say of them, such as relationships, is kept. */
function merge(known: readonly WrittenType[], given: readonly WrittenType[]): WrittenType[] {
  const names = new Set(known.map(({ name }) => name));
  return [
    ...known.map((type) => ({ ...type, ...given.find(({ name }) => name === type.name) })),
    ...given.filter(({ name }) => !names.has(name)),
  ];
}

/** An operation with a variable for each argument, and every field of the answer that has no fields, or whose type was not met before. */
function callOf({ name, definition }: Action, types: WrittenTypes): NonNullable<ActionAnswer['call']> {
  const { arguments: args, output_type, type, kind } = definition;
  const variables = args.map((each) => `$${each.name}: ${each.type}`).join(', ');
  const given = args.map((each) => `${each.name}: $${each.name}`).join(', ');
  const objects = new Map(types.objects.map((each) => [each.name, each.fields ?? []]));
  const selection = (of: string, above: readonly string[]): string => {
    const fields = objects.get(baseType(of));
    if (!fields) return '';
    const shown = fields.flatMap((field) => {
      const target = baseType(field.type);
      return above.includes(target) ? [] : [`${field.name}${selection(field.type, [...above, target])}`];
    });
    return ` { ${shown.join(' ') || '__typename'} }`;
  };
  const answer = kind === 'asynchronous' ? '' : selection(output_type, [baseType(output_type)]);
  return {
    query: `${type} ${name}${variables && `(${variables})`} {\n  ${name}${given && `(${given})`}${answer}\n}`,
    variables: Object.fromEntries(args.map((each) => [each.name, null])),
  };
}

/** TypeScript for its handler, where it can be served. @param used types of its signature */
async function handlerOf(
  program: ActionsProgram | undefined,
  name: string,
  used: ReadonlySet<string>,
): Promise<Pick<ActionAnswer, 'handler'>> {
  const action = program?.actions.find((each) => each.name === name);
  if (!program || !action) return {};
  const pick = <Shape>(shapes: Readonly<Record<string, Shape>> = {}) =>
    Object.fromEntries(Object.entries(shapes).filter(([type]) => used.has(type)));
  const { scalars, enums, inputs, objects } = program.types;
  const types = {
    ...program.types,
    ...{ scalars: pick(scalars), enums: pick(enums), inputs: pick(inputs), objects: pick(objects) },
  };
  // Printing types loads packages that nothing else of the console needs.
  const { handlerTypes, handlerStub } = await import('../cli/action-types.ts');
  return { handler: { types: await handlerTypes({ types, actions: [action] }), stub: handlerStub(action) } };
}
