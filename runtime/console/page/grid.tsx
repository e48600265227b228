/**
 * The grid of the matrix: thousands of rows by a hundred columns. Only what can be seen is in the document, and the elements of
 * what leaves the view are used for what enters it, so that a scroll changes few texts and makes nothing.
 */
import { useVirtualizer } from '@tanstack/react-virtual';
import {
  type KeyboardEvent,
  type MouseEvent,
  memo,
  type ReactNode,
  useEffect,
  useMemo,
  useRef,
  useState,
} from 'react';
import { type AccessRow, accessAddress, type Cells, inWords, OPERATIONS } from './cells.ts';
import { type At, clamped, moved, useKept } from './grid-parts.ts';

const ROW_HEIGHT = 28;
const COLUMN_WIDTH = 92;
/** Of the roles' names: one line, or three where a name is longer than a column is wide. */
const HEAD_HEIGHTS = [28, 50] as const;
const LONG_NAME = 10;
/** Names of tables; in a narrow window they would leave no room for permissions. */
const HEAD_WIDTH = matchMedia('(max-width: 1000px)').matches ? 150 : 260;

interface GridProps {
  readonly rows: readonly AccessRow[];
  readonly roles: readonly string[];
  readonly cells: Cells;
  readonly chosen: AccessRow | undefined;
  readonly role: string;
}

interface Column {
  readonly index: number;
  readonly start: number;
  readonly kept: number;
}

/** Column -1 is the row's name. */
export function Grid({ rows, roles, cells, chosen, role }: GridProps) {
  const frame = useRef<HTMLDivElement>(null);
  const [at, setAt] = useState<At>({ row: 0, column: 0 });
  const headHeight = HEAD_HEIGHTS[roles.some((name) => name.length > LONG_NAME) ? 1 : 0];
  const vertical = useVirtualizer({
    count: rows.length,
    getScrollElement: () => frame.current,
    estimateSize: () => ROW_HEIGHT,
    paddingStart: headHeight,
    overscan: 4,
  });
  const horizontal = useVirtualizer({
    horizontal: true,
    count: roles.length,
    getScrollElement: () => frame.current,
    estimateSize: () => COLUMN_WIDTH,
    paddingStart: HEAD_WIDTH,
    overscan: 1,
  });
  const go = (row: number, column: number) => {
    const next = { row: clamped(row, 0, rows.length - 1), column: clamped(column, -1, roles.length - 1) };
    setAt(next);
    reveal(frame.current, next, headHeight);
  };
  const choose = ({ row, column }: At) => {
    const found = rows[row];
    if (found) location.hash = accessAddress(found, roles[column] ?? '');
  };
  const press = (event: KeyboardEvent) => {
    const height = Math.floor((frame.current?.clientHeight ?? 0) / ROW_HEIGHT);
    const next = moved(event, at, {
      page: Math.max(1, height - 2),
      rows: rows.length,
      columns: roles.length,
    });
    if (event.key === 'Enter') choose(at);
    else if (next) go(next.row, next.column);
    else return;
    event.preventDefault();
  };
  const click = ({ target }: MouseEvent) => {
    const id = (target as Element).closest('[role=gridcell],[role=rowheader]')?.id ?? '';
    const [, row, column] = /^at-(\d+)-(-?\d+)$/.exec(id) ?? [];
    if (row === undefined) return;
    const next = { row: Number(row), column: Number(column) };
    setAt(next);
    choose(next);
  };
  // A row that was found is shown from its beginning.
  // biome-ignore lint/correctness/useExhaustiveDependencies: only when there are other rows
  useEffect(() => {
    frame.current?.scrollTo({ top: 0 });
    setAt((last) => ({ ...last, row: 0 }));
  }, [rows]);
  // The chosen cell is shown, too, also when the detail beside it takes room.
  useEffect(() => {
    const next = { row: chosen ? rows.indexOf(chosen) : -1, column: roles.indexOf(role) };
    if (next.row < 0) return;
    setAt(next);
    const observer = new ResizeObserver(() => reveal(frame.current, next, headHeight));
    observer.observe(frame.current!);
    return () => observer.disconnect();
  }, [rows, roles, chosen, role, headHeight]);
  const lines = useKept(vertical.getVirtualItems());
  const columns = horizontal.getVirtualItems();
  const kept = useKept(columns);
  const range = `${columns[0]?.index} ${columns.at(-1)?.index}`;
  // biome-ignore lint/correctness/useExhaustiveDependencies: the range says which columns these are
  const seen = useMemo(() => kept, [range, roles]);
  const active = lines.some(({ index }) => index === at.row) ? `at-${at.row}-${at.column}` : undefined;
  return (
    <div
      className="grid"
      ref={frame}
      role="grid"
      aria-label="Permissions"
      tabIndex={0}
      aria-rowcount={rows.length + 1}
      aria-colcount={roles.length + 1}
      aria-activedescendant={active}
      onKeyDown={press}
      onClick={click}
    >
      <div className="sized" style={{ width: horizontal.getTotalSize(), height: vertical.getTotalSize() }}>
        <div className="heads" role="row" aria-rowindex={1} style={{ height: headHeight }}>
          <div className="corner" role="columnheader" aria-colindex={1} style={{ width: HEAD_WIDTH }}>
            object
          </div>
          {kept.map(({ index, start, kept: key }) => (
            <div
              key={key}
              className="head"
              role="columnheader"
              aria-colindex={index + 2}
              title={roles[index]}
              style={{ left: start }}
            >
              <span>{roles[index]}</span>
            </div>
          ))}
        </div>
        <div
          className="names"
          role="rowgroup"
          style={{ width: HEAD_WIDTH, height: vertical.getTotalSize() - headHeight }}
        >
          {lines.map(({ index, start, kept: key }) => (
            <Name
              key={key}
              row={rows[index]!}
              index={index}
              y={start - headHeight}
              isActive={at.row === index && at.column < 0}
            />
          ))}
        </div>
        {lines.map(({ index, start, kept: key }) => (
          <Line
            key={key}
            row={rows[index]!}
            index={index}
            y={start}
            columns={seen}
            roles={roles}
            cells={cells}
            active={at.row === index ? at.column : undefined}
            chosen={rows[index] === chosen ? role : undefined}
          />
        ))}
      </div>
    </div>
  );
}

