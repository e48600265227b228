/**
 * An incremental compile gives the bytes and diagnostics of a full one, after any sequence of changes: pieces of the
 * blog's metadata are dropped, doubled, renamed, moved and brought back, and its catalog changes, at random but by seed.
 */
import { readFileSync } from 'node:fs';
import { beforeAll, describe, expect, test } from 'vitest';
import { type CompileResult, compile } from '../../compiler/index.ts';
import { readMetadata } from '../../compiler/phases/1-read/index.ts';
import type { SourceCatalog } from '../../runtime/catalog/catalog.ts';
import { Random } from '../fuzz/random.ts';
import { catalogsOf } from '../harness/compile.ts';
import { createTestDatabase } from '../harness/postgres.ts';

type Json = null | boolean | number | string | Json[] | { [key: string]: Json };

const place = new URL('../cases/blog/', import.meta.url);
const document = JSON.parse(readFileSync(new URL('metadata.json', place), 'utf8')) as Json;
let catalog: SourceCatalog;

beforeAll(async () => {
  const database = await createTestDatabase(readFileSync(new URL('schema.sql', place), 'utf8'));
  catalog = (await catalogsOf(readMetadata(document).value, database.url)).default!;
});

describe('an incremental compile gives what a full one gives', () => {
  test.each([1, 2, 3, 4, 5, 6])('after random changes, seed %i', (seed) => {
    const random = new Random(seed);
    let metadata = document;
    let catalogs = { default: catalog };
    let previous: CompileResult | undefined;
    let changed = 0;
    for (let step = 0; step < 60; step += 1) {
      if (random.chance(0.1)) catalogs = { default: changeCatalog(random) };
      else metadata = random.chance(0.15) ? document : changeJson(random, metadata);
      const input = { metadata: readMetadata(metadata).value, catalogs };
      const full = compile(input);
      const incremental = compile(input, previous);
      expect(Object.fromEntries(incremental.files), `step ${step}`).toEqual(Object.fromEntries(full.files));
      expect([...incremental.files.keys()]).toEqual([...full.files.keys()]);
      expect(incremental.diagnostics, `step ${step}`).toEqual(full.diagnostics);
      if (previous && differs(previous, incremental)) changed += 1;
      previous = incremental;
    }
    // The changes reach the output: otherwise this test compares nothing.
    expect(changed).toBeGreaterThan(12);
  });

  test('after other answers of a remote schema, which saved operations ask', () => {
    const query = { name: 'weather', query: '{ weather }' };
    const metadata = readMetadata({
      ...(document as object),
      remote_schemas: [{ name: 'sky', definition: { url: 'http://sky.test' } }],
      query_collections: [{ name: 'saved', definition: { queries: [query] } }],
    }).value;
    const input = (sdl: string) => ({ metadata, catalogs: { default: catalog }, remotes: { sky: { sdl } } });
    const before = compile(input('type Query { weather: String }'));
    const next = input('type Query { forecast: String }');
    const after = compile(next, before);
    expect(after.diagnostics).toEqual(compile(next).diagnostics);
    expect(after.diagnostics.length).toBe(before.diagnostics.length + 1);
  });

  test('after a type became another kind of type', () => {
    const change = (types: SourceCatalog['types']) => ({
      metadata: readMetadata(document).value,
      catalogs: { default: { ...catalog, types } },
    });
    const before = compile(change(catalog.types));
    const next = change(catalog.types.map((type) => ({ ...type, kind: 'base', values: undefined }) as never));
    const after = compile(next, before);
    const full = compile(next);
    expect(Object.fromEntries(after.files)).toEqual(Object.fromEntries(full.files));
    expect(after.diagnostics).toEqual(full.diagnostics);
    expect(differs(before, after)).toBe(true);
  });

  test('does again only what a changed permission asks for', () => {
    const before = compile({ metadata: readMetadata(document).value, catalogs: { default: catalog } });
    const text = JSON.stringify(document).replace('"limit":', '"limit":1');
    expect(text).not.toBe(JSON.stringify(document));
    const metadata = readMetadata(JSON.parse(text)).value;
    const after = compile({ metadata, catalogs: { default: catalog } }, before);
    const tables = ({ state }: CompileResult) => state.plan.sources[0]!.tables;
    const kept = tables(after).filter((table) => tables(before).includes(table));
    expect(tables(after).length - kept.length).toBe(1);
    const files = [...after.files].filter(([path, file]) => before.files.get(path) !== file);
    // The role "reader" inherits it.
    expect(files.map(([path]) => path)).toEqual([
      'manifest.json',
      'roles/reader.txt',
      'roles/visitor.txt',
      'sources/default/public/article.access.ts',
    ]);
  });
});

function differs(left: CompileResult, right: CompileResult): boolean {
  return [...left.files].some(([path, text]) => right.files.get(path) !== text);
}

/** The document with one value, somewhere in it, changed. */
function changeJson(random: Random, value: Json): Json {
  if (Array.isArray(value) && value.length > 0) {
    const index = random.below(value.length);
    const item = value[index]!;
    const inner = typeof item === 'object' && item !== null;
    if (inner && random.chance(0.8)) return value.with(index, changeJson(random, item));
    return random.pick([
      value.toSpliced(index, 1),
      [...value.toSpliced(index, 1), item],
      value.toSpliced(index, 0, rename(random, item)),
    ]);
  }
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) {
    const keys = Object.keys(value);
    if (keys.length === 0) return value;
    const key = random.pick(keys);
    const { [key]: item, ...rest } = value;
    if (random.chance(0.1) && key !== 'sources' && key !== 'version') return rest;
    return key === 'version' || key === 'configuration'
      ? value
      : { ...value, [key]: changeJson(random, item!) };
  }
  return rename(random, value);
}

function rename(random: Random, value: Json): Json {
  if (typeof value === 'number') return value + random.between(1, 5);
  if (typeof value === 'boolean') return !value;
  if (typeof value !== 'string') return value;
  return random.pick(['id', 'author', 'article', 'title', 'user', 'editor', `${value}_x`, value.slice(1)]);
}

/** The catalog with one table or function less or changed, as after a run_sql. */
function changeCatalog(random: Random): SourceCatalog {
  const { tables, functions } = catalog;
  const index = random.below(tables.length);
  const table = tables[index]!;
  return random.pick([
    catalog,
    { ...catalog, tables: tables.toSpliced(index, 1) },
    { ...catalog, functions: functions.toSpliced(random.below(functions.length), 1) },
    { ...catalog, tables: tables.with(index, { ...table, columns: table.columns.slice(0, -1) }) },
    { ...catalog, tables: tables.with(index, { ...table, foreignKeys: [], insertable: !table.insertable }) },
    { ...catalog, tables: tables.with(index, { ...table, comment: 'changed' }) },
    { ...catalog, enumTables: {} },
  ]);
}
