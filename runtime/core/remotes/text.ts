/**
 * Prints selections for another server, with places for values. The text is built from the role's own types, field by field
 * and value by value. No text of the client is passed on.
 */
import { Kind, print as printAst, type TypeNode } from 'graphql';
import { hiddenFields, NOTHING_SELECTED, refuseHidden } from '../join/join.ts';
import { type InputNode, isLeaf, type SelectedField, type Selection } from '../request/selection.ts';
import type { ParameterSource } from '../sql/fragment.ts';
import { NumberText } from '../types.ts';
import type { ReadRemoteKey } from './key.ts';

/** A value that is sent beside the text, as a variable. */
export interface RemoteVariable {
  /** Its name on the other server. */
  readonly type: string;
  readonly source: ParameterSource;
  /** The type that the text of a session variable is converted to. */
  readonly coerce?: SessionCoercion;
  /** The value is a list, and each of its items a variable of the type, followed by a comma. */
  readonly isSpread?: true;
}

export type SessionCoercion = 'Int' | 'Float' | 'Boolean' | 'String' | { readonly enum: readonly string[] };

/** A value of the left side of a join. */
export interface RemoteKey {
  readonly key: number;
  readonly type: string;
  /** Its values as the argument takes them. */
  readonly read: ReadRemoteKey;
}

/** Pieces of a text for another server. */
export type RemoteText = readonly (string | RemoteVariable | RemoteKey)[];

/** A value that is always sent, and that the client cannot give. */
export interface RemotePreset {
  readonly name: string;
  readonly value: RemoteText;
}

/** Facts about a field of another server beyond its definition. */
export interface RemoteFieldMeaning {
  /** Its name on the other server. */
  readonly name: string;
  /** Types of arguments, preset ones too, as the other server names them. */
  readonly arguments: ReadonlyMap<string, TypeNode>;
  readonly presets: readonly RemotePreset[];
  /** Sent where the client leaves the argument out: defaults of input objects with presets in them. */
  readonly defaults: readonly RemotePreset[];
}

export interface RemoteNaming {
  /** Names of types as the other server has them. */
  readonly originalType: (name: string) => string;
  /** Arguments that are null are left out. */
  readonly skipNulls?: boolean | undefined;
}

/** ` { a  b { c  }  }`, or a space for a field without a selection; a field is followed by a space. */
export function selectionText(selection: Selection, names: RemoteNaming): RemoteText {
  const items = selection.items ?? selection.fields;
  if (isLeaf(selection)) return [' '];
  // A selection has a field: one that is skipped, or whose fragments do not apply, may have none left.
  if (items.length === 0) return [` { ${aliased(NOTHING_SELECTED, '__typename')} }`];
  const parts: (string | RemoteVariable | RemoteKey)[] = [' { '];
  for (const [index, item] of items.entries()) {
    if (index > 0) parts.push(' ');
    if ('responseName' in item) parts.push(...fieldText(item, selection, names));
    else parts.push(`... on ${names.originalType(item.typeName)}`, ...selectionText(item, names));
  }
  parts.push(' }');
  return parts;
}

function fieldText(field: SelectedField, selection: Selection, names: RemoteNaming): RemoteText {
  const { responseName, definition } = field;
  const { meaning } = definition;
  refuseHidden(field);
  switch (meaning.kind) {
    case 'typename':
      return [`${aliased(responseName, '__typename')} `];
    case 'join':
      return [
        hiddenFields(selection, field, meaning.join)
          .map((name, index) => `${name}: ${meaning.join.keys[index]?.name ?? '__typename'} `)
          .join(' '),
      ];
    case 'remote':
      return [aliased(responseName, meaning.field.name), ...calledText(field, meaning.field, names)];
    default:
      throw new Error(`another server has no ${meaning.kind}`);
  }
}

export function aliased(responseName: string, name: string): string {
  return responseName === name ? name : `${responseName}: ${name}`;
}

