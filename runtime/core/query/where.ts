/** `where` arguments → SQL conditions. */
import type { ComputedField } from '../program.ts';
import { unexpectedNull } from '../request/refusals.ts';
import type { InputNode } from '../request/selection.ts';
import { joinCondition, type TableView } from '../schema/table-view.ts';
import type { TypeReference } from '../schema/types.ts';
import { and, identifier, isTrue, join, or, raw, type Sql, sql, TRUE } from '../sql/fragment.ts';
import { aggregateCondition } from './aggregate-predicate.ts';
import { comparison, type ObjectNode, objectOf, requireObject } from './comparison.ts';
import { computedField } from './computed.ts';
import { type Scope, valueParameter } from './scope.ts';
import { seen, visible, visibleThrough } from './visible.ts';

/**
 * The condition of a boolean expression on the row of an alias. Null, where allowed at all, is no condition. With `joins`,
 * a condition on the row of an object relationship may become a join behind the FROM of the alias.
 */
export function whereCondition(
  node: InputNode | undefined,
  alias: Sql,
  view: TableView,
  scope: Scope,
  joins?: Sql[],
): Sql {
  if (!node || node.kind === 'null') return TRUE;
  return expression(objectOf(node), alias, view, scope, joins);
}

/** @param joins only where the condition must hold: not below `_or` and `_not` */
function expression(
  node: ObjectNode,
  alias: Sql,
  view: TableView,
  scope: Scope,
  joins: Sql[] | undefined,
): Sql {
  const definitions = node.type.fields();
  const conditions: Sql[] = [];
  for (const [name, value] of node.fields) {
    const definition = definitions.get(name)!;
    const { meaning } = definition;
    switch (meaning.kind) {
      case 'and':
        conditions.push(
          and(
            items(value, definition.type)
              .map((item) => expression(item, alias, view, scope, joins))
              .filter((item) => !isTrue(item)),
          ),
        );
        break;
      case 'or':
        conditions.push(
          or(items(value, definition.type).map((item) => expression(item, alias, view, scope, undefined))),
        );
        break;
      case 'not':
        conditions.push(
          sql`not ${expression(requireObject(value, definition.type), alias, view, scope, undefined)}`,
        );
        break;
      case 'column':
        conditions.push(
          comparison(
            requireObject(value, definition.type),
            meaning.column.value(alias),
            meaning.column.column.type,
            scope,
          ),
        );
        break;
      case 'relationship': {
        const inner = scope.alias(meaning.relationship.name);
        const target = meaning.view;
        const condition = requireObject(value, definition.type);
        const tie = joinCondition(meaning.relationship, alias, inner);
        const rule = visibleThrough(view, meaning.relationship, target, inner);
        if (joins && meaning.relationship.shape.unique) {
          // At most one row matches, so the join neither repeats rows nor drops more than `exists` would.
          joins.push(sql` join ${target.table.sql} as ${inner} on ${tie}`);
          conditions.push(...rule, expression(condition, inner, seen(target), scope, joins));
          break;
        }
        const innerJoins: Sql[] = [];
        const nested = expression(condition, inner, seen(target), scope, innerJoins);
        conditions.push(
          exists(sql`${target.table.sql} as ${inner}${join(innerJoins, '')}`, [tie, ...rule, nested]),
        );
        break;
      }
      case 'aggregatePredicate':
        conditions.push(
          aggregateCondition(
            meaning.relationship,
            meaning.view,
            requireObject(value, definition.type),
            alias,
            view,
            scope,
            (filter, inner) => whereCondition(filter, inner, seen(meaning.view), scope),
          ),
        );
        break;
      case 'computedField':
        conditions.push(
          computedCondition(
            meaning.computedField,
            meaning.view,
            requireObject(value, definition.type),
            alias,
            view,
            scope,
          ),
        );
        break;
      case 'exists': {
        const inner = scope.alias(meaning.view.table.shape.name);
        conditions.push(
          exists(sql`${meaning.view.table.sql} as ${inner}`, [
            ...visible(meaning.view, inner),
            whereCondition(value, inner, seen(meaning.view), scope),
          ]),
        );
        break;
      }
      case 'columnComparison':
        conditions.push(
          sql`(${meaning.left.value(alias)} ${raw(meaning.operator)} ${meaning.right.value(alias)})`,
        );
        break;
      default:
        throw new Error(`a boolean expression has no ${meaning.kind}`);
    }
  }
  return and(conditions.filter((condition) => !isTrue(condition)));
}

function computedCondition(
  field: ComputedField,
  target: TableView | undefined,
  node: ObjectNode,
  alias: Sql,
  view: TableView,
  scope: Scope,
): Sql {
  if (!target) {
    const { returns } = field;
    if (!('type' in returns)) throw new Error(`the computed field ${field.name} returns no scalar`);
    return comparison(node, computedField(field, view, alias, undefined), returns.type, scope);
  }
  const inner = scope.alias(field.name);
  const joins: Sql[] = [];
  const nested = expression(node, inner, target, scope, joins);
  return exists(sql`${computedField(field, view, alias, undefined)} as ${inner}${join(joins, '')}`, [
    ...visible(target, inner),
    nested,
  ]);
}

/** `exists` over rows that the role may see. */
function exists(from: Sql, conditions: readonly Sql[]): Sql {
  const all = conditions.filter((condition) => !isTrue(condition));
  return sql`exists (select 1 from ${from} where ${all.length ? all.reduce((left, right) => sql`${left} and ${right}`) : TRUE})`;
}

function items(node: InputNode, type: TypeReference): ObjectNode[] {
  if (node.kind === 'null') throw unexpectedNull(type, node.path);
  return node.kind === 'list' ? node.items.map(objectOf) : [objectOf(node)];
}

/** Conditions that a row of a table must meet for a by-key field: its key and the role's rule. */
export function keyCondition(view: TableView, alias: Sql, args: ReadonlyMap<string, InputNode>): Sql[] {
  return view.table.primaryKey.map((column) => {
    const node = args.get(column.field!);
    if (!node) throw new Error(`the key argument ${column.field} is missing`);
    const readable = view.select?.columns.get(column.name);
    const left = readable ? readable.value(alias) : sql`${alias}.${identifier(column.name)}`;
    return sql`${left} = ${valueParameter(node, column.type)}`;
  });
}
