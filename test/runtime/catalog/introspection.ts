/** The tests of introspection, for servers of several versions. */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import pg from 'pg';
import { beforeAll, describe, expect, it } from 'vitest';
import type { Catalog } from '../../../runtime/catalog/catalog.ts';
import {
  introspectDatabase,
  printCatalogFile,
  type RunQuery,
  readCatalogFile,
  writeCatalogFile,
} from '../../../runtime/catalog/index.ts';
import { loadReadBody } from '../../../runtime/catalog/sql-body.ts';
import { createTestDatabase, type TestDatabase } from '../../harness/postgres.ts';

/** Each is a schema of the same name (blanks as underscores) in `fixture/`, and a catalog in `expected/`. */
const groups = [
  { group: 'tables', schemas: ['tables'], since: 13 },
  { group: 'types', schemas: ['types', 'public'], since: 13 },
  { group: 'keys', schemas: ['keys', 'keys_other'], since: 13 },
  { group: 'views', schemas: ['views'], since: 13 },
  { group: 'functions', schemas: ['functions'], since: 13 },
  { group: 'partitions', schemas: ['partitions'], since: 13 },
  { group: 'foreign', schemas: ['foreign'], since: 13 },
  { group: 'side-effects', schemas: ['side_effects'], since: 13 },
  { group: 'since-15', schemas: ['since_15'], since: 15 },
  { group: 'since-18', schemas: ['since_18'], since: 18 },
];

function fixture(version: number): string {
  return groups
    .filter(({ since }) => since <= version)
    .map(({ group }) => readFileSync(new URL(`fixture/${group}.sql`, import.meta.url), 'utf8'))
    .join('\n');
}

export function queryOf(database: TestDatabase): RunQuery {
  return async (sql, values) => ({ rows: await database.query(sql, values) });
}

/**
 * The part of a catalog that belongs to some schemas, as text. OIDs are masked, because they differ from run to run, and
 * hashes of definitions, because versions print definitions differently.
 */
function printPart(group: string, catalog: Catalog, schemas: readonly string[]): string {
  const within = ({ schema }: { readonly schema: string }) => schemas.includes(schema);
  const part = {
    serverVersion: 0,
    extensions: [],
    types: catalog.types.filter(within),
    tables: catalog.tables.filter(within),
    functions: catalog.functions.filter(within),
    enumTables: {},
  };
  return printCatalogFile({ version: 3, sources: { [group]: part } })
    .replaceAll(/"oid":( ?)\d+/g, '"oid":$10')
    .replaceAll(/"[0-9a-f]{32}"/g, '"hash"');
}

