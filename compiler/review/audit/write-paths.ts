/** The paths by which a role writes a column. */

import type { Table } from '../../../runtime/core/program.ts';
import { relatedOperations } from '../../../runtime/core/schema/related-types.ts';
import { deletionOf } from '../../model/deletions.ts';
import { referencesOf } from '../bound.ts';
import { type AccessPath, names, type PathRule, ruleOf, type Scope, type Via } from './path.ts';
import { rootsOf } from './roots.ts';

export function writePaths(scope: Scope, table: Table, column: string): AccessPath[] {
  const { role, roleSchema } = scope;
  const { insert, update, delete: remove } = roleSchema.table(table);
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
    ...relatedPaths(scope, table, column),
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
    ...deletedWith(scope, table, column),
  ];
}

/** Changes of rows that are related to updated rows of other tables, where the source has nested updates. */
function relatedPaths(scope: Scope, table: Table, column: string): AccessPath[] {
  const { role, program, roleSchema, code } = scope;
  const target = roleSchema.table(table);
  return program.tables.flatMap((from) => {
    const updates = rootsOf(code, role).ofTable(from);
    if (from.source !== table.source || !updates.some(({ kind }) => kind.startsWith('update'))) return [];
    return [...from.relationships.values()].flatMap((relationship): AccessPath[] => {
      if (relationship.target !== table) return [];
      const fields = [`related.${relationship.field} of ${from.shape.graphqlName}`];
      const offered = relatedOperations(
        { shape: table.shape, rules: target.rules },
        relationship.shape.kind,
        true,
      );
      return offered.flatMap((operation): AccessPath[] => {
        const rule = target[operation]!;
        const isNamed = 'columns' in rule && rule.columns.includes(column);
        const preset =
          'presets' in rule && rule.presets && Object.hasOwn(rule.presets, column)
            ? rule.presets[column]
            : undefined;
        // An insert fills the columns of the relationship in.
        const isKey = operation === 'insert' && relationship.columns.some(([, { name }]) => name === column);
        if (operation !== 'delete' && !isNamed && preset === undefined && !isKey) return [];
        const notes = [
          ...(operation === 'delete' ? ['with the whole row'] : []),
          ...(preset !== undefined
            ? [`always set to ${preset}`]
            : isKey
              ? ['the key of the updated row']
              : []),
        ];
        return [
          {
            role,
            access: 'write',
            via: `nested ${operation}`,
            fields,
            rules: [...ruleOf(scope, from, 'update'), ...ruleOf(scope, table, operation)],
            ...(notes.length > 0 && { note: notes.join('; ') }),
            ...(rule.backendOnly && { backendOnly: true }),
          },
        ];
      });
    });
  });
}

/** Deletions of rows of other tables, by which foreign keys delete or clear rows of this one. */
function deletedWith(scope: Scope, table: Table, column: string): AccessPath[] {
  const { role, program, roleSchema, code } = scope;
  const beside = program.tables.filter(({ source }) => source === table.source);
  const shapes = new Map(beside.map(({ key, shape }) => [key, shape]));
  const isReference = referencesOf(table.shape).some(({ columns }) => columns.includes(column));
  return beside.flatMap((other): AccessPath[] => {
    const remove = roleSchema.table(other).delete;
    if (!remove || other === table) return [];
    const { deleted, changed } = deletionOf(other.key, shapes);
    const isDeleted = deleted.includes(table.key);
    if (!isDeleted && !(isReference && changed.includes(table.key))) return [];
    const fields = names(
      rootsOf(code, role)
        .ofTable(other)
        .filter(({ kind, root }) => root === 'mutation' && kind.startsWith('delete')),
    );
    if (fields.length === 0) return [];
    const note = isDeleted ? `deleted with rows of ${other.key}` : `may be cleared with rows of ${other.key}`;
    const rules = ruleOf(scope, other, 'delete');
    return [
      {
        role,
        access: 'write',
        via: 'delete',
        fields,
        rules,
        note,
        ...(remove.backendOnly && { backendOnly: true }),
      },
    ];
  });
}

/** Relationships of other tables along which rows of the table can be inserted together with theirs. */
function nestedInserts({ program, roleSchema }: Scope, table: Table): string[] {
  return program.tables
    .filter((from) => from.source === table.source && roleSchema.table(from).insert !== undefined)
    .flatMap((from) =>
      [...from.relationships.values()]
        .filter(({ target }) => target === table)
        .map(({ field }) => `${from.shape.graphqlName}.${field}`),
    );
}
