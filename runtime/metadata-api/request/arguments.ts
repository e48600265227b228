/** Argument codecs that many operations share. */

import { isObject } from '../../core/json/json.ts';
import type { Codec } from '../../metadata/codec.ts';
import { argument, choose, object, withDefault } from '../../metadata/combinators.ts';
import { qualifiedName } from '../../metadata/kinds/shared.ts';
import type { QualifiedName } from '../../metadata/metadata.ts';
import { name } from '../../metadata/values.ts';

/** Name of the source; `default` unless given. */
export const sourceArgument: Codec<string> = withDefault(name, 'default');

export const tableArguments = { table: qualifiedName, source: sourceArgument };

export const noArguments = object({});

export interface FunctionArguments {
  readonly function: QualifiedName;
  readonly source: string;
}

/** A bare function name, which means one of source `default`, or `{function, source}`, in which the function may be called `table`. */
export const functionArguments: Codec<FunctionArguments> = choose((input) => {
  if (!isObject(input) || !('function' in input || 'table' in input))
    return argument(qualifiedName, (given) => ({ function: given, source: 'default' }));
  if ('function' in input) return object({ function: qualifiedName, source: sourceArgument });
  return argument(object(tableArguments), ({ table, source }) => ({ function: table, source }));
});
