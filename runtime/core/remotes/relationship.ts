/** Fields that lead elsewhere: to a field of a remote schema, or to a table of another source. */

import { Kind, print as printAst, type TypeNode } from 'graphql';
import type { JoinField, JoinKey } from '../join/join.ts';
import { computedFieldSql } from '../query/computed.ts';
import { remember } from '../remember.ts';
import type { InputNode, SelectedField } from '../request/selection.ts';
import type { RoleSchema } from '../schema/role-schema.ts';
import {
  type ArgumentDefinition,
  byName,
  described,
  type FieldDefinition,
  type InputFieldDefinition,
  type InputType,
  listOf,
  namedType,
  nonNull,
  type TypeReference,
} from '../schema/types.ts';
import type { VisibleTable } from '../schema/visible-table.ts';
import { jsonText } from '../types.ts';
import { baseName, givenType, type RemoteDocument } from './document.ts';
import { keyReader, type ReadRemoteKey } from './key.ts';
import { requireMergeable } from './mergeable.ts';
import { presetOf } from './preset.ts';
import type {
  RemoteArgument,
  RemoteArguments,
  RemoteRelationshipShape,
  RemoteSchemaShape,
} from './shapes.ts';
import {
  argumentsText,
  compact,
  itemType,
  listText,
  objectMembers,
  objectText,
  type RemoteFieldMeaning,
  type RemotePreset,
  type RemoteText,
  selectionText,
  valueText,
} from './text.ts';
import type { RemoteTypes } from './types.ts';

/** A field of a remote schema that is looked up for every tuple. */
export interface RemoteJoinPart {
  /** Name, arguments and what is below; an alias goes before it. */
  readonly text: RemoteText;
  /** Names of the fields below the first, inwards. */
  readonly below: readonly string[];
  readonly path: string;
  /** The field is null where the remote schema fails. */
  readonly isOptional?: true;
}

/** The left side of a relationship. */
interface LeftSide {
  readonly handover: JoinField['handover'];
  /** Distinguishes derived types. */
  readonly label: string;
  /** undefined: the role cannot read it. */
  readonly key: (name: string) => JoinKey | undefined;
}

/** Remote relationships of a table, as far as the role has them. */
export function tableRelationships(role: RoleSchema, visible: VisibleTable): FieldDefinition[] {
  const { shape } = visible.table;
  const label = shape.schema === 'public' ? shape.name : `${shape.schema}.${shape.name}`;
  const left: LeftSide = { handover: 'tuple', label, key: (name) => rowKey(visible, name) };
  return relationshipFields(role, left, shape.remoteRelationships);
}

function rowKey(visible: VisibleTable, name: string): JoinKey | undefined {
  const column = visible.select?.readable.get(name);
  if (column) return { name, value: column.value, needsWholeRow: column.needsWholeRow };
  const computed = visible.select?.computedFields.find((field) => field.name === name);
  if (!computed) return undefined;
  return {
    name,
    value: (alias) => computedFieldSql(computed, visible, alias, undefined),
    needsWholeRow: true,
  };
}

/** Relationships of a type of a remote schema. */
export function remoteTypeRelationships(
  role: RoleSchema,
  remote: RemoteSchemaShape,
  type: string,
): FieldDefinition[] {
  const { relationships = {} } = remote;
  if (!Object.hasOwn(relationships, type)) return [];
  const definition = role.remote(remote.name)?.document.types.get(type);
  const fields = definition?.kind === Kind.OBJECT_TYPE_DEFINITION ? (definition.fields ?? []) : [];
  const known = new Set(fields.map(({ name }) => name.value));
  const key = (name: string) => (known.has(name) ? { name } : undefined);
  return relationshipFields(role, { handover: 'fields', label: remote.name, key }, relationships[type]);
}

function relationshipFields(
  role: RoleSchema,
  left: LeftSide,
  relationships: Readonly<Record<string, RemoteRelationshipShape>> = {},
): FieldDefinition[] {
  return Object.entries(relationships).flatMap(([name, shape]) =>
    shape.to === 'source' ? toSource(role, left, name, shape) : toRemote(role, left, name, shape),
  );
}

/** undefined where the role cannot read all of them. */
function keysOf(left: LeftSide, names: readonly string[]): JoinKey[] | undefined {
  const keys = names.flatMap((name) => left.key(name) ?? []);
  return keys.length === names.length ? keys : undefined;
}

