/** The paths by which a role writes a column. */
import type { Table } from '../../../runtime/core/program.ts';
import { type AccessPath, names, type PathRule, ruleOf, type Scope, type Via } from './path.ts';
import { rootsOf } from './roots.ts';

export function writePaths(scope: Scope, table: Table, column: string): AccessPath[] {
  const { role, view } = scope;
  const { insert, update, delete: remove } = view.table(table);
  const roots = rootsOf(scope.code, scope.role).ofTable(table);
  const kinds = (start: string) =>
    names(roots.filter(({ kind, root }) => root === 'mutation' && kind.startsWith(start)));
  const path = (
    via: Via,
    fields: readonly string[],
    rules: readonly PathRule[],
    more: Partial<AccessPath> = {},
  ): AccessPath[] => (fields.length === 0 ? [] : [{ role, access: 'write', via, fields, rules, ...more }]);
  const backend = (rule: { readonly backendOnly?: true } | undefined) =>
    rule?.backendOnly ? { backendOnly: true as const } : {};
  const preset = (
    rule: { readonly presets?: Readonly<Record<string, string>> } | undefined,
    operation: 'insert' | 'update',
  ) =>
    rule?.presets && Object.hasOwn(rule.presets, column)
      ? path('preset', kinds(operation), ruleOf(scope, table, operation), {
          note: `always set to ${rule.presets[column]}`,
        })
      : [];
  const inserted = insert?.columns.includes(column);
  const updated = update?.columns.includes(column);
  const nested = insert ? nestedInserts(scope, table) : [];
  return [
    ...(inserted ? path('insert', kinds('insert'), ruleOf(scope, table, 'insert'), backend(insert)) : []),
    ...(inserted ? path('nested insert', nested, ruleOf(scope, table, 'insert'), backend(insert)) : []),
    ...(updated ? path('update', kinds('update'), ruleOf(scope, table, 'update'), backend(update)) : []),
    ...(insert && updated && (table.shape.primaryKey || table.shape.unique)
      ? path(
          'upsert',
          kinds('insert').map((field) => `on_conflict of ${field}`),
          [...ruleOf(scope, table, 'insert'), ...ruleOf(scope, table, 'update')],
        )
      : []),
    ...preset(insert, 'insert'),
    ...preset(update, 'update'),
    ...(remove
      ? path('delete', kinds('delete'), ruleOf(scope, table, 'delete'), {
          note: 'with the whole row',
          ...backend(remove),
        })
      : []),
  ];
}

/** Relationships of other tables along which rows of the table can be inserted together with theirs. */
function nestedInserts({ program, view }: Scope, table: Table): string[] {
  return program.tables
    .filter((from) => from.source === table.source && view.table(from).insert !== undefined)
    .flatMap((from) =>
      [...from.relationships.values()]
        .filter(({ target }) => target === table)
        .map(({ field }) => `${from.shape.graphqlName}.${field}`),
    );
}
