/** Traces as a collector gets them, with the packages that an operator installs. */
import { createServer } from 'node:http';
import { createRequire } from 'node:module';
import type { AddressInfo } from 'node:net';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createTestDatabase, type TestDatabase } from '../../harness/postgres.ts';
import { type RemoteServer, startRemoteServer } from '../../harness/remote-server.ts';
import { send, startTestServer, type TestServer } from '../../harness/server.ts';
import { startWebhook, type WebhookReceiver } from '../../harness/webhook.ts';

const packages = fileURLToPath(new URL('../../opentelemetry/package.json', import.meta.url));
const TRACE = '0af7651916cd43dd8448eb211c80319c';
const PARENT = 'b7ad6b7169203331';

/** A span, as far as it is looked at. */
interface Received {
  readonly name: string;
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId: string;
}

let database: TestDatabase;
let server: TestServer;
let webhook: WebhookReceiver;
let remote: RemoteServer;
let isAway = false;
const bodies: Buffer[] = [];
const collector = createServer((request, response) => {
  const chunks: Buffer[] = [];
  request.on('data', (chunk: Buffer) => chunks.push(chunk));
  request.on('end', () => {
    if (isAway) {
      response.writeHead(400).end();
      return;
    }
    expect(request.headers).toMatchObject({
      'content-type': 'application/x-protobuf',
      'x-key': 'collector-key',
    });
    bodies.push(Buffer.concat(chunks));
    response.end();
  });
});

/** Spans of `ExportTraceServiceRequest`: resource_spans 1 → scope_spans 2 → spans 2. */
function spans(): Received[] {
  const inner = (part: Buffer, wanted: number) => fields(part).filter(([number]) => number === wanted);
  return bodies.flatMap((body) =>
    inner(body, 1)
      .flatMap(([, resource]) => inner(resource, 2))
      .flatMap(([, scope]) => inner(scope, 2))
      .map(([, span]) => {
        const by = new Map(fields(span));
        const hex = (number: number) => by.get(number)?.toString('hex') ?? '';
        return { name: by.get(5)!.toString(), traceId: hex(1), spanId: hex(2), parentSpanId: hex(4) };
      }),
  );
}

/** Length-delimited fields of a message; others are skipped. */
function fields(message: Buffer): [number, Buffer][] {
  const found: [number, Buffer][] = [];
  let at = 0;
  const varint = () => {
    let value = 0;
    for (let shift = 0; ; shift += 7) {
      const byte = message[at]!;
      at += 1;
      value += (byte & 127) * 2 ** shift;
      if (byte < 128) return value;
    }
  };
  while (at < message.length) {
    const key = varint();
    const type = key & 7;
    if (type === 0) varint();
    else if (type === 1) at += 8;
    else if (type === 5) at += 4;
    else {
      const length = varint();
      found.push([key >>> 3, message.subarray(at, at + length)]);
      at += length;
    }
  }
  return found;
}

const metadata = async (type: string, args: object) => {
  const { json } = await send(server, '/v1/metadata', { body: { type, args } });
  expect(json, type).not.toHaveProperty('error');
};
const enable = (more: object = {}) =>
  metadata('set_opentelemetry_config', {
    status: 'enabled',
    data_types: ['traces'],
    exporter_otlp: {
      otlp_traces_endpoint: '{{COLLECTOR}}/v1/traces',
      headers: [{ name: 'x-key', value_from_env: 'COLLECTOR_KEY' }],
    },
    ...more,
  });
const collected = () => ({
  COLLECTOR: `http://127.0.0.1:${(collector.address() as AddressInfo).port}`,
  COLLECTOR_KEY: 'collector-key',
});
const asked = { traceparent: `00-${TRACE}-${PARENT}-01` };
const graphql = (query: string, headers: Record<string, string> = {}) =>
  send(server, '/v1/graphql', { body: { query }, headers });

beforeAll(async () => {
  // From there the packages are found, as from an operator's folder.
  process.chdir(fileURLToPath(new URL('../../opentelemetry', import.meta.url)));
  await new Promise<void>((listening) => collector.listen(0, '127.0.0.1', listening));
  database = await createTestDatabase('create table item (id integer primary key)');
  webhook = await startWebhook((_call, response) => response.end('{"ok": true}'));
  remote = await startRemoteServer('type Query { hello: String }', { hello: 'world' });
  server = await startTestServer(
    database,
    { ENABLED_APIS: 'graphql,metadata,metrics', EVENTS_FETCH_INTERVAL: '100', TRACING_SAMPLE_RATIO: '0' },
    collected(),
  );
  await metadata('pg_track_table', { table: 'item' });
  await metadata('add_remote_schema', { name: 'remote', definition: { url: remote.url } });
  await metadata('set_custom_types', {
    objects: [{ name: 'Outcome', fields: [{ name: 'ok', type: 'Boolean' }] }],
  });
  await metadata('create_action', {
    name: 'act',
    definition: { kind: 'synchronous', type: 'query', handler: webhook.url, output_type: 'Outcome' },
  });
});

