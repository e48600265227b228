/** The `path` argument of json fields: `$.a.b`, `a[0]`, `["x y"]` → Postgres text array. */
import { EngineError, type Path } from '../errors.ts';

const STEP = /\.?([\p{L}\p{N}_-]+)|\.?\[(\d+)\]|\.?\[(?:"((?:[^"\\]|\\.)*)"|'((?:[^'\\]|\\.)*)')\]/uy;

/** Steps of a path. @throws EngineError parse-failed, at `path`, where it stops making sense */
export function jsonPathSteps(text: string, path: Path): readonly string[] {
  const steps: string[] = [];
  let position = text.startsWith('$') ? 1 : 0;
  while (position < text.length) {
    STEP.lastIndex = position;
    const match = STEP.exec(text);
    if (!match) {
      throw new EngineError(
        'parse-failed',
        `parse json path error: ${text.slice(position)}. Accept letters, digits, underscore (_) or hyphen (-) only. Use quotes enclosed in bracket (["..."]) if there is any special character`,
        { path },
      );
    }
    position = STEP.lastIndex;
    const quoted = match[3] ?? match[4];
    steps.push(match[1] ?? match[2] ?? quoted!.replaceAll(/\\(.)/g, '$1'));
  }
  return steps;
}
