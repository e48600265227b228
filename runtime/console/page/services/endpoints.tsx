/** REST endpoints, and the form of a new one. */
import { type FormEvent, useState } from 'react';
import type { ConsoleState } from '../../questions.ts';
import type { EndpointEntry, ServicesAnswer } from '../../services-questions.ts';
import { CheckField, TextField } from '../inputs.tsx';
import { keepChange } from '../model/draft.ts';
import { MakeIfAllowed } from '../model/make.tsx';
import { List } from '../parts.tsx';
import { createEndpoint, dropEndpoint } from './operations.ts';

const METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'];

export function Endpoints({
  state,
  services,
}: {
  readonly state: Pick<ConsoleState, 'mode'>;
  readonly services: ServicesAnswer;
}) {
  const { endpoints } = services;
  return (
    <>
      <h2>REST endpoints</h2>
      {endpoints.length === 0 && <p className="quiet">There is no REST endpoint.</p>}
      {endpoints.length > 0 && (
        <List label="REST endpoints" columns={['Endpoint', 'Methods', 'Path', 'Runs', '']}>
          {endpoints.map(({ name, methods, url, definition: { query } }: EndpointEntry) => (
            <tr key={name}>
              <th scope="row">{name}</th>
              <td>{methods.join(', ')}</td>
              <td>
                <code>/api/rest/{url}</code>
              </td>
              <td>
                {query.query_name} <small>{query.collection_name}</small>
              </td>
              <td>
                <MakeIfAllowed state={state} change={dropEndpoint(name)} label={name}>
                  Drop
                </MakeIfAllowed>
              </td>
            </tr>
          ))}
        </List>
      )}
    </>
  );
}

/** @param of the operation, unless it is chosen here */
export function EndpointForm({
  services: { collections },
  of,
}: { readonly services: ServicesAnswer } & { readonly of?: readonly [collection: string, name: string] }) {
  const operations = collections.flatMap(({ name: collection, definition }) =>
    definition.queries.map(({ name }) => [collection, name] as const),
  );
  const [index, setIndex] = useState(0);
  const [name, setName] = useState('');
  const [url, setUrl] = useState('');
  const [methods, setMethods] = useState<readonly string[]>(['GET']);
  const operation = of ?? operations[index];
  if (!operation) return <p className="quiet">Save an operation first: an endpoint runs one.</p>;
  const create = (event: FormEvent) => {
    event.preventDefault();
    keepChange(
      createEndpoint(operation, { name: name.trim(), url: url.trim().replace(/^\/+/, ''), methods }),
    );
    setName('');
    setUrl('');
  };
  return (
    <form className="stacked" onSubmit={create}>
      <div className="pair">
        {!of && (
          <label className="stacked">
            Runs
            <select value={index} onChange={({ target }) => setIndex(Number(target.value))}>
              {operations.map(([collection, each], position) => (
                <option key={`${collection} ${each}`} value={position}>
                  {each} ({collection})
                </option>
              ))}
            </select>
          </label>
        )}
        <TextField label="Name of the endpoint" value={name} change={setName} />
        <TextField label="Path below /api/rest/" value={url} placeholder="customers/:id" change={setUrl} />
      </div>
      <fieldset>
        <legend>Methods</legend>
        <div className="checks">
          {METHODS.map((method) => (
            <CheckField
              key={method}
              label={method}
              value={methods.includes(method)}
              change={(is) =>
                setMethods(METHODS.filter((each) => (each === method ? is : methods.includes(each))))
              }
            />
          ))}
        </div>
      </fieldset>
      <p>
        <button type="submit" disabled={name.trim() === '' || url.trim() === '' || methods.length === 0}>
          Keep the endpoint
        </button>
      </p>
    </form>
  );
}
