/** Deletes. */
import { type Scope, scopeOf } from '../query/scope.ts';
import { keyCondition, whereCondition } from '../query/where.ts';
import type { RuleReference } from '../reason.ts';
import type { Selection } from '../request/selection.ts';
import type { TableCall } from '../root-fields.ts';
import { boundRule, type TableView } from '../schema/table-view.ts';
import { EVERY_ROW, type RuleText } from '../shapes.ts';
import { isTrue, join, raw, type Sql, sql } from '../sql/fragment.ts';
import type { MutationStep } from './step.ts';
import { type AnswerForm, writeStep } from './written.ts';

/** Resolver of `delete_<t>`: the rows that the rule and `where` allow. */
export function deleteRows({ of, requester, selection, args }: TableCall): MutationStep {
  const scope = scopeOf(requester);
  const view = scope.view.of(of);
  const alias = scope.alias(view.table.shape.name);
  const rule = ruleOfDelete(view, alias);
  const conditions = [whereCondition(args.get('where'), alias, view, scope, rule)];
  return remove(view, alias, conditions, selection, 'object', scope);
}

/** Resolver of `delete_<t>_by_pk`. */
export function deleteRow({ of, requester, selection, args }: TableCall): MutationStep {
  const scope = scopeOf(requester);
  const view = scope.view.of(of);
  const alias = scope.alias(view.table.shape.name);
  return remove(view, alias, keyCondition(view, alias, args), selection, 'row', scope);
}

function remove(
  view: TableView,
  alias: Sql,
  conditions: readonly Sql[],
  selection: Selection,
  form: AnswerForm,
  scope: Scope,
): MutationStep {
  const where = whereClause([...ruleOfDelete(view, alias), ...conditions]);
  const statement = sql`delete from ${view.table.sql} as ${alias}${where}`;
  return writeStep({ statement, alias, check: undefined, path: '$' }, view, selection, form, scope);
}

/** Conditions on the rows that the role may delete. */
function ruleOfDelete(view: TableView, alias: Sql): Sql[] {
  return ruleCondition(view, view.delete!.where, alias, view.rule('delete', 'filter'));
}

/** A row rule as a list of conditions, empty for every row. */
export function ruleCondition({ read }: TableView, text: RuleText, alias: Sql, rule: RuleReference): Sql[] {
  return text === EVERY_ROW ? [] : [boundRule(read(text).sql, rule)(alias)];
}

export function whereClause(conditions: readonly Sql[]): Sql {
  const all = conditions.filter((condition) => !isTrue(condition));
  return all.length ? sql` where ${join(all, ' and ')}` : raw('');
}
