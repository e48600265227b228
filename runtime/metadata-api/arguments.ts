/** Argument schemas that many operations share. */
import type { z } from 'zod';
import type { QualifiedName } from '../metadata/metadata.ts';
import {
  choose,
  isObject,
  nameSchema,
  object,
  qualifiedNameSchema,
  withDefault,
} from '../metadata/schemas/shared.ts';

/** Name of the source; `default` unless given. */
export const sourceArgument: z.ZodType<string> = withDefault(nameSchema, 'default');

export const tableArguments = { table: qualifiedNameSchema, source: sourceArgument };

export const noArguments = object<object>({});

export interface FunctionArguments {
  readonly function: QualifiedName;
  readonly source: string;
}

/** A bare function name, which means one of source `default`, or `{function, source}`, in which the function may be called `table`. */
export const functionArguments: z.ZodType<FunctionArguments> = choose((input) => {
  if (!isObject(input) || !('function' in input || 'table' in input))
    return qualifiedNameSchema.transform((name) => ({ function: name, source: 'default' }));
  if ('function' in input)
    return object<FunctionArguments>({ function: qualifiedNameSchema, source: sourceArgument });
  return object<Omit<FunctionArguments, 'function'> & { table: QualifiedName }>({
    table: qualifiedNameSchema,
    source: sourceArgument,
  }).transform(({ table, source }) => ({ function: table, source }));
});
