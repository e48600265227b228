/**
 * Checks a role's part of a remote schema: it must be a subset of the schema, and its presets must fit.
 * @rule Which part of a remote schema may a role see?
 */

import {
  type ConstDirectiveNode,
  type DocumentNode,
  type EnumTypeDefinitionNode,
  type FieldDefinitionNode,
  GraphQLError,
  type InputValueDefinitionNode,
  Kind,
  print as printAst,
} from 'graphql';
import { parseGraphql } from '../../../runtime/core/graphql-text.ts';
import { BUILT_IN_SCALARS, quotedWordList } from '../../../runtime/core/names.ts';
import { graphqlProblem } from '../../../runtime/core/reasons.ts';
import {
  indexDocument,
  isOneOf,
  type RemoteDocument,
  type TypeDefinition,
} from '../../../runtime/core/remotes/document.ts';
import { presetOf } from '../../../runtime/core/remotes/preset.ts';
import type { Vocabulary } from '../../../runtime/core/vocabulary.ts';
import { repeats } from './custom-types.ts';
import { defaultMeaning } from './remote-meaning.ts';
import { presetProblems } from './remote-preset.ts';

const PRESET = 'preset';

const KINDS: Readonly<Record<TypeDefinition['kind'], string>> = {
  [Kind.OBJECT_TYPE_DEFINITION]: 'Object',
  [Kind.INTERFACE_TYPE_DEFINITION]: 'Interface',
  [Kind.UNION_TYPE_DEFINITION]: 'Union',
  [Kind.ENUM_TYPE_DEFINITION]: 'Enum',
  [Kind.INPUT_OBJECT_TYPE_DEFINITION]: 'Input object',
  [Kind.SCALAR_TYPE_DEFINITION]: 'Scalar',
};

/** A role's part, with the vocabulary of its presets. */
export interface RoleDocument extends RemoteDocument {
  readonly vocabulary: Vocabulary;
}

/** All problems, in the order of the document. */
export function permissionProblems(sdl: string, upstream: RemoteDocument, vocabulary: Vocabulary): string[] {
  let document: DocumentNode;
  try {
    document = parseGraphql(sdl);
  } catch (error) {
    if (error instanceof GraphQLError) return [`the schema is not GraphQL: ${graphqlProblem(error)}`];
    throw error;
  }
  const role = { ...indexDocument(document), vocabulary };
  const problems: string[] = [];
  const blocks = document.definitions.filter(({ kind }) => kind === Kind.SCHEMA_DEFINITION);
  if (blocks.length > 1) problems.push('multiple schema definitions found');
  const types = document.definitions.filter(isType);
  const repeated = repeats(types.map(({ name }) => name.value));
  if (repeated.length > 0) problems.push(`duplicate type names found: ${quotedWordList(repeated)}`);
  for (const [root, name] of Object.entries(role.roots)) {
    const type = role.types.get(name);
    if (type?.kind !== Kind.OBJECT_TYPE_DEFINITION) problems.push(`"${name}" has to be an object type`);
    else if (upstream.roots[root as 'query'] !== name)
      problems.push(`"${name}" is not the ${root} type of the upstream remote schema`);
  }
  if (!Object.hasOwn(role.roots, 'query') && !Object.hasOwn(role.roots, 'mutation'))
    problems.push('"Query" has to be an object type');
  for (const type of types) {
    problems.push(...typeProblems(type, upstream, role));
  }
  return [...new Set(problems)];
}

function isType(definition: DocumentNode['definitions'][number]): definition is TypeDefinition {
  return Object.hasOwn(KINDS, definition.kind);
}

function typeProblems(type: TypeDefinition, upstream: RemoteDocument, role: RoleDocument): string[] {
  const name = type.name.value;
  const kind = KINDS[type.kind];
  const problems: string[] = [];
  const found = upstream.types.get(name);
  const place = `"${kind}" "${name}"`;
  problems.push(
    ...directiveProblems(type.directives, place, `the type name: "${name}" of type "${kind}"`, upstream),
  );
  if (type.kind === Kind.SCALAR_TYPE_DEFINITION && BUILT_IN_SCALARS.has(name)) return problems;
  if (found?.kind !== type.kind) {
    problems.push(`"${kind}": "${name}" does not exist in the upstream remote schema`);
    if (type.kind === Kind.OBJECT_TYPE_DEFINITION) problems.push(...interfaceProblems(type, undefined, role));
    return problems;
  }
  switch (type.kind) {
    case Kind.OBJECT_TYPE_DEFINITION:
      problems.push(...interfaceProblems(type, found as typeof type, role));
      problems.push(
        ...fieldsProblems(type.fields, (found as typeof type).fields, kind, name, upstream, role),
      );
      return problems;
    case Kind.INTERFACE_TYPE_DEFINITION:
      problems.push(
        ...fieldsProblems(type.fields, (found as typeof type).fields, kind, name, upstream, role),
      );
      return problems;
    case Kind.UNION_TYPE_DEFINITION: {
      const known = new Set((found as typeof type).types?.map((member) => member.name.value));
      const unknown = (type.types ?? [])
        .map((member) => member.name.value)
        .filter((each) => !known.has(each));
      if (unknown.length > 0)
        problems.push(
          `union "${name}" contains members which do not exist in the members of the remote schema union :${quotedWordList(unknown)}`,
        );
      return problems;
    }
    case Kind.ENUM_TYPE_DEFINITION:
      return [...problems, ...enumProblems(type, found as typeof type)];
    case Kind.INPUT_OBJECT_TYPE_DEFINITION:
      return [...problems, ...inputsProblems(type, found as typeof type, upstream, role)];
    case Kind.SCALAR_TYPE_DEFINITION:
      return problems;
  }
}