function toSource(
  role: RoleSchema,
  left: LeftSide,
  name: string,
  shape: Extract<RemoteRelationshipShape, { to: 'source' }>,
): FieldDefinition[] {
  const keys = keysOf(left, Object.keys(shape.columns));
  const table = role.program.tables.find(
    (each) => each.key === shape.target && each.source.name === shape.source,
  );
  if (!keys || !table) return [];
  const visible = role.table(table);
  if (!visible.select) return [];
  const columns = Object.values(shape.columns).map((column) => {
    const found = table.columns.get(column);
    if (!found)
      throw new Error(`generated code refers to the column ${column} of ${table.key}, which has none`);
    return found;
  });
  const join = (form: 'object' | 'array' | 'aggregate') => ({
    kind: 'join' as const,
    join: {
      keys,
      handover: left.handover,
      target: { kind: 'table' as const, source: shape.source, visible, columns, form },
    },
  });
  const types = role.types(table);
  const text = described(shape.description);
  if (shape.kind === 'object')
    return [{ name, ...text, arguments: new Map(), type: types.object(), meaning: join('object') }];
  const list: FieldDefinition = {
    name,
    ...text,
    arguments: types.listArguments(),
    type: listOf(nonNull(types.object())),
    meaning: join('array'),
  };
  if (!visible.select.aggregations) return [list];
  const aggregate: FieldDefinition = {
    name: table.names.related(name, 'aggregate'),
    arguments: types.listArguments(),
    type: types.aggregate(),
    meaning: join('aggregate'),
  };
  return [list, aggregate];
}

type ToRemote = Extract<RemoteRelationshipShape, { to: 'remote' }>;

/** One field of the path, as the role has it. */
interface PathStep {
  readonly definition: FieldDefinition;
  readonly meaning: RemoteFieldMeaning;
  readonly arguments: RemoteArguments;
}

function toRemote(role: RoleSchema, left: LeftSide, name: string, shape: ToRemote): FieldDefinition[] {
  const keys = keysOf(left, shape.keys);
  const types = role.remote(shape.remote);
  const path = keys && types && pathOf(types, shape);
  if (!path) return [];
  const last = path.at(-1)!;
  const nameOf = derivedNames(`_remote_rel_${left.label.replace(/\W/g, '_')}${name}`);
  const args = [...last.definition.arguments.values()].flatMap((argument) =>
    openArgument(argument, own(last.arguments, argument.name), nameOf),
  );
  const { type } = last.definition;
  return [
    {
      name,
      ...described(shape.description ?? last.definition.description),
      arguments: byName(args),
      // Where a value to look up is null, so is the field.
      type: type.kind === 'nonNull' ? type.of : type,
      meaning: {
        kind: 'join',
        join: {
          keys,
          handover: left.handover,
          target: {
            kind: 'call',
            caller: 'remote',
            group: shape.remote,
            encode: keyCheck(path, shape.keys, types),
            resolve: (field): RemoteJoinPart => {
              requireMergeable(field.selection, types.isObject);
              return {
                text: compact(pathText(path, field, { keys: shape.keys, types })),
                below: path.slice(1).map(({ meaning }) => meaning.name),
                path: field.path,
                ...(shape.onError === 'null' && { isOptional: true as const }),
              };
            },
          },
        },
      },
    },
  ];
}

/** Whether every value fits each argument that it fills. */
function keyCheck(
  path: readonly PathStep[],
  keys: readonly string[],
  { document }: RemoteTypes,
): (values: readonly string[]) => readonly string[] | undefined {
  const places: { readonly index: number; readonly read: ReadRemoteKey }[] = [];
  const visit = (argument: RemoteArgument, type: TypeNode): void => {
    if ('key' in argument)
      places.push({ index: keys.indexOf(argument.key), read: keyReader(type, document) });
    else if ('items' in argument) for (const item of argument.items) visit(item, itemType(type));
    else if ('fields' in argument) visitAll(argument.fields, inputFields(type, document)!);
  };
  const visitAll = (given: RemoteArguments, types: ReadonlyMap<string, TypeNode>) => {
    for (const [name, argument] of Object.entries(given)) visit(argument, types.get(name)!);
  };
  for (const step of path) visitAll(step.arguments, step.meaning.arguments);
  return (values) =>
    places.every(({ index, read }) => read(values[index]!) !== undefined) ? values : undefined;
}