afterAll(async () => {
  await server?.stop();
  await webhook?.close();
  await remote?.stop();
  collector.close();
});

test('the packages are installed', () => {
  expect(createRequire(packages).resolve('@opentelemetry/resources')).toContain('opentelemetry');
});

test('a traced request is spans of one trace: request, operation, statement, action, remote schema', async () => {
  await enable();
  await expect
    .poll(
      async () => {
        await graphql('{ item { id } act { ok } hello }', asked);
        return new Set(spans().map(({ name }) => name));
      },
      { interval: 500 },
    )
    .toEqual(
      new Set([
        'POST /v1/graphql',
        'GraphQL Operation',
        'postgres default',
        'action act',
        'remote schema remote',
      ]),
    );
  const all = spans();
  expect(new Set(all.map(({ traceId }) => traceId))).toEqual(new Set([TRACE]));
  const request = all.find(({ name }) => name.startsWith('POST'))!;
  expect(request.parentSpanId).toBe(PARENT);
  const operation = all.find(
    ({ name, parentSpanId }) => name.startsWith('GraphQL') && parentSpanId === request.spanId,
  )!;
  expect(
    all.some(({ name, parentSpanId }) => name === 'postgres default' && parentSpanId === operation.spanId),
  ).toBe(true);
  expect(bodies.join()).not.toContain('db.query.text');
});

test('spans of statements have their SQL where that is asked for', async () => {
  const other = await startTestServer(database, { ENABLE_QUERY_TRACING: 'true' }, collected());
  try {
    await expect
      .poll(
        async () => {
          await send(other, '/v1/graphql', { body: { query: '{ item { id } }' }, headers: asked });
          return bodies.join();
        },
        { interval: 500 },
      )
      .toMatch(/db\.query\.text.*from "public"\."item"/s);
  } finally {
    await other.stop();
  }
});

test('the services that are called get the trace by W3C and B3', () => {
  const sent = Object.fromEntries(
    webhook.calls.at(-1)!.headers.map(([name, value]) => [name.toLowerCase(), value]),
  );
  for (const headers of [sent, remote.calls.at(-1)!.headers]) {
    expect(headers.traceparent).toMatch(new RegExp(`^00-${TRACE}-[0-9a-f]{16}-01$`));
    expect(headers).toMatchObject({ 'x-b3-traceid': TRACE, 'x-b3-sampled': '1' });
  }
});

test('what a caller does not want traced, or the ratio leaves out, is not', async () => {
  const other = TRACE.replace('0af', 'eee');
  await graphql('{ item { id } }', { traceparent: `00-${other}-${PARENT}-00` });
  await graphql('{ item { id } }', { b3: `${other}-${PARENT}-0` });
  await graphql('{ item { id } }', { 'x-b3-traceid': other, 'x-b3-spanid': PARENT });
  // One that is traced: when it has come, they would have.
  const last = TRACE.replace('0af', 'fff');
  await graphql('{ item { id } }', { b3: `${last}-${PARENT}-1` });
  const traces = () => spans().map(({ traceId }) => traceId);
  await expect.poll(traces).toContain(last);
  expect(traces()).not.toContain(other);
});

test('a collector that takes nothing costs its spans only, which are counted', async () => {
  isAway = true;
  expect((await graphql('{ item { id } }', asked)).status).toBe(200);
  const dropped = async () => (await send(server, '/v1/metrics', { method: 'GET' })).text;
  await expect.poll(dropped).toMatch(/engine_otel_dropped_spans\{reason="send_failed"\} [1-9]/);
  expect(await dropped()).toMatch(/engine_otel_sent_spans [1-9]/);
  isAway = false;
});

test('settings that cannot be used are reported, and nothing is traced', async () => {
  await enable({ exporter_otlp: { otlp_traces_endpoint: '{{NOWHERE}}' } });
  await expect.poll(() => server.output()).toContain("environment variable 'NOWHERE' not set");
  const trace = TRACE.replace('0af', 'ddd');
  const { status } = await graphql('{ item { id } }', { traceparent: `00-${trace}-${PARENT}-01` });
  expect(status).toBe(200);
  expect(spans().map(({ traceId }) => traceId)).not.toContain(trace);
});
