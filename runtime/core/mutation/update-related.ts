/**
 * Updates with changes of related rows: one statement after the other, all in the transaction of the mutation. Each update
 * keeps the rows that it wrote, and the statements about rows related to them find those there: by the values that the
 * update left. So nothing related is written where nothing was updated, and every statement has the rule, presets and check
 * of the permission for its own table.
 *
 * The order is that of the request, an update before what is related to its rows; along one relationship deletions, then
 * updates, each with what is related to its rows, then inserts.
 * @rule In which order are related rows changed, and which rows are shown then?
 */

import { EVERY_ROW, mayRepeatKey } from '../contract/shapes.ts';
import type { Path } from '../errors.ts';
import type { Table } from '../program/program.ts';
import { asked } from '../query/rows.ts';
import type { Scope } from '../query/scope.ts';
import { reached, rowRule } from '../query/visible.ts';
import { whereCondition } from '../query/where.ts';
import type { InputNode, Selection } from '../request/selection.ts';
import { joinCondition, type VisibleTable } from '../schema/visible-table.ts';
import { raw, type Sql, sql } from '../sql/fragment.ts';
import { equality } from '../sql/operand.ts';
import type { Statement } from '../sql/print.ts';
import { and, columnOf, nested, selectStatement } from '../sql/statement.ts';
import { updateWrite } from './assignments.ts';
import { checkOrHole } from './check.ts';
import { deleteWrite, ruleCondition } from './delete.ts';
import { type FixedColumns, uniformSets } from './insert-rows.ts';
import { flatWrite, ownScope } from './insert-singly.ts';
import { keep, keepCount, keepRowsAs, keptCount, keptRowsAs, latestRows, rowColumn } from './kept.ts';
import { type RelatedChanges, relatedSize, type UpdateTree } from './related.ts';
import type { WriteStatement, WriteStep } from './step.ts';
import {
  type AnswerForm,
  asksForCount,
  asksForRows,
  chosenStatement,
  rowsStatement,
  type Write,
  writeThenRead,
} from './written.ts';

/** Conditions on the row of an alias. */
export type Conditions = (alias: Sql, scope: Scope) => readonly Sql[];

/** Rows that an update kept. */
interface Parents {
  readonly visible: VisibleTable;
  /** Of the setting that has them. */
  readonly name: string;
  /** The updates that this one is related to. */
  readonly depth: number;
}

/** The statements of an update with related changes, and the one that reads the answer. */
export function updateTree(
  visible: VisibleTable,
  conditions: Conditions,
  tree: UpdateTree,
  selection: Selection,
  form: AnswerForm,
  scope: Scope,
): WriteStep {
  const plan = new Plan(asksForCount(selection), scope);
  // Failures of the update itself belong where they do without related changes.
  const rows = plan.addUpdate(visible, conditions, { ...tree, path: '$' }, 0);
  const latest = asksForRows(selection, form) ? latestOf(visible, rows, scope) : undefined;
  const step = writeThenRead(plan.statements, visible, selection, form, keptCount, scope, latest);
  return { ...step, size: relatedSize(tree.related) };
}

/**
 * The kept rows as all changes left them. A row that the role may not select, that is gone, or whose table has no primary key
 * that it alone has is as its own update left it: a key may have gone over to another row, which the role must not see.
 */
function latestOf(visible: VisibleTable, rows: Sql, scope: Scope): Sql {
  const { table } = visible;
  if (table.primaryKey.length === 0 || mayRepeatKey(table.shape)) return rows;
  const now = scope.alias('now');
  const before = scope.alias('before');
  const same = table.primaryKey.map(({ name, type }) =>
    equality(columnOf(now, name), type, columnOf(before, name), type),
  );
  return latestRows(
    table,
    rows,
    before,
    now,
    and([...same, ...reached(same, visible, rowRule(visible, now))]),
  );
}

class Plan {
  readonly statements: WriteStatement[] = [];
  readonly #counts: boolean;
  readonly #scope: Scope;

  constructor(counts: boolean, scope: Scope) {
    this.#counts = counts;
    this.#scope = scope;
  }

