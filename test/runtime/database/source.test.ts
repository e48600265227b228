import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';
import { afterEach, describe, expect, test } from 'vitest';
import { CommitFailedError } from '../../../runtime/database/failures.ts';
import type { SourceConnection, SourceOptions } from '../../../runtime/database/source.ts';
import type { TextRow } from '../../../runtime/database/text-query.ts';
import { createTestDatabase, type TestDatabase } from '../../harness/postgres.ts';
import { openSource } from '../../harness/source.ts';

const schema = `
  create table item (id int primary key, name text not null);
  insert into item select n, 'item ' || n from generate_series(1, 100) n;
`;
const byKey = { text: `select (select name from item where id = ($1)::int) as name` };

const open: SourceConnection[] = [];

afterEach(async () => {
  await Promise.all(open.splice(0).map((source) => source.end()));
});

function connect(database: TestDatabase, options: Partial<SourceOptions> = {}): SourceConnection {
  const source = openSource(database.url, options);
  open.push(source);
  return source;
}

/** Runs one statement that writes. */
async function write(source: SourceConnection, { text }: { readonly text: string }, values: TextRow) {
  const [row] = await source.writeTexts([{ text, values }], { manner: 'shared' });
  return row!;
}

/** The source's own connections, as Postgres sees them. */
function backends(database: TestDatabase): Promise<{ pid: number }[]> {
  return database.query(
    `select pid from pg_stat_activity where datname = current_database() and application_name = 'engine' order by pid`,
  );
}

/** Those of them that sleep. */
function sleeping(database: TestDatabase): Promise<{ pid: number }[]> {
  return database.query(
    `select pid from pg_stat_activity where datname = current_database() and wait_event = 'PgSleep'`,
  );
}

/** A statement that names what is prepared on the connection it runs on. */
const preparedHere = {
  text: `select count(*)::text, count(*) filter (where statement like 'select ''0''%')::text from pg_prepared_statements`,
};

/** A statement that says how long the longest prepared statement is on the connection it runs on. */
const preparedLengths = { text: 'select max(length(statement))::text from pg_prepared_statements' };

