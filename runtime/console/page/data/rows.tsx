/**
 * The grid of rows. Only what can be seen is in the document, and the elements of what leaves the view are used for what enters it,
 * so that a hundred thousand rows scroll like twenty.
 */
import { useVirtualizer } from '@tanstack/react-virtual';
import { type KeyboardEvent, type MouseEvent, memo, useEffect, useMemo, useRef, useState } from 'react';
import type { ApiColumn, ApiRelationship, TableApi } from '../../data-questions.ts';
import { type At, clamped, moved, useKept } from '../grid-parts.ts';
import type { ShownRow } from './answers.ts';
import { linkOf } from './links.ts';
import type { Asked } from './request.ts';
import { shown } from './values.ts';

const ROW_HEIGHT = 28;
const HEAD_HEIGHT = 46;
/** Rows before the end at which the next page is asked for. */
const AHEAD = 150;

interface RowsProps {
  readonly api: TableApi;
  readonly rows: readonly ShownRow[];
  readonly isEnd: boolean;
  readonly order: Asked['order'];
  readonly chosen: ShownRow | undefined;
  readonly more: () => void;
  readonly choose: (row: ShownRow) => void;
  /** Orders by a column. */
  readonly sort: (field: string) => void;
  readonly follow: (row: ShownRow, relationship: ApiRelationship) => void;
}

/** A column of the grid: one of the table, or a relationship. */
type GridColumn = { readonly column: ApiColumn } | { readonly relationship: ApiRelationship };

/** Row -1 is the names of the columns. */
export function Rows({ api, rows, isEnd, order, chosen, more, choose, sort, follow }: RowsProps) {
  const frame = useRef<HTMLDivElement>(null);
  const [at, setAt] = useState<At>({ row: -1, column: 0 });
  const columns = useMemo(
    (): readonly GridColumn[] => [
      ...api.columns.map((column) => ({ column })),
      ...api.relationships.map((relationship) => ({ relationship })),
    ],
    [api],
  );
  const widths = useWidths(columns, rows);
  const vertical = useVirtualizer({
    count: rows.length,
    getScrollElement: () => frame.current,
    estimateSize: () => ROW_HEIGHT,
    paddingStart: HEAD_HEIGHT,
    overscan: 6,
  });
  const horizontal = useVirtualizer({
    horizontal: true,
    count: columns.length,
    getScrollElement: () => frame.current,
    estimateSize: (index) => widths[index]!,
    overscan: 1,
  });
  // biome-ignore lint/correctness/useExhaustiveDependencies: sizes are asked for anew
  useEffect(() => horizontal.measure(), [widths]);
  const lines = useKept(vertical.getVirtualItems());
  const across = horizontal.getVirtualItems();
  const kept = useKept(across);
  // Measured after the widths have changed: only the places themselves say whether lines have to be drawn again.
  const places = across.map(({ index, start, size }) => `${index} ${start} ${size}`).join();
  // biome-ignore lint/correctness/useExhaustiveDependencies: equal places are equal columns
  const seen = useMemo(() => kept, [places]);
  const last = vertical.getVirtualItems().at(-1)?.index ?? 0;
  // biome-ignore lint/correctness/useExhaustiveDependencies: asked for when the end comes near, and after each page
  useEffect(() => {
    if (last >= rows.length - AHEAD) more();
  }, [last, rows.length]);

  const go = (row: number, column: number) => {
    const next = { row: clamped(row, -1, rows.length - 1), column: clamped(column, 0, columns.length - 1) };
    setAt(next);
    if (next.row >= 0) vertical.scrollToIndex(next.row, { align: 'auto' });
    horizontal.scrollToIndex(next.column, { align: 'auto' });
    // The names of the columns cover the top.
    const top = next.row * ROW_HEIGHT;
    if (frame.current && next.row >= 0 && frame.current.scrollTop > top) frame.current.scrollTop = top;
  };
  const open = ({ row, column }: At) => {
    const found = columns[column];
    if (!found) return;
    if (row < 0) {
      if ('column' in found && found.column.condition !== undefined) sort(found.column.field);
    } else if ('relationship' in found && linkOf(found.relationship, rows[row]!.values))
      follow(rows[row]!, found.relationship);
    else choose(rows[row]!);
  };
  const press = (event: KeyboardEvent) => {
    const height = Math.floor(((frame.current?.clientHeight ?? 0) - HEAD_HEIGHT) / ROW_HEIGHT);
    const next = moved(event, at, {
      page: Math.max(1, height - 1),
      rows: rows.length,
      columns: columns.length,
      first: 0,
    });
    if (event.key === 'Enter') open(at);
    else if (next) go(next.row, next.column);
    else return;
    event.preventDefault();
  };
  const click = ({ target }: MouseEvent) => {
    const { id = '' } = (target as Element).closest('[role=gridcell],[role=columnheader]') ?? {};
    const [, row, column] = /^cell-(-?\d+)-(\d+)$/.exec(id) ?? [];
    if (row === undefined) return;
    const next = { row: Number(row), column: Number(column) };
    setAt(next);
    open(next);
  };
  const isSeen = at.row < 0 || lines.some(({ index }) => index === at.row);
  return (
    <div
      className="grid rows"
      ref={frame}
      role="grid"
      aria-label="Rows"
      tabIndex={0}
      aria-rowcount={isEnd ? rows.length + 1 : -1}
      aria-colcount={columns.length}
      aria-activedescendant={isSeen ? `cell-${at.row}-${at.column}` : undefined}
      onKeyDown={press}
      onClick={click}
    >
      <div className="sized" style={{ width: horizontal.getTotalSize(), height: vertical.getTotalSize() }}>
        <div className="heads" role="row" aria-rowindex={1} style={{ height: HEAD_HEIGHT }}>
          {seen.map(({ index, start, size, kept }) => (
            <Head
              key={kept}
              index={index}
              left={start}
              width={size}
              shown={columns[index]!}
              order={order}
              isKey={isKeyOf(api, columns[index]!)}
              isActive={at.row < 0 && at.column === index}
            />
          ))}
        </div>
        {lines.map(({ index, start, kept: key }) => (
          <Line
            key={key}
            index={index}
            top={start}
            row={rows[index]!}
            columns={columns}
            seen={seen}
            active={at.row === index ? at.column : undefined}
            isChosen={rows[index] === chosen}
          />
        ))}
      </div>
    </div>
  );
}

