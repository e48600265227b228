/**
 * `actions.graphql` is the truth about the signatures of actions and about custom types; `actions.yaml` adds how actions
 * are called and by whom, and the relationships of types. This merges the two into the metadata's own form.
 */

import {
  type ASTNode,
  type DefinitionNode,
  type EnumValueDefinitionNode,
  type FieldDefinitionNode,
  GraphQLError,
  type InputValueDefinitionNode,
  Kind,
  type ObjectTypeDefinitionNode,
  type ObjectTypeExtensionNode,
  print,
} from 'graphql';
import { messages } from '../../../runtime/core/diagnostics/catalogue.ts';
import {
  at,
  type Diagnostic,
  type Location,
  type Message,
} from '../../../runtime/core/diagnostics/diagnostic.ts';
import { nearest } from '../../../runtime/core/diagnostics/nearest.ts';
import { parseGraphql } from '../../../runtime/core/graphql-text.ts';
import { isObject } from '../../../runtime/core/json/json.ts';
import { graphqlProblem } from '../../../runtime/core/reasons.ts';
import type { Json, JsonObject, MetadataPath } from '../../../runtime/metadata/metadata.ts';
import type { PositionNode } from '../../../runtime/metadata/origin.ts';
import type { Loaded } from './yaml-files.ts';

export interface ActionsDocument {
  /** The values of the metadata's keys `actions` and `custom_types`. */
  readonly value: { readonly actions: unknown; readonly custom_types: unknown };
  readonly positions: ReadonlyMap<string, PositionNode>;
}

interface Signature {
  readonly name: string;
  readonly value: JsonObject;
  readonly location: Location;
}

export const typeKinds = ['input_objects', 'objects', 'scalars', 'enums'] as const;
export type TypeKind = (typeof typeKinds)[number];

interface Signatures {
  readonly actions: Signature[];
  readonly types: Readonly<Record<TypeKind, Signature[]>>;
}

/** Merges `actions.graphql` with the content of `actions.yaml` (undefined if the file is absent). */
export function mergeActions(
  sdl: string,
  file: string,
  yaml: Loaded | undefined,
  diagnostics: Diagnostic[],
): ActionsDocument {
  const report = (path: MetadataPath, message: Message, location: Location | undefined) => {
    diagnostics.push({ ...at(path, message), ...(location && { location }) });
  };
  const signatures = readSignatures(sdl, file, report);
  const given = isObject(yaml?.value) ? yaml.value : {};
  const givenTypes = isObject(given.custom_types) ? given.custom_types : {};
  const place = (...path: MetadataPath) =>
    path.reduce<PositionNode | undefined>((node, segment) => node?.children?.get(segment), yaml?.positions);

  const actions = merge(signatures?.actions ?? [], given.actions, place('actions'), (action, extra) => ({
    ...extra,
    ...action,
    definition: { ...asObject(extra.definition), ...asObject(action.definition) },
  }));
  for (const { name, location } of signatures ? actions.unmatched : []) {
    const known = signatures?.actions.map((action) => action.name) ?? [];
    report(['actions'], messages.actionNotInSdl({ action: name, nearest: nearest(name, known) }), location);
  }

  const types: Record<string, unknown> = {};
  const typePositions = new Map<string | number, PositionNode>();
  for (const kind of typeKinds) {
    const merged = merge(
      signatures?.types[kind] ?? [],
      givenTypes[kind],
      place('custom_types', kind),
      (type, extra) => ({
        ...extra,
        ...type,
      }),
    );
    types[kind] = merged.items;
    typePositions.set(kind, merged.positions);
    for (const { name, location } of signatures ? merged.unmatched : []) {
      const known = signatures?.types[kind].map((type) => type.name) ?? [];
      report(
        ['custom_types', kind],
        messages.customTypeNotInSdl({ type: name, nearest: nearest(name, known) }),
        location,
      );
    }
  }
  // Keys that mean nothing are kept, for the reader to report.
  const custom_types = { ...givenTypes, ...types };
  const location = { file, line: 1, column: 1 };
  return {
    value: { ...given, actions: actions.items, custom_types },
    positions: new Map([
      ...((yaml?.positions.children as ReadonlyMap<string, PositionNode> | undefined) ?? []),
      ['actions', actions.positions],
      ['custom_types', { location, children: typePositions }],
    ]),
  };

  /** Signatures in their order, each with what the YAML entry of its name adds. */
  function merge(
    defined: readonly Signature[],
    entries: unknown,
    positions: PositionNode | undefined,
    combine: (signature: JsonObject, extra: Readonly<Record<string, unknown>>) => unknown,
  ) {
    const extras = (Array.isArray(entries) ? entries : []).map((entry, index) => {
      const node = positions?.children?.get(index);
      return { entry: asObject(entry), name: String(asObject(entry).name), node, location: node?.location };
    });
    const children = new Map<string | number, PositionNode>();
    const items = defined.map(({ name, value, location }, index) => {
      const extra = extras.find((candidate) => candidate.name === name);
      children.set(index, extra?.node ?? { location });
      return combine(value, extra?.entry ?? {});
    });
    const unmatched = extras.filter(({ name }) => !defined.some((signature) => signature.name === name));
    return { items, unmatched, positions: { location: { file, line: 1, column: 1 }, children } };
  }
}

