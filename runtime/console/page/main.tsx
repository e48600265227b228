/** The console in the browser: a choice of pages, each with an address of its own behind `#`. */
import {
  Component,
  type ComponentType,
  type FormEvent,
  type ReactNode,
  useEffect,
  useRef,
  useState,
} from 'react';
import { createRoot } from 'react-dom/client';
import type { ConsoleState } from '../questions.ts';
import { Access } from './access.tsx';
import { hasSecret, keepSecret, Refusal, read, useLoaded } from './api.ts';
import { Data } from './data/data.tsx';
import { Events } from './events.tsx';
import { Inconsistencies } from './inconsistencies.tsx';
import { Changes } from './model/changes.tsx';
import { useDraft } from './model/draft.ts';
import { Model } from './model/model.tsx';
import { Operations } from './operations.tsx';
import { Overview } from './overview.tsx';
import { type PageProps, Problem, Waiting } from './parts.tsx';
import { Query } from './query.tsx';
import { Remotes } from './remotes.tsx';
import { useRoute } from './route.ts';
import { Actions } from './services/actions.tsx';
import { Who } from './who.tsx';
import './page.css';
import './operators.css';
import './model/model.css';
import './services/services.css';

interface ShownPage {
  /** In the navigation; absent for a page that others lead to. */
  readonly title?: string;
  readonly show: ComponentType<PageProps>;
  /** Title of the window behind an address of several steps; the last of them by default. */
  readonly describe?: (steps: readonly string[]) => string;
}

const PAGES: Readonly<Record<string, ShownPage>> = {
  overview: { title: 'Overview', show: Overview },
  access: { title: 'Access', show: Access, describe: ([, name, role]) => `${name} ${role}`.trim() },
  data: { title: 'Data', show: Data, describe: ([, table = '']) => table },
  who: { show: Who, describe: ([, table, column]) => `Who can use ${table}.${column}?` },
  inconsistencies: { title: 'Inconsistencies', show: Inconsistencies },
  model: { title: 'Model', show: Model, describe: ([, ...names]) => names.join(' ') },
  changes: { title: 'Changes', show: Changes },
  actions: { title: 'Actions', show: Actions },
  events: { title: 'Events', show: Events },
  remotes: { title: 'Remote schemas', show: Remotes },
  operations: { title: 'Operations', show: Operations },
  query: { title: 'Query', show: Query },
};

const FIRST = 'overview';

function Console() {
  const { page, steps } = useRoute();
  const {
    value: state,
    error,
    again,
  } = useLoaded('state', () => read<ConsoleState>('/engine/console/state'));
  const current = page === '' ? FIRST : page;
  const found = Object.hasOwn(PAGES, current) ? PAGES[current] : undefined;
  const main = useRef<HTMLElement>(null);
  const { changes } = useDraft();
  useEffect(() => {
    document.title = titleOf(found, steps);
  }, [found, steps]);
  // biome-ignore lint/correctness/useExhaustiveDependencies: another address begins at its top
  useEffect(() => {
    main.current?.scrollTo({ top: 0 });
  }, [current, steps]);
  if (error instanceof Refusal) return <SecretForm refused={error} again={again} />;
  if (error) return <Unreachable error={error} again={again} />;
  if (!state) return <Waiting>Asking the server …</Waiting>;
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
              {name === 'changes' && changes.length > 0 && ` (${changes.length})`}
            </a>
          ),
        )}
        <small>{state.mode === 'read' ? 'read-only' : 'may change metadata and rows'}</small>
      </nav>
      <main ref={main}>
        <Boundary key={current} steps={steps}>
          {found ? (
            <found.show state={state} steps={steps} />
          ) : (
            <Problem error={new Error(`The console has no page "${current}".`)} />
          )}
        </Boundary>
      </main>
    </>
  );
}

function titleOf(page: ShownPage | undefined, steps: readonly string[]): string {
  const { title, describe = () => steps.findLast((step) => step !== '') } = page ?? {};
  const place = steps.length > 0 ? describe(steps) : undefined;
  return [place, title, 'Engine'].filter(Boolean).join(' · ');
}

/** The first request had no answer. */
function Unreachable({ error, again }: { readonly error: Error; readonly again: () => void }) {
  return (
    <div className="secret">
      <h1>Engine console</h1>
      <Problem error={error} />
      <button type="button" onClick={again}>
        Try again
      </button>
    </div>
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
  // biome-ignore lint/correctness/useExhaustiveDependencies: another attempt replaces the one that was refused
  useEffect(() => {
    field.current?.focus();
    field.current?.select();
  }, [refused]);
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
      {hasSecret() && <Problem error={new Error(`The server said: ${refused.message}`)} />}
      <p className="quiet">The secret stays in the memory of this page, and is sent to this server only.</p>
    </form>
  );
}

createRoot(document.getElementById('page')!).render(<Console />);
