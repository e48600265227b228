/**
 * Which check an upsert asks is decided by what PostgreSQL did with the row: for every kind of table and key, and although
 * another session commits the row after the statement has begun. Each table has keys, and a text `v` that the insert's check
 * wants to begin with "new" and the update's with "upd".
 */
import { afterAll, describe, expect, test } from 'vitest';
import type { InProcess } from '../../../harness/in-process.ts';
import { serveInProcess } from '../../../harness/in-process.ts';
import { metadataOf } from '../../../harness/metadata.ts';
import { createTestDatabase, type TestDatabase, withClient } from '../../../harness/postgres.ts';

interface Kind {
  readonly name: string;
  readonly constraint: string;
  readonly ddl: string;
  /** Columns of a key that is there, of two as PostgreSQL compares them to the first one, and of a new key. */
  readonly there: Readonly<Record<string, unknown>>;
  readonly same: Readonly<Record<string, unknown>>;
  readonly other: Readonly<Record<string, unknown>>;
  readonly since?: number;
}

const kinds: readonly Kind[] = [
  {
    name: 'plain',
    constraint: 'plain_pkey',
    ddl: 'create table plain (k int primary key, v text)',
    there: { k: 1 },
    same: { k: 1 },
    other: { k: 2 },
  },
  {
    name: 'parent of others',
    constraint: 'parent_pkey',
    ddl: `create table parent (k int primary key, v text); create table child () inherits (parent);
      insert into child values (1, 'of the child')`,
    there: { k: 1 },
    same: { k: 1 },
    other: { k: 2 },
  },
  {
    name: 'child of another',
    constraint: 'heir_pkey',
    ddl: `create table ancestor (k int primary key, v text);
      create table heir (primary key (k)) inherits (ancestor); insert into ancestor values (2, 'of the ancestor')`,
    there: { k: 1 },
    same: { k: 1 },
    other: { k: 2 },
  },
  {
    name: 'partitioned',
    constraint: 'parted_pkey',
    ddl: `create table parted (r text, k int, v text, primary key (r, k)) partition by list (r);
      create table parted_a partition of parted for values in ('a');
      create table parted_b (v text, k int not null, r text not null);
      alter table parted attach partition parted_b for values in ('b')`,
    there: { r: 'a', k: 1 },
    same: { r: 'a', k: 1 },
    other: { r: 'b', k: 1 },
  },
  {
    name: 'partitioned, with other columns in the partition',
    constraint: 'moved_pkey',
    ddl: `create table moved (r text, k int, v text, primary key (r, k)) partition by list (r);
      create table moved_a partition of moved for values in ('a');
      create table moved_b (gone int, v text, k int not null, r text not null);
      alter table moved_b drop column gone;
      alter table moved attach partition moved_b for values in ('b')`,
    there: { r: 'b', k: 1 },
    same: { r: 'b', k: 1 },
    other: { r: 'a', k: 1 },
  },
  {
    name: 'partitioned at two levels',
    constraint: 'deep_pkey',
    ddl: `create table deep (r text, k int, v text, primary key (r, k)) partition by list (r);
      create table deep_a partition of deep for values in ('a') partition by range (k);
      create table deep_a1 partition of deep_a for values from (0) to (10);
      create table deep_rest partition of deep default`,
    there: { r: 'a', k: 1 },
    same: { r: 'a', k: 1 },
    other: { r: 'z', k: 1 },
  },
  {
    name: 'partitioned by hash, numbers of another scale',
    constraint: 'scaled_pkey',
    ddl: `create domain amount as numeric; create table scaled (k amount primary key, v text) partition by hash (k);
      create table scaled_0 partition of scaled for values with (modulus 2, remainder 0);
      create table scaled_1 partition of scaled for values with (modulus 2, remainder 1)`,
    there: { k: '1' },
    same: { k: '1.00' },
    other: { k: '2' },
  },
  {
    name: 'partitioned, zeros of both signs',
    constraint: 'zeros_pkey',
    ddl: `create table zeros (k float8 primary key, v text) partition by range (k);
      create table zeros_0 partition of zeros default`,
    there: { k: 0 },
    same: { k: '-0' },
    other: { k: 2 },
  },
  {
    name: 'partitioned, texts in any case',
    constraint: 'folded_key',
    ddl: `create extension citext; create table folded (r int, k citext, v text, constraint folded_key unique (r, k))
      partition by list (r); create table folded_1 partition of folded for values in (1)`,
    there: { r: 1, k: 'Key' },
    same: { r: 1, k: 'kEY' },
    other: { r: 1, k: 'other' },
  },
  {
    name: 'partitioned, texts of a collation in which different ones are equal',
    constraint: 'collated_key',
    ddl: `create collation folding (provider = icu, locale = 'und-u-ks-level2', deterministic = false);
      create table collated (r int, k text collate folding, v text, constraint collated_key unique (r, k))
      partition by list (r); create table collated_1 partition of collated for values in (1)`,
    there: { r: 1, k: 'Key' },
    same: { r: 1, k: 'kEY' },
    other: { r: 1, k: 'other' },
  },
  {
    name: 'partitioned, nulls that are equal',
    constraint: 'nulls_key',
    ddl: `create table nulls (r int, k int, v text, constraint nulls_key unique nulls not distinct (r, k))
      partition by list (r); create table nulls_1 partition of nulls for values in (1)`,
    there: { r: 1, k: null },
    same: { r: 1, k: null },
    other: { r: 1, k: 2 },
    since: 15,
  },
  {
    name: 'partitioned, nulls that differ',
    constraint: 'nullable_key',
    ddl: `create table nullable (r int, k int, v text, constraint nullable_key unique (r, k))
      partition by list (r); create table nullable_1 partition of nullable for values in (1)`,
    there: { r: 1, k: 1 },
    same: { r: 1, k: 1 },
    other: { r: 1, k: null },
  },
  {
    name: 'partitioned, keys that triggers change',
    constraint: 'changing_pkey',
    ddl: `create table changing (r int, k int, v text, primary key (r, k)) partition by list (r);
      create table changing_1 partition of changing for values in (1);
      create function wrap() returns trigger language plpgsql as $$ begin new.k := new.k % 10; return new; end $$;
      create trigger wrap before insert on changing for each row execute function wrap();
      create function turn() returns trigger language plpgsql as $$ begin new.k := -new.k; return new; end $$;
      create trigger turn before update on changing for each row execute function turn()`,
    there: { r: 1, k: 1 },
    same: { r: 1, k: 21 },
    other: { r: 1, k: 2 },
  },
];

