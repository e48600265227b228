/** Requests that go around Fastify are answered and logged as those that go through it. */
import { connect } from 'node:net';
import { gunzipSync } from 'node:zlib';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { confidential, serve, type TestServer } from '../../harness/server.ts';

const ADMIN = 'the-admin-secret-of-both-ways';
/** A parameter of the type makes a request one for Fastify. */
const TYPES = { direct: 'application/json', fastify: 'application/json; of=fastify' };

interface Case {
  readonly body: string | object;
  readonly headers?: Readonly<Record<string, string>>;
  readonly status?: number;
  readonly contains: string;
}

const admin = { 'x-engine-admin-secret': ADMIN };
const long = 'x'.repeat(3000);

const CASES: Readonly<Record<string, Case>> = {
  'a read': {
    body: { query: '{ note(order_by: {id: asc}) { id text } }' },
    headers: admin,
    contains: '{"data":{"note":[{"id":1,"text":"öne"}]}}',
  },
  'a read as a role': {
    body: { query: '{ note { id } }' },
    headers: { ...admin, 'x-engine-role': 'reader', 'x-request-id': 'given' },
    contains: 'validation-failed',
  },
  'a write that fails': {
    body: { query: 'mutation { insert_note_one(object: {id: 1, text: "two"}) { id } }' },
    headers: admin,
    contains: 'constraint-violation',
  },
  'a batch': {
    body: [{ query: '{ note { id } }' }, { query: '{ wrong }' }],
    headers: admin,
    contains: '[{"data":{"note":[{"id":1}]}},{"errors":',
  },
  'no operation': { body: {}, headers: admin, contains: 'key \\"query\\" not found' },
  'no JSON': { body: '{"query": ', headers: admin, contains: 'invalid-json' },
  'a blank body': { body: ' ', headers: admin, contains: 'not enough input' },
  'no secret': { body: { query: '{ note { id } }' }, status: 401, contains: 'access-denied' },
  'a body that is too large': {
    body: { query: `{ note(where: {text: {_eq: "${'x'.repeat(20_000)}"}}) { id } }` },
    headers: admin,
    status: 413,
    contains: 'the request body is larger than 10000 bytes',
  },
  'an answer that is compressed': {
    body: { query: `{ note { ${Array.from({ length: 90 }, (_, n) => `text_${n}: text`).join(' ')} } }` },
    headers: { ...admin, 'accept-encoding': 'gzip' },
    contains: '"text_89":"öne"',
  },
  'the type of the standard': {
    body: { query: '{ wrong }' },
    headers: { ...admin, accept: 'application/graphql-response+json' },
    status: 400,
    contains: 'validation-failed',
  },
  'a long text': {
    body: {
      query: `query ($text: String!) { note(where: {text: {_eq: $text}}) { id } }`,
      variables: { text: long },
    },
    headers: admin,
    contains: '{"data":{"note":[]}}',
  },
};

let server: TestServer;

beforeAll(async () => {
  confidential.add(ADMIN);
  server = await serve({
    sql: `
    create table note (id int primary key, text text);
    insert into note values (1, 'öne');
  `,
    options: { ADMIN_SECRET: ADMIN, MAX_REQUEST_BODY_SIZE: '10000', PRESERVE_401_ERRORS: 'true' },
  });
  const body = JSON.stringify({ type: 'pg_track_table', args: { source: 'default', table: 'note' } });
  await exchange([requestBytes('/v1/metadata', TYPES.direct, { body, headers: admin })]);
});

afterAll(async () => {
  await server.stop();
  await server.database.drop();
});

for (const [name, each] of Object.entries(CASES)) {
  test(`${name} is the same both ways`, async () => {
    const answers = [];
    for (const type of Object.values(TYPES)) {
      const [answer] = await exchange([requestBytes('/v1/graphql', type, each)]);
      expect(answer!.body).toContain(each.contains);
      expect(answer!.status).toBe(each.status ?? 200);
      answers.push({ ...answer!, log: await logLine(answer!.headers['x-request-id']!) });
    }
    const [direct, through] = answers.map(comparable);
    expect(direct).toEqual(through);
  });
}

