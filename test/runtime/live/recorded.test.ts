/** Live queries of a database that records which tables and keys are written. */
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Change, createChanges } from '../../../runtime/database/changes.ts';
import { captureStatus, installCapture, removeCapture } from '../../../runtime/database/record/install.ts';
import {
  createRecordReader,
  type Recorded,
  type RecordSource,
} from '../../../runtime/database/record/recorded.ts';
import { createTestDatabase, type TestDatabase } from '../../harness/postgres.ts';
import { send, startTestServer, type TestServer } from '../../harness/server.ts';
import { connect } from '../../harness/socket.ts';

let database: TestDatabase;
let client: pg.Client;
let server: TestServer;

const TABLES = ['item', 'plain', 'seen_item', 'measure'].map((name) => ({ schema: 'public', name }));

beforeAll(async () => {
  database = await createTestDatabase(`
    create table owner (id uuid primary key default gen_random_uuid());
    create table item (id int primary key, owner text, tg_op text, word text); create index on item (owner); create index on item (tg_op);
    create table plain (word text);
    create view seen_item as select id, owner as who from item;
    create table measure (day int not null, value int) partition by range (day);
    create table measure_1 partition of measure for values from (0) to (10);
    create table measure_2 partition of measure for values from (10) to (20);
    create index on measure (day);
    create table child (id int primary key, item_id int references item on delete cascade);
  `);
  client = new pg.Client({ connectionString: database.url });
  await client.connect();
  await installCapture(client, await captureStatus(client, TABLES));
});

afterAll(async () => {
  await server?.stop();
  await client.end();
});

const TEXTS = { getTypeParser: () => String } as unknown as pg.CustomTypesConfig;

/** A server's access to the database. @param polled called after each statement that reads */
function openAccess(polled = async (_sql: string) => {}): RecordSource {
  return {
    poll: async (sql, values) => {
      const { rows } = await client.query({ text: sql, values: [...values], rowMode: 'array', types: TEXTS });
      await polled(sql);
      return rows as string[][];
    },
    maintain: async (sql, values) => (await client.query(sql, [...(values ?? [])])).rows,
  };
}

/** Reads what is recorded of each write. */
async function recording() {
  let polled: (() => Promise<unknown>) | undefined;
  const access = openAccess(async () => {
    const once = polled;
    polled = undefined;
    await once?.();
  });
  const reader = createRecordReader(access);
  const now = async () => (await client.query('select pg_current_snapshot()::text as s')).rows[0].s as string;
  let since = await now();
  await reader.announce();
  const names = new Map<string, string>();
  const next = async (): Promise<Recorded | undefined> => {
    const read = await reader.read(since, 0);
    since = read?.snapshot ?? (await now());
    for (const { oid, name } of (await client.query('select oid::text, relname as name from pg_class')).rows)
      names.set(oid, name);
    return read?.recorded;
  };
  // The first ones find out from when on all is recorded, which takes until older transactions of the server have ended, also
  // those of other databases, and whether the triggers stay as they are.
  await expect.poll(async () => (await next())?.complete.size, { interval: 110 }).toBeGreaterThan(1);
  return {
    next,
    isBehind: reader.isBehind,
    /** Reads once, and does something after the first statement of that. */
    during: (write: () => Promise<unknown>) => {
      polled = write;
      return next();
    },
    of: async (sql: string) => {
      await client.query(sql);
      const recorded = await next();
      return (
        recorded &&
        Object.fromEntries(
          [...recorded.written].map(([oid, keys]) => [
            names.get(oid),
            keys ? keys.map((each) => Object.fromEntries(each)) : 'any',
          ]),
        )
      );
    },
    complete: async () => {
      const recorded = await next();
      return [...(recorded?.complete ?? [])].map((oid) => names.get(oid)).filter(Boolean);
    },
  };
}

