/** Questions to webhooks before a mutation writes: for each table and operation the input as the role sent it. */

import type { InputNode, RootArguments } from '../request/selection.ts';
import type { VisibleTable } from '../schema/visible-table.ts';
import type { ParameterSource } from '../sql/fragment.ts';
import type { InputQuestion, MutationStep } from './step.ts';

/** The step, with questions to be asked first. A step that writes nothing asks nothing. */
export function asking(step: MutationStep, questions: readonly InputQuestion[]): MutationStep {
  return step.kind === 'constant' || questions.length === 0 ? step : { ...step, questions };
}

export type WriteOperation = 'insert' | 'update' | 'delete';

/** A question about items, unless the role's permission has no webhook. */
export function question(
  visible: VisibleTable,
  operation: WriteOperation,
  items: readonly ParameterSource[],
): InputQuestion[] {
  const hook = visible[operation]?.validateInput;
  if (!hook) return [];
  return [{ hook, rule: visible.rule(operation).rule, input: { from: 'list', items } }];
}

/** The arguments of an update or a deletion as an item. */
export function argumentsItem(args: RootArguments): ParameterSource {
  return { from: 'object', fields: [...args].map(([name, node]) => [name, inputSource(node)]) };
}

/** Where the value of a node comes from, as the client wrote it. */
export function inputSource(node: InputNode): ParameterSource {
  switch (node.kind) {
    case 'null':
      return { from: 'constant', value: null };
    case 'object':
      return argumentsItem(node.fields);
    case 'list':
      return { from: 'list', items: node.items.map(inputSource) };
    case 'enum':
      return { from: 'constant', value: node.name };
    default:
      return node.source;
  }
}
