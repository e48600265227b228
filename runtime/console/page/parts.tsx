/** Small parts that several pages show. */
import { type ReactNode, useState } from 'react';
import type { ConsoleState } from '../questions.ts';

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

/** Copies what a page shows, as JSON. */
export function CopyJson({ value }: { readonly value: unknown }) {
  const [isCopied, setCopied] = useState(false);
  const copy = async () => {
    await navigator.clipboard.writeText(JSON.stringify(value, null, 2));
    setCopied(true);
  };
  return (
    <button type="button" className="plain" onClick={copy} disabled={value === undefined}>
      {isCopied ? 'Copied' : 'Copy as JSON'}
    </button>
  );
}

/** Runs an operation that changes something, and says what came of it. Only shown where the console may write. */
export function ActionButton({
  state,
  run,
  children,
}: {
  readonly state: ConsoleState;
  readonly run: () => Promise<unknown>;
  readonly children: ReactNode;
}) {
  const [outcome, setOutcome] = useState<string>();
  if (state.mode === 'read') return null;
  const click = () => {
    setOutcome('…');
    run().then(
      () => setOutcome('done'),
      (error: Error) => setOutcome(error.message),
    );
  };
  return (
    <span className="action">
      <button type="button" onClick={click} disabled={outcome === '…'}>
        {children}
      </button>
      <span role="status">{outcome}</span>
    </span>
  );
}

/** A rule in words, with session variables and literals set apart. */
export function Rule({ words }: { readonly words: string }) {
  return <pre className="rule">{words}</pre>;
}

export function time(value: string | undefined | null): string {
  return value ? new Date(/(Z|[+-]\d\d:?\d\d)$/.test(value) ? value : `${value}Z`).toLocaleString() : '';
}