/** The fields of the path; undefined where the role lacks one of them, or an argument that the relationship fills. */
function pathOf(types: RemoteTypes, shape: ToRemote): PathStep[] | undefined {
  const path: PathStep[] = [];
  let owner = types.document.roots.query;
  for (const [index, step] of shape.path.entries()) {
    const found = owner === undefined ? undefined : types.field(owner, step.field);
    if (!found || !hasArguments(found.meaning.arguments, step.arguments, types.document)) return undefined;
    // The client gives arguments to the last field only.
    if (index < shape.path.length - 1 && requiresMore(found.definition, step.arguments)) return undefined;
    path.push({ ...found, arguments: step.arguments });
    owner = types.names.originalType(namedType(found.definition.type).name);
  }
  return path;
}

/** Whether the role's schema has every argument, and every field of input objects, that the relationship fills. */
function hasArguments(
  known: ReadonlyMap<string, TypeNode>,
  filled: RemoteArguments,
  document: RemoteDocument,
): boolean {
  return Object.entries(filled).every(([name, argument]) => {
    const type = known.get(name);
    return type !== undefined && hasValue(type, argument, document);
  });
}

function hasValue(type: TypeNode, argument: RemoteArgument, document: RemoteDocument): boolean {
  if ('items' in argument) return argument.items.every((item) => hasValue(itemType(type), item, document));
  // A value of a row is sent as it is, without presets in it.
  if ('key' in argument) return !holdsPresets(baseName(type), document, new Set());
  if (!('fields' in argument)) return true;
  const fields = inputFields(type, document);
  return fields === undefined || hasArguments(fields, argument.fields, document);
}

function holdsPresets(name: string, document: RemoteDocument, visited: Set<string>): boolean {
  const definition = document.types.get(name);
  if (definition?.kind !== Kind.INPUT_OBJECT_TYPE_DEFINITION || visited.has(name)) return false;
  visited.add(name);
  return (definition.fields ?? []).some(
    (field) => presetOf(field) || holdsPresets(baseName(field.type), document, visited),
  );
}

/** Whether a field needs an argument, or a field of an input object, that the relationship does not fill. */
function requiresMore({ arguments: args }: FieldDefinition, filled: RemoteArguments): boolean {
  return [...args.values()].some((argument) => isOpen(argument, own(filled, argument.name)));
}

function isOpen({ type, defaultValue }: ArgumentDefinition, filled: RemoteArgument | undefined): boolean {
  if (filled === undefined) return type.kind === 'nonNull' && defaultValue === undefined;
  const inner = type.kind === 'nonNull' ? type.of : type;
  if ('items' in filled)
    return filled.items.some((item) => inner.kind === 'list' && isOpen({ name: '', type: inner.of }, item));
  if (!('fields' in filled) || inner.kind !== 'input') return false;
  return [...inner.fields().values()].some((field) => isOpen(field, own(filled.fields, field.name)));
}

/** Types of all fields of an input object, preset ones too; undefined for other types. */
function inputFields(type: TypeNode, document: RemoteDocument): ReadonlyMap<string, TypeNode> | undefined {
  const definition = document.types.get(baseName(type));
  if (definition?.kind !== Kind.INPUT_OBJECT_TYPE_DEFINITION) return undefined;
  return new Map((definition.fields ?? []).map((field) => [field.name.value, givenType(field, definition)]));
}

/** The name of what is left of an input type of which a relationship fills a part. */
type DerivedName = (type: string, filled: RemoteArgument) => string;

/** Of one type, parts that differ have different names. */
function derivedNames(suffix: string): DerivedName {
  const known = new Map<string, string[]>();
  return (type, filled) => {
    const shapes = remember(known, type, () => []);
    const shape = JSON.stringify(filled);
    if (!shapes.includes(shape)) shapes.push(shape);
    const index = shapes.indexOf(shape);
    return `${type}${suffix}${index === 0 ? '' : `_${index + 1}`}`;
  };
}

/** The part of an argument that the client may still give, beside the part that the relationship fills. */
function openArgument(
  argument: ArgumentDefinition,
  filled: RemoteArgument | undefined,
  nameOf: DerivedName,
): readonly ArgumentDefinition[] {
  if (filled === undefined) return [argument];
  const type = openType(argument.type, filled, nameOf);
  if (!type) return [];
  const { defaultValue: _, ...rest } = argument;
  return [{ ...rest, type }];
}

