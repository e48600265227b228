/** The size of an operation, which limits of roles are compared with. */
import { Kind, type SelectionSetNode } from 'graphql';
import type { Operation } from './document.ts';

export interface OperationSize {
  /** Fields with a selection set below each other. */
  readonly depth: number;
  /** Fields with a selection set. */
  readonly nodes: number;
}

/** Sizes of parts of an operation that are at the same depth. */
export function largerSize(
  left: OperationSize | undefined,
  right: OperationSize | undefined,
): OperationSize | undefined {
  if (!left || !right) return left ?? right;
  return { depth: Math.max(left.depth, right.depth), nodes: left.nodes + right.nodes };
}

/** The size of an operation with what its arguments ask for: nodes, and levels below a root field. */
export function sizeWithArguments(
  { depth, nodes }: OperationSize,
  inArguments: OperationSize | undefined,
): OperationSize {
  if (!inArguments) return { depth, nodes };
  return { depth: Math.max(depth, inArguments.depth + 1), nodes: nodes + inArguments.nodes };
}

/** Measures an operation, fragments expanded, `__schema` and `__type` left out. Each fragment is looked at once. */
export function operationSize({ node, fragments }: Operation): OperationSize {
  const known = new Map<string, OperationSize>();
  const ofFragment = (name: string): OperationSize => {
    const before = known.get(name);
    if (before) return before;
    // A fragment that contains itself, or is missing, is refused when the operation is planned.
    known.set(name, { depth: 0, nodes: 0 });
    const fragment = fragments.get(name);
    const size = fragment ? ofSet(fragment.selectionSet) : { depth: 0, nodes: 0 };
    known.set(name, size);
    return size;
  };
  const ofSet = (set: SelectionSetNode): OperationSize => {
    let depth = 0;
    let nodes = 0;
    for (const selection of set.selections) {
      let size: OperationSize = { depth: 0, nodes: 0 };
      if (selection.kind === Kind.FRAGMENT_SPREAD) size = ofFragment(selection.name.value);
      else if (selection.kind === Kind.INLINE_FRAGMENT) size = ofSet(selection.selectionSet);
      else if (selection.selectionSet && !['__schema', '__type'].includes(selection.name.value)) {
        const below = ofSet(selection.selectionSet);
        size = { depth: below.depth + 1, nodes: below.nodes + 1 };
      }
      depth = Math.max(depth, size.depth);
      nodes += size.nodes;
    }
    return { depth, nodes };
  };
  return ofSet(node.selectionSet);
}
