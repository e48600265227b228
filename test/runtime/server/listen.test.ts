/** Who can reach a server: host, secret and `insecure` in all combinations, and a server that is reached. */
import { connect } from 'node:net';
import { afterEach, describe, expect, test } from 'vitest';
import { WebSocket } from 'ws';
import { readConfiguration } from '../../../runtime/configuration/configuration.ts';
import { hostsOf, openWarning } from '../../../runtime/server/listen.ts';
import { createTestDatabase } from '../../harness/postgres.ts';
import { send, startTestServer, type TestServer } from '../../harness/server.ts';

const BOTH = { first: '127.0.0.1', also: '::1' };
const EVERY = { first: '::', instead: '0.0.0.0' };
const REFUSED = 'refused';

/** Host → where a protected server listens, and one without a secret. */
const HOSTS: readonly [host: string | undefined, protectedAt: object, openAt: object | typeof REFUSED][] = [
  [undefined, EVERY, BOTH],
  ['', EVERY, BOTH],
  ['*', EVERY, REFUSED],
  ['::', { first: '::' }, REFUSED],
  ['0.0.0.0', { first: '0.0.0.0' }, REFUSED],
  ['0', { first: '0' }, REFUSED],
  ['10.1.2.3', { first: '10.1.2.3' }, REFUSED],
  ['1.127.0.0', { first: '1.127.0.0' }, REFUSED],
  ['127.0.0.1.example.com', { first: '127.0.0.1.example.com' }, REFUSED],
  ['localhost.example.com', { first: 'localhost.example.com' }, REFUSED],
  ['fe80::1', { first: 'fe80::1' }, REFUSED],
  ['::ffff:10.1.2.3', { first: '::ffff:10.1.2.3' }, REFUSED],
  [' 127.0.0.1', { first: ' 127.0.0.1' }, REFUSED],
  ['localhost', BOTH, BOTH],
  ['LocalHost', BOTH, BOTH],
  ['127.0.0.1', { first: '127.0.0.1' }, { first: '127.0.0.1' }],
  ['127.8.9.10', { first: '127.8.9.10' }, { first: '127.8.9.10' }],
  ['::1', { first: '::1' }, { first: '::1' }],
  ['0:0:0:0:0:0:0:1', { first: '0:0:0:0:0:0:0:1' }, { first: '0:0:0:0:0:0:0:1' }],
  ['::ffff:127.0.0.1', { first: '::ffff:127.0.0.1' }, { first: '::ffff:127.0.0.1' }],
];

const SECRETS: readonly Readonly<Record<string, string>>[] = [
  { ENGINE_GRAPHQL_ADMIN_SECRET: 'hidden' },
  { ENGINE_GRAPHQL_ADMIN_SECRETS: '["one", "two"]' },
  { ENGINE_GRAPHQL_ACCESS_KEY: 'hidden' },
  { ENGINE_GRAPHQL_ADMIN_SECRET: 'hidden', ENGINE_GRAPHQL_AUTH_HOOK: 'http://hook.example/' },
];

function at(host: string | undefined, more: Readonly<Record<string, string>>) {
  return readConfiguration({}, { ...(host !== undefined && { ENGINE_GRAPHQL_SERVER_HOST: host }), ...more });
}

describe.each(HOSTS)('the host %j', (host, protectedAt, openAt) => {
  test('with a secret, whatever insecure says', () => {
    for (const secret of SECRETS)
      for (const insecure of ['true', 'false']) {
        const configuration = at(host, { ...secret, ENGINE_GRAPHQL_INSECURE: insecure });
        expect(hostsOf(configuration)).toEqual(protectedAt);
        expect(openWarning(configuration)).toBeUndefined();
      }
  });

  test('without a secret', () => {
    for (const secret of [{}, { ENGINE_GRAPHQL_ADMIN_SECRET: '' }]) {
      const configuration = at(host, secret);
      if (openAt === REFUSED) {
        expect(() => hostsOf(configuration)).toThrow(
          expect.objectContaining({
            code: 'invalid-configuration',
            message: `server-host is ${JSON.stringify(host)}, and there is no admin secret: everybody who reaches the server would be its administrator. Set ENGINE_GRAPHQL_ADMIN_SECRET, remove server-host to be reached from this machine only, or give --insecure (ENGINE_GRAPHQL_INSECURE=true) if that is meant`,
          }),
        );
        continue;
      }
      expect(hostsOf(configuration)).toEqual(openAt);
      expect(openWarning(configuration)).toContain('so it listens on this machine only (');
    }
  });

  test('without a secret, and insecure', () => {
    const configuration = at(host, { ENGINE_GRAPHQL_INSECURE: 'true' });
    expect(hostsOf(configuration)).toEqual(openAt === REFUSED ? protectedAt : openAt);
    expect(openWarning(configuration)).toContain('there is no admin secret');
  });
});

describe('a server without a secret', () => {
  let server: TestServer | undefined;
  afterEach(async () => {
    await server?.stop();
    server = undefined;
  });

  /** Whether an address takes connections. */
  function isTaken(host: string, port: number): Promise<boolean> {
    return new Promise((done) => {
      const socket = connect({ host, port });
      let isOpen = false;
      socket.once('close', () => done(isOpen));
      socket.once('connect', () => {
        isOpen = true;
        socket.destroy();
      });
      socket.once('error', () => {});
    });
  }

  test('is reached by both addresses of this machine, requests and sockets alike, and closes both', async () => {
    server = await startTestServer(await createTestDatabase());
    const { port } = server;
    expect(server.output().match(/there is no admin secret/g)).toHaveLength(1);
    expect(
      JSON.parse(
        server
          .output()
          .split('\n')
          .find((line) => line.includes('there is no admin secret'))!,
      ),
    ).toMatchObject({
      level: 'warn',
      detail: { message: expect.stringContaining('127.0.0.1 and ::1') },
    });
    const hosts = (await isTaken('::1', port))
      ? ['127.0.0.1', '[::1]', 'localhost']
      : ['127.0.0.1', 'localhost'];
    for (const host of hosts) {
      const answer = await fetch(`http://${host}:${port}/v1/graphql`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ query: '{ __typename }' }),
      });
      expect(await answer.json()).toEqual({ data: { __typename: 'query_root' } });
      const socket = new WebSocket(`ws://${host}:${port}/v1/graphql`, 'graphql-transport-ws');
      await new Promise((open, failed) => socket.once('open', open).once('error', failed));
      const closed = new Promise((done) => socket.once('close', done));
      socket.close();
      await closed;
    }
    await server.stop();
    server = undefined;
    expect(await Promise.all(['127.0.0.1', '::1'].map((host) => isTaken(host, port)))).toEqual([
      false,
      false,
    ]);
  });

  test('is not started for others, before anything is opened', async () => {
    const database = await createTestDatabase();
    await expect(startTestServer(database, { SERVER_HOST: '0.0.0.0' })).rejects.toMatchObject({
      code: 'invalid-configuration',
    });
    const rows = await database.query("select to_regnamespace('engine_catalog') as made");
    expect(rows).toEqual([{ made: null }]);
    server = await startTestServer(database, { SERVER_HOST: '0.0.0.0', INSECURE: 'true' });
    expect(server.output()).toContain('and it listens on 0.0.0.0, as insecure says');
    expect((await send(server, '/healthz', { method: 'GET' })).status).toBe(200);
  });
});