describe('what is recorded', () => {
  test('keys before and after, of every way to write, and nothing where no row was', async () => {
    const record = await recording();
    expect(await record.of("insert into item values (1, 'ann'), (2, 'bob')")).toEqual({
      item: [{ id: ['1', '2'], owner: ['ann', 'bob'], tg_op: [null] }],
    });
    expect(await record.of("update item set owner = 'cid' where id = 1")).toEqual({
      item: [{ id: ['1'], owner: ['ann', 'cid'], tg_op: [null] }],
    });
    expect(
      await record.of("update item set owner = 'x' where id = 99; delete from item where false"),
    ).toEqual({});
    expect(
      await record.of(
        "insert into item values (1, 'dan') on conflict (id) do update set owner = excluded.owner",
      ),
    ).toEqual({ item: [{ id: ['1'], owner: ['cid', 'dan'], tg_op: [null] }] });
    expect(await record.of('delete from item where id = 2')).toEqual({
      item: [{ id: ['2'], owner: ['bob'], tg_op: [null] }],
    });
    expect(await record.of("insert into item select i, 'many' from generate_series(100, 250) as i")).toEqual({
      item: 'any',
    });
    expect(await record.of("insert into plain values ('x')")).toEqual({ plain: 'any' });
    expect(await record.of('truncate item cascade')).toEqual({ item: 'any' });
    expect(await record.of('insert into measure values (1, 1), (11, 2)')).toEqual({
      measure: [{ day: ['1', '11'] }],
    });
    expect(await record.of('insert into measure_2 values (12, 2)')).toEqual({ measure_2: [{ day: ['12'] }] });
    expect(await record.of('update measure set day = 13 where day = 1')).toEqual({
      measure: [{ day: ['1', '13'] }],
    });
  });

  test('in the order of commits, each once, also of transactions that began before', async () => {
    const record = await recording();
    const other = new pg.Client({ connectionString: database.url });
    await other.connect();
    await other.query("begin isolation level repeatable read; insert into item values (11, 'slow')");
    expect(Object.keys((await record.of("insert into item values (12, 'fast')"))!)).toEqual(['item']);
    expect(await record.of('select 1')).toEqual({});
    await other.query('commit');
    expect(await record.of('select 1')).toEqual({ item: [{ id: ['11'], owner: ['slow'], tg_op: [null] }] });
    await other.end();
  });

  test('and where it is not complete, that is known', async () => {
    const record = await recording();
    const all = ['item', 'measure', 'measure_1', 'measure_2', 'plain'];
    const complete = async () => {
      await new Promise((resolve) => setTimeout(resolve, 110));
      return (await record.complete()).sort();
    };
    expect(await complete()).toEqual(all);
    // What was written in between is not recorded.
    await client.query(
      'set session_replication_role = replica; insert into item values (21); reset session_replication_role',
    );
    expect(await record.of('select 1')).toEqual({ item: [{ id: ['21'], owner: [null], tg_op: [null] }] });
    await client.query(
      'alter table item disable trigger user; insert into item values (22); alter table item enable always trigger engine_live_insert, enable always trigger engine_live_update, enable always trigger engine_live_delete, enable always trigger engine_live_truncate',
    );
    expect(await complete()).toEqual(all.filter((name) => name !== 'item'));
    expect(await complete()).toEqual(all);
    await client.query('alter table plain enable replica trigger engine_live_insert');
    expect(await complete()).not.toContain('plain');
    await client.query('alter table plain enable always trigger engine_live_insert');
    await complete();
    await client.query('alter table item alter column word type int using 1');
    expect(await complete()).not.toContain('item');
    await client.query('create or replace view seen_item as select id, owner as who from item where id > 0');
    await new Promise((resolve) => setTimeout(resolve, 110));
    expect((await record.next())?.redefined).toBe(true);
  });

  test('and where a trigger changes while the server looks, that is known after the next look', async () => {
    const record = await recording();
    const complete = ({ complete = new Set() }: Partial<Recorded> = {}) => complete.has(oid);
    const { oid } = (await client.query("select 'plain'::regclass::oid::text as oid")).rows[0];
    await new Promise((resolve) => setTimeout(resolve, 110));
    expect(complete(await record.next())).toBe(true);
    await new Promise((resolve) => setTimeout(resolve, 110));
    await record.during(() =>
      client.query(
        `alter table plain disable trigger engine_live_insert; insert into plain values ('unnoticed');
         alter table plain enable always trigger engine_live_insert`,
      ),
    );
    expect(record.isBehind()).toBe(true);
    await new Promise((resolve) => setTimeout(resolve, 110));
    expect(complete(await record.next())).toBe(false);
  });

  test.each([
    ['the announcement lapsed', "select setval('engine_catalog.live_until', 0)", ''],
    ['a crash emptied the record', 'truncate engine_catalog.live_changes', ''],
    [
      'a crash emptied it and ended the announcement',
      "select setval('engine_catalog.live_until', 0)",
      'truncate engine_catalog.live_changes',
    ],
    ['it was installed again', 'drop schema engine_catalog cascade', 'install'],
  ])(
    'and nothing is relied on after %s, also where another server has announced itself since',
    async (_, first, then) => {
      await installCapture(client, await captureStatus(client, TABLES));
      const record = await recording();
      await client.query(first);
      if (then === 'install') await installCapture(client, await captureStatus(client, TABLES));
      else await client.query(then);
      await client.query("insert into plain values ('lost')");
      await createRecordReader(openAccess()).announce();
      await client.query("insert into plain values ('recorded')");
      expect(await record.next()).toBeUndefined();
      // And then again.
      expect(await (await recording()).of("insert into plain values ('next')")).toEqual({ plain: 'any' });
    },
  );

  test('and a transaction that began before a server listened counts as a change, whenever it ends', async () => {
    await removeCapture(client);
    await installCapture(client, await captureStatus(client, TABLES));
    const other = new pg.Client({ connectionString: database.url });
    await other.connect();
    await other.query("begin; insert into plain values ('not recorded')");
    let looks = 0;
    const calls: Change[] = [];
    let before: number | undefined;
    // By the third look the server listens, but does not rely on the record; the read of it follows.
    const access = openAccess(async (sql) => {
      if (!sql.includes('wal_replay')) return;
      looks += 1;
      if (looks !== 3) return;
      await other.query('commit');
      before = calls.length;
    });
    const changes = createChanges(access);
    changes.listen((change) => calls.push(change));
    await expect.poll(() => looks).toBeGreaterThan(5);
    expect(calls[before!]).toEqual({ tables: undefined, recorded: undefined });
    changes.stop();
    await other.end();
  });

  test('and of tables that logical replication writes, nothing is relied on: it fires no statement triggers', async () => {
    await installCapture(client, await captureStatus(client, TABLES));
    const record = await recording();
    const complete = async () => {
      await new Promise((resolve) => setTimeout(resolve, 110));
      return record.complete();
    };
    expect(await complete()).toContain('plain');
    await client.query(
      "create subscription applied connection 'host=nowhere' publication p with (connect = false, enabled = false, create_slot = false, slot_name = none)",
    );
    try {
      // As the subscription's refresh writes it.
      await client.query(
        "insert into pg_subscription_rel (srsubid, srrelid, srsubstate) select oid, 'plain'::regclass, 'r' from pg_subscription where subname = 'applied'",
      );
      expect(await complete()).not.toContain('plain');
    } finally {
      await client.query(
        "delete from pg_subscription_rel where srrelid = 'plain'::regclass; drop subscription applied",
      );
    }
    await complete();
    expect(await complete()).toContain('plain');
  });
});

