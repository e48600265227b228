/**
 * The two protocols of GraphQL over WebSocket: `graphql-transport-ws`, and the older `graphql-ws`, which is also spoken with
 * clients that name neither. They differ in the names of messages and in how errors travel. Messages of both are
 * understood on every socket.
 */

import { EngineError } from '../core/errors.ts';
import { parseExactJson, TooDeep } from '../core/json/exact-json.ts';
import { jsonProblem } from '../core/reasons.ts';
import { jsonKind, jsonText } from '../core/types.ts';

export type Protocol = 'graphql-transport-ws' | 'graphql-ws';

export type ClientMessage =
  | { readonly type: 'init'; readonly headers: Readonly<Record<string, string>> }
  | { readonly type: 'start'; readonly id: string; readonly payload: unknown }
  | { readonly type: 'stop'; readonly id: string }
  /** `payload` as JSON text. */
  | { readonly type: 'ping'; readonly payload: string | undefined }
  | { readonly type: 'pong' }
  | { readonly type: 'terminate' };

/** A message that cannot be read. */
export class MessageError extends Error {
  constructor(detail: string) {
    super(`parsing ClientMessage failed: ${detail}`);
  }
}

/** A `connection_init` that cannot be read. What comes behind it was meant for the session that it asks for. */
export class InitError extends MessageError {}

/** The first protocol that a client offers and this server speaks; the older one if no offer fits. */
export function chooseProtocol(offered: string | undefined): {
  readonly protocol: Protocol;
  /** It is named in the answer: clients refuse the name of a protocol that they did not offer. */
  readonly named: boolean;
} {
  for (const name of offered?.split(',') ?? []) {
    const protocol = name.trim();
    if (protocol === 'graphql-transport-ws' || protocol === 'graphql-ws') return { protocol, named: true };
  }
  return { protocol: 'graphql-ws', named: false };
}

/** @throws MessageError */
export function readMessage(text: string): ClientMessage {
  let message: unknown;
  try {
    message = parseExactJson(text);
  } catch (error) {
    const reason =
      error instanceof TooDeep ? 'nested too deeply' : `the message is not valid JSON: ${jsonProblem(text)}`;
    throw new MessageError(`Error in $: ${reason}`);
  }
  if (jsonKind(message) !== 'Object')
    throw new MessageError(`Error in $: expected Object, but encountered ${jsonKind(message)}`);
  const { type, id, payload } = message as Record<string, unknown>;
  if (typeof type !== 'string') throw new MessageError('Error in $: key "type" not found');
  switch (type) {
    case 'connection_init':
      return { type: 'init', headers: readHeaders(payload) };
    case 'start':
    case 'subscribe':
      return { type: 'start', id: readId(id), payload };
    case 'stop':
    case 'complete':
      return { type: 'stop', id: readId(id) };
    case 'ping':
      return { type: 'ping', payload: payload === undefined ? undefined : jsonText(payload) };
    case 'pong':
      return { type: 'pong' };
    case 'connection_terminate':
      return { type: 'terminate' };
    default:
      throw new MessageError(`Error in $: unexpected type for ClientMessage: ${type}`);
  }
}

function readId(id: unknown): string {
  if (id === undefined) throw new MessageError('Error in $: key "id" not found');
  if (typeof id !== 'string')
    throw new MessageError(`Error in $.id: expected String, but encountered ${jsonKind(id)}`);
  return id;
}

/** `payload.headers` of an init, by lower-case name. @throws InitError */
function readHeaders(payload: unknown): Readonly<Record<string, string>> {
  if (payload === undefined || payload === null) return {};
  if (jsonKind(payload) !== 'Object')
    throw new InitError(`Error in $.payload: expected Object, but encountered ${jsonKind(payload)}`);
  const { headers } = payload as { headers?: unknown };
  if (headers === undefined || headers === null) return {};
  if (jsonKind(headers) !== 'Object')
    throw new InitError(`Error in $.payload.headers: expected Object, but encountered ${jsonKind(headers)}`);
  const read: Record<string, string> = Object.create(null);
  for (const [name, value] of Object.entries(headers as object)) {
    if (typeof value !== 'string')
      throw new InitError(
        `Error in $.payload.headers[${JSON.stringify(name)}]: expected String, but encountered ${jsonKind(value)}`,
      );
    const lower = name.toLowerCase();
    // Which of two spellings counts must not depend on their order: joined as Node joins what a request has twice.
    read[lower] = read[lower] === undefined ? value : `${read[lower]}, ${value}`;
  }
  return read;
}

