/**
 * Boolean expressions as row rules: conditions in SQL over `{row}`. Every alias that a rule introduces begins with the
 * prefix of rules and is numbered within the rule, so that neither a request nor another part of the rule captures it.
 *
 * Parts that can fail for a row (failing.ts) are evaluated behind those that cannot: `case when <others> then <part> end`.
 * So they see only rows that the others let through, and their errors tell nothing about the rest.
 */
import { printCondition } from '../../../runtime/core/condition/print.ts';
import { RULE_ALIAS, ruleText } from '../../../runtime/core/condition/rule.ts';
import {
  allOf,
  anyOf,
  type Condition,
  fromItem,
  leaf,
  not,
  type RuleFromItem,
} from '../../../runtime/core/condition/tree.ts';
import type { ComputedFieldShape, RuleText, SourceShape } from '../../../runtime/core/contract/shapes.ts';
import { hasInequality, OPERATORS } from '../../../runtime/core/operators.ts';
import { isDistributed } from '../../../runtime/core/shards/index.ts';
import {
  identifier,
  join,
  parameter,
  raw,
  row,
  type Sql,
  sql,
  wholeRow,
} from '../../../runtime/core/sql/fragment.ts';
import { equality, infixOperator, needsBaseType } from '../../../runtime/core/sql/operand.ts';
import { arrayParameter } from '../../../runtime/core/sql/spatial.ts';
import { type ColumnType, columnType } from '../../../runtime/core/types.ts';
import type { Argument, BooleanExpression, Operand, TableReference } from '../../model/model.ts';
import { canFail } from './failing.ts';
import { comparedValue } from './value.ts';

/** Context in which a condition is planned. */
interface Place {
  readonly source: SourceShape;
  /** The row that the condition is about. */
  readonly row: Sql;
  /** Makes the next alias of the rule. */
  readonly alias: () => Sql;
}

type Comparison = Extract<BooleanExpression, { kind: 'comparison' }>;
type Relationship = Extract<BooleanExpression, { kind: 'relationship' }>;

/** The rule text of a condition; the lines of a long one are indented by `indentation`. */
export function planCondition(
  source: SourceShape,
  condition: BooleanExpression,
  indentation: number,
): RuleText {
  return printCondition(conditionTree(source, condition), indentation);
}

/** A condition as the tree that is printed as its rule. */
export function conditionTree(source: SourceShape, condition: BooleanExpression): Condition {
  let aliases = 0;
  const alias = () => {
    aliases += 1;
    return identifier(`${RULE_ALIAS}${aliases}`);
  };
  return planClause({ source, row: row(), alias }, condition);
}

function planClause(place: Place, condition: BooleanExpression): Condition {
  switch (condition.kind) {
    case 'and':
      return guarded(conjunctsOf(condition).map((each) => plannedPart(place, each)));
    case 'or':
      return anyOf(condition.conditions.map((each) => planClause(place, each)));
    case 'not':
      return canFail(condition.condition, place.source)
        ? planNegation(place, condition.condition)
        : not(planClause(place, condition.condition));
    case 'comparison':
      return text(planComparison(place, condition));
    case 'column-comparison': {
      const right = sql`${condition.of === 'root' ? row() : place.row}.${identifier(condition.column)}`;
      return text(sql`${operand(place, condition.left)} ${raw(condition.operator)} ${right}`);
    }
    case 'is-null':
      return text(sql`${operand(place, condition.left)} is ${raw(condition.negated ? 'not null' : 'null')}`);
    case 'relationship': {
      const alias = place.alias();
      return exists(
        place,
        tableName(condition.target),
        alias,
        joinClauses(place, condition, alias),
        condition.condition,
      );
    }
    case 'computed-rows': {
      const call = functionCall(place, condition.field);
      const alias = place.alias();
      return exists(place, call, alias, [], condition.condition);
    }
    case 'exists': {
      const alias = place.alias();
      return exists(place, tableName(condition.target), alias, [], condition.condition);
    }
  }
}

