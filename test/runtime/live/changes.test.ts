/** Live queries that are fed by changes: the interval is so long that no poll can be what brings a result. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { SubscriptionPlan } from '../../../runtime/core/request/subscription.ts';
import { readSetOf } from '../../../runtime/core/sql/reads.ts';
import { type Change, createChanges } from '../../../runtime/database/changes.ts';
import type { SourceConnection } from '../../../runtime/database/source.ts';
import { Lane } from '../../../runtime/live/lane.ts';
import { Poller } from '../../../runtime/live/poller.ts';
import { Sensitivities } from '../../../runtime/live/sensitivity.ts';
import { createTestDatabase, type TestDatabase } from '../../harness/postgres.ts';
import { leaks, send, startTestServer, type TestServer } from '../../harness/server.ts';
import { connect } from '../../harness/socket.ts';
import { openSource } from '../../harness/source.ts';

let database: TestDatabase;
let server: TestServer;
let source: SourceConnection;

async function metadata(type: string, args: object): Promise<void> {
  const answer = await send(server, '/v1/metadata', { body: { type, args } });
  expect([answer.status, answer.text]).toEqual([200, expect.anything()]);
}

beforeAll(async () => {
  database = await createTestDatabase(`
    create table note (id int primary key, body text not null default '');
    create table other (id serial primary key);
    create view short_note as select id, left(body, 3) as body, to_char(now() - now(), 'HH') as zero from note;
    create view plain_note as select id, body from note where id > 0;
    create view note_of_view as select id, upper(body) as body, to_json(body) as doc from plain_note;
    create view timed_note as select id, body from note where current_date > '2000-01-01';
    create view again_timed as select * from timed_note;
    create view text_note as select id from note where 'now'::text::date > '2000-01-01';
    create view texts_note as select id from note where array['now'::text]::date[] <> '{}';
    create view record_note as select id from note, jsonb_to_record('{"at": "now"}') as r (at date) where at > '2000-01-01';
    create view input_note as select id from note where timestamptz_in('now', 0, -1) > '2000-01-01';
    create view summer_note as select id from note where '10:00'::time::timetz <> '10:00+13';
    create function later(at date default now()) returns setof note language sql immutable as 'select * from note';
    create function hand_made(note) returns date language sql stable as 'select now()::date';
    create view busy as select pid from pg_stat_activity;
    create function steady(note) returns text language sql immutable as 'select $1.body';
    create function moody(note) returns text language sql stable as 'select $1.body || clock_timestamp()';
    create table secured (id int primary key); alter table secured enable row level security;
    alter table secured force row level security;
  `);
  server = await startTestServer(database, { LIVE_QUERIES_MULTIPLEXED_REFETCH_INTERVAL: '3600000' });
  for (const table of ['note', 'other', 'plain_note']) await metadata('pg_track_table', { table });
  source = openSource(database.url, { maxConnections: 1, preparedStatements: 0 });
});

afterAll(async () => {
  await source.end();
  await server.stop();
  expect(leaks()).toEqual([]);
});

describe('a live query is read again', () => {
  test('after a write by somebody else, also behind a view', async () => {
    await database.query('truncate note');
    const socket = await connect(server);
    socket.send({ type: 'subscribe', id: '1', payload: { query: 'subscription { note { id } }' } });
    socket.send({ type: 'subscribe', id: '2', payload: { query: 'subscription { plain_note { id } }' } });
    await socket.next();
    await socket.next();
    for (const id of [1, 2, 3]) {
      await database.query(`insert into note values (${id})`);
      const ids = [await socket.next(), await socket.next()].map((message) => message.id).sort();
      expect(ids).toEqual(['1', '2']);
    }
    await socket.close();
  });

  test('after a mutation of this server', async () => {
    await database.query('truncate note');
    const socket = await connect(server);
    socket.send({ type: 'subscribe', id: '1', payload: { query: 'subscription { note { id } }' } });
    await socket.next();
    const mutation = 'mutation { insert_note_one(object: {id: 7}) { id } }';
    socket.send({ type: 'subscribe', id: 'm', payload: { query: mutation } });
    const messages = [await socket.next(), await socket.next(), await socket.next()];
    expect(messages).toContainEqual({ type: 'next', id: '1', payload: { data: { note: [{ id: 7 }] } } });
    await socket.close();
  });

  test('after a transaction that began before the subscription ends', async () => {
    await database.query('truncate note');
    await source.withClient(async (client) => {
      await client.query('begin; insert into note values (1)');
      const socket = await connect(server);
      socket.send({ type: 'subscribe', id: '1', payload: { query: 'subscription { note { id } }' } });
      expect(await socket.next()).toMatchObject({ payload: { data: { note: [] } } });
      await socket.silence(300);
      await client.query('commit');
      expect(await socket.next()).toMatchObject({ payload: { data: { note: [{ id: 1 }] } } });
      await socket.close();
    });
  });
});

test('a change during a round is read after it, also while it is unknown on what the query depends', async () => {
  const ANYTHING: Change = { tables: undefined, recorded: undefined };
  let changed!: (change: Change) => void;
  let reads = 0;
  const source = {
    poll: async () => {
      reads += 1;
      // The first round: what changes now may have been read before.
      if (reads === 2) changed(ANYTHING);
      return [['0', `state ${reads}`, '{}']];
    },
    changes: {
      listen: (listener: typeof changed) => {
        changed = listener;
        return () => {};
      },
    },
  } as unknown as SourceConnection;
  const sensitivities = { of: () => Promise.reject(new Error('lost')) } as unknown as Sensitivities;
  const lane = new Lane();
  const plan = { text: 'select 1', parameters: [] } as unknown as SubscriptionPlan;
  const poller = new Poller(
    plan,
    source,
    { lane, sensitivities },
    {
      interval: 3_600_000,
      batchSize: 1,
      seed: '0',
      joined: () => 1,
      missed: () => {},
      log: undefined,
      report: (error) => {
        throw error;
      },
    },
  );
  const owner = lane.shares.enter(['role', 'session', 'socket']);
  const listener = {
    next: () => {},
    failed: () => {},
    refused: () => {},
    isSlow: () => false,
    whenRead: () => {},
  };
  const subscriber = poller.add([], owner, (cohort) => ({
    listener,
    owner,
    cohort,
    joined: 1,
    hash: undefined,
    failure: undefined,
    hasBegun: false,
  }));
  await expect.poll(() => reads).toBe(1);
  changed(ANYTHING);
  await expect.poll(() => reads, { timeout: 5000 }).toBe(3);
  poller.remove(subscriber);
});

describe('looking for changes', () => {
  test('calls back first, and then only when transactions have ended', async () => {
    let snapshot = '10:10:';
    let looks = 0;
    const changes = createChanges({
      poll: async (sql) => {
        // Whether writes are recorded: not here.
        if (!sql.includes('wal_replay')) return [['false']];
        looks += 1;
        if (snapshot === 'lost') throw new Error('connection lost');
        return [[snapshot]];
      },
      maintain: async () => [],
    });
    const calls: unknown[] = [];
    const stop = changes.listen((change) => calls.push(change.tables && [...change.tables]));
    const looked = async (times: number) => {
      const before = looks;
      await expect.poll(() => looks, { interval: 5 }).toBeGreaterThan(before + times);
    };
    await looked(3);
    expect(calls).toEqual([undefined]);
    snapshot = '10:11:10';
    await looked(3);
    expect(calls).toEqual([undefined, undefined]);
    changes.wrote(['with x as (insert into "a"."b ""c""" ("d") values (1)) update "a"."e" set "f" = 1']);
    expect(calls.slice(2)).toEqual([['"a"."b ""c"""', '"a"."e"']]);
    changes.wrote(['select "a"."f"()']);
    expect(calls.slice(3)).toEqual([undefined]);
    const another: unknown[] = [];
    const stopOther = changes.listen((change) => another.push(change));
    await looked(2);
    expect([calls.length, another.length]).toEqual([4, 1]);
    snapshot = 'lost';
    await expect.poll(() => calls.length).toBe(5);
    snapshot = '10:11:10';
    await expect.poll(() => calls.length).toBe(6);
    stop();
    stopOther();
    await new Promise((resolve) => setTimeout(resolve, 300));
    const last = looks;
    await new Promise((resolve) => setTimeout(resolve, 300));
    expect(looks).toBe(last);
  });
});

describe('what a statement reads', () => {
  test('is taken from its text', () => {
    const sql = `select (select coalesce(json_agg("note#2"), '[]') from (select "note#1"."id" as "id",
      "public"."fn"("note#1") as "x", 'from "public"."no" ' as "public" from "public"."a ""b""" as "note#1"
      left join "s"."other" as "note#3" on "note#3"."k" = "note#1"."k" where exists (select from "s"."third" as "_r1" where
      "_r1"."t" = E'\\'"s"."text"' and ("_cohort"."value 1")::"public"."mood" is not null)) as "note#2")::text`;
    expect(readSetOf(sql)).toEqual({
      relations: [
        { schema: 'public', name: 'a "b"', columns: undefined },
        { schema: 's', name: 'other', columns: ['k'] },
        { schema: 's', name: 'third', columns: ['t'] },
      ],
      functions: [{ schema: 'public', name: 'fn' }],
      words: ['and', 'coalesce', 'exists', 'from', 'json_agg', 'select'],
      hasMoment: false,
    });
  });

  test.each([
    [`where "note#1"."at" <= 'today'::text::date`, true],
    [`where "note#1"."at" <= 'Tomorrow 10:00'::text::timestamp`, true],
    [`where "note#1"."span" @> '[now,)'::text::tstzrange`, true],
    [`where "note#1"."at" <= 'now'::timestamptz`, true],
    [`where "note#1"."body" = 'now'`, false],
    [`select 'today'::text, 'known nowhere'::date`, false],
  ])('a text that means a moment: %s', (sql, expected) => {
    expect(readSetOf(sql).hasMoment).toBe(expected);
  });

  test.each([
    ['from "public"."note" as "note#1"', undefined],
    ['from "public"."plain_note" as "note#1"', undefined],
    ['from "public"."note_of_view" as "note#1"', undefined],
    ['"public"."steady"("note#1") from "public"."note" as "note#1"', undefined],
    [
      '"public"."moody"("note#1") from "public"."note" as "note#1"',
      'the function moody(note) in public.moody',
    ],
    ['from "public"."short_note" as "note#1"', 'the function now() in short_note'],
    ['from "public"."timed_note" as "note#1"', 'the time or the user in timed_note'],
    ['from "public"."again_timed" as "note#1"', 'the time or the user in timed_note'],
    ['from "public"."text_note" as "note#1"', 'a text that is read as date in text_note'],
    ['from "public"."texts_note" as "note#1"', 'a text that is read as date in texts_note'],
    ['from "public"."record_note" as "note#1"', 'the function jsonb_to_record(jsonb) in record_note'],
    [
      'from "public"."input_note" as "note#1"',
      'the function timestamptz_in(cstring,oid,integer) in input_note',
    ],
    ['from "public"."summer_note" as "note#1"', 'in summer_note'],
    ['from "public"."later"() as "note#1"', 'the function now() in public.later'],
    [
      'from "public"."note" as "note#1" where "note#1"."id" > 0 and now() > clock_timestamp()',
      'in the statement',
    ],
    ['from "public"."note" as "note#1" where age("note#1"."at") > $1', 'in the statement'],
    ['current_date from "public"."note" as "note#1"', 'the time in the statement: current_date'],
    ['localtime(0) from "public"."note" as "note#1"', 'the time in the statement: localtime'],
    ['hand_made("note#1") from "public"."note" as "note#1"', 'the function hand_made(note) in the statement'],
    [`from "public"."note" as "note#1" where "note#1"."at" = 'today'::text::date`, 'the time in a text'],
    [
      'json_agg(coalesce(upper("note#1"."body"), to_json(concat(1, 2))::text)) from "public"."note" as "note#1"',
      undefined,
    ],
    ['from "public"."busy" as "note#1"', 'the system relation pg_stat_activity'],
  ])('%s', async (sql, reason) => {
    const { polledBecause } = await new Sensitivities(source).of(`select ${sql}`, 0);
    if (reason === undefined) expect(polledBecause).toBeUndefined();
    else expect(polledBecause).toContain(reason);
  });
});
