/** The clients that people use, against a whole server. */
import { createClient } from 'graphql-ws';
import { createClient as createClient5 } from 'graphql-ws-5';
import { SubscriptionClient } from 'subscriptions-transport-ws';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import WebSocket from 'ws';
import { createTestDatabase, type TestDatabase } from '../../harness/postgres.ts';
import { leaks, send, startTestServer, type TestServer } from '../../harness/server.ts';

let database: TestDatabase;
let server: TestServer;
const url = () => `ws://127.0.0.1:${server.port}/v1/graphql`;

beforeAll(async () => {
  database = await createTestDatabase(`create table note (id serial primary key, body text)`);
  server = await startTestServer(database, { LIVE_QUERIES_MULTIPLEXED_REFETCH_INTERVAL: '50' });
  await send(server, '/v1/metadata', { body: { type: 'pg_track_table', args: { table: 'note' } } });
});

afterAll(async () => {
  await server.stop();
  expect(leaks()).toEqual([]);
});

const LIVE = 'subscription { note(order_by: {id: asc}) { body } }';
const INSERT = 'mutation ($body: String) { insert_note_one(object: {body: $body}) { body } }';

interface Client {
  run(query: string, variables?: Record<string, unknown>): Promise<unknown>;
  subscribe(query: string, next: (data: unknown) => void, failed?: (error: unknown) => void): () => void;
  close(): void | Promise<void>;
}

function modern(create: typeof createClient): Client {
  const client = create({
    url: url(),
    webSocketImpl: WebSocket,
    connectionParams: { headers: { 'x-engine-role': 'admin' } },
    lazy: true,
    keepAlive: 200,
  });
  const subscribe: Client['subscribe'] = (query, next, failed = () => {}) =>
    client.subscribe({ query }, { next: ({ data }) => next(data), error: failed, complete: () => {} });
  return {
    run: (query, variables) =>
      new Promise((resolve, reject) => {
        let data: unknown;
        client.subscribe(
          { query, variables: variables ?? null },
          {
            next: (result) => {
              data = result.data;
            },
            error: reject,
            complete: () => resolve(data),
          },
        );
      }),
    subscribe,
    close: () => client.dispose(),
  };
}

function older(): Client {
  const client = new SubscriptionClient(
    url(),
    { connectionParams: { headers: { 'x-engine-role': 'admin' } }, reconnect: true },
    WebSocket,
  );
  const request = (query: string, variables: Record<string, unknown> | undefined) =>
    client.request(variables ? { query, variables } : { query });
  return {
    run: (query, variables) =>
      new Promise((resolve, reject) => {
        let data: unknown;
        request(query, variables).subscribe({
          next: (result) => {
            if (result.errors) reject(result.errors);
            data = result.data;
          },
          error: reject,
          complete: () => resolve(data),
        });
      }),
    subscribe: (query, next, failed) =>
      request(query, undefined).subscribe({
        next: ({ data }) => next(data),
        ...(failed && { error: failed }),
      }).unsubscribe,
    close: () => client.close(),
  };
}

describe.each([
  ['graphql-ws 6', () => modern(createClient)],
  ['graphql-ws 5', () => modern(createClient5 as unknown as typeof createClient)],
  ['subscriptions-transport-ws', older],
])('%s', (name, open) => {
  test('subscribes, mutates over the same socket, and unsubscribes', async () => {
    await database.query('truncate note');
    const client = open();
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
    const client = open();
    // One gives the list of errors, the other its first.
    const error = await client.run('{ nothing }').catch((thrown: unknown) => [thrown].flat()[0]);
    expect(error).toMatchObject({ message: "field 'nothing' not found in type: 'query_root'" });
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
    const client = open();
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
    await expect.poll(() => first, { timeout: 10_000 }).toBe(500);
    for (const stop of stops) stop();
    await client.close();
  });
});
