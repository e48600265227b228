/** `engine init` on databases with ordinary and with hostile names: what it writes compiles, and nothing is overwritten. */
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { readMetadataFile } from '../../../compiler/phases/1-read/index.ts';
import { engine } from '../../harness/command-line.ts';
import { eachInFolder } from '../../harness/folder.ts';
import { createTestDatabase } from '../../harness/postgres.ts';

const folder = eachInFolder();
const sqlOf = (name: string) => readFileSync(new URL(`${name}.sql`, import.meta.url), 'utf8');

async function init(sql: string, ...more: string[]) {
  const { url } = await createTestDatabase(sql);
  return { url, ...(await engine('init', '--database-url', url, '--out', folder.at('project'), ...more)) };
}

const project = ['--metadata', 'metadata', '--catalog', 'catalog.json'].map((part) =>
  part.startsWith('--') ? part : `project/${part}`,
);
const options = () => project.map((part) => (part.startsWith('--') ? part : folder.at(part)));

function filesIn(path: string): string[] {
  return readdirSync(path, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name));
}

describe.each(['library', 'hostile'])('a database with %s names', (name) => {
  test('what is written compiles without errors, passes the lint and the tests', async () => {
    const { status, stdout, stderr } = await init(sqlOf(name));
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
    expect(stdout).toContain('only the administrator');
    const compiled = await engine('compile', ...options(), '--out', folder.at('project/generated'));
    expect(compiled.status).toBe(0);
    expect(await engine('lint', ...options())).toMatchObject({ status: 0 });
    const tested = await engine('test', ...options(), '--cases', folder.at('project/tests'));
    expect(tested).toMatchObject({ status: 0, stdout: expect.stringContaining('1 passed') });
    expect(stdout).toContain(
      readFileSync(folder.at('project/left-out.md'), 'utf8').split('\n').slice(2).join('\n'),
    );
  });
});

test('relations, their relationships and functions are served; the rest is listed with its reason', async () => {
  const { stdout } = await init(sqlOf('library'));
  const { value } = readMetadataFile(folder.at('project/metadata'));
  const [{ tables, functions }] = value.sources as [(typeof value.sources)[0]];
  const loan = tables.find(({ table }) => table.name === 'loan')!;
  expect(loan.object_relationships.map((each) => each.name)).toEqual(['member', 'tool']);
  expect(loan.array_relationships.map((each) => each.name)).toEqual(['fines']);
  expect(functions.map((each) => each.function.name)).toEqual(['search_tool']);
  expect(value.api_limits).toMatchObject({ depth_limit: { global: 10 }, time_limit: { global: 60 } });
  expect(stdout).toContain('shop.measurement_2026: it is a partition');
  expect(stdout).toContain('shop.member_loans: it takes a row of shop.Member');
  const enumLike = readFileSync(
    folder.at('project/metadata/databases/default/tables/shop_loan_state.yaml'),
    'utf8',
  );
  expect(enumLike).toContain('# is_enum: true');
});

test('--schema serves the named schemas alone, and names those that there are', async () => {
  await init(sqlOf('library'), '--schema', 'public', 'Archive');
  const { value } = readMetadataFile(folder.at('project/metadata'));
  expect(value.sources[0]!.tables.map(({ table }) => table.schema)).toEqual(['Archive', 'public']);
  const { url } = await createTestDatabase(sqlOf('library'));
  const misspelt = await engine(
    'init',
    '--database-url',
    url,
    '--schema',
    'shp',
    '--out',
    folder.at('other'),
  );
  expect(misspelt).toMatchObject({ status: 2, stderr: expect.stringContaining('Did you mean "shop"?') });
  expect(existsSync(folder.at('other'))).toBe(false);
});

test('the address of the database is in .env alone, which only its owner reads and nobody commits', async () => {
  const { url } = await init(sqlOf('library'));
  const holding = filesIn(folder.at('project')).filter((file) =>
    readFileSync(file, 'utf8').includes(new URL(url).password),
  );
  expect(holding).toEqual([folder.at('project/.env')]);
  expect(statSync(folder.at('project/.env')).mode & 0o777).toBe(0o600);
  expect(readFileSync(folder.at('project/.gitignore'), 'utf8')).toContain('.env\n');
});

test('a second run names what exists and changes nothing', async () => {
  const { url } = await init(sqlOf('library'));
  const before = filesIn(folder.at('project')).map((file) => [file, readFileSync(file, 'utf8')]);
  const again = await engine('init', '--database-url', url, '--out', folder.at('project'));
  expect(again).toMatchObject({ status: 1, stdout: '' });
  expect(again.stderr).toContain(`${folder.at('project/metadata')}, `);
  expect(again.stderr).toContain('nothing was written');
  expect(filesIn(folder.at('project')).map((file) => [file, readFileSync(file, 'utf8')])).toEqual(before);
});

test.each([
  '.env',
  '.gitignore',
  'README.md',
  'catalog.json',
  'left-out.md',
  'tests/nobody.yaml',
  '.github/workflows/engine.yml',
  'metadata/mine.txt',
])('one file that exists (%s) is enough: nothing is written', async (file) => {
  mkdirSync(dirname(folder.at('project', file)), { recursive: true });
  writeFileSync(folder.at('project', file), 'mine');
  const { status, stderr } = await init('create table note (id int primary key)');
  expect({ status, stderr }).toMatchObject({
    status: 1,
    stderr: expect.stringContaining(file.replace('/mine.txt', '')),
  });
  expect(filesIn(folder.at('project'))).toEqual([folder.at('project', file)]);
  expect(readFileSync(folder.at('project', file), 'utf8')).toBe('mine');
});

test.each([
  ['not reachable', 'postgres://user:hush@127.0.0.1:1/none', 'connection refused'],
  ['not an address', 'postgres://user:hush@/%', 'The database cannot be read'],
])('a database that is %s is reported without its password', async (_, url, reason) => {
  const { status, stderr } = await engine('init', '--database-url', url, '--out', folder.at('project'));
  expect({ status, stderr }).toMatchObject({ status: 2, stderr: expect.stringContaining(reason) });
  expect(stderr).not.toContain('hush');
  expect(existsSync(folder.at('project'))).toBe(false);
});

test('an empty database is a project without tables', async () => {
  expect(await init('')).toMatchObject({ status: 0, stdout: expect.stringContaining('0 tables and views') });
  expect(await engine('compile', ...options(), '--out', folder.at('generated'))).toMatchObject({ status: 0 });
});

test('without an address there is a first migration, which compiles and has a role', async () => {
  const out = folder.at('project');
  expect(await engine('init', '--out', out)).toMatchObject({ status: 0, stderr: '' });
  expect(existsSync(join(out, '.env'))).toBe(false);
  expect(existsSync(join(out, 'catalog.json'))).toBe(false);
  const offline = ['--metadata', join(out, 'metadata'), '--migrations', join(out, 'migrations')];
  expect(await engine('compile', ...offline, '--out', join(out, 'generated'))).toMatchObject({ status: 0 });
  const owner = ['--owner', 'users.id=X-Engine-User-Id', '--cases', join(out, 'tests')];
  expect(await engine('role', 'add', 'user', ...owner, ...offline, '--write')).toMatchObject({ status: 0 });
  const tested = await engine('test', ...offline, '--cases', join(out, 'tests'));
  expect(tested).toMatchObject({ status: 0, stdout: expect.not.stringContaining('unproven') });
  expect(await engine('lint', ...offline)).toMatchObject({ status: 0 });
});
