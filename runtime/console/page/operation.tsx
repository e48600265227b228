/** One saved operation: its text, what it needs, who may run it, and its SQL, plan and estimated cost for a role. */

import { type FormEvent, useEffect, useState } from 'react';
import type { SavedTimes } from '../../observe/metrics/saved-times.ts';
import type { OperationAnswer } from '../operator-questions.ts';
import type { AccessAnswer } from '../questions.ts';
import { allowedText } from './allowed.ts';
import { read, useLoaded } from './api.ts';
import { type ExplainedRequest, Explanation } from './explanation.tsx';
import { readVariables } from './json-object.ts';
import { ReviewLink } from './model/make.tsx';
import { Badge, List, PageHead, type PageProps, Problem, Shown } from './parts.tsx';
import { address } from './route.ts';
import { EndpointForm } from './services/endpoints.tsx';
import { NewEntry, useServices } from './services/entry.tsx';
import { TryEndpoint } from './services/try.tsx';
import { SessionVariables, sessionOf, variablesOf } from './session.tsx';
import { withVariables } from './variable-lines.ts';

export function Operation({
  state,
  collection,
  name,
}: {
  readonly state: PageProps['state'];
  readonly collection: string;
  readonly name: string;
}) {
  const place = new URLSearchParams({ collection, name });
  const loaded = useLoaded(`operation ${place}`, () =>
    read<OperationAnswer>(`/engine/console/operation?${place}`),
  );
  return (
    <>
      <PageHead
        title={
          <>
            {name} <small>{collection}</small>
          </>
        }
        value={loaded.value}
        again={loaded.again}
      />
      <Shown of={loaded} waiting="Reading the generated code …">
        {(operation) => (
          <>
            <pre className="rule">{operation.document}</pre>
            <Facts operation={operation} state={state} />
            <Roles operation={operation} />
            <Columns operation={operation} />
            <Explain operation={operation} />
            <Rest operation={operation} state={state} />
            <Saved operation={operation} />
          </>
        )}
      </Shown>
    </>
  );
}

function Facts({
  operation: { collection, name, kind, routes, allowed },
  state,
}: {
  readonly operation: OperationAnswer;
  readonly state: PageProps['state'];
}) {
  const place = new URLSearchParams({ collection, name });
  const times = useLoaded(`times ${place}`, () => read<SavedTimes | null>(`/engine/console/times?${place}`));
  return (
    <dl className="facts">
      <dt>Kind</dt>
      <dd>{kind}</dd>
      <dt>REST</dt>
      <dd>
        {routes.length === 0 && 'no endpoint'}
        {routes.map(({ name, methods, url }) => (
          <div key={name}>
            <code>
              {methods.join(', ')} {url}
            </code>{' '}
            <small>{name}</small>
          </div>
        ))}
      </dd>
      <dt>Allow-list</dt>
      <dd>
        {allowedText(allowed)}
        {!state.isAllowlistEnabled && <small> · the allow-list is not enforced</small>}
      </dd>
      <dt>Measured</dt>
      <dd>{timesText(times.value)}</dd>
    </dl>
  );
}

/** The endpoints that run it, each to be called, and a form for another one. */
function Rest({
  operation: { collection, name, kind, routes },
  state,
}: {
  readonly operation: OperationAnswer;
  readonly state: PageProps['state'];
}) {
  const services = useServices();
  return (
    <>
      <h2>REST endpoints</h2>
      {routes.length === 0 && <p className="quiet">No endpoint runs it.</p>}
      {routes.map((route) => (
        <details key={route.name} className="card">
          <summary>
            Try {route.name}: {route.methods.join(', ')} {route.url}
          </summary>
          <TryEndpoint state={state} endpoint={route} isMutation={kind === 'mutation'} />
        </details>
      ))}
      {services.value && (
        <NewEntry state={state} title="New REST endpoint">
          <EndpointForm services={services.value.shown} of={[collection, name]} />
          <ReviewLink />
        </NewEntry>
      )}
    </>
  );
}

/** Buckets give bounds, so nothing more exact is said. */
function timesText(times: SavedTimes | null | undefined): string {
  if (times === undefined) return '…';
  if (times === null) return 'metrics are off';
  if (times.count === 0) return 'not run by name, hash or endpoint since the start';
  const within = (seconds: number | null | undefined) =>
    typeof seconds === 'number' ? `within ${seconds * 1000} ms` : 'in more than 10 s';
  return `${times.count} × since the start: p50 ${within(times.p50)}, p99 ${within(times.p99)}`;
}

