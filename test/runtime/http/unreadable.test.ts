/** Requests that reach no endpoint because they cannot be read: each is answered in the shape of all errors, with a request id. */
import { connect } from 'node:net';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { serve, type TestServer } from '../../harness/server.ts';

let server: TestServer;

beforeAll(async () => {
  server = await serve({ options: { MAX_TOTAL_HEADER_LENGTH: '4000' } });
});

afterAll(() => server.stop());

/** What comes back for these bytes until the server closes. */
function answerTo(bytes: string): Promise<string> {
  return new Promise((resolve, reject) => {
    let text = '';
    const socket = connect(server.port, '127.0.0.1', () => socket.end(bytes, 'latin1'));
    socket.setEncoding('utf8');
    socket.on('data', (chunk) => {
      text += chunk;
    });
    socket.on('error', reject);
    socket.on('close', () => resolve(text));
  });
}

const get = (path: string, headers = '') => `GET ${path} HTTP/1.1\r\nHost: x\r\n${headers}\r\n`;
const PATH = 'the path is not a valid URL path';
const HTTP = 'the request is not valid HTTP';

test.each([
  ['/v1/graphql/%', get('/v1/graphql/%'), 400, PATH],
  ['/%zz', get('/%zz'), 400, PATH],
  ['/api/rest/%ff', get('/api/rest/%ff'), 400, PATH],
  ['/api/rest/a#%zz', get('/api/rest/a#%zz', 'X-Engine-Role: admin\r\n'), 400, PATH],
  ['Expect: x', get('/livez', 'Expect: x\r\n'), 417, 'the header Expect may be 100-continue only'],
  ['no HTTP', 'no http\r\n\r\n', 400, HTTP],
  ['half a request', 'POST /v1/graphql HTTP/1.1\r\nHost: x\r\nContent-Length: 9\r\n\r\nab', 400, HTTP],
  ['long headers', get('/livez', `X-A: ${'a'.repeat(9000)}\r\n`), 431, 'the headers are too long'],
])('%s', async (_, bytes, status, message) => {
  const [head = '', body = ''] = (await answerTo(bytes)).split('\r\n\r\n');
  expect(head).toMatch(new RegExp(`^HTTP/1.1 ${status} `));
  expect(head).toMatch(/^x-request-id: \S+/im);
  expect(JSON.parse(body)).toEqual({ path: '$', error: message, code: 'bad-request' });
});

test('a request whose path cannot be read is logged as others are', async () => {
  await answerTo(get('/%zz', 'X-Request-Id: unreadable-path\r\n'));
  await expect
    .poll(() => server.output())
    .toMatch(/"type":"http-log".*"request_id":"unreadable-path".*"status":400/);
});
