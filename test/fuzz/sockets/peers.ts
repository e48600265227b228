/** A handler, a webhook and a remote schema in one server, which answer anything; only introspection is answered well. */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { gzipSync } from 'node:zlib';
import { buildSchema, graphql } from 'graphql';
import { Random } from '../random.ts';
import { damaged, hostileJson, KEYS, printable } from './texts.ts';
import { REMOTE_SDL } from './world.ts';

export interface Peers {
  readonly url: string;
  close(): void;
}

const schema = buildSchema(REMOTE_SDL);

/** @param seed with the number that a request holds it decides what is answered */
export async function startPeers(seed: number): Promise<Peers> {
  const handle = async (request: IncomingMessage, response: ServerResponse) => {
    let body = '';
    request.setEncoding('utf8');
    for await (const chunk of request) body += chunk;
    if (body.includes('__schema')) {
      const { query } = JSON.parse(body) as { query: string };
      response.setHeader('content-type', 'application/json');
      response.end(JSON.stringify(await graphql({ schema, source: query })));
      return;
    }
    const number = Number(/"n":(\d+)/.exec(body)?.[1] ?? /\bn: ?(\d+)/.exec(body)?.[1] ?? 0);
    request.socket.end(hostileAnswer(seed, number, request.url === '/graphql'));
  };
  const server = createServer((request, response) => {
    handle(request, response).catch(() => response.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: () => {
      server.closeAllConnections();
      server.close();
    },
  };
}

export function describeAnswer(seed: number, number: number): string {
  return `an action is answered with ${printable(hostileAnswer(seed, number, false))}\na remote schema with ${printable(hostileAnswer(seed, number, true))}`;
}

function hostileAnswer(seed: number, number: number, isRemote: boolean): Buffer {
  const random = new Random(seed * 1_000_003 + number);
  let body = damaged(random, isRemote ? remoteText(random) : actionText(random));
  const status = random.chance(0.8)
    ? 200
    : random.pick([100, 101, 199, 204, 302, 304, 400, 401, 500, 503, 599, 999, 0]);
  const lines = [`HTTP/1.1 ${status} ${random.pick(['OK', '', '\xff'])}`];
  lines.push(
    `content-type: ${random.pick(['application/json', 'application/json', 'text/html', '', '\xff'])}`,
  );
  if (random.chance(0.1))
    lines.push(
      random.pick([
        'set-cookie: a=\xff\x80; =',
        '__proto__: x',
        'location: http://[',
        'location: /',
        'retry-after: x',
        'retry-after: 99999999999999999999',
        'x-request-id: \xe9',
        'cache-control: max-age=x',
        `x: ${'y'.repeat(20_000)}`,
      ]),
    );
  if (random.chance(0.05)) {
    lines.push(`content-encoding: ${random.pick(['gzip', 'br', 'deflate', 'x'])}`);
    if (random.chance(0.7)) body = gzipSync(random.chance(0.2) ? Buffer.alloc(5_000_000, ' ') : body);
  }
  const kind = random.below(20);
  if (kind === 0) return Buffer.from(random.list(random.below(50), () => random.below(256)));
  if (kind === 1) lines.push('transfer-encoding: chunked');
  else if (kind === 2)
    lines.push(`content-length: ${random.pick(['-1', 'x', String(body.length + 5), '1'])}`);
  else if (kind > 3) lines.push(`content-length: ${body.length}`);
  return Buffer.concat([Buffer.from([...lines, '\r\n'].join('\r\n'), 'latin1'), body]);
}

function actionText(random: Random): string {
  const some = () => hostileJson(random);
  if (random.chance(0.15)) return some();
  const parts = [
    `"id":${random.pick(['1', some()])}`,
    `"text":${random.pick(['"x"', some()])}`,
    `"doc":${some()}`,
    `"message":${some()}`,
    `"extensions":${random.pick([some(), `{"code":${some()},"path":${some()}}`])}`,
    `"code":${some()}`,
    `"${random.pick(KEYS)}":${some()}`,
  ];
  return `{${parts.filter(() => random.chance(0.6)).join(',')}}`;
}

function remoteText(random: Random): string {
  const some = () => hostileJson(random);
  if (random.chance(0.15)) return some();
  const person = (depth: number): string =>
    `{"name":${random.pick(['"x"', some()])},"n":${random.pick(['1', some()])},"more":${depth > 0 ? `[${person(depth - 1)}]` : some()},"${random.pick(KEYS)}":${some()}}`;
  const data = random.pick([`{"greet":${person(2)}}`, `{"greet":${some()}}`, some()]);
  const errors = random.pick([some(), `[{"message":${some()},"path":${some()},"extensions":${some()}}]`]);
  const parts = [`"data":${data}`, ...(random.chance(0.3) ? [`"errors":${errors}`] : [])];
  if (random.chance(0.1)) parts.push(`"extensions":${some()}`);
  return `{${parts.join(',')}}`;
}
