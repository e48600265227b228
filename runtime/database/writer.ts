/**
 * Settings that tell the database who writes. They are local to a transaction, so that neither a neighbour on the same
 * connection nor a later read sees them.
 */
import { statementName } from './statements.ts';

/** Who writes: JSON texts; empty = unknown. */
export interface Writer {
  /** Becomes `engine.user`. */
  readonly user: string;
  /** Becomes `engine.tracecontext`. */
  readonly trace: string;
}

const WRITER = `set_config('engine.user', $1, true), set_config('engine.tracecontext', $2, true)`;

const TEXT = `select ${WRITER}`;
const NAME = statementName(TEXT);

interface NamedStatement {
  readonly name: string;
  readonly statement: { readonly text: string; readonly values: readonly string[] };
}

/** The settings of a write's transaction, which go ahead of its statements: one statement, or none. */
export function settingsAhead(writer: Writer | undefined): readonly NamedStatement[] {
  return writer ? [{ name: NAME, statement: { text: TEXT, values: [writer.user, writer.trace] } }] : [];
}

/** Sets both for a whole session, which has to be discarded afterwards. */
export const SET_WRITER = `select set_config('engine.user', $1, false), set_config('engine.tracecontext', $2, false)`;

/** Defines the settings on a new connection: without, a read of them fails until the first write has set them there. */
export const DEFINE_SETTINGS = `set_config('engine.user', '', false), set_config('engine.tracecontext', '', false)`;
