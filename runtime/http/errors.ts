/**
 * Error responses: shape and status per endpoint, details only for those who may see them.
 * @rule What does a denial reveal, and to which clients?
 */
import { randomUUID } from 'node:crypto';
import { STATUS_CODES } from 'node:http';
import type { Duplex } from 'node:stream';
import type { FastifyInstance } from 'fastify';
import { EngineError, UpstreamErrors } from '../core/errors.ts';
import { describeReason } from '../core/reason.ts';
import { ADMIN_ROLE } from '../core/session.ts';
import { jsonText } from '../core/types.ts';
import { databaseError } from '../database/errors.ts';
import type { LoggedError } from '../observe/logs/observe.ts';
import { type HttpContext, type HttpReply, JSON_TYPE, sendJson } from './context.ts';
import type { HttpRequest } from './request.ts';

/** `{path, error, code, internal?}`: the shape of everything but GraphQL answers. */
export function errorObject(error: EngineError, showInternal: boolean): LoggedError {
  const { path, message, code, internal } = error;
  return { path, error: message, code, ...(showInternal && internal !== undefined ? { internal } : {}) };
}

/** `{"errors": [...]}`: the shape of GraphQL answers. */
export function graphqlErrorText(error: EngineError, showInternal: boolean): string {
  if (error instanceof UpstreamErrors) return `{"data":null,"errors":${error.text}}`;
  const { path, message, code, internal } = error;
  const own = { path, code, ...(showInternal && internal !== undefined ? { internal } : {}) };
  return jsonText({ errors: [{ message, extensions: error.extensions ?? own }] });
}

/** True if the sender of the request may see `internal`. */
export function showsInternal(context: HttpContext, request: HttpRequest): boolean {
  const { devMode, adminInternalErrors } = context.configuration;
  return devMode || (adminInternalErrors && request.session?.role === ADMIN_ROLE);
}

/** Maximum wait for the location of a rule (ms); the metadata thread may be compiling. */
const LOCATING = 100;

/**
 * The error to answer with, noted for the log line with the rule that it follows from. What was not meant for clients is
 * reported whole to the observer and becomes `Internal Server Error`.
 */
export async function answerableError(
  context: HttpContext,
  request: HttpRequest,
  thrown: unknown,
): Promise<EngineError> {
  const error = expected(context, databaseError(thrown));
  if (error) {
    const explaining = explain(context, request, error);
    const log = (explained: EngineError) => {
      request.error = errorObject(explained, true);
    };
    log(error);
    // Roles that may not see the reason do not wait for it: the delay would reveal that there is one.
    request.explaining = explaining.then(log);
    return showsInternal(context, request) ? explaining : error;
  }
  const answer = unexpectedError(context, request.requestId, thrown);
  request.error = errorObject(answer, false);
  return answer;
}

/** The answer to clients for a defect; the observer gets all of it. */
function unexpectedError({ observe }: HttpContext, requestId: string, thrown: unknown): EngineError {
  observe({ kind: 'unhandled-internal-error', requestId, error: thrown });
  return new EngineError('unexpected', 'Internal Server Error', { status: 500 });
}

/** Like answerableError, if no request waits for the answer. */
export function sendableError(context: HttpContext, requestId: string, thrown: unknown): EngineError {
  return expected(context, databaseError(thrown)) ?? unexpectedError(context, requestId, thrown);
}

/** The error with its reason among what administrators see. */
async function explain(
  { locate }: HttpContext,
  { session }: HttpRequest,
  error: EngineError,
): Promise<EngineError> {
  const { internal } = error;
  if (!error.reason) return error;
  const { isOfRole, ...given } = error.reason;
  const reason = isOfRole ? { ...given, rule: `${given.rule}.${session?.role}` } : given;
  const paths = reason.path === undefined && locate ? await inTime(locate(reason)) : [];
  const details = typeof internal === 'object' ? internal : { message: internal };
  return error.withInternal({ ...details, reason: describeReason(reason, paths) });
}

