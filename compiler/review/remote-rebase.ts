/**
 * Proposes permissions after a remote schema changed: a role's SDL without the parts that no longer fit. It only leaves parts
 * out, so no role gains anything. A field whose preset no longer fits is left out as a whole, because without its preset the
 * argument would have the server's default.
 */

import {
  type DefinitionNode,
  type FieldDefinitionNode,
  type InputValueDefinitionNode,
  Kind,
  type NamedTypeNode,
  print,
  type TypeNode,
} from 'graphql';
import { parseGraphql } from '../../runtime/core/graphql-text.ts';
import { BUILT_IN_SCALARS } from '../../runtime/core/names.ts';
import {
  baseName,
  indexDocument,
  type RemoteDocument,
  type TypeDefinition,
} from '../../runtime/core/remotes/document.ts';
import { presetOf } from '../../runtime/core/remotes/preset.ts';
import type { Vocabulary } from '../../runtime/core/vocabulary.ts';
import { permissionProblems } from '../phases/3-resolve/remote-permission.ts';

export interface Rebase {
  /** The role's SDL as it is, in canonical layout. */
  readonly before: string;
  /** The part that fits the server; the same if all of it does. Undefined if no field is left. */
  readonly after: string | undefined;
  /** Conflicts that leaving fields out does not solve. */
  readonly problems: readonly string[];
}

/** @throws GraphQLError for a text that is not SDL */
export function rebasePermission(sdl: string, upstream: RemoteDocument, vocabulary: Vocabulary): Rebase {
  const document = parseGraphql(sdl);
  const before = `${print(document)}\n`;
  let definitions = document.definitions;
  for (;;) {
    const role = indexDocument({ kind: Kind.DOCUMENT, definitions });
    const fitting = definitions.flatMap((each) => fitDefinition(each, { upstream, role }) ?? []);
    const isSame =
      fitting.length === definitions.length && fitting.every((each, index) => each === definitions[index]);
    if (isSame) break;
    definitions = fitting;
  }
  const { roots } = indexDocument({ kind: Kind.DOCUMENT, definitions });
  // Without its schema block, types that the block did not list would be roots.
  const hasBlock = (list: readonly DefinitionNode[]) =>
    list.some(({ kind }) => kind === Kind.SCHEMA_DEFINITION);
  const lostBlock = hasBlock(document.definitions) && !hasBlock(definitions);
  if (lostBlock || Object.keys(roots).length === 0) return { before, after: undefined, problems: [] };
  const after = `${print({ kind: Kind.DOCUMENT, definitions })}\n`;
  return { before, after, problems: permissionProblems(after, upstream, vocabulary) };
}

interface Schemas {
  readonly upstream: RemoteDocument;
  readonly role: RemoteDocument;
}

/** The part of a definition that fits, the identical object if all of it does; undefined for nothing. */
function fitDefinition(definition: DefinitionNode, schemas: Schemas): DefinitionNode | undefined {
  if (definition.kind === Kind.SCHEMA_DEFINITION) {
    const operationTypes = kept(definition.operationTypes, ({ type }) => isKnown(type, schemas));
    if (operationTypes.length === 0) return undefined;
    return operationTypes === definition.operationTypes ? definition : { ...definition, operationTypes };
  }
  if (!('name' in definition) || !definition.name) return definition;
  const found = schemas.upstream.types.get(definition.name.value);
  const own = schemas.role.types.get(definition.name.value);
  if (!own) return definition;
  return found?.kind === own.kind ? fitType(own, found, schemas) : undefined;
}

function fitType(
  type: TypeDefinition,
  upstream: TypeDefinition,
  schemas: Schemas,
): TypeDefinition | undefined {
  switch (type.kind) {
    case Kind.OBJECT_TYPE_DEFINITION:
    case Kind.INTERFACE_TYPE_DEFINITION: {
      const known = upstream as typeof type;
      const fields = mapped(type.fields ?? [], (field) =>
        isOfInterface(type, field, schemas) ? fitField(field, known.fields, schemas) : undefined,
      );
      const interfaces = kept(
        type.interfaces ?? [],
        (each) => isKnown(each, schemas) && includes(known.interfaces, each.name.value),
      );
      if (fields.length === 0) return undefined;
      const isSame = fields === type.fields && interfaces.length === (type.interfaces ?? []).length;
      return isSame ? type : { ...type, fields, interfaces };
    }
    case Kind.INPUT_OBJECT_TYPE_DEFINITION: {
      const known = (upstream as typeof type).fields ?? [];
      const fields = fitInputs(type.fields ?? [], known, schemas);
      if (!fields || fields.length === 0) return undefined;
      return fields === type.fields ? type : { ...type, fields };
    }
    case Kind.ENUM_TYPE_DEFINITION: {
      const values = kept(type.values ?? [], ({ name }) =>
        includes((upstream as typeof type).values, name.value),
      );
      if (values.length === 0) return undefined;
      return values === type.values ? type : { ...type, values };
    }
    case Kind.UNION_TYPE_DEFINITION: {
      const types = kept(
        type.types ?? [],
        (each) => isKnown(each, schemas) && includes((upstream as typeof type).types, each.name.value),
      );
      if (types.length === 0) return undefined;
      return types === type.types ? type : { ...type, types };
    }
    default:
      return type;
  }
}

