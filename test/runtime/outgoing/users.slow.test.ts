/** What the outgoing client promises holds for everything that uses it, by the code that makes its calls. */

import { generateKeyPairSync } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeEach, describe, expect, test } from 'vitest';
import { NOBODY } from '../../../runtime/core/session.ts';
import { CANONICAL } from '../../../runtime/core/vocabulary.ts';
import { attemptCall } from '../../../runtime/events/attempt.ts';
import { resolveTarget, type Target } from '../../../runtime/events/target.ts';
import type { Observation } from '../../../runtime/observe/logs/observe.ts';
import { callHandler } from '../../../runtime/outgoing/actions/call.ts';
import { prepareAction } from '../../../runtime/outgoing/actions/prepared.ts';
import { createOutgoing, type Outgoing, type OutgoingOptions } from '../../../runtime/outgoing/outgoing.ts';
import { callRemote, prepareTarget } from '../../../runtime/outgoing/remote/call.ts';
import { createInputValidator } from '../../../runtime/outgoing/validation/validator.ts';
import { openRemoteKeys } from '../../../runtime/session/jwt/remote-keys.ts';
import { webhookMode } from '../../../runtime/session/webhook.ts';

const SECONDS = 2;
/** A set with one key, as its issuer answers it. */
const KEY_SET = {
  keys: [generateKeyPairSync('rsa', { modulusLength: 2048 }).publicKey.export({ format: 'jwk' })],
};
const MEGABYTE = 1024 * 1024;
const SESSION = { ...NOBODY, role: 'user', variables: { 'x-engine-role': 'user' } };

/** Makes one call. @returns why it failed, in its own words; undefined if it did not */
type Use = (outgoing: Outgoing, url: string) => Promise<string | undefined>;

interface User {
  readonly use: Use;
  /** Seconds that a call may take. */
  readonly seconds: number;
  /** Bytes of an answer that is too large; undefined where a long answer is cut. */
  readonly tooLarge: number | undefined;
  /** Failures without an answer: by kind, what they read. */
  readonly timeout: RegExp;
  readonly large: RegExp;
  readonly refused: RegExp;
  readonly overloaded: RegExp;
  readonly redirected: RegExp;
  /** Names of the headers, besides those of the connection. */
  readonly headers: readonly string[];
}

const failureOf = (call: Promise<unknown>, read: (error: Error) => string = ({ message }) => message) =>
  call.then(() => undefined, read);
/** What administrators see of an error. */
const internal = (error: Error) =>
  `${error.message}: ${JSON.stringify((error as { internal?: unknown }).internal)}`;

const action: Use = (outgoing, url) => {
  const shape = {
    name: 'act',
    type: 'query',
    kind: 'synchronous',
    arguments: {},
    output: 'Int',
    handler: url,
    timeout: SECONDS,
  } as const;
  const call = {
    vocabulary: CANONICAL,
    action: prepareAction(shape, {}),
    output: { kind: 'scalar', name: 'Int', accepts: 'integer' },
    input: {},
    sessionVariables: SESSION.variables,
    requestQuery: null,
    origin: {},
  } as const;
  const options = { send: outgoing.send, configuredFirst: false, observe: () => {} };
  return failureOf(callHandler(call, options), internal);
};

const event: Use = async (outgoing, url) => {
  const target = resolveTarget(
    { webhook: url, headers: [], retry: { retries: 0, interval: 1, timeout: SECONDS } },
    {},
  ) as Target;
  const message = {
    id: 'e',
    body: '{}',
    sessionVariables: undefined,
    trace: undefined,
    logVersion: '2',
  } as const;
  const { isDelivered, status, response } = await attemptCall(outgoing, target, '2', () => message);
  return isDelivered ? undefined : `${status}: ${response}`;
};

const remote: Use = (outgoing, url) =>
  failureOf(
    callRemote(
      prepareTarget({ name: 'remote', url, timeout: SECONDS }, {}),
      '{}',
      false,
      { session: SESSION },
      { outgoing },
    ).then(({ status }) => {
      if (status !== 200) throw new Error(`status ${status}`);
    }),
    internal,
  );

