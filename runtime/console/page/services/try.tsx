/** Calling what is served, as the role that is chosen, with the answer as it came. */
import { type FormEvent, type ReactNode, useState } from 'react';
import { parseExactJson } from '../../../core/json/exact-json.ts';
import { jsonText } from '../../../core/json/json-value.ts';
import type { AccessAnswer, ConsoleState } from '../../questions.ts';
import { callAs, graphql, read, useLoaded } from '../api.ts';
import { chosen, RunAs } from '../as.tsx';
import { openInQuery } from '../hand-over.ts';
import { readVariables } from '../json-object.ts';
import { Badge, Problem } from '../parts.tsx';
import { sessionOf } from '../session.tsx';

interface Outcome {
  readonly text?: string;
  readonly status?: number;
  readonly error?: Error;
}

/** A form with fields of role and session, whose answer is shown below. */
function TryForm({
  verb,
  isRefused,
  run,
  furtherButtons,
  children,
}: {
  /** Of the button. */
  readonly verb: string;
  /** It would run a mutation, and the console may not. */
  readonly isRefused: boolean;
  readonly run: (session: Readonly<Record<string, string>>) => Promise<Outcome>;
  readonly furtherButtons?: ReactNode;
  readonly children: ReactNode;
}) {
  const access = useLoaded('access', () => read<AccessAnswer>('/engine/console/access'));
  const [outcome, setOutcome] = useState<Outcome>();
  const [isRunning, setRunning] = useState(false);
  const start = async (event: FormEvent) => {
    event.preventDefault();
    setRunning(true);
    try {
      const { role, session } = chosen();
      setOutcome(await run(sessionOf(role, session)));
    } catch (error) {
      setOutcome({ error: error as Error });
    }
    setRunning(false);
  };
  if (isRefused)
    return <p className="quiet">This console runs no mutations: it was started with console-mode read.</p>;
  return (
    <form onSubmit={start}>
      <div className="ask">
        <RunAs access={access.value} />
      </div>
      {children}
      <p className="pair">
        <button type="submit" disabled={isRunning}>
          {verb}
        </button>
        {furtherButtons}
        {isRunning && <span role="status">Calling …</span>}
      </p>
      {outcome && <Answer of={outcome} />}
    </form>
  );
}

function Answer({ of: { text, status, error } }: { readonly of: Outcome }) {
  if (error) return <Problem error={error} />;
  return (
    <section aria-label="Answer">
      {status !== undefined && <Badge kind={status < 300 ? 'good' : 'bad'}>{status}</Badge>}
      <pre className="rule">{text}</pre>
    </section>
  );
}

/** The operation and its variables, to be run. */
export function TryOperation({
  state,
  call,
  isMutation,
}: {
  readonly state: Pick<ConsoleState, 'mode'>;
  readonly call: { readonly query: string; readonly variables: object };
  readonly isMutation: boolean;
}) {
  const [query, setQuery] = useState(call.query);
  const [variables, setVariables] = useState(jsonText(call.variables));
  return (
    <TryForm
      isRefused={isMutation && state.mode === 'read'}
      verb="Run"
      run={async (session) => {
        const request = { query, variables: readVariables(variables) };
        return { text: jsonText(await graphql(request, session, parseExactJson), '  ') };
      }}
      furtherButtons={
        <button type="button" onClick={() => openInQuery({ query, variables })}>
          Open in Query
        </button>
      }
    >
      <div className="two">
        <label className="stacked">
          Operation
          <textarea
            rows={query.split('\n').length + 1}
            value={query}
            // It could be written to be a mutation.
            readOnly={state.mode === 'read'}
            spellCheck={false}
            onChange={({ target }) => setQuery(target.value)}
          />
        </label>
        <label className="stacked">
          Variables
          <textarea
            rows={3}
            value={variables}
            spellCheck={false}
            onChange={({ target }) => setVariables(target.value)}
          />
        </label>
      </div>
    </TryForm>
  );
}

/** Calls a REST endpoint. @param url its path, with segments `:name` to fill in */
export function TryEndpoint({
  state,
  endpoint: { url, methods },
  isMutation,
}: {
  readonly state: Pick<ConsoleState, 'mode'>;
  readonly endpoint: { readonly url: string; readonly methods: readonly string[] };
  readonly isMutation: boolean;
}) {
  const [method, setMethod] = useState(methods[0] ?? 'GET');
  const [path, setPath] = useState(url);
  const [body, setBody] = useState('{}');
  const hasBody = method !== 'GET';
  const run = async (session: Readonly<Record<string, string>>) => {
    if (!isPathOf(url, path))
      throw new Error(`The path is not that of the endpoint: ${url}, with a value for each :name.`);
    return callAs(session, method, path, hasBody ? body : undefined);
  };
  return (
    <TryForm verb="Call" run={run} isRefused={isMutation && state.mode === 'read'}>
      <div className="pair">
        <label className="stacked">
          Method
          <select value={method} onChange={({ target }) => setMethod(target.value)}>
            {methods.map((each) => (
              <option key={each}>{each}</option>
            ))}
          </select>
        </label>
        <label className="stacked path">
          Path
          <input value={path} spellCheck={false} onChange={({ target }) => setPath(target.value)} />
        </label>
      </div>
      {hasBody && (
        <label className="stacked">
          Variables as JSON
          <textarea
            rows={3}
            value={body}
            spellCheck={false}
            onChange={({ target }) => setBody(target.value)}
          />
        </label>
      )}
    </TryForm>
  );
}

/** Whether a path, with or without parameters, leads to the endpoint: another one may run a mutation. Compared as browsers send it, without `..`. */
function isPathOf(url: string, path: string): boolean {
  const [parts = [], wanted = []] = [path, url].map((each) =>
    new URL(each, location.href).pathname.split('/'),
  );
  const fits = (part: string, index: number) => part.startsWith(':') || part === parts[index];
  return parts.length === wanted.length && wanted.every(fits);
}
