import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { printCatalogFile } from '../../../runtime/catalog/index.ts';
import { engine } from '../../harness/command-line.ts';
import { createTestDatabase } from '../../harness/postgres.ts';
import { catalog, metadataJson } from '../../harness/project.ts';

let folder: string;
let out: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'engine-cli-'));
  out = join(folder, 'generated');
  write('metadata.json', metadataJson());
  writeFileSync(
    join(folder, 'catalog.json'),
    printCatalogFile({ version: 3, sources: { default: catalog } }),
  );
});
afterEach(() => rmSync(folder, { recursive: true }));

function write(file: string, json: unknown): void {
  writeFileSync(join(folder, file), JSON.stringify(json));
}

function compile(...more: string[]) {
  const paths = [
    '--metadata',
    join(folder, 'metadata.json'),
    '--catalog',
    join(folder, 'catalog.json'),
    '--out',
    out,
  ];
  return engine('compile', ...paths, ...more);
}

test('compile type-checks the code if asked to', async () => {
  expect(await compile('--check-types')).toMatchObject({ status: 0 });
});

const tracked = (name: string, rest = '') => `table: ${name}\n${rest}`;
const toAuthor = 'object_relationships: [{name: author, using: {foreign_key_constraint_on: author_id}}]\n';

test.each([
  [
    'broken YAML',
    'author.yaml',
    `${tracked('author')}  select_permissions: [\n`,
    'metadata-yaml-invalid',
    'author.yaml:1:8',
  ],
  ['no such file', 'other.yaml', '', 'include-missing', 'tables.yaml:2:3'],
  ['a wrong value', 'author.yaml', 'table: 5\n', 'metadata-value-invalid', 'author.yaml:1:1'],
])('a table that is not read (%s) is the cause of what refers to it', async (_, file, text, code, place) => {
  const files = {
    'version.yaml': 'version: 3\n',
    'databases/databases.yaml':
      '- name: default\n  kind: postgres\n  configuration: {connection_info: {database_url: postgres://localhost}}\n  tables: "!include default/tables.yaml"\n',
    'databases/default/tables.yaml': '- "!include article.yaml"\n- "!include author.yaml"\n',
    'databases/default/article.yaml': tracked('article', toAuthor),
    [`databases/default/${file}`]: text,
    'query_collections.yaml':
      '- name: all\n  definition: {queries: [{name: authors, query: "{ author { id } }"}, {name: typing_error, query: "{ artikle { id } }"}]}\n',
  };
  for (const [path, content] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, 'metadata', path)), { recursive: true });
    writeFileSync(join(folder, 'metadata', path), content);
  }
  const paths = ['--metadata', join(folder, 'metadata'), '--catalog', join(folder, 'catalog.json')];
  const { status, stderr } = await engine('compile', ...paths, '--out', out);
  expect(status).toBe(1);
  const [cause, ...rest] = stderr.split('\n\n');
  const [first, ...more] = cause!.split('\n');
  const below = more.slice(more.indexOf('  What follows from it:'));
  expect(first).toMatch(new RegExp(`^${code} `));
  expect(first).toContain(place);
  expect(below.map((line) => line.trim().split('  ').slice(0, 2).join(' '))).toEqual([
    'What follows from it:',
    'table-not-tracked sources.default.tables.article.object_relationships.author',
    'saved-query-invalid query_collections.all.definition.queries.authors',
  ]);
  // A mistake of its own stays one.
  expect(rest[0]).toMatch(/^saved-query-invalid {2}query_collections.all.definition.queries.typing_error/);
  expect(stderr).toContain('2 errors, and 2 that follow.');
  expect(stderr).not.toContain('track it');
});

test('compile writes the folder, and says what it did', async () => {
  const { status, stdout, stderr } = await compile();
  expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
  expect(stdout).toBe(`4 tables, 0 roles → ${out}: 10 files, 10 changed\n`);
  expect(existsSync(join(out, 'sources/default/public/article.table.ts'))).toBe(true);
});

test('a second compile writes nothing, one of less metadata deletes what it does not need', async () => {
  await compile();
  expect((await compile()).stdout).toContain(' 0 changed');
  write('metadata.json', { ...metadataJson(), sources: [] });
  expect((await compile()).stdout).toContain(', 5 deleted');
  expect(existsSync(join(out, 'sources'))).toBe(false);
});

test('files that no compile wrote are not touched, nor is a folder of somebody else', async () => {
  await compile();
  writeFileSync(join(out, 'notes.txt'), 'mine');
  write('metadata.json', { ...metadataJson(), sources: [] });
  await compile();
  expect(readFileSync(join(out, 'notes.txt'), 'utf8')).toBe('mine');
  const { status, stderr } = await compile('--out', folder);
  expect({ status, stderr }).toEqual({
    status: 1,
    stderr: expect.stringContaining('holds files that are not generated'),
  });
});

test('--check names stale and superfluous files and writes nothing', async () => {
  await compile();
  expect(await compile('--check')).toMatchObject({ status: 0 });
  writeFileSync(join(out, 'index.ts'), 'edited');
  writeFileSync(join(out, 'stray.ts'), '');
  const { status, stdout } = await compile('--check');
  expect(status).toBe(1);
  expect(stdout).toBe(`stale      ${out}/index.ts\nnot needed ${out}/stray.ts\n`);
  expect(readFileSync(join(out, 'index.ts'), 'utf8')).toBe('edited');
});

