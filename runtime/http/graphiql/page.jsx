/**
 * The page in the browser: GraphiQL, and at the right of its tabs a choice of roles. A role is a set of request headers
 * and a first query; choosing one fills the header editor, so that one sees what is sent, and asks for the role's schema.
 */
import './setup.js';
import { useGraphiQL, useGraphiQLActions } from '@graphiql/react';
import { GraphiQL } from 'graphiql';
import { createClient } from 'graphql-ws';
import { useEffect, useState } from 'react';
import { createRoot } from 'react-dom/client';
import { inBytes } from '../../core/header-text.ts';
import { operationOf } from './operation.js';
import './styles.js';
import './page.css';

const { endpoint, roles } = JSON.parse(document.getElementById('settings').textContent);
const remembered = 'engine:role';

const printHeaders = (role) => JSON.stringify(role.headers, null, 2);
let current = roles.find((role) => role.name === localStorage.getItem(remembered)) ?? roles[0];

/** Until the header editor is there, which is after the first introspection, the chosen role's headers are sent. */
function fetcher(parameters, options) {
  const headers = options?.headers ?? current.headers;
  const { kind } = operationOf(parameters.query, parameters.operationName);
  return kind === 'subscription' ? subscribe(parameters, headers) : send(parameters, headers);
}

async function send(parameters, headers) {
  const response = await fetch(endpoint, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...inBytes(headers) },
    body: JSON.stringify(parameters),
  });
  return response.json();
}

/** Results until the reader stops. The socket closes with its one subscription. */
function subscribe(parameters, headers) {
  const url = new URL(endpoint, location.href);
  url.protocol = url.protocol.replace('http', 'ws');
  const client = createClient({ url: url.href, connectionParams: { headers }, retryAttempts: 5 });
  return client.iterate(parameters);
}

function RoleChoice() {
  const [name, setName] = useState(current.name);
  const headerEditor = useGraphiQL((state) => state.headerEditor);
  const queryEditor = useGraphiQL((state) => state.queryEditor);
  const { introspect } = useGraphiQLActions();

  // The editor comes with the headers of the tab that was open last; what counts is the role shown here.
  useEffect(() => {
    if (headerEditor && headerEditor.getValue() !== printHeaders(current))
      headerEditor.setValue(printHeaders(current));
  }, [headerEditor]);

  const choose = (event) => {
    const role = roles.find((candidate) => candidate.name === event.target.value);
    const query = queryEditor?.getValue().trim() ?? '';
    const untouched = query === '' || roles.some((candidate) => candidate.query.trim() === query);
    current = role;
    localStorage.setItem(remembered, role.name);
    setName(role.name);
    headerEditor?.setValue(printHeaders(role));
    if (untouched) queryEditor?.setValue(role.query);
    introspect();
  };

  return (
    <div className="engine-bar">
      <label className="engine-role" title={current.description}>
        <span>Role</span>
        <select value={name} onChange={choose}>
          {roles.map((role) => (
            <option key={role.name} value={role.name}>
              {role.name}
            </option>
          ))}
        </select>
      </label>
      <span className="engine-description">{current.description}</span>
      <span className="engine-name">Engine</span>
    </div>
  );
}

createRoot(document.getElementById('page')).render(
  <GraphiQL
    fetcher={fetcher}
    defaultQuery={current.query}
    initialHeaders={printHeaders(current)}
    defaultHeaders={printHeaders(current)}
    defaultEditorToolsVisibility="headers"
  >
    <GraphiQL.Logo>
      <RoleChoice />
    </GraphiQL.Logo>
  </GraphiQL>,
);