/** Errors as an endpoint writes them: `/v1/graphql` as GraphQL has them, `/v1alpha1/graphql` as all the others. */
export type ErrorShape = 'graphql' | 'plain';

/** Bytes of a close frame's reason. */
const MAX_REASON = 123;

/** The messages that a server sends in one protocol. Each is a text frame. */
export class Messages {
  readonly protocol: Protocol;
  /** Equal for sockets whose messages are equal. */
  readonly key: string;
  readonly #shape: ErrorShape;
  readonly ack = '{"type":"connection_ack"}';
  readonly keepAlive: string;
  readonly #next: string;

  constructor(protocol: Protocol, shape: ErrorShape) {
    this.protocol = protocol;
    this.key = `${protocol} ${shape}`;
    this.#shape = shape;
    this.#next = this.#isOld ? 'data' : 'next';
    this.keepAlive = this.#isOld ? '{"type":"ka"}' : '{"type":"ping","payload":{"message":"keepalive"}}';
  }

  get #isOld(): boolean {
    return this.protocol === 'graphql-ws';
  }

  pong(payload: string | undefined): string {
    return payload === undefined ? '{"type":"pong"}' : `{"type":"pong","payload":${payload}}`;
  }

  connectionError(message: string): string {
    return `{"type":"connection_error","payload":${JSON.stringify(message)}}`;
  }

  /** @param answer text of `{"data":…}` */
  result(id: string, answer: string): string {
    return `{"type":"${this.#next}","id":${JSON.stringify(id)},"payload":${answer}}`;
  }

  complete(id: string): string {
    return `{"type":"complete","id":${JSON.stringify(id)}}`;
  }

  /** An operation cannot start on this socket. */
  refusal(id: string, error: EngineError): string {
    return this.#error(id, this.#object(error));
  }

  /** An operation is wrong, or not allowed. */
  invalid(id: string, error: EngineError): string {
    const object = this.#object(error);
    if (this.#shape === 'plain') return this.#error(id, object);
    return this.#error(id, this.#isOld ? { errors: [object] } : [object]);
  }

  /** A query or mutation failed while it ran. */
  failure(id: string, error: EngineError): string {
    return this.#isOld ? this.pollFailure(id, error) : this.#error(id, [this.#object(error)]);
  }

  /** A subscription could not be read this time. It goes on, so it is not an `error`, which would end it. */
  pollFailure(id: string, error: EngineError): string {
    return this.result(id, jsonText({ data: null, errors: [this.#object(error)] }));
  }

  #error(id: string, payload: unknown): string {
    return `{"type":"error","id":${JSON.stringify(id)},"payload":${jsonText(payload)}}`;
  }

  /** Without `internal`, which is never sent over sockets. */
  #object({ message, path, code }: EngineError): object {
    return this.#shape === 'plain' ? { path, error: message, code } : { message, extensions: { path, code } };
  }
}

const shapesOf = (protocol: Protocol): Readonly<Record<ErrorShape, Messages>> => ({
  graphql: new Messages(protocol, 'graphql'),
  plain: new Messages(protocol, 'plain'),
});

/** By protocol and endpoint; all sockets share them. */
export const MESSAGES: Readonly<Record<Protocol, Readonly<Record<ErrorShape, Messages>>>> = {
  'graphql-transport-ws': shapesOf('graphql-transport-ws'),
  'graphql-ws': shapesOf('graphql-ws'),
};

/** The reason of a close frame, cut to what fits. */
export function closeReason(reason: string): string {
  if (Buffer.byteLength(reason) <= MAX_REASON) return reason;
  let end = MAX_REASON;
  const bytes = Buffer.from(reason);
  // Not within a character: its further bytes begin with 10.
  while ((bytes[end]! & 0xc0) === 0x80) end -= 1;
  return bytes.toString('utf8', 0, end);
}

/** The reason of a close frame as clients of the older servers know it. */
export function serverError(code: number, message: string): string {
  return closeReason(JSON.stringify({ server_error_msg: `${code}: ${message}` }));
}

export function startFailed(message: string): EngineError {
  return new EngineError('start-failed', message);
}
