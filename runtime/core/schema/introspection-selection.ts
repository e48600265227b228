/** Introspection fields that a document selects: by response name, fragments expanded, with values of arguments. */
import {
  type DirectiveNode,
  type FieldNode,
  type FragmentDefinitionNode,
  Kind,
  type SelectionSetNode,
  type ValueNode,
} from 'graphql';
import { EngineError } from '../errors.ts';
import { comparableArguments } from '../request/selection-set.ts';

/** A selected field. */
export interface Asked {
  /** `"name":` of the response. */
  readonly key: string;
  readonly name: string;
  readonly arguments: Readonly<Record<string, unknown>>;
  readonly below: readonly Asked[];
}

/** Types of the fields that have fields themselves. */
const BELOW: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  query_root: { __schema: '__Schema', __type: '__Type' },
  __Schema: {
    types: '__Type',
    queryType: '__Type',
    mutationType: '__Type',
    subscriptionType: '__Type',
    directives: '__Directive',
  },
  __Type: {
    fields: '__Field',
    interfaces: '__Type',
    possibleTypes: '__Type',
    enumValues: '__EnumValue',
    inputFields: '__InputValue',
    ofType: '__Type',
  },
  __Field: { args: '__InputValue', type: '__Type' },
  __InputValue: { type: '__Type' },
  __Directive: { args: '__InputValue' },
};

/** Maximum fields, fragments expanded: a few fragments that spread each other grow without end. */
const MAX_FIELDS = 10_000;

/** Expands selections of one request, which graphql-js has validated. */
export class IntrospectionSelection {
  readonly #fragments: ReadonlyMap<string, FragmentDefinitionNode>;
  readonly #variables: Readonly<Record<string, unknown>>;
  readonly #path: string;
  #fields = 0;

  constructor(
    fragments: ReadonlyMap<string, FragmentDefinitionNode>,
    variables: Readonly<Record<string, unknown>>,
    path: string,
  ) {
    this.#fragments = fragments;
    this.#variables = variables;
    this.#path = path;
  }

  /** The fields that selection sets of one object select, in the order of the document. @throws EngineError */
  of(type: string, sets: readonly SelectionSetNode[]): readonly Asked[] {
    const groups = new Map<string, FieldNode[]>();
    const visited = new Set<SelectionSetNode>();
    for (const set of sets) this.#collect(set, groups, visited);
    return [...groups].map(([responseName, nodes]) => {
      this.#fields += 1;
      if (this.#fields > MAX_FIELDS)
        throw new EngineError('validation-failed', `introspection of more than ${MAX_FIELDS} fields`, {
          path: this.#path,
        });
      const [first, ...rest] = nodes as [FieldNode, ...FieldNode[]];
      if (rest.length > 0) this.#checkMergeable(responseName, first, rest);
      const name = first.name.value;
      const below = BELOW[type]?.[name];
      const inner = nodes.flatMap(({ selectionSet }) => (selectionSet ? [selectionSet] : []));
      return {
        key: `${JSON.stringify(responseName)}:`,
        name,
        arguments: Object.fromEntries(
          (first.arguments ?? []).map((argument) => [argument.name.value, this.#value(argument.value)]),
        ),
        below: below === undefined ? [] : this.of(below, inner),
      };
    });
  }

  #checkMergeable(responseName: string, first: FieldNode, rest: readonly FieldNode[]): void {
    const written = comparableArguments(first);
    const isSame = (node: FieldNode) =>
      node.name.value === first.name.value && comparableArguments(node) === written;
    if (rest.every(isSame)) return;
    throw new EngineError(
      'validation-failed',
      `fields of the response name '${responseName}' are different fields or have different arguments`,
      { path: this.#path },
    );
  }

  /** @param visited selection sets that are in the groups: a fragment that is spread again has nothing to add */
  #collect(set: SelectionSetNode, groups: Map<string, FieldNode[]>, visited: Set<SelectionSetNode>): void {
    if (visited.has(set)) return;
    visited.add(set);
    for (const node of set.selections) {
      if (!this.#isIncluded(node.directives)) continue;
      if (node.kind === Kind.FIELD) {
        const responseName = node.alias?.value ?? node.name.value;
        const group = groups.get(responseName);
        if (group) group.push(node);
        else groups.set(responseName, [node]);
        // Types of introspection are objects: a fragment that fits is one for the type itself.
      } else if (node.kind === Kind.INLINE_FRAGMENT) this.#collect(node.selectionSet, groups, visited);
      else this.#collect(this.#fragments.get(node.name.value)!.selectionSet, groups, visited);
    }
  }

  #isIncluded(directives: readonly DirectiveNode[] = []): boolean {
    return directives.every(({ name, arguments: given }) => {
      const value = given?.[0] && this.#value(given[0].value);
      return name.value === 'skip' ? value !== true : name.value !== 'include' || value === true;
    });
  }

  #value(value: ValueNode): unknown {
    if (value.kind === Kind.VARIABLE) return this.#variables[value.name.value];
    return value.kind === Kind.STRING || value.kind === Kind.BOOLEAN ? value.value : null;
  }
}