const tableOf = ({ constraint }: Kind) => constraint.replace(/_(pkey|key)$/, '');
const columnsOf = ({ there }: Kind) => [...Object.keys(there), 'v'];

describe.each([
  ['PostgreSQL of this run', undefined],
  ['PostgreSQL 13', 13],
  ['PostgreSQL 15', 15],
] as const)('%s', (_, version) => {
  const opened: InProcess[] = [];
  afterAll(async () => {
    for (const each of opened) await each.end();
  });

  async function open(kind: Kind, more = '') {
    const database = await createTestDatabase(`${kind.ddl}; ${more}`, version);
    const columns = columnsOf(kind);
    const permission = (more: object) => ({ role: 'user', permission: { columns, ...more } });
    const served = await serveInProcess(
      database.url,
      metadataOf([
        {
          table: tableOf(kind),
          insert_permissions: [permission({ check: { v: { _like: 'new%' } } })],
          update_permissions: [permission({ filter: {}, check: { v: { _like: 'upd%' } } })],
          select_permissions: [permission({ filter: {} })],
        },
      ]),
    );
    opened.push(served);
    const upsert = async (...objects: readonly object[]) => {
      const table = tableOf(kind);
      const query = `mutation ($objects: [${table}_insert_input!]!) {
        insert_${table}(objects: $objects, on_conflict: {constraint: ${kind.constraint}, update_columns: [v]}) { returning { v } }
      }`;
      try {
        const answer = JSON.parse(await served.answer({ query, variables: { objects } }, 'user'));
        return answer.data[`insert_${table}`].returning.map(({ v }: { v: string }) => v) as string[];
      } catch (error) {
        return (error as Error).message;
      }
    };
    const values = async () =>
      (await database.query(`select v from ${tableOf(kind)} order by v`)).map(({ v }) => v);
    return { database, upsert, values, table: tableOf(kind) };
  }

  const refused = 'check constraint of an insert/update permission has failed';
  const applicable = kinds.filter(({ since = 0 }) => since <= (version ?? 18));

  test.each(applicable)('$name: a row that is there is changed, one that is not is new', async (kind) => {
    const { upsert, table } = await open(kind);
    expect(await upsert({ ...kind.there, v: 'upd' })).toBe(refused);
    expect(await upsert({ ...kind.there, v: 'new' })).toEqual(['new']);
    expect(await upsert({ ...kind.same, v: 'new 2' }), `${table} takes a changed row for a new one`).toBe(
      refused,
    );
    expect(await upsert({ ...kind.other, v: 'upd' }), `${table} takes a new row for a changed one`).toBe(
      refused,
    );
    // All at once, in both orders.
    if (table !== 'changing') {
      expect(await upsert({ ...kind.same, v: 'upd 2' }, { ...kind.other, v: 'upd' })).toBe(refused);
      expect(await upsert({ ...kind.other, v: 'new' }, { ...kind.same, v: 'new 3' })).toBe(refused);
    }
    expect(await upsert({ ...kind.same, v: 'upd 3' }, { ...kind.other, v: 'new 3' })).toEqual([
      'upd 3',
      'new 3',
    ]);
  });

  test.each(applicable)('$name: a row that another session commits meanwhile is changed', async (kind) => {
    const { database, upsert, values, table } = await open(kind);
    const columns = columnsOf(kind);
    const cells = columns.map((_, index) => `$${index + 1}`);
    const begun = (given: object) =>
      race(
        database,
        `insert into ${table} (${columns}) values (${cells})`,
        Object.values({ ...kind.there, v: 'old' }),
        () => upsert({ ...kind.same, ...given }),
      );
    expect(await begun({ v: 'new' })).toBe(refused);
    expect(await values()).toContain('old');
    await database.query(`delete from ${table}`);
    expect(await begun({ v: 'upd' })).toEqual(['upd']);
  });

  const parted = kinds.find(({ name }) => name === 'partitioned')!;

  test('a row that a trigger leaves alone says nothing of the next one', async () => {
    const { upsert, values } = await open(
      parted,
      `create function keep() returns trigger language plpgsql as $$ begin return null; end $$;
       create trigger keep before update on parted for each row when (new.v = 'upd no') execute function keep();
       insert into parted values ('a', 1, 'old'), ('a', 2, 'old');
       alter table parted alter k set default 9; alter table parted_b alter k set default 9`,
    );
    const first = { r: 'a', k: 1, v: 'upd no' };
    expect(await upsert(first, { r: 'a', k: 3, v: 'upd' })).toBe(refused);
    expect(await upsert(first, { r: 'a', k: 3, v: 'new' }, { r: 'a', k: 2, v: 'upd' })).toEqual([
      'new',
      'upd',
    ]);
    // In statements of their own: a key is left to its default.
    const unkeyed = { r: 'b', v: 'upd' };
    expect(await upsert(first, unkeyed)).toBe(refused);
    expect(await upsert(first, { ...unkeyed, v: 'new' })).toEqual(['new']);
    expect(await values()).toEqual(['new', 'new', 'old', 'upd']);
  });
});

/** What an operation answers that has to wait for a row of another session, which commits then. */
async function race<Result>(
  database: TestDatabase,
  insert: string,
  parameters: readonly unknown[],
  operation: () => Promise<Result>,
): Promise<Result> {
  return withClient(database.url, async (other) => {
    await other.query('begin');
    await other.query(insert, [...parameters]);
    const result = operation();
    await expect
      .poll(
        () =>
          database.query(
            `select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`,
          ),
        { timeout: 30_000 },
      )
      .toHaveLength(1);
    await other.query('commit');
    return result;
  });
}
