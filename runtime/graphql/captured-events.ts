/** What the triggers that capture events are told about the request that writes: see `compiler/phases/4-plan/events.ts`. */
import type { Session } from '../core/session.ts';
import type { BoundStatement } from '../database/connection.ts';

/** The part of a trace that events keep. */
export interface TraceContext {
  readonly traceId: string;
  readonly spanId: string;
}

const TEXT = "select set_config('engine.user', $1, true), set_config('engine.tracecontext', $2, true)";

/** Sets, for the transaction, who writes and in which trace. */
export function writerStatement(session: Session, trace: TraceContext | undefined): BoundStatement {
  return { text: TEXT, values: [sessionJson(session), trace === undefined ? '' : traceJson(trace)] };
}

/** Role and variables, names in lower case, as events keep them; never a secret. */
export function sessionJson({ role, variables }: Session): string {
  return JSON.stringify({ 'x-engine-role': role, ...variables });
}

function traceJson({ traceId, spanId }: TraceContext): string {
  return JSON.stringify({ trace_id: traceId, span_id: spanId });
}
