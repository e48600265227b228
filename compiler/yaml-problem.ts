/** Errors of YAML files, in one line. The library's text ends in an excerpt of several lines where the place is enough. */
import type { LineCounter, YAMLError } from 'yaml';

/** What is wrong, and where: `a flow sequence has to end with a ] at line 3, column 1`. */
export function yamlProblem({ message, pos }: YAMLError, lines: LineCounter): string {
  const { line, col } = lines.linePos(pos[0]);
  return `${message.split('\n')[0]!.replace(/( at line .*)?[:.]?$/, '')} at line ${Math.max(line, 1)}, column ${Math.max(col, 1)}`;
}
