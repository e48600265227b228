/** Conditions on an aggregate over the rows of an array relationship. */
import { EngineError } from '../errors.ts';
import type { Relationship } from '../program/program.ts';
import { unexpectedNull } from '../request/refusals.ts';
import type { InputNode } from '../request/selection.ts';
import { joinCondition, type VisibleTable } from '../schema/visible-table.ts';
import { builtIn, filterOf, isTrue, join, raw, type Sql, sql } from '../sql/fragment.ts';
import { nested, selectStatement } from '../sql/statement.ts';
import type { ColumnType } from '../types.ts';
import { comparison, type ObjectNode, objectOf } from './comparison.ts';
import { behind, type SqlCondition } from './condition.ts';
import { isTotalAlong, rowsFrom } from './nested.ts';
import type { Scope } from './scope.ts';
import { reached, related, rowRule } from './visible.ts';

/**
 * An aggregate without GROUP BY always gives one row, so the comparison of its value is written inside the subquery and
 * the rows are read once however many operators compare.
 * @param visible what the role sees of the table of `alias`
 * @param where the condition of a boolean expression on a row of the target
 */
export function aggregateCondition(
  relationship: Relationship,
  target: VisibleTable,
  node: ObjectNode,
  alias: Sql,
  visible: VisibleTable,
  scope: Scope,
  where: (node: InputNode | undefined, alias: Sql) => SqlCondition,
): SqlCondition {
  const { name, returns, fields } = predicateOf(node);
  const inner = scope.alias(relationship.name);
  const columns = argumentValues(fields, target, inner);
  const aggregate = builtIn(name, operand(columns, name));
  const filter = where(fields.get('filter'), inner);
  const conditions = [
    ...related(visible, relationship, target, alias, inner),
    behind(reached([joinCondition(relationship, alias, inner)], target, rowRule(target, inner)), filter),
  ].filter((condition) => !isTrue(condition));
  const compared = comparison(objectOf(fields.get('predicate')!), aggregate, returns, scope);
  // Without an aggregate a SELECT has as many rows as there are.
  if (isTrue(compared.sql)) return compared;
  return {
    sql: nested(
      selectStatement({
        columns: compared.sql,
        from: [{ rows: rowsFrom(visible, relationship, target, alias), alias: inner }],
        where: conditions,
      }),
    ),
    isTotal: compared.isTotal && filter.isTotal && TOTAL.has(name) && isTotalAlong(relationship, target),
  };
}

/**
 * A condition on an aggregate over the rows of a group, for HAVING. Unlike those of relationships it heeds `distinct`.
 * @param where the condition of a boolean expression on a row of the group
 */
export function groupCondition(
  node: ObjectNode,
  alias: Sql,
  visible: VisibleTable,
  scope: Scope,
  where: (node: InputNode | undefined) => Sql,
): Sql {
  const { name, returns, fields } = predicateOf(node);
  const columns = argumentValues(fields, visible, alias);
  const distinct = fields.get('distinct');
  const isDistinct = columns.length > 0 && distinct?.kind === 'boolean' && distinct.value;
  const condition = where(fields.get('filter'));
  const filter = isTrue(condition) ? raw('') : filterOf(condition);
  const aggregate = sql`${builtIn(name, sql`${raw(isDistinct ? 'distinct ' : '')}${operand(columns, name)}`)}${filter}`;
  return comparison(objectOf(fields.get('predicate')!), aggregate, returns, scope).sql;
}

/** The only function of a predicate. @throws EngineError if it does not have exactly one */
function predicateOf(node: ObjectNode): {
  readonly name: string;
  readonly returns: ColumnType;
  readonly fields: ObjectNode['fields'];
} {
  const [given, ...others] = node.fields;
  if (!given || others.length > 0)
    throw new EngineError('validation-failed', 'exactly one predicate should be specified', {
      path: node.path,
    });
  const [name, value] = given;
  const definition = node.type.fields().get(name)!;
  if (value.kind === 'null') throw unexpectedNull(definition.type, value.path);
  const { meaning } = definition;
  if (meaning.kind !== 'aggregateFunction' || !meaning.returns)
    throw new Error(`an aggregate predicate has no ${meaning.kind}`);
  return { name: meaning.function, returns: meaning.returns, fields: objectOf(value).fields };
}

function argumentValues(fields: ObjectNode['fields'], { select }: VisibleTable, alias: Sql): readonly Sql[] {
  return argumentColumns(fields.get('arguments')).map((column) => select!.columns.get(column)!.value(alias));
}

/** Aggregates that fail for no rows, however large their values are. */
const TOTAL: ReadonlySet<string> = new Set(['count', 'bool_and', 'bool_or']);

/** Several columns of a count are one row value; two of a correlation are two arguments. */
function operand(columns: readonly Sql[], name: string): Sql {
  if (columns.length === 0) return raw('*');
  const list = join(columns, ', ');
  return name === 'count' && columns.length > 1 ? nested(list) : list;
}

/** Database names of the columns: one, a list, or `{X, Y}`. */
function argumentColumns(node: InputNode | undefined): readonly string[] {
  if (!node || node.kind === 'null') return [];
  if (node.kind === 'list') return node.items.flatMap(argumentColumns);
  if (node.kind === 'enum') return [node.value];
  const { fields } = objectOf(node);
  return ['X', 'Y'].flatMap((name) => argumentColumns(fields.get(name)));
}
