/** `columns` and `returning` of the legacy data operations → selections of the planner, by database names. */

import { EngineError, pathStep } from '../../core/errors.ts';
import type { InputNode, RootArguments, SelectedField, Selection } from '../../core/request/selection.ts';
import { COUNT_SCALAR, OFFSET, STRING, sharedTypes } from '../../core/schema/shared-types.ts';
import type { FieldMeaning } from '../../core/schema/types.ts';
import type { VisibleColumn } from '../../core/schema/visible-table.ts';
import { type OrderItem, orderNode } from './order-by.ts';
import {
  findComputedField,
  findRelationship,
  type ReadableRelationship,
  type ReadableTable,
  readableColumn,
} from './table.ts';
import { scalarNode } from './value.ts';
import { whereNode } from './where.ts';

/** Arguments of a list of rows. */
export interface RowsArguments {
  readonly where?: object | undefined;
  readonly order_by?: OrderItem | readonly OrderItem[] | undefined;
  readonly limit?: number | undefined;
  readonly offset?: number | undefined;
}

/** A column by its name, several by a star, or the rows behind a relationship. */
export type ColumnItem =
  | string
  | ({
      readonly name: string;
      readonly alias?: string | undefined;
      readonly columns: readonly ColumnItem[];
    } & RowsArguments);

/** Arguments of a list of rows, under the names that the planner knows them by. */
export function plannerArguments(args: RowsArguments, table: ReadableTable, path: string): RootArguments {
  const { where, order_by: order, limit, offset } = args;
  const nodes = new Map<string, InputNode>();
  if (where !== undefined) nodes.set('where', whereNode(where, table, `${path}.where`));
  if (order !== undefined) {
    const { name } = sharedTypes(table.visible.table.source);
    nodes.set(name('order_by'), orderNode(order, table, `${path}.order_by`));
  }
  if (limit !== undefined)
    nodes.set('limit', scalarNode(COUNT_SCALAR, notNegative(limit, `${path}.limit`), `${path}.limit`));
  if (offset !== undefined)
    nodes.set('offset', scalarNode(OFFSET, notNegative(offset, `${path}.offset`), `${path}.offset`));
  return nodes;
}

function notNegative(number: number, path: string): number {
  if (number < 0) throw new EngineError('not-supported', 'unexpected negative value', { path });
  return number;
}

/** The fields of a row in the order asked for. Of two with one name the later one counts. */
export function rowSelection(columns: readonly ColumnItem[], table: ReadableTable, path: string): Selection {
  const fields = new Map<string, SelectedField>();
  columns.forEach((column, index) => {
    for (const field of selectedFields(column, table, pathStep(path, index)))
      fields.set(field.responseName, field);
  });
  return { typeName: '', argumentsPath: path, fields: [...fields.values()] };
}

function selectedFields(column: ColumnItem, table: ReadableTable, path: string): readonly SelectedField[] {
  if (typeof column === 'string') {
    return /^\*(\.\*)*$/.test(column) ? everything(column, table, path) : [namedField(column, table, path)];
  }
  const { name, alias, columns, ...rows } = column;
  const related = findRelationship(table, name);
  if (!related) throw noRelationship(table, name, path);
  return [relatedField(alias ?? name, related, columns, rows, path)];
}

function noRelationship(table: ReadableTable, name: string, path: string): EngineError {
  return table.select.readable.has(name)
    ? new EngineError(
        'unexpected-payload',
        `expecting a relationship; but, "${name}" is a postgres column; columns cannot be expanded`,
        { path },
      )
    : new EngineError('not-exists', `relationship "${name}" does not exist`, { path });
}

/** `*` is every column that the role may read; `*.*` has the columns behind every relationship too, and so on. */
function everything(star: string, table: ReadableTable, path: string): readonly SelectedField[] {
  const columns = [...table.select.readable].map(([name, column]) => columnField(name, column, path));
  if (star === '*') return columns;
  const inner = star.slice(2);
  const related = table.select.relationships.map(({ relationship }) =>
    relatedField(
      relationship.name,
      // The view lists those that the role may read.
      findRelationship(table, relationship.name)!,
      [inner],
      {},
      path,
    ),
  );
  return [...columns, ...related];
}

function namedField(name: string, table: ReadableTable, path: string): SelectedField {
  if (!table.select.readable.has(name)) {
    if (findRelationship(table, name))
      throw new EngineError('unexpected-payload', `"${name}" is a relationship and should be expanded`, {
        path,
      });
    const computed = findComputedField(table, name, path);
    if (computed && 'type' in computed.returns)
      return field(name, { kind: 'computedField', computedField: computed }, path);
  }
  return columnField(name, readableColumn(table, name, path), path);
}

function columnField(name: string, column: VisibleColumn, path: string): SelectedField {
  return field(name, { kind: 'column', column }, path);
}

function relatedField(
  shown: string,
  { relationship, target }: ReadableRelationship,
  columns: readonly ColumnItem[],
  rows: RowsArguments,
  path: string,
): SelectedField {
  const many = relationship.shape.kind === 'array';
  if (!many && Object.keys(rows).length > 0) {
    throw new EngineError(
      'unexpected-payload',
      "when selecting an 'obj_relationship' 'where', 'order_by', 'limit' and 'offset' can't be used",
      { path },
    );
  }
  return {
    ...field(shown, { kind: 'relationship', relationship, visible: target.visible }, path),
    arguments: many ? plannerArguments(rows, target, path) : new Map(),
    selection: rowSelection(columns, target, pathStep(path, 'columns')),
  };
}

const NO_SELECTION: Selection = { typeName: '', argumentsPath: '$', fields: [] };

/** A field of an answer; the planner goes by its meaning. */
export function field(
  responseName: string,
  meaning: FieldMeaning,
  path: string,
  selection = NO_SELECTION,
): SelectedField {
  return {
    responseName,
    definition: { name: responseName, arguments: new Map(), type: STRING, meaning },
    arguments: new Map(),
    selection,
    path,
  };
}