/** Scrolls as little as shows a cell, beside the names and below the roles. */
function reveal(frame: HTMLDivElement | null, { row, column }: At, headHeight: number): void {
  if (!frame) return;
  const { scrollTop, scrollLeft, clientHeight, clientWidth } = frame;
  const [top, left] = [row * ROW_HEIGHT, Math.max(0, column) * COLUMN_WIDTH];
  const lowest = top + ROW_HEIGHT + headHeight - clientHeight;
  const rightmost = left + COLUMN_WIDTH + HEAD_WIDTH - clientWidth;
  frame.scrollTop = Math.min(top, Math.max(scrollTop, lowest));
  if (column >= 0) frame.scrollLeft = Math.min(left, Math.max(scrollLeft, rightmost));
}

const Name = memo(function Name({
  row,
  index,
  y,
  isActive,
}: {
  readonly row: AccessRow;
  readonly index: number;
  readonly y: number;
  readonly isActive: boolean;
}) {
  return (
    <div className="named" role="row" aria-rowindex={index + 2} style={{ top: y }}>
      <div
        className={isActive ? 'name active' : 'name'}
        role="rowheader"
        id={`at-${index}--1`}
        aria-colindex={1}
        title={row.source === '' ? row.name : `${row.name} of ${row.source}`}
      >
        {row.label} <small>{row.note}</small>
      </div>
    </div>
  );
});

interface LineProps extends Pick<GridProps, 'roles' | 'cells'> {
  readonly row: AccessRow;
  readonly index: number;
  readonly y: number;
  readonly columns: readonly Column[];
  /** Column where the keyboard is. */
  readonly active: number | undefined;
  /** Role of the cell that is shown in detail. */
  readonly chosen: string | undefined;
}

const Line = memo(function Line({ row, index, y, columns, roles, cells, active, chosen }: LineProps) {
  const shown = columns.map(({ index: column, start, kept }) => {
    const role = roles[column]!;
    const text = cells.text(row, role);
    const before = cells.before(row, role);
    let look = 'cell';
    if (before !== undefined) look += ' differs';
    if (role === chosen) look += ' chosen';
    if (column === active) look += ' active';
    return (
      <div
        key={kept}
        className={look}
        role="gridcell"
        id={`at-${index}-${column}`}
        aria-colindex={column + 2}
        style={{ left: start }}
        aria-selected={role === chosen}
        title={before === undefined ? inWords(text) : `was ${inWords(before)}; is ${inWords(text)}`}
      >
        {before === undefined ? (
          letters(text)
        ) : (
          <>
            {letters(before)}→{letters(text)}
          </>
        )}
      </div>
    );
  });
  return (
    <div
      className="line"
      role="row"
      aria-rowindex={index + 2}
      aria-labelledby={`at-${index}--1`}
      style={{ top: y }}
    >
      {shown}
    </div>
  );
});

const known = new Map<string, ReactNode>();

/** The letters of a variant: one element for each that is allowed. Equal variants share them. */
function letters(text: string): ReactNode {
  const made = known.get(text) ?? lettersOf(text);
  known.set(text, made);
  return made;
}

function lettersOf(text: string): ReactNode {
  if (text === 'x') return '✓';
  if (text === '') return '·';
  return OPERATIONS.map((operation, index) => {
    const letter = text[index];
    if (letter === '-') return '·';
    const mark = { b: ' backend', h: ' hidden' }[text[index + 4] ?? ''] ?? '';
    return (
      <i key={operation} className={operation + mark}>
        {letter}
      </i>
    );
  });
}
