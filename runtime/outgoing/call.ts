/** A call to a service while a request waits for it: its deadline, its measures, and the errors of calls without an answer. */
import type { EngineError } from '../core/errors.ts';
import { OutgoingError, unsendableHeader } from './error.ts';
import type { OutgoingRequest, OutgoingResponse } from './message.ts';

/** `timeout` is in seconds, and ends earlier if the request has to. */
export interface ServiceCall extends OutgoingRequest {
  readonly body?: string;
  /** Time of `performance.now()` at which the request has to be answered. */
  readonly deadline?: number | undefined;
}

/** What logs and metrics say of a call. */
export interface CallMeasures {
  /** Bytes. */
  readonly requestSize: number;
  readonly responseSize: number;
  /** Absent without an answer. */
  readonly status?: number;
  readonly seconds: number;
}

/**
 * @param observe sees the finished call
 * @param noAnswer the error of the request for a call without an answer
 * @throws EngineError
 */
export async function callService(
  send: (request: OutgoingRequest) => Promise<OutgoingResponse>,
  { timeout, deadline = Number.POSITIVE_INFINITY, ...request }: ServiceCall,
  observe: ((measures: CallMeasures) => void) | undefined,
  noAnswer: (error: OutgoingError) => EngineError,
): Promise<OutgoingResponse> {
  const startedAt = performance.now();
  let response: OutgoingResponse | undefined;
  try {
    response = await send({
      ...request,
      timeout: Math.max(1, Math.min(timeout * 1000, deadline - startedAt)),
    });
    return response;
  } catch (error) {
    if (!(error instanceof OutgoingError)) throw error;
    throw unsendableHeader(error) ?? noAnswer(error);
  } finally {
    observe?.({
      requestSize: Buffer.byteLength(request.body ?? ''),
      responseSize: response?.body.length ?? 0,
      ...(response ? { status: response.status } : {}),
      seconds: (performance.now() - startedAt) / 1000,
    });
  }
}
