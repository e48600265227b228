/**
 * Settings that tell the database who writes. They are local to a transaction, so that neither a neighbour on the same
 * connection nor a later read sees them.
 */

import { lazy } from '../core/remember.ts';
import { quoteLiteral } from '../core/sql/fragment.ts';
import { vocabulary } from '../core/vocabulary.ts';
import { TRANSACTION_SETTINGS } from './session-settings.ts';
import { statementName } from './statements.ts';

/** Who writes: JSON texts; empty = unknown. */
export interface Writer {
  /** Becomes `engine.user`, by the vocabulary's word. */
  readonly user: string;
  /** Becomes `engine.tracecontext`. */
  readonly trace: string;
}

/** Sets both, by SQL of their values. @param isLocal to the transaction */
function setBoth(user: string, trace: string, isLocal: boolean): string {
  const name = (setting: string) => quoteLiteral(vocabulary().dotted(setting));
  return `pg_catalog.set_config(${name('user')}, ${user}, ${isLocal}), pg_catalog.set_config(${name('tracecontext')}, ${trace}, ${isLocal})`;
}

const ahead = lazy(() => {
  const text = `select ${setBoth('$1', '$2', true)}`;
  return { name: statementName(text), text };
});

interface NamedStatement {
  readonly name: string;
  readonly statement: { readonly text: string; readonly values: readonly string[] };
}

const forTransaction = lazy(() => ({
  name: statementName(TRANSACTION_SETTINGS),
  statement: { text: TRANSACTION_SETTINGS, values: [] },
}));

/**
 * The settings that go ahead of an operation's statements: who writes, and behind a pooler what the session lacks.
 * @param isDirect there is no pooler between, so the session has its settings
 */
export function settingsAhead(writer: Writer | undefined, isDirect: boolean): readonly NamedStatement[] {
  return [...(isDirect ? [] : [forTransaction()]), ...writerAhead(writer)];
}

function writerAhead(writer: Writer | undefined): readonly NamedStatement[] {
  if (!writer) return [];
  const { name, text } = ahead();
  return [{ name, statement: { text, values: [writer.user, writer.trace] } }];
}

/** Sets both for a whole session, which has to be discarded afterwards. */
export const setWriter = lazy(() => `select ${setBoth('$1', '$2', false)}`);

/** Defines the settings on a new connection: without, a read of them fails until the first write has set them there. */
export const defineSettings = lazy(() => setBoth(`''`, `''`, false));
