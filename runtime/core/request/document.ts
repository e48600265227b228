/** Documents: parsed within limits, and the operation of a request with the fragments and variables it may refer to. */

import {
  type DocumentNode,
  type FragmentDefinitionNode,
  GraphQLError,
  Kind,
  type OperationDefinitionNode,
  type SelectionSetNode,
  visit,
} from 'graphql';
import { EngineError, pathStep } from '../errors.ts';
import { DocumentTooDeep, MAX_DOCUMENT_DEPTH, parseGraphql } from '../graphql-text.ts';
import { wordList } from '../names.ts';
import { lazy } from '../remember.ts';
import type { DeclaredVariable } from './variables.ts';

/** Maximum number of tokens of a document; more is an attack or a mistake. */
const MAX_TOKENS = 100_000;

/** Parses a document. @throws EngineError validation-failed at `$.query` */
export function parseDocument(query: string): DocumentNode {
  try {
    return parseGraphql(query, { maxTokens: MAX_TOKENS });
  } catch (error) {
    if (!(error instanceof GraphQLError)) throw error;
    if (error instanceof DocumentTooDeep)
      throw new EngineError('validation-failed', error.message, { path: '$.query' });
    throw new EngineError('validation-failed', 'not a valid graphql query', {
      path: '$.query',
      internal: { message: error.message, locations: error.locations },
    });
  }
}

/** An operation of a document with what it may refer to. */
export interface Operation {
  readonly kind: 'query' | 'mutation' | 'subscription';
  readonly node: OperationDefinitionNode;
  readonly fragments: ReadonlyMap<string, FragmentDefinitionNode>;
  readonly variables: ReadonlyMap<string, DeclaredVariable>;
}

/** Chooses the operation that a request means. */
export function chooseOperation(document: DocumentNode, operationName: string | undefined): Operation {
  const operations: OperationDefinitionNode[] = [];
  const fragments = new Map<string, FragmentDefinitionNode>();
  for (const definition of document.definitions) {
    if (definition.kind === Kind.OPERATION_DEFINITION) operations.push(definition);
    else if (definition.kind === Kind.FRAGMENT_DEFINITION) fragments.set(definition.name.value, definition);
    else throw new EngineError('validation-failed', 'not a valid graphql query', { path: '$.query' });
  }
  const node = choose(operations, operationName);
  const variables = new Map<string, DeclaredVariable>();
  const mentioned = lazy(() => mentionedVariables([node, ...fragments.values()]));
  for (const { variable, type, defaultValue } of node.variableDefinitions ?? []) {
    const name = variable.name.value;
    if (variables.has(name))
      throw new EngineError('validation-failed', `multiple definitions for variable "${name}"`);
    const isUsed = mentioned().has(name);
    variables.set(name, { name, type, isUsed, ...(defaultValue ? { defaultValue } : {}) });
  }
  const operation = { kind: node.operation, node, fragments, variables };
  requireShallow(operation);
  return operation;
}

/**
 * Everything behind this recurses over the fields of an operation with its fragments expanded. Fragments that reach
 * themselves are refused later (`checkFragmentCycles`), each time with the place.
 * @throws EngineError validation-failed
 */
function requireShallow({ node, fragments }: Pick<Operation, 'node' | 'fragments'>): void {
  const heights = new Map<string, number>();
  /** Levels of selection sets, of which `depth` are around it already. */
  const heightOf = (set: SelectionSetNode, depth: number): number => {
    let below = 0;
    checkDepth(depth + 1);
    for (const selection of set.selections) {
      if (selection.kind === Kind.FRAGMENT_SPREAD)
        below = Math.max(below, heightOfFragment(selection.name.value, depth + 1));
      else if (selection.selectionSet) below = Math.max(below, heightOf(selection.selectionSet, depth + 1));
    }
    return below + 1;
  };
  const heightOfFragment = (name: string, depth: number): number => {
    let height = heights.get(name);
    if (height === undefined) {
      const fragment = fragments.get(name);
      // Of a fragment that reaches itself.
      heights.set(name, 0);
      height = fragment ? heightOf(fragment.selectionSet, depth) : 0;
      heights.set(name, height);
    }
    checkDepth(depth + height);
    return height;
  };
  heightOf(node.selectionSet, 0);
}

function checkDepth(depth: number): void {
  if (depth > MAX_DOCUMENT_DEPTH)
    throw new EngineError(
      'validation-failed',
      `the operation is nested more than ${MAX_DOCUMENT_DEPTH} levels deep`,
    );
}

function choose(
  operations: readonly OperationDefinitionNode[],
  name: string | undefined,
): OperationDefinitionNode {
  if (name === undefined) {
    if (operations.length === 1) return operations[0]!;
    throw new EngineError(
      'validation-failed',
      'exactly one operation has to be present in the document when operationName is not specified',
    );
  }
  if (operations.some((operation) => operation.name === undefined)) {
    throw new EngineError(
      'validation-failed',
      'operationName cannot be used when an anonymous operation exists in the document',
    );
  }
  const found = operations.filter((operation) => operation.name?.value === name);
  if (found.length === 0)
    throw new EngineError('validation-failed', `no such operation found in the document: "${name}"`);
  if (found.length > 1)
    throw new EngineError(
      'validation-failed',
      `the operation "${name}" is defined more than once in the document`,
    );
  return found[0]!;
}

/** Names of all variables used in the definitions, including skipped fields. */
function mentionedVariables(definitions: DocumentNode['definitions']): ReadonlySet<string> {
  const names = new Set<string>();
  visit(
    { kind: Kind.DOCUMENT, definitions },
    {
      enter: (node) => {
        if (node.kind === Kind.VARIABLE) names.add(node.name.value);
        return node.kind === Kind.VARIABLE_DEFINITION ? false : undefined;
      },
    },
  );
  return names;
}

/**
 * Refuses fragments that reach themselves, before anything is expanded.
 * @throws EngineError validation-failed, with the path walked through the fragments
 */
export function checkFragmentCycles(operation: Operation): void {
  const done = new Set<string>();
  const visit = (set: SelectionSetNode, path: string, open: readonly string[]): void => {
    for (const node of set.selections) {
      if (node.kind === Kind.FRAGMENT_SPREAD) {
        const name = node.name.value;
        const start = open.indexOf(name);
        if (start >= 0) {
          const message = `the fragment definition(s) ${wordList(open.slice(start))} form a cycle`;
          throw new EngineError('validation-failed', message, { path });
        }
        const fragment = operation.fragments.get(name);
        if (!fragment || done.has(name)) continue;
        visit(fragment.selectionSet, pathStep(pathStep(path, name), 'selectionSet'), [...open, name]);
        done.add(name);
      } else if (node.kind === Kind.INLINE_FRAGMENT) visit(node.selectionSet, path, open);
      else if (node.selectionSet)
        visit(node.selectionSet, pathStep(pathStep(path, node.name.value), 'selectionSet'), open);
    }
  };
  visit(operation.node.selectionSet, '$.selectionSet', []);
}