test('errors in the metadata cost their objects and the exit status', async () => {
  write(
    'metadata.json',
    metadataJson({ select_permissions: [{ role: 'user', permission: { columns: ['titel'], filter: {} } }] }),
  );
  const { status, stderr } = await compile();
  expect(status).toBe(1);
  expect(stderr).toContain(
    'permission-column-missing  sources.default.tables.article.select_permissions.user',
  );
  expect(stderr).toContain('Did you mean "title"?');
  expect(stderr).toContain('Nothing was written.');
  expect(existsSync(join(out, 'index.ts'))).toBe(false);
  expect(await compile('--allow-inconsistent')).toMatchObject({ status: 1 });
  expect(existsSync(join(out, 'index.ts'))).toBe(true);
});

test('--format json reports the same for tools', async () => {
  write('metadata.json', metadataJson({}, { cron: [] }));
  const { stdout } = await compile('--format', 'json');
  expect(JSON.parse(stdout)).toMatchObject({
    files: 10,
    defects: [],
    diagnostics: [{ code: 'unknown-key' }],
  });
});

test('--strict makes a key without a meaning an error', async () => {
  write('metadata.json', metadataJson({}, { cron: [] }));
  expect(await compile()).toMatchObject({ status: 0 });
  expect(await compile('--strict')).toMatchObject({ status: 1 });
});

test('an unreachable database is told without its password, and nothing is written', async () => {
  const paths = ['--metadata', join(folder, 'metadata.json'), '--out', out];
  const address = 'postgres://someone:s3cret@127.0.0.1:1/none';
  for (const args of [
    ['compile', ...paths, '--source', `default=${address}`],
    ['--database-url', address, 'compile', ...paths],
    ['compile', ...paths, '--database-url', address],
  ]) {
    const { status, stdout, stderr } = await engine(...args);
    expect(status).toBe(1);
    expect(stderr).toContain('connection refused');
    expect(stdout + stderr).not.toContain('s3cret');
  }
  expect(existsSync(out)).toBe(false);
});

test.each([
  ['no command line', []],
  ['an unknown command', ['compil']],
  ['a missing option', ['compile', '--out', 'x']],
  ['an unknown format', ['compile', '--metadata', 'x', '--out', 'x', '--format', 'xml']],
  [
    'an address without a name',
    ['compile', '--metadata', 'x', '--out', 'x', '--source', 'postgres://u:s3cret@h/d'],
  ],
  ['nothing to introspect', ['introspect', '--out', 'x']],
])('%s is a wrong use: exit status 2', async (_name, args) => {
  const { status, stderr } = await engine(...args);
  expect(status).toBe(2);
  expect(stderr).not.toContain('s3cret');
});

test('a source that the metadata does not have is a wrong use', async () => {
  expect(await compile('--source', 'other=postgres://localhost/x')).toMatchObject({
    status: 2,
    stderr: 'The metadata has no source "other". Its sources: default.\n',
  });
});

test('introspect saves what compile can use instead of the database', async () => {
  const database = await createTestDatabase(
    'create table article (id int primary key); create table other (id int)',
  );
  const saved = join(folder, 'saved.json');
  expect(await engine('introspect', '--source', `default=${database.url}`, '--out', saved)).toMatchObject({
    status: 0,
  });
  write('metadata.json', {
    ...metadataJson(),
    sources: [{ ...sourceOf(metadataJson()), tables: [{ table: 'article' }] }],
  });
  const paths = ['--metadata', join(folder, 'metadata.json'), '--out', out];
  expect(await engine('compile', ...paths, '--catalog', saved)).toMatchObject({ status: 0 });
  const fromFile = readFileSync(join(out, 'manifest.json'), 'utf8');
  await engine('compile', ...paths, '--source', `default=${database.url}`);
  expect(readFileSync(join(out, 'manifest.json'), 'utf8')).toBe(fromFile);
});

function sourceOf(metadata: object): object {
  return (metadata as { sources: object[] }).sources[0]!;
}

test('help is worth reading', async () => {
  const { status, stdout } = await engine('compile', '--help');
  expect(status).toBe(0);
  for (const word of [
    '--metadata <path>',
    '--catalog <file>',
    '--check',
    '--database-url',
    'Examples:',
    'Exit status',
  ])
    expect(stdout).toContain(word);
});

test('schema prints what a role sees, and types for its clients', async () => {
  const paths = ['--metadata', join(folder, 'metadata.json'), '--catalog', join(folder, 'catalog.json')];
  const sdl = await engine('schema', ...paths, '--role', 'admin');
  expect(sdl).toMatchObject({ status: 0, stderr: '' });
  expect(sdl.stdout).toContain('type article {');
  expect((await engine('schema', ...paths, '--role', 'nobody')).stdout).not.toContain('type article');
  const types = await engine('schema', ...paths, '--role', 'admin', '--as', 'types');
  expect(types.stdout).toContain('export type Article = {');
  expect(await engine('schema', ...paths, '--role', 'admin', '--as', 'types')).toEqual(types);
});

test('schema prints what is served beside inconsistent objects, and reports those', async () => {
  const metadata = metadataJson() as { sources: { tables: object[] }[] };
  metadata.sources[0]!.tables.push({ table: { schema: 'public', name: 'gone' } });
  write('metadata.json', metadata);
  const paths = ['--metadata', join(folder, 'metadata.json'), '--catalog', join(folder, 'catalog.json')];
  const { status, stdout, stderr } = await engine('schema', ...paths, '--role', 'admin');
  expect(status).toBe(0);
  expect(stdout).toContain('type article {');
  expect(stdout).not.toContain('gone');
  expect(stderr).toContain('public.gone');
});

test('schema prints nothing without the catalog of a source', async () => {
  const path = ['--metadata', join(folder, 'metadata.json')];
  const url = 'postgresql://nobody@127.0.0.1:1/nowhere';
  const { status, stdout } = await engine('schema', ...path, '--database-url', url, '--role', 'admin');
  expect({ status, stdout }).toEqual({ status: 1, stdout: '' });
});
