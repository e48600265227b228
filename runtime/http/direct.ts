/**
 * The short way of most requests: a JSON body of known length that no page of another origin posts to an endpoint. It goes from
 * Node's HTTP server to the endpoint through the steps that server.ts gives Fastify as hooks, without Fastify's router, body
 * parser, request and reply, which take a seventh of the server's processor time of a read by key. Everything else goes through
 * Fastify, and so does everything that a limit refuses.
 * @rule Which requests go around Fastify?
 */
import type {
  IncomingHttpHeaders,
  IncomingMessage,
  OutgoingHttpHeader,
  RequestListener,
  ServerResponse,
} from 'node:http';
import type { FastifyInstance } from 'fastify';
import { guarded } from '../core/guarded.ts';
import type { HttpContext, HttpReply } from './context.ts';
import type { Admit } from './overload.ts';
import type { HttpRequest } from './request.ts';
import type { Steps } from './steps.ts';

/** An endpoint, and what answers its errors. */
export interface DirectEndpoint {
  readonly handler: (request: HttpRequest, reply: HttpReply) => Promise<unknown>;
  readonly errorHandler: (error: unknown, request: HttpRequest, reply: HttpReply) => Promise<unknown>;
}

const BODY_TYPES: ReadonlySet<string | undefined> = new Set([
  undefined,
  'application/json',
  'application/json; charset=utf-8',
  'application/json;charset=utf-8',
]);

/** Has requests go the short way where they may, until the server closes. */
export function installDirect(app: FastifyInstance, context: HttpContext, steps: Steps, admit: Admit): void {
  const [fastify] = app.server.listeners('request') as [RequestListener];
  const take = createDirect(context, steps, admit);
  app.server.removeListener('request', fastify);
  const answer: RequestListener = (message, response) => {
    if (!take(message, response)) fastify(message, response);
  };
  const fail = (error: unknown, _: IncomingMessage, response: ServerResponse) => {
    steps.failed(error);
    response.destroy();
  };
  app.server.on('request', guarded(answer, fail));
  // Fastify refuses what comes after.
  app.addHook('preClose', (done) => {
    app.server.removeAllListeners('request').on('request', guarded(fastify, fail));
    done();
  });
}

/** Answers a request that no endpoint gets with an error. */
export function refuseDirectly(
  message: IncomingMessage,
  response: ServerResponse,
  steps: Steps,
  refuse: (request: HttpRequest, reply: HttpReply) => void,
): void {
  const request = steps.begin(message);
  refuse(request, new DirectReply(request, response, steps));
}

/** Takes the requests that may go the short way. False: the request is left to Fastify. */
function createDirect(
  { direct, configuration }: HttpContext,
  steps: Steps,
  admit: Admit,
): (message: IncomingMessage, response: ServerResponse) => boolean {
  return (message, response) => {
    if (message.method !== 'POST') return false;
    const endpoint = direct.get(message.url!);
    const length = bodyLength(message.headers);
    if (!endpoint || length === undefined || length > configuration.maxRequestBodySize) return false;
    if (!admit(response)) return false;
    const request = steps.begin(message);
    const reply = new DirectReply(request, response, steps);
    const answer = async (body: string) => {
      request.body = body;
      try {
        await endpoint.handler(request, reply);
      } catch (error) {
        await endpoint.errorHandler(error, request, reply);
      }
    };
    message.on('data', guarded(bodyReader(length, answer), reply.fail));
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

/** Takes the chunks of a body, and calls `done` with the last byte. A client that leaves before is forgotten. */
function bodyReader(
  length: number,
  done: (body: string) => Promise<void>,
): (chunk: Buffer) => Promise<void> | undefined {
  let missing = length;
  let former: Buffer[] | undefined;
  return (chunk) => {
    missing -= chunk.length;
    if (missing <= 0) return done((former ? Buffer.concat([...former, chunk]) : chunk).toString());
    former ??= [];
    former.push(chunk);
    return undefined;
  };
}

class DirectReply implements HttpReply {
  readonly raw: ServerResponse;
  readonly #request: HttpRequest;
  readonly #steps: Steps;
  readonly #headers: Record<string, OutgoingHttpHeader> = {};
  statusCode = 200;

  constructor(request: HttpRequest, raw: ServerResponse, steps: Steps) {
    this.#request = request;
    this.raw = raw;
    this.#steps = steps;
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

  send(text: string | Buffer): this {
    this.#steps.complete(this.#request, this, text, (error, body) => {
      if (error) this.fail(error);
      else this.#write(body!);
    });
    return this;
  }

  readonly fail = (error: unknown): void => {
    this.#steps.failed(error, this.#request.requestId);
    this.raw.destroy();
  };

  #write(body: string | Uint8Array): void {
    const { raw } = this;
    this.#headers['content-length'] = Buffer.byteLength(body);
    const answered = () => this.#steps.answered(this.#request, this);
    raw.once('finish', guarded(answered, this.fail));
    raw.writeHead(this.statusCode, this.#headers);
    raw.end(body);
  }
}
