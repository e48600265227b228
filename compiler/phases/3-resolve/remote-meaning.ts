/**
 * What parts of SDL mean, as texts that are equal for equal meanings: order, layout, descriptions and spellings do not count.
 * @rule When do two pieces of a remote schema's SDL mean the same?
 */

import {
  type ConstDirectiveNode,
  type ConstValueNode,
  type InputValueDefinitionNode,
  Kind,
  type TypeNode,
} from 'graphql';
import { BUILT_IN_SCALARS } from '../../../runtime/core/names.ts';
import { isOneOf, type RemoteDocument, type TypeDefinition } from '../../../runtime/core/remotes/document.ts';
import { isStatic, presetOf } from '../../../runtime/core/remotes/preset.ts';
import { type ObjectType, printType } from '../../../runtime/core/schema/types.ts';
import type { Vocabulary } from '../../../runtime/core/vocabulary.ts';

/** Names of types and fields as clients see them. */
export interface ServedNames {
  readonly type: (name: string) => string;
  readonly field: (type: string, field: string) => string;
}

const AS_WRITTEN: ServedNames = { type: (name) => name, field: (_, field) => field };

/** The meaning of a whole document: its roots and types. */
export function documentMeaning(document: RemoteDocument, vocabulary: Vocabulary): string {
  const types = [...document.types].filter(([name]) => !BUILT_IN_SCALARS.has(name));
  const entries = types.map(
    ([name, type]) => [name, typeMeaning(type, document, AS_WRITTEN, vocabulary)] as const,
  );
  return JSON.stringify([sorted(Object.entries(document.roots)), sorted(entries)]);
}

/** The structure of a type, without its name. @param vocabulary of a role's presets; remote schemas themselves have none */
export function typeMeaning(
  definition: TypeDefinition,
  document: RemoteDocument,
  names: ServedNames,
  vocabulary?: Vocabulary,
): string {
  const own = definition.name.value;
  const inputs = (list: readonly InputValueDefinitionNode[] = []) =>
    sorted(
      list.map((input) => [input.name.value, inputMeaning(input, document, names, vocabulary)] as const),
    );
  switch (definition.kind) {
    case Kind.OBJECT_TYPE_DEFINITION:
    case Kind.INTERFACE_TYPE_DEFINITION: {
      const interfaces = (definition.interfaces ?? []).map(({ name }) => names.type(name.value));
      const fields = (definition.fields ?? []).map(
        ({ name, type, arguments: args }) =>
          [names.field(own, name.value), [reference(type, names), inputs(args)]] as const,
      );
      return JSON.stringify([definition.kind, interfaces.sort(), sorted(fields)]);
    }
    case Kind.UNION_TYPE_DEFINITION:
      return JSON.stringify([
        'union',
        (definition.types ?? []).map(({ name }) => names.type(name.value)).sort(),
      ]);
    case Kind.ENUM_TYPE_DEFINITION:
      return JSON.stringify(['enum', (definition.values ?? []).map(({ name }) => name.value).sort()]);
    case Kind.INPUT_OBJECT_TYPE_DEFINITION:
      return JSON.stringify(['input', isOneOf(definition), inputs(definition.fields)]);
    case Kind.SCALAR_TYPE_DEFINITION:
      return '"scalar"';
  }
}

/** As `typeMeaning`, of an object type that is served. */
export function objectMeaning({ fields }: ObjectType): string {
  const shown = [...fields().values()].filter(({ name }) => !name.startsWith('__'));
  const entries = shown.map(({ name, type, arguments: args }) => {
    const inputs = [...args.values()].map(
      (argument) => [argument.name, [printType(argument.type), argument.defaultValue ?? null, null]] as const,
    );
    return [name, [printType(type), sorted(inputs)]] as const;
  });
  return JSON.stringify([Kind.OBJECT_TYPE_DEFINITION, [], sorted(entries)]);
}

function inputMeaning(
  input: InputValueDefinitionNode,
  document: RemoteDocument,
  names: ServedNames,
  vocabulary: Vocabulary | undefined,
): unknown {
  const preset = presetOf(input);
  return [
    reference(input.type, names),
    input.defaultValue ? defaultMeaning(input.defaultValue, input.type, document) : null,
    preset ? presetMeaning(preset, input.type, document, vocabulary) : null,
  ];
}

