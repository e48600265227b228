/** Native queries with the arguments of a request, as parameters. */
import type { FunctionShape } from '../contract/shapes.ts';
import { EngineError } from '../errors.ts';
import { remember } from '../remember.ts';
import type { InputNode } from '../request/selection.ts';
import { raw, type Sql } from '../sql/fragment.ts';
import { columnType } from '../types.ts';
import { valueParameter } from './scope.ts';

/** @throws EngineError where an argument that has to be given is not, or is null */
export function nativeArgumentValues(
  shape: Pick<FunctionShape, 'source' | 'arguments'>,
  args: InputNode | undefined,
): (name: string) => Sql {
  const given = args?.kind === 'object' ? args.fields : new Map<string, InputNode>();
  // An expression in GROUP BY is that of the select list if it has the same parameter.
  const values = new Map<string, Sql>();
  const argumentOf = (name: string): Sql => {
    const { type: key, notNull } = shape.arguments.find((argument) => argument.name === name)!;
    const type = columnType(shape.source, key);
    const node = given.get(name);
    if (notNull && (!node || node.kind === 'null'))
      throw new EngineError('validation-failed', `the argument "${name}" must have a value`, {
        path: node?.path ?? args?.path ?? '$',
      });
    return node ? valueParameter(node, type) : raw(`null::${type.sql}`);
  };
  return (name) => remember(values, name, () => argumentOf(name));
}
