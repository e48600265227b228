/** The settings by which triggers and policies of a database see who writes: `engine.user` and `engine.tracecontext`, by the vocabulary's word. */
import type { Session } from '../core/session.ts';
import type { Writer } from '../database/writer.ts';

/** The part of a trace that a write passes on. */
export interface TraceContext {
  readonly traceId: string;
  readonly spanId: string;
  readonly sampled?: boolean;
}

/** Who writes, and in which trace, for the transaction of a write. */
export function writerOf(session: Session, trace: TraceContext | undefined): Writer {
  return { user: sessionJson(session), trace: trace === undefined ? '' : traceJson(trace) };
}

/** Role and variables, names in lower case and in the active vocabulary, as events keep them; never a secret. */
function sessionJson({ role, variables, vocabulary }: Session): string {
  return JSON.stringify(vocabulary.session({ 'x-engine-role': role, ...variables }));
}

function traceJson({ traceId, spanId, sampled }: TraceContext): string {
  const state = sampled === undefined ? {} : { sampling_state: sampled ? '1' : '0' };
  return JSON.stringify({ trace_id: traceId, span_id: spanId, ...state });
}
