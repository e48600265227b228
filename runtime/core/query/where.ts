/** `where` arguments → SQL conditions. */

import { mayRepeatKey } from '../contract/shapes.ts';
import type { ComputedField, Table } from '../program/program.ts';
import { unexpectedNull } from '../request/refusals.ts';
import type { InputNode } from '../request/selection.ts';
import type { TypeReference } from '../schema/types.ts';
import { joinCondition, type VisibleTable } from '../schema/visible-table.ts';
import { isTrue, raw, type Sql, sql, TRUE } from '../sql/fragment.ts';
import { asOperand, compare } from '../sql/operand.ts';
import { columnOf, type FromItem, nested, type Select, selectStatement } from '../sql/statement.ts';
import { hasTotalComparison } from '../total-comparison.ts';
import { aggregateCondition } from './aggregate-predicate.ts';
import { comparison, type ObjectNode, objectOf, requireObjectNode } from './comparison.ts';
import { computedFieldSql } from './computed.ts';
import {
  behind,
  far,
  partialCondition,
  type SqlCondition,
  sqlAnd,
  sqlNot,
  sqlOr,
  totalCondition,
} from './condition.ts';
import { isTotalAlong, rowsFrom } from './nested.ts';
import { type Scope, valueParameter } from './scope.ts';
import { reached, rowRule, seen, visibleThrough } from './visible.ts';

/**
 * The condition of a boolean expression on the row of an alias. Null, where allowed at all, is no condition. With `joins`,
 * a condition on the row of an object relationship may become a join behind the FROM of the alias.
 * @param rule the role's conditions on the row; what is not total is evaluated only where they hold
 * @param further conditions that come before those of the node
 */
export function whereCondition(
  node: InputNode | undefined,
  alias: Sql,
  visible: VisibleTable,
  scope: Scope,
  rule: readonly Sql[],
  joins?: FromItem[],
  further: readonly SqlCondition[] = [],
): Sql {
  const conditions =
    !node || node.kind === 'null' ? [] : [expression(objectOf(node), alias, visible, scope, joins)];
  return behind(rule, sqlAnd([...further, ...conditions]));
}

/** @param joins only where the condition must hold: not below `_or` and `_not` */
function expression(
  node: ObjectNode,
  alias: Sql,
  visible: VisibleTable,
  scope: Scope,
  joins: FromItem[] | undefined,
): SqlCondition {
  const definitions = node.type.fields();
  const conditions: SqlCondition[] = [];
  for (const [name, value] of node.fields) {
    const definition = definitions.get(name)!;
    const { meaning } = definition;
    switch (meaning.kind) {
      case 'and':
        conditions.push(
          sqlAnd(items(value, definition.type).map((item) => expression(item, alias, visible, scope, joins))),
        );
        break;
      case 'or':
        conditions.push(
          sqlOr(
            items(value, definition.type).map((item) => expression(item, alias, visible, scope, undefined)),
          ),
        );
        break;
      case 'not':
        conditions.push(
          sqlNot(expression(requireObjectNode(value, definition.type), alias, visible, scope, undefined)),
        );
        break;
      case 'column': {
        const { column } = meaning;
        const operators = requireObjectNode(value, definition.type);
        const compared = comparison(operators, column.value(alias), column.column.type, scope);
        conditions.push(column.canFail ? partialCondition(compared.sql) : compared);
        break;
      }
      case 'relationship': {
        const isTogether = scope.conditionTables.enter(value.path);
        const inner = scope.alias(meaning.relationship.name);
        const target = meaning.visible;
        const condition = requireObjectNode(value, definition.type);
        const tie = joinCondition(meaning.relationship, alias, inner);
        const rule = visibleThrough(visible, meaning.relationship, target, inner);
        const innerJoins: FromItem[] = [];
        const nested = expression(condition, inner, seen(target), scope, innerJoins);
        scope.conditionTables.leave();
        const isTotal = nested.isTotal && isTotalAlong(meaning.relationship, target);
        const rows = rowsFrom(visible, meaning.relationship, target, alias);
        if (joins && isTogether && meaning.relationship.shape.unique && isTotal) {
          // At most one row matches, so the join neither repeats rows nor drops more than `exists` would.
          joins.push({ join: 'join', rows, alias: inner, on: tie }, ...innerJoins);
          conditions.push(...[...rule.map(totalCondition), nested].map(far));
          break;
        }
        const from = [{ rows, alias: inner }, ...innerJoins];
        // The whole rule, also where it follows from the one of the outer row: Postgres may look at other rows first.
        const guarded = behind(reached([tie], target, rowRule(target, inner)), nested);
        const all = [tie, ...reached([tie], target, rule), guarded].filter((each) => !isTrue(each));
        conditions.push(far({ sql: exists(from, all, isTogether), isTotal }));
        break;
      }
      case 'aggregatePredicate':
        // PostgreSQL makes no join of a subquery with an aggregate.
        scope.conditionTables.enter(value.path);
        conditions.push(
          far(
            aggregateCondition(
              meaning.relationship,
              meaning.visible,
              requireObjectNode(value, definition.type),
              alias,
              visible,
              scope,
              (filter, inner) => rowCondition(filter, inner, seen(meaning.visible), scope),
            ),
          ),
        );
        scope.conditionTables.leave();
        break;
      case 'computedField':
        conditions.push(
          computedCondition(
            meaning.computedField,
            meaning.visible,
            requireObjectNode(value, definition.type),
            alias,
            visible,
            scope,
          ),
        );
        break;
      case 'exists': {
        const isTogether = scope.conditionTables.enter(value.path);
        const inner = scope.alias(meaning.visible.table.shape.name);
        const rule = rowRule(meaning.visible, inner);
        const nested = rowCondition(value, inner, seen(meaning.visible), scope);
        scope.conditionTables.leave();
        const found = exists(
          [{ rows: meaning.visible.table.sql, alias: inner }],
          [...rule, behind(rule, nested)],
          isTogether,
        );
        conditions.push(far({ sql: found, isTotal: nested.isTotal && !meaning.visible.select?.canFail }));
        break;
      }
      case 'columnComparison':
        conditions.push({
          sql: nested(
            sql`${meaning.left.value(alias)} ${raw(meaning.operator)} ${meaning.right.value(alias)}`,
          ),
          isTotal:
            hasTotalComparison(meaning.left.column.type) && !meaning.left.canFail && !meaning.right.canFail,
        });
        break;
      default:
        throw new Error(`a boolean expression has no ${meaning.kind}`);
    }
  }
  return sqlAnd(conditions);
}

