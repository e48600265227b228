/** A webhook receiver that keeps what it is sent and answers as a test says. */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

interface ReceivedCall {
  readonly path: string;
  readonly method: string;
  readonly headers: readonly (readonly [name: string, value: string])[];
  readonly text: string;
  readonly body: unknown;
  /** Milliseconds since 1970. */
  readonly at: number;
}

type Respond = (call: ReceivedCall, response: ServerResponse, request: IncomingMessage) => void;

export interface WebhookReceiver {
  readonly url: string;
  readonly calls: ReceivedCall[];
  /** Changes the answer of calls from now on. */
  respond: Respond;
  /** Calls that have not been answered. */
  readonly open: () => number;
  close(): Promise<void>;
}

export async function startWebhook(
  respond: Respond = (_call, response) => response.end('{}'),
): Promise<WebhookReceiver> {
  const calls: ReceivedCall[] = [];
  let open = 0;
  const server = createServer((request, response) => {
    let text = '';
    request.setEncoding('utf8');
    request.on('data', (chunk: string) => {
      text += chunk;
    });
    request.on('end', () => {
      open += 1;
      response.on('close', () => {
        open -= 1;
      });
      const headers: (readonly [string, string])[] = [];
      for (let index = 0; index < request.rawHeaders.length; index += 2)
        headers.push([request.rawHeaders[index]!, request.rawHeaders[index + 1]!]);
      let body: unknown;
      try {
        body = JSON.parse(text);
      } catch {
        body = undefined;
      }
      const call = { path: request.url!, method: request.method!, headers, text, body, at: Date.now() };
      calls.push(call);
      receiver.respond(call, response, request);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const receiver: WebhookReceiver = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    calls,
    respond,
    open: () => open,
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
  return receiver;
}
