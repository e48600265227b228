/** Directives of fields and operations. */
import type { DirectiveNode } from 'graphql';
import { EngineError, pathStep } from '../errors.ts';
import { BOOLEAN } from '../schema/shared-types.ts';
import { nonNull } from '../schema/types.ts';
import type { Operation } from './document.ts';
import type { SelectionContext } from './selection-set.ts';
import { inputNode } from './values.ts';

/** `@include` and `@skip`; other directives must exist. */
export function included(
  directives: readonly DirectiveNode[] | undefined,
  path: string,
  context: SelectionContext,
): boolean {
  if (!directives || directives.length === 0) return true;
  refuseRepeated(directives, path);
  let result = true;
  for (const directive of directives) {
    const name = directive.name.value;
    if (name !== 'include' && name !== 'skip') throw misplacedDirective(name, path);
    const given = directive.arguments?.find((argument) => argument.name.value === 'if');
    const directivePath = pathStep(pathStep(path, 'directives'), name);
    refuseUnknownArguments(directive, ['if'], directivePath);
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

function refuseRepeated(directives: readonly DirectiveNode[], path: string): void {
  const names = new Set<string>();
  const twice = new Set<string>();
  for (const { name } of directives) (names.has(name.value) ? twice : names).add(name.value);
  if (twice.size === 0) return;
  const list = [...twice].map((name) => `'${name}'`).join(', ');
  throw new EngineError('validation-failed', `the following directives are used more than once: ${list}`, {
    path,
  });
}

function refuseUnknownArguments(directive: DirectiveNode, known: readonly string[], path: string): void {
  const name = directive.arguments
    ?.map((argument) => argument.name.value)
    .find((each) => !known.includes(each));
  if (name === undefined) return;
  throw new EngineError('validation-failed', `'${directive.name.value}' has no argument named '${name}'`, {
    path,
  });
}

/** Directives known at other places than fields, and their arguments. */
const OPERATION_DIRECTIVES: ReadonlyMap<string, readonly string[]> = new Map([
  ['cached', ['ttl', 'refresh']],
  ['_multiple_top_level_fields', []],
]);

function misplacedDirective(name: string, path: string): EngineError {
  const text = OPERATION_DIRECTIVES.has(name)
    ? `directive '${name}' is not allowed on a field`
    : `directive '${name}' is not defined in the schema`;
  return new EngineError('validation-failed', text, { path });
}

/** Checks the directives of the operation. None of them changes a plain request. */
export function checkOperationDirectives(operation: Operation): void {
  const directives = operation.node.directives ?? [];
  refuseRepeated(directives, '$');
  for (const directive of directives) {
    const name = directive.name.value;
    const known =
      name === 'cached'
        ? operation.kind === 'query'
        : name === '_multiple_top_level_fields' && operation.kind === 'subscription';
    if (known) {
      refuseUnknownArguments(directive, OPERATION_DIRECTIVES.get(name)!, `$.directives.${name}`);
      continue;
    }
    const defined = name === 'include' || name === 'skip' || OPERATION_DIRECTIVES.has(name);
    throw new EngineError(
      'validation-failed',
      defined
        ? `directive '${name}' is not allowed on a ${operation.kind}`
        : `directive '${name}' is not defined in the schema`,
    );
  }
}
