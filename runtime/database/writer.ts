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

/**
 * Fails a write whose connection is shared rather than let others wait behind it, for a lock above all. What failed has done
 * nothing, and runs again by itself. It does not limit the time for a lock: functions may catch what fails for that, and go
 * on without what they waited for.
 */
const LIMIT = `set_config('statement_timeout', '100ms', true)`;

const TEXTS = { limited: `select ${LIMIT}`, both: `select ${LIMIT}, ${WRITER}`, writer: `select ${WRITER}` };
const NAMES = {
  limited: statementName(TEXTS.limited),
  both: statementName(TEXTS.both),
  writer: statementName(TEXTS.writer),
};

interface NamedStatement {
  readonly name: string;
  readonly statement: { readonly text: string; readonly values: readonly string[] };
}

/** The settings of a write's transaction, which go ahead of its statements: one statement, or none. */
export function settingsAhead(writer: Writer | undefined, limited: boolean): readonly NamedStatement[] {
  if (!writer) return limited ? [request('limited', [])] : [];
  return [request(limited ? 'both' : 'writer', [writer.user, writer.trace])];
}

function request(kind: keyof typeof TEXTS, values: readonly string[]): NamedStatement {
  return { name: NAMES[kind], statement: { text: TEXTS[kind], values } };
}

/** Sets both for a whole session, which has to be discarded afterwards. */
export const SET_WRITER = `select set_config('engine.user', $1, false), set_config('engine.tracecontext', $2, false)`;

/** Defines the settings on a new connection: without, a read of them fails until the first write has set them there. */
export const DEFINE_SETTINGS = `set_config('engine.user', '', false), set_config('engine.tracecontext', '', false)`;
