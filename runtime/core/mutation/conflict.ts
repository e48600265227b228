/** `on_conflict`. */
import { EngineError } from '../errors.ts';
import type { Scope } from '../query/scope.ts';
import { whereCondition } from '../query/where.ts';
import type { InputNode } from '../request/selection.ts';
import { sharedTypes } from '../schema/shared-types.ts';
import type { VisibleTable } from '../schema/visible-table.ts';
import { EVERY_ROW } from '../shapes.ts';
import { isDistributed } from '../shards/index.ts';
import { identifier, join, raw, type Sql, sql } from '../sql/fragment.ts';
import { presetAssignments } from './assignments.ts';
import { markedCheck, PASSED, type RowCheck, rowCheck } from './check.ts';
import { ruleCondition, whereClause } from './delete.ts';

/** The action of an insert if the row exists already. */
export interface Conflict {
  /**
   * Columns of the constraint, or the name of an index that columns alone do not name; undefined = any constraint, which
   * allows only to leave the row alone.
   */
  readonly target: readonly string[] | string | undefined;
  /** Database columns that take the proposed values; empty = the row is not changed. */
  readonly columns: readonly string[];
  /** Condition on the existing rows to change, in addition to the role's rule; undefined = all. */
  readonly where: InputNode | undefined;
}

/** The `on_conflict` argument; null counts as absent. */
export function conflictOf(node: InputNode | undefined, visible: VisibleTable): Conflict | undefined {
  if (node?.kind !== 'object') return undefined;
  return {
    target: constraintColumns(node, visible),
    columns: updateColumns(node, visible),
    where: node.fields.get('where'),
  };
}

/** The clause. */
export function conflictClause(
  conflict: Conflict | undefined,
  visible: VisibleTable,
  alias: Sql,
  scope: Scope,
): Sql {
  if (!conflict) return raw('');
  const target = conflictTarget(conflict.target);
  if (conflict.columns.length === 0) return sql` on conflict${target} do nothing`;
  const assignments = [
    ...conflict.columns.map((name) => sql`${identifier(name)} = excluded.${identifier(name)}`),
    ...presetAssignments(visible),
  ];
  const rule = ruleCondition(visible, 'update', alias);
  const conditions = [...rule, whereCondition(conflict.where, alias, visible, scope, rule)];
  return sql` on conflict${target} do update set ${join(assignments, ', ')}${whereClause(conditions)}`;
}

/** Postgres accepts no index by name, so an index without a constraint gets the error of a missing constraint. */
function conflictTarget(target: Conflict['target']): Sql {
  if (target === undefined) return raw('');
  if (typeof target === 'string') return sql` on constraint ${identifier(target)}`;
  return sql` (${join(
    target.map((name) => identifier(name)),
    ', ',
  )})`;
}

/**
 * The check of an insert: of rows that are new the insert rule's, of rows that a conflict changed the update rule's if it
 * has one.
 */
export function checkOfInsert(
  visible: VisibleTable,
  conflict: Conflict | undefined,
  alias: Sql,
  scope: Scope,
): RowCheck {
  const inserted = visible.insert?.check ?? EVERY_ROW;
  const updated = conflict && conflict.columns.length > 0 ? visible.update?.check : undefined;
  if (updated === undefined || updated === inserted) return markedCheck(visible, 'insert', inserted, alias);
  if (isDistributed(visible.table.source))
    throw new EngineError(
      'not-supported',
      `an upsert into the distributed table ${visible.table.key} cannot tell new rows from changed ones, and their checks differ`,
    );
  const ofNew = rowCheck(visible, 'insert', inserted, alias);
  const ofChanged = rowCheck(visible, 'update', updated, alias);
  const isNew = isNewRow(visible, conflict?.target, alias, scope);
  return sql`case when ${isNew} then ${ofNew ?? PASSED} else ${ofChanged ?? PASSED} end`;
}

/**
 * Whether the statement inserted a returned row: then its xmax is zero. Rows of partitioned tables may come without system
 * columns; a new one is not among those that were there when the statement began.
 */
function isNewRow({ table }: VisibleTable, target: Conflict['target'], alias: Sql, scope: Scope): Sql {
  if (table.shape.kind !== 'partitioned' || typeof target !== 'object') return sql`${alias}.xmax = 0`;
  const before = scope.alias('before');
  const same = target.map((name) => sql`${before}.${identifier(name)} = ${alias}.${identifier(name)}`);
  return sql`not exists (select 1 from ${table.sql} as ${before} where ${join(same, ' and ')})`;
}

type ObjectNode = Extract<InputNode, { kind: 'object' }>;

/** A constraint is named by its columns, which holds for unique indexes over columns too. */
function constraintColumns(node: ObjectNode, { table }: VisibleTable): readonly string[] | string {
  const constraint = node.fields.get('constraint');
  const name = constraint?.kind === 'enum' ? constraint.value : '';
  if (name === table.shape.primaryKey?.name) return table.shape.primaryKey.columns;
  return table.shape.unique?.[name] ?? name;
}

/** Naming a column twice changes nothing. */
function updateColumns(node: ObjectNode, visible: VisibleTable): string[] {
  const list = node.fields.get(sharedTypes(visible.table.source).name('update_columns'));
  if (!list || list.kind === 'null') return [];
  const items = list.kind === 'list' ? list.items : [list];
  const names = items.flatMap((item) => {
    if (item.kind !== 'enum') return [];
    if (item.value === '')
      throw new EngineError('validation-failed', 'erroneous column name', { path: item.path });
    return [item.value];
  });
  return [...new Set(names)];
}
