/** `engine compile --migrations` as a user runs it. Each run starts a PostgreSQL of its own, so there are few. */
import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { engineIn } from '../../harness/command-line.ts';
import { eachInFolder } from '../../harness/folder.ts';

const folder = eachInFolder();

const engine = (...args: string[]) => engineIn({ SECOND_URL: 's3cret' }, ...args);

const source = (name: string, tables: object[]) => ({
  name,
  kind: 'postgres',
  configuration: { connection_info: { database_url: { from_env: `${name.toUpperCase()}_URL` } } },
  tables,
});

function paths(): string[] {
  return [
    ...['--metadata', folder.at('metadata.json')],
    ...['--migrations', folder.at('migrations')],
    ...['--out', folder.at('generated')],
  ];
}

test('migrations of two sources are all that a compile needs; rules that Postgres refuses are errors', async () => {
  folder.write(
    'migrations/first/1_init/up.sql',
    'create table note (id int primary key, owner int, code text, day date);',
  );
  folder.write('migrations/first/2_more/up.sql', 'alter table note add mood text references mood;');
  folder.write(
    'migrations/first/1_mood/up.sql',
    "create table mood (value text primary key); insert into mood values ('sad');",
  );
  folder.write('migrations/second/1.sql', 'create table other (id int primary key);');
  const rule = (filter: object) => [{ role: 'user', permission: { columns: ['id', 'mood'], filter } }];
  const metadata = (filter: object) => ({
    version: 3,
    sources: [
      source('first', [
        { table: 'note', select_permissions: rule(filter) },
        { table: 'mood', is_enum: true },
      ]),
      source('second', [{ table: 'other' }]),
    ],
  });
  folder.write('metadata.json', JSON.stringify(metadata({ owner: { _eq: 'X-Engine-User-Id' } }), null, 1));
  const good = await engine('compile', ...paths());
  expect(good.stdout).toMatch(/^3 tables, 1 role, 4 statements proved → .*: 14 files, 14 changed\n$/);
  expect(good.status).toBe(0);
  expect(good.stderr).toContain(
    'environment variables that the metadata needs: SECOND_URL (set here), FIRST_URL (not set here)',
  );
  expect(good.stdout + good.stderr).not.toContain('s3cret');
  const mood = readFileSync(folder.at('generated/sources/first/public/mood.table.ts'), 'utf8');
  expect(mood).toContain('sad');

  folder.write(
    'metadata.json',
    JSON.stringify(metadata({ _or: [{ id: { _gt: 0 } }, { day: { _eq: 'someday' } }] }), null, 1),
  );
  const bad = await engine('compile', ...paths(), '--format', 'json');
  expect(bad.status).toBe(1);
  const text = readFileSync(folder.at('metadata.json'), 'utf8');
  const line = text.split('\n').findIndex((each) => each.includes('"day"')) + 1;
  expect(JSON.parse(bad.stdout).diagnostics).toMatchObject([
    {
      code: 'sql-refused',
      message:
        'PostgreSQL refuses the row rule of role "user" for select on public.note: invalid input syntax for type date: "someday".',
      location: { line },
    },
  ]);
});

test('a migration that fails and one that is missing are told with their place; nothing is written', async () => {
  folder.write(
    'metadata.json',
    JSON.stringify({ version: 3, sources: [source('first', []), source('second', [])] }),
  );
  folder.write('migrations/frist/1.sql', 'select 1');
  folder.write('migrations/second/notes.md', '');
  const missing = await engine('compile', ...paths());
  expect(missing.status).toBe(1);
  expect(missing.stderr).toContain(
    `There are no migrations for the source first: ${folder.at()}/migrations/first does not exist.\n  Did you mean "frist"?`,
  );
  expect(missing.stderr).toContain(`The folder ${folder.at()}/migrations/second holds no migrations.`);

  folder.write('metadata.json', JSON.stringify({ version: 3, sources: [source('first', [])] }));
  folder.write('migrations/first/1.sql', 'select 1;\nselect nope;');
  const failed = await engine('compile', ...paths());
  expect(failed.status).toBe(1);
  expect(failed.stderr).toContain(
    `migration-failed  sources.first  ${folder.at()}/migrations/first/1.sql:2:8\n  column "nope" does not exist\n`,
  );
  expect(failed.stderr).toContain('Nothing was written.');
  expect(existsSync(folder.at('generated'))).toBe(false);
  const nowhere = await engine('compile', ...paths(), '--migrations', folder.at('nowhere'));
  expect(nowhere).toMatchObject({
    status: 1,
    stderr: expect.stringContaining(
      `The migrations in ${folder.at()}/nowhere cannot be read: it does not exist (ENOENT).`,
    ),
  });
});

