/** Clients that send cases as bytes and keep what comes back. */
import { connect, type Socket } from 'node:net';
import type { HttpCase } from './bodies.ts';
import { frame, GOODBYE, type SocketCase } from './frames.ts';

/** Milliseconds after which a client gives up; what keeps it waiting is found by other means. */
const TIMEOUT = 20_000;

const END = frame(1, Buffer.from('{"type":"start","id":"end","payload":{"query":"{ __typename }"}}'));
const LAST = Buffer.from('GET /livez HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n');

/** Sends the frames of one client, waits for the answer to a query behind them and takes leave. */
export function sendFrames(port: number, { head, frames, isCut }: SocketCase): Promise<Buffer> {
  return converse(port, (socket) => {
    socket.write(Buffer.concat([head, ...frames, ...(isCut ? [] : [END])]));
    if (isCut) socket.end();
    let last = '';
    return (chunk) => {
      last = last.slice(-20) + chunk.toString('latin1');
      // The answer, or a close frame of the server, which is to be answered; another byte of that value does no harm.
      if (!last.includes('"id":"end","payload"') && !chunk.includes(0x88)) return;
      last = '';
      socket.end(GOODBYE);
    };
  });
}

/**
 * Sends requests behind each other on one connection; only the last may be one after which nothing can be read.
 * @param leaves the client does not wait for more than the first bytes of the first answer
 */
export function sendRequests(port: number, cases: readonly HttpCase[], leaves: boolean): Promise<Buffer> {
  const isFramed = cases.every((each) => each.isFramed);
  return converse(port, (socket) => {
    socket.write(Buffer.concat([...cases.map(({ bytes }) => bytes), ...(isFramed ? [LAST] : [])]));
    if (!isFramed) socket.end();
    return () => {
      if (leaves) socket.resetAndDestroy();
    };
  });
}

function converse(port: number, begin: (socket: Socket) => (chunk: Buffer) => void): Promise<Buffer> {
  return new Promise((resolve) => {
    const chunks: Buffer[] = [];
    const socket = connect({ port, host: '127.0.0.1', allowHalfOpen: true });
    const timer = setTimeout(() => socket.resetAndDestroy(), TIMEOUT);
    const take = begin(socket);
    socket.on('data', (chunk) => {
      chunks.push(chunk);
      take(chunk);
    });
    socket.on('error', () => {});
    socket.on('end', () => socket.resetAndDestroy());
    socket.on('close', () => {
      clearTimeout(timer);
      resolve(Buffer.concat(chunks));
    });
  });
}