const authentication: Use = async (outgoing, url) => {
  const seen: Observation[] = [];
  const observe = (observation: Observation) => void seen.push(observation);
  const mode = webhookMode({
    vocabulary: CANONICAL,
    url,
    method: 'POST',
    sendBody: false,
    timeout: SECONDS,
    outgoing,
    observe: Object.assign(observe, { flush: () => {} }) as never,
  });
  const incoming = {
    headers: {},
    rawHeaders: [],
    requestId: 'r',
    trace: { traceId: 'a'.repeat(32), spanId: 'b'.repeat(16) },
    body: undefined,
    isKept: true,
    setCookies: () => {},
  };
  return failureOf(
    Promise.resolve(mode(incoming)),
    ({ message }) => `${message}: ${JSON.stringify(seen.at(-1))}`,
  );
};

const keys: Use = async (outgoing, url) => {
  const seen: Observation[] = [];
  const observe = Object.assign((observation: Observation) => void seen.push(observation), {
    flush: () => {},
  }) as never;
  // The first fetch goes elsewhere: at the start, failures are tried again.
  const first = { send: () => ({ status: 200, headers: [], body: Buffer.from(JSON.stringify(KEY_SET)) }) };
  let current = first as unknown as Outgoing;
  const switching = { ...outgoing, send: (request) => current.send(request) } as Outgoing;
  const opened = await openRemoteKeys({
    url,
    type: undefined,
    outgoing: switching,
    observe,
    changed: () => {},
  });
  current = outgoing;
  await opened.refreshForUnknownId();
  opened.stop();
  const last = JSON.stringify(seen.at(-1));
  return last.includes('"error"') ? last : undefined;
};

const validation: Use = (outgoing, url) => {
  const validate = createInputValidator({
    outgoing,
    environment: {},
    configuredFirst: false,
    observe: () => {},
  });
  const asked = { hook: { url, timeout: SECONDS }, rule: 'r', input: [], path: '$' };
  return failureOf(Promise.resolve(validate(asked as never, { session: SESSION } as never)), internal);
};

const WRITTEN = {
  seconds: SECONDS,
  timeout: /no complete answer in time/,
  large: /more than \d+ bytes/,
  refused: /outgoing calls to this target are not allowed/,
  overloaded: /too many calls to this host are waiting/,
};
const TRACE = ['traceparent', 'x-b3-spanid', 'x-b3-traceid'];
const OWN = ['content-length', 'content-type', 'user-agent'];

const USERS: Readonly<Record<string, User>> = {
  'an action': {
    ...WRITTEN,
    use: action,
    tooLarge: 33 * MEGABYTE,
    timeout: /Response timeout/,
    redirected: /found 307/,
    headers: OWN,
  },
  'an event trigger': {
    ...WRITTEN,
    use: event,
    tooLarge: undefined,
    timeout: /Response timeout/,
    redirected: /^307/,
    headers: [...OWN, ...TRACE],
  },
  'a remote schema': {
    ...WRITTEN,
    use: remote,
    tooLarge: 33 * MEGABYTE,
    timeout: /Response timeout/,
    redirected: /status 307/,
    headers: [...OWN, 'x-engine-role'],
  },
  'an authentication webhook': {
    ...WRITTEN,
    use: authentication,
    tooLarge: 2 * MEGABYTE,
    redirected: /Invalid response from authorization hook/,
    headers: [...OWN, ...TRACE, 'x-request-id'],
  },
  'a set of keys': {
    ...WRITTEN,
    use: keys,
    seconds: 10,
    tooLarge: 2 * MEGABYTE,
    redirected: /status 307/,
    headers: ['accept', 'user-agent'],
  },
  'a webhook that validates input': {
    ...WRITTEN,
    use: validation,
    tooLarge: undefined,
    redirected: /./,
    headers: [...OWN, 'x-engine-role'],
  },
};

type Behaviour = (request: IncomingMessage, response: ServerResponse) => void;
const agreeing: Behaviour = (_, response) =>
  response.end(JSON.stringify({ 'x-engine-role': 'user', ...KEY_SET }));
let behave = agreeing;
let calls: IncomingMessage[] = [];

