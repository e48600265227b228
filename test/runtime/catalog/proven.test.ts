/** What a catalog of a real database proves, and what it does not: one table for each way in which a declared fact is false. */
import { beforeAll, describe, expect, it } from 'vitest';
import type { Catalog, CatalogTable } from '../../../runtime/catalog/catalog.ts';
import { introspectDatabase } from '../../../runtime/catalog/index.ts';
import {
  isAlwaysThere,
  isAtMostOne,
  isNeverNull,
  isUnique,
  keysOf,
} from '../../../runtime/catalog/proven.ts';
import { createTestDatabase } from '../../harness/postgres.ts';
import { queryOf } from './introspection.ts';

const SQL = `
  create collation nd (provider = icu, locale = 'und-u-ks-level2', deterministic = false);
  create domain code as int not null;
  create type mood as enum ('sad', 'happy');
  create type own as (n int);
  create function own_equal(own, own) returns boolean language sql immutable as 'select true';
  create operator = (leftarg = own, rightarg = own, function = own_equal);
  create type amount as (n numeric);

  create table plain (id int primary key, big bigint not null unique, t text unique, m mood unique, c code unique);
  create table parent (id int primary key, required int constraint own_rows not null no inherit, other int not null);
  create table child (extra text) inherits (parent);
  create table grandchild () inherits (child);
  create table unvalidated (n int);
  alter table unvalidated add constraint unvalidated_n not null n not valid;
  create table parts (id int, at int, primary key (id, at)) partition by range (at);
  create table part partition of parts for values from (1) to (9);
  create table later (id int primary key deferrable initially deferred, n int unique deferrable);
  create table pending (id int) partition by list (id);
  create table pending_1 partition of pending for values in (1);
  alter table only pending add constraint pending_key unique (id);
  create table twice (id int);
  insert into twice values (1), (1);
  create table folded (t text collate nd primary key, u text);
  create unique index folded_u on folded (u collate nd);
  create table images (a amount);
  create unique index images_a on images (a record_image_ops);
  create table amounts (n numeric primary key, v varchar unique, f float8 unique, o own);
  create table partial (id int, lower text);
  create unique index partial_some on partial (id) where id > 5;
  create unique index partial_lower on partial (lower(lower));
  create view shown as select p.id, p.big, c.required from plain p left join parent c using (id);
  create materialized view kept as select id from plain;
  create unique index kept_id on kept (id);

  create table refers (
    id int primary key,
    a int not null references plain, b int references plain,
    c int not null constraint refers_later references plain deferrable,
    n int not null constraint refers_loosely references plain not enforced,
    d int not null, e int not null constraint refers_off references plain, p int not null references plain
  );
  alter table refers add constraint refers_unvalidated foreign key (d) references plain not valid;
  create table of_parent (id int primary key, p int not null constraint of_parent_p references plain);
  create table of_child () inherits (of_parent);
  create extension postgres_fdw;
  create server elsewhere foreign data wrapper postgres_fdw;
  create foreign table away (id int not null) server elsewhere;
  create table spread (id int not null, at int) partition by list (at);
  create foreign table spread_1 partition of spread for values in (1) server elsewhere;
`;

let catalog: Catalog;
beforeAll(async () => {
  const database = await createTestDatabase(SQL);
  const { query } = database;
  await query('create unique index concurrently twice_id on twice (id)').catch(() => {});
  await query(
    `do $$ declare g name; begin
       for g in select tgname from pg_trigger t join pg_constraint k on k.oid = t.tgconstraint where conname = 'refers_off' and tgrelid = 'refers'::regclass
       loop execute format('alter table refers disable trigger %I', g); end loop;
     end $$`,
  );
  catalog = await introspectDatabase(queryOf(database));
});

function table(name: string): CatalogTable {
  return catalog.tables.find((each) => each.name === name)!;
}

function key(of: string, name: string) {
  return isUnique(table(of), keysOf(table(of)).find((each) => each.name === name)!);
}

