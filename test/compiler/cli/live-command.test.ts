/** `engine live`, on a database. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { run } from '../../../compiler/cli/cli.ts';
import { createTestDatabase, type TestDatabase } from '../../harness/postgres.ts';

const CASE = fileURLToPath(new URL('../../cases/live', import.meta.url));

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

const live = (...args: readonly string[]) => liveWith({ SHOP: database.url }, ...args);

async function liveWith(environment: Readonly<Record<string, string>>, ...args: readonly string[]) {
  let output = '';
  const write = (text: string) => {
    output += text;
  };
  const context = { environment, stdout: write, stderr: write };
  const file = join(folder, 'metadata.json');
  const status = await run(
    ['live', ...args, ...(args.includes('--metadata') ? [] : ['--metadata', file])],
    context,
  );
  return { status, output };
}

test('does nothing with metadata that cannot be read, and names a source without an address', async () => {
  const unreadable = await live('install', '--metadata', join(folder, 'nowhere'));
  expect(unreadable).toEqual({ status: 1, output: expect.stringContaining('there is no such file') });
  writeFileSync(join(folder, 'broken.json'), '{"version": 3, "sources": [{"name": 1}]}');
  const broken = await live('install', '--metadata', join(folder, 'broken.json'));
  expect(broken.status).toBe(1);
  expect(broken.output).not.toContain('recorded');
  expect(await liveWith({}, 'install')).toEqual({
    status: 1,
    output: 'Source "default": environment variable \'SHOP\' not set\n',
  });
});

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

test('engine audit live says which writes a subscription is read again after', async () => {
  let output = '';
  const write = (text: string) => {
    output += text;
  };
  const context = { environment: {}, stdout: write, stderr: write };
  const { url } = await createTestDatabase(readFileSync(join(CASE, 'schema.sql'), 'utf8'));
  const generated = join(folder, 'generated');
  const project = ['--metadata', join(CASE, 'metadata.json'), '--source', `default=${url}`];
  expect([await run(['compile', ...project, '--out', generated], context), output]).toEqual([
    0,
    expect.anything(),
  ]);
  const audit = async (...args: readonly string[]) => {
    output = '';
    return { status: await run(['audit', 'live', ...args, '--generated', generated], context), output };
  };
  expect(await audit('one_item')).toEqual({
    status: 0,
    output: `admin
  public.item (id, word) where id = $id

user
  public.app (id, owner) where owner = X-Engine-User-Id
  public.item (app_id, id, word) where id = $id
`,
  });
  const file = join(folder, 'mine.graphql');
  writeFileSync(file, 'subscription { app_by_pk(id: 7) { owner } }');
  expect((await audit(file, '--role', 'user')).output).toBe(
    'user\n  public.app (id, owner) where id = "7" and owner = X-Engine-User-Id\n',
  );
  writeFileSync(file, '{ app { owner } }');
  expect((await audit(file)).status).toBe(2);
  expect((await audit('nothing')).status).toBe(2);
});