/** Permissions by role, and the reason where they do not suffice. */
function Roles({ operation: { roles } }: { readonly operation: OperationAnswer }) {
  return (
    <>
      <h2>Roles</h2>
      {roles.length === 0 ? (
        <p className="quiet">There are no roles but admin.</p>
      ) : (
        <List label="Roles" columns={['Role', 'Permissions', 'Reason']}>
          {roles.map(({ role, refused }) => (
            <tr key={role}>
              <th scope="row">{role}</th>
              <td>
                {refused === undefined ? (
                  <Badge kind="good">suffice</Badge>
                ) : (
                  <Badge kind="bad">refused</Badge>
                )}
              </td>
              <td>{refused}</td>
            </tr>
          ))}
        </List>
      )}
    </>
  );
}

/** Permissions that a role needs. */
function Columns({ operation: { columns } }: { readonly operation: OperationAnswer }) {
  if (columns.length === 0) return null;
  return (
    <>
      <h2>Needed columns</h2>
      <List label="Needed columns" columns={['Table', 'Shows', 'Selects rows by', 'Writes']}>
        {columns.map(({ source, table, shows, selectsBy, writes }) => (
          <tr key={`${source} ${table}`}>
            <th scope="row">
              {table} <small>{source}</small>
            </th>
            {[shows, selectsBy, writes].map((names, index) => (
              <td key={['shows', 'selects', 'writes'][index]}>
                {names.map((column) => (
                  <a key={column} className="chip" href={address('who', source, table, column)}>
                    {column}
                  </a>
                ))}
              </td>
            ))}
          </tr>
        ))}
      </List>
    </>
  );
}

/** Asks for the rules, the SQL and the plan of a role. */
function Explain({ operation: { document, roles, variables } }: { readonly operation: OperationAnswer }) {
  const [role, setRole] = useState(roles.find(({ refused }) => refused === undefined)?.role ?? 'admin');
  const [session, setSession] = useState('');
  const [values, setValues] = useState(() => JSON.stringify(Object.fromEntries(requiredOf(variables))));
  const [asked, setAsked] = useState<ExplainedRequest>();
  const [problem, setProblem] = useState<Error>();
  const access = useLoaded('access', () => read<AccessAnswer>('/engine/console/access'));
  useEffect(() => {
    let isLast = true;
    variablesOf(role).then(
      (names) => isLast && setSession((last) => withVariables(last, names)),
      (thrown: Error) => isLast && setProblem(thrown),
    );
    return () => {
      isLast = false;
    };
  }, [role]);
  const ask = (event: FormEvent) => {
    event.preventDefault();
    try {
      const user = sessionOf(role, session);
      setAsked({ role, request: { query: document, variables: readVariables(values) }, user });
      setProblem(undefined);
    } catch (thrown) {
      setProblem(thrown as Error);
    }
  };
  return (
    <>
      <h2>Rules, SQL and plan as a role</h2>
      <form className="ask" onSubmit={ask}>
        <label>
          Role
          <select value={role} onChange={({ target }) => setRole(target.value)}>
            {[...roles.map((each) => each.role), 'admin'].map((each) => (
              <option key={each}>{each}</option>
            ))}
          </select>
        </label>
        <SessionVariables text={session} change={setSession} />
        {Object.keys(variables).length > 0 && (
          <label className="session">
            Variables
            <textarea
              rows={2}
              value={values}
              title={Object.entries(variables)
                .map(([name, type]) => `${name}: ${type}`)
                .join(', ')}
              onChange={({ target }) => setValues(target.value)}
              spellCheck={false}
            />
          </label>
        )}
        <button type="submit">Explain</button>
      </form>
      {problem && <Problem error={problem} />}
      {asked && (
        <div className="wide">
          <Explanation asked={asked} access={access.value} close={() => setAsked(undefined)} />
        </div>
      )}
    </>
  );
}

/** The variables without which the operation does not run, to be filled in. */
function requiredOf(variables: OperationAnswer['variables']): [name: string, value: null][] {
  return Object.entries(variables).flatMap(([name, type]) => (type.endsWith('!') ? [[name, null]] : []));
}

/** The statements that were made when the operation was compiled. */
function Saved({ operation: { statements, unplanned } }: { readonly operation: OperationAnswer }) {
  return (
    <>
      <h2>
        Compiled SQL <small>braces are filled with the role’s rules and the values of variables</small>
      </h2>
      {unplanned !== undefined && <p className="quiet">Its SQL depends on each request: {unplanned}</p>}
      {unplanned === undefined && statements.length === 0 && (
        <p className="quiet">No statement was made before a request.</p>
      )}
      {statements.map(({ roles, when, statements: all }) => (
        <details key={`${roles} ${JSON.stringify(when)}`} className="card">
          <summary>
            {roles.join(', ')} {when && <code>{JSON.stringify(when)}</code>}
          </summary>
          {all.map(({ source, sql }) => (
            <div key={sql}>
              <h4>{source}</h4>
              <pre>{sql}</pre>
            </div>
          ))}
        </details>
      ))}
    </>
  );
}
