/** Saved operations: who may run them, and the SQL that runs. */
import { useState } from 'react';
import type { AccessAnswer } from '../questions.ts';
import { metadata, named, post, read, useLoaded } from './api.ts';
import { CopyJson, List, type PageProps, Problem, type Statement, Statements, Waiting } from './parts.tsx';
import { address } from './route.ts';

interface Exported {
  readonly metadata: {
    readonly query_collections?: readonly {
      readonly name: string;
      readonly definition: { readonly queries: readonly { readonly name: string; readonly query: string }[] };
    }[];
  };
}

export function Operations({ steps }: PageProps) {
  const { value, error } = useLoaded('operations', () => read<AccessAnswer>('/engine/console/access'));
  const [collection, name] = steps;
  const chosen = value?.operations.find((each) => each.collection === collection && each.name === name);
  if (chosen) return <Operation key={`${collection} ${name}`} operation={chosen} />;
  return (
    <>
      <header>
        <h1>Operations</h1>
        <CopyJson value={value?.operations} />
      </header>
      {error && <Problem error={error} />}
      {!value && !error && <Waiting>Reading the generated code …</Waiting>}
      {value?.operations.length === 0 && <p className="quiet">No operation is saved.</p>}
      {value && value.operations.length > 0 && (
        <List label="Operations" columns={['Operation', 'Kind', 'Roles', 'Endpoints']}>
          {value.operations.map((operation) => (
            <tr key={`${operation.collection} ${operation.name}`}>
              <th scope="row">
                <a href={address('operations', operation.collection, operation.name)}>{operation.name}</a>
              </th>
              <td>{operation.kind}</td>
              <td>{operation.roles.length === 0 ? 'admin only' : operation.roles.join(', ')}</td>
              <td>
                {operation.endpoints.map((endpoint) => (
                  <code key={endpoint}>{endpoint}</code>
                ))}
              </td>
            </tr>
          ))}
        </List>
      )}
    </>
  );
}

function Operation({ operation }: { readonly operation: AccessAnswer['operations'][number] }) {
  const { collection, name, kind, roles } = operation;
  const [role, setRole] = useState(roles[0] ?? 'admin');
  const [variables, setVariables] = useState('{}');
  const [session, setSession] = useState('{}');
  const text = useLoaded(`text ${collection} ${name}`, async () => {
    const exported = await metadata<Exported>('export_metadata', {}, 2);
    const found = exported.metadata.query_collections?.find((each) => each.name === collection);
    return found?.definition.queries.find((each) => each.name === name)?.query ?? '';
  });
  const [explained, setExplained] = useState<{ sql?: readonly Statement[]; error?: Error }>({});
  const explain = async () => {
    try {
      const user = { [named('role')]: role, ...(JSON.parse(session) as object) };
      const query = { query: text.value, variables: JSON.parse(variables) as object };
      const answer = await post<readonly Statement[] | Statement>('/v1/graphql/explain', { query, user });
      setExplained({ sql: [answer].flat() as Statement[] });
    } catch (error) {
      setExplained({ error: error as Error });
    }
  };
  return (
    <>
      <header>
        <h1>
          {name} <small>{collection}</small>
        </h1>
      </header>
      <pre className="rule">{text.value}</pre>
      <p>{roles.length === 0 ? 'Only admin may run it.' : `May be run by ${roles.join(', ')}.`}</p>
      {kind === 'mutation' ? (
        <p className="quiet">The SQL of mutations is in generated/saved/ of a compiled folder.</p>
      ) : (
        <fieldset>
          <legend>SQL and plan</legend>
          <label>
            Role
            <select value={role} onChange={({ target }) => setRole(target.value)}>
              {[...roles, 'admin'].map((each) => (
                <option key={each}>{each}</option>
              ))}
            </select>
          </label>
          <label>
            Session variables
            <input value={session} onChange={({ target }) => setSession(target.value)} spellCheck={false} />
          </label>
          <label>
            Variables
            <input
              value={variables}
              onChange={({ target }) => setVariables(target.value)}
              spellCheck={false}
            />
          </label>
          <button type="button" onClick={explain} disabled={!text.value}>
            Explain
          </button>
        </fieldset>
      )}
      {explained.error && <Problem error={explained.error} />}
      {explained.sql && <Statements statements={explained.sql} />}
    </>
  );
}
