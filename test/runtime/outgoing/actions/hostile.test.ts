/** Handlers that misbehave: the client gets an error in time, without addresses or secrets, and the server goes on. */
import { createServer, type Server, type Socket } from 'node:net';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { confidential, leaks, send, serve, type TestServer } from '../../../harness/server.ts';

const ADMIN = 'the-admin-secret-of-hostile-handlers';
const KEY = 'key-of-hostile-handlers';
const MEGABYTE = 1024 * 1024;

let behave: (socket: Socket) => void = () => {};
let listener: Server;
let server: TestServer;

beforeAll(async () => {
  confidential.add(ADMIN).add(KEY);
  listener = createServer((socket) => {
    socket.on('error', () => {});
    socket.once('data', () => behave(socket));
  });
  await new Promise<void>((resolve) => listener.listen(0, '127.0.0.1', resolve));
  const { port } = listener.address() as { port: number };
  const definition = {
    type: 'query',
    handler: '{{HANDLER}}',
    output_type: 'Tree',
    timeout: 60,
    headers: [{ name: 'X-Key', value_from_env: 'KEY' }],
  };
  server = await serve({
    metadata: {
      version: 3,
      sources: [],
      custom_types: {
        scalars: [{ name: 'Any' }],
        objects: [
          {
            name: 'Tree',
            fields: [
              { name: 'n', type: 'Int' },
              { name: 'more', type: '[Tree!]' },
              { name: 'any', type: 'Any' },
            ],
          },
        ],
      },
      actions: [
        { name: 'tree', definition, permissions: [{ role: 'user' }] },
        { name: 'hasty', definition: { ...definition, timeout: 1 }, permissions: [{ role: 'user' }] },
      ],
    },
    options: { ADMIN_SECRET: ADMIN },
    variables: { HANDLER: `http://127.0.0.1:${port}/path-${KEY}`, KEY },
  });
});

afterAll(async () => {
  await server?.stop();
  listener?.close();
  expect(leaks()).toEqual([]);
});

async function ask(field = 'tree', role = 'user') {
  const { json, text } = await send(server, '/v1/graphql', {
    headers: { 'x-engine-admin-secret': ADMIN, 'x-engine-role': role },
    body: { query: `{ ${field} { n any more { n more { n } } } }` },
  });
  const { data, errors } = json as {
    readonly data?: unknown;
    readonly errors?: readonly { readonly message: string; readonly extensions: object }[];
  };
  return { data, text, error: errors?.[0] };
}

const head = (length: number | string, type = 'application/json', status = '200 OK') =>
  `HTTP/1.1 ${status}\r\nContent-Type: ${type}\r\nContent-Length: ${length}\r\nConnection: close\r\n\r\n`;
const answer = (body: string, type?: string, status?: string) => (socket: Socket) =>
  socket.end(head(Buffer.byteLength(body), type, status) + body);

function drip(socket: Socket, begin: string): void {
  socket.write(begin);
  const timer = setInterval(() => socket.write(' '), 5);
  socket.on('close', () => clearInterval(timer));
}

function stream(socket: Socket, total: number): void {
  socket.write('HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n');
  const chunk = `${MEGABYTE.toString(16)}\r\n${' '.repeat(MEGABYTE)}\r\n`;
  let sent = 0;
  const more = () => {
    while (!socket.destroyed && sent < total) {
      sent += MEGABYTE;
      if (!socket.write(chunk)) return void socket.once('drain', more);
    }
  };
  more();
}

const NO_ANSWER = 'http exception when calling webhook';
const NO_JSON = 'not a valid json response from webhook';
const deep = (levels: number) => `{"more":[`.repeat(levels) + `]}`.repeat(levels);

describe('a handler that', () => {
  test.each<[string, (socket: Socket) => void, string, action?: string]>([
    ['hangs', () => {}, NO_ANSWER, 'hasty'],
    ['drips headers', (socket) => drip(socket, 'HTTP/1.1 200 OK\r\nX: '), NO_ANSWER, 'hasty'],
    ['drips its body', (socket) => drip(socket, head(100_000)), NO_ANSWER, 'hasty'],
    ['resets the connection', (socket) => socket.resetAndDestroy(), NO_ANSWER],
    [
      'resets it within the body',
      (socket) => socket.write(`${head(50)}{"n":`, () => socket.resetAndDestroy()),
      NO_ANSWER,
    ],
    ['says more than it sends', (socket) => socket.end(`${head(50)}{"n":1}`), NO_ANSWER],
    ['sends more than it says', (socket) => socket.end(`${head(3)}{"n":1}`), NO_JSON],
    ['has a negative length', (socket) => socket.end(`${head(-1)}{"n":1}`), NO_ANSWER],
    ['is no HTTP server', (socket) => socket.end('SSH-2.0-OpenSSH\r\n'), NO_ANSWER],
    ['answers HTML', answer('<html>gateway</html>', 'text/html', '502 Bad Gateway'), NO_JSON],
    ['answers nothing', answer(''), NO_JSON],
    [
      'answers text that is not UTF-8',
      (socket) => socket.end(Buffer.concat([Buffer.from(head(1)), Buffer.from([0xff])])),
      NO_JSON,
    ],
    ['announces 100 MB', (socket) => socket.write(head(100 * MEGABYTE)), NO_ANSWER],
    ['answers an array', answer('[{}]'), 'got array for the action webhook response, expecting Tree'],
    [
      'answers another type deep inside',
      answer('{"more":[{"more":[{"n":"x"}]}]}'),
      'got scalar String for the action webhook response, expecting Int',
    ],
    [
      'answers null deep inside',
      answer('{"more":[{"more":[null]}]}'),
      'got null for the action webhook response',
    ],
    ['nests deeper than can be checked', answer(deep(100_000)), 'a value is nested too deeply'],
    [
      'redirects to the metadata address',
      (socket) =>
        socket.end(
          'HTTP/1.1 302 Found\r\nLocation: http://169.254.169.254/\r\nContent-Length: 2\r\nConnection: close\r\n\r\n{}',
        ),
      'internal error',
    ],
  ])('%s gives an error without details', async (_, act, message, action = 'tree') => {
    behave = act;
    const { error, text } = await ask(action);
    expect(error?.message).toBe(message);
    expect(Object.keys(error!.extensions).sort()).toEqual(['code', 'path']);
    expect(text).not.toContain('127.0.0.1');
    const admin = await ask(action, 'admin');
    expect(admin.text).not.toContain(KEY);
    behave = answer('{"n":1}');
    expect((await ask()).data).toMatchObject({ tree: { n: 1 } });
  });

  test('streams 100 MB is cut off', async () => {
    behave = (socket) => stream(socket, 100 * MEGABYTE);
    expect((await ask()).error?.message).toBe(NO_ANSWER);
    behave = answer('{"n":1}');
    expect((await ask()).data).toMatchObject({ tree: { n: 1 } });
  });

  test('answers odd keys reaches nothing but its own type', async () => {
    behave = answer('{"__proto__":{"n":7},"constructor":{"n":8},"any":{"__proto__":{"x":1}},"more":null}');
    expect((await ask()).text).toBe('{"data":{"tree":{"n":null,"any":{"__proto__":{"x":1}},"more":null}}}');
  });
});
