/** The model: what the databases have, what of it is tracked, and how tables are related. Behind each table its names and permissions. */

import { useState } from 'react';
import type { QualifiedName } from '../../../core/names.ts';
import type { DiagramSource, DiagramTable, ModelAnswer, ModelSuggestion } from '../../proposal-questions.ts';
import type { ConsoleState } from '../../questions.ts';
import { List, Many, PageHead, type PageProps, Shown } from '../parts.tsx';
import { Editor } from '../permissions/editor.tsx';
import { address } from '../route.ts';
import { useDraft, useProposal } from './draft.ts';
import { Make, ReviewLink } from './make.tsx';
import { nameOf, relate, trackFunctions, trackTables, untrack } from './operations.ts';
import { Picture } from './picture.tsx';
import { Problems } from './preview.tsx';
import { TablePage } from './table.tsx';

export function Model({ state, steps }: PageProps) {
  const [source, schema, name, role, operation] = steps;
  if (source === undefined || schema === undefined || name === undefined)
    return <Overview state={state} chosen={source} />;
  const place = { source, table: { schema, name } };
  return role === undefined ? (
    <TablePage key={JSON.stringify(steps)} state={state} {...place} />
  ) : (
    <Editor
      key={JSON.stringify(steps)}
      state={state}
      {...place}
      role={role}
      operation={operation ?? 'select'}
    />
  );
}

function Overview({ state, chosen }: { readonly state: ConsoleState; readonly chosen: string | undefined }) {
  const loaded = useProposal<ModelAnswer>({ page: 'model' });
  const { changes } = useDraft();
  const { value, again } = loaded;
  const sources = value?.shown.sources ?? [];
  const source = sources.find(({ name }) => name === chosen) ?? sources[0];
  return (
    <>
      <PageHead title="Model" value={value?.shown} again={again}>
        {sources.length > 1 &&
          sources.map(({ name }) => (
            <a key={name} href={address('model', name)} aria-current={name === source?.name || undefined}>
              {name}
            </a>
          ))}
        <ReviewLink />
      </PageHead>
      <Shown of={loaded} waiting="Reading the database …">
        {(answer) => (
          <>
            <Problems answer={answer} changes={changes} />
            {source ? (
              <Source key={source.name} source={source} mayEdit={state.mode !== 'read'} />
            ) : (
              <p className="quiet">There is no source: add one with pg_add_source of the metadata API.</p>
            )}
          </>
        )}
      </Shown>
    </>
  );
}

function Source({ source, mayEdit }: { readonly source: DiagramSource; readonly mayEdit: boolean }) {
  const { name, error, tables, functions, suggestions } = source;
  const untracked = functions.filter(({ isTracked, obstacle }) => !isTracked && obstacle === undefined);
  return (
    <>
      {error !== undefined && (
        <p className="problem" role="alert">
          The database cannot be read: {error}
        </p>
      )}
      <Tables source={name} tables={tables} mayEdit={mayEdit} />
      <Picture source={name} tables={tables} />
      {suggestions.length > 0 && (
        <>
          <h2>
            Suggested relationships <small>foreign keys between tracked tables, each both ways</small>
          </h2>
          <Suggestions source={name} suggestions={suggestions} mayEdit={mayEdit} />
        </>
      )}
      <h2>Functions that return rows of a table</h2>
      {functions.length === 0 && <p className="quiet">The database has none.</p>}
      {mayEdit && untracked.length > 1 && (
        <p>
          <Make change={trackFunctions(name, untracked)}>Track all {untracked.length}</Make>
        </p>
      )}
      {functions.length > 0 && (
        <List label="Functions" columns={['Function', 'Returns', 'API', '']}>
          {functions.map((each) => (
            <tr key={nameOf(each)}>
              <th scope="row">{nameOf(each)}</th>
              <td>
                {each.returns ?? 'not in the database'}
                {each.changesData && <small> may change data</small>}
              </td>
              <td>{each.isTracked ? 'tracked' : (each.obstacle ?? 'not tracked')}</td>
              <td>
                {mayEdit &&
                  (each.isTracked ? (
                    <Make change={untrack('function', name, each)} label={nameOf(each)}>
                      Untrack
                    </Make>
                  ) : (
                    each.obstacle === undefined && (
                      <Make change={trackFunctions(name, [each])} label={nameOf(each)}>
                        Track
                      </Make>
                    )
                  ))}
              </td>
            </tr>
          ))}
        </List>
      )}
    </>
  );
}

const KINDS: Readonly<Record<string, string>> = {
  partitioned: 'partitioned table',
  materialized: 'materialized view',
  foreign: 'foreign table',
};

