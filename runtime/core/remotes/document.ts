/** SDL of a remote schema, or of the part of it that a role sees, indexed by name. */
import {
  type ASTNode,
  type ConstDirectiveNode,
  DEFAULT_DEPRECATION_REASON,
  type DefinitionNode,
  type DocumentNode,
  type EnumTypeDefinitionNode,
  type InputObjectTypeDefinitionNode,
  type InputValueDefinitionNode,
  type InterfaceTypeDefinitionNode,
  Kind,
  type ObjectTypeDefinitionNode,
  type ScalarTypeDefinitionNode,
  type TypeNode,
  type UnionTypeDefinitionNode,
  visit,
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

interface Annotated {
  readonly directives?: readonly ConstDirectiveNode[] | undefined;
}

/** The text of an argument of a directive; undefined without the directive, or without such a text. */
function directiveText({ directives }: Annotated, directive: string, argument: string): string | undefined {
  const given = directives?.find(({ name }) => name.value === directive)?.arguments;
  const value = given?.find(({ name }) => name.value === argument)?.value;
  return value?.kind === Kind.STRING ? value.value : undefined;
}

/** Why something is deprecated; empty for what is not. */
export function deprecation(definition: Annotated): { readonly deprecationReason?: string } {
  if (!definition.directives?.some(({ name }) => name.value === 'deprecated')) return {};
  const reason = directiveText(definition, 'deprecated', 'reason');
  return { deprecationReason: reason ?? DEFAULT_DEPRECATION_REASON };
}

/** The document that specifies a scalar. */
export function specifiedBy(definition: Annotated): { readonly specifiedBy?: string } {
  const url = directiveText(definition, 'specifiedBy', 'url');
  return url === undefined ? {} : { specifiedBy: url };
}

export function isOneOf({ directives }: Annotated): boolean {
  return directives?.some(({ name }) => name.value === 'oneOf') === true;
}

/** The type of a value that is given to an input field: no field of a one-of input takes null. */
export function givenType(
  { type }: InputValueDefinitionNode,
  owner: InputObjectTypeDefinitionNode,
): TypeNode {
  if (type.kind === Kind.NON_NULL_TYPE || !isOneOf(owner)) return type;
  return { kind: Kind.NON_NULL_TYPE, type };
}

/** The name of the type below lists and non-null wrappers. */
export function baseName(type: TypeNode): string {
  return type.kind === Kind.NAMED_TYPE ? type.name.value : baseName(type.type);
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

/** Two nodes that differ only in descriptions are then printed alike. */
export function withoutDescriptions<Node extends ASTNode>(node: Node): Node {
  return visit(node, {
    enter: (each) => ('description' in each ? { ...each, description: undefined } : undefined),
  });
}