/** A part of a conjunction. */
interface Part {
  readonly clause: Condition;
  readonly canFail: boolean;
}

function plannedPart(place: Place, condition: BooleanExpression): Part {
  return { clause: planClause(place, condition), canFail: canFail(condition, place.source) };
}

/** @param given further conditions that hold for the rows of the parts */
function guarded(parts: readonly Part[], given: readonly Condition[] = []): Condition {
  const failing = parts.filter((part) => part.canFail).map(({ clause }) => clause);
  const safe = parts.filter((part) => !part.canFail).map(({ clause }) => clause);
  const when = [...given, ...safe];
  if (failing.length === 0 || when.length === 0) return allOf([...safe, ...failing]);
  return allOf([...safe, { kind: 'guarded', when: allOf(when), part: allOf(failing) }]);
}

/** The conditions that `and` connects, at any depth. */
export function conjunctsOf(condition: BooleanExpression): readonly BooleanExpression[] {
  return condition.kind === 'and' ? condition.conditions.flatMap(conjunctsOf) : [condition];
}

/** `not` moved inwards, so that parts which can fail are behind the negations of the others. */
function planNegation(place: Place, condition: BooleanExpression): Condition {
  switch (condition.kind) {
    case 'and':
    case 'or': {
      const conditions = condition.conditions.map(
        (each): BooleanExpression => ({ kind: 'not', condition: each }),
      );
      return planClause(place, { kind: condition.kind === 'and' ? 'or' : 'and', conditions });
    }
    case 'not':
      return planClause(place, condition.condition);
    default:
      return not(planClause(place, condition));
  }
}

function text(fragment: Sql): Condition {
  return leaf(ruleText(fragment));
}

function tableName(table: TableReference): Sql {
  return identifier(table.schema, table.name);
}

function item(source: Sql, alias: Sql, on?: Condition): RuleFromItem {
  return fromItem(ruleText(source), ruleText(alias), on);
}

function joinClauses(place: Place, relationship: Relationship, alias: Sql): Condition[] {
  return Object.entries(relationship.columns).map(([here, there]) => {
    const [own, other] = relationship.types[here]!.map((type) => columnType(place.source, type));
    return text(
      equality(sql`${alias}.${identifier(there)}`, other!, sql`${place.row}.${identifier(here)}`, own!),
    );
  });
}

/**
 * A chain of single rows (the author's company's owner …) becomes joins within one `exists` instead of one `exists` in the
 * other: the same rows, read in one go, and measurably faster.
 */
function exists(
  place: Place,
  source: Sql,
  alias: Sql,
  joined: readonly Condition[],
  condition: BooleanExpression,
): Condition {
  const tables = [item(source, alias)];
  const parts: Part[] = joined.map((clause) => ({ clause, canFail: false }));
  const collect = (inner: Place, part: BooleanExpression): void => {
    if (part.kind === 'and') {
      for (const each of part.conditions) collect(inner, each);
    } else if (part.kind === 'relationship' && part.single) {
      const next = place.alias();
      tables.push(item(tableName(part.target), next, allOf(joinClauses(inner, part, next))));
      collect({ ...inner, row: next }, part.condition);
    } else {
      parts.push(plannedPart(inner, part));
    }
  };
  collect({ ...place, row: alias }, condition);
  const ties = tables.flatMap(({ on }) => on ?? []);
  return { kind: 'exists', from: tables, where: guarded(parts, ties) };
}

function operand(place: Place, left: Operand): Sql {
  const value =
    left.kind === 'column' ? sql`${place.row}.${identifier(left.column)}` : functionCall(place, left.field);
  return left.cast ? sql`${value}::${raw(columnType(place.source, left.type).sql)}` : value;
}

/** A computed field's function over the row. Only functions without further arguments are allowed in rules. */
function functionCall(place: Place, field: ComputedFieldShape): Sql {
  const given = field.arguments.map((_, index) =>
    index === field.tableArgument
      ? rowArgument(place, field.arguments[index]!.type)
      : parameter({ from: 'session-object' }, field.arguments[index]!.type),
  );
  return sql`${identifier(field.function.schema, field.function.name)}(${join(given, ', ')})`;
}