describe('reading', () => {
  test('yields the texts of the one row, with null and any text as they are', async () => {
    const source = connect(await createTestDatabase(schema));
    const row = await source.readTexts({ text: 'select ($1)::text, ($2)::text, 1.50::numeric, true' }, [
      'ä"\\\n🙂',
      null,
    ]);
    expect(row).toEqual(['ä"\\\n🙂', null, '1.50', 't']);
  });

  test('yields long texts as the bytes that came, short ones beside them and those of writes as texts', async () => {
    const source = connect(await createTestDatabase(schema));
    const long = `${'ä🙂"'.repeat(40_000)}end`;
    const text = 'select ($1)::text, ($2)::text, ($3)::text, repeat(($1)::text, 3)';
    const values = [long, 'short', null];
    for (let round = 0; round < 3; round++) {
      const [first, short, none, last] = await source.readTexts({ text }, values);
      expect([first, last].map(Buffer.isBuffer)).toEqual([true, true]);
      expect([first, last].map(String)).toEqual([long, long.repeat(3)]);
      expect([short, none]).toEqual(['short', null]);
    }
    expect(await source.writeTexts([{ text, values }])).toEqual([[long, 'short', null, long.repeat(3)]]);
    expect(await source.poll(text, values)).toEqual([[long, 'short', null, long.repeat(3)]]);
  });

  test('yields texts of every length beside the limit of long ones, whatever arrives in which pieces', async () => {
    const source = connect(await createTestDatabase(schema));
    const text = `select repeat('x', ($1)::int), repeat('y', ($2)::int)`;
    const sizes = Array.from({ length: 120 }, (_, index) => 110_000 + index * 701);
    const rows = await Promise.all(
      sizes.map((size) => source.readTexts({ text }, [String(size), String(300_000 - size)])),
    );
    expect(rows.map((row) => row.map(String))).toEqual(
      sizes.map((size) => ['x'.repeat(size), 'y'.repeat(300_000 - size)]),
    );
  });

  test('many at once share connections, and each gets its own answer', async () => {
    const database = await createTestDatabase(schema);
    const source = connect(database);
    await source.readTexts(byKey, ['1']);
    const rows = await Promise.all(
      Array.from({ length: 1000 }, (_, n) => source.readTexts(byKey, [String((n % 100) + 1)])),
    );
    expect(rows.map(([name]) => name)).toEqual(
      Array.from({ length: 1000 }, (_, n) => `item ${(n % 100) + 1}`),
    );
    expect((await backends(database)).length).toBeLessThanOrEqual(4);
  });

  test('an error leaves its neighbours on the connection untouched', async () => {
    const source = connect(await createTestDatabase(schema), { maxConnections: 1 });
    const divide = { text: 'select (100 / ($1)::int)::text' };
    await source.readTexts(divide, ['1']);
    const results = await Promise.allSettled(
      Array.from({ length: 60 }, (_, n) => source.readTexts(divide, [String(n % 3)])),
    );
    results.forEach((result, n) => {
      if (n % 3 === 0) {
        expect(result.status).toBe('rejected');
        expect((result as PromiseRejectedResult).reason).toMatchObject({
          code: '22012',
          message: 'division by zero',
        });
      } else expect(result).toEqual({ status: 'fulfilled', value: [String(n % 3 === 1 ? 100 : 50)] });
    });
  });

  test('a statement that cannot be parsed fails alike however often it is sent at once', async () => {
    const source = connect(await createTestDatabase(schema), { maxConnections: 1 });
    const results = await Promise.allSettled(
      Array.from({ length: 10 }, () => source.readTexts({ text: 'select nothing from nowhere' }, [])),
    );
    for (const result of results) {
      expect(result.status).toBe('rejected');
      expect((result as PromiseRejectedResult).reason).toBeInstanceOf(pg.DatabaseError);
      expect((result as PromiseRejectedResult).reason).toMatchObject({ code: '42P01' });
    }
  });

  test('a statement without a row yields no texts', async () => {
    const source = connect(await createTestDatabase(schema), { maxConnections: 1 });
    expect(await source.readTexts({ text: 'select name from item where id = 0' }, [])).toEqual([]);
    expect(await source.readTexts(byKey, ['7'])).toEqual(['item 7']);
  });

  test('a slow statement does not keep fast ones waiting', async () => {
    const database = await createTestDatabase(schema);
    const source = connect(database);
    await source.readTexts(byKey, ['1']);
    const slow = expect(source.readTexts({ text: 'select pg_sleep(600)::text' }, [])).rejects.toMatchObject({
      code: '57014',
    });
    await expect.poll(() => sleeping(database)).toHaveLength(1);
    for (let n = 1; n <= 20; n++) await source.readTexts(byKey, [String(n)]);
    const [found] = await sleeping(database);
    await database.query('select pg_cancel_backend($1)', [found!.pid]);
    await slow;
  });
});

