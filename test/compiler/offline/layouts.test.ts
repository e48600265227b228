/** Projects as the tools of migrations lay them out: the tables that are there when all that leads forth has been applied. */
import { expect, test } from 'vitest';
import { applyMigrations } from '../../../compiler/offline/apply.ts';
import { findMigrations } from '../../../compiler/offline/migrations.ts';
import type { Source } from '../../../runtime/metadata/metadata.ts';
import { eachInFolder } from '../../harness/folder.ts';
import { createTestDatabase } from '../../harness/postgres.ts';

const folder = eachInFolder();
type Files = Readonly<Record<string, string>>;

const find = (files: Files, below = '') => {
  for (const [path, text] of Object.entries(files)) folder.write(path, text);
  const [found] = findMigrations(folder.at(below), [{ name: 'default' } as Source]);
  return 'files' in found! ? found.files : [];
};
const make = (name: string) => `create table ${name} (id int);`;
const drop = (name: string) => `drop table ${name};`;

/** Name of the layout → files, which make the tables `a`, `b` and `c` in this order. */
const LAYOUTS: Readonly<Record<string, Files>> = {
  'folders with up.sql': {
    '1_a/up.sql': make('a'),
    '1_a/down.sql': drop('a'),
    '2_b/up.sql': make('b'),
    '10_c/up.sql': make('c'),
    '10_c/down.sql': drop('c'),
  },
  dbmate: {
    '20240101_a.sql': `-- migrate:up\n${make('a')}\n\n-- migrate:down\n${drop('a')}`,
    '20240102_b.sql': `-- migrate:up transaction:false\n${make('b')}\ncreate index concurrently on b (id);\n-- migrate:down\ndrop table b; \\bad`,
    '20240103_c.sql': `--migrate:up\n${make('c')}\n--migrate:down transaction:false\n${drop('c')}`,
  },
  goose: {
    '00001_a.sql': `-- +goose Up\n-- +goose StatementBegin\n${make('a')}\n-- +goose StatementEnd\n\n-- +goose Down\n-- +goose StatementBegin\n${drop('a')}\n-- +goose StatementEnd\n`,
    '00002_b.sql': `-- +goose NO TRANSACTION\n-- +goose Up\n${make('b')}\n-- +goose Down\n${drop('b')}`,
    '00010_c.sql': `-- +goose Up\r\n${make('c')}\r\n-- +goose Down\r\n${drop('c')}\r\n`,
  },
  'sql-migrate': {
    '1_a.sql': `-- +migrate Up\n${make('a')}\n-- +migrate Down\n${drop('a')}`,
    '2_b.sql': `-- +migrate Down\n${drop('b')}\n-- +migrate Up\n${make('b')}`,
    '3_c.sql': `-- +migrate Up notransaction\n${make('c')}`,
  },
  'node-pg-migrate': {
    '1700000000001_a.sql': `-- Up Migration\n${make('a')}\n\n-- Down Migration\n${drop('a')}`,
    '1700000000002_b.sql': `---- up migration\n${make('b')}\n---- down migration\n${drop('b')}`,
    '1700000000003_c.sql': make('c'),
  },
  Flyway: {
    'U1__a.sql': drop('a'),
    'V1__a.sql': make('a'),
    'sub/V1.2__b.sql': make('b'),
    'V1.10__c.sql': 'create table c as select * from b;',
    'R__functions.sql': 'create or replace view everything as select id from a union all select id from c;',
    'afterMigrate.sql': 'drop view everything;',
    'beforeMigrate.sql': 'set search_path = public;',
  },
  'Flyway with a baseline': {
    'V1__old.sql': 'create table old (id int);',
    'B5__all.sql': make('a'),
    'V5__old.sql': 'create table old (id int);',
    'V6_1__c.sql': make('c'),
    'V6__b.sql': make('b'),
    'U6__b.sql': drop('b'),
  },
  Prisma: {
    'migration_lock.toml': 'provider = "postgresql"',
    '20240101000000_a/migration.sql': `-- CreateTable\n${make('a')}`,
    '20240102000000_b/migration.sql': `/*\n  Warnings:\n*/\n${make('b')}`,
    '20240103000000_c/migration.sql': make('c'),
  },
  Atlas: {
    'atlas.sum': 'h1:…',
    '20240101000000_a.sql': `-- Create "a" table\n${make('a')}`,
    '20240101000000_a.down.sql': drop('a'),
    '20240102000000.sql': make('b'),
    '20240103000000_c.sql': make('c'),
  },
  'golang-migrate': {
    '000001_a.up.sql': make('a'),
    '000001_a.down.sql': drop('a'),
    '000002_b.up.sql': make('b'),
    '000010_c.up.sql': make('c'),
  },
  'db-migrate': {
    '20240101-a-up.sql': make('a'),
    '20240101-a-down.sql': drop('a'),
    '20240102-b-up.sql': make('b'),
    '20240103-c-up.sql': make('c'),
  },
  Postgrator: {
    '001.do.a.sql': make('a'),
    '001.undo.a.sql': drop('a'),
    '002.do.sql': make('b'),
    '002.undo.sql': drop('b'),
    '003.do.c.sql': make('c'),
  },
  Supabase: {
    'config.toml': '',
    'migrations/20240101000000_remote_schema.sql': `SET check_function_bodies = false;\n${make('a')}`,
    'migrations/20240102000000_b.sql': `create role anon_${process.pid}; drop role anon_${process.pid}; ${make('b')}`,
    'migrations/20240103000000_c.sql': `${make('c')};
      alter table c add owner uuid references auth.users default auth.uid(), add other uuid default extensions.uuid_generate_v4();
      create policy own on c for select to authenticated using (auth.uid() = owner and (auth.jwt() ->> 'role') = auth.role());
      create policy files on storage.objects for select using (bucket_id = 'a' and (storage.foldername(name))[1] = 'b');
      alter publication supabase_realtime add table c`,
  },
  Drizzle: {
    'meta/_journal.json': '{}',
    'meta/0000_snapshot.json': '{}',
    '0000_a.sql': `${make('a')}\n--> statement-breakpoint\n${make('b')}`,
    '0001_c.sql': make('c'),
  },
  Sqitch: {
    'sqitch.conf': '[core]\n\tengine = pg\n\t# top_dir = .\n',
    'sqitch.plan':
      '%syntax-version=1.0.0\n%project=x\n\nzeta 2024-01-01T00:00:00Z A <a@b> # first\n+alpha [zeta] 2024-01-02T00:00:00Z A <a@b> # second\n@v1 2024-01-03T00:00:00Z A <a@b> # tag\n\nsub/gamma 2024-01-04T00:00:00Z A <a@b>\nalpha [alpha@v1] 2024-01-05T00:00:00Z A <a@b> # again\n',
    'deploy/zeta.sql': `-- Deploy zeta\nBEGIN;\n${make('a')}\nCOMMIT;\n`,
    'deploy/alpha@v1.sql': `BEGIN;\n${make('b')}\nCOMMIT;\n`,
    'deploy/alpha.sql': 'BEGIN;\nalter table c add column more int;\nCOMMIT;\n',
    'deploy/sub/gamma.sql': make('c'),
    'deploy/unplanned.sql': 'select nonsense;',
    'revert/zeta.sql': drop('a'),
    'verify/zeta.sql': 'select 1/0;',
  },
  'one file with a version of several numbers each': {
    'v1.9.sql': make('b'),
    'v1.10.sql': make('c'),
    'v1.2.sql': make('a'),
  },
  'names that only sound as if they led back': {
    '1_a.sql': make('a'),
    '2_scroll_down.sql': make('b'),
    '3_undo_log.sql': make('c'),
  },
  'a dump': {
    'schema.sql': `\\restrict abc\nSET transaction_timeout = 0;\n${make('a')}\nCOPY a (id) FROM stdin;\n1\n\\.\n${make('b')}\n${make('c')}\n\\unrestrict abc\n`,
  },
};

