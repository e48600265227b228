/**
 * GraphiQL as a role: operations run with the admin secret, the role and the session variables that are chosen here, and what
 * the role is refused is explained. GraphiQL is in a frame (runtime/http/graphiql/frame.jsx), which gets neither.
 */

import { useCallback, useEffect, useMemo, useRef, useState } from 'react';
import { parseExactJson } from '../../core/json/exact-json.ts';
import type { AccessAnswer } from '../questions.ts';
import { graphql, read, subscription, useLoaded } from './api.ts';
import { type Asked, Explanation } from './explanation.tsx';
import { type PageProps, Problem, Waiting } from './parts.tsx';
import { SessionVariables, sessionOf, variablesOf, withVariables } from './session.tsx';
import { memoryStorage } from './storage.ts';

/** The editor in the frame. */
interface Editor {
  readonly read: () => {
    readonly query: string;
    readonly variables: string;
    readonly operationName?: string;
  };
  readonly introspect: () => void;
}

/** The window of the frame once its script has run. */
interface FrameWindow extends Window {
  readonly startQuery?: (host: {
    readonly run: (request: object, kind: 'query' | 'mutation' | 'subscription') => unknown;
    readonly storage: Storage;
    readonly defaultQuery: string;
    readonly ready: (editor: Editor) => void;
  }) => void;
}

/** They outlast a visit of another page, and are gone with the console. */
const kept = { storage: memoryStorage(), role: 'admin', session: '' };

const FIRST_QUERY = '# Any operation, run as the role above.\n{\n  __typename\n}\n';

export function Query({ state }: PageProps) {
  const { value: access, error } = useLoaded('access', () => read<AccessAnswer>('/engine/console/access'));
  const [role, setRole] = useState(kept.role);
  const [text, setText] = useState(kept.session);
  const [asked, setAsked] = useState<Asked>();
  const [problem, setProblem] = useState<Error>();
  const [isReady, setReady] = useState(false);
  const editor = useRef<Editor>(undefined);
  const roles = useMemo(() => ['admin', ...(access?.roles ?? [])], [access]);
  Object.assign(kept, { role, session: text });

  const choose = (chosen: string) => {
    setRole(chosen);
    variablesOf(chosen).then((names) => setText((last) => withVariables(last, names)), setProblem);
  };
  // biome-ignore lint/correctness/useExhaustiveDependencies: another role has another schema
  useEffect(() => {
    editor.current?.introspect();
  }, [role]);

  const run = useCallback(
    (request: object, kind: 'query' | 'mutation' | 'subscription') => {
      if (kind === 'mutation' && state.mode === 'read')
        return Promise.resolve({ errors: [{ message: READ_ONLY }] });
      try {
        const session = sessionOf(kept.role, kept.session);
        return kind === 'subscription' ? subscription(request, session) : graphql(request, session);
      } catch (thrown) {
        return Promise.resolve({ errors: [{ message: (thrown as Error).message }] });
      }
    },
    [state.mode],
  );
  const start = (frame: HTMLIFrameElement) =>
    (frame.contentWindow as FrameWindow | null)?.startQuery?.({
      run,
      storage: kept.storage,
      defaultQuery: FIRST_QUERY,
      ready: (loaded) => {
        editor.current = loaded;
        setReady(true);
      },
    });
  const explain = () => {
    try {
      const { query, variables, operationName } = editor.current!.read();
      const values = variables.trim() === '' ? {} : (parseExactJson(variables) as object);
      setProblem(undefined);
      setAsked({ role, request: { query, variables: values, operationName }, user: sessionOf(role, text) });
    } catch (thrown) {
      setProblem(thrown as Error);
    }
  };
  return (
    <div className="query">
      <header className="ask">
        <h1>Query</h1>
        <label>
          Run as
          <select value={role} onChange={({ target }) => choose(target.value)}>
            {roles.map((each) => (
              <option key={each}>{each}</option>
            ))}
          </select>
        </label>
        <SessionVariables text={text} change={setText} />
        <button type="button" onClick={explain} disabled={!isReady}>
          Explain
        </button>
        <small>{state.mode === 'read' ? 'Mutations are refused here.' : 'Mutations change data.'}</small>
      </header>
      {error && <Problem error={error} />}
      {problem && <Problem error={problem} />}
      {!isReady && <Waiting>Loading GraphiQL …</Waiting>}
      <iframe src="/console/query" title="GraphiQL" onLoad={({ currentTarget }) => start(currentTarget)} />
      {asked && <Explanation asked={asked} access={access} close={() => setAsked(undefined)} />}
    </div>
  );
}

const READ_ONLY =
  'This console runs no mutations: it was started with console-mode read. Start the server with --console-mode write to run them here.';