describe('prepared statements', () => {
  test('are prepared once and found again', async () => {
    const database = await createTestDatabase(schema);
    const source = connect(database, { maxConnections: 1 });
    for (let n = 0; n < 5; n++) await source.readTexts(byKey, ['1']);
    const { rows } = await withOnlyConnection(source, 'select statement from pg_prepared_statements');
    expect(rows).toEqual([{ statement: byKey.text }]);
  });

  test('are bounded on each connection: the least recently used is closed', async () => {
    const source = connect(await createTestDatabase(schema), { maxConnections: 1, preparedStatements: 3 });
    for (let n = 0; n < 10; n++) await source.readTexts({ text: `select '${n}' /* ${n} */` }, []);
    expect(await source.readTexts({ text: `select '0' /* 0 */` }, [])).toEqual(['0']);
    // Itself, the last of the ten, and the one just prepared again.
    expect(await source.readTexts(preparedHere, [])).toEqual(['3', '1']);
  });

  test('are bounded by size: large ones are closed sooner, very large ones are not kept', async () => {
    const source = connect(await createTestDatabase(schema), { maxConnections: 1 });
    const wide = (items: number, number: number) => ({
      text: `select (array[${Array.from({ length: items }, (_, index) => `id + ${number}${index}`)}])[1]::text from item where id = 1`,
    });
    for (let n = 1; n <= 25; n++) expect(await source.readTexts(wide(2000, n), [])).toHaveLength(1);
    const { rows } = await withOnlyConnection(
      source,
      `select count(*)::int as count, (select sum(total_bytes)::int from pg_backend_memory_contexts) as memory
       from pg_prepared_statements`,
    );
    const [{ count, memory }] = rows as [{ count: number; memory: number }];
    expect(count).toBeGreaterThan(8);
    expect(count).toBeLessThan(20);
    expect(memory).toBeLessThan(50_000_000);
    const veryLarge = wide(5000, 1);
    for (let n = 0; n < 2; n++) expect(await source.readTexts(veryLarge, [])).toHaveLength(1);
    expect(await source.readTexts(preparedLengths, [])).toEqual([String(preparedLengths.text.length)]);
  });

  test('are not used when switched off', async () => {
    const source = connect(await createTestDatabase(schema), { maxConnections: 1, preparedStatements: 0 });
    expect(await source.readTexts(byKey, ['1'])).toEqual(['item 1']);
    expect(await source.readTexts(preparedHere, [])).toEqual(['0', '0']);
  });

  test('survive a change of the tables they read', async () => {
    const database = await createTestDatabase(schema);
    const source = connect(database, { maxConnections: 1 });
    const everything = { text: `select * from item where id = 1` };
    expect(await source.readTexts(everything, [])).toEqual(['1', 'item 1']);
    await database.query('alter table item add column extra text default $$more$$');
    const rows = await Promise.all([source.readTexts(everything, []), source.readTexts(everything, [])]);
    expect(rows).toEqual([
      ['1', 'item 1', 'more'],
      ['1', 'item 1', 'more'],
    ]);
    expect(await source.readTexts(everything, [])).toEqual(['1', 'item 1', 'more']);
  });

  test('may vanish, as they do behind a pooler in transaction mode', async () => {
    const source = connect(await createTestDatabase(schema), { maxConnections: 1 });
    await source.readTexts(byKey, ['1']);
    await source.readTexts({ text: `select 'x' from (select 1) one` }, []);
    const drop = { text: `select (select count(*) from drop_all())::text` };
    await source.query(
      `create function drop_all() returns setof text language plpgsql as $$ begin execute 'deallocate all'; return; end $$`,
    );
    await source.readTexts(byKey, ['1']);
    await source.readTexts(drop, []);
    const rows = await Promise.all(Array.from({ length: 5 }, () => source.readTexts(byKey, ['2'])));
    expect(rows.flat()).toEqual(Array.from({ length: 5 }, () => 'item 2'));
    await source.readTexts(drop, []);
    const inTransaction = await write(source, byKey, ['3']);
    expect(inTransaction).toEqual(['item 3']);
  });
});

/** Looks at the pool's only connection without disturbing what is prepared there beforehand. */
function withOnlyConnection(source: SourceConnection, sql: string): Promise<pg.QueryResult> {
  return source.withClient((client) => client.query(sql));
}

