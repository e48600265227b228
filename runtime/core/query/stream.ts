/**
 * Streams: the rows behind a cursor in the order of one column, a batch at a time. Rows with equal values are never torn
 * apart, so a batch may be longer than was asked for, and the next one can begin strictly behind it.
 * @rule Which rows with equal values does a stream give together?
 */
import { EngineError } from '../errors.ts';
import { unexpectedNull } from '../request/refusals.ts';
import type { RootArguments, Selection } from '../request/selection.ts';
import { roleLimit } from '../saved/holes.ts';
import { sharedTypes } from '../schema/shared-types.ts';
import type { VisibleColumn, VisibleTable } from '../schema/visible-table.ts';
import { hasShards } from '../shards/index.ts';
import { builtIn, COUNT, filterOf, isTrue, join, parameter, raw, type Sql, sql } from '../sql/fragment.ts';
import { asOperand, compare } from '../sql/operand.ts';
import { typedParameter } from '../sql/spatial.ts';
import { type FromItem, nested, selectStatement } from '../sql/statement.ts';
import { hasTotalComparison } from '../total-comparison.ts';
import { encodeValue } from '../types.ts';
import { type ObjectNode, objectOf } from './comparison.ts';
import { jsonObjectOf } from './json-rows.ts';
import { type Scope, sourceOf, strictParameter } from './scope.ts';
import { rowEntries } from './select.ts';
import { rowRule, seen } from './visible.ts';
import { whereCondition } from './where.ts';

export interface StreamQuery {
  /** JSON list of the rows; null when there are none. */
  readonly rows: Sql;
  /** Text of the cursor column in the last row; null when there are none. */
  readonly last: Sql;
  /** FROM item of both. */
  readonly from: FromItem;
  /** Text of what the given position of the cursor means. */
  readonly start: Sql;
  /** GraphQL name of the cursor's column. */
  readonly field: string;
  /** Whether rows wait for transactions that may still commit rows before them; absent: none ever does. */
  readonly waits?: { readonly rows: Sql; readonly seconds: number };
}

/** The next batch of a stream. @throws EngineError unless its cursor is one column */
export function streamRows(
  target: VisibleTable,
  selection: Selection,
  args: RootArguments,
  scope: Scope,
): StreamQuery {
  const visible = seen(target);
  const name = sharedTypes(visible.table.source).name;
  const { column, value, direction } = readCursor(args, name);
  const alias = scope.alias(visible.table.shape.name);
  const batch = scope.alias('batch');
  const cursor = column.value(alias);
  const { type } = column.column;
  const start = value.kind === 'enum' ? ({ from: 'constant', value: value.value } as const) : sourceOf(value);
  const encode = value.kind === 'enum' ? String : (given: unknown) => encodeValue(type, given);
  const bound = typedParameter(type, { from: 'cursor', start }, encode, value.path);
  const rule = rowRule(visible, alias);
  const conditions = [
    ...rule,
    whereCondition(args.get('where'), alias, visible, scope, rule, undefined, [
      {
        sql: compare(asOperand(cursor, type), direction === 'desc' ? '<' : '>', type, bound),
        isTotal: hasTotalComparison(type),
      },
    ]),
  ].filter((condition) => !isTrue(condition));
  const object = jsonObjectOf(rowEntries(selection, visible, alias, scope), scope);
  const seconds = horizonOf(visible);
  const late = seconds === undefined ? [] : [sql`${isLate(alias)} as "late"`];
  const rows = selectStatement({
    columns: join([sql`${object} as "object"`, sql`${cursor} as "cursor"`, ...late], ', '),
    from: [{ rows: visible.table.sql, alias }],
    where: conditions,
    order: [sql`${cursor} ${raw(direction)}`],
    ending: sql`fetch first ${nested(batchSize(args, visible, name))} rows with ties`,
  });
  const shared = { field: column.field, start: sql`(${bound})::text` };
  const objects = builtIn('json_agg', sql`${batch}."object"`);
  const cursors = builtIn('array_agg', sql`(${batch}."cursor")::text`);
  if (seconds === undefined)
    return {
      ...shared,
      rows: objects,
      last: sql`${nested(cursors)}[${COUNT}]`,
      from: { rows: nested(rows), alias: batch },
    };
  // A row that waits holds back those behind it: the cursor would pass it.
  const waits = sql`${builtIn('bool_or', raw('"late"'))} over (order by "cursor" ${raw(direction)}) as "waits"`;
  const held = selectStatement({
    columns: join([raw('*'), waits], ', '),
    from: [{ rows: nested(rows), alias: batch }],
  });
  const goes = filterOf(sql`not ${batch}."waits"`);
  return {
    ...shared,
    rows: sql`${objects}${goes}`,
    last: sql`${nested(sql`${cursors}${goes}`)}[${COUNT}${goes}]`,
    from: { rows: nested(held), alias: batch },
    waits: { rows: builtIn('bool_or', sql`${batch}."waits"`), seconds },
  };
}

