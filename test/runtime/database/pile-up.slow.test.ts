/** Many operations that wait for one lock, or are slow, hold up no others: docs/connections.md. */
import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';
import { beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { LockWaitError } from '../../../runtime/database/failures.ts';
import type { SourceConnection } from '../../../runtime/database/source.ts';
import type { WriteManner } from '../../../runtime/database/task.ts';
import { createTestDatabase, type TestDatabase } from '../../harness/postgres.ts';
import { openSource } from '../../harness/source.ts';

const schema = `
  create table item (id int primary key, n int not null);
  insert into item select n, 0 from generate_series(1, 100) n;
  create function slow(waits boolean) returns text language plpgsql volatile as
    $$ begin if waits then perform pg_advisory_xact_lock_shared(1); end if; return 'done'; end $$;
`;
const count = { text: 'update item set n = n + 1 where id = ($1)::int returning n::text' };
const countMany = {
  text: 'with "written" as (update item set n = n + 1 where id = ($1)::int returning n) select count(*)::text from "written"',
};
const byKey = { text: 'select n::text from item where id = ($1)::int' };
const slow = { text: 'select slow(($1)::boolean)' };
let texts = 0;

const PILE = 70;
const CONNECTIONS = 16;

let database: TestDatabase;
let source: SourceConnection;

beforeEach(async () => {
  database = await createTestDatabase(schema);
  source = openSource(database.url, { maxConnections: CONNECTIONS });
  // So that they are known.
  for (let n = 0; n < 3; n++) {
    await source.readTexts(byKey, ['1']);
    await write('shared', '1');
  }
});

/** Gone before the source is ended, or the source would wait for locks for ever. */
async function connect(): Promise<pg.Client> {
  const client = new pg.Client(database.url);
  await client.connect();
  onTestFinished(async () => {
    await client.end();
    await source.end();
  });
  return client;
}

function write(manner: WriteManner, id: string) {
  const statement = manner === 'shared' ? count : countMany;
  return source.writeTexts([{ ...statement, values: [id] }], { manner });
}

/** A read of every kind and a write of every kind, of other rows, one after the other. */
async function runOthers(times: number): Promise<void> {
  for (let time = 0; time < times; time++) {
    await source.readTexts(byKey, ['2']);
    texts += 1;
    await source.readTexts({ text: `select n::text, ${texts} from item where id = ($1)::int` }, ['2']);
    await write('shared', '3');
    await write('alone', '4');
  }
}

describe.each(['shared', 'alone'] as const)('70 writers of one locked row, %s', (manner) => {
  test('others are answered meanwhile, and each writer writes once or is refused', async () => {
    const holder = await connect();
    await holder.query('begin; select from item where id = 50 for update');
    let settled = 0;
    const writers = Array.from({ length: PILE }, () => write(manner, '50').finally(() => (settled += 1)));
    const results = Promise.allSettled(writers);
    await runOthers(1);
    expect(settled).toBe(0);
    // The others are refused in time; half of the connections wait.
    await expect.poll(() => settled).toBe(PILE - CONNECTIONS / 2);
    await runOthers(20);
    expect(settled).toBe(PILE - CONNECTIONS / 2);
    await holder.query('commit');
    const outcomes = await results;
    const done = outcomes.filter(({ status }) => status === 'fulfilled');
    for (const outcome of outcomes)
      if (outcome.status === 'rejected') expect(outcome.reason).toBeInstanceOf(LockWaitError);
    expect(done).toHaveLength(CONNECTIONS / 2);
    expect(await database.query('select n from item where id = 50')).toEqual([{ n: done.length }]);
  });

  test('all of them write once when the lock is gone before long', async () => {
    const holder = await connect();
    await holder.query('begin; select from item where id = 50 for update');
    const writers = Array.from({ length: PILE }, () => write(manner, '50'));
    await runOthers(1);
    await holder.query('commit');
    await Promise.all(writers);
    expect(await database.query('select n from item where id = 50')).toEqual([{ n: PILE }]);
  });
});

describe('writers that may not be undone', () => {
  test('wait for the lock where they are', async () => {
    const holder = await connect();
    await holder.query('begin; select from item where id = 50 for update');
    let settled = 0;
    const writers = Array.from({ length: PILE }, () => write('once', '50').finally(() => (settled += 1)));
    // They have three quarters of the connections, so reads and writes that share connections go on.
    for (let n = 0; n < 20; n++) await Promise.all([source.readTexts(byKey, ['2']), write('shared', '3')]);
    expect(settled).toBe(0);
    await holder.query('commit');
    await Promise.all(writers);
    expect(await database.query('select n from item where id = 50')).toEqual([{ n: PILE }]);
  });
});

describe('reads that call a slow function', () => {
  test.each(['slow', 'quick', 'unknown'])('that is known to be %s delay no others', async (known) => {
    const holder = await connect();
    const begin = () => holder.query('select pg_advisory_lock(1)');
    const end = () => holder.query('select pg_advisory_unlock(1)');
    if (known === 'slow') {
      await begin();
      const first = source.readTexts(slow, ['true']);
      await runOthers(1);
      await delay(200);
      await end();
      await first;
    }
    if (known === 'quick') for (let n = 0; n < 3; n++) await source.readTexts(slow, ['false']);
    await begin();
    const reads = Array.from({ length: 40 }, () => source.readTexts(slow, ['true']));
    // While nothing is known of them, others may be behind them for two looks.
    await runOthers(5);
    await end();
    expect(await Promise.all(reads)).toEqual(reads.map(() => ['done']));
    const quick = Array.from({ length: 40 }, () => source.readTexts(slow, ['false']));
    expect(await Promise.all(quick)).toEqual(quick.map(() => ['done']));
  });
});