test.each(Object.entries(LAYOUTS))('%s', async (_, files) => {
  const database = await createTestDatabase();
  expect(await applyMigrations(database.url, find(files))).toBeUndefined();
  const made = await database.query(
    "select relname from pg_class where relkind in ('r', 'v') and relnamespace = 'public'::regnamespace order by oid",
  );
  expect(made.map(({ relname }) => relname)).toEqual(['a', 'b', 'c']);
});

test('the folder of deploy scripts follows the plan beside it; `top_dir` is heeded', () => {
  const found = find(LAYOUTS.Sqitch!, 'deploy').map(({ path }) => path.slice(folder.at().length + 1));
  expect(found).toEqual([
    'deploy/zeta.sql',
    'deploy/alpha@v1.sql',
    'deploy/sub/gamma.sql',
    'deploy/alpha.sql',
  ]);
  folder.write('other/sqitch.conf', '[core]\n  top_dir = db\n');
  folder.write('other/sqitch.plan', 'one 2024-01-01T00:00:00Z A <a@b>\n');
  folder.write('other/db/deploy/one.sql', '');
  expect(find({}, 'other').map(({ path }) => path)).toEqual([folder.at('other/db/deploy/one.sql')]);
});

test('lines and columns are those of the file, although what leads back is left out', () => {
  const [file] = find({ '1.sql': '-- migrate:down\ndrop table ö;\n-- migrate:up\nselect 1;' });
  expect(file!.text).toBe(`${' '.repeat(15)}\n${' '.repeat(13)}\n-- migrate:up\nselect 1;`);
});