describe('connections', () => {
  test('that the server ends are replaced, and reads under way run again', async () => {
    const database = await createTestDatabase(
      `${schema} create table patience (seconds float8); insert into patience values (600);`,
    );
    const source = connect(database, { maxConnections: 2 });
    await source.readTexts(byKey, ['1']);
    const slow = { text: `select pg_sleep(seconds)::text || 'done' from patience` };
    const reads = Array.from({ length: 2 }, () => source.readTexts(slow, []));
    await expect.poll(() => sleeping(database)).not.toEqual([]);
    await database.query('update patience set seconds = 0');
    const before = await backends(database);
    for (const { pid } of before) await database.query('select pg_terminate_backend($1)', [pid]);
    expect(await Promise.all(reads)).toEqual([['done'], ['done']]);
    expect(await source.readTexts(byKey, ['5'])).toEqual(['item 5']);
    const after = await backends(database);
    for (const { pid } of after) expect(before).not.toContainEqual({ pid });
  });

  test('that break while idle are replaced by the next use', async () => {
    const database = await createTestDatabase(schema);
    const source = connect(database);
    await source.readTexts(byKey, ['1']);
    for (const { pid } of await backends(database))
      await database.query('select pg_terminate_backend($1)', [pid]);
    expect(await source.readTexts(byKey, ['2'])).toEqual(['item 2']);
  });

  test('cannot be had: a clear error, every time', async () => {
    const database = await createTestDatabase(schema);
    const source = openSource(`${database.url}_missing`, { maxConnections: 2 });
    open.push(source);
    const results = await Promise.allSettled([source.readTexts(byKey, ['1']), source.query('select 1')]);
    for (const result of results) {
      expect((result as PromiseRejectedResult).reason).toMatchObject({
        message: 'cannot connect to the database',
      });
    }
  });

  test('close when they are idle for too long, and when they are too old', async () => {
    const database = await createTestDatabase(schema);
    const idle = connect(database, { idleTimeout: 0.1 });
    const old = connect(database, { connectionLifetime: 0.1 });
    await idle.readTexts(byKey, ['1']);
    await old.readTexts(byKey, ['1']);
    await expect.poll(async () => (await backends(database)).length).toBe(0);
    expect(await idle.readTexts(byKey, ['2'])).toEqual(['item 2']);
  });

  test('are never more than allowed, and waiting for one ends after the timeout', async () => {
    const database = await createTestDatabase(schema);
    // Connecting takes a part of this time as well.
    const source = connect(database, { maxConnections: 1, poolTimeout: 2 });
    await source.withClient(() => expect(source.query('select 1')).rejects.toThrow('became free in time'));
    expect((await source.query('select 1 as one')).rows).toEqual([{ one: 1 }]);
    expect((await backends(database)).length).toBe(1);
  });

  test('end after what runs on them is done', async () => {
    const database = await createTestDatabase(schema);
    const source = connect(database);
    await source.readTexts(byKey, ['1']);
    const slow = source.readTexts({ text: `select pg_sleep(0.3)::text || 'done'` }, []);
    const end = source.end();
    await expect(source.readTexts(byKey, ['1'])).rejects.toThrow('closed');
    expect(await slow).toEqual(['done']);
    await end;
    await expect.poll(() => backends(database)).toEqual([]);
  });
});

describe('writing', () => {
  const insert = { text: 'insert into item (id, name) values (($1)::int, ($2)::text) returning id::text' };
  const rename = { text: 'update item set name = ($2)::text where id = ($1)::int returning name' };

  test('many at once share connections, and one that fails leaves its neighbours alone', async () => {
    const database = await createTestDatabase(schema);
    const source = connect(database, { maxConnections: 2 });
    await write(source, insert, ['1000', 'first']);
    const results = await Promise.allSettled(
      Array.from({ length: 200 }, (_, n) => write(source, insert, [String(n + 1), `new ${n}`])),
    );
    // The first hundred were there before.
    for (const [n, result] of results.entries()) {
      if (n < 100)
        expect(result).toMatchObject({ status: 'rejected', reason: { index: 0, cause: { code: '23505' } } });
      else expect(result).toEqual({ status: 'fulfilled', value: [String(n + 1)] });
    }
    expect((await backends(database)).length).toBeLessThanOrEqual(2);
    expect(await write(source, rename, ['0', 'nobody'])).toEqual([]);
  });

  test('one that waits for a lock keeps nobody waiting, and is done once', async () => {
    const database = await createTestDatabase(
      `${schema} create table renamed (id int); create function note() returns trigger language plpgsql as
        $$ begin insert into renamed values (new.id); return new; end $$;
      create trigger noted after update on item for each row execute function note();`,
    );
    const source = connect(database, { maxConnections: 3 });
    await write(source, rename, ['1', 'one']);
    await write(source, insert, ['1000', 'first']);
    const holder = new pg.Client(database.url);
    await holder.connect();
    await holder.query('begin; select from item where id = 5 for update');
    let isDone = false;
    const waiting = write(source, rename, ['5', 'five']).then((row) => {
      isDone = true;
      return row;
    });
    // They are sent behind it.
    const others = Array.from({ length: 50 }, (_, n) => write(source, insert, [String(2000 + n), 'other']));
    const renames = [6, 7, 8].map((id) => write(source, rename, [String(id), 'another']));
    await Promise.all([...others, ...renames]);
    expect(isDone).toBe(false);
    await holder.query('commit');
    expect(await waiting).toEqual(['five']);
    await holder.end();
    expect(await database.query('select id from renamed order by id')).toEqual(
      [1, 5, 6, 7, 8].map((id) => ({ id })),
    );
  });

  test('one whose connection breaks is not run again', async () => {
    const database = await createTestDatabase(`${schema} create sequence attempts`);
    const source = connect(database);
    const slow = {
      text: `insert into item select 1000 + nextval('attempts'), 'slow' from pg_sleep(($1)::float8) returning id::text`,
    };
    await write(source, slow, ['0']);
    const broken = expect(write(source, slow, ['30'])).rejects.toThrow();
    await expect.poll(() => sleeping(database)).toHaveLength(1);
    await database.query('select pg_terminate_backend($1)', [(await sleeping(database))[0]!.pid]);
    await broken;
    expect(await write(source, slow, ['0'])).toEqual(['1002']);
  });

  test('what fails in the end has not been written', async () => {
    const database = await createTestDatabase(`${schema}
      create table part (item int references item deferrable initially deferred);`);
    const source = connect(database);
    const part = { text: 'insert into part values (($1)::int) returning item::text' };
    expect(await write(source, part, ['1'])).toEqual(['1']);
    await expect(write(source, part, ['5000'])).rejects.toThrow(CommitFailedError);
    expect(await database.query('select item from part')).toEqual([{ item: 1 }]);
  });

  test('runs at the isolation level of the source where the database has another one by default', async () => {
    const source = connect(await createTestDatabase(schema), { isolationLevel: 'serializable' });
    const level = { text: `select current_setting('transaction_isolation')` };
    expect(await write(source, level, [])).toEqual(['serializable']);
  });
});