/** The type as clients write it. */
function reference(type: TypeNode, names: ServedNames): string {
  if (type.kind === Kind.NON_NULL_TYPE) return `${reference(type.type, names)}!`;
  return type.kind === Kind.LIST_TYPE ? `[${reference(type.type, names)}]` : names.type(type.name.value);
}

function presetMeaning(
  preset: ConstDirectiveNode,
  type: TypeNode,
  document: RemoteDocument,
  vocabulary: Vocabulary | undefined,
): unknown {
  const value = preset.arguments?.find(({ name }) => name.value === 'value')?.value;
  return value ? meaningOf(value, type, document, isStatic(preset) ? undefined : vocabulary) : null;
}

/** The value that a default stands for at a type. */
export function defaultMeaning(value: ConstValueNode, type: TypeNode, document: RemoteDocument): string {
  return JSON.stringify(meaningOf(value, type, document, undefined));
}

/** @param vocabulary a text may name a session variable of it */
function meaningOf(
  value: ConstValueNode,
  type: TypeNode,
  document: RemoteDocument,
  vocabulary: Vocabulary | undefined,
): unknown {
  if (type.kind === Kind.NON_NULL_TYPE) return meaningOf(value, type.type, document, vocabulary);
  if (value.kind === Kind.NULL) return null;
  if (type.kind === Kind.LIST_TYPE) {
    const items = value.kind === Kind.LIST ? value.values : [value];
    return items.map((item) => meaningOf(item, type.type, document, vocabulary));
  }
  const name = type.name.value;
  const definition = document.types.get(name);
  const session = value.kind === Kind.STRING ? vocabulary?.toCanonical(value.value) : undefined;
  if (session !== undefined) return { session };
  if (definition?.kind === Kind.INPUT_OBJECT_TYPE_DEFINITION && value.kind === Kind.OBJECT) {
    const given = new Map(value.fields.map((field) => [field.name.value, field.value]));
    const members = (definition.fields ?? []).flatMap((field) => {
      const found = given.get(field.name.value) ?? field.defaultValue;
      given.delete(field.name.value);
      return found ? [[field.name.value, meaningOf(found, field.type, document, vocabulary)] as const] : [];
    });
    const unknown = [...given].map(([key, each]) => [key, plainMeaning(each)] as const);
    return sorted([...members, ...unknown]);
  }
  if (
    definition?.kind === Kind.ENUM_TYPE_DEFINITION &&
    (value.kind === Kind.ENUM || value.kind === Kind.STRING)
  )
    return { enum: value.value };
  if (name === 'ID' && (value.kind === Kind.INT || value.kind === Kind.STRING)) return value.value;
  return plainMeaning(value);
}

/** Of a value whose type says nothing about it. */
function plainMeaning(value: ConstValueNode): unknown {
  switch (value.kind) {
    case Kind.INT:
    case Kind.FLOAT:
      return { number: numberMeaning(value.value) };
    case Kind.STRING:
    case Kind.BOOLEAN:
      return value.value;
    case Kind.ENUM:
      return { enum: value.value };
    case Kind.NULL:
      return null;
    case Kind.LIST:
      return value.values.map(plainMeaning);
    case Kind.OBJECT:
      return sorted(value.fields.map((field) => [field.name.value, plainMeaning(field.value)] as const));
  }
}

/** Equal for `1`, `1.0` and `10e-1`; all digits count. */
function numberMeaning(text: string): string {
  const [, sign, whole = '', fraction = '', exponent = '0'] =
    /^(-?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/.exec(text)!;
  const digits = (whole + fraction).replace(/^0+/, '');
  const significant = digits.replace(/0+$/, '');
  if (significant === '') return '0';
  const power = Number(exponent) - fraction.length + digits.length - significant.length;
  return `${sign}${significant}e${power}`;
}

function sorted<Value>(entries: readonly (readonly [string, Value])[]): (readonly [string, Value])[] {
  return [...entries].sort(([left], [right]) => (left < right ? -1 : 1));
}
