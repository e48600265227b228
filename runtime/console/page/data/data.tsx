/** Rows of tables and views as a role. Opening one reads nothing from it: rows are shown when they are asked for. */
import { useMemo, useState } from 'react';
import type { AccessAnswer, AccessLine } from '../../questions.ts';
import { read, useLoaded } from '../api.ts';
import { RunAs, useAs } from '../as.tsx';
import { List, Many, type PageProps, Shown } from '../parts.tsx';
import { dataAddress, EVERYTHING, placeOf } from './place.ts';
import { TableView } from './table-view.tsx';
import './data.css';

export function Data({ state, steps }: PageProps) {
  const access = useLoaded('access', () => read<AccessAnswer>('/engine/console/access'));
  const place = useMemo(() => placeOf(steps), [steps]);
  if (place)
    return (
      <TableView
        key={JSON.stringify([place.source, place.table])}
        state={state}
        place={place}
        access={access.value}
      />
    );
  return (
    <>
      <header className="ask">
        <h1>Data</h1>
        <RunAs access={access.value} />
      </header>
      <Shown of={access} waiting="Reading what is served …">
        {(answer) => <Tables answer={answer} />}
      </Shown>
    </>
  );
}

/** Tables and views that the chosen role may use, by name. */
function Tables({ answer }: { readonly answer: AccessAnswer }) {
  const { role } = useAs();
  const [text, setText] = useState('');
  const index = answer.roles.indexOf(role);
  const offered = useMemo(
    () =>
      answer.lines.filter(
        ({ kind, cells }) => kind === 'table' && (role === 'admin' || (cells[index] ?? '0') !== '0'),
      ),
    [answer, role, index],
  );
  const wanted = text.trim().toLowerCase();
  const found = offered.filter(({ name, columns = [] }) =>
    [name, ...columns].some((each) => each.toLowerCase().includes(wanted)),
  );
  if (offered.length === 0)
    return (
      <p>
        {answer.lines.some(({ kind }) => kind === 'table') ? (
          <>
            The role {role} may use no table or view. Choose another role, or see{' '}
            <a href="#/access">Access</a>.
          </>
        ) : (
          <>
            No table or view is served yet. <a href="#/overview">Overview</a> says what to do first.
          </>
        )}
      </p>
    );
  const hasSeveral = new Set(answer.lines.map(({ source }) => source)).size > 1;
  return (
    <>
      <p>
        <input
          type="search"
          aria-label="Tables and views"
          placeholder="Table, view or column"
          value={text}
          onChange={({ target }) => setText(target.value)}
        />
      </p>
      {found.length === 0 && <p className="quiet">Nothing that {role} may use has this in its name.</p>}
      <Many items={found}>
        {(shown) => (
          <List
            label="Tables and views"
            columns={['Name', 'Kind', ...(hasSeveral ? ['Source'] : []), `${role} may`]}
          >
            {shown.map((line) => (
              <tr key={`${line.source} ${line.name}`}>
                <th scope="row">
                  <a href={dataAddress({ source: line.source, table: line.name, asked: EVERYTHING })}>
                    {line.label}
                  </a>
                </th>
                <td>{line.relation ?? 'table'}</td>
                {hasSeveral && <td>{line.source}</td>}
                <td>{allowed(line, index)}</td>
              </tr>
            ))}
          </List>
        )}
      </Many>
    </>
  );
}

const OPERATIONS = ['select', 'insert', 'update', 'delete'] as const;

/** In words, what the letters of the matrix say. @param index of the role; -1 is the administrator */
function allowed({ variants, cells }: AccessLine, index: number): string {
  if (index < 0) return 'everything';
  const letters = variants[cells.charCodeAt(index) - '0'.charCodeAt(0)] ?? '';
  return OPERATIONS.filter((_, place) => (letters[place] ?? '-') !== '-').join(', ');
}