/** On a worker the row of a shard is of the shard's type, so it is made one of the table's. */
function rowArgument({ row, source }: Place, type: string): Sql {
  return isDistributed(source) ? sql`row(${row}.*)::${raw(columnType(source, type).sql)}` : wholeRow(row);
}

function planComparison(place: Place, { left, operator, right }: Comparison): Sql {
  const compared = columnType(place.source, left.type);
  const value = needsBaseType(compared)
    ? sql`${operand(place, left)}::${raw(compared.sql)}`
    : operand(place, left);
  if (right.kind === 'list') return planList(place, value, operator, right);
  // Equality is null-safe in rules. A literal or session variable is never null here, so equality needs nothing for
  // it, and inequality lets the rows without a value through.
  if (operator === '_neq' && left.nullable && right.kind === 'value')
    return isDistinct(value, comparedValue(columnType(place.source, right.type), right.value), compared);
  const entry = OPERATORS.find((each) => each.name === operator && each.accepts(compared))!;
  return withoutParentheses(entry.sql(compared, value, ...planArgument(place, right)));
}

/** @param value that is not null */
function isDistinct(left: Sql, value: Sql, type: ColumnType): Sql {
  // `is distinct from` takes the `=` that the search path has.
  return type.element
    ? sql`(${left}${infixOperator('=', type)}${value}) is not true`
    : sql`${left} is distinct from ${value}`;
}

/** A list of the metadata is written out: `in ('draft', 'review')`. */
function planList(
  place: Place,
  value: Sql,
  operator: string,
  list: Extract<Argument, { kind: 'list' }>,
): Sql {
  const type = columnType(place.source, list.type);
  const items = list.values.map((item) => comparedValue(type, item));
  if (type.element && items.length > 0 && (operator === '_in' || operator === '_nin')) {
    const any = join(
      items.map((item) => sql`${value}${infixOperator('=', type)}${item}`),
      ' or ',
    );
    return operator === '_in' ? sql`(${any})` : sql`not (${any})`;
  }
  if (operator === '_in') return items.length === 0 ? raw('false') : sql`${value} in (${join(items, ', ')})`;
  if (operator === '_nin') {
    if (items.length === 0) return raw('true');
    const list = join(items, ', ');
    return hasInequality(type) ? sql`${value} not in (${list})` : sql`not (${value} in (${list}))`;
  }
  const entry = OPERATORS.find((each) => each.name === operator)!;
  return withoutParentheses(
    entry.sql(type, value, sql`array[${join(items, ', ')}]::${raw(`${type.sql}[]`)}`),
  );
}

function planArgument(place: Place, right: Exclude<Argument, { kind: 'list' }>): Sql[] {
  switch (right.kind) {
    case 'value':
      return [comparedValue(columnType(place.source, right.type), right.value)];
    case 'session-list': {
      const type = columnType(place.source, right.type);
      const list = { from: 'session', name: right.name } as const;
      if (!type.element) return [arrayParameter(type, list)];
      // Postgres has no arrays of arrays, so the items travel as texts.
      const alias = place.alias();
      const cast = sql`${alias}."item"::${raw(type.sql)}`;
      return [sql`select ${cast} from pg_catalog.unnest(${parameter(list, 'text[]')}) as ${alias} ("item")`];
    }
    case 'fields':
      return right.values.map(({ type, value }) => comparedValue(columnType(place.source, type), value));
  }
}

/** The table of operators puts comparisons in parentheses; the layout knows where a rule needs them. */
function withoutParentheses(fragment: Sql): Sql {
  const first = fragment.nodes[0];
  const last = fragment.nodes.at(-1);
  if (first?.kind !== 'text' || last?.kind !== 'text' || first.text !== '(' || !last.text.endsWith(')'))
    return fragment;
  const end = last.text.slice(0, -1);
  const inner = fragment.nodes.slice(1, -1);
  return { nodes: end === '' ? inner : [...inner, { kind: 'text', text: end }] };
}
