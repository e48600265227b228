/** The console in the browser: a choice of pages, each with an address of its own behind `#`. */
import { Component, type FormEvent, type ReactNode, useEffect, useRef, useState } from 'react';
import { createRoot } from 'react-dom/client';
import type { ConsoleState } from '../questions.ts';
import { Access } from './access.tsx';
import { keepSecret, Refusal, read, useLoaded } from './api.ts';
import { Events } from './events.tsx';
import { Inconsistencies } from './inconsistencies.tsx';
import { Operations } from './operations.tsx';
import { Overview } from './overview.tsx';
import { Problem } from './parts.tsx';
import { Query } from './query.tsx';
import { Remotes } from './remotes.tsx';
import { useRoute } from './route.ts';
import { Who } from './who.tsx';
import './page.css';
import './operators.css';

const PAGES = {
  overview: { title: 'Overview', show: Overview },
  access: { title: 'Access', show: Access },
  who: { title: undefined, show: Who },
  inconsistencies: { title: 'Inconsistencies', show: Inconsistencies },
  events: { title: 'Events', show: Events },
  remotes: { title: 'Remote schemas', show: Remotes },
  operations: { title: 'Operations', show: Operations },
  query: { title: 'Query', show: Query },
} as const;

function Console() {
  const { page, steps } = useRoute();
  const {
    value: state,
    error,
    again,
  } = useLoaded('state', () => read<ConsoleState>('/engine/console/state'));
  const current = page in PAGES ? (page as keyof typeof PAGES) : 'overview';
  const { title, show: Page } = PAGES[current];
  useEffect(() => {
    document.title = `${title ?? steps.at(-1) ?? ''} · Engine`;
  }, [title, steps]);
  if (error instanceof Refusal && !state) return <SecretForm refused={error} again={again} />;
  if (error) return <Problem error={error} />;
  return (
    <>
      <nav aria-label="Pages">
        <strong>Engine</strong>
        {Object.entries(PAGES).map(([name, { title: label }]) =>
          label === undefined ? null : (
            <a
              key={name}
              href={`#/${name}`}
              aria-current={name === current || (current === 'who' && name === 'access') ? 'page' : undefined}
            >
              {label}
            </a>
          ),
        )}
        {state && <small>{state.mode === 'read' ? 'read-only' : 'may change metadata'}</small>}
      </nav>
      <main>
        {state && (
          <Boundary key={current} steps={steps}>
            <Page state={state} steps={steps} />
          </Boundary>
        )}
      </main>
    </>
  );
}

/** Keeps a defect of one page from taking the navigation with it. */
class Boundary extends Component<
  { readonly steps: readonly string[]; readonly children: ReactNode },
  { readonly error?: Error | undefined }
> {
  override readonly state: { readonly error?: Error | undefined } = {};

  static getDerivedStateFromError(error: Error) {
    return { error };
  }

  /** Another address of the page is worth another try. */
  override componentDidUpdate(before: { readonly steps: readonly string[] }) {
    if (this.state.error && before.steps !== this.props.steps) this.setState({ error: undefined });
  }

  override render() {
    const { error } = this.state;
    return error ? <Problem error={error} /> : this.props.children;
  }
}

/** Asks for the admin secret. It is sent with every request from then on and stored nowhere. */
function SecretForm({ refused, again }: { readonly refused: Refusal; readonly again: () => void }) {
  const [text, setText] = useState('');
  const field = useRef<HTMLInputElement>(null);
  useEffect(() => field.current?.focus(), []);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    keepSecret(text);
    again();
  };
  return (
    <form className="secret" onSubmit={submit}>
      <h1>Engine console</h1>
      <label>
        Admin secret
        <input
          ref={field}
          type="password"
          autoComplete="off"
          value={text}
          onChange={({ target }) => setText(target.value)}
        />
      </label>
      <button type="submit">Open</button>
      <p className="quiet">It stays in the memory of this page. The server said: {refused.message}</p>
    </form>
  );
}

createRoot(document.getElementById('page')!).render(<Console />);