test('an interrupted compile leaves no server and no data behind', async () => {
  folder.write('metadata.json', JSON.stringify({ version: 3, sources: [source('first', [])] }));
  folder.write('migrations/1.sql', 'select pg_sleep(600);');
  const temporary = folder.at('tmp');
  mkdirSync(temporary);
  const child = spawn(
    process.execPath,
    [fileURLToPath(new URL('../../../compiler/cli/bin.mjs', import.meta.url)), 'compile', ...paths()],
    { env: { ...process.env, TMPDIR: temporary }, stdio: ['ignore', 'ignore', 'pipe'] },
  );
  const ended = new Promise((done) => child.once('close', done));
  let said = '';
  child.stderr.on('data', (chunk) => {
    said += chunk;
  });
  await until(() => said.includes('applying migrations'));
  const data = () => readdirSync(temporary).filter((name) => name.startsWith('engine-postgres-'));
  child.kill('SIGINT');
  await ended;
  await until(() => data().length === 0);
  expect(data()).toEqual([]);
});

async function until(isTrue: () => boolean): Promise<void> {
  while (!isTrue()) await delay(50);
}

test('the lint runs with the compile: its findings are in the same report, and fail it unless they are allowed', async () => {
  folder.write('migrations/1.sql', 'create table note (id int primary key, owner int, code text);');
  const filter = { _or: [{ owner: { _eq: 'X-Engine-User-Id' } }, { code: { _eq: 'x' } }] };
  const rule = { role: 'user', permission: { columns: ['id', 'owner'], filter } };
  const tables = [{ table: 'note', select_permissions: [rule] }];
  folder.write('metadata.json', JSON.stringify({ version: 3, sources: [source('only', tables)] }));
  const allowance = '{ rule: or-branch-without-session, reason: for everybody }';
  const index = '{ rule: rule-column-without-index, reason: small }';
  folder.write('lint.yaml', `allow: [${index}]`);
  folder.write('allowed.yaml', `allow: [${index}, ${allowance}]`);
  const found = await engine('compile', ...paths(), '--lint', folder.at('lint.yaml'), '--format', 'json');
  expect(found.status).toBe(1);
  expect(JSON.parse(found.stdout)).toMatchObject({
    diagnostics: [{ code: 'or-branch-without-session', severity: 'warning' }],
    linted: { findings: 1, allowed: 1 },
  });
  const allowed = await engine('compile', ...paths(), '--lint', folder.at('allowed.yaml'));
  expect(allowed).toMatchObject({
    status: 0,
    stderr: expect.stringContaining('lint: nothing found in 1 permission, 2 allowed.\n'),
  });
  expect(await engine('compile', ...paths(), '--lint', folder.at('none.yaml'))).toMatchObject({
    status: 2,
  });
});

/** What the folder of generated files holds. */
function written(): Readonly<Record<string, string>> {
  const generated = folder.at('generated');
  const files = readdirSync(generated, { recursive: true, withFileTypes: true }).filter((entry) =>
    entry.isFile(),
  );
  return Object.fromEntries(
    files.map(({ parentPath, name }) => [
      join(parentPath, name),
      readFileSync(join(parentPath, name), 'utf8'),
    ]),
  );
}

const place = (filter: object, more: object[] = []) =>
  JSON.stringify({
    version: 3,
    sources: [
      source('only', [
        {
          table: 'place',
          select_permissions: [{ role: 'user', permission: { columns: ['id', 'at'], filter } }],
        },
        ...more,
      ]),
    ],
  });
const here = { type: 'Point', coordinates: [1, 2] };

test('migrations that need PostGIS are applied to an embedded database that has it', async () => {
  folder.write(
    'migrations/1_extensions/up.sql',
    'create extension postgis; create extension if not exists postgis_topology;',
  );
  folder.write(
    'migrations/2_place/up.sql',
    `create table place (id int primary key, at geometry(point, 4326), sphere geography);
     grant select on place to reporting;
     COPY place (id, at) FROM stdin;\n1\tSRID=4326;POINT(1 2)\n2\t\\N\n\\.\n
     do $$ begin assert (select count(*) from place) = 2; end $$;`,
  );
  folder.write('metadata.json', place({ at: { _st_d_within: { distance: 5, from: here } } }));
  const good = await engine('compile', ...paths());
  expect(good.stdout).toMatch(/^1 table, 1 role, 2 statements proved → /);
  expect(good.status).toBe(0);
  expect(written()[folder.at('generated/sources/only/public/place.access.ts')]).toContain(
    'ST_GeomFromGeoJSON',
  );

  folder.write('metadata.json', place({ at: { _st_d_within: { distance: 5, from: 'nowhere' } } }));
  const before = written();
  const bad = await engine('compile', ...paths());
  expect(bad).toMatchObject({ status: 1, stderr: expect.stringContaining('parse error - invalid geometry') });
  expect(written()).toEqual(before);
}, 240_000);

