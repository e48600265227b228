/** The paths by which a role writes a column. */

import { ruleWords } from '../../../runtime/core/condition/words.ts';
import type { TableOperation } from '../../../runtime/core/contract/aspects.ts';
import { inferableKeys } from '../../../runtime/core/contract/shapes.ts';
import { deletionOf } from '../../../runtime/core/program/deletions.ts';
import type { Relationship, Table } from '../../../runtime/core/program/program.ts';
import { operationOf } from '../../../runtime/core/schema/offer.ts';
import { type RelatedOperation, relatedOperations } from '../../../runtime/core/schema/related-types.ts';
import { rulesOf } from '../../../runtime/core/schema/visible-table.ts';
import { referencesOf } from '../bound.ts';
import { copiedKeyPaths, determines, nestingsOf } from './nested-inserts.ts';
import {
  type AccessPath,
  distinctNames,
  type PathRule,
  type PathScope,
  pathRules,
  type Via,
} from './path.ts';
import { rootsOf } from './roots.ts';
import { tablesTowards } from './ways.ts';

export function writePaths(scope: PathScope, table: Table, column: string): AccessPath[] {
  const { role, roleSchema } = scope;
  const { insert, update, delete: remove } = roleSchema.table(table);
  const roots = rootsOf(scope.code, scope.role, table);
  const kinds = (operation: TableOperation) =>
    distinctNames(roots.filter(({ kind }) => operationOf(kind) === operation));
  const path = (
    via: Via,
    fields: readonly string[],
    rules: readonly PathRule[],
    more: Partial<AccessPath> = {},
  ): AccessPath[] => (fields.length === 0 ? [] : [{ role, access: 'write', via, fields, rules, ...more }]);
  const backend = (rule: { readonly backendOnly?: true } | undefined) =>
    rule?.backendOnly ? { backendOnly: true as const } : {};
  const preset = (
    rule: { readonly presets?: Readonly<Record<string, string>>; readonly backendOnly?: true } | undefined,
    fields: readonly string[],
    rules: readonly PathRule[],
  ) =>
    rule?.presets && Object.hasOwn(rule.presets, column)
      ? path('preset', fields, rules, {
          note: `always set to ${ruleWords(rule.presets[column]!, scope.code.program.vocabulary)}`,
          ...backend(rule),
        })
      : [];
  const inserted = insert?.columns.includes(column);
  const updated = update?.columns.includes(column);
  const nestings = nestingsOf(scope, table);
  const nested = (
    more: (fields: readonly string[], rules: readonly PathRule[]) => AccessPath[],
    all = nestings,
  ) =>
    all.flatMap(({ from, field, backendOnly }) =>
      more(
        [field],
        [...(from === table ? [] : pathRules(scope, from, 'insert')), ...pathRules(scope, table, 'insert')],
      ).map((each) => ({ ...each, ...(backendOnly && { backendOnly }) })),
    );
  return [
    ...(inserted ? path('insert', kinds('insert'), pathRules(scope, table, 'insert'), backend(insert)) : []),
    ...(inserted
      ? nested(
          (fields, rules) => path('nested insert', fields, rules),
          nestings.filter((nesting) => !determines(nesting, column)),
        )
      : []),
    ...copiedKeyPaths(scope, table, column),
    ...(updated ? path('update', kinds('update'), pathRules(scope, table, 'update'), backend(update)) : []),
    ...relatedPaths(scope, table, column),
    ...(insert && updated && inferableKeys(table.shape).length > 0
      ? path(
          'upsert',
          [...kinds('insert'), ...nestings.map(({ field }) => field)].map(
            (field) => `on_conflict of ${field}`,
          ),
          [...pathRules(scope, table, 'insert'), ...pathRules(scope, table, 'update')],
        )
      : []),
    ...preset(insert, kinds('insert'), pathRules(scope, table, 'insert')),
    ...nested((fields, rules) => preset(insert, fields, rules)),
    ...preset(update, kinds('update'), pathRules(scope, table, 'update')),
    ...(remove
      ? path('delete', kinds('delete'), pathRules(scope, table, 'delete'), {
          note: 'with the whole row',
          ...backend(remove),
        })
      : []),
    ...deletedWith(scope, table, column),
  ];
}

