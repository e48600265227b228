/** One call of a handler: request, transforms, the answer's check. */
import { AnswerMismatch, completeAnswer } from '../core/action/answer.ts';
import { EngineError, type ErrorCode } from '../core/errors.ts';
import { parseExactJson } from '../core/json/exact-json.ts';
import type { TypeReference } from '../core/schema/types.ts';
import { jsonText } from '../core/types.ts';
import type { Trace } from '../http/trace.ts';
import { OutgoingError } from '../outgoing/error.ts';
import { headersOf, type OutgoingRequest, type OutgoingResponse } from '../outgoing/message.ts';
import {
  applyRequestTransform,
  applyResponseTransform,
  type TransformedRequest,
  TransformFailure,
} from '../transforms/apply.ts';
import { type CallOrigin, callHeaders } from './headers.ts';
import type { PreparedAction, ShownHeader } from './prepared.ts';

export interface ActionCall {
  readonly action: PreparedAction;
  /** Of the answer; what it has to fit. */
  readonly output: TypeReference;
  /** Values of the arguments, by name. */
  readonly input: Readonly<Record<string, unknown>>;
  readonly sessionVariables: Readonly<Record<string, string>>;
  /** The client's document; null when it is not shown. */
  readonly requestQuery: string | null;
  readonly origin: CallOrigin;
  /** Milliseconds; the action's own timeout may be shorter. */
  readonly timeLimit?: number | undefined;
  readonly signal?: AbortSignal | undefined;
}

export interface CallOptions {
  /** Sends the request of an action. @throws OutgoingError without an answer */
  readonly send: (request: OutgoingRequest, action: string) => Promise<OutgoingResponse>;
  readonly configuredFirst: boolean;
  /** Sees every finished call. */
  readonly observe: (call: FinishedCall) => void;
}

/** Log and metrics data of a call. */
export interface FinishedCall {
  readonly action: string;
  readonly actionKind: 'synchronous' | 'asynchronous';
  /** Address as the metadata writes it. */
  readonly url: string;
  /** Bytes. */
  readonly requestSize: number;
  readonly responseSize: number;
  /** Absent without an answer. */
  readonly status?: number;
  readonly seconds: number;
  readonly requestId?: string | undefined;
  readonly trace?: Trace | undefined;
}

export interface ActionAnswer {
  /** Completed by the output type. */
  readonly value: unknown;
  readonly cookies: readonly string[];
}

/** Calls the handler. @throws EngineError when the answer is not a valid one */
export async function callHandler(call: ActionCall, options: CallOptions): Promise<ActionAnswer> {
  const { action, output, sessionVariables } = call;
  const payload = {
    action: { name: action.shape.name },
    input: call.input,
    session_variables: sessionVariables,
    request_query: call.requestQuery,
  };
  const headers = callHeaders(action, call.origin, options.configuredFirst);
  const details = new CallDetails(action, headers, payload);
  const request = transformRequest(call, headers, payload, details);
  const response = await send(call, request, details, options);
  const body = parseBody(response, details);
  const { status } = response;
  if (status >= 200 && status < 300) {
    const answer = transformResponse(call, body, status, request, details);
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
  const pairs = headers.map(({ name, value }) => [name, value] as const);
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
  { action, sessionVariables }: ActionCall,
  body: unknown,
  status: number,
  request: TransformedRequest,
  details: CallDetails,
): unknown {
  const { responseTransform, requestTransform } = action;
  if (!responseTransform) return body;
  try {
    return applyResponseTransform(responseTransform, body, {
      status,
      sessionVariables,
      ...(requestTransform ? { request } : {}),
    });
  } catch (error) {
    if (error instanceof TransformFailure)
      throw details.failure('Response Transformation Failed', error.problems);
    throw error;
  }
}

async function send(
  { action, origin, timeLimit, signal }: ActionCall,
  { method, url, headers, body }: TransformedRequest,
  details: CallDetails,
  options: CallOptions,
): Promise<OutgoingResponse> {
  const { name, kind, handler, timeout } = action.shape;
  const startedAt = performance.now();
  let response: OutgoingResponse | undefined;
  try {
    const outgoing: OutgoingRequest = {
      method,
      url,
      headers,
      ...(body === undefined ? {} : { body }),
      timeout: Math.min(timeout * 1000, timeLimit ?? Number.POSITIVE_INFINITY),
      followSameOrigin: true,
      ...(signal ? { signal } : {}),
    };
    response = await options.send(outgoing, name);
    return response;
  } catch (error) {
    if (!(error instanceof OutgoingError)) throw error;
    const status = error.kind === 'overloaded' ? 503 : 500;
    const internal = { type: 'http_exception', message: EXCEPTIONS[error.kind] ?? error.message };
    throw details.failure('http exception when calling webhook', internal, undefined, status);
  } finally {
    options.observe({
      action: name,
      actionKind: kind,
      url: handler,
      requestSize: body === undefined ? 0 : Buffer.byteLength(body),
      responseSize: response?.body.length ?? 0,
      ...(response ? { status: response.status } : {}),
      seconds: (performance.now() - startedAt) / 1000,
      requestId: origin.requestId,
      trace: origin.trace,
    });
  }
}

const EXCEPTIONS: Partial<Record<OutgoingError['kind'], string>> = { timeout: 'Response timeout' };

/** @throws EngineError when the body is not JSON, for any status */
function parseBody(response: OutgoingResponse, details: CallDetails): unknown {
  const text = response.body.toString('utf8');
  try {
    return parseExactJson(text);
  } catch (error) {
    // Parsing itself can fail on depth.
    const reason = error instanceof SyntaxError ? error.message : 'nested too deeply';
    throw details.failure('not a valid json response from webhook', `invalid JSON: ${reason}`, response);
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

/** Details of a failed call for administrators: the request in the metadata's form, without secrets, and the answer. */
class CallDetails {
  readonly #action: PreparedAction;
  readonly #headers: readonly ShownHeader[];
  readonly #payload: unknown;
  transformed: TransformedRequest | undefined;

  constructor(action: PreparedAction, headers: readonly ShownHeader[], payload: unknown) {
    this.#action = action;
    this.#headers = headers;
    this.#payload = payload;
  }

  describe(error: unknown, response?: OutgoingResponse) {
    const { handler } = this.#action.shape;
    return {
      error,
      request: {
        url: handler,
        headers: this.#headers.map(({ name, shown }) => ({ name, value: shown })),
        body: JSON.parse(jsonText(this.#payload)) as unknown,
        transformed_request: this.transformed ? this.#describeTransformed(this.transformed) : null,
      },
      response: response ? describeResponse(response) : null,
    };
  }

  failure(message: string, error: unknown, response?: OutgoingResponse, status = 500): EngineError {
    return new EngineError('unexpected', message, { status, internal: this.describe(error, response) });
  }

  /** Addresses and headers may hold values of environment variables: only what comes from the request is shown. */
  #describeTransformed({ method, body }: TransformedRequest) {
    return {
      method,
      body: body ?? null,
      response_timeout: this.#action.shape.timeout * 1_000_000,
    };
  }
}

/** Most bytes of an answer that an error shows. */
const SHOWN_BODY = 16 * 1024;

function describeResponse(response: OutgoingResponse) {
  const { status, headers, body } = response;
  const text = body.subarray(0, SHOWN_BODY).toString('utf8');
  return {
    status,
    body: body.length > SHOWN_BODY ? text : parsedOrText(text),
    headers: headers
      .filter(([name]) => name.toLowerCase() !== 'set-cookie')
      .map(([name, value]) => ({ name, value })),
  };
}

function parsedOrText(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
