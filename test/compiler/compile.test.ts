import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { compile } from '../../compiler/index.ts';
import { readMetadata, readMetadataFile } from '../../compiler/phases/1-read/index.ts';
import { createTranspiler } from '../../runtime/program/loader.ts';
import { catalogsOf } from '../harness/compile.ts';
import { createTestDatabase } from '../harness/postgres.ts';
import { compileJson, metadataJson } from '../harness/project.ts';
import { PROJECTS } from '../harness/public-cases.ts';
import { remoteSchemasOf } from '../harness/real-project.ts';

const example = metadataJson(
  {
    select_permissions: [
      {
        role: 'user',
        permission: { columns: ['title', 'id'], filter: { title: { _like: 'a', _neq: 'b' }, id: 1 } },
      },
    ],
    insert_permissions: [{ role: 'user', permission: { check: {}, set: { title: 'a', subtitle: 'b' } } }],
  },
  { inherited_roles: [{ role_name: 'both', role_set: ['user'] }] },
);

describe('the same input gives the same bytes', () => {
  test('on a second run', () => {
    expect([...compileJson(example).files]).toEqual([...compileJson(example).files]);
  });

  test('with the keys of every object in another order', () => {
    expect([...compileJson(reversed(example) as object).files]).toEqual([...compileJson(example).files]);
  });

  test('without the address of a database anywhere in it', () => {
    for (const text of compileJson(example).files.values()) expect(text).not.toContain('postgres://');
  });
});

test('the files that are served are those that index.ts leads to', async () => {
  const { files, programFiles } = compileJson(example);
  const reached = await createTranspiler().transpile(files);
  expect([...programFiles.keys()].sort()).toEqual([...reached.keys()].sort());
  for (const [path, text] of programFiles) expect(text).toBe(files.get(path));
});

/** The same JSON, keys in reverse order. */
function reversed(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(reversed);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .reverse()
      .map(([key, item]) => [key, reversed(item)]),
  );
}

test('a source whose database cannot be read costs the source', () => {
  const { files, diagnostics } = compileJson(example, {
    catalogs: { default: { error: 'connection refused' } },
  });
  expect(diagnostics.map(({ inconsistency }) => inconsistency)).toContainEqual({
    type: 'source',
    name: 'source default',
    reason: 'Inconsistent object: connection error',
    definition: 'default',
    message: 'connection refused',
  });
  expect(files.get('index.ts')).toContain('sources: [\n  ],');
});

test('a changed permission changes one access file, one ledger and the manifest', () => {
  const before = compileJson(
    metadataJson({ select_permissions: [{ role: 'user', permission: { columns: ['id'], filter: {} } }] }),
  );
  const after = compileJson(
    metadataJson({
      select_permissions: [{ role: 'user', permission: { columns: ['id'], filter: { id: 1 } } }],
    }),
  );
  const changed = [...after.files]
    .filter(([path, text]) => before.files.get(path) !== text)
    .map(([path]) => path);
  expect(changed).toEqual(['manifest.json', 'roles/user.txt', 'sources/default/public/article.access.ts']);
});

const oneDatabase = ['chinook', 'realworld', 'simpipe', 'cucb', 'carnet', 'aerie', 'huge-schema'];

test('a remote schema without a lock that cannot be read is an error', () => {
  const remote_schemas = [{ name: 'people', definition: { url: 'http://people' } }];
  const { value } = readMetadata({ version: 3, sources: [], remote_schemas });
  const { diagnostics } = compile({
    metadata: value,
    catalogs: {},
    remotes: { people: { error: 'connection refused' } },
  });
  expect(diagnostics.map(({ code, severity }) => [code, severity])).toEqual([
    ['remote-schema-unreachable', 'error'],
  ]);
});

describe.skipIf(!existsSync(PROJECTS))('real projects', () => {
  test.each(oneDatabase)('%s compiles without an error', async (name) => {
    const [folder] = readdirSync(`${PROJECTS}/${name}/sql`);
    const database = await createTestDatabase();
    for (const file of readdirSync(`${PROJECTS}/${name}/sql/${folder}`).sort()) {
      const bytes = readFileSync(`${PROJECTS}/${name}/sql/${folder}/${file}`);
      await database.query((file.endsWith('.gz') ? gunzipSync(bytes) : bytes).toString('utf8'));
    }
    const { value, diagnostics } = readMetadataFile(`${PROJECTS}/${name}/metadata.json`);
    const catalogs = await catalogsOf(value, database.url);
    const result = compile({ metadata: value, catalogs, remotes: remoteSchemasOf(name) });
    expect([...diagnostics, ...result.diagnostics].filter(({ severity }) => severity === 'error')).toEqual(
      [],
    );
    const tracked = value.sources.reduce((sum, { tables }) => sum + tables.length, 0);
    expect(result.state.model.sources.reduce((sum, { tables }) => sum + tables.length, 0)).toBe(tracked);
  });
});

test('what is not served yet is named', () => {
  const { value } = readMetadata({
    ...metadataJson(),
    metrics_config: { analyze_query_variables: true, analyze_response_body: true },
  });
  const { diagnostics, files } = compile({ metadata: value, catalogs: {} });
  const message = 'Setting "metrics_config" is kept in the metadata but not served yet.';
  expect(diagnostics.filter(({ code }) => code === 'not-served-yet').map((each) => each.message)).toEqual([
    message,
  ]);
  expect(JSON.parse(files.get('not-served.json')!)).toEqual([`metrics_config: ${message}`]);
  expect(JSON.parse(files.get('manifest.json')!).reports).toContain('not-served.json');
  expect(compileJson(metadataJson()).files.has('not-served.json')).toBe(false);
});

test('settings of a source that mean nothing here are named', () => {
  const connection_info = { database_url: 'postgres://localhost/test' };
  const { value, diagnostics: read } = readMetadata({
    version: 3,
    sources: [
      {
        name: 'default',
        kind: 'postgres',
        configuration: {
          connection_info: { ...connection_info, pool_settings: { total_max_connections: 9 } },
          read_replicas: [connection_info],
        },
        health_check: { test: { sql: 'select 1' } },
        tables: [],
        functions: [{ function: 'f', configuration: { response: { nullable: true } } }],
      },
    ],
  });
  expect(read).toEqual([]);
  const { diagnostics } = compile({ metadata: value, catalogs: {} });
  const named = diagnostics.filter(({ code }) => code === 'not-served-yet').map(({ path }) => path.at(-1));
  expect(named).toEqual(['total_max_connections', 'response']);
});

describe('a key that means nothing costs the permission: its rule would be another', () => {
  const exists = { _table: { schema: 'public', name: 'member' }, _where: { user_id: { _eq: 1 } } };
  test.each([
    [{ nobody: {} }, 'nobody'],
    [{ title: { _equals: 1 } }, 'title._equals'],
    [{ author: { nobody: {} } }, 'author.nobody'],
    [{ _or: [{ _not: { nobody: {} } }] }, '_or.0._not.nobody'],
    [{ _exists: { _table: exists._table, where: exists._where } }, '_exists.where'],
    [{ _exists: { ...exists, _table: { ...exists._table, shema: 'x' } } }, '_exists._table.shema'],
    [{ _exists: { ...exists, _where: { nobody: {} } } }, '_exists._where.nobody'],
  ])('%j', (filter, place) => {
    const given = { select_permissions: [{ role: 'user', permission: { columns: ['id'], filter } }] };
    const { diagnostics } = compileJson(metadataJson(given));
    const places = diagnostics.map(({ path, severity }) => [severity, path.slice(8).join('.')]);
    expect(places).toEqual([['error', place]]);
  });
});
