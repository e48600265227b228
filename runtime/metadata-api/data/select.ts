/** The data operations that read. */
import { selectAggregate, selectRows } from '../../core/query/resolvers.ts';
import type { InputNode } from '../../core/request/selection.ts';
import { sharedTypes } from '../../core/schema/shared-types.ts';
import type { Request } from '../../graphql/request.ts';
import { type ColumnItem, field, plannerArguments, type RowsArguments, rowSelection } from './columns.ts';
import { dataRequest, type TableArguments } from './request.ts';
import { listedTable, readableColumn } from './table.ts';
import { nameNode } from './value.ts';

export interface SelectArguments extends TableArguments, RowsArguments {
  readonly columns: readonly ColumnItem[];
}

/** `select`: the JSON text of the rows. @throws EngineError */
export async function select(args: SelectArguments, request: Request): Promise<string> {
  const { table, scope, read } = dataRequest('select', args, request);
  const listed = listedTable(table);
  const selection = rowSelection(args.columns, listed, '$.columns');
  return read(
    selectRows({
      of: table.visible.table.shape,
      requester: scope,
      selection,
      args: plannerArguments(args, listed, '$'),
    }),
  );
}

export interface CountArguments extends TableArguments {
  readonly where?: object | undefined;
  readonly distinct?: readonly string[] | undefined;
}

/** `count`: the JSON text of `{count}`. Null counts as a value of `distinct` columns. @throws EngineError */
export async function count(args: CountArguments, request: Request): Promise<string> {
  const { table, scope, read } = dataRequest('select', args, request);
  const listed = listedTable(table);
  const names = new Map<string, InputNode>(
    args.distinct?.map((name, index) => {
      const path = `$.distinct[${index}]`;
      return [readableColumn(listed, name, path).column.name, nameNode(name, path)];
    }),
  );
  const rows = new Map(plannerArguments({ where: args.where }, listed, '$'));
  if (names.size > 0) {
    const { name } = sharedTypes(table.visible.table.source);
    rows.set(name('distinct_on'), { kind: 'list', path: '$.distinct', items: [...names.values()] });
  }
  const counted = { typeName: '', argumentsPath: '$', fields: [field('count', { kind: 'count' }, '$')] };
  const selection = { ...counted, fields: [field('aggregate', { kind: 'aggregate' }, '$', counted)] };
  const text = await read(
    selectAggregate({ of: table.visible.table.shape, requester: scope, selection, args: rows }),
  );
  const { aggregate } = JSON.parse(text) as { aggregate: object };
  return JSON.stringify(aggregate);
}
