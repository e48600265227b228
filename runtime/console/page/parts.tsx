/** Small parts that several pages show. */
import { Fragment, type ReactNode, useEffect, useRef, useState } from 'react';
import type { ConsoleState } from '../questions.ts';
import type { Loaded } from './api.ts';

/** Properties of every page. */
export interface PageProps {
  readonly state: ConsoleState;
  /** Of the address, behind the page's name. */
  readonly steps: readonly string[];
}

export function Problem({ error }: { readonly error: Error }) {
  return (
    <p className="problem" role="alert">
      {error.message}
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
  const [outcome, setOutcome] = useState<string>();
  useEffect(() => {
    if (outcome === undefined) return;
    const timer = setTimeout(() => setOutcome(undefined), 3000);
    return () => clearTimeout(timer);
  }, [outcome]);
  const copy = async () => {
    try {
      const copied: unknown = typeof value === 'function' ? await value() : value;
      await copyText(JSON.stringify(copied, null, 2));
      setOutcome('Copied');
    } catch {
      setOutcome('Not copied');
    }
  };
  return (
    <button type="button" aria-live="polite" onClick={copy} disabled={value === undefined}>
      {outcome ?? 'Copy as JSON'}
    </button>
  );
}

/** Browsers give a clipboard to pages of https and of this computer only; from others they copy what is selected. */
async function copyText(text: string): Promise<void> {
  if ('clipboard' in navigator) return navigator.clipboard.writeText(text);
  const before = document.activeElement;
  const area = document.createElement('textarea');
  area.value = text;
  document.body.append(area);
  area.select();
  const isCopied = document.execCommand('copy');
  area.remove();
  if (before instanceof HTMLElement) before.focus();
  if (!isCopied) throw new Error('the browser does not copy');
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

/** Runs an operation that changes something, and says what came of it. Only shown where the console may write. */
export function ActionButton({
  state,
  run,
  confirm,
  children,
}: {
  readonly state: Pick<ConsoleState, 'mode'>;
  readonly run: () => Promise<unknown>;
  /** Asked before it runs. */
  readonly confirm?: string;
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
export function Place({ text }: { readonly text: string }) {
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
