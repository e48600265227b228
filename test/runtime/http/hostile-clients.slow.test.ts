/** Clients that are slow, or ask for too much, while another client is answered. */
import { get } from 'node:http';
import { connect, type Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import WebSocket from 'ws';
import { createTestDatabase, type TestDatabase } from '../../harness/postgres.ts';
import { send, startTestServer, type TestServer } from '../../harness/server.ts';

/** Milliseconds that another client may wait for one answer: far above what is usual, far below being held up. */
const TIMEOUT = 20_000;

let database: TestDatabase;
let server: TestServer;
const servers: TestServer[] = [];

async function start(options: Record<string, string> = {}): Promise<TestServer> {
  const started = await startTestServer(database, options);
  servers.push(started);
  return started;
}

beforeAll(async () => {
  database = await createTestDatabase(`
    create table note (id int primary key, title text not null);
    insert into note select i, repeat('x', 2000) || i from generate_series(1, 20) i;
  `);
  server = await start({ REQUEST_HEADER_TIMEOUT: '2', REQUEST_TIMEOUT: '3' });
  const permission = { columns: '*', filter: {} };
  const { status, text } = await send(server, '/v1/metadata', {
    body: {
      type: 'bulk',
      args: [
        { type: 'pg_track_table', args: { table: 'note' } },
        { type: 'pg_create_select_permission', args: { table: 'note', role: 'user', permission } },
        { type: 'pg_create_select_permission', args: { table: 'note', role: 'attacker', permission } },
        {
          type: 'set_api_limits',
          args: { disabled: false, time_limit: { global: 600, per_role: { attacker: 1 } } },
        },
      ],
    },
  });
  expect(status, text).toBe(200);
});

afterAll(async () => {
  for (const each of servers) await each.stop();
});

/** Runs something while another client asks; none of its requests may fail, or wait for long. */
async function besideAnother<Result>(attack: () => Promise<Result>): Promise<Result> {
  let running = true;
  let longest = 0;
  let asked = 0;
  const asking = (async () => {
    while (running) {
      const begin = performance.now();
      const { json } = await asUser({ query: '{ note(where: {id: {_eq: 1}}) { id } }' });
      longest = Math.max(longest, performance.now() - begin);
      expect(json).toEqual({ data: { note: [{ id: 1 }] } });
      asked += 1;
      await delay(20);
    }
  })();
  try {
    return await attack();
  } finally {
    running = false;
    await asking;
    expect(asked).toBeGreaterThan(0);
    expect(longest).toBeLessThan(TIMEOUT);
  }
}

const asUser = (body: object | string, role = 'user') =>
  send(server, '/v1/graphql', { headers: { 'x-engine-role': role }, body });
const asAttacker = (body: object | string) => asUser(body, 'attacker');

/** Opens connections that send the texts in turn, one each half second, until they are closed; yields what they got. */
function trickle(count: number, texts: readonly string[]): Promise<readonly string[]> {
  return Promise.all(
    Array.from({ length: count }, async () => {
      const socket = open();
      let got = '';
      let closed = false;
      socket.on('data', (chunk) => {
        got += chunk;
      });
      const end = new Promise<void>((resolve) => socket.once('close', () => resolve()));
      void end.then(() => {
        closed = true;
      });
      for (const text of texts) {
        if (closed) break;
        socket.write(text);
        await Promise.race([end, delay(500)]);
      }
      await end;
      return got;
    }),
  );
}

function open(port = server.port): Socket {
  const socket = connect(port, '127.0.0.1');
  socket.on('error', () => {});
  return socket;
}

describe('slow clients are ended', () => {
  test('whose headers do not arrive in time', async () => {
    const texts = [
      'POST /v1/graphql HTTP/1.1\r\n',
      ...Array.from({ length: 100 }, (_, i) => `X-${i}: x\r\n`),
    ];
    const answers = await besideAnother(() => trickle(50, texts));
    for (const answer of answers) expect(answer).toMatch(/^HTTP\/1.1 408 /);
  });

  test('whose bodies do not arrive in time', async () => {
    const head = 'POST /v1/graphql HTTP/1.1\r\nHost: x\r\nContent-Length: 100000\r\n\r\n';
    const answers = await besideAnother(() => trickle(50, [head, ...Array.from({ length: 100 }, () => ' ')]));
    for (const answer of answers) expect(answer).toMatch(/^HTTP\/1.1 408 /);
  });

  test('that connect and send nothing', async () => {
    await besideAnother(() => trickle(50, []));
  });
});

function statusFrom(localAddress: string, port: number): Promise<number> {
  return new Promise((resolve, reject) => {
    const options = { host: '127.0.0.1', port, localAddress, path: '/v1/version', agent: false };
    get(options, (response) => resolve(response.resume().statusCode!)).on('error', reject);
  });
}

describe('open connections', () => {
  test('of one address are limited where that is configured, websockets included', async () => {
    const limited = await start({ MAX_CONNECTIONS_PER_ADDRESS: '3' });
    const version = () => send(limited, '/v1/version', { method: 'GET' }).then(({ status }) => status);
    expect(await version()).toBe(200);
    const socket = new WebSocket(`ws://127.0.0.1:${limited.port}/v1/graphql`, 'graphql-transport-ws');
    await new Promise((resolve) => socket.once('open', resolve));
    const idle = [open(limited.port), open(limited.port)];
    await expect.poll(version).toBe(429);
    expect(await version()).toBe(429);
    // Clients of another address are answered.
    expect(await statusFrom('127.0.0.2', limited.port)).toBe(200);
    idle[0]!.destroy();
    await expect.poll(version).toBe(200);
    for (const each of idle) each.destroy();
    socket.terminate();
  });

  test('are not limited by default', async () => {
    const sockets = Array.from({ length: 300 }, () => open());
    const { status } = await send(server, '/v1/version', { method: 'GET' });
    expect(status).toBe(200);
    for (const socket of sockets) socket.destroy();
  });
});

describe('requests that ask for much', () => {
  const many = (count: number, item: (index: number) => string) =>
    Array.from({ length: count }, (_, index) => item(index)).join(' ');

  test('a batch of thousands that no database slows down', async () => {
    const batch = Array.from({ length: 20_000 }, (_, index) => ({
      query: `{ a${index % 500}: __typename }`,
    }));
    const { json } = await besideAnother(() => asAttacker(batch));
    expect(json).toHaveLength(20_000);
  });

  test('a batch of thousands of reads', async () => {
    const batch = Array.from({ length: 2000 }, (_, id) => ({
      query: `{ note(where: {id: {_eq: ${id}}}) { id } }`,
    }));
    const { json } = await besideAnother(() => asAttacker(batch));
    expect(json).toHaveLength(2000);
  });

  test.each<[string, object | string]>([
    ['10,000 aliases of a column', { query: `{ note { ${many(10_000, (index) => `a${index}: id`)} } }` }],
    ['10,000 aliases of a root field', { query: `{ ${many(10_000, (index) => `a${index}: note { id }`)} }` }],
    [
      '10,000 aliases of a root field with arguments',
      {
        query: `{ ${many(5000, (index) => `a${index}: note(where: {id: {_eq: ${index}}}, limit: 1) { id title }`)} }`,
      },
    ],
    [
      'a list of 20,000 values in the document',
      { query: `{ note(where: {id: {_in: [${many(20_000, String)}]}}) { id } }` },
    ],
    [
      'a list of 500,000 values',
      {
        query: 'query ($ids: [Int!]) { note(where: {id: {_in: $ids}}) { id } }',
        variables: { ids: Array.from({ length: 500_000 }, (_, index) => index) },
      },
    ],
    [
      'conditions nested 100,000 deep in a variable',
      `{"query":"query ($w: note_bool_exp) { note(where: $w) { id } }","variables":{"w":${'{"_not":'.repeat(100_000)}{}${'}'.repeat(100_000)}}}`,
    ],
    ['fields nested 20,000 deep', { query: `${'{ note '.repeat(20_000)}{ id }${' }'.repeat(20_000)}` }],
    ['arrays nested 2,000,000 deep', `{"query":"{ note { id } }","variables":${'['.repeat(2_000_000)}`],
    ['arrays nested 1,000,000 deep, closed', `{"query":${'['.repeat(1_000_000)}${']'.repeat(1_000_000)}}`],
    [
      'a value nested 200,000 deep',
      `{"query":"query ($t: String) { note(where: {title: {_eq: $t}}) { id } }","variables":{"t":${'['.repeat(200_000)}${']'.repeat(200_000)}}}`,
    ],
    ['a number of a million digits', `{"query":"{ note(limit: ${'9'.repeat(1_000_000)}) { id } }"}`],
  ])('%s', async (_name, body) => {
    const { status, json } = await besideAnother(() => asAttacker(body));
    expect(status).toBeLessThan(500);
    expect(JSON.stringify(json)).not.toContain('Internal Server Error');
  });

  test('regular expressions that take for ever, sixty at a time', async () => {
    // The number of characters is odd, which Postgres finds out by trying.
    const variables = { pattern: String.raw`^(x*)(x*)(x*)(x*)\1\2\3\4\d+$` };
    const query = 'query ($pattern: String) { note(where: {title: {_regex: $pattern}}) { id } }';
    const answers = await besideAnother(() =>
      Promise.all(Array.from({ length: 60 }, () => asAttacker({ query, variables }))),
    );
    for (const { json } of answers)
      expect(json).toMatchObject({ errors: [{ extensions: { code: 'timeout' } }] });
  });
});
