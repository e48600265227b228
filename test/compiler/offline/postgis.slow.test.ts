/** The embedded PostGIS as its clients see it: several connections share the one session of a database. */
import pg from 'pg';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { applyMigrations } from '../../../compiler/offline/apply.ts';
import { type Postgis, startPostgis } from '../../../compiler/offline/postgis.ts';

let postgis: Postgis;
let url: string;

beforeAll(async () => {
  const started = await startPostgis();
  if (!started) throw new Error('the packages of PostGIS are not installed: npm install');
  postgis = started;
  url = await postgis.createDatabase('one');
  await (await connect()).end();
}, 240_000);
afterAll(() => postgis.stop());

async function connect(address = url): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: address });
  // A connection that the server ends is reported here as well.
  client.on('error', () => {});
  await client.connect();
  return client;
}

test('a transaction is not interleaved with other connections, and ends with its own', async () => {
  const [first, second] = [await connect(), await connect()];
  await first.query('begin');
  await first.query('create table counted (id int)');
  let answered = false;
  const count = second.query('select count(*)::int from counted').then(({ rows }) => {
    answered = true;
    return rows;
  });
  await first.query('insert into counted values (1)');
  expect(answered).toBe(false);
  await first.query('commit');
  expect(await count).toEqual([{ count: 1 }]);
  await first.query('begin');
  await first.query('insert into counted values (2)');
  await first.end();
  expect((await second.query('select count(*)::int from counted')).rows).toEqual([{ count: 1 }]);
  await second.end();
});

test('prepared statements are those of a connection; errors end nothing', async () => {
  const [first, second] = [await connect(), await connect()];
  const name = 'same';
  expect((await first.query({ name, text: 'select 1 as x' })).rows).toEqual([{ x: 1 }]);
  expect((await second.query({ name, text: 'select $1::int as x', values: [2] })).rows).toEqual([{ x: 2 }]);
  expect((await first.query({ name, text: 'select 1 as x' })).rows).toEqual([{ x: 1 }]);
  await expect(first.query('select $1::int / 0', [1])).rejects.toMatchObject({ code: '22012' });
  expect((await first.query('select $1::int as x', [3])).rows).toEqual([{ x: 3 }]);
  await Promise.all([first.end(), second.end()]);
});

test('rows of a COPY are taken, and its errors', async () => {
  const file = (text: string) => [{ path: 'file', text }];
  const table = 'create table copied (a int, b text);';
  const rows = 'COPY copied (a, b) FROM stdin;\n1\tone\n2\t\\N\n\\.\n';
  expect(await applyMigrations(url, file(`${table}\n${rows}`))).toBeUndefined();
  expect(await applyMigrations(url, file(rows.replace('2', 'two')))).toMatchObject({
    reason: 'invalid input syntax for type integer: "two"',
  });
  const client = await connect();
  expect((await client.query('select * from copied order by a')).rows).toEqual([
    { a: 1, b: 'one' },
    { a: 2, b: null },
  ]);
  await client.end();
});

test('settings of a session do not reach the next', async () => {
  const first = await connect();
  await first.query("set search_path to nowhere; set application_name to 'mine'");
  await first.end();
  const second = await connect();
  expect((await second.query('show search_path')).rows).toEqual([{ search_path: 'public' }]);
  await second.end();
});

test('databases are copied, dropped and unknown; a password is asked for', async () => {
  const client = await connect();
  await client.query('create table kept as select 7 as x');
  const server = await connect(postgis.url);
  await server.query('create database "two" template one');
  const copy = await connect(postgis.databaseUrl('two'));
  expect((await copy.query('select x from kept')).rows).toEqual([{ x: 7 }]);
  await copy.query('drop table kept');
  expect((await client.query('select x from kept')).rows).toEqual([{ x: 7 }]);
  await copy.end();
  await server.query('drop database two');
  await expect(connect(postgis.databaseUrl('two'))).rejects.toMatchObject({ code: '3D000' });
  const wrong = new URL(url);
  wrong.password = 'guessed';
  await expect(connect(wrong.href)).rejects.toMatchObject({ code: '28P01' });
  await Promise.all([client.end(), server.end()]);
}, 120_000);
