/**
 * A load generator: connections that each send the next request when the last answer is complete. It writes and reads
 * HTTP/1.1 on bare sockets, because on a machine with few cores what the generator uses the server does not get.
 */
import { connect, type Socket } from 'node:net';

export interface LoadRequest {
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  /** Absent: sent with GET. */
  readonly body?: string;
}

export interface Load {
  readonly requests: number;
  /** Seconds from the first request to the last answer. */
  readonly seconds: number;
  /** Milliseconds of each request. */
  readonly latencies: readonly number[];
}

interface Prepared {
  readonly bytes: Buffer;
  /** Length that the body of the answer must have. */
  readonly expected: number;
}

const HEADER_END = Buffer.from('\r\n\r\n');

/**
 * Sends the requests in turn for so many seconds.
 * @param pace milliseconds from one request of a connection to its next; absent: sent when the answer has come
 * @param expected bytes of each request's answer, known from a check of its content; another length is an error
 */
export async function generateLoad(
  port: number,
  requests: readonly LoadRequest[],
  expected: readonly number[],
  connections: number,
  seconds: number,
  pace?: number,
): Promise<Load> {
  const prepared = requests.map(
    (request, index): Prepared => ({
      bytes: requestBytes(request),
      expected: expected[index]!,
    }),
  );
  const sockets = await Promise.all(Array.from({ length: connections }, () => open(port)));
  let next = 0;
  const take = () => prepared[next++ % prepared.length]!;
  const latencies: number[] = [];
  const start = performance.now();
  const end = start + seconds * 1000;
  try {
    await Promise.all(sockets.map((socket) => drive(socket, take, end, latencies, pace)));
    return { requests: latencies.length, seconds: (performance.now() - start) / 1000, latencies };
  } finally {
    for (const socket of sockets) socket.destroy();
  }
}

/** Sends one request on a connection of its own and gives the body of the answer. @throws unless it is a 200 */
export async function fetchOnce(port: number, { path, headers, body }: LoadRequest): Promise<string> {
  const response = await fetch(`http://127.0.0.1:${port}${path}`, {
    method: body === undefined ? 'GET' : 'POST',
    headers: { ...headers, ...(body === undefined ? {} : { 'content-type': 'application/json' }) },
    ...(body === undefined ? {} : { body }),
  });
  const text = await response.text();
  if (response.status !== 200) throw new Error(`${path}: status ${response.status}: ${text}`);
  return text;
}

function requestBytes({ path, headers, body }: LoadRequest): Buffer {
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  const head = `${path} HTTP/1.1\r\nhost: 127.0.0.1\r\nconnection: keep-alive\r\n${lines.join('')}`;
  if (body === undefined) return Buffer.from(`GET ${head}\r\n`);
  return Buffer.from(
    `POST ${head}content-type: application/json\r\ncontent-length: ${Buffer.byteLength(body)}\r\n\r\n${body}`,
  );
}

function open(port: number): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const socket = connect({ port, host: '127.0.0.1', noDelay: true });
    socket.once('error', reject);
    socket.once('connect', () => {
      socket.off('error', reject);
      resolve(socket);
    });
  });
}

/** Request after request on one connection until the time is over. */
function drive(
  socket: Socket,
  take: () => Prepared,
  end: number,
  latencies: number[],
  pace?: number,
): Promise<void> {
  return new Promise((resolve, reject) => {
    let expected = 0;
    let sentAt = 0;
    let head: Buffer | undefined;
    /** Bytes of the body still to come; undefined while the headers are incomplete. */
    let missing: number | undefined;
    const send = () => {
      const request = take();
      expected = request.expected;
      missing = undefined;
      head = undefined;
      sentAt = performance.now();
      socket.write(request.bytes);
    };
    socket.on('error', reject);
    socket.on('close', () => reject(new Error('the server closed a connection')));
    socket.on('data', (chunk: Buffer) => {
      if (missing === undefined) {
        head = head ? Buffer.concat([head, chunk]) : chunk;
        const bodyStart = head.indexOf(HEADER_END);
        if (bodyStart < 0) return;
        const length = contentLength(head.toString('latin1', 0, bodyStart));
        if (length !== expected) {
          reject(new Error(`an answer has ${length} instead of ${expected} bytes: ${head.toString('utf8')}`));
          return;
        }
        missing = length - (head.length - bodyStart - HEADER_END.length);
      } else missing -= chunk.length;
      if (missing > 0) return;
      const now = performance.now();
      latencies.push(now - sentAt);
      if (now >= end) resolve();
      else if (pace === undefined) send();
      else setTimeout(send, Math.max(0, sentAt + pace - now));
    });
    send();
  });
}

function contentLength(head: string): number | undefined {
  const match = /\r\ncontent-length: *(\d+)/i.exec(head);
  return match ? Number(match[1]) : undefined;
}
