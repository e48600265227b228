/**
 * Settings that tell the database who writes. They are local to a transaction, so that neither a neighbour on the same
 * connection nor a later read sees them.
 */

import { quoteLiteral } from '../core/sql/fragment.ts';
import type { Vocabulary } from '../core/vocabulary.ts';
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
function setBoth(vocabulary: Vocabulary, user: string, trace: string, isLocal: boolean): string {
  const name = (setting: string) => quoteLiteral(vocabulary.dotted(setting));
  return `pg_catalog.set_config(${name('user')}, ${user}, ${isLocal}), pg_catalog.set_config(${name('tracecontext')}, ${trace}, ${isLocal})`;
}

interface NamedStatement {
  readonly name: string;
  readonly statement: { readonly text: string; readonly values: readonly string[] };
}

/** The settings that go ahead of an operation's statements: who writes, and behind a pooler what the session lacks. */
export type SettingsAhead = (
  writer: Writer | undefined,
  /** Without a pooler between the session has its settings. */
  isDirect: boolean,
) => readonly NamedStatement[];

/** Made once for a pool. */
export function createSettingsAhead(vocabulary: Vocabulary): SettingsAhead {
  const forTransaction = {
    name: statementName(TRANSACTION_SETTINGS),
    statement: { text: TRANSACTION_SETTINGS, values: [] },
  };
  const text = `select ${setBoth(vocabulary, '$1', '$2', true)}`;
  const name = statementName(text);
  return (writer, isDirect) => [
    ...(isDirect ? [] : [forTransaction]),
    ...(writer ? [{ name, statement: { text, values: [writer.user, writer.trace] } }] : []),
  ];
}

/** Sets both for a whole session, which has to be discarded afterwards. */
export function setWriter(vocabulary: Vocabulary): string {
  return `select ${setBoth(vocabulary, '$1', '$2', false)}`;
}

/** Defines the settings on a new connection: without, a read of them fails until the first write has set them there. */
export function defineSettings(vocabulary: Vocabulary): string {
  return setBoth(vocabulary, `''`, `''`, false);
}
