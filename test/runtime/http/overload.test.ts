/** What a server refuses when it is asked more than it may answer, and reads whose clients leave. */
import { request } from 'node:http';
import { connect } from 'node:net';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createTestDatabase, type TestDatabase } from '../../harness/postgres.ts';
import { type Answer, send, startTestServer, type TestServer } from '../../harness/server.ts';

const ADMIN = 'the-admin-secret-under-load';
const admin = { 'x-engine-admin-secret': ADMIN };

let database: TestDatabase;
const servers: TestServer[] = [];

/** Starts a server with two sources on one database: `default` with few connections, and `other`. */
async function start(connections: number, options: Record<string, string>): Promise<TestServer> {
  const server = await startTestServer(database, { ADMIN_SECRET: ADMIN, ...options });
  servers.push(server);
  const source = (name: string, max_connections: number, more: object) => ({
    name,
    kind: 'postgres',
    configuration: {
      connection_info: {
        database_url: { from_env: 'ENGINE_GRAPHQL_DATABASE_URL' },
        pool_settings: { max_connections },
      },
    },
    ...more,
  });
  const table = { schema: 'public', name: 'note' };
  const metadata = {
    version: 3,
    sources: [
      source('default', connections, {
        tables: [{ table }],
        functions: ['nap', 'held'].map((name) => ({
          function: { schema: 'public', name },
          configuration: { exposed_as: 'query' },
        })),
      }),
      source('other', 5, {
        tables: [{ table, configuration: { custom_name: 'other_note' } }],
      }),
    ],
    rest_endpoints: [
      {
        name: 'others',
        url: 'others',
        methods: ['GET'],
        definition: { query: { collection_name: 'saved', query_name: 'others' } },
      },
    ],
    query_collections: [
      {
        name: 'saved',
        definition: { queries: [{ name: 'others', query: 'query others { other_note { id } }' }] },
      },
    ],
  };
  const body = { type: 'replace_metadata', version: 2, args: { metadata } };
  expect((await send(server, '/v1/metadata', { headers: admin, body })).text).toContain(
    '"is_consistent":true',
  );
  return server;
}

const graphql = (server: TestServer, query: string, path = '/v1/graphql') =>
  send(server, path, { headers: admin, body: { query } });
const nap = (seconds: number) => `{ nap(args: {seconds: ${seconds}}) { id } }`;
const HELD = '{ held { id } }';

/** How many reads sleep in Postgres. */
async function running(): Promise<number> {
  const [row] = await database.query<{ n: number }>(
    `select count(*)::int n from pg_stat_activity where datname = current_database() and wait_event = 'PgSleep'`,
  );
  return row!.n;
}

/** Reads of HELD sleep, and do not wait for a lock, until `use` calls back. */
async function holding(use: (release: () => Promise<unknown>) => Promise<void>): Promise<void> {
  const holder = new pg.Client(database.url);
  await holder.connect();
  await holder.query('select pg_advisory_lock(1)');
  try {
    await use(() => holder.query('select pg_advisory_unlock(1)'));
  } finally {
    await holder.end();
  }
}

/** Sends a read and gives what makes its client leave. */
function askAndLeave(server: TestServer, query: string): () => void {
  const { port } = server;
  const asked = request({ host: '127.0.0.1', port, path: '/v1/graphql', method: 'POST', headers: admin });
  asked.on('error', () => {});
  asked.end(JSON.stringify({ query }));
  return () => asked.destroy();
}

beforeAll(async () => {
  database = await createTestDatabase(`
    create table note (id integer primary key);
    create sequence naps;
    create function nap(seconds float) returns setof note language sql stable
      as $$ select nextval('naps'), pg_sleep(seconds); select * from note $$;
    create function is_holding() returns boolean language sql volatile
      as $$ select exists (select from pg_locks join pg_database d on d.oid = database
        where locktype = 'advisory' and datname = current_database()) $$;
    create function held() returns setof note language plpgsql stable
      as $$ begin while is_holding() loop perform pg_sleep(0.05); end loop; return query select * from note; end $$;
  `);
});

afterAll(async () => {
  for (const server of servers) await server.stop();
});