/** Like `whereCondition`, for the caller to guard. */
function rowCondition(
  node: InputNode | undefined,
  alias: Sql,
  visible: VisibleTable,
  scope: Scope,
): SqlCondition {
  return !node || node.kind === 'null'
    ? totalCondition(TRUE)
    : expression(objectOf(node), alias, visible, scope, undefined);
}

/** Functions may fail for any row. */
function computedCondition(
  field: ComputedField,
  target: VisibleTable | undefined,
  node: ObjectNode,
  alias: Sql,
  visible: VisibleTable,
  scope: Scope,
): SqlCondition {
  if (!target) {
    const { returns } = field;
    if (!('type' in returns)) throw new Error(`the computed field ${field.name} returns no scalar`);
    const value = computedFieldSql(field, visible, alias, undefined);
    return partialCondition(comparison(node, value, returns.type, scope).sql);
  }
  const isTogether = scope.conditionTables.enter(node.path);
  const inner = scope.alias(field.name);
  const joins: FromItem[] = [];
  const nested = expression(node, inner, target, scope, joins);
  scope.conditionTables.leave();
  const from = [{ rows: computedFieldSql(field, visible, alias, undefined), alias: inner }, ...joins];
  const rule = rowRule(target, inner);
  return partialCondition(exists(from, [...rule, behind(rule, nested)], isTogether));
}

/**
 * `exists` over rows that the role may see.
 * @param isTogether PostgreSQL may make a join of it; `offset 0` keeps it from that
 */
function exists(from: readonly FromItem[], conditions: readonly Sql[], isTogether: boolean): Sql {
  const all = conditions.filter((condition) => !isTrue(condition));
  const rows = selectStatement({
    columns: raw('1'),
    from,
    where: all.length > 0 ? all : [TRUE],
    ...(!isTogether && { offset: raw('0') }),
  });
  return sql`exists ${nested(rows)}`;
}

function items(node: InputNode, type: TypeReference): ObjectNode[] {
  if (node.kind === 'null') throw unexpectedNull(type, node.path);
  return node.kind === 'list' ? node.items.map(objectOf) : [objectOf(node)];
}

/** A limit where several rows may have the values of a primary key; any of them answers. */
export function onlyOne({ shape }: Table): Pick<Select, 'limit'> {
  return mayRepeatKey(shape) ? { limit: raw('1') } : {};
}

/** Conditions that a row of a table must meet for a by-key field: its key and the role's rule. */
export function keyCondition(visible: VisibleTable, alias: Sql, args: ReadonlyMap<string, InputNode>): Sql[] {
  return visible.table.primaryKey.map((column) => {
    const node = args.get(column.field!);
    if (!node) throw new Error(`the key argument ${column.field} is missing`);
    const readable = visible.select?.columns.get(column.name);
    const left = readable ? readable.value(alias) : columnOf(alias, column.name);
    return compare(asOperand(left, column.type), '=', column.type, valueParameter(node, column.type));
  });
}
