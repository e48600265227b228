/** `on_conflict`. */
import { EngineError } from '../errors.ts';
import type { Scope } from '../query/scope.ts';
import { whereCondition } from '../query/where.ts';
import type { InputNode } from '../request/selection.ts';
import { sharedTypes } from '../schema/shared-types.ts';
import type { VisibleTable } from '../schema/visible-table.ts';
import { EVERY_ROW, type RuleText } from '../shapes.ts';
import { isDistributed } from '../shards/index.ts';
import { identifier, join, literal, raw, type Sql, sql } from '../sql/fragment.ts';
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
  if (notesChanges(visible, conflict)) conditions.push(noted('updated'));
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
export function checkOfInsert(visible: VisibleTable, conflict: Conflict | undefined, alias: Sql): RowCheck {
  const inserted = visible.insert?.check ?? EVERY_ROW;
  const updated = checkOfChanged(visible, conflict);
  if (updated === undefined) return markedCheck(visible, 'insert', inserted, alias);
  if (isDistributed(visible.table.source))
    throw new EngineError(
      'not-supported',
      `an upsert into the distributed table ${visible.table.key} cannot tell new rows from changed ones, and their checks differ`,
    );
  const ofNew = rowCheck(visible, 'insert', inserted, alias);
  const ofChanged = rowCheck(visible, 'update', updated, alias);
  const isNew = notesChanges(visible, conflict)
    ? sql`current_setting(${NOTE}) = 'inserted'`
    : sql`${alias}.xmax = 0`;
  return sql`case when ${isNew} then ${ofNew ?? PASSED} else ${ofChanged ?? PASSED} end`;
}

/** The update's check, where rows that a conflict changed have another one than new rows. */
function checkOfChanged(visible: VisibleTable, conflict: Conflict | undefined): RuleText | undefined {
  if (!conflict || conflict.columns.length === 0) return undefined;
  const updated = visible.update?.check;
  return updated === (visible.insert?.check ?? EVERY_ROW) ? undefined : updated;
}

/**
 * Whether an upsert notes what PostgreSQL does with each row, because its checks differ and nothing in the row says it. The
 * xmax of a table's row does: it is zero in a new row, and in a changed one the transaction that locked the row to change it.
 * Views have no system columns, and rows of partitioned tables may come without.
 *
 * The note is a setting. Right before a row is inserted it says `inserted` (see `noteOfRow`); the last condition of DO UPDATE,
 * which PostgreSQL evaluates only if the row was there, makes it `updated`; and the check, evaluated in RETURNING before the
 * next row is taken, reads it. So no look at the table decides, which would miss what other transactions commit meanwhile, and
 * a row that is left alone, by a condition or a trigger, leaves no note for the next one.
 */
export function notesChanges(visible: VisibleTable, conflict: Conflict | undefined): boolean {
  return visible.table.shape.kind !== 'table' && checkOfChanged(visible, conflict) !== undefined;
}

const NOTE = literal('engine.conflict');

/** A condition on each row to insert, which is always true. */
export const noteOfRow = noted('inserted');

function noted(what: 'inserted' | 'updated'): Sql {
  return sql`set_config(${NOTE}, ${literal(what)}, true) is not null`;
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
