/**
 * The short way of most requests: a JSON body of known length that no page of another origin posts to an endpoint. It goes from
 * Node's HTTP server to the endpoint through the functions that server.ts gives Fastify as hooks, without Fastify's router, body
 * parser, request and reply, which take a seventh of the server's processor time of a read by key. Everything else goes through
 * Fastify, and so does everything that a limit refuses.
 */
import type {
  IncomingHttpHeaders,
  IncomingMessage,
  OutgoingHttpHeader,
  RequestListener,
  ServerResponse,
} from 'node:http';
import type { FastifyInstance } from 'fastify';
import type { Exchange, HttpReply, HttpRequest } from './context.ts';

/** An endpoint, and what answers its errors. */
export interface DirectEndpoint {
  readonly handler: (request: HttpRequest, reply: HttpReply) => Promise<unknown>;
  readonly errorHandler: (error: unknown, request: HttpRequest, reply: HttpReply) => Promise<unknown>;
}

/** Steps that every request takes; see server.ts. */
export interface DirectSteps {
  /** The endpoint that answers a path without Fastify. */
  readonly endpoint: (path: string) => DirectEndpoint | undefined;
  /** Bytes of the largest body. */
  readonly bodyLimit: number;
  /** Counts the request among those that are answered at once. False: it is one too many. */
  readonly admit: (response: ServerResponse) => boolean;
  readonly begin: (request: IncomingMessage) => Exchange;
  /** Adds what every answer has, and may compress it. */
  readonly complete: (
    request: HttpRequest,
    reply: HttpReply,
    text: string,
    done: (error: Error | null, body?: string | Buffer) => void,
  ) => void;
  /** The answer was handed over to the operating system. */
  readonly answered: (request: HttpRequest, reply: HttpReply) => void;
  /** No answer could be made: the connection is closed. */
  readonly failed: (request: HttpRequest, error: unknown) => void;
}

const BODY_TYPES: ReadonlySet<string | undefined> = new Set([
  undefined,
  'application/json',
  'application/json; charset=utf-8',
  'application/json;charset=utf-8',
]);

/** Has requests go the short way where they may, until the server closes. */
export function installDirect(app: FastifyInstance, steps: DirectSteps): void {
  const [fastify] = app.server.listeners('request') as [RequestListener];
  const take = createDirect(steps);
  app.server.removeListener('request', fastify);
  app.server.on('request', (message, response) => {
    if (!take(message, response)) fastify(message, response);
  });
  // Fastify refuses what comes after.
  app.addHook('preClose', (done) => {
    app.server.removeAllListeners('request').on('request', fastify);
    done();
  });
}

/** Takes the requests that may go the short way. False: the request is left to Fastify. */
function createDirect(steps: DirectSteps): (message: IncomingMessage, response: ServerResponse) => boolean {
  return (message, response) => {
    if (message.method !== 'POST') return false;
    const endpoint = steps.endpoint(message.url!);
    const length = bodyLength(message.headers);
    if (!endpoint || length === undefined || length > steps.bodyLimit || !steps.admit(response)) return false;
    const request = new DirectRequest(message, steps.begin(message));
    readBody(message, length, (body) => {
      request.body = body;
      const reply = new DirectReply(request, response, steps);
      endpoint
        .handler(request, reply)
        .catch((error: unknown) => endpoint.errorHandler(error, request, reply))
        .catch(reply.fail);
    });
    return true;
  };
}

/** Bytes of a body that arrives as it is; undefined for any other request. */
function bodyLength(headers: IncomingHttpHeaders): number | undefined {
  const { origin, 'content-length': length } = headers;
  if (origin !== undefined || length === undefined || !BODY_TYPES.has(headers['content-type']))
    return undefined;
  // Node has refused what is not a number, and a request that has both.
  return headers['transfer-encoding'] === undefined && Number(length) > 0 ? Number(length) : undefined;
}

/** Calls `done` with the last byte. A client that leaves before is forgotten. */
function readBody(message: IncomingMessage, length: number, done: (body: string) => void): void {
  let missing = length;
  let former: Buffer[] | undefined;
  message.on('data', (chunk: Buffer) => {
    missing -= chunk.length;
    if (missing > 0) {
      former ??= [];
      former.push(chunk);
    } else done(former ? Buffer.concat([...former, chunk]).toString() : chunk.toString());
  });
}

class DirectRequest implements HttpRequest {
  readonly raw: IncomingMessage;
  readonly headers: IncomingHttpHeaders;
  readonly exchange: Exchange;
  body: unknown = undefined;

  constructor(raw: IncomingMessage, exchange: Exchange) {
    this.raw = raw;
    this.headers = raw.headers;
    this.exchange = exchange;
  }

  get id(): string {
    return this.exchange.requestId;
  }

  get ip(): string {
    return this.raw.socket.remoteAddress ?? '';
  }

  get method(): string {
    return this.raw.method!;
  }

  get url(): string {
    return this.raw.url!;
  }
}

class DirectReply implements HttpReply {
  readonly raw: ServerResponse;
  readonly #request: HttpRequest;
  readonly #steps: DirectSteps;
  readonly #headers: Record<string, OutgoingHttpHeader>;
  statusCode = 200;

  constructor(request: HttpRequest, raw: ServerResponse, steps: DirectSteps) {
    this.#request = request;
    this.raw = raw;
    this.#steps = steps;
    this.#headers = { 'x-request-id': request.id };
  }

  code(status: number): this {
    this.statusCode = status;
    return this;
  }

  header(name: string, value: OutgoingHttpHeader): this {
    this.#headers[name] = value;
    return this;
  }

  getHeader(name: string): OutgoingHttpHeader | undefined {
    return this.#headers[name];
  }

  send(text: string): this {
    this.#steps.complete(this.#request, this, text, (error, body) => {
      if (error) this.fail(error);
      else this.#write(body!);
    });
    return this;
  }

  readonly fail = (error: unknown): void => {
    this.#steps.failed(this.#request, error);
    this.raw.destroy();
  };

  #write(body: string | Buffer): void {
    const { raw } = this;
    this.#headers['content-length'] = Buffer.byteLength(body);
    raw.once('finish', () => this.#steps.answered(this.#request, this));
    raw.writeHead(this.statusCode, this.#headers);
    raw.end(body);
  }
}
