import type { Diagnostic } from './diagnostic.ts';
import { formatPath } from './path.ts';

/**
 * Prints a diagnostic for a terminal: code and place, then what is wrong, why it matters and what to do. `describe`
 * turns a path into names (`sources.default.tables.public.article`); without it the path is printed with its indexes.
 */
export function renderDiagnostic(
  diagnostic: Diagnostic,
  describe: (path: Diagnostic['path']) => string = formatPath,
): string {
  const { location, details = [] } = diagnostic;
  const place = describe(diagnostic.path);
  const head = [
    diagnostic.severity === 'warning' ? `warning ${diagnostic.code}` : diagnostic.code,
    ...(place === '' ? [] : [place]),
    ...(location ? [`${location.file}:${location.line}:${location.column}`] : []),
  ].join('  ');
  // A message of several lines (a parser's excerpt, a list of reasons) stays indented as a whole.
  const body = [diagnostic.message, ...details].flatMap((text) => text.split('\n'));
  return [head, ...body.map((line) => `  ${line}`)].join('\n');
}

/** Prints diagnostics as JSON, for tools: a list in the order given, one object each. */
export function renderDiagnosticsJson(diagnostics: readonly Diagnostic[]): string {
  return `${JSON.stringify(diagnostics, null, 2)}\n`;
}
