/**
 * Selection sets → selections: expands fragments in place, merges equal response names, and finds the definition of each
 * field. Every error has the path of its field.
 */
import { type FieldNode, Kind, print as printAst, type SelectionSetNode } from 'graphql';
import { EngineError, pathStep, UnknownName } from '../errors.ts';
import { type AbstractType, type FieldDefinition, namedType, type ObjectType } from '../schema/types.ts';
import { included } from './directives.ts';
import type { Operation } from './document.ts';
import { countNode } from './expansion.ts';
import { type InputNode, LEAF, type SelectedField, type Selection } from './selection.ts';
import { inputNode } from './values.ts';
import { isOmitted, type Variables } from './variables.ts';

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
  const collected: Collection = { groups: new Map(), visited: new Set() };
  for (const source of sources)
    collect(type, source.set, pathStep(source.path, 'selectionSet'), collected, context);
  const { groups } = collected;
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

interface Collection {
  readonly groups: Groups;
  /** Selection sets that are in the groups. A fragment that is spread again has nothing to add. */
  readonly visited: Set<SelectionSetNode>;
}

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
  collection: Collection,
  context: SelectionContext,
): void {
  if (condition === undefined || condition === type.name || type.abstract?.().has(condition)) {
    collect(type, set, path, collection, context);
    return;
  }
  const narrower = type.kind === 'object' ? undefined : narrowerType(type, condition);
  if (!narrower) return;
  // A response name has no space.
  const key = ` ${narrower.name}`;
  const source = { set, path: path.replace(/\.selectionSet$/, '') };
  const { groups } = collection;
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
  collection: Collection,
  context: SelectionContext,
): void {
  const { groups, visited } = collection;
  if (visited.has(set)) return;
  visited.add(set);
  for (const node of set.selections) {
    countNode(context.variables, node, path);
    if (node.kind === Kind.FIELD) {
      const fieldPath = pathStep(path, node.name.value);
      if (!included(node.directives, fieldPath, context)) continue;
      const responseName = node.alias?.value ?? node.name.value;
      const group = groups.get(responseName);
      if (group && 'nodes' in group) group.nodes.push({ node, path: fieldPath });
      else groups.set(responseName, { responseName, nodes: [{ node, path: fieldPath }] });
    } else if (node.kind === Kind.INLINE_FRAGMENT) {
      if (!included(node.directives, path, context)) continue;
      collectFragment(type, node.typeCondition?.name.value, node.selectionSet, path, collection, context);
    } else {
      const name = node.name.value;
      if (!included(node.directives, path, context)) continue;
      const fragment = context.operation.fragments.get(name);
      if (!fragment)
        throw new EngineError('validation-failed', `reference to undefined fragment "${name}"`, {
          path: pathStep(path, name),
        });
      const condition = fragment.typeCondition.name.value;
      collectFragment(type, condition, fragment.selectionSet, path, collection, context);
    }
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
  if (rest.length > 0) {
    const written = comparableArguments(first.node);
    for (const other of rest) checkMergeable(first, written, other, responseName);
  }
  if (definition.meaning.kind === 'join' && context.operation.kind === 'subscription' && !context.isWatched) {
    const message = 'Remote relationships are not allowed in subscriptions';
    throw new EngineError('not-supported', message, { path: first.path });
  }
  if (definition.meaning.kind === 'introspection') {
    return {
      responseName,
      definition,
      arguments: new Map(),
      selection: LEAF,
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
    const args = fieldArguments(type, definition, first, context);
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
    arguments: fieldArguments(type, definition, first, context),
    selection: LEAF,
    path: first.path,
  };
}

/** @param written the arguments of the first */
function checkMergeable(first: Collected, written: string, other: Collected, responseName: string): void {
  const a = first.node;
  const b = other.node;
  if (a.name.value !== b.name.value) {
    throw new EngineError(
      'validation-failed',
      `selection of both '${a.name.value}' and '${b.name.value}' specify the same response name, '${responseName}'`,
      { path: first.path },
    );
  }
  if (written !== comparableArguments(b)) {
    throw new EngineError(
      'validation-failed',
      `inconsistent arguments between multiple selections of field '${a.name.value}'`,
      { path: first.path },
    );
  }
}

/** Arguments of a field, to be compared. */
export function comparableArguments(node: FieldNode): string {
  return (node.arguments ?? [])
    .map((argument) => printAst(argument))
    .sort()
    .join();
}

function fieldArguments(
  type: ObjectType | AbstractType,
  definition: FieldDefinition,
  { node, path }: Collected,
  context: SelectionContext,
): ReadonlyMap<string, InputNode> {
  const argumentsPath = pathStep(path, 'args');
  const values = new Map<string, InputNode>();
  for (const argument of node.arguments ?? []) {
    const name = argument.name.value;
    const known = definition.arguments.get(name);
    if (!known) {
      const field = node.name.value;
      throw new UnknownName(
        type.name,
        `${field}(${name})`,
        `'${field}' has no argument named '${name}'`,
        path,
      );
    }
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