describe('who writes', () => {
  test('needs no right on what records it, and is not disturbed by any change of the table', async () => {
    const role = `${database.url.split('/').at(-1)}_writer`;
    await client.query(
      `create role "${role}"; grant insert, update, delete, truncate, select on item to "${role}"`,
    );
    try {
      const record = await recording();
      await client.query(`set role "${role}"`);
      await expect(client.query('select * from engine_catalog.live_changes')).rejects.toThrow(
        'permission denied',
      );
      await client.query("insert into item values (31, 'free'); update item set owner = 'y' where id = 31");
      await client.query('reset role');
      expect(Object.keys((await record.of('select 1'))!)).toEqual(['item']);
      await client.query('alter table item drop column tg_op');
      expect(await record.of('insert into item values (32)')).toEqual({ item: 'any' });
      await client.query('alter table item rename column owner to keeper');
      expect(await record.of('delete from item where id = 32')).toEqual({ item: 'any' });
      await client.query('alter table item rename column keeper to owner');
    } finally {
      await client.query(`reset role; drop owned by "${role}"; drop role "${role}"`);
    }
  });

  test('is not disturbed when the schema is dropped, or the record removed', async () => {
    await client.query('drop schema engine_catalog cascade');
    await client.query('insert into item values (41); update measure set value = 0; truncate plain');
    await installCapture(client, await captureStatus(client, TABLES));
    expect((await captureStatus(client, TABLES)).map(({ name, complete }) => [name, complete])).toEqual([
      ['item', true],
      ['measure', true],
      ['measure_1', true],
      ['measure_2', true],
      ['plain', true],
    ]);
    expect((await removeCapture(client)).toSorted()).toEqual([
      'item',
      'measure',
      'measure_1',
      'measure_2',
      'plain',
    ]);
    await client.query('insert into item values (42)');
    expect(
      (await client.query("select to_regclass('engine_catalog.live_changes') as r")).rows[0].r,
    ).toBeNull();
  });
});

