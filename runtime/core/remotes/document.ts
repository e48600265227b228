/** SDL of a remote schema, or of the part of it that a role sees, indexed by name. */

import {
  type DefinitionNode,
  type DocumentNode,
  type EnumTypeDefinitionNode,
  type InputObjectTypeDefinitionNode,
  type InterfaceTypeDefinitionNode,
  Kind,
  type ObjectTypeDefinitionNode,
  type ScalarTypeDefinitionNode,
  type UnionTypeDefinitionNode,
} from 'graphql';
import { parseGraphql } from '../graphql-text.ts';
import { remember } from '../remember.ts';

export type TypeDefinition =
  | ScalarTypeDefinitionNode
  | ObjectTypeDefinitionNode
  | InterfaceTypeDefinitionNode
  | UnionTypeDefinitionNode
  | EnumTypeDefinitionNode
  | InputObjectTypeDefinitionNode;

export type RootName = 'query' | 'mutation' | 'subscription';

export interface RemoteDocument {
  readonly document: DocumentNode;
  readonly types: ReadonlyMap<string, TypeDefinition>;
  /** Names of the root types. */
  readonly roots: Readonly<Partial<Record<RootName, string>>>;
  /** Object types of each interface and union, by its name. */
  readonly possible: ReadonlyMap<string, readonly string[]>;
  /** Interfaces and unions of each type. */
  readonly abstract: ReadonlyMap<string, readonly string[]>;
}

/** @throws GraphQLError for text that is not SDL */
export function readRemoteDocument(sdl: string): RemoteDocument {
  return indexDocument(parseGraphql(sdl));
}

export function indexDocument(document: DocumentNode): RemoteDocument {
  const types = new Map<string, TypeDefinition>();
  for (const definition of document.definitions)
    if (isType(definition)) types.set(definition.name.value, definition);
  const possible = new Map<string, string[]>();
  const abstract = new Map<string, string[]>();
  const relate = (whole: string, part: string, isObject: boolean) => {
    remember(abstract, part, () => []).push(whole);
    if (isObject) remember(possible, whole, () => []).push(part);
  };
  for (const [name, type] of types) {
    if (type.kind === Kind.OBJECT_TYPE_DEFINITION || type.kind === Kind.INTERFACE_TYPE_DEFINITION) {
      const isObject = type.kind === Kind.OBJECT_TYPE_DEFINITION;
      for (const each of type.interfaces ?? []) relate(each.name.value, name, isObject);
    } else if (type.kind === Kind.UNION_TYPE_DEFINITION) {
      for (const each of type.types ?? []) relate(name, each.name.value, true);
    }
  }
  return { document, types, roots: rootsOf(document, types), possible, abstract };
}

function isType(definition: DefinitionNode): definition is TypeDefinition {
  return [
    Kind.SCALAR_TYPE_DEFINITION,
    Kind.OBJECT_TYPE_DEFINITION,
    Kind.INTERFACE_TYPE_DEFINITION,
    Kind.UNION_TYPE_DEFINITION,
    Kind.ENUM_TYPE_DEFINITION,
    Kind.INPUT_OBJECT_TYPE_DEFINITION,
  ].includes(definition.kind as never);
}

/** Exactly the roots that the schema block lists; without a block, the types Query, Mutation and Subscription. */
function rootsOf(
  { definitions }: DocumentNode,
  types: ReadonlyMap<string, TypeDefinition>,
): RemoteDocument['roots'] {
  const block = definitions.find((each) => each.kind === Kind.SCHEMA_DEFINITION);
  if (block)
    return Object.fromEntries(
      block.operationTypes.map(({ operation, type }) => [operation, type.name.value]),
    );
  return {
    ...(types.has('Query') ? { query: 'Query' } : {}),
    ...(types.has('Mutation') ? { mutation: 'Mutation' } : {}),
    ...(types.has('Subscription') ? { subscription: 'Subscription' } : {}),
  };
}
