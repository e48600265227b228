/**
 * Rows that PostgreSQL handles to read a catalog, counted by EXPLAIN, in databases that were filled a moment ago, as behind
 * migrations: their statistics are those of the empty database that they began as.
 */
import pg from 'pg';
import { describe, expect, it } from 'vitest';
import { catalogStatement } from '../../../runtime/catalog/statement.ts';
import { createTestDatabase } from '../../harness/postgres.ts';

/** The objects with number `i`. Numbers begin at 1. */
const KINDS: Readonly<Record<string, (i: number) => string>> = {
  'serial keys': (i) => `create table t${i} (id serial primary key, b int default 1, c int default 2);`,
  'keys, indexes and comments': (i) => `
    create table t${i} (id serial primary key, a text unique, b int references t${Math.max(1, i - 1)}, c int references t1);
    create index on t${i} (b); create index on t${i} (c); create unique index on t${i} (lower(a)) where b > 1;
    comment on table t${i} is 'a'; comment on column t${i}.a is 'b';`,
  'views and functions': (i) => `
    create table t${i} (id int generated always as identity primary key, a text);
    create view v${i} as select * from t${i} where a > 'x';
    create function f${i}() returns setof t${i} language sql stable as $$ select * from t${i} $$;
    create view w${i} as select v.* from f${i}() v join v${Math.max(1, i - 1)} using (id);`,
  'types, checks and triggers': (i) => `
    create type e${i} as enum ('a', 'b'); create domain d${i} as int check (value > 0); create type c${i} as (x int, y e${i});
    create function n${i}() returns int language plpgsql as $$ begin return 1; end $$;
    create table t${i} (id serial primary key, e e${i} default 'a', d d${i}, c c${i}, z int default n${i}(), check (id > 0));
    create function g${i}() returns trigger language plpgsql as $$ begin return new; end $$;
    create trigger g before insert on t${i} for each row execute function g${i}();`,
  'one sequence and one domain': (i) => `
    ${i === 1 ? "create sequence s; create domain d as int default nextval('s');" : ''}
    create table t${i} (id int primary key default nextval('s'), d d);`,
  'partitions and descendants': (i) =>
    i % 20 === 1
      ? `create table t${i} (id serial, k int, primary key (id, k)) partition by list (k); create table i${i} (id int)`
      : `create table t${i} partition of t${i - ((i - 1) % 20)} for values in (${i});
         create table i${i} () inherits (i${i - ((i - 1) % 20)})`,
};

interface PlanNode {
  readonly 'Actual Rows': number;
  readonly 'Actual Loops': number;
  readonly 'Rows Removed by Filter'?: number;
  readonly 'Rows Removed by Join Filter'?: number;
  readonly Plans?: readonly PlanNode[];
}

function handled(node: PlanNode): number {
  const removed = (node['Rows Removed by Filter'] ?? 0) + (node['Rows Removed by Join Filter'] ?? 0);
  const own = (node['Actual Rows'] + removed) * node['Actual Loops'];
  return (node.Plans ?? []).reduce((sum, below) => sum + handled(below), own);
}

/** @param versions of the servers; 18 is that of the test run */
export function testGrowth(versions: readonly (13 | 15 | 18)[]): void {
  describe.each(versions)('reading a new catalog on PostgreSQL %i', (version) => {
    it.each(Object.keys(KINDS))('costs the same for each object: %s', async (kind) => {
      const database = await createTestDatabase('', version === 18 ? undefined : version);
      const client = new pg.Client({ connectionString: database.url });
      await client.connect();
      // Not seen by autovacuum, which would analyze it.
      await client.query('begin');
      let made = 0;
      const rowsWith = async (objects: number) => {
        let sql = '';
        while (made < objects) sql += `${KINDS[kind]!(++made)};`;
        await client.query(sql);
        const { rows } = await client.query(
          `explain (analyze, format json, timing off, costs off) ${catalogStatement}`,
        );
        return handled(rows[0]['QUERY PLAN'][0].Plan);
      };
      const none = await rowsWith(0);
      const few = (await rowsWith(100)) - none;
      const many = (await rowsWith(400)) - none;
      await client.end();
      // Four times as many; as a square it would be sixteen.
      expect(many / few).toBeLessThan(6);
    });
  });
}
