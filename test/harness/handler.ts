/** A web server that answers as it is told, and keeps what it was asked. */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface HandlerCall {
  readonly method: string;
  readonly url: string;
  readonly headers: IncomingMessage['headers'];
  readonly rawHeaders: readonly string[];
  readonly body: string;
  /** The body as JSON. */
  readonly json: unknown;
}

type Answer = (call: HandlerCall, response: ServerResponse) => void;

export class Handler {
  calls: HandlerCall[] = [];
  answer: Answer = (_, response) => response.end('{}');
  url = '';
  readonly #server: Server = createServer((request, response) => {
    let body = '';
    request.on('data', (chunk) => {
      body += chunk;
    });
    request.on('end', () => {
      const { method = '', url = '', headers, rawHeaders } = request;
      const call = { method, url, headers, rawHeaders, body, json: parse(body) };
      this.calls.push(call);
      this.answer(call, response);
    });
  });

  async listen(): Promise<this> {
    await new Promise<void>((resolve) => this.#server.listen(0, '127.0.0.1', resolve));
    this.url = `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
    return this;
  }

  close(): void {
    this.#server.closeAllConnections();
    this.#server.close();
  }
}

/** Answers with JSON, or with a text as it is. */
export function answering(
  answer: unknown,
  status = 200,
  headers: Record<string, string | string[]> = {},
): Answer {
  return (_, response) => {
    response.writeHead(status, headers).end(typeof answer === 'string' ? answer : JSON.stringify(answer));
  };
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
