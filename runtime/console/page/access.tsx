/** The access matrix: tables, functions, actions and remote schemas by role, and the permissions behind a cell. */
import { type ChangeEvent, type KeyboardEvent, useDeferredValue, useMemo, useRef, useState } from 'react';
import type { AccessAnswer, DifferenceAnswer } from '../questions.ts';
import { postText, read, useLoaded } from './api.ts';
import { type Cells, cellsOf, keyOf, objectAt } from './cells.ts';
import { Detail } from './detail.tsx';
import { Grid } from './grid.tsx';
import { CopyJson, type PageProps, Problem, Waiting } from './parts.tsx';

export function Access({ steps }: PageProps) {
  const { value, error } = useLoaded('access', () => read<AccessAnswer>('/engine/console/access'));
  return (
    <>
      {error && <Problem error={error} />}
      {!value && !error && <Waiting>Reading what is served …</Waiting>}
      {value && <Matrix answer={value} steps={steps} />}
    </>
  );
}

/** Another version, to compare with. */
interface Other {
  readonly file: string;
  readonly difference?: DifferenceAnswer;
  readonly error?: Error;
}

function Matrix({ answer, steps }: { readonly answer: AccessAnswer; readonly steps: readonly string[] }) {
  const [other, setOther] = useState<Other>();
  const [onlyChanged, setOnlyChanged] = useState(true);
  const cells = useMemo(() => cellsOf(answer, other?.difference), [answer, other]);
  const [text, setText] = useState('');
  const [roleText, setRoleText] = useState('');
  const [second, setSecond] = useState('');
  const wanted = useDeferredValue(text.trim().toLowerCase());
  const wantedRole = useDeferredValue(roleText.trim().toLowerCase());
  const roles = useMemo(
    () => cells.roles.filter((role) => role.toLowerCase().includes(wantedRole)),
    [cells, wantedRole],
  );
  const [, , role = ''] = steps;
  const chosenKey = keyOf(objectAt(steps));
  const isCompared = cells.roles.includes(role) && cells.roles.includes(second);
  const filters = other?.difference && onlyChanged;
  const rows = useMemo(
    () =>
      cells.rows.filter(
        (row) =>
          row.searched.includes(wanted) &&
          (!isCompared || cells.differ(row, role, second)) &&
          (!filters || cells.isChanged(row)),
      ),
    [cells, wanted, isCompared, role, second, filters],
  );
  const chosen = useMemo(() => cells.rows.find((row) => keyOf(row) === chosenKey), [cells, chosenKey]);
  const close = ({ key }: KeyboardEvent) => {
    if (key !== 'Escape' || !chosen) return;
    location.hash = '#/access';
    document.querySelector<HTMLElement>('[role=grid]')?.focus();
  };
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: Escape closes the detail wherever the keyboard is
    <div className="access" onKeyDown={close}>
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
          <select value={second} onChange={({ target }) => setSecond(target.value)} disabled={!role}>
            <option value="">–</option>
            {cells.roles.map((each) => (
              <option key={each}>{each}</option>
            ))}
          </select>
        </label>
        <OtherVersion
          other={other}
          choose={setOther}
          onlyChanged={onlyChanged}
          setOnlyChanged={setOnlyChanged}
        />
        <CopyJson value={() => read<unknown>('/engine/console/matrix')} />
      </header>
      <Legend cells={cells} rows={rows.length} roles={roles.length} />
      <Grid rows={rows} roles={roles} cells={cells} chosen={chosen} role={role} />
      {chosen && (
        <Detail
          row={chosen}
          role={role}
          found={wanted}
          difference={other?.difference?.cells.filter(
            (cell) => keyOf(cell) === chosenKey && (role === '' || cell.role === role),
          )}
        />
      )}
    </div>
  );
}

function Legend({
  cells,
  rows,
  roles,
}: {
  readonly cells: Cells;
  readonly rows: number;
  readonly roles: number;
}) {
  return (
    <p className="quiet legend">
      s i u d: select, insert, update, delete of rows by a rule; capitals: of every row; underlined: for
      trusted callers only; in grey: no root field leads to it; ✓: may use it. {rows} of {cells.rows.length}{' '}
      rows, {roles} roles.
    </p>
  );
}

const ACCEPTED =
  'An artefact of engine build, or what engine audit matrix --format json or Copy as JSON gave';

/** Chooses a file of another version. The server that served the page reads it; it goes nowhere else. */
function OtherVersion({
  other,
  choose,
  onlyChanged,
  setOnlyChanged,
}: {
  readonly other: Other | undefined;
  readonly choose: (other: Other | undefined) => void;
  readonly onlyChanged: boolean;
  readonly setOnlyChanged: (is: boolean) => void;
}) {
  const input = useRef<HTMLInputElement>(null);
  const compare = async ({ target }: ChangeEvent<HTMLInputElement>) => {
    const [file] = target.files ?? [];
    target.value = '';
    if (!file) return;
    const { name } = file;
    choose({ file: name });
    try {
      const difference = await postText<DifferenceAnswer>('/engine/console/difference', await file.text());
      choose({ file: name, difference });
    } catch (error) {
      choose({ file: name, error: error as Error });
    }
  };
  return (
    <>
      <button type="button" onClick={() => input.current?.click()} title={ACCEPTED}>
        Compare with a file …
      </button>
      <input ref={input} hidden type="file" accept=".mjs,.json" aria-label={ACCEPTED} onChange={compare} />
      {other && (
        <span className="other" role="status">
          {other.error ? (
            <span className="problem">
              {other.file}: {other.error.message}
            </span>
          ) : other.difference ? (
            <>
              {other.difference.cells.length} cells differ from {other.file}{' '}
              <label>
                <input
                  type="checkbox"
                  checked={onlyChanged}
                  onChange={({ target }) => setOnlyChanged(target.checked)}
                />{' '}
                only differences
              </label>
            </>
          ) : (
            `reading ${other.file} …`
          )}{' '}
          <button type="button" className="plain" onClick={() => choose(undefined)}>
            Compare with nothing
          </button>
        </span>
      )}
    </>
  );
}
