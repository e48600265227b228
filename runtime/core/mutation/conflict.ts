/**
 * `on_conflict`.
 * @rule What does `on_conflict` do, and who may use it?
 */

import { EVERY_ROW, type RuleText } from '../contract/shapes.ts';
import { EngineError } from '../errors.ts';
import { asked } from '../query/rows.ts';
import type { Scope } from '../query/scope.ts';
import { whereCondition } from '../query/where.ts';
import type { InputNode } from '../request/selection.ts';
import { sharedTypes } from '../schema/shared-types.ts';
import type { VisibleTable } from '../schema/visible-table.ts';
import { isDistributed } from '../shards/index.ts';
import { builtIn, identifier, join, literal, raw, type Sql, sql, TRUE } from '../sql/fragment.ts';
import type { Insert } from '../sql/statement.ts';
import { nested } from '../sql/statement.ts';
import { presetAssignments } from './assignments.ts';
import { checkOrHole, PASSED, type RowCheck, rowCheck } from './check.ts';
import { ruleCondition } from './delete.ts';

/** The action of an insert if the row exists already. */
export interface Conflict {
  /** What names the constraint or index; undefined = any, which allows only to leave the row alone. */
  readonly target: Sql | undefined;
  /** Database columns that take the proposed values; empty = the row is not changed. */
  readonly columns: readonly string[];
  /** Condition on the existing rows to change, in addition to the role's rule; undefined = all. */
  readonly where: InputNode | undefined;
}

/** The `on_conflict` argument; null counts as absent. */
export function conflictOf(node: InputNode | undefined, visible: VisibleTable): Conflict | undefined {
  if (node?.kind !== 'object') return undefined;
  return {
    target: conflictTarget(node, visible),
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
): Insert['conflict'] {
  if (!conflict) return undefined;
  const { target } = conflict;
  if (conflict.columns.length === 0) return { target, set: [], where: [] };
  const assignments = [
    ...conflict.columns.map((column) => ({ column, value: sql`excluded.${identifier(column)}` })),
    ...presetAssignments(visible),
  ];
  const rule = ruleCondition(visible, 'update', alias);
  const conditions = [...rule, whereCondition(conflict.where, alias, visible, scope, rule)];
  if (notesChanges(visible, conflict)) conditions.push(noted('updated'));
  return { target, set: assignments, where: asked(conditions) };
}

/**
 * The check of an insert: of rows that are new the insert rule's, of rows that a conflict changed the update rule's if it
 * has one.
 */
export function checkOfInsert(visible: VisibleTable, conflict: Conflict | undefined, alias: Sql): RowCheck {
  const inserted = visible.insert?.check ?? EVERY_ROW;
  const updated = checkOfChanged(visible, conflict);
  if (updated === undefined) return checkOrHole(visible, 'insert', inserted, alias);
  if (isDistributed(visible.table.source))
    throw new EngineError(
      'not-supported',
      `an upsert into the distributed table ${visible.table.key} cannot tell new rows from changed ones, so the insert and the update permission need the same check`,
    );
  const ofNew = rowCheck(visible, 'insert', inserted, alias);
  const ofChanged = rowCheck(visible, 'update', updated, alias);
  const isNew = notesChanges(visible, conflict)
    ? sql`${builtIn('current_setting', NOTE)} = 'inserted'`
    : sql`${alias}.xmax = 0`;
  return sql`case when ${isNew} then ${ofNew ?? PASSED} else ${ofChanged ?? PASSED} end`;
}

/** The update's check, where rows that a conflict changed have another one than new rows. */
function checkOfChanged(visible: VisibleTable, conflict: Conflict | undefined): RuleText | undefined {
  if (!conflict || conflict.columns.length === 0) return undefined;
  const { insert, update } = visible;
  const isSame =
    update?.check === (insert?.check ?? EVERY_ROW) && update?.checkMessage === insert?.checkMessage;
  return isSame ? undefined : update?.check;
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
  return sql`${builtIn('set_config', NOTE, literal(what), TRUE)} is not null`;
}

type ObjectNode = Extract<InputNode, { kind: 'object' }>;

/**
 * A constraint is named by its columns, which holds for unique indexes over columns too. An index over expressions or over some
 * rows has no name in PostgreSQL but its definition.
 */
function conflictTarget(node: ObjectNode, { table: { shape } }: VisibleTable): Sql {
  const constraint = node.fields.get('constraint');
  const name = constraint?.kind === 'enum' ? constraint.value : '';
  const definition = shape.conditionallyUnique?.[name];
  if (definition !== undefined) return raw(definition);
  const columns = name === shape.primaryKey?.name ? shape.primaryKey.columns : (shape.unique?.[name] ?? []);
  return targetOf(columns);
}

/** Names a constraint, or a unique index over columns, by its columns. */
export function targetOf(columns: readonly string[]): Sql {
  return nested(
    join(
      columns.map((column) => identifier(column)),
      ', ',
    ),
  );
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
