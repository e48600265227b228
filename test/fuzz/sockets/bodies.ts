/** What clients of HTTP send: bodies to every endpoint, paths, headers, and what is no HTTP at all. */
import { deflateSync, gzipSync } from 'node:zlib';
import type { Random } from '../random.ts';
import { hostileDocument, hostileRequest } from './documents.ts';
import { damaged, hostileJson, KEYS } from './texts.ts';
import { ADMIN_SECRET } from './world.ts';

export interface HttpCase {
  readonly bytes: Buffer;
  /** Others may follow on the connection: the request says correctly where it ends. */
  readonly isFramed: boolean;
  /** Chooses what a peer answers that the request has called. */
  readonly call?: number;
}

/** Calls of the world's peers; `n` chooses what they answer. */
const CALLS = [
  'query ($n: Int!) { act(n: $n) { id text doc } }',
  'mutation ($n: Int!) { change(n: $n) { id text doc } }',
  'mutation ($n: Int!) { later(n: $n) }',
  'query ($n: Int!, $x: jsonb) { shaped(n: $n, x: $x) { id text doc } }',
  'query ($n: Int!) { greet(n: $n) { name n more { name } } }',
  'query ($n: Int!) { act(n: $n) { id note { id } } }',
  'mutation ($n: Int!) { insert_job_one(object: {n: $n}) { n } }',
];

const PATHS = [
  '/livez',
  '/readyz',
  '/healthz',
  '/healthz/sources',
  '/v1/version',
  '/v1alpha1/config',
  '/v1/metrics',
  '/dev/plan_cache',
  '/dev/subscriptions',
  '/dev/subscriptions/extended',
  '/dev/ekg',
  '/api/swagger/json',
  '/api/openapi.json',
  '/console',
  '/console/assets/x',
  '/graphiql',
  '/',
  '/v1/actions/x/complete',
  '/api/rest/note/1',
  '/api/rest/note',
  '/engine/console/state',
  '/engine/console/access',
];

const ODD_PARTS = [
  '%',
  '%zz',
  '%ff',
  '%00',
  '%2e%2e',
  '%e0%80',
  '..',
  '//',
  ';',
  '#%zz',
  '?',
  '?%',
  '&&=',
  '\xe9',
  'a'.repeat(300),
];

const OPERATIONS = [
  'export_metadata',
  'get_inconsistent_metadata',
  'pg_get_event_logs',
  'get_scheduled_events',
  'run_sql',
  'bulk',
  'concurrent_bulk',
  'select',
  'insert',
  'count',
  'pg_track_table',
  'test_webhook_transform',
  'pg_create_select_permission',
  'create_query_collection',
  'add_remote_schema',
  'set_catalog_state',
  'no_such_operation',
];

export function httpCase(random: Random): HttpCase {
  const kind = random.below(100);
  if (kind < 70) return graphql(random);
  if (kind < 80) return rest(random);
  if (kind < 90) return anywhere(random);
  if (kind < 95) return operation(random);
  return malformed(random);
}

function graphql(random: Random): HttpCase {
  const path = random.pick([
    '/v1/graphql',
    '/v1/graphql',
    '/v1alpha1/graphql',
    '/v1beta1/relay',
    '/v1/graphql/explain',
  ]);
  if (random.chance(0.03)) {
    const query = encodeURIComponent(hostileDocument(random)).slice(0, random.pick([20, 5000]));
    return request(
      random,
      'GET',
      `${path}?query=${query}&variables=${random.pick(['', '%', '%7B%7D', '{'])}`,
    );
  }
  return post(random, path, damaged(random, hostileRequest(random)));
}

/** A call of a peer. @param number decides what it answers */
export function peerCase(random: Random, number: number): HttpCase {
  const document = random.pick(CALLS);
  const more = document.includes('$x') ? `,"x":${hostileJson(random)}` : '';
  const body = `{"query":"${document}","variables":{"n":${number}${more}}}`;
  return { ...post(random, '/v1/graphql', Buffer.from(body)), call: number };
}

