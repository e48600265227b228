/**
 * Writes while backends are terminated and cancelled and PostgreSQL restarts: what each client was answered is compared with
 * the tables. Acknowledged: there once. Refused: not there. Connection lost: unknown, so at most once.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';
import { expect, onTestFinished, test } from 'vitest';
import { type EmbeddedPostgres, startEmbeddedPostgres } from '../../../compiler/offline/embedded.ts';
import {
  CommitFailedError,
  ConnectionFailedError,
  connectionLost,
  LockWaitError,
} from '../../../runtime/database/failures.ts';
import type { WriteManner } from '../../../runtime/database/task.ts';
import { freePort } from '../../harness/free-port.ts';
import { createTestDatabase } from '../../harness/postgres.ts';
import { openSource } from '../../harness/source.ts';

/** `written` has no key, so that a write that is done twice is found. */
const schema = `
  create table written (key int not null, part int not null);
  create table hot (id int primary key, n int not null);
  insert into hot select n, 0 from generate_series(1, 3) n;
`;
const insert = { text: 'insert into written values (($1)::int, 1) returning key::text' };
const count = { text: 'update hot set n = n + 1 where id = ($1)::int returning n::text' };
const second = {
  text: 'with "written" as (insert into written values (($1)::int, 2) returning key) select count(*)::text from "written"',
};
const MANNERS: readonly WriteManner[] = ['shared', 'alone', 'once'];
const CLIENTS = 48;

type Outcome = 'acknowledged' | 'refused' | 'unknown';

function outcomeOf(error: unknown): Outcome {
  if (error instanceof ConnectionFailedError || error instanceof LockWaitError) return 'refused';
  const cause = (error as Error).cause;
  if (connectionLost(cause)) return 'unknown';
  if (error instanceof CommitFailedError || cause instanceof pg.DatabaseError) return 'refused';
  throw error;
}

/** Writes from many clients at once, until so many writes were made and the disturbing is over. */
async function writeAll(
  url: string,
  writes: number,
  disturb: (outcomes: ReadonlyMap<number, Outcome>) => Promise<void>,
) {
  const source = openSource(url, { maxConnections: 12, retries: 2 });
  const outcomes = new Map<number, Outcome>();
  let next = 0;
  let isDisturbed = true;
  const disturbing = disturb(outcomes).finally(() => (isDisturbed = false));
  const client = async () => {
    while (next < writes || isDisturbed) {
      const key = next++;
      const manner = MANNERS[key % 3]!;
      const values = [String(key)];
      // Of the other two kinds, each write counts in a row that many write, and so waits for locks now and then.
      const statements =
        manner === 'shared'
          ? [{ ...insert, values }]
          : [
              { ...insert, values },
              { ...count, values: [String(1 + (key % 3))] },
              { ...second, values },
            ];
      try {
        await source.writeTexts(statements, { manner });
        outcomes.set(key, 'acknowledged');
      } catch (error) {
        outcomes.set(key, outcomeOf(error));
        await delay(5);
      }
    }
  };
  await Promise.all(Array.from({ length: CLIENTS }, client));
  await disturbing;
  await source.end();
  return outcomes;
}

async function compare(url: string, outcomes: ReadonlyMap<number, Outcome>) {
  const client = new pg.Client(url);
  await client.connect();
  const { rows } = await client.query<{ key: number; parts: number[] }>(
    'select key, array_agg(part order by part) as parts from written group by key',
  );
  await client.end();
  const found = new Map(rows.map(({ key, parts }) => [key, parts.join()]));
  const wrong: string[] = [];
  for (const [key, outcome] of outcomes) {
    const there = found.get(key);
    const once = key % 3 === 0 ? '1' : '1,2';
    const isRight =
      outcome === 'acknowledged'
        ? there === once
        : outcome === 'refused'
          ? there === undefined
          : there === undefined || there === once;
    if (!isRight) wrong.push(`${key} ${outcome}: ${there}`);
  }
  expect(wrong).toEqual([]);
  const counts = { acknowledged: 0, refused: 0, unknown: 0 };
  for (const outcome of outcomes.values()) counts[outcome] += 1;
  return counts;
}

test.each(['terminated', 'cancelled'])(
  '10,000 writes while backends are %s',
  async (how) => {
    const { url } = await createTestDatabase(schema);
    const end = how === 'terminated' ? 'pg_terminate_backend' : 'pg_cancel_backend';
    const outcomes = await writeAll(url, 10_000, async () => {
      // Two, because a transaction sees the activity as it was when it first looked.
      const [holder, observer] = [new pg.Client(url), new pg.Client(url)];
      await Promise.all([holder.connect(), observer.connect()]);
      const endOne = async (which: string) => {
        const { rowCount } = await observer.query(`select ${end}(pid) from pg_stat_activity
          where datname = current_database() and application_name = 'engine' and ${which} order by random() limit 1`);
        return rowCount === 1;
      };
      for (let round = 0; round < 10; round++) {
        await endOne('true');
        // Most statements are over before a signal arrives, so every second one goes to a backend that is held by a lock.
        await holder.query('begin; select from hot where id = 2 for update');
        while (!(await endOne(`wait_event_type = 'Lock'`))) await delay(1);
        await holder.query('commit');
        await delay(30);
      }
      await Promise.all([holder.end(), observer.end()]);
    });
    const counts = await compare(url, outcomes);
    expect(outcomes.size).toBeGreaterThanOrEqual(10_000);
    expect(counts.acknowledged).toBeGreaterThan(5_000);
    expect(counts[how === 'terminated' ? 'unknown' : 'refused']).toBeGreaterThan(0);
    if (how === 'cancelled') expect(counts.unknown).toBe(0);
  },
  300_000,
);

test('10,000 writes while PostgreSQL restarts', async () => {
  const dataDirectory = mkdtempSync(join(tmpdir(), 'engine-restart-'));
  const port = await freePort();
  let cluster: EmbeddedPostgres = await startEmbeddedPostgres({ dataDirectory, port });
  onTestFinished(async () => {
    await cluster.stop();
    rmSync(dataDirectory, { recursive: true, force: true });
  });
  const url = await cluster.createDatabase('shop');
  const client = new pg.Client(url);
  await client.connect();
  await client.query(schema);
  await client.end();
  const outcomes = await writeAll(url, 10_000, async (soFar) => {
    const acknowledged = () => [...soFar.values()].filter((outcome) => outcome === 'acknowledged').length;
    for (let restarts = 0; restarts < 4; restarts++) {
      const before = acknowledged();
      while (acknowledged() < before + 500) await delay(10);
      await cluster.stop();
      cluster = await startEmbeddedPostgres({ dataDirectory, port });
    }
  });
  const counts = await compare(url, outcomes);
  expect(counts.unknown).toBeGreaterThan(0);
}, 300_000);