/** A relationship along which updates of one table change rows of another, where the source has nested updates. */
interface RelatedWay {
  readonly from: Table;
  readonly relationship: Relationship;
  readonly operation: RelatedOperation;
}

/** The ways in which a role changes rows of the table with updates of the rows that lead to them. */
export function relatedWays({ role, program, roleSchema, code }: PathScope, table: Table): RelatedWay[] {
  const { shape } = table;
  const { rules } = roleSchema.table(table);
  return [...tablesTowards(program, table)].flatMap((from) => {
    const leading = [...from.relationships.values()].filter(({ target }) => target === table);
    if (leading.length === 0) return [];
    const roots = rootsOf(code, role, from);
    if (!roots.some(({ kind }) => operationOf(kind) === 'update')) return [];
    return leading.flatMap((relationship) =>
      relatedOperations({ shape, rules }, relationship.shape.kind, true).map((operation) => ({
        from,
        relationship,
        operation,
      })),
    );
  });
}

function relatedPaths(scope: PathScope, table: Table, column: string): AccessPath[] {
  const target = scope.roleSchema.table(table);
  return relatedWays(scope, table).flatMap(({ from, relationship, operation }): AccessPath[] => {
    const rule = target[operation]!;
    const isNamed = 'columns' in rule && rule.columns.includes(column);
    const presets: Readonly<Record<string, string>> = ('presets' in rule && rule.presets) || {};
    const preset = Object.hasOwn(presets, column)
      ? [`always set to ${ruleWords(presets[column]!, scope.code.program.vocabulary)}`]
      : [];
    // An insert fills the columns of the relationship in.
    const isKey = operation === 'insert' && relationship.columns.some(([, { name }]) => name === column);
    const key = isKey && preset.length === 0 ? ['the key of the updated row'] : [];
    const whole = operation === 'delete' ? ['with the whole row'] : [];
    const notes = [...preset, ...key, ...whole];
    if (!isNamed && notes.length === 0) return [];
    return [
      {
        role: scope.role,
        access: 'write',
        via: `nested ${operation}`,
        fields: [`related.${relationship.field} of ${from.shape.graphqlName}`],
        rules: [...pathRules(scope, from, 'update'), ...pathRules(scope, table, operation)],
        ...(notes.length > 0 && { note: notes.join('; ') }),
        ...(rule.backendOnly && { backendOnly: true }),
      },
    ];
  });
}

/** Deletions of rows of other tables, by which foreign keys delete or clear rows of this one. */
function deletedWith(scope: PathScope, table: Table, column: string): AccessPath[] {
  const { role, program, roleSchema, code } = scope;
  const beside = program.tables.filter(({ source }) => source === table.source);
  // What a role sees is asked of few tables: there may be thousands.
  const emptied = beside.filter((other) => other !== table && rulesOf(program.access(other), role).delete);
  if (emptied.length === 0) return [];
  const shapes = new Map(beside.map(({ key, shape }) => [key, shape]));
  const isReference = referencesOf(table.shape).some(({ columns }) => columns.includes(column));
  return emptied.flatMap((other): AccessPath[] => {
    const remove = roleSchema.table(other).delete;
    if (!remove) return [];
    const { deleted, changed } = deletionOf(other.key, shapes);
    const isDeleted = deleted.includes(table.key);
    if (!isDeleted && !(isReference && changed.includes(table.key))) return [];
    const fields = distinctNames(
      rootsOf(code, role, other).filter(({ kind }) => operationOf(kind) === 'delete'),
    );
    if (fields.length === 0) return [];
    const note = isDeleted ? `deleted with rows of ${other.key}` : `may be cleared with rows of ${other.key}`;
    const rules = pathRules(scope, other, 'delete');
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