function enumProblems(type: EnumTypeDefinitionNode, found: EnumTypeDefinitionNode): string[] {
  const name = type.name.value;
  const values = (type.values ?? []).map((value) => value.name.value);
  const known = new Set(found.values?.map((value) => value.name.value));
  const repeated = repeats(values);
  const unknown = values.filter((value) => !known.has(value));
  return [
    ...(repeated.length > 0
      ? [`duplicate enum values: ${quotedWordList(repeated)} found in the "${name}" enum`]
      : []),
    ...(unknown.length > 0
      ? [
          `enum "${name}" contains the following enum values that do not exist in the corresponding upstream remote enum: ${quotedWordList(unknown)}`,
        ]
      : []),
  ];
}

type ObjectNode = Extract<TypeDefinition, { kind: Kind.OBJECT_TYPE_DEFINITION }>;

function interfaceProblems(type: ObjectNode, found: ObjectNode | undefined, role: RoleDocument): string[] {
  const names = (type.interfaces ?? []).map(({ name }) => name.value);
  const known = new Set(found?.interfaces?.map(({ name }) => name.value));
  const custom = names.filter((name) => !known.has(name) && role.types.has(name));
  const missing = names.filter((name) => !known.has(name) && !role.types.has(name));
  const object = type.name.value;
  return [
    ...(custom.length > 0
      ? [
          `custom interfaces are not supported. Object${JSON.stringify(object)} implements the following custom interfaces: ${quotedWordList(custom)}`,
        ]
      : []),
    ...(missing.length > 0
      ? [
          `object "${object}" is trying to implement the following interfaces that do not exist in the corresponding upstream remote object: ${quotedWordList(missing)}`,
        ]
      : []),
  ];
}

function fieldsProblems(
  fields: readonly FieldDefinitionNode[] = [],
  upstreamFields: readonly FieldDefinitionNode[] = [],
  kind: string,
  type: string,
  upstream: RemoteDocument,
  role: RoleDocument,
): string[] {
  const problems: string[] = [];
  const repeated = repeats(fields.map(({ name }) => name.value));
  if (repeated.length > 0)
    problems.push(`duplicate fields: ${quotedWordList(repeated)}found in the "${kind}" "${type}"`);
  for (const field of fields) {
    const name = field.name.value;
    problems.push(
      ...directiveProblems(
        field.directives,
        `"Field" "${name}"`,
        `the type name: "${name}" of type "Field"`,
        upstream,
      ),
    );
    const found = upstreamFields.find((each) => each.name.value === name);
    if (!found) {
      problems.push(`field "${name}" does not exist in the "${kind}": "${type}"`);
      continue;
    }
    problems.push(...typeDiffers(name, `${kind} field`, found, field));
    problems.push(...argumentProblems(field, found, upstream, role));
  }
  return problems;
}

function argumentProblems(
  field: FieldDefinitionNode,
  found: FieldDefinitionNode,
  upstream: RemoteDocument,
  role: RoleDocument,
): string[] {
  const problems: string[] = [];
  const name = field.name.value;
  const given = field.arguments ?? [];
  const repeated = repeats(given.map((argument) => argument.name.value));
  if (repeated.length > 0)
    problems.push(`duplicate arguments: ${quotedWordList(repeated)}found in the field: "${name}"`);
  const missing = (found.arguments ?? []).filter(
    ({ type, name: argument }) =>
      type.kind === Kind.NON_NULL_TYPE && !given.some((each) => each.name.value === argument.value),
  );
  if (missing.length > 0)
    problems.push(
      `field: "${name}" expects the following non nullable arguments to be present: ${quotedWordList(missing.map((each) => each.name.value))}`,
    );
  for (const argument of given) {
    const known = found.arguments?.find((each) => each.name.value === argument.name.value);
    if (!known)
      problems.push(`input argument "${argument.name.value}" does not exist in the input object:"${name}"`);
    else problems.push(...inputProblems(argument, known, name, upstream, role));
  }
  return problems;
}

type InputNode = Extract<TypeDefinition, { kind: Kind.INPUT_OBJECT_TYPE_DEFINITION }>;

