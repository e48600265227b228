/** Comparisons of a value with operators → SQL. */
import { EngineError } from '../errors.ts';
import type { Operator } from '../operators.ts';
import { unexpectedNull } from '../request/refusals.ts';
import type { InputNode } from '../request/selection.ts';
import { fixedType } from '../schema/shared-types.ts';
import type { TypeReference } from '../schema/types.ts';
import { raw, type Sql, sql } from '../sql/fragment.ts';
import { asOperand } from '../sql/operand.ts';
import { comparisonOf, nested } from '../sql/statement.ts';
import type { ColumnType } from '../types.ts';
import { partialCondition, type SqlCondition, sqlAnd, totalCondition } from './condition.ts';
import { arrayListOperand, listParameter, patternParameter, type Scope, valueParameter } from './scope.ts';

export type ObjectNode = Extract<InputNode, { kind: 'object' }>;

/** A comparison object: several operators are all required. */
export function comparison(node: ObjectNode, left: Sql, type: ColumnType, scope: Scope): SqlCondition {
  const definitions = node.type.fields();
  const conditions: SqlCondition[] = [];
  for (const [name, value] of node.fields) {
    const definition = definitions.get(name)!;
    const { meaning } = definition;
    if (value.kind === 'null') {
      if (scope.options.collapseNulls) continue;
      throw unexpectedNull(definition.type, value.path);
    }
    if (meaning.kind === 'isNull') {
      conditions.push(totalCondition(isNull(value, left)));
    } else if (meaning.kind === 'cast') {
      for (const inner of requireObjectNode(value, definition.type).fields.values()) {
        if (inner.kind === 'null') continue;
        const cast = sql`(${left})::${raw(meaning.type.sql)}`;
        const compared = comparison(objectOf(inner), cast, meaning.type, scope);
        conditions.push(isTotalCast(type) ? compared : partialCondition(compared.sql));
      }
    } else if (meaning.kind === 'operator') {
      const { operator } = meaning;
      conditions.push({
        sql: operation(operator, asOperand(left, type), value, type),
        isTotal: operator.isTotal(type),
      });
    } else {
      throw new Error(`a comparison has no ${meaning.kind}`);
    }
  }
  return sqlAnd(conditions);
}

/** True if every value of the type can be cast; to text, while others have a domain. */
function isTotalCast({ family }: ColumnType): boolean {
  return family === 'jsonb';
}

function isNull(value: InputNode, left: Sql): Sql {
  if (value.kind === 'boolean')
    return nested(value.value ? comparisonOf(left, 'is', raw('null')) : sql`${left} is not null`);
  throw new EngineError(
    'validation-failed',
    "expected a boolean for type 'Boolean', but found something else",
    { path: value.path },
  );
}

function operation(operator: Operator, left: Sql, value: InputNode, type: ColumnType): Sql {
  const { argument } = operator;
  switch (argument.kind) {
    case 'same':
      return operator.sql(
        type,
        left,
        operator.pattern ? patternParameter(value, type, operator.pattern) : valueParameter(value, type),
      );
    case 'list':
      return operator.sql(
        type,
        left,
        type.element ? arrayListOperand(value, type) : listParameter(value, type),
      );
    case 'type': {
      const fixed = fixedType(argument.type);
      return operator.sql(
        type,
        left,
        argument.list ? listParameter(value, fixed) : valueParameter(value, fixed),
      );
    }
    case 'object': {
      const fields = objectOf(value).fields;
      const operands = argument.fields.flatMap((field) => {
        const given = fields.get(field.name);
        const fieldType = field.type === 'same' ? type : fixedType(field.type);
        if (given && given.kind !== 'null') return [valueParameter(given, fieldType)];
        return field.defaultValue === undefined ? [] : [raw(String(field.defaultValue))];
      });
      return operator.sql(type, left, ...operands);
    }
  }
}

/** The object of a field that takes no null. @throws EngineError */
export function requireObjectNode(node: InputNode, type: TypeReference): ObjectNode {
  if (node.kind === 'null') throw unexpectedNull(type, node.path);
  return objectOf(node);
}

/** The object that a checked node of an input type is. */
export function objectOf(node: InputNode): ObjectNode {
  if (node.kind === 'object') return node;
  throw new EngineError(
    'validation-failed',
    `expected an object, but found ${node.kind === 'null' ? 'null' : 'something else'}`,
    { path: node.path },
  );
}
