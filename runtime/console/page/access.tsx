/** The access matrix: tables, functions, actions and remote schemas by role, and the permissions behind a cell. */
import {
  type ChangeEvent,
  Fragment,
  type KeyboardEvent,
  useDeferredValue,
  useMemo,
  useRef,
  useState,
} from 'react';
import type { AccessAnswer, DifferenceAnswer } from '../questions.ts';
import { postText, read, useLoaded } from './api.ts';
import { type Cells, cellsOf, keyOf, OPERATIONS, objectAt } from './cells.ts';
import { Detail } from './detail.tsx';
import { Grid } from './grid.tsx';
import { PageHead, type PageProps, Problem, Shown } from './parts.tsx';

export function Access({ steps }: PageProps) {
  const loaded = useLoaded('access', () => read<AccessAnswer>('/engine/console/access'));
  return (
    <div className="access">
      <PageHead title="Access" value={() => read<unknown>('/engine/console/matrix')} again={loaded.again} />
      <Shown of={loaded} waiting="Reading what is served …">
        {(answer) => <Matrix answer={answer} steps={steps} />}
      </Shown>
    </div>
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
  const [pair, setPair] = useState<Pair>(NO_PAIR);
  const wanted = useDeferredValue(text.trim().toLowerCase());
  const wantedRole = useDeferredValue(roleText.trim().toLowerCase());
  const isCompared = pair.every((role) => cells.roles.includes(role));
  const roles = useMemo(
    () => (isCompared ? pair : cells.roles.filter((role) => role.toLowerCase().includes(wantedRole))),
    [cells, wantedRole, isCompared, pair],
  );
  const object = objectAt(steps);
  const [, , role = ''] = steps;
  const chosenKey = keyOf(object);
  const filters = other?.difference && onlyChanged;
  const rows = useMemo(
    () =>
      cells.rows.filter(
        (row) =>
          row.searched.includes(wanted) &&
          (!isCompared || cells.differ(row, ...pair)) &&
          (!filters || cells.isChanged(row)),
      ),
    [cells, wanted, isCompared, pair, filters],
  );
  const chosen = useMemo(() => cells.rows.find((row) => keyOf(row) === chosenKey), [cells, chosenKey]);
  const close = ({ key }: KeyboardEvent) => {
    if (key !== 'Escape' || !chosen) return;
    location.hash = '#/access';
    document.querySelector<HTMLElement>('[role=grid]')?.focus();
  };
  const empty = () => {
    if (cells.rows.length === 0) return 'Nothing is served: the metadata has no table, function or action.';
    if (cells.roles.length === 0) return 'There is no role but admin, which may do everything.';
    if (roles.length === 0) return 'No role has this in its name.';
    if (isCompared && wanted === '') return `The roles ${pair[0]} and ${pair[1]} may do the same.`;
    if (filters && wanted === '') return `What is served allows the same as ${other.file}.`;
    return 'No line has this in its name or its columns.';
  };
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: Escape closes the detail wherever the keyboard is
    <div className="matrix" onKeyDown={close}>
      <div className="filters">
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
        <TwoRoles roles={cells.roles} role={role} pair={pair} choose={setPair} />
        <OtherVersion
          other={other}
          choose={setOther}
          onlyChanged={onlyChanged}
          setOnlyChanged={setOnlyChanged}
        />
      </div>
      <Legend cells={cells} rows={rows.length} roles={roles.length} />
      {steps.length > 0 && !chosen && (
        <Problem error={new Error(`There is no ${object.kind} "${object.name}" in what is served.`)} />
      )}
      {rows.length === 0 || roles.length === 0 ? (
        <p className="grid empty quiet">{empty()}</p>
      ) : (
        <Grid rows={rows} roles={roles} cells={cells} chosen={chosen} role={role} />
      )}
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

/** Two roles, of which only the differences are shown; empty where none is chosen. */
type Pair = readonly [one: string, other: string];

const NO_PAIR: Pair = ['', ''];

/** Chooses them. The first is the role of the chosen cell until another one is chosen. */
function TwoRoles({
  roles,
  role,
  pair: [one, other],
  choose,
}: {
  readonly roles: readonly string[];
  /** Of the chosen cell. */
  readonly role: string;
  readonly pair: Pair;
  readonly choose: (pair: Pair) => void;
}) {
  const first = one || (roles.includes(role) ? role : '');
  const options = [
    <option key="" value="">
      –
    </option>,
    ...roles.map((each) => <option key={each}>{each}</option>),
  ];
  return (
    <span className="pair">
      Differences of
      <select
        aria-label="One role"
        value={first}
        onChange={({ target }) => choose(target.value === '' ? NO_PAIR : [target.value, other])}
      >
        {options}
      </select>
      and
      <select
        aria-label="Another role"
        value={other}
        disabled={first === ''}
        onChange={({ target }) => choose(target.value === '' ? NO_PAIR : [first, target.value])}
      >
        {options}
      </select>
    </span>
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
      <span>
        {OPERATIONS.map((operation) => (
          <Fragment key={operation}>
            <i className={operation}>{operation[0]}</i> {operation}{' '}
          </Fragment>
        ))}
        by a rule
      </span>
      <span>
        <i className="select">S</i> every row
      </span>
      <span>
        <i className="select backend">s</i> trusted callers only
      </span>
      <span>
        <i className="hidden">s</i> no root field
      </span>
      <span>
        <i>✓</i> may use it
      </span>
      <span className="count">
        {rows} of {cells.rows.length} rows, {roles} {roles === 1 ? 'role' : 'roles'}
      </span>
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
      <input
        ref={input}
        hidden
        type="file"
        accept=".js,.mjs,.json"
        aria-label={ACCEPTED}
        onChange={compare}
      />
      {other && (
        <span className="other" role="status">
          {other.error ? (
            <span className="problem">
              {other.file}: {other.error.message}
            </span>
          ) : other.difference ? (
            <>
              {other.difference.cells.length === 1
                ? '1 cell differs'
                : `${other.difference.cells.length} cells differ`}{' '}
              from {other.file}{' '}
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
          <button type="button" onClick={() => choose(undefined)}>
            {other.error ? 'Dismiss' : 'Compare with nothing'}
          </button>
        </span>
      )}
    </>
  );
}