/** The locations, if found in time; empty if the thread has ended. */
function inTime(found: Promise<readonly string[]>): Promise<readonly string[]> {
  return new Promise((resolve) => {
    const timer = setTimeout(() => resolve([]), LOCATING);
    found
      .catch((): readonly string[] => [])
      .then((paths) => {
        clearTimeout(timer);
        resolve(paths);
      });
  });
}

const FRAMEWORK_REFUSALS: Readonly<Record<string, string>> = {
  FST_ERR_CTP_INVALID_CONTENT_LENGTH:
    'the request body has another length than the header Content-Length says',
  FST_ERR_CTP_INVALID_MEDIA_TYPE:
    'the header Content-Type is missing or is no media type: send application/json',
};

function expected(context: HttpContext, error: unknown): EngineError | undefined {
  if (error instanceof EngineError) return error;
  const { code, statusCode } = error as { code?: unknown; statusCode?: unknown };
  if (code === 'FST_ERR_CTP_BODY_TOO_LARGE') {
    const limit = context.configuration.maxRequestBodySize;
    return new EngineError('bad-request', `the request body is larger than ${limit} bytes`, { status: 413 });
  }
  // Fastify's own refusals.
  if (
    typeof code === 'string' &&
    code.startsWith('FST_') &&
    typeof statusCode === 'number' &&
    statusCode < 500
  ) {
    const message = FRAMEWORK_REFUSALS[code] ?? `the request cannot be read (${code})`;
    return new EngineError('bad-request', message, { status: statusCode });
  }
  return undefined;
}

export const BAD_PATH = 'the path is not a valid URL path';

/** Answers a request whose path has no endpoint because it cannot be decoded, or has a part that is too long. */
export function refuseAddress(request: HttpRequest, reply: HttpReply): void {
  refuse(request, reply, new EngineError('bad-request', BAD_PATH));
}

/** Answers a request whose header `Expect` asks for what no server does. */
export function refuseExpectation(request: HttpRequest, reply: HttpReply): void {
  const message = 'the header Expect may be 100-continue only';
  refuse(request, reply, new EngineError('bad-request', message, { status: 417 }));
}

function refuse(request: HttpRequest, reply: HttpReply, error: EngineError): void {
  request.error = errorObject(error, false);
  sendJson(reply, JSON.stringify(errorObject(error, false)), error.status);
}

/** What Node could not read as a request: status and message. */
const UNREADABLE: Readonly<Record<string, readonly [number, string]>> = {
  ERR_HTTP_REQUEST_TIMEOUT: [408, 'the request did not arrive in time'],
  HPE_HEADER_OVERFLOW: [431, 'the headers are too long'],
};

/** Answers what is not HTTP, and closes the connection. */
export function refuseUnreadable({ code }: NodeJS.ErrnoException, socket: Duplex): void {
  if (code === 'ECONNRESET' || !socket.writable) {
    socket.destroy();
    return;
  }
  const [status, message] = UNREADABLE[code ?? ''] ?? [400, 'the request is not valid HTTP'];
  const body = JSON.stringify(errorObject(new EngineError('bad-request', message), false));
  const head = [
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}`,
    'Connection: close',
    `Content-Type: ${JSON_TYPE}`,
    `Content-Length: ${Buffer.byteLength(body)}`,
    `X-Request-Id: ${randomUUID()}`,
  ];
  socket.end(`${head.join('\r\n')}\r\n\r\n${body}`, () => socket.destroy());
}

/** Handles unknown paths, disabled APIs and errors thrown by endpoints. */
export function installErrorHandlers(app: FastifyInstance, context: HttpContext): void {
  app.setNotFoundHandler(({ own: request }, reply) => {
    const error = new EngineError('not-found', 'resource does not exist', { status: 404 });
    request.error = errorObject(error, false);
    return sendJson(reply, jsonText(errorObject(error, false)), 404);
  });
  app.setErrorHandler(async (thrown: unknown, { own: request }, reply) => {
    const error = await answerableError(context, request, thrown);
    // Endpoints of saved operations pass on the errors of a remote schema as they are.
    if (error instanceof UpstreamErrors) return sendJson(reply, error.text, error.status);
    return sendJson(reply, jsonText(errorObject(error, showsInternal(context, request))), error.status);
  });
}