function openType(
  type: TypeReference,
  filled: RemoteArgument,
  nameOf: DerivedName,
): TypeReference | undefined {
  const inner = type.kind === 'nonNull' ? type.of : type;
  if ('items' in filled) return inner.kind === 'list' ? inner : undefined;
  if (!('fields' in filled) || inner.kind !== 'input' || inner.isOneOf) return undefined;
  const name = nameOf(inner.name, filled);
  const fields = [...inner.fields().values()].flatMap((field): InputFieldDefinition[] => {
    const part = own(filled.fields, field.name);
    if (part === undefined) return [field];
    const open = openType(field.type, part, nameOf);
    const { defaultValue: _, ...rest } = field;
    return open ? [{ ...rest, type: open }] : [];
  });
  if (fields.length === 0) return undefined;
  const derived: InputType = { ...inner, name, fields: () => byName(fields) };
  const isRequired = fields.some(
    (field) => field.type.kind === 'nonNull' && field.defaultValue === undefined,
  );
  return isRequired ? nonNull(derived) : derived;
}

/** Inputs of the values of a relationship. */
interface Merging {
  readonly keys: readonly string[];
  readonly types: RemoteTypes;
}

function pathText(path: readonly PathStep[], field: SelectedField, merging: Merging): RemoteText {
  const [step, ...rest] = path as [PathStep, ...PathStep[]];
  const isLast = rest.length === 0;
  const { name, presets, defaults, arguments: types } = step.meaning;
  const given = isLast ? field.arguments : new Map<string, InputNode>();
  const filled = Object.entries(step.arguments).map(
    ([argument, value]): RemotePreset => ({
      name: argument,
      value: mergedText(value, given.get(argument), types.get(argument)!, merging),
    }),
  );
  const isFilled = (argument: string) => Object.hasOwn(step.arguments, argument);
  const others = [...given].flatMap(([argument, node]): RemotePreset[] =>
    isFilled(argument) ? [] : [{ name: argument, value: valueText(node, types.get(argument)!) }],
  );
  const fixed = [...defaults.filter((each) => !given.has(each.name)), ...presets];
  return [
    name,
    ...argumentsText([...others, ...filled, ...fixed.filter((each) => !isFilled(each.name))]),
    ...(isLast
      ? selectionText(field.selection, merging.types.names)
      : [' { ', ...pathText(rest, field, merging), ' }']),
  ];
}

/** Presets within an input object. */
function presetsWithin(type: TypeNode, types: RemoteTypes): readonly RemotePreset[] {
  if (type.kind !== Kind.NAMED_TYPE) return presetsWithin(type.type, types);
  const named = types.type(type.name.value);
  return named?.kind === 'input' ? (named.presets?.() ?? []) : [];
}

/**
 * The values that the relationship fills, merged with those of the client: objects by key, lists concatenated. Only objects
 * meet objects, and lists lists, because the client's values are of the argument's type.
 */
function mergedText(
  filled: RemoteArgument,
  node: InputNode | undefined,
  type: TypeNode,
  merging: Merging,
): RemoteText {
  if ('key' in filled)
    return [
      {
        key: merging.keys.indexOf(filled.key),
        type: printAst(type),
        read: keyReader(type, merging.types.document),
      },
    ];
  if ('value' in filled) return [jsonText(filled.value)];
  if ('items' in filled) {
    const items = filled.items.map((item) => mergedText(item, undefined, itemType(type), merging));
    if (node === undefined || node.kind === 'null') return listText(items);
    if (node.kind === 'list')
      return listText([...node.items.map((item) => valueText(item, itemType(type))), ...items]);
    if (node.kind !== 'scalar')
      throw new Error(`a list cannot be merged with a value of the kind ${node.kind}`);
    // A variable's list of scalars is one node.
    const spread = { type: printAst(itemType(type)), source: node.source, isSpread: true as const };
    return ['[', spread, ...listText(items).slice(1)];
  }
  const isObject = node?.kind === 'object';
  const given = isObject ? objectMembers(node) : presetsWithin(type, merging.types);
  const fields = inputFields(type, merging.types.document);
  const own = Object.entries(filled.fields).map(([field, value]): RemotePreset => {
    const fieldNode = isObject ? node.fields.get(field) : undefined;
    return { name: field, value: mergedText(value, fieldNode, fields?.get(field) ?? type, merging) };
  });
  const isOwn = new Set(own.map((member) => member.name));
  return objectText([...given.filter((member) => !isOwn.has(member.name)), ...own]);
}

function own<Value>(record: Readonly<Record<string, Value>>, key: string): Value | undefined {
  return Object.hasOwn(record, key) ? record[key] : undefined;
}
