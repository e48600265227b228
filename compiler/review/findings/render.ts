import { causesFirst, groupByCause } from '../../../runtime/core/diagnostics/causes.ts';
import type { Diagnostic } from '../../../runtime/core/diagnostics/diagnostic.ts';
import { formatPath } from '../../../runtime/core/diagnostics/path.ts';

/**
 * Prints a diagnostic for a terminal: code and place, then what is wrong, why it matters and what to do. `describe`
 * turns a path into names (`sources.default.tables.public.article`); without it the path is printed with its indexes.
 */
export function renderDiagnostic(
  diagnostic: Diagnostic,
  describe: (path: Diagnostic['path']) => string = formatPath,
): string {
  // A message of several lines (a parser's excerpt, a list of reasons) stays indented as a whole.
  const body = [diagnostic.message, ...(diagnostic.details ?? [])].flatMap((text) => text.split('\n'));
  return [head(diagnostic, describe), ...body.map((line) => `  ${line}`)].join('\n');
}

function head(
  { code, severity, path, location }: Diagnostic,
  describe: (path: Diagnostic['path']) => string,
) {
  const place = describe(path);
  return [
    severity === 'warning' ? `warning ${code}` : code,
    ...(place === '' ? [] : [place]),
    ...(location ? [`${location.file}:${location.line}:${location.column}`] : []),
  ].join('  ');
}

/** Prints diagnostics, each followed by an empty line. Consequences of one follow it, one per line. */
export function renderDiagnostics(
  diagnostics: readonly Diagnostic[],
  describe: (path: Diagnostic['path']) => string,
): string {
  return groupByCause(diagnostics)
    .map(({ diagnostic, consequences }) => {
      const lines = consequences.map((each) => `    ${head(each, describe)}`);
      const heading = lines.length > 0 ? ['  What follows from it:'] : [];
      return `${[renderDiagnostic(diagnostic, describe), ...heading, ...lines].join('\n')}\n\n`;
    })
    .join('');
}

/** Diagnostics for JSON, causes first, each with the name of what it is about. */
export function describeDiagnostics(
  diagnostics: readonly Diagnostic[],
  describe: (path: Diagnostic['path']) => string,
): object[] {
  return causesFirst(diagnostics).map(({ because, ...diagnostic }) => ({
    ...diagnostic,
    object: describe(diagnostic.path),
    ...(because && { because: { ...because, object: describe(because.path) } }),
  }));
}