test('bodies that arrive in pieces, and requests that are sent before the answer', async () => {
  const bytes = requestBytes('/v1/graphql', TYPES.direct, CASES['a read']!);
  const pieces = Array.from(bytes, (_, at) => bytes.subarray(at, at + 1));
  const answers = await exchange([...pieces, Buffer.concat([bytes, bytes])], 3);
  expect(answers.map(({ body }) => body)).toEqual(Array(3).fill(CASES['a read']!.contains));
});

test('a client that leaves in the middle of its body leaves the server alone', async () => {
  const bytes = requestBytes('/v1/graphql', TYPES.direct, CASES['a read']!);
  const socket = connect(server.port, '127.0.0.1');
  await new Promise<void>((sent) => socket.write(bytes.subarray(0, -5), () => sent()));
  socket.destroy();
  const [answer] = await exchange([bytes]);
  expect(answer!.status).toBe(200);
});

function requestBytes(
  path: string,
  type: string,
  { body, headers = {} }: Pick<Case, 'body' | 'headers'>,
): Buffer {
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  const all = { host: 'server', 'content-type': type, 'content-length': Buffer.byteLength(text), ...headers };
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`);
  return Buffer.from(`POST ${path} HTTP/1.1\r\n${lines.join('')}\r\n${text}`);
}

interface RawAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** Writes each piece by itself on one connection, and reads so many answers. */
async function exchange(pieces: readonly Buffer[], count = 1): Promise<RawAnswer[]> {
  const socket = connect(server.port, '127.0.0.1').setNoDelay();
  try {
    return await new Promise<RawAnswer[]>((resolve, reject) => {
      const answers: RawAnswer[] = [];
      let rest = Buffer.alloc(0);
      socket.on('data', (chunk) => {
        rest = Buffer.concat([rest, chunk]);
        for (let found = readAnswer(rest); found; found = readAnswer(rest)) {
          answers.push(found.answer);
          rest = rest.subarray(found.length);
        }
        if (answers.length === count) resolve(answers);
      });
      socket.on('error', reject).on('close', () => reject(new Error(`closed after ${rest}`)));
      void (async () => {
        for (const piece of pieces) await new Promise<void>((sent) => socket.write(piece, () => sent()));
      })();
    });
  } finally {
    socket.destroy();
  }
}

function readAnswer(bytes: Buffer): { readonly answer: RawAnswer; readonly length: number } | undefined {
  const end = bytes.indexOf('\r\n\r\n');
  if (end < 0) return undefined;
  const [first = '', ...lines] = bytes.toString('latin1', 0, end).split('\r\n');
  const headers = Object.fromEntries(
    lines.map((line) => [
      line.slice(0, line.indexOf(':')).toLowerCase(),
      line.slice(line.indexOf(':') + 1).trim(),
    ]),
  );
  const length = end + 4 + Number(headers['content-length']);
  if (bytes.length < length) return undefined;
  const body = bytes.subarray(end + 4, length);
  const text = headers['content-encoding'] === 'gzip' ? gunzipSync(body).toString() : body.toString();
  return { answer: { status: Number(first.split(' ')[1]), headers, body: text }, length };
}

/** The line of the log that a request has, without times and its trace. */
async function logLine(id: string): Promise<unknown> {
  const find = () =>
    server
      .output()
      .split('\n')
      .find((line) => line.includes('"http-log"') && line.includes(`"${id}"`));
  await expect.poll(find).toBeDefined();
  const { detail } = JSON.parse(find()!) as { detail: { operation: object; http_info: object } };
  const {
    query_execution_time: _1,
    request_read_time: _2,
    ...operation
  } = detail.operation as Record<string, unknown>;
  return { ...detail, operation };
}

/** Without what differs between any two requests. */
function comparable(answer: RawAnswer & { log: unknown }): unknown {
  const { 'x-request-id': id, date: _, ...headers } = answer.headers;
  const text = JSON.stringify({ ...answer, headers }).replaceAll(id!, 'ID');
  return JSON.parse(text);
}
