/** Fields of a table that no foreign key suggests: computed ones, and relationships over any columns. */
import { type FormEvent, useState } from 'react';
import type { TableAnswer } from '../../proposal-questions.ts';
import { TextField } from '../inputs.tsx';
import { List } from '../parts.tsx';
import { useServices } from '../services/entry.tsx';
import { keepChange, useProposal } from './draft.ts';
import { Make } from './make.tsx';
import { addComputedField, dropComputedField, nameOf, relateBy } from './operations.ts';

interface Props {
  readonly answer: TableAnswer;
  readonly mayEdit: boolean;
}

export function ComputedFields({ answer: { source, table, computedFields, computable }, mayEdit }: Props) {
  const [names, setNames] = useState<Readonly<Record<string, string>>>({});
  if (computedFields.length + computable.length === 0)
    return <p className="quiet">No function of the database takes a row of it.</p>;
  return (
    <List label="Computed fields" columns={['Field', 'Function', '']}>
      {computedFields.map((name) => (
        <tr key={`field ${name}`}>
          <th scope="row">{name}</th>
          <td />
          <td>
            {mayEdit && (
              <Make change={dropComputedField(source, table, name)} label={name}>
                Drop
              </Make>
            )}
          </td>
        </tr>
      ))}
      {computable.map((called) => {
        const key = nameOf(called);
        const name = names[key] ?? called.name;
        return (
          <tr key={`function ${key}`}>
            <th scope="row">
              {mayEdit ? (
                <input
                  aria-label={`Name of the field of ${key}`}
                  value={name}
                  onChange={({ target }) => setNames({ ...names, [key]: target.value })}
                />
              ) : (
                key
              )}
            </th>
            <td>
              {key} <small>{called.returns}</small>
            </td>
            <td>
              {mayEdit && (
                <Make
                  change={addComputedField(source, table, name.trim(), called)}
                  label={key}
                  isDisabled={name.trim() === ''}
                >
                  Add
                </Make>
              )}
            </td>
          </tr>
        );
      })}
    </List>
  );
}

/** A relationship without a foreign key. */
export function RelateBy({ answer: { source, table, columns } }: Pick<Props, 'answer'>) {
  const services = useServices();
  const tables = services.value?.shown.tables.filter((each) => each.source === source) ?? [];
  const [name, setName] = useState('');
  const [type, setType] = useState<'object' | 'array'>('object');
  const [index, setIndex] = useState(0);
  const [pairs, setPairs] = useState<readonly (readonly [here: string, there: string])[]>([['', '']]);
  const to = tables[index] ?? table;
  const target = useProposal<TableAnswer | null>({
    page: 'table',
    source,
    table: { schema: to.schema, name: to.name },
  });
  const theirs = target.value?.shown?.columns ?? [];
  const mapping = Object.fromEntries(pairs.filter(([here, there]) => here !== '' && there !== ''));
  const isComplete = name.trim() !== '' && Object.keys(mapping).length > 0;
  const keep = (event: FormEvent) => {
    event.preventDefault();
    keepChange(relateBy(source, table, name.trim(), type, to, mapping));
    setName('');
  };
  const choose = (position: number, pair: readonly [string, string]) =>
    setPairs(pairs.map((each, other) => (other === position ? pair : each)));
  return (
    <form className="fields" onSubmit={keep}>
      <div className="pair">
        <TextField label="Name of the field" value={name} change={setName} />
        <label className="stacked">
          Leads to
          <select value={type} onChange={({ target }) => setType(target.value as 'object' | 'array')}>
            <option value="object">one row</option>
            <option value="array">rows</option>
          </select>
        </label>
        <label className="stacked">
          Of the table
          <select
            value={index}
            onChange={({ target }) => {
              setIndex(Number(target.value));
              setPairs([['', '']]);
            }}
          >
            {tables.map((each, position) => (
              <option key={`${each.schema}.${each.name}`} value={position}>
                {nameOf(each)}
              </option>
            ))}
          </select>
        </label>
      </div>
      <fieldset>
        <legend>Where these are equal</legend>
        {pairs.map(([here, there], position) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: pairs are known by their place
          <div className="pair" key={position}>
            <select
              aria-label={`Column of ${nameOf(table)}`}
              value={here}
              onChange={({ target }) => choose(position, [target.value, there])}
            >
              <option value="">column here</option>
              {columns.map((each) => (
                <option key={each.name}>{each.name}</option>
              ))}
            </select>
            <select
              aria-label={`Column of ${nameOf(to)}`}
              value={there}
              onChange={({ target }) => choose(position, [here, target.value])}
            >
              <option value="">column there</option>
              {theirs.map((each) => (
                <option key={each.name}>{each.name}</option>
              ))}
            </select>
          </div>
        ))}
        <p>
          <button type="button" onClick={() => setPairs([...pairs, ['', '']])}>
            + Column
          </button>
        </p>
      </fieldset>
      <p>
        <button type="submit" disabled={!isComplete}>
          Keep the relationship
        </button>
      </p>
    </form>
  );
}
