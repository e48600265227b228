/** One HTTP call to a remote schema: its address, its headers, and the errors of calls without an answer. */

import type { Environment } from '../../core/environment-template.ts';
import { EngineError } from '../../core/errors.ts';
import type { RemoteSchemaShape } from '../../core/remotes/shapes.ts';
import type { Session } from '../../core/session.ts';
import type { Client } from '../../graphql/request.ts';
import { isCallable } from '../address.ts';
import { type CallMeasures, callService, prepareService, type Service } from '../call.ts';
import { OutgoingError } from '../error.ts';
import { chooseHeaders, clientHeaders, POST_HEADERS, pairsOf, plainHeaders } from '../headers.ts';
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
  readonly kind: 'remote-call';
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

export interface PreparedTarget extends Service {
  readonly target: RemoteTarget;
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
  const { session, client, deadline } = origin;
  // If several headers have one name, the first counts: configured ones, session variables, those of the client.
  const order = [
    POST_HEADERS,
    configured,
    plainHeaders(session.vocabulary.session(session.variables)),
    clientHeaders(target, client?.headers, session.vocabulary),
  ];
  const headers = pairsOf(chooseHeaders(order, { trace: client?.trace }));
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
    { url, headers, body, timeout: 1000 * target.timeout, deadline },
    observe &&
      (({ status, seconds }) =>
        observe({ kind: 'remote-call', remote: target.name, status, seconds, trace: client?.trace })),
    (error) => noAnswer(error, target, url),
  );
}

/** @throws EngineError invalid-params for variables that are not set, and for what is not an address */
export function prepareTarget(target: RemoteTarget, environment: Environment): PreparedTarget {
  const { url: address } = target;
  const configured = Object.entries(target.headers ?? {}).map(([name, value]) => ({ name, value }));
  const service = prepareService(address, configured, environment);
  const [missing] = service.missing;
  if (missing !== undefined)
    throw new EngineError('invalid-params', `environment variable '${missing}' not set`);
  if (isCallable(service.url)) return { target, ...service };
  throw new EngineError(
    'invalid-params',
    typeof address === 'string'
      ? `not a valid URI generated from the template: ${address}`
      : `not a valid URI in environment variable: ${address.env}`,
  );
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
