/** Small parts that several pages show. */
import { Fragment, type ReactNode, useRef, useState } from 'react';
import type { ConsoleState } from '../questions.ts';
import type { Loaded } from './api.ts';
import { CopyButton } from './copy.tsx';

/** Properties of every page. */
export interface PageProps {
  readonly state: ConsoleState;
  /** Of the address, behind the page's name. */
  readonly steps: readonly string[];
}

export function Problem({ error, children }: { readonly error: Error; readonly children?: ReactNode }) {
  return (
    <p className="problem" role="alert">
      {error.message} {children}
    </p>
  );
}

export function Waiting({ children }: { readonly children: ReactNode }) {
  return (
    <p className="quiet" role="status">
      {children}
    </p>
  );
}

/** Copies what a page shows, as JSON. @param value or a function that loads it */
function CopyJson({ value }: { readonly value: unknown }) {
  const json = async () => JSON.stringify(typeof value === 'function' ? await value() : value, null, 2);
  return <CopyButton text={value === undefined ? undefined : json}>Copy as JSON</CopyButton>;
}

/** Title of a page, with the buttons that belong to all that it shows. */
export function PageHead({
  title,
  value,
  again,
  children,
}: {
  readonly title: ReactNode;
  /** For the copy. */
  readonly value: unknown;
  /** Reads what is shown again. */
  readonly again: () => void;
  readonly children?: ReactNode;
}) {
  return (
    <header>
      <h1>{title}</h1>
      {children}
      <span className="tools">
        <button type="button" onClick={again}>
          Refresh
        </button>
        <CopyJson value={value} />
      </span>
    </header>
  );
}

/** Shows a value once it is there; until then, or instead, that it is waited for or why it is not there. */
export function Shown<Value>({
  of: { value, error },
  waiting = 'Asking the server …',
  children,
}: {
  readonly of: Loaded<Value>;
  readonly waiting?: string;
  readonly children: (value: Value) => ReactNode;
}) {
  return (
    <>
      {error && <Problem error={error} />}
      {value === undefined ? !error && <Waiting>{waiting}</Waiting> : children(value)}
    </>
  );
}