/** Arguments and selection of a field. */
export function calledText(
  field: SelectedField,
  meaning: RemoteFieldMeaning,
  names: RemoteNaming,
): RemoteText {
  const given = givenArguments(field, meaning).filter(
    ({ name }) => !(names.skipNulls && field.arguments.get(name)!.kind === 'null'),
  );
  const missing = meaning.defaults.filter(({ name }) => !field.arguments.has(name));
  return [
    ...argumentsText([...given, ...missing, ...meaning.presets]),
    ...selectionText(field.selection, names),
  ];
}

/** Arguments of the client. */
export function givenArguments(
  { arguments: given }: SelectedField,
  meaning: Pick<RemoteFieldMeaning, 'arguments'>,
): RemotePreset[] {
  return [...given].map(([name, node]) => ({ name, value: valueText(node, meaning.arguments.get(name)!) }));
}

/** `(a: 1, b: 2)`, or nothing. */
export function argumentsText(list: readonly RemotePreset[]): RemoteText {
  if (list.length === 0) return [];
  return ['(', ...membersText(list), ')'];
}

function membersText(list: readonly RemotePreset[]): RemoteText {
  return list.flatMap(({ name, value }, index) => [`${index > 0 ? ', ' : ''}${name}: `, ...value]);
}

/** Prints a value of the request: structure, enum values and booleans as text, scalars of variables as variables. */
export function valueText(node: InputNode, type: TypeNode): RemoteText {
  switch (node.kind) {
    case 'null':
      return ['null'];
    case 'enum':
      return [node.name];
    case 'boolean':
      return [String(node.value)];
    case 'list': {
      const item = itemType(type);
      return listText(node.items.map((each) => valueText(each, item)));
    }
    case 'object':
      return objectText(objectMembers(node));
    case 'scalar':
      return node.source.from === 'constant'
        ? [literalText(node.source.value)]
        : [{ type: printAst(type), source: node.source }];
  }
}

/** Members of an input object: those that the client gives, then its presets. */
export function objectMembers(node: Extract<InputNode, { kind: 'object' }>): RemotePreset[] {
  const definitions = node.type.fields();
  const given = [...node.fields].map(([name, field]): RemotePreset => {
    const { meaning } = definitions.get(name)!;
    if (meaning.kind !== 'remote') throw new Error(`${name} is not an input of another server`);
    return { name, value: valueText(field, meaning.type) };
  });
  return [...given, ...(node.type.presets?.() ?? [])];
}

export function objectText(members: readonly RemotePreset[]): RemoteText {
  return ['{', ...membersText(members), '}'];
}

export function listText(items: readonly RemoteText[]): RemoteText {
  return ['[', ...items.flatMap((item, index) => (index > 0 ? [', ', ...item] : item)), ']'];
}

/** The type of a list's items; of anything else the type itself. */
export function itemType(type: TypeNode): TypeNode {
  if (type.kind === Kind.NON_NULL_TYPE) return itemType(type.type);
  return type.kind === Kind.LIST_TYPE ? type.type : type;
}

/** A value as a GraphQL literal. */
export function literalText(value: unknown): string {
  if (value instanceof NumberText) return value.text;
  if (Array.isArray(value)) return `[${value.map(literalText).join(', ')}]`;
  if (typeof value === 'object' && value !== null) {
    const members = Object.entries(value).map(([name, item]) => `${name}: ${literalText(item)}`);
    return `{${members.join(', ')}}`;
  }
  return JSON.stringify(value ?? null);
}

/** Pieces with neighbouring texts put together. */
export function compact(text: RemoteText): RemoteText {
  const parts: (string | RemoteVariable | RemoteKey)[] = [];
  for (const part of text) {
    const last = parts.at(-1);
    if (typeof part === 'string' && typeof last === 'string') parts[parts.length - 1] = last + part;
    else parts.push(part);
  }
  return parts;
}