/** An interface keeps only fields that every type which implements it has. */
function isOfInterface(type: TypeDefinition, { name }: FieldDefinitionNode, { role }: Schemas): boolean {
  if (type.kind !== Kind.INTERFACE_TYPE_DEFINITION) return true;
  return [...role.types.values()].every(
    (each) =>
      (each.kind !== Kind.OBJECT_TYPE_DEFINITION && each.kind !== Kind.INTERFACE_TYPE_DEFINITION) ||
      !includes(each.interfaces, type.name.value) ||
      includes(each.fields, name.value),
  );
}

function fitField(
  field: FieldDefinitionNode,
  upstream: readonly FieldDefinitionNode[] = [],
  schemas: Schemas,
): FieldDefinitionNode | undefined {
  const known = upstream.find(({ name }) => name.value === field.name.value);
  if (!known || print(known.type) !== print(field.type) || !isKnown(field.type, schemas)) return undefined;
  const given = field.arguments ?? [];
  const args = fitInputs(given, known.arguments ?? [], schemas);
  if (!args) return undefined;
  return args === given ? field : { ...field, arguments: args };
}

/** Arguments, or fields of an input object; undefined where one with a preset does not fit, or a required one is missing. */
function fitInputs(
  given: readonly InputValueDefinitionNode[],
  upstream: readonly InputValueDefinitionNode[],
  schemas: Schemas,
): readonly InputValueDefinitionNode[] | undefined {
  const fits = (input: InputValueDefinitionNode) => {
    const known = upstream.find(({ name }) => name.value === input.name.value);
    return (
      known !== undefined &&
      print(known.type) === print(input.type) &&
      textOf(known.defaultValue) === textOf(input.defaultValue) &&
      isKnown(input.type, schemas)
    );
  };
  if (given.some((input) => presetOf(input) && !(fits(input) && isPresetKnown(input, schemas))))
    return undefined;
  const inputs = kept(given, fits);
  const isMissing = upstream.some(
    ({ name, type }) => type.kind === Kind.NON_NULL_TYPE && !includes(inputs, name.value),
  );
  return isMissing ? undefined : inputs;
}

function textOf(value: InputValueDefinitionNode['defaultValue']): string {
  return value ? print(value) : '';
}

/** Whether the members of enums and input objects that a preset names are still there. */
function isPresetKnown(input: InputValueDefinitionNode, { role }: Schemas): boolean {
  const value = presetOf(input)?.arguments?.find(({ name }) => name.value === 'value')?.value;
  const type = role.types.get(baseName(input.type));
  if (value?.kind === Kind.OBJECT && type?.kind === Kind.INPUT_OBJECT_TYPE_DEFINITION)
    return value.fields.every(({ name }) => includes(type.fields, name.value));
  const isEnum = type?.kind === Kind.ENUM_TYPE_DEFINITION && value?.kind === Kind.ENUM;
  return !isEnum || includes(type.values, value.value);
}

function isKnown(type: TypeNode, { role }: Schemas): boolean {
  const name = baseName(type);
  return BUILT_IN_SCALARS.has(name) || role.types.has(name);
}

type Named = { readonly name: { readonly value: string } } | NamedTypeNode;

function includes(list: readonly Named[] | undefined, name: string): boolean {
  return list?.some((each) => each.name.value === name) ?? false;
}

/** The list itself if everything is kept. */
function kept<Item>(list: readonly Item[], keep: (item: Item) => boolean): readonly Item[] {
  return mapped(list, (item) => (keep(item) ? item : undefined));
}

/** The list itself if nothing changes. */
function mapped<Item>(list: readonly Item[], map: (item: Item) => Item | undefined): readonly Item[] {
  const items = list.flatMap((item) => map(item) ?? []);
  return items.length === list.length && items.every((item, index) => item === list[index]) ? list : items;
}
