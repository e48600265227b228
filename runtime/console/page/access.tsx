/** The access matrix: tables, functions, actions and remote schemas by role, and the permissions behind a cell. */
import { useVirtualizer } from '@tanstack/react-virtual';
import { memo, useDeferredValue, useMemo, useRef, useState } from 'react';
import type { AccessAnswer } from '../questions.ts';
import { read, useLoaded } from './api.ts';
import { type Cells, cellsOf, OPERATIONS, type Row } from './cells.ts';
import { Detail } from './detail.tsx';
import { CopyJson, type PageProps, Problem, Waiting } from './parts.tsx';
import { address } from './route.ts';

const ROW_HEIGHT = 28;
const COLUMN_WIDTH = 92;
/** Names of tables; on a phone they would leave no room for permissions. */
const HEAD_WIDTH = matchMedia('(max-width: 800px)').matches ? 150 : 260;

export function Access({ steps }: PageProps) {
  const { value, error } = useLoaded('access', () => read<AccessAnswer>('/engine/console/access'));
  return (
    <>
      {error && <Problem error={error} />}
      {!value && !error && <Waiting>Reading the generated code …</Waiting>}
      {value && <Matrix answer={value} steps={steps} />}
    </>
  );
}

function Matrix({ answer, steps }: { readonly answer: AccessAnswer; readonly steps: readonly string[] }) {
  const cells = useMemo(() => cellsOf(answer), [answer]);
  const [text, setText] = useState('');
  const [roleText, setRoleText] = useState('');
  const [other, setOther] = useState('');
  const wanted = useDeferredValue(text.trim().toLowerCase());
  const wantedRole = useDeferredValue(roleText.trim().toLowerCase());
  const roles = useMemo(
    () => answer.roles.filter((role) => role.toLowerCase().includes(wantedRole)),
    [answer, wantedRole],
  );
  const [source = '', name = '', role = ''] = steps;
  const compared =
    answer.roles.includes(role) && answer.roles.includes(other) ? ([role, other] as const) : undefined;
  const rows = useMemo(
    () =>
      cells.rows.filter(
        (row) =>
          row.searched.some((each) => each.includes(wanted)) &&
          (!compared || cells.differ(row, compared[0], compared[1])),
      ),
    [cells, wanted, compared],
  );
  const chosen = cells.rows.find((row) => row.source === source && row.name === name);
  return (
    <div className="access">
      <header>
        <h1>Access</h1>
        <input
          type="search"
          placeholder="table or column, such as email"
          aria-label="Tables and columns"
          value={text}
          onChange={({ target }) => setText(target.value)}
        />
        <input
          type="search"
          placeholder="role"
          aria-label="Roles"
          value={roleText}
          onChange={({ target }) => setRoleText(target.value)}
        />
        <label>
          differences of {role || '(choose a cell)'} and{' '}
          <select value={other} onChange={({ target }) => setOther(target.value)} disabled={!role}>
            <option value="">–</option>
            {answer.roles.map((each) => (
              <option key={each}>{each}</option>
            ))}
          </select>
        </label>
        <CopyJson value={answer} />
      </header>
      <p className="quiet legend">
        s i u d: select, insert, update, delete of rows by a rule; capitals: of every row; ✓: may use it.{' '}
        {rows.length} of {cells.rows.length} rows, {roles.length} roles.
      </p>
      <Grid rows={rows} roles={roles} cells={cells} chosen={chosen} role={role} />
      {chosen && <Detail answer={answer} row={chosen} role={role} found={wanted} />}
      {answer.foreign.length > 0 && (
        <p className="problem">Written by hand, so not in this matrix: {answer.foreign.join(', ')}</p>
      )}
    </div>
  );
}

interface GridProps {
  readonly rows: readonly Row[];
  readonly roles: readonly string[];
  readonly cells: Cells;
  readonly chosen: Row | undefined;
  readonly role: string;
}

