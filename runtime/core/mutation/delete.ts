/** Deletes. */

import { EVERY_ROW } from '../contract/shapes.ts';
import type { Path } from '../errors.ts';
import type { TableCall } from '../program/root-fields.ts';
import { asked } from '../query/rows.ts';
import { type Scope, scopeOf } from '../query/scope.ts';
import { keyCondition, whereCondition } from '../query/where.ts';
import type { Selection } from '../request/selection.ts';
import { ruleOrHole } from '../saved/holes.ts';
import { sharedTypes } from '../schema/shared-types.ts';
import { boundRule, type VisibleTable } from '../schema/visible-table.ts';
import type { Sql } from '../sql/fragment.ts';
import { deleteFrom } from '../sql/statement.ts';
import { checkOrHole } from './check.ts';
import { argumentsItem, asking, question } from './input-validation.ts';
import type { MutationStep } from './step.ts';
import { type AnswerForm, type Write, writeStep } from './written.ts';

/** Resolver of `delete_<t>`: the rows that the rule and `where` allow. */
export function deleteRows({ of, requester, selection, args }: TableCall): MutationStep {
  const scope = scopeOf(requester);
  const visible = scope.roleSchema.of(of);
  const alias = scope.alias(visible.table.shape.name);
  const rule = ruleCondition(visible, 'delete', alias);
  const conditions = [whereCondition(args.get('where'), alias, visible, scope, rule)];
  const step = remove(visible, alias, conditions, selection, 'object', scope);
  return asking(step, question(visible, 'delete', [argumentsItem(args)]));
}

/** Resolver of `delete_<t>_by_pk`. */
export function deleteRow({ of, requester, selection, args }: TableCall): MutationStep {
  const scope = scopeOf(requester);
  const visible = scope.roleSchema.of(of);
  const alias = scope.alias(visible.table.shape.name);
  const step = remove(visible, alias, keyCondition(visible, alias, args), selection, 'row', scope);
  const key = sharedTypes(visible.table.source).name('pk_columns');
  const item = { from: 'object', fields: [[key, argumentsItem(args)]] } as const;
  return asking(step, question(visible, 'delete', [item]));
}

function remove(
  visible: VisibleTable,
  alias: Sql,
  conditions: readonly Sql[],
  selection: Selection,
  form: AnswerForm,
  scope: Scope,
): MutationStep {
  return writeStep(deleteWrite(visible, alias, conditions), visible, selection, form, scope);
}

/** The DELETE of the rows that fulfil the role's rule and the conditions on the alias, if each passes the role's check. */
export function deleteWrite(
  visible: VisibleTable,
  alias: Sql,
  conditions: readonly Sql[],
  path: Path = '$',
): Write {
  const where = asked([...ruleCondition(visible, 'delete', alias), ...conditions]);
  const statement = deleteFrom({ table: visible.table.sql, alias, where });
  const check = checkOrHole(visible, 'delete', visible.delete!.check ?? EVERY_ROW, alias);
  return { statement, alias, check, path, visible };
}

/** Conditions on the rows that the role may change or delete; none for every row. */
export function ruleCondition(
  visible: VisibleTable,
  operation: 'update' | 'delete',
  alias: Sql,
): readonly Sql[] {
  const text = visible[operation]!.where;
  const conditions =
    text === EVERY_ROW ? [] : [boundRule(visible.read(text), visible.rule(operation, 'filter'))(alias)];
  return ruleOrHole(visible, operation, alias, conditions);
}
