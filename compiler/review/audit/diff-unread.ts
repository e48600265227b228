/**
 * New columns of tables that functions name whose bodies are not read: such a function may show whole rows, and then it shows the
 * column as well. Bodies in SQL are read; what they show is compared column by column.
 */
import type { Below } from '../../../runtime/core/contract/shapes.ts';
import type { GeneratedCode } from '../generated-code/index.ts';
import type { Finding } from './finding.ts';
import type { Matrix } from './matrix.ts';

/** A finding for each role that reads, by a view, computed field or function, what such a body may show. */
export function unreadFindings(base: GeneratedCode, head: GeneratedCode, after: Matrix): Finding[] {
  const finding = (role: string, source: string, table: string, what: string, shown: string): Finding => ({
    ...{ verdict: 'undecidable', subject: 'columns', role, source, table },
    text: `${what} may show new columns, by a body that is not read and may show whole rows: ${shown}`,
  });
  const shownBy = (source: string, below: Below | undefined) =>
    [...newColumns(base, head, source, Object.keys(below?.unread ?? {}))].join(', ');
  return [
    ...head.program.tables.flatMap((table): Finding[] => {
      const { key, shape, source } = table;
      const isComputed = (name: string) =>
        shape.columns[name]?.generated || shape.kind === 'view' || shape.kind === 'materialized';
      return Object.entries(head.accessOf(table).select ?? {}).flatMap(([role, rule]) => {
        const carriers = [
          ...rule.columns.flatMap((name) =>
            isComputed(name) ? [[`the column ${name}`, shape.columns[name]!.below] as const] : [],
          ),
          ...(rule.computedFields ?? []).map(
            (name) => [`the computed field ${name}`, shape.computedFields?.[name]?.below] as const,
          ),
        ];
        return carriers.flatMap(([what, below]) => {
          const shown = shownBy(source.name, below);
          return shown === '' ? [] : [finding(role, source.name, key, what, shown)];
        });
      });
    }),
    ...after.functions.flatMap(({ source, key, name, fields, returns }): Finding[] => {
      const called = head.program.functions.find((each) => each.key === key && each.source.name === source);
      const shown = shownBy(source, called?.shape.below);
      if (shown === '') return [];
      return Object.keys(fields).map((role) => finding(role, source, returns, `the function ${name}`, shown));
    }),
  ];
}

/** Columns that only the later version has, of tables that these functions name, or functions that they name. */
function newColumns(
  base: GeneratedCode,
  head: GeneratedCode,
  source: string,
  functions: readonly string[],
): Set<string> {
  const [before, after] = [base, head].map(({ databases }) => databases.get(source)?.objects ?? {});
  const shown = new Set<string>();
  const seen = new Set<string>();
  const visit = (key: string): void => {
    if (seen.has(key)) return;
    seen.add(key);
    for (const next of after![key]?.uses ?? []) {
      if (next.endsWith('()')) visit(next);
      const known = before![next]?.columns;
      for (const name of after![next]?.columns ?? [])
        if (name !== null && known && !known.includes(name)) shown.add(`${next}.${name} by ${key}`);
    }
  };
  for (const key of functions) visit(key.endsWith('()') ? key : `${key}()`);
  return shown;
}
