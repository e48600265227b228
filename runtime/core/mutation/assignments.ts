/** Changes of columns: as requests ask for them, and as an UPDATE makes them. */

import { EVERY_ROW } from '../contract/shapes.ts';
import { EngineError, type Path } from '../errors.ts';
import type { Column } from '../program/program.ts';
import { objectOf } from '../query/comparison.ts';
import { asked } from '../query/rows.ts';
import { listParameter, strictParameter, valueParameter } from '../query/scope.ts';
import type { InputNode } from '../request/selection.ts';
import { presetValue } from '../saved/holes.ts';
import { UPDATE_OPERATORS, type UpdateOperator } from '../schema/mutation-types.ts';
import { fixedType, sharedTypes } from '../schema/shared-types.ts';
import type { VisibleTable } from '../schema/visible-table.ts';
import { raw, type Sql, sql } from '../sql/fragment.ts';
import { columnOf, type SetColumn, updateOf } from '../sql/statement.ts';
import { checkOrHole } from './check.ts';
import { ruleCondition } from './delete.ts';
import type { Write } from './written.ts';

export type Arguments = ReadonlyMap<string, InputNode>;

/** One column's change. GraphQL has no `multiply` and no `default`; the legacy data operations do. */
export type Assignment =
  | { readonly column: Column; readonly operator: UpdateOperator | 'multiply'; readonly value: InputNode }
  | { readonly column: Column; readonly operator: 'default' };

/** The UPDATE of the rows that fulfil the role's rule and the conditions on the alias; undefined where it would change nothing. */
export function updateWrite(
  visible: VisibleTable,
  alias: Sql,
  conditions: readonly Sql[],
  given: readonly Assignment[],
  path: Path = '$',
): Write | undefined {
  const assignments = [
    ...given.map((each) => ({ column: each.column.name, value: assigned(each, alias) })),
    ...presetAssignments(visible),
  ];
  if (assignments.length === 0) return undefined;
  const where = asked([...ruleCondition(visible, 'update', alias), ...conditions]);
  const statement = updateOf({ table: visible.table.sql, alias, set: assignments, where });
  const check = checkOrHole(visible, 'update', visible.update!.check ?? EVERY_ROW, alias);
  return { statement, alias, check, path, visible };
}

/** `"column" = <rule expression>` for each preset of updates. */
export function presetAssignments(visible: VisibleTable): SetColumn[] {
  return Object.keys(visible.update?.presets ?? {}).map((column) => ({
    column,
    value: presetValue(visible, 'update', column),
  }));
}

/** The changes that the arguments ask for. @throws EngineError when two operators name one column */
export function givenAssignments(visible: VisibleTable, args: Arguments, path: Path): Assignment[] {
  const { name } = sharedTypes(visible.table.source);
  const assignments: Assignment[] = [];
  const seen = new Set<string>();
  const twice: string[] = [];
  for (const operator of UPDATE_OPERATORS) {
    const node = args.get(name(operator.name));
    if (!node || node.kind === 'null') continue;
    const object = objectOf(node);
    const definitions = object.type.fields();
    for (const [field, value] of object.fields) {
      const { meaning } = definitions.get(field)!;
      if (meaning.kind !== 'column') throw new Error(`an update has no ${meaning.kind}`);
      const { column } = meaning.column;
      if (seen.has(column.name)) twice.push(field);
      seen.add(column.name);
      assignments.push({ column, operator: operator.name, value });
    }
  }
  if (twice.length > 0) {
    const list = twice.map((field) => `'${field}'`).join(', ');
    throw new EngineError('validation-failed', `Column found in multiple operators: [${list}].`, { path });
  }
  return assignments;
}

function assigned(assignment: Assignment, alias: Sql): Sql {
  if (assignment.operator === 'default') return raw('default');
  const { operator, column, value } = assignment;
  const current = columnOf(alias, column.name);
  switch (operator) {
    case '_set':
      return valueParameter(value, column.type);
    case '_inc':
      return sql`${current} + ${valueParameter(value, column.type)}`;
    case '_append':
      return sql`${current} || ${valueParameter(value, column.type)}`;
    case '_prepend':
      return sql`${valueParameter(value, column.type)} || ${current}`;
    case '_delete_key':
      return sql`${current} - ${value.kind === 'null' ? raw('null::text') : strictParameter(value, 'text')}`;
    case '_delete_elem':
      return sql`${current} - ${value.kind === 'null' ? raw('null::integer') : strictParameter(value, 'integer')}`;
    case '_delete_at_path':
      return sql`${current} #- ${value.kind === 'null' ? raw('null::text[]') : listParameter(value, fixedType('text'))}`;
    case 'multiply':
      return sql`${current} * ${valueParameter(value, column.type)}`;
  }
}
