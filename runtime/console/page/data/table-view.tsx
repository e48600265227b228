/** One table or view as the chosen role: its conditions and order, its rows, and beside them a row, a form or the query. */
import { useEffect, useMemo, useState } from 'react';
import type { ApiRelationship, TableApi } from '../../data-questions.ts';
import type { AccessAnswer, ConsoleState } from '../../questions.ts';
import { post, useLoaded } from '../api.ts';
import { RunAs, useAs } from '../as.tsx';
import { Problem, Shown } from '../parts.tsx';
import { address } from '../route.ts';
import { ask, chosenSession, type ShownRow } from './answers.ts';
import { Conditions } from './conditions.tsx';
import { Failure } from './failure.tsx';
import { linkOf } from './links.ts';
import { goTo, isWanted, type Place } from './place.ts';
import { QueryPanel } from './query-panel.tsx';
import { type Asked, at, countRequest, pageRequest, pagingOf } from './request.ts';
import { RowForm } from './row-form.tsx';
import { RowPanel } from './row-panel.tsx';
import { Rows } from './rows.tsx';
import { useRows } from './use-rows.ts';

interface TableViewProps {
  readonly state: ConsoleState;
  readonly place: Place;
  readonly access: AccessAnswer | undefined;
}

export function TableView({ state, place, access }: TableViewProps) {
  const { source, table } = place;
  const { role, session } = useAs();
  // Permissions for trusted callers are the only ones that a session variable turns on.
  const trusted = /use-backend-only-permissions\s*:\s*true/i.test(session);
  const key = JSON.stringify([source, table, role, trusted]);
  const loaded = useLoaded(key, async () => ({
    key,
    api: await post<TableApi>('/engine/console/table', { source, name: table, user: chosenSession() }),
  }));
  const current = loaded.value?.key === key ? loaded.value : undefined;
  return (
    <div className="data">
      <header className="ask">
        <h1>
          <a href="#/data">Data</a> / {table} <small>{current && kindOf(current.api, source, access)}</small>
        </h1>
        <RunAs access={access} />
      </header>
      <Shown of={{ ...loaded, value: current }}>
        {({ api }) => <Table key={key} api={api} state={state} place={place} access={access} />}
      </Shown>
    </div>
  );
}

function kindOf({ kind }: TableApi, source: string, access: AccessAnswer | undefined): string {
  const hasSeveral = new Set(access?.lines.map((line) => line.source).filter(Boolean)).size > 1;
  return hasSeveral ? `${kind} of ${source}` : kind;
}

/** Beside the rows. */
type Aside =
  | { readonly kind: 'row'; readonly row: ShownRow }
  | { readonly kind: 'edit'; readonly row: ShownRow }
  | { readonly kind: 'insert' }
  | { readonly kind: 'query' };