function rest(random: Random): HttpCase {
  const path = `/api/rest/note${random.chance(0.8) ? '/' : ''}${random.pick(['1', '', 'x', ...ODD_PARTS])}`;
  const method = random.pick(['GET', 'POST', 'PUT', 'DELETE', 'PATCH']);
  if (method === 'GET') return request(random, method, `${path}?a=${random.pick(['1', '', ...ODD_PARTS])}`);
  const body = `{"a":${hostileJson(random)},"${random.pick(KEYS)}":${hostileJson(random)}}`;
  return post(random, path, damaged(random, random.chance(0.8) ? body : hostileJson(random)), method);
}

function anywhere(random: Random): HttpCase {
  const path =
    random.pick(PATHS) + (random.chance(0.4) ? random.pick(['/', '']) + random.pick(ODD_PARTS) : '');
  const method = random.pick(['GET', 'GET', 'POST', 'HEAD', 'OPTIONS', 'PUT', 'TRACE', 'PROPFIND']);
  if (method === 'POST' || method === 'PUT')
    return post(random, path, damaged(random, hostileJson(random, 3)), method);
  return request(random, method, path, random.chance(0.3) ? [`x-engine-admin-secret: ${ADMIN_SECRET}`] : []);
}

function operation(random: Random): HttpCase {
  const type = random.pick(OPERATIONS);
  const args =
    type === 'run_sql' && random.chance(0.7)
      ? `{"sql":"select ${random.pick(['1', "'\\u0000'", "'\\ud800'", 'x', '(', "e'\\\\xff'"])}","read_only":true}`
      : type.includes('bulk')
        ? `[{"type":"export_metadata","args":${hostileJson(random, 1)}}]`
        : random.chance(0.5)
          ? `{"table":${random.pick(['"note"', '"no"', hostileJson(random, 1)])},"source":${random.pick(['"default"', hostileJson(random, 0)])},"columns":${hostileJson(random)}}`
          : hostileJson(random, 3);
  const body = random.chance(0.9) ? `{"type":"${type}","args":${args}}` : hostileJson(random, 3);
  const path = random.pick([
    '/v1/metadata',
    '/v1/query',
    '/v2/query',
    '/v1alpha1/pg_dump',
    '/engine/console/why',
    '/engine/console/difference',
  ]);
  const secret = random.chance(0.8) ? [`x-engine-admin-secret: ${ADMIN_SECRET}`] : [];
  return post(random, path, damaged(random, body), 'POST', secret);
}

const HEADERS = [
  'x-engine-role: \xe9',
  'x-engine-role: __proto__',
  'x-engine-role: ',
  'X-Engine-Role: anonymous',
  'x-engine-user-id: \xff\x80',
  'x-request-id: \xe9\xe8',
  'x-request-id: ',
  `x-request-id: ${'r'.repeat(2000)}`,
  'authorization: Bearer x',
  'cookie: a=\xff; =;;',
  'traceparent: 00-0-0-0',
  'traceparent: 00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01',
  'b3: 1',
  'accept-encoding: gzip;q=x, br, *',
  'accept: text/event-stream',
  'accept: application/graphql-response+json; charset=\xff',
  'origin: null',
  'origin: http://[',
  'expect: x',
  'if-none-match: "\xff"',
  'host: ',
  '__proto__: x',
  'constructor: x',
];

const CONTENT_TYPES = [
  'application/json',
  'application/json; charset=utf-16',
  'application/json; charset',
  'text/plain',
  'application/x-www-form-urlencoded',
  'multipart/form-data; boundary=x',
  'multipart/form-data',
  'application/graphql',
  '',
  ';',
  '\xff/\xfe',
];

function headers(random: Random): string[] {
  return HEADERS.filter(() => random.chance(0.01));
}

