/** The place in a request of the operand that Postgres refused. */
import type { Statement } from '../core/sql/print.ts';

const INVALID_REGULAR_EXPRESSION = '2201B';

/**
 * The path of the regular expression that is invalid; of several in the statement, what their paths have in common, since
 * Postgres does not say which it is. undefined for other errors.
 */
export function operandPath(
  error: unknown,
  { parameters }: Pick<Statement, 'parameters'>,
): string | undefined {
  if ((error as { code?: unknown } | null)?.code !== INVALID_REGULAR_EXPRESSION) return undefined;
  const paths = parameters.flatMap(({ encoding, path }) =>
    encoding?.as === 'regex' && path !== undefined ? [stepsOf(String(path))] : [],
  );
  const [first = ['$']] = paths;
  const common = first.findIndex((step, index) => paths.some((path) => path[index] !== step));
  return first.slice(0, common === -1 ? undefined : common).join('');
}

/** `$.args["a.b"][0]` → `$`, `.args`, `["a.b"]`, `[0]`. */
function stepsOf(path: string): readonly string[] {
  return path.match(/^\$|\.[^.[]+|\["(?:[^"\\]|\\.)*"\]|\[\d+\]/g) ?? [path];
}
