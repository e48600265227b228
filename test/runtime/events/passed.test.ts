/** Looks at a long queue: they begin behind what has passed, and miss no event that commits late. */
import pg from 'pg';
import { expect, test } from 'vitest';
import { type Claimable, createClaim } from '../../../runtime/events/claim.ts';
import { createPassed } from '../../../runtime/events/passed.ts';
import { openEventsTest } from '../../harness/events.ts';

const opened = openEventsTest('create table item (id integer primary key)', { DISABLE_EVENTING: 'true' });

const look = { last: 100, xmin: 10, xmax: 10, milliseconds: 1000 };

test('a number has passed when all transactions that could have it, or a lower one, have ended', () => {
  let time = 0;
  const passed = createPassed(() => time);
  const bounds = () => passed.next(['a', 'b']);
  expect(bounds()).toEqual([0, 0]);
  passed.looked({ ...look, first: { a: 5, b: null } });
  // Not even the number that was read last has: a transaction from before may still be running.
  expect(bounds()).toEqual([0, 0]);
  passed.looked({ ...look, last: 200, xmin: 8, xmax: 12, first: { a: 5, b: null } });
  expect(bounds()).toEqual([0, 0]);
  passed.looked({ ...look, last: 300, xmin: 11, xmax: 14, first: { a: 5, b: null } });
  expect(bounds()).toEqual([0, 0]);
  passed.looked({ ...look, last: 400, xmin: 12, xmax: 15, first: { a: 5, b: null } });
  // The first look's number; not those that were read since.
  expect(bounds()).toEqual([4, 100]);
  // A look from the beginning now and then finds what is new again.
  time = 30_000;
  expect(bounds()).toEqual([0, 0]);
  passed.looked({ ...look, last: 400, first: { a: 5, b: 50 } });
  expect(bounds()).toEqual([4, 49]);
  // Tables that were made again begin with 1.
  passed.looked({ ...look, last: 3, first: { a: null, b: null } });
  expect(bounds()).toEqual([0, 0]);
});

test('looks that are fast begin at the beginning', () => {
  const passed = createPassed(() => 0);
  for (let round = 0; round < 4; round += 1) {
    expect(passed.next(['a'])).toEqual([0]);
    passed.looked({ ...look, milliseconds: 5, first: { a: null } });
  }
});

test('events are found, whatever the order in which their transactions commit', async () => {
  await opened.trigger('late', { insert: { columns: '*' } }, async () => {
    const { database } = opened;
    const owner = '00000000-0000-0000-0000-000000000001';
    await database.query('insert into engine_catalog.instances (id) values ($1)', [owner]);
    const triggers: Claimable[] = [{ name: 'late', ordering: 'none' }];
    const bounds: unknown[] = [];
    const claim = createClaim(async (sql, values = []) => {
      bounds.push((values[5] as number[])[0]);
      const rows = await database.query<{ look?: { milliseconds: number } }>(sql, [...values]);
      // As if the table were long.
      for (const row of rows) if (row.look) row.look.milliseconds = 60_000;
      return rows;
    }, owner);
    const claimed = async () => {
      const { jobs } = await claim(triggers, 100);
      await database.query(
        'update engine_catalog.event_log set delivered = true, locked = null where owner = $1',
        [owner],
      );
      return jobs.map(({ payload }) => JSON.parse(payload).data.new.id as number);
    };
    const early = new pg.Client({ connectionString: database.url });
    await early.connect();
    await early.query('begin');
    await early.query('insert into item values (1)');
    await database.query('insert into item values (2), (3)');
    expect(await claimed()).toEqual([2, 3]);
    for (let round = 0; round < 4; round += 1) expect(await claimed()).toEqual([]);
    // The lowest number of all.
    await early.query('commit');
    await early.end();
    expect(await claimed()).toEqual([1]);
    // Transactions of other tests on the same server also hold the bound back.
    const nextBound = async () => {
      expect(await claimed()).toEqual([]);
      return bounds.at(-1);
    };
    await expect.poll(nextBound).toBe(3);
    await database.query('insert into item values (4)');
    expect(await claimed()).toEqual([4]);
    // One that another instance holds, and leaves, has not passed.
    await database.query('insert into item values (5), (6)');
    const other = '00000000-0000-0000-0000-000000000002';
    await database.query('insert into engine_catalog.instances (id) values ($1)', [other]);
    await database.query(
      `update engine_catalog.event_log set locked = now(), owner = $1 where payload #>> '{data,new,id}' = '5'`,
      [other],
    );
    expect(await claimed()).toEqual([6]);
    for (let round = 0; round < 4; round += 1) expect(await claimed()).toEqual([]);
    await database.query('delete from engine_catalog.instances where id = $1', [other]);
    expect(await claimed()).toEqual([5]);
  });
});