function request(random: Random, method: string, path: string, more: readonly string[] = []): HttpCase {
  const lines = [`${method} ${path} HTTP/1.1`, 'Host: x', ...headers(random), ...more, '\r\n'];
  return {
    bytes: Buffer.from(lines.join('\r\n'), 'latin1'),
    isFramed: isReadable(path) && method !== 'TRACE',
  };
}

/** Node refuses such a path as such, and the connection with it. */
function isReadable(path: string): boolean {
  return /^[\x21-\x7e\x80-\xff]*$/.test(path);
}

function post(
  random: Random,
  path: string,
  plain: Buffer,
  method = 'POST',
  more: readonly string[] = [],
): HttpCase {
  const type = random.chance(0.9) ? 'application/json' : random.pick(CONTENT_TYPES);
  const lines = [
    `${method} ${path} HTTP/1.1`,
    'Host: x',
    `Content-Type: ${type}`,
    ...headers(random),
    ...more,
  ];
  let body = plain;
  if (random.chance(0.02)) {
    const encoding = random.pick(['gzip', 'deflate', 'br', 'x', 'identity']);
    lines.push(`Content-Encoding: ${encoding}`);
    const bomb = random.chance(0.2) ? Buffer.alloc(1_000_000, ' ') : plain;
    body = random.pick([gzipSync, deflateSync])(bomb);
  }
  if (random.chance(0.05)) {
    const cut = random.below(body.length + 1);
    const chunk = (bytes: Buffer) =>
      bytes.length === 0 ? '' : `${bytes.length.toString(16)}\r\n${bytes.toString('latin1')}\r\n`;
    const chunks = `${chunk(body.subarray(0, cut))}${chunk(body.subarray(cut))}0\r\n\r\n`;
    const text = [...lines, 'Transfer-Encoding: chunked', `\r\n${chunks}`].join('\r\n');
    return { bytes: Buffer.from(text, 'latin1'), isFramed: true };
  }
  const head = Buffer.from([...lines, `Content-Length: ${body.length}`, '\r\n'].join('\r\n'), 'latin1');
  return { bytes: Buffer.concat([head, body]), isFramed: true };
}

/** Requests after which nothing can be read on the connection. */
function malformed(random: Random): HttpCase {
  const { bytes } = graphql(random);
  const text = bytes.toString('latin1');
  const bad = (made: string) => ({ bytes: Buffer.from(made, 'latin1'), isFramed: false });
  switch (random.below(8)) {
    case 0:
      return bad(text.slice(0, random.below(text.length)));
    case 1:
      return bad(
        text.replace(
          /Content-Length: \d+/,
          `Content-Length: ${random.pick(['-1', 'x', '99999', '1e3', '1'])}`,
        ),
      );
    case 2:
      return bad(
        text.replace(
          'HTTP/1.1',
          random.pick(['HTTP/9.9', 'HTTP/1.0', 'HTTP/1.1\r\nTransfer-Encoding: chunked', '']),
        ),
      );
    case 3:
      return bad(
        text.replace('Host: x', random.pick(['Host', ': x', 'Host: x\r\n Host: y', 'a b: c', '\x00: x'])),
      );
    case 4:
      return bad(
        `GET ${random.pick(['/\x01', '*', 'http://[', 'x', '/ /', '/\r\n/'])} HTTP/1.1\r\nHost: x\r\n\r\n`,
      );
    case 5:
      return bad(
        `POST /v1/graphql HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n${random.pick(['zz\r\n', '5\r\nab', 'ffffffffffffffff\r\n', '1;x=\x00\r\na\r\n0\r\nx: y'])}`,
      );
    case 6:
      return bad(`CONNECT ${random.pick(['x:1', '/v1/graphql'])} HTTP/1.1\r\nHost: x\r\n\r\n`);
    default:
      return bad(random.list(random.between(1, 80), () => String.fromCharCode(random.below(256))).join(''));
  }
}
