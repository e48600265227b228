/** What every client library must be able to do with a whole server. */

import type { AddressInfo } from 'node:net';
import { createServer, connect as dial, type Server, type Socket } from 'node:net';
import jwt from 'jsonwebtoken';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { OpenClient } from './graphql-clients.ts';
import { leaks, send, serve, type TestServer } from './server.ts';

const LIVE = 'subscription { note(order_by: {id: asc}) { body } }';
const INSERT = 'mutation ($body: String) { insert_note_one(object: {body: $body}) { body } }';
const SECRET = 'suite-admin-secret-of-the-clients';
const KEY = 'a-key-of-the-client-suite-that-is-long-enough';

export function describeClients(libraries: readonly (readonly [string, OpenClient])[]): void {
  let server: TestServer;
  let guarded: TestServer;
  const url = (port = server.port) => `ws://127.0.0.1:${port}/v1/graphql`;

  beforeAll(async () => {
    const options = { LIVE_QUERIES_MULTIPLEXED_REFETCH_INTERVAL: '50' };
    server = await serve({ sql: `create table note (id serial primary key, body text)`, options });
    await send(server, '/v1/metadata', { body: { type: 'pg_track_table', args: { table: 'note' } } });
    guarded = await serve({
      sql: `create table note (id serial primary key, body text)`,
      options: { ...options, ADMIN_SECRET: SECRET, JWT_SECRET: JSON.stringify({ type: 'HS256', key: KEY }) },
    });
    const headers = { 'x-engine-admin-secret': SECRET };
    await send(guarded, '/v1/metadata', {
      headers,
      body: { type: 'pg_track_table', args: { table: 'note' } },
    });
    const permission = { columns: '*', filter: {} };
    await send(guarded, '/v1/metadata', {
      headers,
      body: { type: 'pg_create_select_permission', args: { table: 'note', role: 'user', permission } },
    });
  });

  afterAll(async () => {
    await server.stop();
    await guarded.stop();
    expect(leaks()).toEqual([]);
  });

  describe.each(libraries)('%s', (name, open) => {
    test('subscribes, mutates over the same socket, and unsubscribes', async () => {
      await server.database.query('truncate note');
      const client = open({ url: url() });
      const states: unknown[] = [];
      const stop = client.subscribe(LIVE, (data) => states.push(data));
      await expect.poll(() => states).toEqual([{ note: [] }]);
      expect(await client.run(INSERT, { body: name })).toEqual({ insert_note_one: { body: name } });
      await expect.poll(() => states.length).toBe(2);
      expect(states[1]).toEqual({ note: [{ body: name }] });
      stop();
      await client.run(INSERT, { body: 'unseen' });
      await new Promise((resolve) => setTimeout(resolve, 200));
      expect(states.length).toBe(2);
      await client.close();
    });

    test('gets errors', async () => {
      const client = open({ url: url() });
      // Some give the list of errors, the others its first.
      const error = await client.run('{ nothing }').catch((thrown: unknown) => [thrown].flat()[0]);
      expect(String((error as Error).message)).toContain("field 'nothing' not found in type: 'query_root'");
      const errors: unknown[] = [];
      client.subscribe(
        'subscription { nothing }',
        () => {},
        (error) => errors.push(error),
      );
      await expect.poll(() => errors.length).toBe(1);
      await client.close();
    });

    test('runs a thousand operations on one socket', async () => {
      const client = open({ url: url() });
      let first = 0;
      const stops = Array.from({ length: 500 }, (_, index) =>
        client.subscribe(`subscription { note(where: {id: {_eq: ${-index}}}) { id } }`, () => {
          first += 1;
        }),
      );
      const answers = await Promise.all(Array.from({ length: 500 }, () => client.run('{ __typename }')));
      expect(new Set(answers.map((answer) => JSON.stringify(answer)))).toEqual(
        new Set(['{"__typename":"query_root"}']),
      );
      await expect.poll(() => first).toBe(500);
      for (const stop of stops) stop();
      await client.close();
    });

    test('goes on after a lost connection', async () => {
      await server.database.query('truncate note');
      const line = await startLine(server.port);
      const client = open({ url: url(line.port) });
      const states: unknown[] = [];
      const stop = client.subscribe(LIVE, (data) => states.push(data));
      await expect.poll(() => states.length).toBe(1);
      line.cut();
      await server.database.query("insert into note (body) values ('meanwhile')");
      await expect.poll(() => states.at(-1)).toEqual({ note: [{ body: 'meanwhile' }] });
      expect(line.connections()).toBe(2);
      stop();
      await client.close();
      line.stop();
    });

    test('goes on with a new token when the old one has expired', async () => {
      let connections = 0;
      const client = open({
        url: url(guarded.port),
        params: () => {
          connections += 1;
          return { headers: { Authorization: `Bearer ${token(connections === 1 ? 4 : 600)}` } };
        },
      });
      const states: unknown[] = [];
      const stop = client.subscribe(LIVE, (data) => states.push(data));
      await expect.poll(() => states.length).toBe(1);
      await expect.poll(() => states.length).toBe(2);
      expect(connections).toBe(2);
      stop();
      await client.close();
    });
  });
}

function token(seconds: number): string {
  return jwt.sign(
    {
      exp: Math.floor(Date.now() / 1000) + seconds,
      'https://engine.io/jwt/claims': { 'x-engine-allowed-roles': ['user'], 'x-engine-default-role': 'user' },
    },
    KEY,
  );
}

/** A line to a server that can be cut: clients see no close frame. */
async function startLine(port: number) {
  const open = new Set<Socket>();
  let connections = 0;
  const line: Server = createServer((near) => {
    connections += 1;
    const far = dial(port, '127.0.0.1');
    for (const [from, to] of [
      [near, far],
      [far, near],
    ] as const) {
      open.add(from);
      from.on('error', () => {});
      from.on('close', () => to.destroy());
      from.pipe(to);
    }
  });
  await new Promise<void>((resolve) => line.listen(0, '127.0.0.1', resolve));
  const cut = () => {
    for (const socket of open) socket.destroy();
    open.clear();
  };
  return {
    port: (line.address() as AddressInfo).port,
    connections: () => connections,
    cut,
    stop: () => {
      cut();
      line.close();
    },
  };
}
