/**
 * Documents → selections: picks the operation, expands fragments in place, merges equal response names, and finds each
 * field's definition. Every error has the path of its field.
 */
import {
  type DirectiveNode,
  type DocumentNode,
  type FieldNode,
  type FragmentDefinitionNode,
  GraphQLError,
  Kind,
  type OperationDefinitionNode,
  parse,
  print as printAst,
  type SelectionSetNode,
  visit,
} from 'graphql';
import { EngineError, pathStep, UnknownName } from '../errors.ts';
import { lazy } from '../remember.ts';
import { BOOLEAN } from '../schema/shared-types.ts';
import {
  type AbstractType,
  type FieldDefinition,
  namedType,
  nonNull,
  type ObjectType,
} from '../schema/types.ts';
import type { InputNode, SelectedField, Selection } from './selection.ts';
import { inputNode } from './values.ts';
import { type DeclaredVariable, isOmitted, type Variables } from './variables.ts';

/** Maximum number of tokens of a document; more is an attack or a mistake. */
const MAX_TOKENS = 100_000;

/** Parses a document. @throws EngineError validation-failed at `$.query` */
export function parseDocument(query: string): DocumentNode {
  try {
    return parse(query, { noLocation: true, maxTokens: MAX_TOKENS });
  } catch (error) {
    if (!(error instanceof GraphQLError)) throw error;
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
  return { kind: node.operation, node, fragments, variables };
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

/** A field of the document, once per occurrence. */
interface Collected {
  readonly node: FieldNode;
  readonly path: string;
}

export interface SelectionContext {
  readonly operation: Operation;
  readonly variables: Variables;
  /** Below a field of a subscription that callers answer: joins are looked up whenever it is read. */
  readonly isWatched?: true;
}

/**
 * Most fields of one operation, fragments expanded. A few fragments that each spread the next one twice make a short text
 * grow without end; no honest operation comes near.
 */
const MAX_FIELDS = 100_000;

/** Fields expanded so far, by operation. */
const expanded = new WeakMap<SelectionContext, number>();

function countField(context: SelectionContext, path: string): void {
  const count = (expanded.get(context) ?? 0) + 1;
  if (count > MAX_FIELDS) {
    throw new EngineError('validation-failed', `the operation selects more than ${MAX_FIELDS} fields`, {
      path,
    });
  }
  expanded.set(context, count);
}

/** Expands an operation's root selection set against its root type. */
export function rootSelection(type: ObjectType, context: SelectionContext): Selection {
  return selection(type, [{ set: context.operation.node.selectionSet, path: '$' }], '$', context);
}

interface SelectionSource {
  readonly set: SelectionSetNode;
  /** Path of the field that has this selection set. */
  readonly path: string;
}

function selection(
  type: ObjectType | AbstractType,
  sources: readonly SelectionSource[],
  path: string,
  context: SelectionContext,
): Selection {
  const groups: Groups = new Map();
  for (const source of sources)
    collect(type, source.set, pathStep(source.path, 'selectionSet'), groups, context);
  const items = [...groups.values()].map((group) =>
    'type' in group
      ? selection(group.type, group.sources, path, context)
      : selectedField(type, group.responseName, group.nodes, context),
  );
  const argumentsPath = pathStep(path, 'args');
  const fields = items.filter((item): item is SelectedField => 'responseName' in item);
  const { name: typeName } = type;
  if (items.length === fields.length) return { typeName, argumentsPath, fields };
  const narrowed = items.filter((item): item is Selection => 'typeName' in item);
  return { typeName, argumentsPath, fields, narrowed, items };
}

/** The content of a selection set, in the order of the document: fields, and fragments for some of the possible types. */
type Groups = Map<string, FieldGroup | NarrowedGroup>;

interface FieldGroup {
  readonly responseName: string;
  readonly nodes: Collected[];
}

interface NarrowedGroup {
  readonly type: ObjectType | AbstractType;
  readonly sources: SelectionSource[];
}

/**
 * Collects a fragment's fields: in place where every object of the type fits its condition, as a selection of its own where
 * some do, and not at all where none does.
 */
function collectFragment(
  type: ObjectType | AbstractType,
  condition: string | undefined,
  set: SelectionSetNode,
  path: string,
  groups: Groups,
  context: SelectionContext,
): void {
  if (condition === undefined || condition === type.name || type.abstract?.().has(condition)) {
    collect(type, set, path, groups, context);
    return;
  }
  const narrower = type.kind === 'object' ? undefined : narrowerType(type, condition);
  if (!narrower) return;
  // A response name has no space.
  const key = ` ${narrower.name}`;
  const source = { set, path: path.replace(/\.selectionSet$/, '') };
  const group = groups.get(key);
  if (group && 'type' in group) group.sources.push(source);
  else groups.set(key, { type: narrower, sources: [source] });
}

/** The type of a name where some object of an abstract type is of it. */
function narrowerType(type: AbstractType, name: string): ObjectType | AbstractType | undefined {
  const possible = type.possible();
  const object = possible.get(name);
  if (object) return object;
  for (const each of possible.values()) {
    const found = each.abstract?.().get(name);
    if (found) return found;
  }
  return undefined;
}

function collect(
  type: ObjectType | AbstractType,
  set: SelectionSetNode,
  path: string,
  groups: Groups,
  context: SelectionContext,
): void {
  for (const node of set.selections) {
    if (node.kind === Kind.FIELD) {
      const fieldPath = pathStep(path, node.name.value);
      if (!included(node.directives, fieldPath, context)) continue;
      const responseName = node.alias?.value ?? node.name.value;
      const group = groups.get(responseName);
      countField(context, fieldPath);
      if (group && 'nodes' in group) group.nodes.push({ node, path: fieldPath });
      else groups.set(responseName, { responseName, nodes: [{ node, path: fieldPath }] });
    } else if (node.kind === Kind.INLINE_FRAGMENT) {
      if (!included(node.directives, path, context)) continue;
      collectFragment(type, node.typeCondition?.name.value, node.selectionSet, path, groups, context);
    } else {
      const name = node.name.value;
      if (!included(node.directives, path, context)) continue;
      const fragment = context.operation.fragments.get(name);
      if (!fragment)
        throw new EngineError('validation-failed', `reference to undefined fragment "${name}"`, {
          path: pathStep(path, name),
        });
      const condition = fragment.typeCondition.name.value;
      collectFragment(type, condition, fragment.selectionSet, path, groups, context);
    }
  }
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
        if (start >= 0) throw new EngineError('validation-failed', cycleText(open.slice(start)), { path });
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

function cycleText(names: readonly string[]): string {
  const list = names.length > 1 ? `${names.slice(0, -1).join(', ')} and ${names.at(-1)}` : names[0];
  return `the fragment definition(s) ${list} form a cycle`;
}

/** `@include` and `@skip`; other directives must exist. */
function included(
  directives: readonly DirectiveNode[] | undefined,
  path: string,
  context: SelectionContext,
): boolean {
  if (!directives || directives.length === 0) return true;
  const names = directives.map((directive) => directive.name.value);
  const twice = names.filter((name, index) => names.indexOf(name) !== index);
  if (twice.length > 0) {
    throw new EngineError(
      'validation-failed',
      `the following directives are used more than once: ${[...new Set(twice)].map((name) => `'${name}'`).join(', ')}`,
      { path },
    );
  }
  let result = true;
  for (const directive of directives) {
    const name = directive.name.value;
    if (name !== 'include' && name !== 'skip') throw misplacedDirective(name, path);
    const given = directive.arguments?.find((argument) => argument.name.value === 'if');
    const directivePath = pathStep(pathStep(path, 'directives'), name);
    if (!given)
      throw new EngineError('validation-failed', `missing required field 'if'`, { path: directivePath });
    const value = inputNode(nonNull(BOOLEAN), given.value, pathStep(directivePath, 'if'), context.variables);
    if (value.kind !== 'boolean')
      throw new EngineError('validation-failed', "expected a boolean for type 'Boolean'", {
        path: directivePath,
      });
    if (value.value === (name === 'skip')) result = false;
  }
  return result;
}

/** Directives known at other places than fields. */
const OPERATION_DIRECTIVES = new Set(['cached', '_multiple_top_level_fields']);

function misplacedDirective(name: string, path: string): EngineError {
  const text = OPERATION_DIRECTIVES.has(name)
    ? `directive '${name}' is not allowed on a field`
    : `directive '${name}' is not defined in the schema`;
  return new EngineError('validation-failed', text, { path });
}

/** Checks the directives of the operation. None of them changes a plain request. */
export function checkOperationDirectives(operation: Operation): void {
  for (const directive of operation.node.directives ?? []) {
    const name = directive.name.value;
    const known =
      name === 'cached'
        ? operation.kind === 'query'
        : name === '_multiple_top_level_fields' && operation.kind === 'subscription';
    if (known) continue;
    const defined = name === 'include' || name === 'skip' || OPERATION_DIRECTIVES.has(name);
    throw new EngineError(
      'validation-failed',
      defined
        ? `directive '${name}' is not allowed on a ${operation.kind}`
        : `directive '${name}' is not defined in the schema`,
    );
  }
}

/** Whether callers answer the field of a subscription. */
export function isWatched({ meaning }: FieldDefinition): boolean {
  return meaning.kind === 'call' && meaning.watched === true;
}

function selectedField(
  type: ObjectType | AbstractType,
  responseName: string,
  nodes: readonly Collected[],
  context: SelectionContext,
): SelectedField {
  const [first, ...rest] = nodes as [Collected, ...Collected[]];
  const name = first.node.name.value;
  const definition = type.fields().get(name);
  if (!definition)
    throw new UnknownName(type.name, name, `field '${name}' not found in type: '${type.name}'`, first.path);
  for (const other of rest) checkMergeable(first, other, responseName);
  if (definition.meaning.kind === 'join' && context.operation.kind === 'subscription' && !context.isWatched) {
    const message = 'Remote relationships are not allowed in subscriptions';
    throw new EngineError('not-supported', message, { path: first.path });
  }
  if (definition.meaning.kind === 'introspection') {
    return {
      responseName,
      definition,
      arguments: new Map(),
      selection: EMPTY,
      path: first.path,
      nodes: nodes.map(({ node }) => node),
    };
  }
  const target = namedType(definition.type);
  if (target.kind === 'object' || target.kind === 'interface' || target.kind === 'union') {
    const sets = nodes.flatMap(({ node, path }) =>
      node.selectionSet ? [{ set: node.selectionSet, path }] : [],
    );
    if (sets.length === 0)
      throw new EngineError('validation-failed', `missing selection set for '${name}'`, { path: first.path });
    const args = fieldArguments(definition, first, context);
    return {
      responseName,
      definition,
      arguments: args,
      selection: selection(
        target,
        sets,
        first.path,
        isWatched(definition) ? { ...context, isWatched: true } : context,
      ),
      path: first.path,
    };
  }
  if (first.node.selectionSet)
    throw new EngineError('validation-failed', 'unexpected subselection set for non-object field', {
      path: first.path,
    });
  return {
    responseName,
    definition,
    arguments: fieldArguments(definition, first, context),
    selection: EMPTY,
    path: first.path,
  };
}

const EMPTY: Selection = { typeName: '', argumentsPath: '$', fields: [] };

function checkMergeable(first: Collected, other: Collected, responseName: string): void {
  const a = first.node;
  const b = other.node;
  if (a.name.value !== b.name.value) {
    throw new EngineError(
      'validation-failed',
      `selection of both '${a.name.value}' and '${b.name.value}' specify the same response name, '${responseName}'`,
      { path: first.path },
    );
  }
  if (argumentsText(a) !== argumentsText(b)) {
    throw new EngineError(
      'validation-failed',
      `inconsistent arguments between multiple selections of field '${a.name.value}'`,
      { path: first.path },
    );
  }
}

function argumentsText(node: FieldNode): string {
  return (node.arguments ?? [])
    .map((argument) => printAst(argument))
    .sort()
    .join();
}

function fieldArguments(
  definition: FieldDefinition,
  { node, path }: Collected,
  context: SelectionContext,
): ReadonlyMap<string, InputNode> {
  const argumentsPath = pathStep(path, 'args');
  const values = new Map<string, InputNode>();
  for (const argument of node.arguments ?? []) {
    const name = argument.name.value;
    const known = definition.arguments.get(name);
    if (!known)
      throw new EngineError('validation-failed', `'${node.name.value}' has no argument named '${name}'`, {
        path,
      });
    if (isOmitted(known.type, argument.value, context.variables)) continue;
    if (values.has(name))
      throw new EngineError('validation-failed', `the argument '${name}' is given more than once`, { path });
    values.set(
      name,
      inputNode(
        known.type,
        argument.value,
        pathStep(argumentsPath, name),
        context.variables,
        known.defaultValue !== undefined,
      ),
    );
  }
  for (const known of definition.arguments.values()) {
    if (known.type.kind === 'nonNull' && known.defaultValue === undefined && !values.has(known.name)) {
      throw new EngineError('validation-failed', `missing required field '${known.name}'`, {
        path: argumentsPath,
      });
    }
  }
  return values;
}
