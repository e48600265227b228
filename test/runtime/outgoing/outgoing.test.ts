import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import { type AddressInfo, createServer as createTcpServer, type Server, type Socket } from 'node:net';
import { gzipSync } from 'node:zlib';
import { afterEach, describe, expect, test } from 'vitest';
import type { OutgoingError } from '../../../runtime/outgoing/error.ts';
import { createGuard } from '../../../runtime/outgoing/guard.ts';
import { headersOf, type OutgoingRequest } from '../../../runtime/outgoing/message.ts';
import { createOutgoing, type Outgoing, type OutgoingOptions } from '../../../runtime/outgoing/outgoing.ts';
import { hasOpenssl, selfSigned } from '../../harness/certificate.ts';

const open: (Outgoing | Server)[] = [];
const sockets = new Set<Socket>();

afterEach(async () => {
  for (const socket of sockets) socket.destroy();
  for (const closable of open.splice(0)) {
    if ('send' in closable) await closable.close();
    else closable.close();
  }
});

function client(options: OutgoingOptions = {}): Outgoing {
  const outgoing = createOutgoing(options);
  open.push(outgoing);
  return outgoing;
}

async function listen(server: Server): Promise<string> {
  open.push(server);
  server.on('connection', (socket: Socket) => {
    sockets.add(socket);
    socket.on('error', () => {}).on('close', () => sockets.delete(socket));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

const serve = (handler: (request: IncomingMessage, response: ServerResponse) => void) =>
  listen(createServer(handler));

/** A server that writes these bytes whatever is asked. */
const serveBytes = (write: (socket: Socket) => void) =>
  listen(createTcpServer((socket) => socket.once('data', () => write(socket))));

const request = (url: string, more: Partial<OutgoingRequest> = {}): OutgoingRequest => ({
  url,
  timeout: 30_000,
  ...more,
});

/** Kind and message of the error of a call. */
const failure = async (call: Promise<unknown>) => {
  const error = (await call.then(
    () => undefined,
    (reason) => reason,
  )) as OutgoingError | undefined;
  return error && `${error.kind}: ${error.message}`;
};

describe('a call', () => {
  test('sends exactly the given headers, repeated ones twice, and gives every header of the answer', async () => {
    let raw: readonly string[] = [];
    let body = '';
    const url = await serve((incoming, response) => {
      raw = incoming.rawHeaders;
      incoming.on('data', (chunk) => {
        body += chunk;
      });
      incoming.on('end', () => response.writeHead(201, { 'Set-Cookie': ['a=1', 'b=2'] }).end('é'));
    });
    const answer = await client().send(
      request(`${url}/path?x=1`, {
        headers: [
          ['X-Twice', 'one'],
          ['X-Twice', 'two'],
          ['Content-Length', '999'],
          ['Transfer-Encoding', 'chunked'],
        ],
        body: 'ü',
      }),
    );
    expect(answer.status).toBe(201);
    expect(answer.body.toString()).toBe('é');
    expect(headersOf(answer, 'set-cookie')).toEqual(['a=1', 'b=2']);
    expect(raw.map((text) => text.toLowerCase())).toEqual([
      ...['host', url.slice('http://'.length), 'connection', 'keep-alive'],
      ...['x-twice', 'one', 'x-twice', 'two', 'content-length', '2'],
    ]);
    expect(body).toBe('ü');
  });

  test('gives a redirect to another origin as the answer, and follows one that stays', async () => {
    const seen: string[] = [];
    const url = await serve((incoming, response) => {
      seen.push(`${incoming.method} ${incoming.url}`);
      const to: Record<string, [number, string]> = {
        '/away': [307, 'http://169.254.169.254/latest'],
        '/scheme': [307, 'https://127.0.0.1/'],
        '/here': [307, '/end'],
        '/get': [302, '/end'],
        '/circle': [307, '/circle'],
      };
      const [status, location] = to[incoming.url!] ?? [200, ''];
      response.writeHead(status, location === '' ? {} : { location }).end(incoming.method);
    });
    const outgoing = client();
    const status = async (path: string, followSameOrigin = true) =>
      (await outgoing.send(request(url + path, { followSameOrigin, body: '{}' }))).status;
    expect(await status('/away')).toBe(307);
    expect(await status('/scheme')).toBe(307);
    expect(await status('/here')).toBe(200);
    expect(await status('/get')).toBe(200);
    expect(await status('/here', false)).toBe(307);
    expect(seen).toEqual([
      'POST /away',
      'POST /scheme',
      'POST /here',
      'POST /end',
      'POST /get',
      'GET /end',
      'POST /here',
    ]);
    seen.length = 0;
    expect(await status('/circle')).toBe(307);
    expect(seen).toHaveLength(11);
  });

  test('decompresses, within the limit', async () => {
    const packed = gzipSync('x'.repeat(100_000));
    const url = await serve((_, response) =>
      response.writeHead(200, { 'content-encoding': 'gzip' }).end(packed),
    );
    const { body } = await client().send(request(url));
    expect(body.length).toBe(100_000);
    const small = client().send(request(url, { maxSize: 10_000 }));
    expect(await failure(small)).toBe('too-large: the answer has more than 10000 bytes');
    const false_ = await serve((_, response) =>
      response.writeHead(200, { 'content-encoding': 'gzip' }).end('plain'),
    );
    expect(await failure(client().send(request(false_)))).toMatch(/^failed: /);
  });
});

describe('the deadline covers', () => {
  test.each<[string, (socket: Socket) => void]>([
    ['a server that never answers', () => {}],
    ['headers without a body', (socket) => socket.write('HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n')],
    [
      'a body that drips',
      (socket) => {
        socket.write('HTTP/1.1 200 OK\r\nContent-Length: 5000\r\n\r\n');
        const timer = setInterval(() => socket.write('x'), 5);
        socket.on('close', () => clearInterval(timer));
      },
    ],
    [
      'headers that drip',
      (socket) => {
        socket.write('HTTP/1.1 200 OK\r\nX: ');
        const timer = setInterval(() => socket.write('x'), 5);
        socket.on('close', () => clearInterval(timer));
      },
    ],
  ])('%s, and closes the connection', async (_, write) => {
    const url = await serveBytes(write);
    expect(await failure(client().send(request(url, { timeout: 500 })))).toBe(
      'timeout: no complete answer in time',
    );
    await expect.poll(() => sockets.size).toBe(0);
  });

  test('a TLS handshake that never ends', async () => {
    const url = await serveBytes(() => {});
    const call = client().send(request(url.replace('http:', 'https:'), { timeout: 60 }));
    expect(await failure(call)).toBe('timeout: no complete answer in time');
  });

  test('waiting for a place', async () => {
    const url = await serve(() => {});
    const outgoing = client({ limits: { running: 1, waiting: 5 } });
    const first = outgoing.send(request(url, { timeout: 200 }));
    const second = outgoing.send(request(url, { timeout: 50 }));
    expect(await failure(second)).toBe('timeout: no complete answer in time');
    expect(await failure(first)).toBe('timeout: no complete answer in time');
  });
});

function deferred(): { promise: Promise<void>; resolve: () => void } {
  let resolve = () => {};
  const promise = new Promise<void>((done) => {
    resolve = done;
  });
  return { promise, resolve };
}

describe('an answer', () => {
  test.each<[string, (socket: Socket) => void, RegExp]>([
    ['that is reset', (socket) => socket.resetAndDestroy(), /^failed: /],
    ['that is no HTTP', (socket) => socket.end('hello\r\n\r\n'), /^failed: the answer is not HTTP \(HPE_/],
    [
      'that ends early',
      (socket) => socket.end('HTTP/1.1 200 OK\r\nContent-Length: 50\r\n\r\nabc'),
      /^failed: /,
    ],
    [
      'that announces too much',
      (socket) => socket.write('HTTP/1.1 200 OK\r\nContent-Length: 1001\r\n\r\n'),
      /^too-large: the answer has more than 1000 bytes$/,
    ],
    [
      'that is too large without announcing it',
      (socket) => {
        socket.write('HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n');
        const chunk = `200\r\n${'x'.repeat(0x200)}\r\n`;
        const timer = setInterval(() => socket.write(chunk), 1);
        socket.on('close', () => clearInterval(timer));
      },
      /^too-large: the answer has more than 1000 bytes$/,
    ],
    [
      'with endless headers',
      (socket) => {
        const timer = setInterval(() => socket.write(`X-${Math.random()}: ${'x'.repeat(1000)}\r\n`), 1);
        socket.write('HTTP/1.1 200 OK\r\n');
        socket.on('close', () => clearInterval(timer));
      },
      /^failed: /,
    ],
  ])('%s is an error, and the client goes on', async (_, write, expected) => {
    let hostile = true;
    const url = await serveBytes((socket) => {
      if (hostile) write(socket);
      else socket.end('HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok');
    });
    const outgoing = client({ limits: { running: 1, waiting: 1 } });
    expect(await failure(outgoing.send(request(url, { maxSize: 1000 })))).toMatch(expected);
    hostile = false;
    const { body } = await outgoing.send(request(url));
    expect(body.toString()).toBe('ok');
  });
});

describe('the bulkhead', () => {
  test('refuses what is beyond its places, and leaves other hosts alone', async () => {
    const held: ServerResponse[] = [];
    let reached = deferred();
    const busy = await serve((_, response) => {
      held.push(response);
      reached.resolve();
    });
    const free = await serve((_, response) => response.end('free'));
    const outgoing = client({ limits: { running: 1, waiting: 1 } });
    const first = outgoing.send(request(busy));
    await reached.promise;
    const second = outgoing.send(request(busy));
    expect(await failure(outgoing.send(request(busy)))).toBe(
      'overloaded: too many calls to this host are waiting: 1 wait while 1 run',
    );
    expect((await outgoing.send(request(free))).body.toString()).toBe('free');
    reached = deferred();
    held.pop()!.end('1');
    expect((await first).body.toString()).toBe('1');
    await reached.promise;
    held.pop()!.end('2');
    expect((await second).body.toString()).toBe('2');
  });

  test('gives its place back when the caller cancels, and closes the connection', async () => {
    const closed = deferred();
    let calls = 0;
    const url = await serve((incoming, response) => {
      calls += 1;
      if (calls > 1) response.end('second');
      else incoming.socket.on('close', () => closed.resolve());
    });
    const outgoing = client({ limits: { running: 1, waiting: 1 } });
    let isGone = false;
    const waiting = new Set<() => void>();
    const whenUnwanted = (cancel: () => void) => {
      if (isGone) cancel();
      waiting.add(cancel);
      return () => waiting.delete(cancel);
    };
    const first = outgoing.send(request(url, { whenUnwanted }));
    const second = outgoing.send(request(url));
    while (calls === 0) await new Promise((resolve) => setImmediate(resolve));
    isGone = true;
    for (const cancel of waiting) cancel();
    expect(await failure(first)).toBe('cancelled: the call was cancelled');
    await closed.promise;
    expect((await second).body.toString()).toBe('second');
    expect(waiting.size).toBe(0);
    expect(await failure(outgoing.send(request(url, { whenUnwanted })))).toBe(
      'cancelled: the call was cancelled',
    );
    expect(calls).toBe(2);
  });
});

describe('targets', () => {
  const send = (options: OutgoingOptions, url: string) => failure(client(options).send(request(url)));
  const REFUSED =
    'refused: outgoing calls to this target are not allowed (options outgoing-allow and outgoing-deny)';

  test.each([
    'http://169.254.169.254/latest/meta-data',
    'http://[fe80::1]/',
    'http://[fd00:ec2::254]/',
    'http://[::ffff:169.254.169.254]/',
    'http://[64:ff9b::169.254.169.254]/',
    'http://0xa9fea9fe/',
    'http://2852039166/',
    'http://169.254.169.254./',
    'http://100.100.100.200/',
  ])('%s is always refused', async (url) => {
    expect(await send({ allow: ['0.0.0.0/0', '::/0', '*.254'] }, url)).toBe(REFUSED);
  });

  test.each([
    ...['10.1.2.3', '[::ffff:10.1.2.3]', '[::10.1.2.3]', '[::ffff:0:10.1.2.3]', '[64:ff9b::10.1.2.3]'],
    ...[
      '[64:ff9b:1:7::10.1.2.3]',
      '[2002:a01:203::1]',
      '0.0.0.0',
      '0',
      '[::]',
      '[::ffff:0.0.0.0]',
      '[64:ff9b::]',
    ],
  ])('%s is refused where the IPv4 address that it reaches is', async (host) => {
    const url = `http://${host}/`;
    const guard = (deny: string) => createGuard({ allow: [], deny: [deny] });
    expect(await send({ deny: ['10.0.0.0/8', '127.0.0.0/8'] }, url)).toBe(REFUSED);
    expect(() => guard('11.0.0.0/8').checkHost(new URL(url).hostname)).not.toThrow();
  });

  test('a name that leads to a refused address is refused after DNS', async () => {
    const url = await serve((_, response) => response.end('local'));
    const named = url.replace('127.0.0.1', 'localhost');
    expect(await send({ deny: ['127.0.0.0/8', '::1'] }, named)).toBe(REFUSED);
    expect(await send({ deny: ['localhost'] }, named)).toBe(REFUSED);
    expect(await send({ deny: ['LOCALHOST'] }, named.replace('localhost', 'localhost.'))).toBe(REFUSED);
    expect(await send({ deny: ['127.0.0.0/8'] }, url)).toBe(REFUSED);
    expect(await send({ deny: ['other.example'] }, named)).toBeUndefined();
  });

  test('only those on the list are called when there is one', async () => {
    const url = await serve((_, response) => response.end('local'));
    const named = url.replace('127.0.0.1', 'localhost');
    expect(await send({ allow: ['localhost'] }, named)).toBeUndefined();
    expect(await send({ allow: ['127.0.0.0/8'] }, named)).toBeUndefined();
    expect(await send({ allow: ['127.0.0.0/8'] }, url)).toBeUndefined();
    expect(await send({ allow: ['localhost'] }, url)).toBe(REFUSED);
    expect(await send({ allow: ['*.example.com'] }, named)).toBe(REFUSED);
    expect(await send({ allow: ['10.0.0.0/8'] }, named)).toBe(REFUSED);
    expect(await send({ allow: ['localhost'], deny: ['127.0.0.1'] }, named)).toBe(REFUSED);
  });

  test('entries that cannot be read are named', () => {
    for (const entry of ['10.0.0.0/33', '10.0.0.0/', 'a b', '*', 'http://x']) {
      expect(() => createOutgoing({ deny: [entry] })).toThrow(`"${entry}"`);
    }
  });

  test('errors hold neither the address nor its secrets', async () => {
    const url = await serve((_, response) => response.end());
    const outgoing = client();
    const secret = 'key-in-the-address';
    const failures = [
      await failure(outgoing.send(request(`http://127.0.0.1:1/?k=${secret}`))),
      await failure(outgoing.send(request(`http://${secret}.invalid/`))),
      await failure(outgoing.send(request(`http://user:${secret}@127.0.0.1/`))),
      await failure(outgoing.send(request(`ftp://${secret}/`))),
      await failure(outgoing.send(request(secret))),
      await failure(outgoing.send(request(url, { headers: [['X-Key', `${secret}\r\nX-Evil: 1`]] }))),
    ];
    expect(failures).not.toContain(undefined);
    expect(failures.join('\n')).not.toContain(secret);
    expect(failures[0]).toBe('failed: the connection was refused (ECONNREFUSED)');
    expect(failures[5]).toBe(
      'header: the header "X-Key" cannot be sent: its value has the control character U+000D at position 19. Headers are one line of text: remove the character where the value is set.',
    );
  });
});

test('closing cancels what runs', async () => {
  const reached = deferred();
  const url = await serve(() => reached.resolve());
  const outgoing = client({ limits: { running: 1, waiting: 1 } });
  const calls = [failure(outgoing.send(request(url))), failure(outgoing.send(request(url)))];
  await reached.promise;
  await outgoing.close();
  expect(await Promise.all(calls)).toEqual(Array(2).fill('cancelled: the server is stopping'));
  expect(await failure(outgoing.send(request(url)))).toBe('cancelled: the server is stopping');
});

describe('a certificate that nobody signed', () => {
  test.skipIf(!hasOpenssl)(
    'is accepted for listed hosts only, and no longer when the list changes',
    async () => {
      const server = createTlsServer(selfSigned(), (_, response) => response.end('{}'));
      const { port } = new URL(await listen(server as unknown as Server));
      let list: { host: string; suffix?: string }[] = [];
      const outgoing = client({ unverified: () => list });
      const status = (path = '/hooks/one', host = 'localhost') =>
        outgoing.send(request(`https://${host}:${port}${path}`)).then(
          (answer) => answer.status,
          ({ code }: OutgoingError) => code,
        );
      expect(await status()).toBe('DEPTH_ZERO_SELF_SIGNED_CERT');
      for (const entry of [{ host: 'localhost' }, { host: 'LOCALHOST', suffix: String(port) }]) {
        list = [entry];
        expect(await status()).toBe(200);
      }
      list = [{ host: 'localhost', suffix: '/hooks' }];
      expect(await status()).toBe(200);
      // Connections that were made without verification are not used for calls with it.
      expect(await status('/hooksome')).toBe('DEPTH_ZERO_SELF_SIGNED_CERT');
      for (const entry of [{ host: 'localhost', suffix: '1' }, { host: 'ocalhost' }]) {
        list = [entry];
        expect(await status()).toBe('DEPTH_ZERO_SELF_SIGNED_CERT');
      }
    },
  );
});
