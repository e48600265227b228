/** Live queries that are fed by changes: the interval is so long that no poll can be what brings a result. */

import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { readRule } from '../../../runtime/core/condition/rule.ts';
import type { SubscriptionPlan } from '../../../runtime/core/request/subscription.ts';
import { boundRule } from '../../../runtime/core/schema/visible-table.ts';
import { literal, sql } from '../../../runtime/core/sql/fragment.ts';
import { print } from '../../../runtime/core/sql/print.ts';
import { type ReadSet, readSetOf } from '../../../runtime/core/sql/reads.ts';
import {
  aliasNamed,
  callOf,
  columnOf,
  nested,
  selectStatement,
  tableNamed,
} from '../../../runtime/core/sql/statement.ts';
import { CANONICAL } from '../../../runtime/core/vocabulary.ts';
import { type Change, createChanges } from '../../../runtime/database/changes.ts';
import type { SourceConnection } from '../../../runtime/database/source.ts';
import { LiveLane } from '../../../runtime/live/lane.ts';
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
  const lane = new LiveLane();
  const plan = { text: 'select 1', parameters: [], reads: { relations: [] } } as unknown as SubscriptionPlan;
  const poller = new Poller(
    plan,
    source,
    { lane, sensitivities },
    {
      vocabulary: CANONICAL,
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
    changes.wrote(['"a"."b ""c"""', '"a"."e"']);
    expect(calls.slice(2)).toEqual([['"a"."b ""c"""', '"a"."e"']]);
    changes.wrote([]);
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

/** What a statement with a rule reads. */
function readsOf(rule: string, table = 'note'): ReadSet {
  const row = aliasNamed('note#1');
  const where = [boundRule(readRule(rule), { rule: 'public.note.select.user' })(row)];
  const from = [{ rows: tableNamed('public', table), alias: row }];
  const statement = selectStatement({ columns: columnOf(row, 'id'), from, where });
  return readSetOf(statement, print(statement).parameters);
}

describe('what a statement reads', () => {
  test('is found in its tree, not in texts', () => {
    const [note, other] = [aliasNamed('note#1'), aliasNamed('note#3')];
    const rule = `exists (select 1 from "s"."third" as "_r1" where "_r1"."t" = E'\\'"s"."text"'
      and {session.x-mood::"public"."mood"} is not null and "_r1"."owner" = {session.x-owner::integer})`;
    const rows = selectStatement({
      columns: sql`${columnOf(note, 'id')} as "id", ${callOf('public', 'fn', [note])} as "x", ${literal('from "public"."no" ')}`,
      from: [
        { rows: tableNamed('public', 'a "b"'), alias: note },
        {
          join: 'left join',
          rows: tableNamed('s', 'other'),
          alias: other,
          on: sql`${columnOf(other, 'k')} = ${columnOf(note, 'k')}`,
        },
      ],
      where: [boundRule(readRule(rule), { rule: 'public.a.select.user' })(note)],
    });
    const statement = selectStatement({ columns: sql`${nested(rows)}::text` });
    const { parameters } = print(statement);
    expect(readSetOf(statement, parameters)).toEqual({
      relations: [
        { schema: 'public', name: 'a "b"', columns: undefined, places: [[]] },
        { schema: 's', name: 'other', columns: ['k'], places: [[]] },
        {
          schema: 's',
          name: 'third',
          columns: ['owner', 't'],
          places: [[{ column: 'owner', parameter: 1 }]],
        },
      ],
      functions: [{ schema: 'public', name: 'fn' }],
      words: [],
      hasMoment: false,
      isUnknown: false,
    });
  });

  test.each([
    [`{row}."at" <= 'today'::text::date`, true],
    [`{row}."at" <= 'Tomorrow 10:00'::text::timestamp`, true],
    [`{row}."span" @> '[now,)'::text::tstzrange`, true],
    [`{row}."at" <= 'now'::timestamptz`, true],
    [`{row}."body" = 'now'`, false],
    [`{row}."body" = 'today'::text and 'known nowhere'::date is null`, false],
  ])('a text that means a moment: %s', (rule, expected) => {
    expect(readsOf(rule).hasMoment).toBe(expected);
  });

  test.each<[rule: string, keys: readonly string[]]>([
    ['{row}."owner" = {session.x-owner::integer}', ['owner']],
    ['({row}."owner" = {session.x-owner::integer})', ['owner']],
    [
      '{row}."owner" = {session.x-owner::integer} and ({row}."a" is null and {row}."b" = {session.x-b::"s"."mood"})',
      ['owner', 'b'],
    ],
    ['{row}."owner" = {session.x-owner::integer} or {row}."public"', []],
    ['{row}."public" or {row}."owner" = {session.x-owner::integer}', []],
    [
      '({row}."owner" = {session.x-owner::integer} or {row}."public") and {row}."b" = {session.x-b::text}',
      ['b'],
    ],
    ['not {row}."owner" = {session.x-owner::integer}', []],
    ['{row}."owner" <> {session.x-owner::integer}', []],
    ['{row}."owner" = any({session.x-owners::integer[]})', []],
    ['{row}."tags" = {session.x-tags::text[]}', []],
    ['{row}."tags" operator(pg_catalog.=) {session.x-tags::"public"."tags"}', []],
    ['{row}."price" = {session.x-price::numeric(10,2)}', []],
    ['{row}."owner" = {session.x-owner::integer} + 1', []],
    ['{row}."owner" + 1 = {session.x-owner::integer}', []],
    ['case when {row}."a" is null then {row}."owner" = {session.x-owner::integer} end', []],
    ['exists (select 1 from "s"."other" as "_r1" where "_r1"."owner" = {session.x-owner::integer})', []],
  ])('keys of %s', (rule, keys) => {
    expect(readsOf(rule).relations.find(({ name }) => name === 'note')?.places).toEqual([
      keys.map((column) => expect.objectContaining({ column })),
    ]);
  });

  test('a rule that cannot be read may depend on anything', async () => {
    const reads = readsOf('{row}."id" = 1 /* or not */');
    const { polledBecause } = await new Sensitivities(source).of(reads, 0);
    expect(polledBecause).toBe('a native query, or a rule that cannot be read');
  });

  test.each<[rule: string, reason: string | undefined, table?: string]>([
    ['true', undefined],
    ['true', undefined, 'plain_note'],
    ['true', undefined, 'note_of_view'],
    ['"public"."steady"({row})', undefined],
    ['"public"."moody"({row})', 'the function moody(note) in public.moody'],
    ['true', 'the function now() in short_note', 'short_note'],
    ['true', 'the time or the user in timed_note', 'timed_note'],
    ['true', 'the time or the user in timed_note', 'again_timed'],
    ['true', 'a text that is read as date in text_note', 'text_note'],
    ['true', 'a text that is read as date in texts_note', 'texts_note'],
    ['true', 'the function jsonb_to_record(jsonb) in record_note', 'record_note'],
    ['true', 'the function timestamptz_in(cstring,oid,integer) in input_note', 'input_note'],
    ['true', 'in summer_note', 'summer_note'],
    ['exists (select 1 from "public"."later"() as "_r1")', 'the function now() in public.later'],
    ['{row}."id" > 0 and now() > clock_timestamp()', 'in the statement'],
    ['age({row}."at") > {session.x-age::interval}', 'in the statement'],
    ['{row}."at" > current_date', 'the time in the statement: current_date'],
    ['localtime(0) is null', 'the time in the statement: localtime'],
    ['hand_made({row})', 'the function hand_made(note) in the statement'],
    [`{row}."at" = 'today'::text::date`, 'the time in a text'],
    ['json_agg(coalesce(upper({row}."body"), to_json(concat(1, 2))::text)) is null', undefined],
    ['exists (select 1 from "public"."busy" as "_r1")', 'the system relation pg_stat_activity'],
    ['(select count(*) from "public"."busy" as "_r1") > 1', 'the system relation pg_stat_activity'],
    ['case when {row}."id" = 1 then now() is null end', 'in the statement'],
    ['not ({row}."id" = 1 or "public"."moody"({row}))', 'the function moody(note) in public.moody'],
  ])('%s: %s', async (rule, reason, table) => {
    const { polledBecause } = await new Sensitivities(source).of(readsOf(rule, table), 0);
    if (reason === undefined) expect(polledBecause).toBeUndefined();
    else expect(polledBecause).toContain(reason);
  });
});
