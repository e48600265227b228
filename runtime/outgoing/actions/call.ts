/** One call of a handler: request, transforms, the answer's check. */

import { AnswerMismatch, completeAnswer } from '../../core/action/answer.ts';
import { EngineError, type ErrorCode } from '../../core/errors.ts';
import { parseExactJson, TooDeep } from '../../core/json/exact-json.ts';
import { jsonProblem } from '../../core/reasons.ts';
import type { TypeReference } from '../../core/schema/types.ts';
import {
  applyRequestTransform,
  applyResponseTransform,
  type TransformedRequest,
  TransformFailure,
} from '../../core/template/apply.ts';
import { jsonText } from '../../core/types.ts';
import type { Vocabulary } from '../../core/vocabulary.ts';
import { type CallMeasures, callService } from '../call.ts';
import type { OutgoingError } from '../error.ts';
import {
  type CallOrigin,
  chooseHeaders,
  clientHeaders,
  POST_HEADERS,
  pairsOf,
  type ShownHeader,
} from '../headers.ts';
import { headersOf, type OutgoingRequest, type OutgoingResponse, type WhenUnwanted } from '../message.ts';
import type { Trace } from '../trace.ts';
import { CallDetails } from './call-details.ts';
import type { PreparedAction } from './prepared.ts';

/** The part of a call that the check of its answer needs. */
export interface CheckedCall {
  readonly action: PreparedAction;
  /** The type that the answer has to fit. */
  readonly output: TypeReference;
  /** Values of the arguments, by name. */
  readonly input: Readonly<Record<string, unknown>>;
  readonly sessionVariables: Readonly<Record<string, string>>;
  /** The client's document; null when it is not shown. */
  readonly requestQuery: string | null;
}

export interface ActionCall extends CheckedCall {
  readonly vocabulary: Vocabulary;
  readonly origin: CallOrigin;
  /** Time of `performance.now()` at which the request has to be answered. */
  readonly deadline?: number | undefined;
  readonly whenUnwanted?: WhenUnwanted | undefined;
}

export interface ActionCallOptions {
  /** Sends the request of an action. @throws OutgoingError without an answer */
  readonly send: (request: OutgoingRequest, action: string) => Promise<OutgoingResponse>;
  readonly configuredFirst: boolean;
  /** Sees every finished call. */
  readonly observe: (call: FinishedCall) => void;
}

/** Log and metrics data of a call. */
export interface FinishedCall extends CallMeasures {
  readonly kind: 'action';
  readonly action: string;
  readonly actionKind: 'synchronous' | 'asynchronous';
  /** Address as the metadata writes it. */
  readonly url: string;
  readonly requestId?: string | undefined;
  readonly trace?: Trace | undefined;
}

export interface ActionResult {
  /** Completed by the output type. */
  readonly value: unknown;
  readonly cookies: readonly string[];
}

/** The answer of a handler before its check. */
export interface HandlerAnswer {
  readonly response: OutgoingResponse;
  /** The request, if a transform made it. */
  readonly request?: TransformedRequest | undefined;
  readonly details: CallDetails;
}

/** Calls the handler. @throws EngineError when the answer is not a valid one */
export async function callHandler(call: ActionCall, options: ActionCallOptions): Promise<ActionResult> {
  return checkAnswer(call, await askHandler(call, options));
}

/** The body that a handler gets. */
export function payloadOf({ action, input, sessionVariables, requestQuery }: CheckedCall): object {
  return {
    action: { name: action.shape.name },
    input,
    session_variables: sessionVariables,
    request_query: requestQuery,
  };
}

/** Calls the handler. @throws EngineError without an answer */
export async function askHandler(call: ActionCall, options: ActionCallOptions): Promise<HandlerAnswer> {
  const payload = payloadOf(call);
  const headers = callHeaders(call, options);
  const details = new CallDetails(call.action, headers, payload);
  const request = transformRequest(call, headers, payload, details);
  const response = await send(call, request, details, options);
  return { response, details, ...(call.action.requestTransform ? { request } : {}) };
}

/** Checks what a handler answered. @throws EngineError when it is not valid, or an error */
export function checkAnswer(call: CheckedCall, { response, request, details }: HandlerAnswer): ActionResult {
  const body = parseBody(response, details);
  const { status } = response;
  if (status >= 200 && status < 300) {
    const answer = transformResponse(call, body, status, request, details);
    const { output } = call;
    try {
      return { value: completeAnswer(output, answer), cookies: headersOf(response, 'set-cookie') };
    } catch (error) {
      if (!(error instanceof AnswerMismatch)) throw error;
      const internal = { ...details.describe('unexpected response', response), answer_path: error.path };
      throw new EngineError('unexpected', error.message, { status: 400, internal });
    }
  }
  if (status >= 400 && status < 500) throw handlerError(body, response, details);
  throw details.failure('internal error', `expecting 2xx or 4xx status code, but found ${status}`, response);
}

