/**
 * GraphiQL as a role: operations run with the admin secret, the role and the session variables that are chosen here, and what
 * the role is refused is explained. GraphiQL is in a frame (runtime/http/graphiql/frame.jsx), which gets neither.
 */

import { useCallback, useEffect, useRef, useState } from 'react';
import type { AccessAnswer } from '../questions.ts';
import { graphql, read, subscription, useLoaded } from './api.ts';
import { chosen, RunAs, useAs } from './as.tsx';
import { type ExplainedRequest, Explanation } from './explanation.tsx';
import { type HandedOver, takeHandedOver } from './hand-over.ts';
import { readVariables } from './json-object.ts';
import { ReviewLink } from './model/make.tsx';
import { type PageProps, Problem, Shown, Waiting } from './parts.tsx';
import { SaveForm } from './services/collections.tsx';
import { useServices } from './services/entry.tsx';
import { sessionOf } from './session.tsx';

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
    readonly operation: HandedOver | undefined;
    readonly ready: (editor: Editor) => void;
  }) => void;
}

const FIRST_QUERY = '# Any operation, run as the role above.\n{\n  __typename\n}\n';

export function Query({ state }: PageProps) {
  const { value: access, error } = useLoaded('access', () => read<AccessAnswer>('/engine/console/access'));
  const { role, session: text } = useAs();
  const [asked, setAsked] = useState<ExplainedRequest>();
  const [problem, setProblem] = useState<Error>();
  const [isReady, setReady] = useState(false);
  const [isSaving, setSaving] = useState(false);
  const editor = useRef<Editor>(undefined);
  /** The role whose schema the editor asked for last. */
  const introspected = useRef<string>(undefined);
  useEffect(() => {
    // The role may have changed while the editor was loading and had asked already.
    if (!isReady || introspected.current === role) return;
    introspected.current = role;
    editor.current?.introspect();
  }, [role, isReady]);

  const run = useCallback(
    (request: object, kind: 'query' | 'mutation' | 'subscription') => {
      if (kind === 'mutation' && state.mode === 'read')
        return Promise.resolve({ errors: [{ message: READ_ONLY }] });
      try {
        const { role, session: text } = chosen();
        const session = sessionOf(role, text);
        return kind === 'subscription' ? subscription(request, session) : graphql(request, session);
      } catch (thrown) {
        return Promise.resolve({ errors: [{ message: (thrown as Error).message }] });
      }
    },
    [state.mode],
  );
  const start = (frame: HTMLIFrameElement) => {
    introspected.current = chosen().role;
    (frame.contentWindow as FrameWindow | null)?.startQuery?.({
      run,
      // Tabs and history are gone with the browser's tab.
      storage: sessionStorage,
      operation: takeHandedOver(),
      defaultQuery: FIRST_QUERY,
      ready: (loaded) => {
        editor.current = loaded;
        setReady(true);
      },
    });
  };
  const explain = () => {
    try {
      const { query, variables, operationName } = editor.current!.read();
      const request = { query, variables: readVariables(variables), operationName };
      setAsked({ role, request, user: sessionOf(role, text) });
      setProblem(undefined);
    } catch (thrown) {
      setProblem(thrown as Error);
    }
  };
  return (
    <div className="query">
      <header className="ask">
        <h1>Query</h1>
        <RunAs access={access} />
        <button type="button" onClick={explain} disabled={!isReady}>
          Explain
        </button>
        {state.mode !== 'read' && (
          <button
            type="button"
            disabled={!isReady}
            onClick={() => setSaving(!isSaving)}
            aria-expanded={isSaving}
          >
            Save
          </button>
        )}
        <small>{state.mode === 'read' ? 'Mutations are refused here.' : 'Mutations change data.'}</small>
      </header>
      {error && <Problem error={error} />}
      {problem && <Problem error={problem} />}
      {isSaving && <Save text={() => editor.current!.read().query} />}
      {!isReady && <Waiting>Loading GraphiQL …</Waiting>}
      <iframe src="/console/query" title="GraphiQL" onLoad={({ currentTarget }) => start(currentTarget)} />
      {asked && <Explanation asked={asked} access={access} close={() => setAsked(undefined)} />}
    </div>
  );
}

/** Puts the operation in the editor into a collection. */
function Save({ text }: { readonly text: () => string }) {
  const services = useServices();
  return (
    <Shown of={services}>
      {({ shown }) => (
        <section className="card" aria-label="Save the operation">
          <SaveForm services={shown} text={text}>
            <ReviewLink />
          </SaveForm>
        </section>
      )}
    </Shown>
  );
}

const READ_ONLY =
  'This console runs no mutations: it was started with console-mode read. Start the server with --console-mode write to run them here.';