function isKeyOf({ key }: TableApi, shown: GridColumn): boolean {
  return 'column' in shown && key.includes(shown.column.field);
}

/** Rows that decide how wide a column is. */
const MEASURED = 60;

/** By what the first rows have, so that columns stay while others are loaded. */
function useWidths(columns: readonly GridColumn[], rows: readonly ShownRow[]): readonly number[] {
  const [first] = rows;
  // biome-ignore lint/correctness/useExhaustiveDependencies: the rows that follow the first ones change nothing
  return useMemo(
    () =>
      columns.map((column) => {
        if ('relationship' in column) return clamped(nameOf(column).length * 8 + 44, 90, 260);
        const { field, type } = column.column;
        const longest = rows.slice(0, MEASURED).map(({ values }) => shown(values[field]).length);
        const letters = Math.max(field.length + 3, type.length, ...longest);
        return clamped(letters * 7.6 + 22, 64, 330);
      }),
    [columns, first],
  );
}

function nameOf(column: GridColumn): string {
  return 'column' in column ? column.column.field : column.relationship.field;
}

interface HeadProps {
  readonly index: number;
  readonly left: number;
  readonly width: number;
  readonly shown: GridColumn;
  readonly order: Asked['order'];
  readonly isKey: boolean;
  readonly isActive: boolean;
}

function Head({ index, left, width, shown: column, order, isKey, isActive }: HeadProps) {
  const isOrder = order !== undefined && 'column' in column && order.column === column.column.field;
  const arrow = order?.descending ? '▼' : '▲';
  const note = 'column' in column ? `${isKey ? 'key, ' : ''}${column.column.type}` : column.relationship.kind;
  const canSort = 'column' in column && column.column.condition !== undefined;
  return (
    <div
      id={`cell--1-${index}`}
      className={`head${canSort ? ' sorts' : ''}${isActive ? ' active' : ''}`}
      role="columnheader"
      aria-colindex={index + 1}
      aria-sort={isOrder ? (order?.descending ? 'descending' : 'ascending') : undefined}
      title={canSort ? `Order by ${nameOf(column)}` : undefined}
      style={{ left, width }}
    >
      <b>
        {nameOf(column)} {isOrder && arrow}
      </b>
      <small>{note}</small>
    </div>
  );
}

interface LineProps {
  readonly index: number;
  readonly top: number;
  readonly row: ShownRow;
  readonly columns: readonly GridColumn[];
  /** Columns that can be seen. */
  readonly seen: readonly {
    readonly index: number;
    readonly start: number;
    readonly size: number;
    readonly kept: number;
  }[];
  /** Column where the keyboard is. */
  readonly active: number | undefined;
  readonly isChosen: boolean;
}

const Line = memo(function Line({ index, top, row, columns, seen, active, isChosen }: LineProps) {
  return (
    <div className={isChosen ? 'line chosen' : 'line'} role="row" aria-rowindex={index + 2} style={{ top }}>
      {seen.map(({ index: column, start, size, kept }) => {
        const { text, look, title } = lookOf(row, columns[column]!);
        return (
          <div
            key={kept}
            id={`cell-${index}-${column}`}
            className={`cell ${look}${active === column ? ' active' : ''}`}
            role="gridcell"
            aria-colindex={column + 1}
            title={title}
            style={{ left: start, width: size }}
          >
            {text}
          </div>
        );
      })}
    </div>
  );
});

/** Text and look of a cell. */
export function lookOf(
  { values, masked, unclear }: ShownRow,
  column: GridColumn,
): { readonly text: string; readonly look: string; readonly title?: string } {
  if ('relationship' in column) {
    const { relationship } = column;
    if (relationship.fields === undefined)
      return {
        text: '–',
        look: 'none',
        title: `The role does not see the columns that join ${relationship.table}.`,
      };
    return linkOf(relationship, values)
      ? { text: relationship.kind === 'object' ? 'row →' : 'rows →', look: 'link', title: relationship.table }
      : { text: '–', look: 'none', title: 'There is no such row: a column that joins it is null.' };
  }
  const { field, mask, type } = column.column;
  const value = values[field];
  if (masked.includes(field)) return { text: 'masked', look: 'masked', title: `Shown only where ${mask}` };
  if (unclear.includes(field))
    return { text: 'null or masked', look: 'masked', title: `Shown only where ${mask}` };
  if (value === null || value === undefined) return { text: 'null', look: 'none' };
  const isNumber = typeof value !== 'string' && !type.startsWith('[') && !/^jsonb?$|^Boolean$/.test(type);
  const text = shown(value);
  return { text, look: isNumber ? 'number' : '', title: text };
}