describe('as many requests as the server may answer at once', () => {
  test('others are refused, in the shape of each endpoint, and counted', async () => {
    const server = await start(10, {
      MAX_CONCURRENT_REQUESTS: '3',
      ENABLED_APIS: 'metadata,graphql,metrics',
    });
    await holding(async (release) => {
      const held = Array.from({ length: 3 }, () => graphql(server, HELD));
      await expect.poll(running).toBe(3);
      const refused = { code: 'overloaded', path: '$' };
      const message = expect.stringContaining('as many requests as it may');
      const again = { 'retry-after': '1' };
      for (const path of ['/v1/graphql', '/v1alpha1/graphql'])
        expect(await graphql(server, '{ __typename }', path)).toMatchObject({
          status: 503,
          headers: again,
          json: { errors: [{ message, extensions: refused }] },
        });
      expect(await send(server, '/api/rest/others', { method: 'GET', headers: admin })).toMatchObject({
        status: 503,
        headers: again,
        json: { error: message, ...refused },
      });
      for (const path of ['/livez', '/readyz', '/healthz?strict=true'])
        expect((await send(server, path, { method: 'GET' })).status).toBe(200);
      const metrics = await send(server, '/v1/metrics', { method: 'GET', headers: admin });
      expect(metrics.text).toContain('engine_shed_total 3');
      await release();
      for (const { json } of await Promise.all(held)) expect(json).toEqual({ data: { held: [] } });
    });
    expect(await graphql(server, '{ note { id } }')).toMatchObject({ status: 200 });
  });
});

test('requests of a connection that ends are not counted any more, also those that wait behind others', async () => {
  const server = await start(10, { MAX_CONCURRENT_REQUESTS: '4' });
  const body = JSON.stringify({ query: HELD });
  const asked = `POST /v1/graphql HTTP/1.1\r\nHost: x\r\nX-Engine-Admin-Secret: ${ADMIN}\r\nContent-Length: ${body.length}\r\n\r\n${body}`;
  await holding(async (release) => {
    const client = connect(server.port, '127.0.0.1');
    client.write(asked.repeat(4));
    await expect.poll(running).toBe(4);
    expect((await graphql(server, '{ __typename }')).status).toBe(503);
    client.destroy();
    await expect.poll(async () => (await graphql(server, '{ __typename }')).status).toBe(200);
    const statuses = await Promise.all(Array.from({ length: 4 }, () => graphql(server, '{ __typename }')));
    expect(statuses.map(({ status }) => status)).toEqual([200, 200, 200, 200]);
    await release();
  });
});

describe('as many operations as may wait for a connection', () => {
  test('others are refused, and another source answers', async () => {
    const server = await start(1, { MAX_WAITING_OPERATIONS: '2' });
    await graphql(server, HELD);
    await holding(async (release) => {
      const answers: Answer[] = [];
      const asked = Array.from({ length: 6 }, async () => answers.push(await graphql(server, HELD)));
      await expect.poll(() => answers.length).toBe(3);
      for (const { status, json, headers } of answers) {
        expect(status).toBe(503);
        expect(headers['retry-after']).toBe('1');
        expect(json).toMatchObject({ errors: [{ extensions: { code: 'overloaded' } }] });
      }
      expect(await graphql(server, '{ other_note { id } }')).toMatchObject({ status: 200 });
      await release();
      await Promise.all(asked);
      expect(answers.slice(3).map(({ status }) => status)).toEqual([200, 200, 200]);
    });
  });
});

describe('a client leaves', () => {
  test('what it asked for ends in the database, and does not begin if it waits', async () => {
    const server = await start(2, {});
    await database.query(`select setval('naps', 1, false)`);
    const leaving = Array.from({ length: 4 }, () => askAndLeave(server, nap(60)));
    await expect.poll(running).toBe(1);
    for (const leave of leaving) leave();
    await expect.poll(running).toBe(0);
    expect(await graphql(server, nap(0))).toMatchObject({ status: 200, json: { data: { nap: [] } } });
    const [row] = await database.query<{ last_value: string }>('select last_value from naps');
    // The one that ran, and the last.
    expect(row!.last_value).toBe('2');
  });
});
