/** `engine live`, on a database. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { run } from '../../compiler/cli/cli.ts';
import { createTestDatabase, type TestDatabase } from '../harness/postgres.ts';

let database: TestDatabase;
let folder: string;

beforeAll(async () => {
  database = await createTestDatabase(
    'create table item (id int primary key, owner text); create view seen as select id from item; create table "Other $x$" (word text)',
  );
  folder = mkdtempSync(join(tmpdir(), 'engine-live-'));
  const table = (name: string) => ({ table: { schema: 'public', name } });
  const source = {
    name: 'default',
    kind: 'postgres',
    tables: [table('seen'), table('Other $x$')],
    configuration: { connection_info: { database_url: { from_env: 'SHOP' } } },
  };
  writeFileSync(join(folder, 'metadata.json'), JSON.stringify({ version: 3, sources: [source] }));
});

afterAll(() => rmSync(folder, { recursive: true, force: true }));

async function live(...args: readonly string[]) {
  let output = '';
  const write = (text: string) => {
    output += text;
  };
  const context = { environment: { SHOP: database.url }, stdout: write, stderr: write };
  const status = await run(['live', ...args, '--metadata', join(folder, 'metadata.json')], context);
  return { status, output };
}

test('prints the SQL, installs it, says what is recorded, and removes it', async () => {
  const missing =
    'Source "default"\n  Other $x$  not recorded  no keys\n  item       not recorded  keys id\n';
  expect(await live('status')).toEqual({ status: 1, output: missing });
  const dry = await live('install', '--dry-run');
  expect(dry.output).toContain(
    'create or replace trigger engine_live_update after update on "public"."item"',
  );
  expect(await live('status')).toEqual({ status: 1, output: missing });
  expect(await live('install')).toEqual({
    status: 0,
    output: 'Source "default": writes of 2 tables are recorded.\n',
  });
  expect(await live('install')).toMatchObject({ status: 0 });
  expect(await live('status')).toEqual({
    status: 0,
    output: 'Source "default"\n  Other $x$  recorded      no keys\n  item       recorded      keys id\n',
  });
  await database.query('insert into item values (1); insert into "Other $x$" values (1)');
  expect(JSON.parse((await live('status', '--json')).output)).toMatchObject({
    default: [{}, { keys: ['id'] }],
  });
  expect((await live('remove', '--dry-run')).output).toContain('drop function if exists');
  expect(await live('remove')).toEqual({
    status: 0,
    output: 'Source "default": removed from item, "Other $x$".\n',
  });
  expect(await live('remove')).toMatchObject({ status: 0 });
  expect(await live('status')).toEqual({ status: 1, output: missing });
  // What is printed does the same.
  await database.query(dry.output);
  expect(await live('status')).toMatchObject({ status: 0 });
});