describe('a key proves that at most one row has its values', () => {
  it.each([
    ['plain', 'plain_pkey'],
    ['plain', 'plain_t_key'],
    ['plain', 'plain_m_key'],
    ['plain', 'plain_c_key'],
    ['parts', 'parts_pkey'],
    ['amounts', 'amounts_pkey'],
    ['kept', 'kept_id'],
  ])('of %s by %s', (of, name) => {
    expect(key(of, name)).toEqual({ holds: true, because: `"${name}" is unique` });
  });

  it.each([
    ['where tables inherit', 'parent', 'parent_pkey', /inherit/],
    ['where it is deferrable', 'later', 'later_pkey', /deferrable/],
    ['where it is deferrable, and checked at once', 'later', 'later_n_key', /deferrable/],
    ['where a partition has no index yet', 'pending', 'pending_key', /not valid/],
    ['where its column ignores case', 'folded', 'folded_pkey', /collation/],
    ['where its index tells 1.0 from 1.00', 'images', 'images_a', /operator class/],
    ['where its index ignores case', 'folded', 'folded_u', /collation/],
  ])('not %s', (_, of, name, why) => {
    const { holds, because } = key(of, name);
    expect(holds).toBe(false);
    expect(because).toMatch(why);
  });

  it('not where the index could not be made, or is over some rows or an expression', () => {
    expect(keysOf(table('twice'))).toEqual([]);
    expect(keysOf(table('partial'))).toEqual([]);
    expect(keysOf(table('child'))).toEqual([]);
    expect(keysOf(table('shown'))).toEqual([]);
  });
});

describe('a join finds at most one row', () => {
  const joins = (from: string, own: string, to: string, other: string) => {
    const column = table(from).columns.find(({ name }) => name === own)!;
    return isAtMostOne(catalog, table(to), [{ column: other, with: column }]);
  };

  it.each([
    ['of one type', 'refers', 'a', 'plain', 'id'],
    ['of integers', 'plain', 'big', 'plain', 'id'],
    ['of a domain and its type', 'refers', 'a', 'plain', 'c'],
    ['of an enum', 'plain', 'm', 'plain', 'm'],
    ['of text and varchar', 'plain', 't', 'amounts', 'v'],
  ])('%s', (_, from, own, to, other) => {
    expect(joins(from, own, to, other)).toMatchObject({ holds: true, isKeyDoubted: false });
  });

  it.each([
    ['of a float and a numeric', 'amounts', 'f', 'amounts', 'n'],
    ['of an integer and a float', 'plain', 'big', 'amounts', 'f'],
    ['of texts, one of which ignores case', 'folded', 't', 'plain', 't'],
    ['that covers no key', 'plain', 'id', 'parts', 'id'],
    ['to a table that others inherit from', 'plain', 'id', 'parent', 'id'],
  ])('not %s', (_, from, own, to, other) => {
    expect(joins(from, own, to, other).holds).toBe(false);
  });

  it('not of a type with an equality of its own', () => {
    const column = table('amounts').columns.find(({ name }) => name === 'o')!;
    const keyed = { ...table('amounts'), uniqueIndexes: [{ name: 'o', columns: ['o'], oid: 1 }] };
    expect(isAtMostOne(catalog, keyed, [{ column: 'o', with: column }]).holds).toBe(false);
  });
});

describe('a column is never null', () => {
  it.each([
    ['of a table', 'plain', 'id'],
    ['of a table and those that inherit', 'parent', 'other'],
  ])('%s', (_, of, name) => {
    expect(isNeverNull(table(of), name)).toEqual({ holds: true, because: `"${name}" is NOT NULL` });
  });

  it.each([
    ['where it may be', 'plain', 't'],
    // An empty subquery gives a null of a domain's type.
    ['by its domain', 'plain', 'c'],
    ['where a table that inherits may hold null', 'parent', 'required'],
    ['where its constraint is not valid', 'unvalidated', 'n'],
    ['of a view', 'shown', 'id'],
    ['behind an outer join', 'shown', 'required'],
    ['of a materialized view', 'kept', 'id'],
    ['of a foreign table', 'away', 'id'],
    ['of a foreign partition', 'spread', 'id'],
  ])('not %s', (_, of, name) => {
    expect(isNeverNull(table(of), name).holds).toBe(false);
  });
});

describe('the row that a foreign key refers to is there', () => {
  const reference = (of: string, column: string) => {
    const found = table(of).foreignKeys.find(({ columns }) => columns.join() === column)!;
    return isAlwaysThere(table(of), found);
  };

  it('of columns that are never null', () => {
    expect(reference('refers', 'a').holds).toBe(true);
    expect(reference('refers', 'p').holds).toBe(true);
  });

  it.each([
    ['where a column may be null', 'refers', 'b'],
    ['where the key is deferrable', 'refers', 'c'],
    ['where the key is not validated', 'refers', 'd'],
    ['where a trigger of the key is disabled', 'refers', 'e'],
    ['where the key is not enforced', 'refers', 'n'],
    ['for rows of tables that inherit', 'of_parent', 'p'],
  ])('not %s', (_, of, column) => {
    expect(reference(of, column).holds).toBe(false);
  });
});
