import { expect, test } from 'vitest';
import { applyMigrations } from '../../../compiler/offline/apply.ts';
import { createTestDatabase } from '../../harness/postgres.ts';

const files = (...texts: string[]) => texts.map((text, index) => ({ path: `m/${index + 1}.sql`, text }));

test('files are applied in order, rows of dumps too', async () => {
  const database = await createTestDatabase();
  const failure = await applyMigrations(
    database.url,
    files(
      'create table mood (value text primary key, comment text);',
      "COPY mood (value, comment) FROM stdin;\nhappy\tit's; fine\nsad\t\\N\n\\.\ncreate index on mood (comment);",
    ),
  );
  expect(failure).toBeUndefined();
  expect(await database.query('select * from mood order by 1')).toEqual([
    { value: 'happy', comment: "it's; fine" },
    { value: 'sad', comment: null },
  ]);
});

test('what fails has its place: the word that Postgres names, else the statement', async () => {
  const database = await createTestDatabase();
  const fail = (text: string) => applyMigrations(database.url, files(text));
  expect(await fail("select 'ö😀';\n\n  create table a (b int, c nosuch);")).toEqual({
    file: 'm/1.sql',
    line: 3,
    column: 28,
    reason: 'type "nosuch" does not exist',
  });
  expect(await fail('create table a (b int);\n -- again\n create table a (b int)')).toMatchObject({
    line: 3,
    column: 2,
    reason: 'relation "a" already exists',
  });
  // A file is one transaction: nothing of the failed ones is there.
  expect(await database.query("select to_regclass('a') as a")).toEqual([{ a: null }]);
  expect(await fail('\\i other.sql')).toMatchObject({
    line: 1,
    column: 1,
    reason: '\\i is a command of psql, not SQL',
  });
  expect(await fail('create extension nosuch')).toMatchObject({ line: 1, extension: 'nosuch' });
});

test('a file may have transactions of its own', async () => {
  const database = await createTestDatabase();
  const failure = await applyMigrations(
    database.url,
    files('begin; create table e (f int); commit; create index concurrently on e (f);'),
  );
  expect(failure).toBeUndefined();
  expect(await database.query('select 1 as one from pg_indexes where tablename = $1', ['e'])).toHaveLength(1);
});

test('roles that a dump names are made, and statements that want no transaction get none', async () => {
  const database = await createTestDatabase();
  const role = `Owner "of" ${database.name}`;
  const quoted = `"${role.replaceAll('"', '""')}"`;
  const failure = await applyMigrations(
    database.url,
    files(
      `create table a (b int); alter table a owner to ${quoted};`,
      'create table c (d int); create index concurrently on c (d);',
    ),
  );
  expect(failure).toBeUndefined();
  expect(await database.query('select indexname from pg_indexes where tablename = $1', ['c'])).toHaveLength(
    1,
  );
  await database.query(`drop owned by ${quoted}`);
  await database.query(`drop role ${quoted}`);
});
