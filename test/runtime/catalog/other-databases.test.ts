/** Databases that speak the protocol of PostgreSQL: their answers, given for a query of PostgreSQL's. */
import { expect, test } from 'vitest';
import { introspectDatabase, type RunQuery } from '../../../runtime/catalog/introspect.ts';
import { otherDatabase } from '../../../runtime/catalog/other-databases.ts';
import { createTestDatabase } from '../../harness/postgres.ts';

test.each([
  ['CockroachDB CCL v24.1.0 (x86_64-pc-linux-gnu, built 2024/05/15, go1.22.2)', 'CockroachDB'],
  ['PostgreSQL 15.2-YB-2.25.0.0-b0 on x86_64-pc-linux-gnu, compiled by clang', 'YugabyteDB'],
  ['PostgreSQL 11.2-YB-2.20.1.0-b0 on aarch64-unknown-linux-gnu', 'YugabyteDB'],
  ['PostgreSQL 18.1 on x86_64-pc-linux-gnu, compiled by gcc', undefined],
  ['PostgreSQL 15.4 (Debian 15.4-1.pgdg110+1)', undefined],
])('%s', (version, name) => expect(otherDatabase(version)).toBe(name));

test('one whose catalogs cannot be read is named; PostgreSQL says itself what is wrong', async () => {
  const answering =
    (version: string): RunQuery =>
    async (sql) => {
      if (sql.startsWith('select version()')) return { rows: [{ version }] };
      throw new Error('unimplemented: pg_rewrite');
    };
  await expect(introspectDatabase(answering('CockroachDB CCL v24.1.0'))).rejects.toThrow(
    'the database is CockroachDB, whose catalogs cannot be read',
  );
  await expect(introspectDatabase(answering('PostgreSQL 18.1'))).rejects.toThrow('unimplemented: pg_rewrite');
});

test('one whose catalogs can be read is named in the catalog', async () => {
  const database = await createTestDatabase('create table note (id integer primary key)');
  const query: RunQuery = async (sql) => {
    const rows = await database.query(sql);
    const raw = JSON.parse(String(rows[0]!.catalog)) as object;
    return { rows: [{ catalog: JSON.stringify({ ...raw, version: 'PostgreSQL 15.2-YB-2.25.0.0-b0' }) }] };
  };
  expect(await introspectDatabase(query)).toMatchObject({ product: 'YugabyteDB' });
});
