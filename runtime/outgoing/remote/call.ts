/** One HTTP call to a remote schema: its address, its headers, and the errors of calls without an answer. */

import { type Environment, type EnvironmentText, fillTemplate } from '../../core/environment-template.ts';
import { EngineError } from '../../core/errors.ts';
import type { RemoteSchemaShape } from '../../core/remotes/shapes.ts';
import type { Session } from '../../core/session.ts';
import type { Client } from '../../graphql/request.ts';
import { isCallable } from '../address.ts';
import { type CallMeasures, callService } from '../call.ts';
import { OutgoingError } from '../error.ts';
import {
  chooseHeaders,
  clientHeaders,
  fillHeaders,
  POST_HEADERS,
  pairsOf,
  plainHeaders,
  type ShownHeader,
} from '../headers.ts';
import type { OutgoingRequest, OutgoingResponse } from '../message.ts';
import type { Outgoing } from '../outgoing.ts';
import type { Trace } from '../trace.ts';

export interface RemoteCallOptions {
  readonly outgoing: Outgoing;
  readonly environment: Environment;
  /** Receives every finished call, for metrics. */
  readonly observe?: (call: FinishedRemoteCall) => void;
}

/** A finished call, as metrics count it. */
export interface FinishedRemoteCall extends Pick<CallMeasures, 'status' | 'seconds'> {
  /** Name of the remote schema. */
  readonly remote: string;
  readonly trace?: Trace | undefined;
}

/** The request that a call is made for. Introspection has a session of its own and no client. */
export interface RemoteCallOrigin {
  readonly session: Session;
  readonly client?: Client | undefined;
  /** Time of `performance.now()` at which the call has to end. */
  readonly deadline?: number | undefined;
}

export type RemoteTarget = Pick<
  RemoteSchemaShape,
  'name' | 'url' | 'headers' | 'forwardClientHeaders' | 'timeout'
>;

/** A target with the values of environment variables, which do not change. */
export interface PreparedTarget {
  readonly target: RemoteTarget;
  readonly url: string;
  readonly headers: readonly ShownHeader[];
}

/** @throws EngineError invalid-params for variables that are not set */
function requireSet([missing]: readonly string[]): void {
  if (missing !== undefined)
    throw new EngineError('invalid-params', `environment variable '${missing}' not set`);
}

/** The URL of a remote schema. @throws EngineError invalid-params */
function resolveUrl(address: EnvironmentText, environment: Environment): string {
  const { text, missing } = fillTemplate(address, environment);
  requireSet(missing);
  if (isCallable(text)) return text;
  throw new EngineError(
    'invalid-params',
    typeof address === 'string'
      ? `not a valid URI generated from the template: ${address}`
      : `not a valid URI in environment variable: ${address.env}`,
  );
}

/**
 * Posts a GraphQL request. A query whose connection fails before an answer begins is sent once more.
 * @throws EngineError remote-schema-error when there is no answer
 */
export async function callRemote(
  { target, url, headers: configured }: PreparedTarget,
  body: string,
  isQuery: boolean,
  origin: RemoteCallOrigin,
  { outgoing, observe }: Pick<RemoteCallOptions, 'outgoing' | 'observe'>,
): Promise<OutgoingResponse> {
  const headers = callHeaders(target, configured, origin);
  const { client, deadline } = origin;
  const sendTwice = async (request: OutgoingRequest) => {
    const end = performance.now() + request.timeout;
    try {
      return await outgoing.send(request);
    } catch (error) {
      if (!(error instanceof OutgoingError) || error.kind !== 'failed' || error.hasAnswer) throw error;
      return outgoing.send({ ...request, timeout: Math.max(1, end - performance.now()) });
    }
  };
  return callService(
    isQuery ? sendTwice : outgoing.send,
    { url, headers, body, timeout: target.timeout, deadline },
    observe && ((measures) => observe({ remote: target.name, ...measures, trace: client?.trace })),
    (error) => noAnswer(error, target, url),
  );
}

/** @throws EngineError invalid-params for variables that are not set */
export function prepareTarget(target: RemoteTarget, environment: Environment): PreparedTarget {
  const url = resolveUrl(target.url, environment);
  const configured = Object.entries(target.headers ?? {}).map(([name, value]) => ({ name, value }));
  const { headers, missing } = fillHeaders(configured, environment);
  requireSet(missing);
  return { target, url, headers };
}

/** If several headers have one name, the first counts: configured ones, session variables, those of the client. */
function callHeaders(
  target: RemoteTarget,
  configured: readonly ShownHeader[],
  { session, client }: RemoteCallOrigin,
) {
  const variables = plainHeaders(session.vocabulary.session(session.variables));
  const fromClient = target.forwardClientHeaders ? clientHeaders(client?.headers, session.vocabulary) : [];
  const order = [POST_HEADERS, configured, variables, fromClient];
  return pairsOf(chooseHeaders(order, { trace: client?.trace }));
}

function noAnswer(error: OutgoingError, target: RemoteTarget, url: string): EngineError {
  const template = typeof target.url === 'string' ? target.url : target.url.env;
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
