/** Services that metadata names: their addresses and headers, and the calls that requests wait for. */
import {
  type ConfiguredHeader,
  type Environment,
  type EnvironmentText,
  fillTemplate,
} from '../core/environment-template.ts';
import type { EngineError } from '../core/errors.ts';
import { OutgoingError, unsendableHeader } from './error.ts';
import { type ShownHeader, shownValue } from './headers.ts';
import type { OutgoingRequest, OutgoingResponse } from './message.ts';

/** Address and headers of a service with the values of environment variables, which do not change. */
export interface Service {
  readonly url: string;
  /** As configured, in their order. */
  readonly headers: readonly ShownHeader[];
  /** Environment variables without a value, each once; the service cannot be called when there are any. */
  readonly missing: readonly string[];
}

export function prepareService(
  address: EnvironmentText,
  configured: readonly ConfiguredHeader[],
  environment: Environment,
): Service {
  const url = fillTemplate(address, environment);
  const filled = configured.map(({ name, value }) => ({ name, value, ...fillTemplate(value, environment) }));
  return {
    url: url.text,
    headers: filled.map(({ name, value, text }) => ({
      name,
      value: text,
      // Not the text, which may have values of environment variables in it.
      shown: typeof value === 'string' ? shownValue({ name, value }) : value.env,
    })),
    missing: [...new Set([url, ...filled].flatMap(({ missing }) => missing))],
  };
}

/** What logs and metrics say of a call. */
export interface CallMeasures {
  /** Bytes. */
  readonly requestSize: number;
  readonly responseSize: number;
  /** undefined: there was no answer. */
  readonly status?: number | undefined;
  readonly seconds: number;
}

/**
 * @param observe sees the finished call
 * @param noAnswer the error of the request for a call without an answer
 * @throws EngineError
 */
export async function callService(
  send: (request: OutgoingRequest) => Promise<OutgoingResponse>,
  request: OutgoingRequest,
  observe: ((measures: CallMeasures) => void) | undefined,
  noAnswer: (error: OutgoingError) => EngineError,
): Promise<OutgoingResponse> {
  const startedAt = performance.now();
  let response: OutgoingResponse | undefined;
  try {
    response = await send(request);
    return response;
  } catch (error) {
    if (!(error instanceof OutgoingError)) throw error;
    throw unsendableHeader(error) ?? noAnswer(error);
  } finally {
    observe?.({
      requestSize: Buffer.byteLength(request.body ?? ''),
      responseSize: response?.body.length ?? 0,
      status: response?.status,
      seconds: (performance.now() - startedAt) / 1000,
    });
  }
}