const closing: (() => void)[] = [];
const opened: Outgoing[] = [];
const listening = [0, 1].map(async () => {
  const server = createServer((request, response) => {
    calls.push(request);
    request.resume().on('end', () => behave(request, response));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  closing.push(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});

const client = (options: OutgoingOptions = {}) => {
  const outgoing = createOutgoing(options);
  opened.push(outgoing);
  return outgoing;
};

beforeEach(() => {
  calls = [];
  behave = agreeing;
});

afterAll(async () => {
  await Promise.all(opened.map((outgoing) => outgoing.close()));
  for (const close of closing) close();
});

describe.each(Object.entries(USERS))('%s', (_, user) => {
  test('sends exactly its own headers, each once', async () => {
    const [url] = await Promise.all(listening);
    behave = (request, response) => (user.use === action ? response.end('1') : agreeing(request, response));
    expect(await user.use(client(), url!)).toBeUndefined();
    const names = calls[0]!.rawHeaders
      .filter((_, index) => index % 2 === 0)
      .map((name) => name.toLowerCase());
    expect(names.toSorted()).toEqual(['connection', 'host', ...user.headers].toSorted());
  });

  test('has a deadline for the whole call, body included', async () => {
    const [url] = await Promise.all(listening);
    let ended = () => {};
    const closed = new Promise<void>((resolve) => {
      ended = resolve;
    });
    behave = (_, response) => {
      response.writeHead(200);
      const timer = setInterval(() => response.write(' '), 20);
      response.on('close', () => {
        clearInterval(timer);
        ended();
      });
    };
    const startedAt = performance.now();
    expect(await user.use(client(), url!)).toMatch(user.timeout);
    expect(performance.now() - startedAt).toBeGreaterThan(user.seconds * 1000 - 20);
    await closed;
  });

  test('reads an answer up to a limit', async () => {
    const [url] = await Promise.all(listening);
    let ended = () => {};
    const closed = new Promise<void>((resolve) => {
      ended = resolve;
    });
    behave = (_, response) => {
      response.on('close', () => ended());
      if (user.tooLarge !== undefined) {
        response.writeHead(200, { 'content-length': user.tooLarge });
        response.write(' ');
        return;
      }
      response.writeHead(200);
      const more = () => {
        while (!response.destroyed)
          if (!response.write(' '.repeat(MEGABYTE))) return void response.once('drain', more);
      };
      more();
    };
    const failure = await user.use(client(), url!);
    if (user.tooLarge === undefined) expect(failure).toBeUndefined();
    else expect(failure).toMatch(user.large);
    await closed;
  });

  test('follows no redirect to another origin', async () => {
    const [url, other] = await Promise.all(listening);
    behave = (_, response) => response.writeHead(307, { location: `${other}/` }).end('{}');
    expect(await user.use(client(), url!)).toMatch(user.redirected);
    expect(calls).toHaveLength(1);
  });

  test('calls no metadata address, and nothing that a list refuses, also after DNS', async () => {
    const [url] = await Promise.all(listening);
    const named = url!.replace('127.0.0.1', 'localhost');
    for (const [options, address] of [
      [{}, 'http://169.254.169.254/latest'],
      [{ allow: ['0.0.0.0/0'] }, 'http://169.254.169.254/latest'],
      [{ deny: ['127.0.0.0/8', '::1'] }, named],
      [{ deny: ['127.0.0.1'] }, url!],
      [{ allow: ['other.example'] }, url!],
    ] as const)
      expect(await user.use(client(options), address), address).toMatch(user.refused);
    expect(calls).toEqual([]);
  });

  test('waits for its place at one host without holding up others', async () => {
    const [url, other] = await Promise.all(listening);
    const outgoing = client({ limits: { running: 1, waiting: 0 } });
    const held: (() => void)[] = [];
    behave = (request, response) => {
      const answer = () => (user.use === action ? response.end('1') : agreeing(request, response));
      if (`http://${request.headers.host}` === url && held.length === 0) held.push(answer);
      else answer();
    };
    const first = user.use(outgoing, url!);
    await expect.poll(() => held, { interval: 5 }).toHaveLength(1);
    expect(await user.use(outgoing, url!)).toMatch(user.overloaded);
    expect(await user.use(outgoing, other!)).toBeUndefined();
    held[0]!();
    expect(await first).toBeUndefined();
  });
});
