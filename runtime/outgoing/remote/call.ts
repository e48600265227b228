/** One HTTP call to a remote schema: its address, its headers, and the errors of calls without an answer. */

import { USER_AGENT } from '../../configuration/version.ts';
import { type Environment, fillTemplate } from '../../core/environment-template.ts';
import { EngineError } from '../../core/errors.ts';
import type { RemoteAddress, RemoteSchemaShape } from '../../core/remotes/shapes.ts';
import type { Session } from '../../core/session.ts';
import { vocabulary } from '../../core/vocabulary.ts';
import type { ClientRequest } from '../../graphql/execution.ts';
import { isCallable } from '../address.ts';
import { OutgoingError, unsendableHeader } from '../error.ts';
import { forwardedHeaders } from '../forwarded-headers.ts';
import type { Header, OutgoingResponse } from '../message.ts';
import type { Outgoing } from '../outgoing.ts';
import { type Trace, traceHeaders } from '../trace.ts';

export interface CallOptions {
  readonly outgoing: Outgoing;
  readonly environment: Environment;
  /** Receives every finished call, for metrics. */
  readonly observe?: (call: FinishedRemoteCall) => void;
}

/** A finished call, as metrics count it. */
export interface FinishedRemoteCall {
  /** Name of the remote schema. */
  readonly remote: string;
  /** HTTP status; absent without an answer. */
  readonly status?: number;
  readonly seconds: number;
  readonly trace?: Trace | undefined;
}

/** The request that a call is made for. Introspection has a session of its own and no client. */
export interface CallOrigin {
  readonly session: Session;
  readonly client?: ClientRequest | undefined;
  /** Time of `performance.now()` at which the call has to end. */
  readonly deadline?: number | undefined;
}

type Target = Pick<RemoteSchemaShape, 'url' | 'headers' | 'forwardClientHeaders' | 'timeout'>;

/** The text of an address or header. @throws EngineError invalid-params for a variable that is not set */
function resolveText(address: RemoteAddress, environment: Environment): string {
  if (typeof address !== 'string') {
    const value = Object.hasOwn(environment, address.fromEnv) ? environment[address.fromEnv] : undefined;
    if (value !== undefined) return value;
    throw new EngineError('invalid-params', `environment variable '${address.fromEnv}' not set`);
  }
  const { text, missing } = fillTemplate(address, environment);
  if (missing.length === 0) return text;
  throw new EngineError('invalid-params', `environment variable '${missing[0]}' not set`);
}

/** The URL of a remote schema. @throws EngineError invalid-params */
function resolveUrl(address: RemoteAddress, environment: Environment): string {
  const url = resolveText(address, environment);
  if (isCallable(url)) return url;
  throw new EngineError(
    'invalid-params',
    typeof address === 'string'
      ? `not a valid URI generated from the template: ${address}`
      : `not a valid URI in environment variable: ${address.fromEnv}`,
  );
}

/**
 * Posts a GraphQL request. A query whose connection fails before an answer begins is sent once more.
 * @throws EngineError remote-schema-error when there is no answer
 */
export async function callRemote(
  target: Target,
  body: string,
  isQuery: boolean,
  origin: CallOrigin,
  { outgoing, environment }: CallOptions,
): Promise<OutgoingResponse> {
  const url = resolveUrl(target.url, environment);
  const headers = callHeaders(target, origin, environment);
  const end = Math.min(
    performance.now() + target.timeout * 1000,
    origin.deadline ?? Number.POSITIVE_INFINITY,
  );
  const send = () =>
    outgoing.send({ url, headers, body, timeout: Math.max(1, Math.ceil(end - performance.now())) });
  try {
    return await send().catch((error: unknown) => {
      if (isQuery && error instanceof OutgoingError && error.kind === 'failed' && !error.hasAnswer)
        return send();
      throw error;
    });
  } catch (error) {
    throw unsendableHeader(error) ?? (error instanceof OutgoingError ? noAnswer(error, target, url) : error);
  }
}

/** If several headers have one name, the first counts: configured ones, session variables, those of the client. */
function callHeaders(target: Target, { session, client }: CallOrigin, environment: Environment): Header[] {
  const headers = new Map<string, Header>([
    ['content-type', ['Content-Type', 'application/json']],
    ['user-agent', ['User-Agent', USER_AGENT]],
  ]);
  const add = (name: string, value: string) => {
    const key = name.toLowerCase();
    if (!headers.has(key)) headers.set(key, [name, value]);
  };
  // The trace of the request; no configuration overrides it.
  if (client?.trace) for (const [name, value] of Object.entries(traceHeaders(client.trace))) add(name, value);
  for (const [name, value] of Object.entries(target.headers ?? {}))
    add(name, resolveText(value, environment));
  for (const [name, value] of Object.entries(vocabulary().session(session.variables))) add(name, value);
  if (target.forwardClientHeaders && client) {
    for (const [name, value] of Object.entries(forwardedHeaders(client.headers)))
      if (!vocabulary().isReadAsOwn(name)) add(name, value);
    for (const [name, from] of FORWARDED) {
      const value = client.headers[from];
      if (typeof value === 'string') add(name, value);
    }
  }
  return [...headers.values()];
}

const FORWARDED = [
  ['X-Forwarded-Host', 'host'],
  ['X-Forwarded-User-Agent', 'user-agent'],
  ['X-Forwarded-Origin', 'origin'],
] as const;

function noAnswer(error: OutgoingError, target: Target, url: string): EngineError {
  const template = typeof target.url === 'string' ? target.url : target.url.fromEnv;
  const message = `HTTP exception occurred while sending the request to ${JSON.stringify(template)}`;
  const { protocol, hostname, port, pathname, searchParams } = new URL(url);
  const secure = protocol === 'https:';
  const request = {
    host: hostname,
    port: Number(port || (secure ? 443 : 80)),
    secure,
    path: pathname,
    // Values may be secrets.
    queryString: [...searchParams.keys()]
      .map((name, index) => `${index === 0 ? '?' : '&'}${name}=*`)
      .join(''),
    method: 'POST',
    responseTimeout: `ResponseTimeoutMicro ${target.timeout * 1_000_000}`,
  };
  const reason = error.kind === 'timeout' ? 'Response timeout' : `Connection failure: ${error.message}`;
  return new EngineError('remote-schema-error', message, {
    internal: { type: 'http_exception', message: reason, request },
    cause: error,
  });
}
