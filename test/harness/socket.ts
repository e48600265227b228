/** A WebSocket client that does exactly what a test tells it, and remembers every message. */
import { once } from 'node:events';
import { expect } from 'vitest';
import WebSocket from 'ws';
import type { RunningServer } from '../../runtime/server/main.ts';
import { record } from './output.ts';

type Message = { readonly type: string; readonly id?: string; readonly payload?: unknown };

export interface TestSocket {
  readonly socket: WebSocket;
  /** Every message so far but keep-alive ones. */
  readonly messages: Message[];
  readonly texts: string[];
  send(message: object | string): void;
  /** The next message that nobody has asked for yet. */
  next(): Promise<Message>;
  /** Nothing comes for some milliseconds. */
  silence(milliseconds: number): Promise<void>;
  closed(): Promise<{ readonly code: number; readonly reason: string }>;
  close(): Promise<void>;
}

export interface SocketOptions {
  readonly path?: string;
  readonly protocol?: string | readonly string[];
  readonly headers?: Readonly<Record<string, string>>;
}

export const TRANSPORT = 'graphql-transport-ws';
export const LEGACY = 'graphql-ws';

/** Opens a socket and says nothing. */
export async function openSocket(server: RunningServer, options: SocketOptions = {}): Promise<TestSocket> {
  const { path = '/v1/graphql', protocol = TRANSPORT, headers = {} } = options;
  const socket = new WebSocket(`ws://127.0.0.1:${server.port}${path}`, protocol as string, { headers });
  const messages: Message[] = [];
  const texts: string[] = [];
  let taken = 0;
  const closed = new Promise<{ code: number; reason: string }>((resolve) => {
    socket.on('close', (code, reason) => resolve({ code, reason: reason.toString() }));
  });
  socket.on('message', (data) => {
    const text = String(data);
    record(text);
    const message = JSON.parse(text) as Message;
    if (message.type === 'ka' || message.type === 'ping') return;
    texts.push(text);
    messages.push(message);
  });
  socket.on('error', () => {});
  await once(socket, 'open');
  return {
    socket,
    messages,
    texts,
    send: (message) => socket.send(typeof message === 'string' ? message : JSON.stringify(message)),
    next: async () => {
      await expect.poll(() => messages.length, { interval: 5 }).toBeGreaterThan(taken);
      taken += 1;
      return messages[taken - 1]!;
    },
    silence: async (milliseconds) => {
      await new Promise((resolve) => setTimeout(resolve, milliseconds));
      expect(messages.slice(taken)).toEqual([]);
    },
    closed: () => closed,
    close: async () => {
      socket.close(1000);
      await closed;
    },
  };
}

/** As openSocket, and says who it is. */
export async function connect(
  server: RunningServer,
  options: SocketOptions & { readonly session?: Readonly<Record<string, string>> } = {},
): Promise<TestSocket> {
  const client = await openSocket(server, options);
  client.send({ type: 'connection_init', payload: { headers: options.session ?? {} } });
  expect(await client.next()).toEqual({ type: 'connection_ack' });
  return client;
}

/** What an upgrade is answered with when it is refused. */
export function refusedUpgrade(
  server: RunningServer,
  path: string,
  headers: Readonly<Record<string, string>> = {},
): Promise<{ status: number; body: unknown; headers: Readonly<Record<string, unknown>> }> {
  return new Promise((resolve, reject) => {
    const socket = new WebSocket(`ws://127.0.0.1:${server.port}${path}`, TRANSPORT, { headers });
    socket.on('error', () => {});
    socket.on('open', () => reject(new Error('the upgrade was accepted')));
    socket.on('unexpected-response', (_request, response) => {
      let text = '';
      response.on('data', (chunk) => {
        text += chunk;
      });
      response.on('end', () =>
        resolve({ status: response.statusCode!, body: JSON.parse(text), headers: response.headers }),
      );
    });
  });
}
