/**
 * A webhook says who is asking. It is called for every request without an admin secret; its answers
 * are not remembered.
 */

import { EngineError } from '../core/errors.ts';
import { exactJsonOr } from '../core/json/exact-json.ts';
import { isObject } from '../core/json/json.ts';
import { endingAt, type Session } from '../core/session.ts';
import { jsonText } from '../core/types.ts';
import type { Vocabulary } from '../core/vocabulary.ts';
import type { Observer } from '../observe/logs/observe.ts';
import { unsendableHeader } from '../outgoing/error.ts';
import {
  chooseHeaders,
  forwardedHeaders,
  GET_HEADERS,
  POST_HEADERS,
  pairsOf,
  type ShownHeader,
} from '../outgoing/headers.ts';
import { headersOf, type OutgoingResponse } from '../outgoing/message.ts';
import type { Outgoing } from '../outgoing/outgoing.ts';
import type { Authenticate, Incoming } from './incoming.ts';
import { ACCESS_KEY, ADMIN_SECRET, ROLE, single } from './variables.ts';

export interface WebhookOptions {
  readonly vocabulary: Vocabulary;
  readonly url: string;
  readonly method: 'GET' | 'POST';
  /** Send the GraphQL request in a POST. */
  readonly sendBody: boolean;
  /** Seconds. */
  readonly timeout: number;
  readonly outgoing: Outgoing;
  readonly observe: Observer;
}

const LARGEST_ANSWER = 1024 * 1024;

export function webhookMode(options: WebhookOptions): Authenticate {
  // The query of an address may hold a key.
  const { origin, pathname } = new URL(options.url);
  const log = (outcome: { status?: number; error?: string; message?: string }) => {
    const { method } = options;
    const level = outcome.error === undefined && outcome.message === undefined ? 'info' : 'error';
    options.observe({ kind: 'webhook', level, url: `${origin}${pathname}`, method, ...outcome });
  };
  return async (incoming) => {
    let answer: OutgoingResponse;
    try {
      answer = await call(options, incoming);
    } catch (error) {
      log({ error: (error as Error).message });
      throw unsendableHeader(error) ?? failed('webhook authentication request failed');
    }
    const { status } = answer;
    // Of a refusal as well: it may end the client's session. In the order of the other servers of this API family, the last first.
    incoming.setCookies(headersOf(answer, 'set-cookie').toReversed());
    try {
      const session = readAnswer(answer, incoming.isKept, options.vocabulary);
      log({ status });
      return mayBeFromCookie(incoming) ? { ...session, fromCookie: true } : session;
    } catch (error) {
      log({ status, message: (error as Error).message });
      throw error;
    }
  };
}

/** The webhook may have read a cookie. Passwords of HTTP authentication are also attached by browsers themselves. */
function mayBeFromCookie({ headers: { cookie, authorization } }: Incoming): boolean {
  return authorization === undefined ? cookie !== undefined : /^basic /i.test(authorization);
}

function call(options: WebhookOptions, incoming: Incoming): Promise<OutgoingResponse> {
  const { url, method, timeout, outgoing } = options;
  const limits = { timeout: timeout * 1000, maxSize: LARGEST_ANSWER };
  const { requestId, trace } = incoming;
  const headers = (...lists: (readonly ShownHeader[])[]) =>
    pairsOf(chooseHeaders(lists, { requestId, trace }));
  if (method === 'GET') {
    const forwarded = forwardedHeaders(incoming.headers);
    return outgoing.send({ url, method, ...limits, headers: headers(GET_HEADERS, forwarded) });
  }
  const body = jsonText({
    headers: headersAsWritten(incoming),
    request: options.sendBody ? graphqlRequests(incoming.body) : null,
  });
  return outgoing.send({ url, method, ...limits, headers: headers(POST_HEADERS), body });
}

/** Every header of the client, under the name that it wrote. */
function headersAsWritten({ headers, rawHeaders }: Incoming): Readonly<Record<string, string>> {
  const written = new Map<string, string>();
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = rawHeaders[index]!;
    if (!written.has(name.toLowerCase())) written.set(name.toLowerCase(), name);
  }
  return Object.fromEntries(
    Object.entries(headers).flatMap(([name, value]) => {
      const text = single(value);
      return text === undefined ? [] : [[written.get(name) ?? name, text]];
    }),
  );
}

/** The GraphQL request, or each of a batch, reduced to its known members; null if the body is not one. */
function graphqlRequests(body: unknown): unknown {
  const parsed = typeof body === 'string' ? exactJsonOr(body) : undefined;
  return Array.isArray(parsed) ? parsed.map(graphqlRequest) : graphqlRequest(parsed);
}

function graphqlRequest(value: unknown): unknown {
  if (!isObject(value)) return null;
  const { query, variables, operationName } = value;
  return { query, variables, operationName };
}

/** @param isKept the session outlives the request. @throws EngineError if the answer is not a session */
function readAnswer({ status, body }: OutgoingResponse, isKept: boolean, vocabulary: Vocabulary): Session {
  if (status === 401) {
    throw new EngineError('access-denied', 'Authentication hook unauthorized this request', {
      status: 401,
      reason: { rule: 'authentication.webhook', why: 'the webhook answered 401', path: 'auth-hook' },
    });
  }
  const answer = status === 200 ? exactJsonOr(body.toString('utf8')) : undefined;
  if (!isObject(answer)) throw failed('Invalid response from authorization hook');
  const variables: Record<string, string> = {};
  for (const [key, value] of Object.entries(answer)) {
    const name = vocabulary.toCanonical(key);
    if (name === undefined || name === ADMIN_SECRET || name === ACCESS_KEY) continue;
    // Twice in different cases: which one counts must not depend on their order.
    if (typeof value !== 'string' || name in variables)
      throw failed('Invalid response from authorization hook');
    variables[name] = value;
  }
  const role = variables[ROLE];
  if (!role) {
    const name = vocabulary.fromCanonical(ROLE);
    throw new EngineError('invalid-params', `${name} not found in session variables`, {
      reason: {
        rule: 'authentication.webhook',
        why: `the answer has no ${name}`,
        path: 'auth-hook',
      },
    });
  }
  return { vocabulary, role, variables, backendOnly: false, ...(isKept ? endingAt(readExpiry(answer)) : {}) };
}

/** When sockets of the session end: `Cache-Control` or `Expires` of the JSON body. Unreadable: never. */
function readExpiry(answer: Readonly<Record<string, unknown>>): number | undefined {
  const values = new Map(
    Object.entries(answer).map(([name, value]) => [
      name.toLowerCase(),
      typeof value === 'string' ? value : '',
    ]),
  );
  const age = /\bmax-age\s*=\s*"?(\d+)/i.exec(values.get('cache-control') ?? '');
  if (age) return Date.now() + Number(age[1]) * 1000;
  const expires = Date.parse(values.get('expires') ?? '');
  return Number.isNaN(expires) ? undefined : expires;
}

function failed(message: string): EngineError {
  return new EngineError('unexpected', message, { status: 500 });
}
