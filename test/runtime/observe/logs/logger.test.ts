import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { createLogger } from '../../../../runtime/observe/logs/logger.ts';
import type { Observation } from '../../../../runtime/observe/logs/observe.ts';

const OBSERVE = new URL('../../../../runtime/observe/logs/logger.ts', import.meta.url).href;
/** More than are held back, and more bytes than are written at once. */
const MANY = 1234;
const FEW = 12;

/** Logs requests with ids from 0, then ends as told. */
function logged(requests: number, end: string): { readonly lines: string[]; readonly status: number | null } {
  const program = `
    import { createLogger } from ${JSON.stringify(OBSERVE)};
    const observe = createLogger({ enabledLogTypes: ['http-log'], logLevel: 'info' });
    for (let id = 0; id < ${requests}; id++) observe({
      kind: 'http-request', requestId: String(id), status: id % 2 ? 200 : 404, method: 'POST', ip: '127.0.0.1',
      url: '/größe/' + (id % 3), httpVersion: '1.1', mode: 'single', requestSize: 1, responseSize: 2,
      uncompressedResponseSize: 3, executionTime: id / 100, readTime: 0.000001,
      trace: { traceId: '0'.repeat(32), spanId: '1'.repeat(16) },
    });
    ${end}`;
  const { stdout, status } = spawnSync(
    process.execPath,
    ['--import', 'tsx', '--input-type=module', '-e', program],
    {
      encoding: 'utf8',
      cwd: fileURLToPath(new URL('../../../..', import.meta.url)),
      maxBuffer: 16 * 2 ** 20,
    },
  );
  return { lines: stdout.split('\n').slice(0, -1), status };
}

test.each([
  {
    name: 'when it was told to flush',
    requests: MANY,
    end: 'await observe.flush(); process.exit(2);',
    status: 2,
  },
  { name: 'when the process exits', requests: FEW, end: 'process.exit(3);', status: 3 },
  {
    name: 'when nothing catches an error',
    requests: FEW,
    end: "setImmediate(() => { throw new Error('a defect'); });",
    status: 1,
  },
  { name: 'when nothing is left to do', requests: MANY, end: '', status: 0 },
])('no line is lost $name', ({ requests, end, status }) => {
  const { lines, status: ended } = logged(requests, end);
  expect(ended).toBe(status);
  expect(lines.map((line) => JSON.parse(line).detail)).toEqual(
    Array.from({ length: requests }, (_, id) => ({
      request_id: String(id),
      http_info: {
        status: id % 2 ? 200 : 404,
        method: 'POST',
        ip: '127.0.0.1',
        url: `/größe/${id % 3}`,
        http_version: 'HTTP/1.1',
        content_encoding: null,
      },
      operation: {
        request_id: String(id),
        request_mode: 'single',
        response_size: 2,
        uncompressed_response_size: 3,
        request_read_time: 0.000001,
        query_execution_time: id / 100,
      },
    })),
  );
});

const seconds = 0.1;
const sizes = { requestSize: 1, responseSize: 2 };

// One line at a time, between requests, would cost several times as much.
test.each<[string, Observation]>([
  [
    'a call of an action',
    { kind: 'action', action: 'a', actionKind: 'synchronous', url: 'u', seconds, ...sizes },
  ],
  ['a call of a validation', { kind: 'validate-input', rule: 'r', url: 'u', seconds, ...sizes }],
  ['a call of a remote schema', { kind: 'remote-call', remote: 'r', status: 200, seconds }],
  ['an authentication webhook', { kind: 'webhook', level: 'info', url: 'u', method: 'GET' }],
  ['a step of the start', { kind: 'startup', step: 's', info: {} }],
  ['a line below the level', { kind: 'unstructured', level: 'debug', message: 'm' }],
  [
    'an event of a pool',
    { kind: 'pool', source: 's', address: 'a', role: 'primary', event: 'opened', seconds },
  ],
])('%s that is not logged leaves the lines of requests held', (_, unlogged) => {
  const lines: string[] = [];
  const write = (text: string | Buffer) => {
    lines.push(...String(text).split('\n').slice(0, -1));
  };
  const observe = createLogger(
    { enabledLogTypes: ['http-log'], logLevel: 'info', enableTriggersErrorLogLevel: false },
    undefined,
    { output: { write, flush: async () => {}, end: () => {} } },
  );
  observe({
    kind: 'http-request',
    requestId: '1',
    status: 200,
    method: 'POST',
    ip: '127.0.0.1',
    url: '/v1/graphql',
    httpVersion: '1.1',
    mode: 'single',
    uncompressedResponseSize: 3,
    executionTime: seconds,
    trace: { traceId: '0'.repeat(32), spanId: '1'.repeat(16) },
    ...sizes,
  });
  observe(unlogged);
  expect(lines).toEqual([]);
  observe({ kind: 'unstructured', level: 'info', message: 'after it' });
  expect(lines.map((line) => JSON.parse(line).type)).toEqual(['http-log', 'unstructured']);
});

test.each([
  { enableTriggersErrorLogLevel: false, failed: 'warn' },
  { enableTriggersErrorLogLevel: true, failed: 'error' },
])('calls of triggers that fail are logged as $failed', ({ enableTriggersErrorLogLevel, failed }) => {
  const lines: string[] = [];
  const observe = createLogger(
    { enabledLogTypes: [], logLevel: 'info', enableTriggersErrorLogLevel },
    { write: (line) => lines.push(line) },
  );
  for (const isDelivered of [true, false])
    observe({
      kind: 'event-invocation',
      source: 'default',
      trigger: 'told',
      eventId: '1',
      tries: 1,
      status: isDelivered ? 200 : 500,
      isDelivered,
      isLast: isDelivered,
      seconds: 0,
    });
  expect(lines.map((line) => JSON.parse(line).level)).toEqual(['info', failed]);
});