function inputsProblems(
  type: InputNode,
  found: InputNode,
  upstream: RemoteDocument,
  role: RoleDocument,
): string[] {
  const problems: string[] = [];
  const name = type.name.value;
  const given = type.fields ?? [];
  if (isOneOf(type) !== isOneOf(found))
    problems.push(
      `input object "${name}" ${isOneOf(found) ? 'is a one-of input: it needs @oneOf' : 'is no one-of input'}`,
    );
  if (isOneOf(found) && given.length === 0)
    problems.push(`input object "${name}" is a one-of input: one of its fields has to be left`);
  if (isOneOf(found) && given.length > 1 && given.some(presetOf))
    problems.push(
      `input object "${name}" is a one-of input: a preset of one of its fields leaves no other field to be given`,
    );
  const repeated = repeats(given.map((field) => field.name.value));
  if (repeated.length > 0)
    problems.push(`duplicate fields: ${quotedWordList(repeated)}found in the "Input object" "${name}"`);
  const missing = (found.fields ?? []).filter(
    (field) =>
      field.type.kind === Kind.NON_NULL_TYPE && !given.some((each) => each.name.value === field.name.value),
  );
  if (missing.length > 0)
    problems.push(
      `field: "${name}" expects the following non nullable arguments to be present: ${quotedWordList(missing.map((each) => each.name.value))}`,
    );
  for (const field of given) {
    const known = found.fields?.find((each) => each.name.value === field.name.value);
    if (!known)
      problems.push(`input argument "${field.name.value}" does not exist in the input object:"${name}"`);
    else problems.push(...inputProblems(field, known, name, upstream, role));
  }
  return problems;
}

/** Problems of an argument or of a field of an input object. */
function inputProblems(
  input: InputValueDefinitionNode,
  known: InputValueDefinitionNode,
  owner: string,
  upstream: RemoteDocument,
  role: RoleDocument,
): string[] {
  const name = input.name.value;
  const presets = (input.directives ?? []).filter((directive) => directive.name.value === PRESET);
  const others = (input.directives ?? []).filter((directive) => directive.name.value !== PRESET);
  const problems = [
    ...directiveProblems(
      others,
      `"Input object argument" "${name}"`,
      `the type name: "${name}" of type "Input object argument"`,
      upstream,
    ),
    ...typeDiffers(name, 'Input object argument', known, input),
  ];
  const [wanted, found] = [known, input].map(({ defaultValue }) =>
    defaultValue ? defaultMeaning(defaultValue, known.type, upstream) : '',
  );
  if (wanted !== found) {
    const [expected, received] = [known, input].map(({ defaultValue }) =>
      defaultValue ? printAst(defaultValue) : '',
    );
    problems.push(
      `expected default value of input value: "${name}"of input object "${owner}" to be ${expected} but received ${received}`,
    );
  }
  if (presets.length > 1)
    problems.push(`found multiple preset directives at "Input object argument" "${name}"`);
  else if (presets[0]) problems.push(...presetProblems(presets[0], input, role));
  return problems;
}

function typeDiffers(
  name: string,
  kind: string,
  known: { readonly type: FieldDefinitionNode['type'] },
  given: { readonly type: FieldDefinitionNode['type'] },
): string[] {
  const [wanted, found] = [printAst(known.type), printAst(given.type)];
  return wanted === found
    ? []
    : [`expected type of "${name}"(${JSON.stringify(kind)}) to be ${wanted} but received ${found}`];
}

const STANDARD: Readonly<Record<string, readonly string[]>> = {
  deprecated: ['reason'],
  oneOf: [],
  specifiedBy: ['url'],
  include: ['if'],
  skip: ['if'],
};

function directiveProblems(
  directives: readonly ConstDirectiveNode[] = [],
  place: string,
  owner: string,
  { document }: RemoteDocument,
): string[] {
  const problems: string[] = [];
  const repeated = repeats(directives.map(({ name }) => name.value));
  if (repeated.length > 0)
    problems.push(`duplicate directives: ${quotedWordList(repeated)}found in the ${place}`);
  for (const directive of directives) {
    const name = directive.name.value;
    if (name === PRESET) {
      problems.push('Preset directives can be defined only on INPUT_FIELD_DEFINITION or ARGUMENT_DEFINITION');
      continue;
    }
    const known = document.definitions.find(
      (each) => each.kind === Kind.DIRECTIVE_DEFINITION && each.name.value === name,
    );
    const standard = Object.hasOwn(STANDARD, name) ? STANDARD[name] : undefined;
    if (known?.kind !== Kind.DIRECTIVE_DEFINITION && !standard) {
      problems.push(`"Directive": "${name}" does not exist in the upstream remote schema`);
      continue;
    }
    const names = new Set(
      known?.kind === Kind.DIRECTIVE_DEFINITION
        ? known.arguments?.map((argument) => argument.name.value)
        : standard,
    );
    const unknown = (directive.arguments ?? [])
      .map((each) => each.name.value)
      .filter((each) => !names.has(each));
    if (unknown.length > 0)
      problems.push(
        `the following directive argument(s) defined in the directive: "${name}" defined with ${owner} do not exist in the corresponding upstream directive: ${quotedWordList(unknown)}`,
      );
  }
  return problems;
}
