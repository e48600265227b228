/** `engine compile --scratch`: databases and roles of its own on a server that the operator names. */
import { spawn } from 'node:child_process';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { beforeEach, expect, test } from 'vitest';
import { startEmbeddedPostgres } from '../../../compiler/offline/embedded.ts';
import { engine } from '../../harness/command-line.ts';
import { eachInFolder } from '../../harness/folder.ts';
import { createTestDatabase, olderPostgres, type TestDatabase } from '../../harness/postgres.ts';

let server: TestDatabase;
let before: unknown;

/** Databases of a compile, and all roles. */
const state = () =>
  server.query(`select datname as name from pg_database where datname ~ '^engine_scratch_|^scheduled_' union all
    select rolname from pg_roles order by 1`);

const folder = eachInFolder();
beforeEach(async () => {
  server = await createTestDatabase();
  before = await state();
  const sources = ['first', 'second'].map((name) => ({
    name,
    kind: 'postgres',
    configuration: { connection_info: { database_url: { from_env: 'NONE' } } },
    tables: [{ table: `${name}_note` }],
  }));
  folder.write('metadata.json', JSON.stringify({ version: 3, sources }));
  for (const name of ['first', 'second'])
    folder.write(
      `migrations/${name}/1.sql`,
      `create table ${name}_note (id int primary key); grant select on ${name}_note to reader_of_notes;`,
    );
});

const project = () => [
  ...['--metadata', folder.at('metadata.json'), '--migrations', folder.at('migrations')],
  ...['--out', folder.at('generated')],
];

test('compiles two sources, and leaves neither databases nor roles, whether or not it succeeds', async () => {
  folder.write(
    'migrations/second/2.sql',
    'create role writer_of_notes; alter table second_note owner to writer_of_notes;',
  );
  for (const _ of ['first', 'again']) {
    expect(await engine('compile', ...project(), '--scratch', server.url)).toMatchObject({
      status: 0,
      stdout: expect.stringMatching(/^2 tables/),
    });
    expect(await state()).toEqual(before);
  }
  folder.write('migrations/second/3.sql', 'create extension nowhere_to_be_had');
  expect(await engine('compile', ...project(), '--scratch', server.url)).toMatchObject({
    status: 1,
    stderr: expect.stringContaining(
      'The migrations need the extension "nowhere_to_be_had", which the scratch server does not have.',
    ),
  });
  expect(await state()).toEqual(before);
});

test('two sources may make the same role; databases that they name are dropped', async () => {
  for (const name of ['first', 'second'])
    folder.write(
      `migrations/${name}/2.sql`,
      'create role user_of_both; grant connect on database scheduled_elsewhere to user_of_both; set role user_of_both;',
    );
  folder.write('migrations/first/3.sql', 'create table only_here (id int);');
  expect(await engine('compile', ...project(), '--scratch', server.url)).toMatchObject({ status: 0 });
  expect(await state()).toEqual(before);
});

test('a folder that was compiled for another version is named with both', async () => {
  const older = await startEmbeddedPostgres({ package: olderPostgres(15) });
  try {
    expect(await engine('compile', ...project(), '--scratch', older.url)).toMatchObject({ status: 0 });
  } finally {
    await older.stop();
  }
  const message = `The source "first" in ${folder.at('generated')} was compiled for PostgreSQL 15, and is checked with 18`;
  const stale = await engine('compile', ...project(), '--check');
  expect(stale).toMatchObject({ status: 1, stderr: expect.stringContaining(message) });
  const json = await engine('compile', ...project(), '--check', '--format', 'json');
  expect(JSON.parse(json.stdout).versions).toEqual(
    ['first', 'second'].map((source) => ({ source, compiledFor: 15, now: 18 })),
  );
  const noted = await engine('compile', ...project(), '--check', '--format', 'annotations');
  expect(noted.stdout).toContain('was compiled for PostgreSQL 15');
});

test('takes the name that pg_cron is configured for, unless a database has it', async () => {
  const url = new URL(server.url);
  // As libpq reads it, a + is no blank.
  url.search = '?options=-c%20cron.database_name%3Dscheduled_jobs';
  folder.write('migrations/first/2.sql', "do $$ begin assert current_database() = 'scheduled_jobs'; end $$");
  folder.write(
    'migrations/second/2.sql',
    "do $$ begin assert current_database() ~ '^engine_scratch_'; end $$",
  );
  expect(await engine('compile', ...project(), '--scratch', url.href)).toMatchObject({ status: 0 });
  expect(await state()).toEqual(before);
});

test('cleans up when it is interrupted', async () => {
  folder.write('migrations/second/2.sql', 'select pg_sleep(600)');
  const program = fileURLToPath(new URL('../../../compiler/cli/bin.mjs', import.meta.url));
  const child = spawn(process.execPath, [program, 'compile', ...project(), '--scratch', server.url], {
    stdio: 'ignore',
  });
  const ended = new Promise((done) => child.once('close', (code) => done(code)));
  const sleeping = `select from pg_stat_activity where query ~ '^select pg_sleep\\(600\\)'`;
  while ((await server.query(sleeping)).length === 0) await delay(50);
  child.kill('SIGINT');
  expect(await ended).toBe(130);
  expect(await state()).toEqual(before);
});

test('says why a server cannot be used, without its password', async () => {
  const nowhere = await engine('compile', ...project(), '--scratch', 'postgres://me:s3cret@127.0.0.1:1/x');
  expect(nowhere).toMatchObject({
    status: 1,
    stderr: expect.stringContaining('The scratch server cannot be used: connection refused.'),
  });
  expect(nowhere.stderr).not.toContain('s3cret');
  expect(await engine('compile', '--metadata', 'm', '--out', 'o', '--scratch', 'postgres://x')).toMatchObject(
    {
      status: 2,
      stderr: expect.stringContaining('give --migrations, too'),
    },
  );
});
