/** Requests and responses of the server, whose headers are UTF-8; the platform takes them for Latin-1. */
import {
  IncomingMessage,
  type OutgoingHttpHeader,
  type OutgoingHttpHeaders,
  type ServerOptions,
  ServerResponse,
} from 'node:http';
import { headerBytes, isAscii, readHeaderText } from '../core/header-text.ts';

class Request extends IncomingMessage {
  isRead = false;
}

/** Makes the headers of their raw form when they are asked for. */
const { get: makeHeaders, ...property } = Object.getOwnPropertyDescriptor(
  IncomingMessage.prototype,
  'headers',
)!;
Object.defineProperty(Request.prototype, 'headers', {
  ...property,
  get(this: Request) {
    const { rawHeaders } = this;
    if (!this.isRead && rawHeaders.length > 0) {
      this.isRead = true;
      for (let index = 1; index < rawHeaders.length; index += 2)
        rawHeaders[index] = readHeaderText(rawHeaders[index]!);
    }
    return makeHeaders!.call(this);
  },
});

class Response<Asked extends IncomingMessage = IncomingMessage> extends ServerResponse<Asked> {
  #isAscii = true;

  /** The one way by which endpoints set headers. */
  override writeHead(status: number, ...given: unknown[]): this {
    const headers = given.at(-1) as OutgoingHttpHeaders | null;
    if (typeof headers !== 'object' || headers === null || Object.values(headers).every(isAsciiHeader))
      return super.writeHead(status, ...(given as []));
    this.#isAscii = false;
    const encoded: OutgoingHttpHeaders = {};
    for (const [name, value] of Object.entries(headers)) encoded[name] = encode(value);
    return super.writeHead(status, ...([...given.slice(0, -1), encoded] as [OutgoingHttpHeaders]));
  }

  // The platform writes the headers together with a text and in its encoding, which is faster, but alone before bytes.
  override end(chunk?: unknown, ...rest: unknown[]): this {
    const isText = typeof chunk === 'string' && !this.#isAscii;
    return super.end(isText ? Buffer.from(chunk) : chunk, ...(rest as []));
  }
}

function isAsciiHeader(value: OutgoingHttpHeader | undefined): boolean {
  return Array.isArray(value) ? value.every(isAscii) : typeof value !== 'string' || isAscii(value);
}

function encode(value: OutgoingHttpHeader | undefined): OutgoingHttpHeader | undefined {
  if (typeof value === 'string') return headerBytes(value);
  return Array.isArray(value) ? value.map(headerBytes) : value;
}

/** Has a server of the platform read and write headers as UTF-8. */
export const UTF8_HEADERS: Pick<ServerOptions, 'IncomingMessage' | 'ServerResponse'> = {
  IncomingMessage: Request,
  ServerResponse: Response,
};
