/** A table: names of the table, its columns and relationships, and the permissions of each role. */
import { type FormEvent, useState } from 'react';
import type { JsonObject } from '../../../core/json/json.ts';
import type { QualifiedName } from '../../../core/names.ts';
import type { TableAnswer } from '../../proposal-questions.ts';
import type { ConsoleState } from '../../questions.ts';
import { OPERATIONS } from '../cells.ts';
import { List, PageHead, Shown } from '../parts.tsx';
import { address } from '../route.ts';
import { NewEntry } from '../services/entry.tsx';
import { keepChange, useDraft, useProposal } from './draft.ts';
import { ComputedFields, RelateBy } from './further-fields.tsx';
import { Make, ReviewLink } from './make.tsx';
import { customize, dropRelationship, nameOf, renameRelationship, setEnum, untrack } from './operations.ts';
import { Problems } from './preview.tsx';

export function TablePage({
  state,
  source,
  table,
}: {
  readonly state: ConsoleState;
  readonly source: string;
  readonly table: QualifiedName;
}) {
  const loaded = useProposal<TableAnswer | null>({ page: 'table', source, table });
  const { changes } = useDraft();
  const mayEdit = state.mode !== 'read';
  const name = nameOf(table);
  return (
    <>
      <PageHead title={name} value={loaded.value?.shown} again={loaded.again}>
        <a href={address('model', source)}>Model of {source}</a>
        <ReviewLink />
      </PageHead>
      <Shown of={loaded}>
        {(answer) => {
          const { shown } = answer;
          const problems = <Problems answer={answer} changes={changes} />;
          if (!shown?.isTracked)
            return (
              <>
                {problems}
                <p>{name} is not tracked.</p>
              </>
            );
          return (
            <>
              {problems}
              <h2>Permissions</h2>
              <Permissions answer={shown} mayEdit={mayEdit} />
              <h2>Relationships</h2>
              <Relationships answer={shown} mayEdit={mayEdit} />
              <NewEntry state={state} title="Relationship without a foreign key">
                <RelateBy answer={shown} />
              </NewEntry>
              <h2>Computed fields</h2>
              <ComputedFields answer={shown} mayEdit={mayEdit} />
              <h2>Names</h2>
              <Names key={JSON.stringify(shown.configuration)} answer={shown} mayEdit={mayEdit} />
              {mayEdit && (
                <p className="pair spaced">
                  <Make change={setEnum(source, table, !shown.isEnum)}>
                    {shown.isEnum ? 'Serve it as an ordinary table' : 'Serve its rows as an enum'}
                  </Make>
                  <Make change={untrack('table', source, table)} label={name}>
                    Untrack
                  </Make>
                </p>
              )}
            </>
          );
        }}
      </Shown>
    </>
  );
}

function Permissions({ answer, mayEdit }: { readonly answer: TableAnswer; readonly mayEdit: boolean }) {
  const { source, table, permissions, roles, inherited } = answer;
  const [role, setRole] = useState('');
  const open = (event: FormEvent) => {
    event.preventDefault();
    if (role.trim() !== '')
      location.hash = address('model', source, table.schema, table.name, role.trim(), 'select');
  };
  return (
    <>
      {roles.length > 0 && (
        <List label="Permissions by role" columns={['Role', ...OPERATIONS]}>
          {roles.map((each) => (
            <tr key={each}>
              <th scope="row">
                {each} {inherited.includes(each) && <small>inherits</small>}
              </th>
              {OPERATIONS.map((operation) => {
                const found = permissions[operation].find((entry) => entry.role === each);
                return (
                  <td key={operation}>
                    <a
                      href={address('model', source, table.schema, table.name, each, operation)}
                      aria-label={`${operation} of ${each}: ${found ? summary(found.permission) : 'none'}`}
                    >
                      {found ? summary(found.permission) : '–'}
                    </a>
                  </td>
                );
              })}
            </tr>
          ))}
        </List>
      )}
      {mayEdit && (
        <form className="pair" onSubmit={open}>
          <label>
            New role{' '}
            <input value={role} onChange={({ target }) => setRole(target.value)} autoComplete="off" />
          </label>
          <button type="submit">Edit its permissions</button>
        </form>
      )}
    </>
  );
}