/** Rows of views and foreign tables do not say which transaction wrote them. */
function horizonOf({ table: { shape } }: VisibleTable): number | undefined {
  const isStored = shape.kind === 'table' || shape.kind === 'partitioned';
  return isStored && !hasShards(shape) ? shape.source.streamHorizon : undefined;
}

/**
 * Whether a transaction that is older than the row's, and may have taken a smaller value, still runs. A row has the last 32 bits
 * of a transaction's number, and every row that is visible is of a transaction that began before the snapshot's end.
 */
function isLate(alias: Sql): Sql {
  const floor = parameter({ from: 'horizon' }, 'bigint');
  const snapshot = (end: string) =>
    sql`${builtIn(`pg_snapshot_${end}`, builtIn('pg_current_snapshot'))}::text::bigint`;
  const oldest = builtIn('greatest', snapshot('xmin'), floor);
  return sql`(((${alias}.xmin::text::bigint - ${oldest}) & 4294967295) < ${snapshot('xmax')} - ${oldest})`;
}

/** The smaller of the argument and the role's limit. */
function batchSize(args: RootArguments, visible: VisibleTable, name: (name: string) => string): Sql {
  const wanted = strictParameter(args.get(name('batch_size'))!, 'bigint');
  return visible.select?.limit === undefined ? wanted : builtIn('least', wanted, roleLimit(visible));
}

interface Cursor {
  readonly column: VisibleColumn;
  readonly value: Parameters<typeof sourceOf>[0];
  readonly direction: string;
}

function readCursor(args: RootArguments, name: (name: string) => string): Cursor {
  const node = args.get('cursor')!;
  const items = (node.kind === 'list' ? node.items : [node]).filter(({ kind }) => kind !== 'null');
  if (items.length > 1)
    throw new EngineError('validation-failed', 'multiple column cursors are not supported yet', {
      path: node.path,
    });
  const none = new EngineError('validation-failed', 'one streaming column field is expected', {
    path: node.path,
  });
  const [item] = items;
  if (!item) throw none;
  const cursor: ObjectNode = objectOf(item);
  const values = objectOf(cursor.fields.get(name('initial_value'))!);
  const [entry, ...others] = values.fields;
  if (!entry) throw none;
  if (others.length > 0)
    throw new EngineError('validation-failed', 'multiple column cursors are not supported yet', {
      path: values.path,
    });
  const [field, value] = entry;
  const definition = values.type.fields().get(field)!;
  if (definition.meaning.kind !== 'column') throw new Error(`a cursor has no ${definition.meaning.kind}`);
  if (value.kind === 'null') throw unexpectedNull(definition.type, value.path);
  const ordering = cursor.fields.get('ordering');
  return {
    column: definition.meaning.column,
    value,
    direction: ordering?.kind === 'enum' ? ordering.value : 'asc',
  };
}