describe('writing with several statements', () => {
  const insert = { text: 'insert into item (id, name) values (($1)::int, ($2)::text) returning id::text' };
  const rename = { text: 'update item set name = ($2)::text where id = ($1)::int returning name' };
  const divide = { text: 'select (100 / ($1)::int)::text' };
  const level = { text: `select current_setting('transaction_isolation')` };

  test.each(['read-committed', 'serializable'] as const)(
    'they are one transaction, each sees what the ones before did: %s',
    async (isolationLevel) => {
      const database = await createTestDatabase(schema);
      const source = connect(database, { isolationLevel, maxConnections: 2 });
      // Alone first, then on a shared connection.
      for (let id = 1; id <= 5; id++) {
        const rows = await source.writeTexts([
          { ...rename, values: [String(id), 'changed'] },
          { ...rename, values: ['0', 'nobody'] },
          { ...byKey, values: [String(id)] },
          { ...level, values: [] },
        ]);
        expect(rows).toEqual([['changed'], [], ['changed'], [isolationLevel.replace('-', ' ')]]);
        const failing = source.writeTexts([
          { ...rename, values: [String(id), 'again'] },
          { ...insert, values: [String(1000 + id), 'new'] },
          { ...divide, values: ['0'] },
          { ...byKey, values: [String(id)] },
        ]);
        await expect(failing).rejects.toMatchObject({ index: 2, cause: { code: '22012' } });
      }
      const names = await database.query('select id, name from item where id < 6 or id > 1000 order by id');
      expect(names).toEqual([1, 2, 3, 4, 5].map((id) => ({ id, name: 'changed' })));
    },
  );

  test('what Postgres did not get to prepare is prepared by the next ones', async () => {
    const source = connect(await createTestDatabase(schema), { maxConnections: 1 });
    const sent = (divisor: string) =>
      source.writeTexts([
        { ...divide, values: [divisor] },
        { ...byKey, values: ['7'] },
      ]);
    await expect(sent('0')).rejects.toMatchObject({ index: 0 });
    expect(await sent('4')).toEqual([['25'], ['item 7']]);
    const many = await Promise.allSettled(Array.from({ length: 40 }, (_, n) => sent(String(n % 2))));
    for (const [n, result] of many.entries()) {
      if (n % 2 === 0) expect(result).toMatchObject({ status: 'rejected', reason: { index: 0 } });
      else expect(result).toEqual({ status: 'fulfilled', value: [['100'], ['item 7']] });
    }
  });

  describe('that wait for a lock', () => {
    const renamed = { text: `select n::text from renamed` };
    const begin = async () => {
      const database = await createTestDatabase(`${schema} create sequence runs;
        create table renamed (n int); insert into renamed values (0);
        create function note() returns trigger language plpgsql as $$ begin
          begin update renamed set n = n + 1; exception when others then null; end;
          return new; end $$;
        create trigger noted before update on item for each row execute function note();`);
      const source = connect(database, { maxConnections: 3 });
      const renameCounted = (id: string, manner: 'alone' | 'once' = 'alone') =>
        source.writeTexts(
          [
            { text: `select nextval('runs')::text`, values: [] },
            { ...rename, values: [id, 'mine'] },
            { ...renamed, values: [] },
          ],
          { manner },
        );
      await renameCounted('1');
      const holder = new pg.Client(database.url);
      await holder.connect();
      const isWaiting = () =>
        expect
          .poll(() =>
            database.query(
              `select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`,
            ),
          )
          .toHaveLength(1);
      return { source, renameCounted, holder, isWaiting };
    };

    test('wait where they are, and run once', async () => {
      const { renameCounted, holder, isWaiting } = await begin();
      await holder.query('begin; select from item where id = 5 for update');
      const waiting = renameCounted('5');
      await isWaiting();
      await delay(300);
      await holder.query('commit');
      expect(await waiting).toEqual([['2'], ['mine'], ['2']]);
      await holder.end();
    });

    test('get it, even where a function goes on without what failed in it', async () => {
      const { source, holder, isWaiting } = await begin();
      await write(source, rename, ['2', 'known']);
      await holder.query('begin; update renamed set n = 10');
      const waiting = write(source, rename, ['5', 'five']);
      await isWaiting();
      // On a shared connection its wait is ended, and it waits again on one of its own.
      await delay(400);
      await isWaiting();
      await holder.query('commit');
      expect(await waiting).toEqual(['five']);
      expect(await source.readTexts(renamed, [])).toEqual(['11']);
      await holder.end();
    });
  });

  test('that reach a limit of the database by themselves are not run again', async () => {
    const database = await createTestDatabase('create sequence runs');
    const source = connect(database);
    const long = source.writeTexts([
      { text: `select nextval('runs')`, values: [] },
      { text: `select set_config('statement_timeout', '20ms', true)`, values: [] },
      { text: 'select pg_sleep(20)', values: [] },
    ]);
    await expect(long).rejects.toMatchObject({ index: 2, cause: { code: '57014' } });
    expect(await database.query('select last_value::int as n from runs')).toEqual([{ n: 1 }]);
  });

  test('what fails in the end has not been written', async () => {
    const database = await createTestDatabase(`${schema}
      create table part (item int references item deferrable initially deferred);`);
    const part = { text: 'insert into part values (($1)::int) returning item::text' };
    for (const isolationLevel of ['read-committed', 'serializable'] as const) {
      const source = connect(database, { isolationLevel, maxConnections: 1 });
      const both = source.writeTexts([
        { ...part, values: ['5000'] },
        { ...part, values: ['1'] },
      ]);
      await expect(both).rejects.toThrow(CommitFailedError);
      expect(await write(source, part, ['2'])).toEqual(['2']);
    }
    expect(await database.query('select item from part')).toEqual([{ item: 2 }, { item: 2 }]);
  });
});

test('what SQL from outside leaves behind on a connection reaches nobody else', async () => {
  const database = await createTestDatabase(schema);
  const source = connect(database, { maxConnections: 1 });
  await source.query(
    `set search_path to pg_catalog; create temporary table item as select 1 as id, 'false'::text as name`,
  );
  expect(await source.readTexts(byKey, ['1'])).toEqual(['item 1']);
  await source.query('begin; update item set name = $$open$$');
  expect(await source.readTexts(byKey, ['1'])).toEqual(['item 1']);
  await expect(source.query('begin; select 1/0')).rejects.toMatchObject({ code: '22012' });
  expect(await source.readTexts(byKey, ['1'])).toEqual(['item 1']);
});