function summary({ columns, filter, check }: JsonObject): string {
  const rule = filter ?? check ?? {};
  const rows = Object.keys(rule as object).length === 0 ? 'every row' : 'by rule';
  return columns === undefined
    ? rows
    : `${rows}, ${columns === '*' ? 'all' : (columns as readonly string[]).length} columns`;
}

function Relationships({
  answer: { source, table, relationships },
  mayEdit,
}: {
  readonly answer: TableAnswer;
  readonly mayEdit: boolean;
}) {
  const [names, setNames] = useState<Readonly<Record<string, string>>>({});
  if (relationships.length === 0)
    return <p className="quiet">None. The page of the model suggests those that foreign keys have.</p>;
  return (
    <List label="Relationships" columns={['Name', 'To', '']}>
      {relationships.map(({ name, type, to }) => {
        const next = (names[name] ?? name).trim();
        return (
          <tr key={name}>
            <th scope="row">
              {mayEdit ? (
                <input
                  aria-label={`Name of the relationship ${name}`}
                  value={names[name] ?? name}
                  onChange={({ target }) => setNames({ ...names, [name]: target.value })}
                />
              ) : (
                name
              )}
            </th>
            <td>
              {to ? (
                <a href={address('model', source, to.schema, to.name)}>{nameOf(to)}</a>
              ) : (
                <span className="problem">the foreign key does not exist</span>
              )}{' '}
              <small>{type === 'object' ? 'one row' : 'rows'}</small>
            </td>
            <td>
              {mayEdit && next !== '' && next !== name && (
                <Make change={renameRelationship(source, table, name, next)} label={name}>
                  Rename
                </Make>
              )}{' '}
              {mayEdit && (
                <Make change={dropRelationship(source, table, name)} label={name}>
                  Drop
                </Make>
              )}
            </td>
          </tr>
        );
      })}
    </List>
  );
}

/** Custom names of a configuration, as the metadata has them. */
interface Configuration {
  readonly custom_name?: string;
  readonly column_config?: Readonly<Record<string, { readonly custom_name?: string }>>;
}

function Names({
  answer: { source, table, columns, configuration },
  mayEdit,
}: {
  readonly answer: TableAnswer;
  readonly mayEdit: boolean;
}) {
  const { custom_name: before = '', column_config: known = {} } = configuration as Configuration;
  const [tableName, setTableName] = useState(before);
  const [names, setNames] = useState<Readonly<Record<string, string>>>(
    Object.fromEntries(columns.map(({ name, customName = '' }) => [name, customName])),
  );
  const keep = (event: FormEvent) => {
    event.preventDefault();
    const { custom_name: _, custom_column_names: __, column_config: ___, ...others } = configuration;
    const settings = columns.map(({ name }) => {
      const { custom_name: former, ...rest } = known[name] ?? {};
      const next = names[name]?.trim();
      return [name, { ...rest, ...(next && { custom_name: next }) }] as const;
    });
    const column_config = Object.fromEntries(settings.filter(([, each]) => Object.keys(each).length > 0));
    const next = tableName.trim();
    keepChange(
      customize(source, table, { ...others, column_config, ...(next !== '' && { custom_name: next }) }),
    );
  };
  return (
    <form onSubmit={keep}>
      <p>
        <label>
          Name of the table in the API{' '}
          <input
            value={tableName}
            placeholder={table.name}
            readOnly={!mayEdit}
            onChange={({ target }) => setTableName(target.value)}
          />
        </label>
      </p>
      <List label="Columns" columns={['Column', 'Type', 'Name in the API']}>
        {columns.map(({ name, type, isNullable, comment }) => (
          <tr key={name}>
            <th scope="row">{name}</th>
            <td>
              <code>{type}</code> {!isNullable && <small>not null</small>}{' '}
              {comment !== undefined && <small>{comment}</small>}
            </td>
            <td>
              <input
                aria-label={`Name of ${name} in the API`}
                value={names[name] ?? ''}
                placeholder={name}
                readOnly={!mayEdit}
                onChange={({ target }) => setNames({ ...names, [name]: target.value })}
              />
            </td>
          </tr>
        ))}
      </List>
      {mayEdit && <button type="submit">Keep the names</button>}
    </form>
  );
}