test('a file in UTF-16 is read', () => {
  folder.write('1.sql', Buffer.from('\uFEFFselect 1', 'utf16le'));
  expect(find({})[0]!.text).toBe('select 1');
});

test.each<[string, Files, RegExp]>([
  [
    'migrations and folders beside them',
    { '1_a.sql': '', 'archive/0_old.sql': '' },
    /holds migrations, and so does its folder "archive"/,
  ],
  [
    'several folders',
    { 'committed/1.sql': '', 'fixtures/1.sql': '' },
    /several folders with SQL, "committed", "fixtures": give as --migrations/,
  ],
  [
    'deploy scripts without their plan',
    { 'deploy/a.sql': '', 'revert/a.sql': '' },
    /several folders with SQL, "deploy", "revert"/,
  ],
  [
    'a plan without its script',
    { 'sqitch.plan': 'a 2024-01-01T00:00:00Z A <a@b>' },
    /names the change "a", and there is no deploy\/a.sql/,
  ],
  [
    'programs',
    { '1_a.sql': '', '2_b.ts': '', '3_c.js': '' },
    /"2_b.ts", "3_c.js" in .* cannot be applied: only SQL can/,
  ],
  ['programs only', { '0001_initial.py': '' }, /"0001_initial.py"/],
  ['goose in Go', { '00001_a.sql': '', '00002_b.go': '' }, /"00002_b.go"/],
  ['Flyway in Java', { 'V1__a.sql': '', 'V2__b.java': '' }, /"V2__b.java"/],
  ['Flyway with a version twice', { 'V1__a.sql': '', 'V1.0__b.sql': '' }, /have the version 1/],
  [
    'SQL within metadata',
    { '1_a/up.sql': '', '2_b/up.yaml': '- type: run_sql\n  args: {sql: select 1}' },
    /"2_b"/,
  ],
  ['an archive of pg_dump', { 'dump.sql': 'PGDMP\u0001\u0010' }, /pg_restore --file/],
])('%s: what to do is said', (_, files, message) => {
  expect(() => find(files)).toThrow(message);
});