/**
 * The headers of a call. By default the client's replace the fixed ones and those the configured ones; `configuredFirst`
 * reverses the order.
 */
function callHeaders(
  { action, origin, vocabulary }: ActionCall,
  { configuredFirst }: ActionCallOptions,
): readonly ShownHeader[] {
  const { shape, headers } = action;
  const client = clientHeaders(shape, origin.headers, vocabulary);
  return chooseHeaders(
    configuredFirst ? [headers, POST_HEADERS, client] : [client, POST_HEADERS, headers],
    origin,
  );
}

function transformRequest(
  { action, sessionVariables }: ActionCall,
  headers: readonly ShownHeader[],
  payload: unknown,
  details: CallDetails,
): TransformedRequest {
  const { url, requestTransform, missing } = action;
  if (missing.length > 0) {
    const names = missing.join(', ');
    throw details.failure('internal error', `Value for environment variables not found: ${names}`);
  }
  const pairs = pairsOf(headers);
  if (!requestTransform) return { method: 'POST', url, headers: pairs, body: jsonText(payload) };
  try {
    const original = { method: 'POST', url, headers: pairs, body: payload, sessionVariables };
    const transformed = applyRequestTransform(requestTransform, original);
    details.transformed = transformed;
    return transformed;
  } catch (error) {
    if (error instanceof TransformFailure)
      throw details.failure('Request Transformation Failed', error.problems);
    throw error;
  }
}

function transformResponse(
  { action, sessionVariables }: CheckedCall,
  body: unknown,
  status: number,
  request: TransformedRequest | undefined,
  details: CallDetails,
): unknown {
  const { responseTransform } = action;
  if (!responseTransform) return body;
  try {
    return applyResponseTransform(responseTransform, body, {
      status,
      sessionVariables,
      ...(request ? { request } : {}),
    });
  } catch (error) {
    if (error instanceof TransformFailure)
      throw details.failure('Response Transformation Failed', error.problems);
    throw error;
  }
}

function send(
  { action, origin, deadline, whenUnwanted }: ActionCall,
  request: TransformedRequest,
  details: CallDetails,
  { send, observe }: ActionCallOptions,
): Promise<OutgoingResponse> {
  const { name, kind, handler, timeout } = action.shape;
  const { requestId, trace } = origin;
  const { method, url, headers, body } = request;
  return callService(
    (outgoing) => send(outgoing, name),
    {
      method,
      url,
      headers,
      body,
      timeout: 1000 * timeout,
      deadline,
      followSameOrigin: true,
      whenUnwanted,
    },
    ({ requestSize, responseSize, status, seconds }) =>
      observe({
        kind: 'action',
        action: name,
        actionKind: kind,
        url: handler,
        requestSize,
        responseSize,
        status,
        seconds,
        requestId,
        trace,
      }),
    (error) => {
      const internal = { type: 'http_exception', message: EXCEPTIONS[error.kind] ?? error.message };
      const status = error.kind === 'overloaded' ? 503 : 500;
      return details.failure('http exception when calling webhook', internal, undefined, status);
    },
  );
}

const EXCEPTIONS: Partial<Record<OutgoingError['kind'], string>> = { timeout: 'Response timeout' };

/** @throws EngineError when the body is not JSON, for any status */
function parseBody(response: OutgoingResponse, details: CallDetails): unknown {
  const text = response.body.toString('utf8');
  try {
    return parseExactJson(text);
  } catch (error) {
    if (error instanceof TooDeep)
      throw details.failure('a value is nested too deeply', `invalid JSON: ${error.message}`, response, 400);
    const reason = `invalid JSON: ${jsonProblem(text)}`;
    throw details.failure('not a valid json response from webhook', reason, response);
  }
}

/** The error that a handler answers: `{message, code?, extensions?}`. */
function handlerError(body: unknown, response: OutgoingResponse, details: CallDetails): EngineError {
  const { message, code, extensions } = (typeof body === 'object' && body !== null ? body : {}) as Readonly<
    Record<string, unknown>
  >;
  const internal = details.describe('unexpected response', response);
  if (typeof message !== 'string') {
    const reason =
      message === undefined
        ? 'key "message" not found'
        : 'expected String for the key "message" of the error';
    return new EngineError('parse-failed', reason, { internal });
  }
  return new EngineError((typeof code === 'string' ? code : 'unexpected') as ErrorCode, message, {
    status: response.status,
    internal,
    ...(extensions === undefined || extensions === null ? {} : { extensions }),
  });
}