test('an extension that is not to be had is named, with the ways out, and what was written stays', async () => {
  folder.write('migrations/1.sql', 'create table place (id int primary key, at point);');
  folder.write('metadata.json', place({}));
  expect(await engine('compile', ...paths())).toMatchObject({ status: 0 });
  const before = written();
  folder.write('migrations/2.sql', 'select 1;\ncreate extension if not exists nowhere_to_be_had;');
  const failed = await engine('compile', ...paths());
  expect(failed.status).toBe(1);
  expect(failed.stderr).toBe(
    [
      `extension-unavailable  sources.only  ${folder.at()}/migrations/2.sql:2:1`,
      '  The migrations need the extension "nowhere_to_be_had", which the embedded PostgreSQL does not have.',
      '  Compile with a stub of it: --stub-extension nowhere_to_be_had=FILE, SQL that declares those of its types and functions that are used.',
      '  Use a throw-away server that has it (--scratch URL), or a saved catalog (engine introspect, then --catalog FILE).',
      '',
      'environment variables that the metadata needs: ONLY_URL (not set here)',
      '1 error. engine explain extension-unavailable says more.',
      'Nothing was written.',
      '',
    ].join('\n'),
  );
  expect(written()).toEqual(before);

  rmSync(folder.at('migrations/2.sql'));
  folder.write('metadata.json', place({}, [{ table: 'gone' }]));
  expect(await engine('compile', ...paths())).toMatchObject({
    status: 1,
    stderr: expect.stringContaining('Nothing was written.'),
  });
  expect(written()).toEqual(before);
  expect(await engine('compile', ...paths(), '--allow-inconsistent')).toMatchObject({
    status: 1,
    stdout: expect.stringContaining('1 table'),
  });
  expect(written()).not.toEqual(before);
});

test('sources have the roles of their own cluster, and those with the same migrations are copies', async () => {
  const names = ['first', 'second', 'third'];
  const sql = (table: string, roles: string) =>
    `create role app_user ${roles}; create table ${table} (id int primary key); grant connect on database app to app_user;
     do $$ begin assert (select count(*) from pg_roles where rolname like 'app%') = 1; end $$;`;
  folder.write('migrations/first/1.sql', sql('first_note', 'nologin'));
  folder.write('migrations/second/V1__x.sql', sql('second_note', 'superuser'));
  folder.write('migrations/third/1/up.sql', sql('first_note', 'nologin'));
  const tables = [['first_note'], ['second_note'], ['first_note']];
  const sources = names.map((name, index) => ({
    ...source(
      name,
      tables[index]!.map((table) => ({ table })),
    ),
    customization: { root_fields: { namespace: name }, type_names: { prefix: name } },
  }));
  folder.write('metadata.json', JSON.stringify({ version: 3, sources }));
  expect(await engine('compile', ...paths())).toMatchObject({
    status: 0,
    stdout: expect.stringMatching(/^3 tables/),
  });
});

test('a stub stands in for an extension that is not there', async () => {
  folder.write(
    'migrations/1.sql',
    `create extension vector; create extension if not exists shapes with schema public;
     create table item (id int primary key, embedding vector(3), area shape);`,
  );
  folder.write('shapes.sql', 'create domain shape as text;');
  folder.write(
    'metadata.json',
    JSON.stringify({ version: 3, sources: [source('only', [{ table: 'item' }])] }),
  );
  const missing = await engine('compile', ...paths());
  expect(missing.stderr).toContain('Compile with a stub of it: --stub-extension vector.');
  const stubs = ['--stub-extension', 'vector', '--stub-extension', `shapes=${folder.at('shapes.sql')}`];
  expect(await engine('compile', ...paths(), ...stubs)).toMatchObject({ status: 0 });
  expect(written()[folder.at('generated/sources/only/public/item.table.ts')]).toContain('vector');
  for (const [option, message] of [
    ['shapes', 'There is no stub of the extension "shapes": give the SQL'],
    ['=x', '--stub-extension =x is not NAME=FILE'],
    ['vector=', '--stub-extension vector= is not NAME=FILE'],
    ['shapes=/nowhere.sql', 'cannot be read: /nowhere.sql: it does not exist (ENOENT)'],
  ] as const)
    expect(await engine('compile', ...paths(), '--stub-extension', option)).toMatchObject({
      status: 2,
      stderr: expect.stringContaining(message),
    });
});

test('folders in no known layout say what to do', async () => {
  folder.write('migrations/1.sql', '');
  folder.write('migrations/old/1.sql', '');
  folder.write('metadata.json', JSON.stringify({ version: 3, sources: [source('only', [])] }));
  expect(await engine('compile', ...paths())).toMatchObject({
    status: 1,
    stderr: expect.stringContaining('holds migrations, and so does its folder "old": give as --migrations'),
  });
});