describe('a live query', () => {
  test('is read again only if what it reads was written', async () => {
    await installCapture(client, await captureStatus(client, TABLES));
    await client.query(
      "truncate item cascade; insert into item (id, owner) select i, 'u' || i % 2 from generate_series(1, 4) as i",
    );
    server = await startTestServer(database, { LIVE_QUERIES_MULTIPLEXED_REFETCH_INTERVAL: '3600000' });
    for (const name of ['item', 'seen_item', 'plain']) {
      const answer = await send(server, '/v1/metadata', {
        body: { type: 'pg_track_table', args: { table: name } },
      });
      expect(answer.status).toBe(200);
    }
    const socket = await connect(server);
    const queries = [
      'item_by_pk(id: 1) { owner }',
      'item_by_pk(id: 2) { owner }',
      'item_by_pk(id: 3) { owner }',
      'seen_item(where: {who: {_eq: "u1"}}, order_by: {id: asc}) { id }',
      'plain { word }',
    ];
    queries.forEach((query, index) => {
      socket.send({
        type: 'subscribe',
        id: String(index + 1),
        payload: { query: `subscription { ${query} }` },
      });
    });
    for (const _ of queries) await socket.next();
    const cohortsRead = () =>
      server
        .output()
        .split('\n')
        .filter((line) => line.includes('"type":"livequery-poller-log"'))
        .map((line) => JSON.parse(line).detail)
        .filter(({ generated_sql }) => !generated_sql.includes('"plain"'))
        .reduce((sum, { read_count }) => sum + read_count, 0);
    /**
     * Writes other tables than `plain`; each call of what it gives says how many were read again, and which have another result. A
     * later write of `plain` that has been seen tells that this one has, but the reads that it causes may take longer than those of
     * `plain`, and are logged after their results were sent: ask until they are there. What is read without reason is found
     * by the next write at the latest.
     */
    const written = async (sql: string) => {
      const before = cohortsRead();
      const changed: (string | undefined)[] = [];
      const see = async () => {
        await client.query("insert into plain values ('mark')");
        for (let { id } = await socket.next(); id !== '5'; { id } = await socket.next()) changed.push(id);
      };
      await client.query(sql);
      await see();
      return async () => {
        await see();
        return { read: cohortsRead() - before, changed: changed.toSorted() };
      };
    };
    // Until the record is relied on: older transactions of the server have to end, also those of other databases.
    await expect
      .poll(async () => (await written('insert into child values ((select count(*) from child), null)'))())
      .toEqual({ read: 0, changed: [] });
    // Somebody else's table, and a key that nobody reads by: only what reads it through a view.
    await expect.poll(await written('insert into child values (-1, null)')).toEqual({ read: 0, changed: [] });
    await expect
      .poll(await written("insert into item (id, owner) values (9, 'nobody')"))
      .toEqual({ read: 1, changed: [] });
    await expect
      .poll(await written("update item set owner = 'new' where id = 2"))
      .toEqual({ read: 2, changed: ['2'] });
    await expect
      .poll(await written("update item set owner = 'u1' where id = 2"))
      .toEqual({ read: 2, changed: ['2', '4'] });
    await client.query('truncate plain, item cascade');
    const ended: (string | undefined)[] = [];
    for (const _ of queries) ended.push((await socket.next()).id);
    expect(ended.sort()).toEqual(['1', '2', '3', '4', '5']);
    await socket.close();
  });
});
