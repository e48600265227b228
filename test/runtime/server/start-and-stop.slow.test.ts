/** The program as it is run in earnest: a process of its own, signals, databases that are not there. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { connect, createServer as createListener } from 'node:net';
import { fileURLToPath } from 'node:url';
import pg from 'pg';
import { afterAll, describe, expect, test } from 'vitest';
import { freePort } from '../../harness/free-port.ts';
import { confidential, record } from '../../harness/output.ts';
import { createTestDatabase, type TestDatabase } from '../../harness/postgres.ts';

const ADMIN = 'the-admin-secret-of-start-and-stop';
const program = fileURLToPath(new URL('../../../compiler/cli/bin.mjs', import.meta.url));
const processes = new Set<ChildProcess>();

afterAll(() => {
  for (const child of processes) child.kill('SIGKILL');
});

interface Started {
  readonly child: ChildProcess;
  readonly output: () => string;
  /** Exit status; null when a signal ended it. */
  readonly ended: Promise<number | null>;
}

function start(environment: Readonly<Record<string, string>>, ...flags: string[]): Started {
  confidential.add(ADMIN);
  const child = spawn(process.execPath, [...flags, program, 'serve'], {
    env: {
      PATH: process.env.PATH,
      ENGINE_GRAPHQL_SERVER_PORT: '0',
      ENGINE_GRAPHQL_SERVER_HOST: '127.0.0.1',
      ENGINE_GRAPHQL_ADMIN_SECRET: ADMIN,
      ...environment,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  processes.add(child);
  let text = '';
  const take = (chunk: Buffer) => {
    text += chunk;
    record(String(chunk));
  };
  child.stdout!.on('data', take);
  child.stderr!.on('data', take);
  const ended = once(child, 'close').then(([status]) => {
    processes.delete(child);
    return status as number | null;
  });
  return { child, output: () => text, ended };
}

/** The address, once the server listens. */
async function listening(server: Started): Promise<string> {
  const port = () => /"the server listens","port":(\d+)/.exec(server.output())?.[1];
  await expect.poll(port, { timeout: 60_000 }).toBeDefined();
  return `http://127.0.0.1:${port()}`;
}

async function send(address: string, path: string, body: object): Promise<{ status: number; text: string }> {
  const response = await fetch(`${address}${path}`, {
    method: 'POST',
    headers: { 'x-engine-admin-secret': ADMIN, connection: 'close' },
    body: JSON.stringify(body),
  });
  const text = await response.text();
  return { status: response.status, text };
}

const steps = (output: string): string[] =>
  output
    .split('\n')
    .filter((line) => line.includes('"type":"startup"'))
    .map((line) => JSON.parse(line).detail.kind);

/** A table, and a function that takes as long as the number of the lock is held by somebody else. */
const schema = `
  create table item (id int primary key);
  insert into item values (1);
  create function patient() returns setof item language sql volatile as
    'select item.* from item, (select pg_advisory_xact_lock(7)) as waited';
`;

async function serveItems(database: TestDatabase): Promise<{ server: Started; address: string }> {
  const server = start({ ENGINE_GRAPHQL_DATABASE_URL: database.url });
  const address = await listening(server);
  const args = { source: 'default', table: 'item' };
  const tracked = await send(address, '/v1/metadata', {
    type: 'bulk',
    args: [
      { type: 'pg_track_table', args },
      { type: 'pg_track_function', args: { function: 'patient', configuration: { exposed_as: 'mutation' } } },
    ],
  });
  expect(tracked).toMatchObject({ status: 200 });
  return { server, address };
}

/** Takes the lock until the client ends. */
async function holdLock(database: TestDatabase): Promise<pg.Client> {
  const holder = new pg.Client({ connectionString: database.url });
  await holder.connect();
  await holder.query('select pg_advisory_lock(7)');
  return holder;
}

/** Whether somebody in the database waits for the lock. */
async function isWaiting(database: TestDatabase): Promise<boolean> {
  const rows = await database.query(
    `select from pg_locks where locktype = 'advisory' and not granted
     and database = (select oid from pg_database where datname = current_database())`,
  );
  return rows.length > 0;
}

function isOpen(address: string): Promise<boolean> {
  return fetch(`${address}/healthz`).then(
    () => true,
    () => false,
  );
}

describe('SIGTERM', () => {
  test('lets a running request finish, takes no new one, and ends with status 0', async () => {
    const database = await createTestDatabase(schema);
    const { server, address } = await serveItems(database);
    expect(steps(server.output())).toEqual(['server_configuration', 'postgres_connection', 'server']);
    const holder = await holdLock(database);
    const answer = send(address, '/v1/graphql', { query: 'mutation { patient { id } }' });
    await expect.poll(() => isWaiting(database)).toBe(true);
    server.child.kill('SIGTERM');
    await expect.poll(() => isOpen(address)).toBe(false);
    expect(server.child.exitCode).toBeNull();
    await holder.end();
    expect(await answer).toEqual({ status: 200, text: '{"data":{"patient":[{"id":1}]}}' });
    expect(await server.ended).toBe(0);
    expect(server.output()).toContain('the server has stopped');
  });

  test('a second one does not wait', async () => {
    const database = await createTestDatabase(schema);
    const { server, address } = await serveItems(database);
    const holder = await holdLock(database);
    const answer = send(address, '/v1/graphql', { query: 'mutation { patient { id } }' }).catch(() => 'lost');
    await expect.poll(() => isWaiting(database)).toBe(true);
    server.child.kill('SIGTERM');
    await expect.poll(() => isOpen(address)).toBe(false);
    server.child.kill('SIGTERM');
    expect(await server.ended).toBe(1);
    expect(await answer).toBe('lost');
    await holder.end();
  });
});

const PASSWORD = 'the-password-of-start-and-stop';

test('a metadata database that is not there is tried again, then stops the start', async () => {
  confidential.add(PASSWORD);
  const url = `postgres://someone:${PASSWORD}@127.0.0.1:${await freePort()}/nowhere`;
  const server = start({ ENGINE_GRAPHQL_DATABASE_URL: url, ENGINE_GRAPHQL_NO_OF_RETRIES: '2' });
  expect(await server.ended).toBe(1);
  const fatal = server
    .output()
    .split('\n')
    .filter((line) => line.startsWith('Fatal Error:-'));
  expect(fatal).toHaveLength(1);
  expect(server.output()).not.toContain(PASSWORD);
  expect(server.output()).not.toContain('the server listens');
});

test('a source that is not there is left out, the rest is served, and it is back when it is there', async () => {
  const metadata = await createTestDatabase();
  const database = await createTestDatabase(schema);
  const nowhere = new URL(database.url);
  nowhere.port = String(await freePort());
  const environment = { ENGINE_GRAPHQL_METADATA_DATABASE_URL: metadata.url, PG_OTHER: database.url };
  const first = start({ ...environment, ENGINE_GRAPHQL_DATABASE_URL: database.url });
  const address = await listening(first);
  const from = (variable: string) => ({ connection_info: { database_url: { from_env: variable } } });
  const added = await send(address, '/v1/metadata', {
    type: 'bulk',
    args: [
      { type: 'pg_add_source', args: { name: 'other', configuration: from('PG_OTHER') } },
      { type: 'pg_track_table', args: { source: 'default', table: 'item' } },
      {
        type: 'pg_track_table',
        args: { source: 'other', table: 'item', configuration: { custom_name: 'other_item' } },
      },
    ],
  });
  expect(added.text).toContain('success');
  first.child.kill('SIGTERM');
  expect(await first.ended).toBe(0);

  const second = start({ ...environment, ENGINE_GRAPHQL_DATABASE_URL: nowhere.href });
  const again = await listening(second);
  const health = async (strict: string) => {
    const response = await fetch(`${again}/healthz?strict=${strict}`);
    return [response.status, await response.text()];
  };
  expect(await health('false')).toEqual([200, 'WARN: inconsistent objects in schema']);
  expect(await health('true')).toEqual([500, 'ERROR: inconsistent objects in schema']);
  expect(await send(again, '/v1/graphql', { query: '{ other_item { id } }' })).toMatchObject({
    text: '{"data":{"other_item":[{"id":1}]}}',
  });
  expect((await send(again, '/v1/graphql', { query: '{ item { id } }' })).text).toContain(
    'not found in type',
  );
  expect(second.output()).toContain('inconsistent objects are not served');
  expect(second.output()).not.toContain(`:${nowhere.password}@`);

  const { port, hostname } = new URL(database.url);
  const forwarder = createListener((socket) => {
    const onward = connect(Number(port), hostname);
    for (const end of [socket, onward]) end.on('error', () => {});
    socket.pipe(onward).pipe(socket);
  });
  await once(forwarder.listen(Number(nowhere.port), nowhere.hostname), 'listening');
  await expect
    .poll(async () => (await send(again, '/v1/graphql', { query: '{ item { id } }' })).text, {
      timeout: 60_000,
    })
    .toBe('{"data":{"item":[{"id":1}]}}');
  expect(await health('true')).toEqual([200, 'OK']);
  second.child.kill('SIGTERM');
  expect(await second.ended).toBe(0);
  forwarder.close();
});

describe('an exception that nothing catches', () => {
  /** Throws in a timer, and rejects a promise that nobody waits for, on signals. */
  const THROWS =
    "data:text/javascript,process.on('SIGUSR2',()=>{setTimeout(()=>{throw new TypeError('thrown in a timer')});Promise.reject(new RangeError('rejected'))})";

  test('is logged with its name, and the server goes on', async () => {
    const database = await createTestDatabase(schema);
    const server = start({ ENGINE_GRAPHQL_DATABASE_URL: database.url }, '--import', THROWS);
    const address = await listening(server);
    server.child.kill('SIGUSR2');
    for (const error of ['TypeError: thrown in a timer', 'RangeError: rejected'])
      await expect
        .poll(server.output)
        .toMatch(new RegExp(`"unhandled-internal-error".*nothing caught this error.*${error}`));
    expect(await send(address, '/v1/graphql', { query: '{ __typename }' })).toMatchObject({ status: 200 });
    server.child.kill('SIGTERM');
    expect(await server.ended).toBe(0);
  });

  test('during the start ends the process', async () => {
    const server = start(
      {},
      '--import',
      "data:text/javascript,setTimeout(()=>{throw new TypeError('too early')})",
    );
    expect(await server.ended).toBe(1);
    expect(server.output()).toContain('TypeError: too early');
  });

  test('of standard output, which nobody reads any more, ends the process', async () => {
    const database = await createTestDatabase(schema);
    const server = start({ ENGINE_GRAPHQL_DATABASE_URL: database.url });
    const address = await listening(server);
    server.child.stdout!.destroy();
    // Its log line is the first that cannot be written.
    await send(address, '/v1/graphql', { query: '{ __typename }' }).catch(() => {});
    expect(await server.ended).toBe(1);
  });
});
