/** What the benchmarks of events share: a cluster, the built server on databases of its own, and a webhook. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';
import { type EmbeddedPostgres, startEmbeddedPostgres } from '../../../compiler/offline/embedded.ts';
import { type MeasuredServer, startMeasured } from '../child.ts';
import { buildPackage } from '../processes.ts';
import { type ServerProcess, startServerProcess } from '../server.ts';
import type { ReceivedCall } from '../servers/receiver.ts';

export type { GoalFigure as EventFigure } from '../results.ts';

export interface Rig {
  readonly postgres: EmbeddedPostgres;
  readonly receiver: Receiver;
  readonly progress: (text: string) => void;
  /** An empty database, and a client of it. */
  database(name: string): Promise<Database>;
  /** The built server on a database. @param environment without its prefix */
  serve(
    url: string,
    environment?: Readonly<Record<string, string>>,
    wrapper?: readonly string[],
  ): Promise<Engine>;
  stop(): Promise<void>;
}

interface Database {
  readonly url: string;
  readonly client: pg.Client;
}

export interface Engine extends ServerProcess {
  /** An operation of the metadata API. @throws with its answer unless it succeeds */
  metadata(type: string, args: object): Promise<unknown>;
  /** A query or mutation. @throws with its answer if it has errors */
  query(text: string): Promise<void>;
  /** Tracks `item` and captures its events. */
  trigger(name: string, path: string, definition?: object): Promise<void>;
  stop(signal?: NodeJS.Signals): Promise<void>;
}

interface Receiver {
  readonly url: string;
  /** Calls since the last `take`; those to `/hang` apart. */
  count(): Promise<number>;
  hanging(): Promise<number>;
  /** Calls since the last time. */
  take(): Promise<readonly ReceivedCall[]>;
  /** Waits for so many calls since the last `take`. */
  waitFor(count: number, seconds?: number): Promise<void>;
  control(command: 'down' | 'up'): Promise<unknown>;
}

export async function openRig(progress: (text: string) => void): Promise<Rig> {
  const folder = mkdtempSync(join(tmpdir(), 'engine-bench-'));
  progress('building the package');
  const program = buildPackage(folder);
  const postgres = await startEmbeddedPostgres();
  const receiving = await startMeasured('receiver.ts', {});
  const receiver = receiverOf(receiving);
  const clients: pg.Client[] = [];
  const engines = new Set<Engine>();
  return {
    postgres,
    receiver,
    progress,
    database: async (name) => {
      const url = await postgres.createDatabase(name);
      const client = await connect(url);
      clients.push(client);
      return { url, client };
    },
    serve: async (url, environment = {}, wrapper = []) => {
      const engine = await serve(url, receiver.url, { program, environment, wrapper });
      engines.add(engine);
      return engine;
    },
    stop: async () => {
      for (const { child } of engines) child.kill('SIGKILL');
      await Promise.all(clients.map((client) => client.end().catch(() => {})));
      await receiving.stop();
      await postgres.stop();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

export async function connect(url: string): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: url });
  // A server that is restarted on purpose.
  client.on('error', () => {});
  await client.connect();
  return client;
}

async function serve(
  url: string,
  webhook: string,
  given: { program: string; environment: Readonly<Record<string, string>>; wrapper: readonly string[] },
): Promise<Engine> {
  const server = await startServerProcess(url, [], given);
  const post = async (path: string, body: object) => {
    const answer = await fetch(`http://127.0.0.1:${server.port}${path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
    const text = await answer.text();
    if (answer.status !== 200 || text.includes('"errors"')) throw new Error(text);
    return JSON.parse(text) as unknown;
  };
  const metadata = (type: string, args: object) => post('/v1/metadata', { type, args });
  return {
    ...server,
    metadata,
    query: async (query) => {
      await post('/v1/graphql', { query });
    },
    trigger: async (name, path, definition = { insert: { columns: '*' } }) => {
      await metadata('pg_track_table', { table: 'item' }).catch((error: Error) => {
        if (!error.message.includes('already-tracked')) throw error;
      });
      await metadata('pg_create_event_trigger', {
        name,
        table: 'item',
        webhook: `${webhook}${path}`,
        ...definition,
      });
    },
    stop: async (signal = 'SIGTERM') => {
      if (server.child.exitCode !== null || server.child.signalCode !== null) return;
      const ended = new Promise((resolve) => server.child.once('exit', resolve));
      server.child.kill(signal);
      await ended;
    },
  };
}

function receiverOf({ port }: MeasuredServer): Receiver {
  const url = `http://127.0.0.1:${port}`;
  const ask = async (command: string) => (await fetch(`${url}/control/${command}`)).json();
  const count = () => ask('count') as Promise<number>;
  return {
    url,
    count,
    hanging: () => ask('hanging') as Promise<number>,
    take: () => ask('calls') as Promise<readonly ReceivedCall[]>,
    waitFor: async (wanted, seconds = 60) => {
      await until(`${wanted} calls`, async () => (await count()) >= wanted, seconds);
    },
    control: ask,
  };
}

/** Waits until something holds. @throws when it does not in time */
export async function until(what: string, holds: () => Promise<boolean>, seconds = 60): Promise<void> {
  const end = Date.now() + seconds * 1000;
  while (!(await holds().catch(() => false))) {
    if (Date.now() > end) throw new Error(`waited ${seconds} s for ${what}`);
    await delay(10);
  }
}

export const ITEMS = 'create table item (id int primary key, n int not null default 0, note text)';

/** Writes rows of `item` with the numbers after `first`. */
export const writeItems = (client: pg.Client, first: number, count: number) =>
  client.query(`insert into item select $1 + n, 0, repeat('x', 100) from generate_series(1, $2) n`, [
    first,
    count,
  ]);

/** Writes so many items and waits until their events are delivered and recorded. @returns calls per second */
export async function deliverItems(
  { receiver }: Rig,
  client: pg.Client,
  first: number,
  count: number,
  resume: () => Promise<unknown> = async () => {},
): Promise<number> {
  await writeItems(client, first, count);
  await resume();
  await receiver.waitFor(count, 120);
  await settled(client);
  return rateOf(await receiver.take());
}

/** Waits until every event is delivered and recorded. */
export const settled = (client: pg.Client) =>
  until('outcomes', async () => (await undelivered(client)) === 0, 120);

export async function numberFrom(client: pg.Client, sql: string): Promise<number> {
  const { rows } = await client.query(`select (${sql})::float8 as number`);
  return rows[0].number;
}

/** Events that are not delivered. */
const undelivered = (client: pg.Client) =>
  numberFrom(
    client,
    'select count(*) from engine_catalog.event_log where not delivered or locked is not null',
  );

export const now = () => performance.timeOrigin + performance.now();

/** Calls per second between the first and the last one. */
export function rateOf(calls: readonly ReceivedCall[]): number {
  const times = calls.map(([, , at]) => at);
  const [first, last] = [times.reduce((a, b) => Math.min(a, b)), times.reduce((a, b) => Math.max(a, b))];
  return ((calls.length - 1) * 1000) / (last - first);
}
