import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { afterEach, describe, expect, test } from 'vitest';
import { readMetadata } from '../../../../compiler/phases/1-read/index.ts';
import { parseExactJson } from '../../../../runtime/core/json/exact-json.ts';
import { CANONICAL } from '../../../../runtime/core/vocabulary.ts';
import { exportMetadata, inStoredOrder } from '../../../../runtime/metadata/export-metadata.ts';
import { emptyMetadata } from '../../../../runtime/metadata/metadata.ts';
import { openMetadataStore } from '../../../../runtime/metadata-api/index.ts';
import { storedChange } from '../../../../runtime/metadata-api/store/stored-change.ts';
import { defaultSource, metadataOf } from '../../../harness/metadata.ts';
import { createTestDatabase } from '../../../harness/postgres.ts';

const cases = new URL('../../../cases/', import.meta.url);
const invalidations = { metadata: true, sources: [], remote_schemas: [] };
const ending: (() => Promise<void>)[] = [];

afterEach(async () => {
  for (const end of ending.splice(0)) await end();
});

describe('what is stored', () => {
  // The cases of audits have one project in common, in another form.
  const names = readdirSync(cases).filter((name) => existsSync(new URL(`${name}/metadata.json`, cases)));
  test.each(names)('is the whole metadata after every change: %s', async (name) => {
    const { value } = readMetadata(
      parseExactJson(readFileSync(new URL(`${name}/metadata.json`, cases), 'utf8')),
    );
    const [source] = value.sources;
    const store = await openStore();
    const [first, ...others] = source!.tables;
    const versions = [
      value,
      {
        ...value,
        sources: [{ ...source!, name: '"tables":[]', tables: source!.tables.toReversed() }, source!],
      },
      { ...value, sources: [{ ...source!, tables: others }] },
      { ...value, sources: [{ ...source!, tables: [{ ...first!, is_enum: !first!.is_enum }, ...others] }] },
      { ...value, sources: [] },
      value,
    ];
    let before = emptyMetadata;
    for (const [version, metadata] of versions.map(inStoredOrder).entries()) {
      await store.commit(storedChange(before, metadata), version, invalidations);
      expect(await store.read()).toEqual({
        metadata: exportMetadata(metadata, 'store'),
        resourceVersion: version + 1,
      });
      before = metadata;
    }
  });
});

test('a change of a table writes its row and no other', () => {
  const entry = (name: string) => ({ table: { schema: 'public', name } });
  const { value } = readMetadata(metadataOf(['a', 'b', 'c'].map(entry), {}, 'postgres://localhost/unused'));
  const [source] = value.sources;
  const [, second, third] = source!.tables;
  const after = { ...value, sources: [{ ...source!, tables: [{ ...second!, is_enum: true }, third!] }] };
  const { sources, tables } = storedChange(value, after);
  expect(sources).toMatchObject({ written: [{ name: 'default' }], removed: [] });
  expect(tables.written.map(({ name }) => name)).toEqual(['b']);
  expect(tables.removed).toEqual([{ source: 'default', schema: 'public', name: 'a' }]);
  expect(storedChange(value, { ...value }).sources).toEqual({ written: [], removed: [] });
});

async function openStore() {
  const database = await createTestDatabase();
  const store = await openMetadataStore(database.url, CANONICAL);
  ending.push(store.close);
  return store;
}

test('a catalog of an older version keeps its metadata', async () => {
  const source = defaultSource(
    { tables: [{ table: { name: 'a', schema: 'public' } }, { table: { name: 'b', schema: 'public' } }] },
    'postgres://localhost/unused',
  );
  const metadata = { version: 3, sources: [source, { ...source, name: 'x', tables: [] }], note: 'a\u0000b' };
  const database = await createTestDatabase(`
    create schema engine_catalog;
    create table engine_catalog.migrations (step integer primary key, applied_at timestamptz not null default now());
    insert into engine_catalog.migrations (step) values (1);
    create table engine_catalog.version (
      engine_uuid uuid primary key default gen_random_uuid(), cli_state jsonb not null default '{}', console_state jsonb not null default '{}'
    );
    insert into engine_catalog.version default values;
    create table engine_catalog.metadata (
      id integer primary key check (id = 1), metadata json not null, resource_version integer not null unique
    );`);
  await database.query('insert into engine_catalog.metadata values (1, $1, 7)', [JSON.stringify(metadata)]);
  const store = await openMetadataStore(database.url, CANONICAL);
  ending.push(store.close);
  expect(await store.read()).toEqual({ metadata, resourceVersion: 7 });
  expect(await database.query('select name from engine_catalog.metadata_tables order by name')).toEqual([
    { name: 'a' },
    { name: 'b' },
  ]);
});
