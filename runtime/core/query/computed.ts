/** Calls of Postgres functions: computed fields and tracked functions. */

import type { FunctionArgumentShape, SourceShape } from '../contract/shapes.ts';
import { EngineError } from '../errors.ts';
import { argumentNames, type QualifiedName } from '../names.ts';
import type { ComputedField, Table } from '../program/program.ts';
import type { InputNode } from '../request/selection.ts';
import type { VisibleTable } from '../schema/visible-table.ts';
import { isDistributed } from '../shards/index.ts';
import { identifier, parameter, type Sql, sql, wholeRow } from '../sql/fragment.ts';
import { callOf } from '../sql/statement.ts';
import { columnType } from '../types.ts';
import { valueParameter } from './scope.ts';

/**
 * The value of a computed field for the row of an alias: a scalar, or in a FROM clause the rows it returns. A scalar is
 * masked like a column where an inherited role sees it in some rows only.
 */
export function computedFieldSql(
  field: ComputedField,
  visible: VisibleTable,
  alias: Sql,
  args: InputNode | undefined,
): Sql {
  const { shape } = field;
  const { source } = visible.table;
  const fixed = new Map([[shape.tableArgument, rowArgument(visible.table, alias)]]);
  const call = functionCall(source, shape.function, shape.arguments, fixed, shape.sessionArgument, args);
  const mask = 'type' in field.returns ? visible.select?.computedMask(field.name) : undefined;
  return mask ? sql`case when ${mask(alias)} then ${call} end` : call;
}

/** The row of an alias as a value. On a worker the row of a shard is of the shard's type, so it is made one of the table's. */
export function rowArgument({ source, rowType }: Table, alias: Sql): Sql {
  return isDistributed(source) ? sql`row(${alias}.*)::${rowType}` : wholeRow(alias);
}

function omittedArgument(
  { schema, name }: QualifiedName,
  argument: string,
  args: InputNode | undefined,
): EngineError {
  const called = schema === 'public' ? name : `${schema}.${name}`;
  const message = `Non default arguments cannot be omitted: give the argument "${argument}" of the function "${called}"`;
  return new EngineError('not-supported', message, { path: args?.path ?? '$' });
}

/**
 * A call with the arguments that the client gave. Arguments with defaults may be left out: the last ones by position,
 * others by naming those that follow.
 * @throws EngineError not-supported when an argument without a default is missing
 */
export function functionCall(
  source: SourceShape,
  name: QualifiedName,
  list: readonly FunctionArgumentShape[],
  fixed: ReadonlyMap<number, Sql>,
  sessionArgument: number | undefined,
  args: InputNode | undefined,
): Sql {
  const given = args?.kind === 'object' ? args.fields : new Map<string, InputNode>();
  const names = argumentNames(list, new Set([...fixed.keys(), sessionArgument]));
  const values = list.map((argument, position) => {
    const own = fixed.get(position);
    if (own) return own;
    const type = columnType(source, argument.type);
    if (position === sessionArgument) return parameter({ from: 'session-object' }, type.sql);
    const node = given.get(names[position]!);
    return node && valueParameter(node, type);
  });
  let omitted = false;
  const parts: Sql[] = [];
  list.forEach((argument, position) => {
    const value = values[position];
    if (value === undefined) {
      if (!argument.hasDefault) throw omittedArgument(name, names[position]!, args);
      omitted = true;
    } else if (!omitted) parts.push(value);
    else if (argument.name !== null) parts.push(sql`${identifier(argument.name)} => ${value}`);
    // Without a name it cannot be given where an earlier one is left out.
    else throw omittedArgument(name, names[values.indexOf(undefined)]!, args);
  });
  return callOf(name.schema, name.name, parts);
}