function asObject(value: unknown): Readonly<Record<string, unknown>> {
  return isObject(value) ? value : {};
}

type Report = (path: MetadataPath, message: Message, location: Location | undefined) => void;

/** Reports and returns undefined if the text is not a GraphQL document. */
function readSignatures(sdl: string, file: string, report: Report): Signatures | undefined {
  const signatures: Signatures = {
    actions: [],
    types: { input_objects: [], objects: [], scalars: [], enums: [] },
  };
  if (sdl.replace(/#.*/g, '').trim() === '') return signatures;
  try {
    for (const definition of parseGraphql(sdl, { noLocation: false }).definitions)
      readDefinition(definition, signatures, file, report);
    return signatures;
  } catch (error) {
    if (!(error instanceof GraphQLError)) throw error;
    const place = error.locations?.[0] ?? { line: 1, column: 1 };
    const reason = graphqlProblem({ message: error.message });
    report(['actions'], messages.actionsSdlInvalid({ reason }), { file, ...place });
    return undefined;
  }
}

function readDefinition(
  definition: DefinitionNode,
  { actions, types }: Signatures,
  file: string,
  report: Report,
): void {
  const location = placeOf(definition, file);
  switch (definition.kind) {
    case Kind.OBJECT_TYPE_DEFINITION:
    case Kind.OBJECT_TYPE_EXTENSION: {
      const name = definition.name.value;
      if (name === 'Query' || name === 'Mutation') {
        actions.push(...(definition.fields ?? []).map((field) => actionSignature(field, name, file)));
      } else if (definition.kind === Kind.OBJECT_TYPE_DEFINITION) {
        types.objects.push({ name, value: objectSignature(definition), location });
      } else {
        report(
          ['custom_types'],
          messages.actionSdlIgnored({ construct: 'extension of type', name }),
          location,
        );
      }
      return;
    }
    case Kind.INPUT_OBJECT_TYPE_DEFINITION:
      types.input_objects.push({ name: definition.name.value, value: objectSignature(definition), location });
      return;
    case Kind.SCALAR_TYPE_DEFINITION:
      types.scalars.push({ name: definition.name.value, value: named(definition), location });
      return;
    case Kind.ENUM_TYPE_DEFINITION: {
      const value = { ...named(definition), values: (definition.values ?? []).map(enumValue) };
      types.enums.push({ name: definition.name.value, value, location });
      return;
    }
    default: {
      const name = 'name' in definition && definition.name ? definition.name.value : '';
      const construct = definition.kind.replace(/(Type)?(Definition|Extension)$/, '').toLowerCase();
      report(['custom_types'], messages.actionSdlIgnored({ construct, name }), location);
    }
  }
}

function actionSignature(field: FieldDefinitionNode, root: 'Query' | 'Mutation', file: string): Signature {
  const value = {
    name: field.name.value,
    definition: {
      arguments: (field.arguments ?? []).map(typed),
      output_type: print(field.type),
      type: root === 'Query' ? 'query' : 'mutation',
    },
  };
  return { name: field.name.value, value, location: placeOf(field, file) };
}

function objectSignature(
  definition:
    | ObjectTypeDefinitionNode
    | ObjectTypeExtensionNode
    | Extract<DefinitionNode, { kind: Kind.INPUT_OBJECT_TYPE_DEFINITION }>,
): JsonObject {
  const fields: readonly (FieldDefinitionNode | InputValueDefinitionNode)[] = definition.fields ?? [];
  return { ...named(definition), fields: fields.map(fieldSignature) };
}

/** A field; arguments are kept so that they are refused. */
function fieldSignature(node: FieldDefinitionNode | InputValueDefinitionNode): JsonObject {
  const args = 'arguments' in node ? (node.arguments ?? []) : [];
  return { ...typed(node), ...(args.length > 0 && { arguments: args.map(typed) }) };
}

function typed(node: FieldDefinitionNode | InputValueDefinitionNode): JsonObject {
  return { ...named(node), type: print(node.type) };
}

function named(node: {
  readonly name: { readonly value: string };
  readonly description?: unknown;
}): JsonObject {
  // Blanks around a description are layout: `""" A note """`.
  const description = (node.description as { value: string } | undefined)?.value.trim();
  return { name: node.name.value, ...(description !== undefined && { description }) };
}

function enumValue(node: EnumValueDefinitionNode): Json {
  const { name, ...rest } = named(node) as { name: string };
  const isDeprecated = node.directives?.some((directive) => directive.name.value === 'deprecated') ?? false;
  return { value: name, ...rest, ...(isDeprecated && { is_deprecated: true }) };
}

function placeOf(node: ASTNode, file: string): Location {
  return { file, line: node.loc?.startToken.line ?? 1, column: node.loc?.startToken.column ?? 1 };
}