/** A table with names of columns. It scrolls by itself where it is wider than the page. */
export function List({
  columns,
  label,
  numbers = [],
  children,
}: {
  readonly columns: readonly string[];
  readonly label: string;
  /** Columns that hold numbers. */
  readonly numbers?: readonly string[];
  readonly children: ReactNode;
}) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls has to be reached by keyboard
    <div className="scroll" role="region" aria-label={label} tabIndex={0}>
      <table>
        <thead>
          <tr>
            {columns.map((name) => (
              <th key={name} scope="col" className={numbers.includes(name) ? 'number' : undefined}>
                {name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>{children}</tbody>
      </table>
    </div>
  );
}

/** Items that are shown at once: thousands would take seconds. */
const FIRST = 200;

/** Shows the first of many items, and the others when asked. */
export function Many<Item>({
  items,
  children,
}: {
  readonly items: readonly Item[];
  readonly children: (shown: readonly Item[]) => ReactNode;
}) {
  const [isAll, setAll] = useState(false);
  const shown = isAll ? items : items.slice(0, FIRST);
  return (
    <>
      {children(shown)}
      {shown.length < items.length && (
        <p>
          The first {FIRST} of {items.length}.{' '}
          <button type="button" onClick={() => setAll(true)}>
            Show all
          </button>
        </p>
      )}
    </>
  );
}

/** A part that is closed until it is wanted, and loaded then. */
export function Closed({ title, children }: { readonly title: string; readonly children: ReactNode }) {
  const [wasOpen, setOpen] = useState(false);
  return (
    <details className="card closed" onToggle={() => setOpen(true)}>
      <summary>{title}</summary>
      {wasOpen && children}
    </details>
  );
}

/** A cell of a number; `?` where it could not be read. @param isBad colours one that is not zero */
export function Figure({
  value,
  isBad = false,
}: {
  readonly value: number | undefined;
  readonly isBad?: boolean;
}) {
  return <td className={isBad && value ? 'number problem' : 'number'}>{value ?? '?'}</td>;
}

/** A word with a colour: how something is. */
export function Badge({
  kind,
  children,
}: {
  readonly kind: 'good' | 'bad' | 'warn' | 'neutral';
  readonly children: ReactNode;
}) {
  return <span className={`badge ${kind}`}>{children}</span>;
}

/** Of an address that leads to nothing. */
export function Missing({ kind, name }: { readonly kind: string; readonly name: string }) {
  return <Problem error={new Error(`there is no ${kind} "${name}"`)} />;
}

/** Of what is not served yet. */
export function Pending() {
  return <Badge kind="neutral">waits to be applied</Badge>;
}

/** Runs an operation that changes something, and says what came of it. Only shown where the console may write. */
export function ActionButton({
  state,
  run,
  confirm,
  isMain = false,
  children,
}: {
  readonly state: Pick<ConsoleState, 'mode'>;
  readonly run: () => Promise<unknown>;
  /** Asked before it runs. */
  readonly confirm?: string;
  /** The main action of the page. */
  readonly isMain?: boolean;
  readonly children: ReactNode;
}) {
  const [outcome, setOutcome] = useState<{ readonly text: string; readonly isFailure?: true }>();
  const [isAsked, setAsked] = useState(false);
  const wasAsked = useRef(false);
  if (state.mode === 'read') return null;
  const isRunning = outcome?.text === RUNNING;
  const ask = (is: boolean) => {
    wasAsked.current = true;
    setAsked(is);
  };
  const start = () => {
    if (isRunning) return;
    if (isAsked) ask(false);
    setOutcome({ text: RUNNING });
    run().then(
      () => setOutcome({ text: 'done' }),
      (error: Error) => setOutcome({ text: error.message, isFailure: true }),
    );
  };
  return (
    <span className="action">
      {isAsked ? (
        <>
          {confirm}
          <button type="button" onClick={start}>
            Yes
          </button>
          <button type="button" ref={focus} onClick={() => ask(false)}>
            No
          </button>
        </>
      ) : (
        <button
          type="button"
          className={isMain ? 'main' : undefined}
          // It took the place of "Yes" and "No", which had the focus.
          ref={wasAsked.current ? focus : null}
          onClick={confirm === undefined ? start : () => ask(true)}
          aria-disabled={isRunning}
        >
          {children}
        </button>
      )}
      <span role="status" className={outcome?.isFailure && 'problem'}>
        {outcome?.text}
      </span>
    </span>
  );
}

const RUNNING = '…';

function focus(button: HTMLButtonElement | null): void {
  button?.focus();
}

/** A place in a file or a document. */
export function PlaceText({ text }: { readonly text: string }) {
  return (
    <code>
      <Name text={text} />
    </code>
  );
}

/** A name or a path that may be broken between its parts, and only there. */
export function Name({ text }: { readonly text: string }) {
  return text.split(/(?<=[/._])/).map((part, index) => (
    // biome-ignore lint/suspicious/noArrayIndexKey: parts repeat, and never move
    <Fragment key={index}>
      {part}
      <wbr />
    </Fragment>
  ));
}

/** A rule in words, with session variables and literals set apart. */
export function Rule({ words }: { readonly words: string }) {
  return <pre className="rule">{words}</pre>;
}

export function time(value: string | undefined | null): string {
  return value ? new Date(/(Z|[+-]\d\d:?\d\d)$/.test(value) ? value : `${value}Z`).toLocaleString() : '';
}

/** A root field, with its SQL and plan; of a subscription there is one statement without a field. */
export interface Statement {
  readonly field?: string;
  readonly sql: string | null;
  readonly plan: readonly string[] | null;
}

export function Statements({ statements }: { readonly statements: readonly Statement[] }) {
  return statements.map(({ field = 'subscription', sql, plan }) => (
    <section key={field} className="card">
      <h2>
        {field} <small>{costOf(plan)}</small>
      </h2>
      <pre>{sql ?? 'No statement of a database.'}</pre>
      {plan && (
        <>
          <h4>Plan</h4>
          <pre className="quiet">{plan.join('\n')}</pre>
        </>
      )}
    </section>
  ));
}

/** The estimate in the first line of a plan: `Limit  (cost=0.15..8.17 rows=1 width=32)`. */
function costOf(plan: readonly string[] | null): string {
  const [, cost, rows] = /cost=[\d.]+\.\.([\d.]+) rows=(\d+)/.exec(plan?.[0] ?? '') ?? [];
  return cost === undefined ? '' : `estimated cost ${cost}, ${rows} ${rows === '1' ? 'row' : 'rows'}`;
}