/** Only what can be seen is in the document: projects have thousands of tables and a hundred roles. */
function Grid({ rows, roles, cells, chosen, role }: GridProps) {
  const frame = useRef<HTMLDivElement>(null);
  const vertical = useVirtualizer({
    count: rows.length,
    getScrollElement: () => frame.current,
    estimateSize: () => ROW_HEIGHT,
    overscan: 8,
  });
  const horizontal = useVirtualizer({
    horizontal: true,
    count: roles.length,
    getScrollElement: () => frame.current,
    estimateSize: () => COLUMN_WIDTH,
    overscan: 3,
  });
  const columns = horizontal.getVirtualItems();
  return (
    <div
      className="grid"
      ref={frame}
      role="grid"
      aria-label="Permissions"
      tabIndex={0}
      aria-rowcount={rows.length}
      aria-colcount={roles.length}
    >
      <Sized width={HEAD_WIDTH + horizontal.getTotalSize()} height={ROW_HEIGHT + vertical.getTotalSize()}>
        <div className="heads" role="row">
          <Placed x={0} width={HEAD_WIDTH} className="corner" role="columnheader" />
          {columns.map(({ index, start, size }) => (
            <Placed
              key={roles[index]}
              x={HEAD_WIDTH + start}
              width={size}
              className="head"
              role="columnheader"
              title={roles[index]}
            >
              {roles[index]}
            </Placed>
          ))}
        </div>
        {vertical.getVirtualItems().map(({ index, start }) => {
          const row = rows[index]!;
          return (
            <Line key={`${row.kind} ${row.source} ${row.name}`} y={ROW_HEIGHT + start}>
              <Placed
                x={0}
                width={HEAD_WIDTH}
                className="name"
                role="rowheader"
                title={`${row.kind} of ${row.source}`}
              >
                <a href={address('access', row.source, row.name, role)}>{row.label}</a>{' '}
                <small>{row.kind}</small>
              </Placed>
              {columns.map((column) => {
                const name = roles[column.index]!;
                return (
                  <Cell
                    key={name}
                    x={HEAD_WIDTH + column.start}
                    width={column.size}
                    row={row}
                    role={name}
                    text={cells.text(row, name)}
                    isChosen={row === chosen && name === role}
                  />
                );
              })}
            </Line>
          );
        })}
      </Sized>
    </div>
  );
}

const Cell = memo(function Cell({
  x,
  width,
  row,
  role,
  text,
  isChosen,
}: {
  readonly x: number;
  readonly width: number;
  readonly row: Row;
  readonly role: string;
  readonly text: string;
  readonly isChosen: boolean;
}) {
  return (
    <Placed x={x} width={width} className="cell" role="gridcell">
      <a
        href={address('access', row.source, row.name, role)}
        aria-current={isChosen ? 'true' : undefined}
        aria-label={`${role}, ${row.label}: ${text || 'nothing'}`}
      >
        {row.kind === 'table'
          ? OPERATIONS.map((operation, index) => (
              <i key={operation} className={text[index] === '-' || !text[index] ? 'none' : operation}>
                {text[index] === '-' ? '·' : (text[index] ?? '·')}
              </i>
            ))
          : text || '·'}
      </a>
    </Placed>
  );
});

/** The sizes and places of virtual rows are set by script, since the page's policy admits no style attributes in its text. */
function Placed({
  x,
  width,
  ...rest
}: { readonly x: number; readonly width: number } & React.HTMLAttributes<HTMLDivElement>) {
  return (
    <div
      {...rest}
      ref={(element) => {
        if (!element) return;
        element.style.left = `${x}px`;
        element.style.width = `${width}px`;
      }}
    />
  );
}

function Line({ y, children }: { readonly y: number; readonly children: React.ReactNode }) {
  return (
    <div
      className="line"
      role="row"
      ref={(element) => {
        if (element) element.style.top = `${y}px`;
      }}
    >
      {children}
    </div>
  );
}

function Sized({
  width,
  height,
  children,
}: {
  readonly width: number;
  readonly height: number;
  readonly children: React.ReactNode;
}) {
  return (
    <div
      className="sized"
      ref={(element) => {
        if (!element) return;
        element.style.width = `${width}px`;
        element.style.height = `${height}px`;
      }}
    >
      {children}
    </div>
  );
}
