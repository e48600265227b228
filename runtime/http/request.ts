/** An HTTP request, from its arrival to its log line. */
import { randomUUID } from 'node:crypto';
import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import type { Configuration } from '../configuration/configuration.ts';
import { guarded } from '../core/guarded.ts';
import { remember } from '../core/remember.ts';
import type { Session } from '../core/session.ts';
import type { Client } from '../graphql/request.ts';
import type { HttpRequestObservation, LoggedError, LoggedQuery } from '../observe/logs/observe.ts';
import { type Trace, traceOf } from '../outgoing/trace.ts';
import { refuseForeignWrite } from './foreign-site.ts';
import { positionsOf, type SeenPositions } from './positions.ts';

declare module 'fastify' {
  interface FastifyRequest {
    own: HttpRequest;
  }
}

/** Makes a request: `configuration` of the server, and whether it is traced where its caller has not decided that. */
export interface Arrival {
  readonly configuration: Configuration;
  readonly sample?: (traceId: string) => boolean | undefined;
}

/**
 * What its client sent and can be told or asked, and what is noted of it on the way to its log line. Its fields are fixed: all requests
 * have one hidden class.
 */
export class HttpRequest implements Client {
  readonly raw: IncomingMessage;
  readonly headers: IncomingHttpHeaders;
  readonly requestId: string;
  readonly trace: Trace;
  /** performance.now() when it arrived. */
  readonly startedAt = performance.now();
  /** The client's address, which its socket no longer knows when it is closed. */
  readonly ip: string;
  /** Positions of its writes, and of earlier writes that it has to see; undefined: it does not matter. */
  readonly positions: SeenPositions | undefined;
  readonly #configuration: Configuration;
  /** The text of the body, once it is there. */
  body: unknown = undefined;
  session: Session | undefined = undefined;
  mode: HttpRequestObservation['mode'] = 'non-graphql';
  error: LoggedError | undefined = undefined;
  /** The path with names in place of values, such as `/v1/actions/:id/complete`; undefined: its address says it. */
  route: string | undefined;
  /** Settles when the reason of the error is known. */
  explaining: Promise<void> | undefined = undefined;
  /** The operation, where logs show it; of a batch the last. */
  query: LoggedQuery | undefined = undefined;
  rawQuery: string | undefined = undefined;
  /** Values of masked variables. */
  secrets: readonly string[] = [];
  /** Seconds until the whole request was there. */
  readTime: number | undefined = undefined;
  responseSize = 0;
  uncompressedResponseSize = 0;
  /** Cookies that the answer carries. */
  cookies: readonly string[] = [];
  /** Seconds that the answer is kept by this server, for a header; undefined: it is not. */
  maxAge: number | undefined = undefined;

  constructor(raw: IncomingMessage, { configuration, sample }: Arrival, route?: string) {
    const { headers } = raw;
    this.raw = raw;
    this.headers = headers;
    const given = headers['x-request-id'];
    this.requestId = typeof given === 'string' && given !== '' ? given : randomUUID();
    this.trace = traceOf(headers, sample);
    this.ip = raw.socket.remoteAddress ?? '';
    this.positions = positionsOf(headers, configuration);
    this.#configuration = configuration;
    this.route = route;
  }

  get method(): string {
    return this.raw.method!;
  }

  get url(): string {
    return this.raw.url!;
  }

  checkWrite(): void {
    if (this.session?.fromCookie) refuseForeignWrite(this, this.#configuration);
  }

  isWaiting(): boolean {
    return !this.raw.socket.destroyed;
  }

  whenGone(cancel: () => void): () => void {
    return whenClosed(this.raw.socket, cancel);
  }

  keptFor(seconds: number): void {
    // An answer to GET with `max-age` would be kept by browsers and proxies, which do not know what concerns it, nor whose it is.
    if (this.method === 'POST' && this.mode !== 'batched') this.maxAge = seconds;
  }

  addCookies(cookies: readonly string[]): void {
    // Members of a batch share one answer.
    if (this.mode !== 'batched') this.cookies = [...this.cookies, ...cookies];
  }
}

/** What is cancelled when a connection closes. One listener for all of it: most requests of a connection add and remove something. */
const cancelled = new WeakMap<Socket, Set<() => void>>();

function whenClosed(socket: Socket, cancel: () => void): () => void {
  if (socket.destroyed) {
    cancel();
    return () => {};
  }
  const callbacks = remember(cancelled, socket, () => {
    const all = new Set<() => void>();
    const gone = () => {
      for (const each of all) each();
    };
    socket.once(
      'close',
      guarded(gone, () => socket.destroy()),
    );
    return all;
  });
  callbacks.add(cancel);
  return () => callbacks.delete(cancel);
}