function Tables({
  source,
  tables,
  mayEdit,
}: {
  readonly source: string;
  readonly tables: readonly DiagramTable[];
  readonly mayEdit: boolean;
}) {
  const [text, setText] = useState('');
  const [which, setWhich] = useState('all');
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set());
  const wanted = text.trim().toLowerCase();
  const shown = tables.filter(
    (table) =>
      (which === 'all' || (which === 'tracked') === table.isTracked) &&
      nameOf(table).toLowerCase().includes(wanted),
  );
  // A partition's rows are those of its table, which is what one tracks.
  const untracked = tables.filter(({ isTracked, partitionOf }) => !isTracked && partitionOf === undefined);
  const marked = tables.filter((table) => !table.isTracked && chosen.has(nameOf(table)));
  const mark = (table: QualifiedName, is: boolean) => {
    const next = new Set(chosen);
    if (is) next.add(nameOf(table));
    else next.delete(nameOf(table));
    setChosen(next);
  };
  return (
    <>
      <h2>Tables and views</h2>
      <div className="filters">
        <input
          type="search"
          aria-label="Find a table"
          placeholder="Find a table"
          value={text}
          onChange={({ target }) => setText(target.value)}
        />
        <select aria-label="Which tables" value={which} onChange={({ target }) => setWhich(target.value)}>
          <option value="all">all</option>
          <option value="untracked">not tracked</option>
          <option value="tracked">tracked</option>
        </select>
        {mayEdit && untracked.length > 0 && (
          <Make change={trackTables(source, untracked)}>
            {untracked.length === 1 ? 'Track the last one' : `Track all ${untracked.length}`}
          </Make>
        )}
        {mayEdit && marked.length > 0 && (
          <Make change={trackTables(source, marked)}>{`Track the ${marked.length} marked`}</Make>
        )}
        <span className="quiet">
          {tables.filter(({ isTracked }) => isTracked).length} of {tables.length} tracked
        </span>
      </div>
      {tables.length === 0 && <p className="quiet">The database has no tables.</p>}
      {tables.length > 0 && untracked.length === tables.length && (
        <p>Only tracked tables and views are in the API. Changes wait until you apply them.</p>
      )}
      <Many items={shown}>
        {(some) => (
          <List
            label="Tables and views"
            columns={['Table', 'Kind', 'Columns', 'Relationships', 'Roles', '']}
            numbers={['Columns']}
          >
            {some.map((table) => (
              <tr key={nameOf(table)}>
                <th scope="row">
                  {mayEdit && !table.isTracked && (
                    <input
                      type="checkbox"
                      aria-label={`Mark ${nameOf(table)}`}
                      checked={chosen.has(nameOf(table))}
                      onChange={({ target }) => mark(table, target.checked)}
                    />
                  )}{' '}
                  {table.isTracked ? (
                    <a href={address('model', source, table.schema, table.name)}>{nameOf(table)}</a>
                  ) : (
                    nameOf(table)
                  )}
                  {table.customName !== undefined && <small> as {table.customName}</small>}
                </th>
                <td>
                  {table.kind === undefined ? (
                    <span className="problem">not in the database</span>
                  ) : (
                    (KINDS[table.kind] ?? table.kind)
                  )}
                  {table.partitionOf !== undefined && <small> part of {table.partitionOf}</small>}
                </td>
                <td className="number">{table.columns}</td>
                <td>{table.relationships.map(({ name }) => name).join(', ')}</td>
                <td>{table.roles.join(', ')}</td>
                <td>
                  {mayEdit &&
                    (table.isTracked ? (
                      <Make change={untrack('table', source, table)} label={nameOf(table)}>
                        Untrack
                      </Make>
                    ) : (
                      <Make change={trackTables(source, [table])} label={nameOf(table)}>
                        Track
                      </Make>
                    ))}
                </td>
              </tr>
            ))}
          </List>
        )}
      </Many>
    </>
  );
}

function Suggestions({
  source,
  suggestions,
  mayEdit,
}: {
  readonly source: string;
  readonly suggestions: readonly ModelSuggestion[];
  readonly mayEdit: boolean;
}) {
  const [names, setNames] = useState<Readonly<Record<string, string>>>({});
  const keyOf = ({ type, from, using }: ModelSuggestion) => JSON.stringify([type, from, using]);
  const named = (each: ModelSuggestion) => ({ ...each, name: names[keyOf(each)]?.trim() || each.name });
  return (
    <>
      {mayEdit && suggestions.length > 1 && (
        <p>
          <Make change={relate(source, suggestions.map(named))}>{`Accept all ${suggestions.length}`}</Make>
        </p>
      )}
      <Many items={suggestions}>
        {(some) => (
          <List label="Suggested relationships" columns={['From', 'Name', 'To', 'Over', '']}>
            {some.map((each) => (
              <tr key={keyOf(each)}>
                <th scope="row">{nameOf(each.from)}</th>
                <td>
                  {mayEdit ? (
                    <input
                      aria-label={`Name of the relationship from ${nameOf(each.from)} to ${nameOf(each.to)} over ${each.over}`}
                      value={names[keyOf(each)] ?? each.name}
                      onChange={({ target }) => setNames({ ...names, [keyOf(each)]: target.value })}
                    />
                  ) : (
                    each.name
                  )}
                </td>
                <td>
                  {nameOf(each.to)} <small>{each.type === 'object' ? 'one row' : 'rows'}</small>
                </td>
                <td>
                  <code>{each.over}</code>
                </td>
                <td>
                  {mayEdit && (
                    <Make
                      change={relate(source, [named(each)])}
                      label={`${nameOf(each.from)}.${named(each).name}`}
                    >
                      Accept
                    </Make>
                  )}
                </td>
              </tr>
            ))}
          </List>
        )}
      </Many>
    </>
  );
}