/** @param versions of the servers; 18 is that of the test run */
export function testIntrospection(versions: readonly (13 | 15 | 18)[]): void {
  describe.each(versions)('introspectDatabase on PostgreSQL %i', (version) => {
    let database: TestDatabase;
    let catalog: Catalog;

    beforeAll(async () => {
      database = await createTestDatabase(fixture(version), version === 18 ? undefined : version);
      catalog = await introspectDatabase(queryOf(database), loadReadBody);
    });

    it.each(groups.filter(({ since }) => since <= version))('reads $group', async ({ group, schemas }) => {
      await expect(printPart(group, catalog, schemas)).toMatchFileSnapshot(`expected/${group}.json`);
    });

    it('can be saved and read', async () => {
      const path = join(mkdtempSync(join(tmpdir(), 'engine-catalog-')), 'catalog.json');
      const file = { version: 3, sources: { default: { ...catalog, enumTables: {} } } } as const;
      await writeCatalogFile(path, file);
      const read = await readCatalogFile(path);
      rmSync(dirname(path), { recursive: true });
      expect(read).toStrictEqual(file);
      expect(printCatalogFile(read)).toBe(printCatalogFile(file));
    });

    it('asks once', async () => {
      let statements = 0;
      await introspectDatabase(async (sql, values) => {
        statements += 1;
        return queryOf(database)(sql, values);
      });
      expect(statements).toBe(1);
    });

    it('gives the same bytes for the same database, and for one that was made in another order', async () => {
      expect(await introspectDatabase(queryOf(database), loadReadBody)).toStrictEqual(catalog);
      const two = ['create table b (id int)', 'create table a (id int)', "create type e as enum ('x')"];
      const rest = ['create function f(a e) returns e language sql as $$ select a $$'];
      const catalogs = [];
      for (const sql of [two, two.toReversed()]) {
        const made = await createTestDatabase(
          [...sql, ...rest].join(';'),
          version === 18 ? undefined : version,
        );
        catalogs.push(printPart('made', await introspectDatabase(queryOf(made), loadReadBody), ['public']));
      }
      expect(catalogs[0]).toBe(catalogs[1]);
      expect(catalogs[0]).toContain('"name":"e"');
    });

    it('tells other definitions of views, functions and triggers by their hashes, whatever the search path', async () => {
      const made = await createTestDatabase(
        `create table a (id int, secret text);
        create function f(int) returns int language sql as $$ select $1 $$;
        create function log() returns trigger language plpgsql as $$ begin return null; end $$;
        create view v as select f(id) as id from a;
        create view w as select id from v;
        create trigger t after insert on a for each row execute function log();`,
        version === 18 ? undefined : version,
      );
      const hashes = async () => {
        const { tables, functions } = await introspectDatabase(queryOf(made), loadReadBody);
        const of = (table: string) => tables.find(({ name }) => name === table)!;
        return {
          f: functions.find(({ name }) => name === 'f')!.definition,
          t: of('a').triggers?.t,
          v: of('v').definition,
          w: of('w').definition,
          called: [of('v').calls, of('w').calls],
        };
      };
      const differing = async (sql: string) => {
        const before = await hashes();
        await made.query(sql);
        const after = await hashes();
        return Object.entries(after).flatMap(([name, hash]) =>
          JSON.stringify(hash) === JSON.stringify(before[name as keyof typeof before]) ? [] : [name],
        );
      };
      const first = await hashes();
      expect(first.called[0]).toEqual({ 'public.f': first.f });
      expect(first.called[1]).toEqual({ 'public.f': first.f });
      const where = 'create or replace view v as select f(id) as id from a where secret is null';
      expect(await differing(where)).toEqual(['v', 'w']);
      expect(await differing('alter view v set (security_barrier)')).toEqual(['v', 'w']);
      const body = 'create or replace function f(int) returns int language sql as $$ select $1 + 1 $$';
      expect(await differing(body)).toEqual(['f', 'called']);
      expect(await differing('alter function f(int) security definer')).toEqual(['f', 'called']);
      const logs = `create or replace function log() returns trigger language plpgsql as $$ begin delete from a; return null; end $$`;
      expect(await differing(logs)).toEqual(['t']);
      expect(await differing('alter table a disable trigger t')).toEqual(['t']);
      expect(await differing(`alter database "${made.name}" set search_path = pg_catalog`)).toEqual([]);
    });

    it('leaves the search path as it was', async () => {
      const client = new pg.Client({ connectionString: database.url });
      await client.connect();
      await client.query('begin; set local search_path = views, public');
      await introspectDatabase((sql) => client.query(sql));
      const { rows } = await client.query('show search_path');
      await client.end();
      expect(rows).toEqual([{ search_path: 'views, public' }]);
    });

    it('reports version, extensions, OIDs and attribute numbers as the server does', async () => {
      const [server] = await database.query(`
      select
        current_setting('server_version_num')::int as version,
        'tables.account'::regclass::oid::int as "table",
        'functions.none()'::regprocedure::oid::int as function,
        'types.mood'::regtype::oid::int as type,
        (select extversion from pg_extension where extname = 'citext') as citext,
        (select oid::int from pg_constraint where conname = 'region pk') as key`);
      const table = catalog.tables.find(({ name }) => name === 'account');
      expect({
        version: catalog.serverVersion,
        table: table?.oid,
        function: catalog.functions.find(({ name }) => name === 'none')?.oid,
        type: catalog.types.find(({ name }) => name === 'mood')?.oid,
        citext: catalog.extensions.find(({ name }) => name === 'citext')?.version,
        key: catalog.tables.find(({ name }) => name === 'region')?.primaryKey?.oid,
      }).toEqual(server);
      expect(table?.columns.map(({ position }) => position)).toEqual([1, 2, 3, 5, 6, 7, 8, 9, 10, 11]);
    });

    it('leaves out the system, temporary tables, its own schema and the functions of extensions', async () => {
      await database.query('create schema engine_catalog; create table engine_catalog.metadata (id int)');
      const { tables, functions } = await introspectDatabase(async (sql, values) => {
        await database.query('create temporary table passing (id int)');
        return queryOf(database)(sql, values);
      });
      await database.query('drop schema engine_catalog cascade');
      expect(tables.map(({ schema, name }) => `${schema}.${name}`)).toEqual(
        catalog.tables.map(({ schema, name }) => `${schema}.${name}`),
      );
      expect(functions.some(({ name }) => name === 'similarity')).toBe(false);
    });
  });
}