  /**
   * An update, and what is related to its rows.
   * @returns its rows, where it keeps them
   */
  addUpdate(visible: VisibleTable, conditions: Conditions, tree: UpdateTree, depth: number): Sql {
    const scope = ownScope(this.#scope);
    const alias = scope.alias(visible.table.shape.name);
    const own = conditions(alias, scope);
    const write = updateWrite(visible, alias, own, tree.assignments, tree.path);
    const name = depth === 0 ? 'rows' : `related_${depth}`;
    const keeps = depth === 0 || tree.related.length > 0 ? [keepRowsAs(name, visible.table)] : [];
    if (write) this.#add(write, keeps, visible.table);
    else if (keeps.length > 0) this.#choose(visible, alias, own, tree.path, keeps);
    for (const changes of tree.related) this.#addRelated({ visible, name, depth }, changes);
    return keptRowsAs(name, visible.table);
  }

  /** An update without changes of its own chooses and locks the rows that it would write, and checks them. */
  #choose(
    visible: VisibleTable,
    alias: Sql,
    conditions: readonly Sql[],
    path: Path,
    columns: readonly Sql[],
  ): void {
    const where = asked([...ruleCondition(visible, 'update', alias), ...conditions]);
    const check = checkOrHole(visible, 'update', visible.update!.check ?? EVERY_ROW, alias);
    const count = this.#counts && this.statements.length === 0 ? [keep('count', raw("'0'"))] : [];
    const statement = chosenStatement(visible, alias, where, check, [...count, ...columns]);
    this.statements.push({ statement, path });
  }

  #addRelated(parents: Parents, changes: RelatedChanges): void {
    const { relationship, visible } = changes;
    const tie = (alias: Sql, scope: Scope): Sql => {
      const parent = scope.alias(relationship.name);
      const rows = keptRowsAs(parents.name, parents.visible.table);
      const where = [joinCondition(relationship, parent, alias)];
      return sql`exists ${nested(selectStatement({ columns: raw('1'), from: [{ rows, alias: parent }], where }))}`;
    };
    const conditionsOf =
      (operation: 'update' | 'delete', where: InputNode | undefined): Conditions =>
      (alias, scope) => {
        const tied = tie(alias, scope);
        const rule = [...ruleCondition(visible, operation, alias), tied];
        return [tied, whereCondition(where, alias, visible, scope, rule)];
      };
    if (changes.delete) {
      const scope = ownScope(this.#scope);
      const alias = scope.alias(visible.table.shape.name);
      const conditions = conditionsOf('delete', changes.delete.where)(alias, scope);
      this.#add(deleteWrite(visible, alias, conditions, changes.delete.path), [], visible.table);
    }
    for (const update of changes.updates)
      this.addUpdate(visible, conditionsOf('update', update.where), update, parents.depth + 1);
    if (changes.insert) this.#insert(parents, changes, changes.insert);
  }

  /** Each row once for every row that it is related to, in the order of their keys. */
  #insert(
    { visible: { table }, name }: Parents,
    { relationship, visible }: RelatedChanges,
    { rows, conflict, path }: NonNullable<RelatedChanges['insert']>,
  ): void {
    for (const set of uniformSets(visible, rows)) {
      const scope = ownScope(this.#scope);
      const parent = scope.alias(relationship.name);
      const fixed: Record<string, FixedColumns[string]> = {};
      for (const [own, target] of relationship.columns)
        fixed[target.name] = sql`${columnOf(parent, own.name)}::${raw(target.type.sql)}`;
      const each = {
        from: { rows: keptRowsAs(name, table), alias: parent },
        order: table.primaryKey.map((key) => columnOf(parent, key.name)),
      };
      this.#add(flatWrite(visible, set, conflict, path, fixed, scope, each), [], visible.table);
    }
  }

  #add(write: Write, keeps: readonly Sql[], table: Table): void {
    const count = this.#counts ? [keepCount(this.statements.length === 0)] : [];
    const columns = [...count, ...keeps];
    const statement: Statement = rowsStatement(
      write,
      columns.length > 0 ? columns : [raw('true')],
      keeps.length > 0 ? rowColumn(table) : undefined,
    );
    this.statements.push({ statement, path: write.path });
  }
}