function Table({ api, state, place, access }: TableViewProps & { readonly api: TableApi }) {
  const { source, table, asked } = place;
  const { role, session } = useAs();
  const identity = JSON.stringify([asked, role, session]);
  const loader = useRows(api, asked, identity);
  const [aside, setAside] = useState<Aside>();
  const [note, setNote] = useState('');
  const [problem, setProblem] = useState<Error>();
  const { rows, start } = loader;
  // biome-ignore lint/correctness/useExhaustiveDependencies: for another place, role or session
  useEffect(() => {
    setAside(undefined);
    setNote('');
    setProblem(undefined);
    if (isWanted()) start();
  }, [identity]);
  const go = (next: Asked) =>
    JSON.stringify(next) === JSON.stringify(asked) ? start() : goTo({ source, table, asked: next });
  const sort = (column: string) => {
    const isSame = asked.order?.column === column;
    const { order: _, ...others } = asked;
    // Ascending, descending, by the key again.
    go(isSame && asked.order?.descending ? others : { ...asked, order: { column, descending: isSame } });
  };
  const follow = (row: ShownRow, relationship: ApiRelationship) => {
    const link = linkOf(relationship, row.values);
    if (link) goTo(link);
  };
  const count = async () => {
    setProblem(undefined);
    setNote('Counting …');
    try {
      const data = await ask(countRequest(api, asked));
      const found = at(data, [...api.aggregate!, 'aggregate', 'count']);
      setNote(`${found} ${found === 1 ? 'row' : 'rows'} in all`);
    } catch (error) {
      setNote('');
      setProblem(error as Error);
    }
  };
  const request = useMemo(() => {
    try {
      return api.select && pageRequest(api, asked);
    } catch {
      return undefined;
    }
  }, [api, asked]);
  if (!api.select) return <Unreachable api={api} place={place} role={role} />;
  const canWrite = state.mode === 'write';
  const paging = pagingOf(api, asked);
  const error = rows?.error ?? problem;
  return (
    <>
      <Conditions key={JSON.stringify(asked)} api={api} asked={asked} show={go}>
        {api.aggregate && (
          <button type="button" onClick={count}>
            Count
          </button>
        )}
        <button type="button" disabled={!request} onClick={() => setAside({ kind: 'query' })}>
          Query and SQL
        </button>
        {canWrite && api.insert && (
          <button type="button" onClick={() => setAside({ kind: 'insert' })}>
            Insert a row
          </button>
        )}
      </Conditions>
      <p className="quiet counts">
        <span role="status">
          {rows && countOf(rows.rows.length, rows)}
          {note && ` ${note}`}
        </span>{' '}
        {rows && paging.by === 'offset' && <NoKey api={api} role={role} />}
        {!canWrite && <small>Read-only: start the server with --console-mode write to edit.</small>}
      </p>
      {error && <Failure error={error} role={role} access={access} />}
      {/* biome-ignore lint/a11y/noStaticElementInteractions: Escape closes what is beside the rows, wherever the focus is */}
      <div className="beside" onKeyDown={({ key }) => key === 'Escape' && setAside(undefined)}>
        {rows ? (
          <Rows
            api={api}
            rows={rows.rows}
            isEnd={rows.isEnd}
            order={asked.order}
            chosen={aside && 'row' in aside ? aside.row : undefined}
            more={loader.more}
            choose={(row) => setAside({ kind: 'row', row })}
            sort={sort}
            follow={follow}
          />
        ) : (
          <Columns api={api} role={role} />
        )}
        {aside && (
          <aside key={aside.kind} aria-label={TITLES[aside.kind]} ref={reveal}>
            <button type="button" className="close" aria-label="Close" onClick={() => setAside(undefined)}>
              ×
            </button>
            {aside.kind === 'query' && request && (
              <QueryPanel request={rows?.request ?? request} role={role} access={access} />
            )}
            {aside.kind === 'row' && (
              <RowPanel
                {...{ api, state, role, access, table }}
                row={aside.row}
                edit={() => setAside({ ...aside, kind: 'edit' })}
                gone={() => {
                  loader.drop(aside.row);
                  setAside(undefined);
                  setNote('1 row deleted.');
                }}
              />
            )}
            {aside.kind === 'edit' && (
              <RowForm
                {...{ api, role, access, table }}
                row={aside.row}
                done={async (key) => {
                  await loader.renew(aside.row, key);
                  setAside(undefined);
                  setNote('1 row changed.');
                }}
              />
            )}
            {aside.kind === 'insert' && (
              <RowForm
                {...{ api, role, access, table }}
                done={async () => {
                  setAside(undefined);
                  if (rows) start();
                  setNote('1 row inserted.');
                }}
              />
            )}
          </aside>
        )}
      </div>
    </>
  );
}

/** In a narrow window it is below the rows. */
function reveal(element: HTMLElement | null): void {
  element?.scrollIntoView({ block: 'nearest' });
}

const TITLES = { row: 'Row', edit: 'Edit the row', insert: 'Insert a row', query: 'Query' };

function countOf(
  count: number,
  { isEnd, isLoading }: { readonly isEnd: boolean; readonly isLoading: boolean },
) {
  if (isLoading && count === 0) return 'Reading rows …';
  const rows = `${count} ${count === 1 ? 'row' : 'rows'}`;
  return isEnd ? `${rows}.` : `${rows} so far; scroll for more.`;
}

function NoKey({ api: { kind, key }, role }: { readonly api: TableApi; readonly role: string }) {
  return key.length > 0 ? (
    <>This order cannot be continued from a value, so pages are counted: changes meanwhile may shift them.</>
  ) : (
    <>
      {role} sees no key of this {kind}, so pages are counted: changes meanwhile may shift them.
    </>
  );
}

/** Before any row was asked for. */
function Columns({
  api: { columns, relationships, kind },
  role,
}: {
  readonly api: TableApi;
  readonly role: string;
}) {
  return (
    <section className="card">
      <h2>What {role} sees</h2>
      <p className="quiet">Nothing was read from this {kind} yet: "Show rows" does.</p>
      <p>
        {columns.map(({ field, type, mask, isComputed }) => (
          <span
            key={field}
            className="chip"
            title={mask === undefined ? undefined : `Shown only where ${mask}`}
          >
            {field}{' '}
            <small>
              {[type, isComputed && 'computed', mask !== undefined && 'masked'].filter(Boolean).join(', ')}
            </small>
          </span>
        ))}
        {columns.length === 0 && 'No column.'}
      </p>
      {relationships.length > 0 && (
        <p>
          {relationships.map(({ field, table }) => (
            <span key={field} className="chip">
              {field} <small>→ {table}</small>
            </span>
          ))}
        </p>
      )}
    </section>
  );
}

function Unreachable({
  api: { kind, columns },
  place: { source, table },
  role,
}: Pick<TableViewProps, 'place'> & { readonly api: TableApi; readonly role: string }) {
  return (
    <Problem
      error={
        new Error(
          columns.length > 0
            ? `No root field leads ${role} to this ${kind}: its rows are read through relationships only.`
            : `The role ${role} may not read this ${kind}.`,
        )
      }
    >
      <a href={address('access', source, table, role)}>Its permissions</a>
    </Problem>
  );
}
