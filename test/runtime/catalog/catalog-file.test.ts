import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import type { CatalogFile } from '../../../runtime/catalog/catalog.ts';
import { CatalogFileError, readCatalogFile, writeCatalogFile } from '../../../runtime/catalog/index.ts';

const folder = mkdtempSync(join(tmpdir(), 'engine-catalog-'));
const path = join(folder, 'catalog.json');
afterAll(() => rmSync(folder, { recursive: true }));

const text = { schema: 'pg_catalog', name: 'text' };
const file: CatalogFile = {
  version: 3,
  sources: {
    second: { serverVersion: 130023, extensions: [], types: [], tables: [], functions: [], enumTables: {} },
    first: {
      serverVersion: 180004,
      extensions: [{ name: 'citext', schema: 'public', version: '1.8' }],
      types: [{ schema: 'public', name: 'mood', oid: 1, kind: 'enum', values: ['sad', 'happy'] }],
      tables: [
        {
          schema: 'public',
          name: 'author',
          oid: 2,
          kind: 'table',
          columns: [{ name: 'id', position: 1, type: { ...text, array: true }, notNull: true }],
          primaryKey: { name: 'author_pkey', columns: ['id'], oid: 3 },
          uniqueConstraints: [],
          uniqueIndexes: [],
          indexes: [{ name: 'by_expression', method: 'btree', columns: [null], partial: true }],
          foreignKeys: [],
          checks: [{ name: 'positive', definition: 'CHECK ((id > 0))' }],
          insertable: true,
          updatable: true,
          deletable: true,
        },
      ],
      functions: [
        {
          schema: 'public',
          name: 'f',
          oid: 4,
          volatility: 'stable',
          arguments: [{ name: null, type: text, hasDefault: true }],
          returns: text,
          language: 'sql',
        },
      ],
      enumTables: { 'public.color': [{ value: 'red', comment: null }] },
    },
  },
};

async function readText(content: string): Promise<string> {
  writeFileSync(path, content);
  const error = await readCatalogFile(path).catch((failure: unknown) => failure);
  expect(error).toBeInstanceOf(CatalogFileError);
  return (error as Error).message;
}

describe('saved catalogs', () => {
  it('come back as they were written', async () => {
    await writeCatalogFile(path, file);
    expect(await readCatalogFile(path)).toStrictEqual(file);
  });

  it('of version 2 are read, and marked as telling less', async () => {
    writeFileSync(path, JSON.stringify({ ...file, version: 2 }));
    const { version, sources } = await readCatalogFile(path);
    expect(version).toBe(3);
    expect(sources).toStrictEqual(
      Object.fromEntries(
        Object.entries(file.sources).map(([name, source]) => [name, { ...source, withoutBelow: true }]),
      ),
    );
  });

  it('are equal bytes for equal catalogs: sources by name, one newline at the end', async () => {
    await writeCatalogFile(path, file);
    const written = readFileSync(path, 'utf8');
    expect(written.indexOf('"first"')).toBeLessThan(written.indexOf('"second"'));
    expect(written).toMatch(/[^\n]\n$/);
    await writeCatalogFile(path, await readCatalogFile(path));
    expect(readFileSync(path, 'utf8')).toBe(written);
    const { first, second } = file.sources;
    await writeCatalogFile(path, { version: 3, sources: { first: first!, second: second! } });
    expect(readFileSync(path, 'utf8')).toBe(written);
  });

  it('keep what is short on one line', async () => {
    await writeCatalogFile(path, file);
    expect(
      readFileSync(path, 'utf8')
        .split('\n')
        .map((line) => line.trim()),
    ).toContain(
      '"columns": [{"name":"id","position":1,"type":{"schema":"pg_catalog","name":"text","array":true},"notNull":true}],',
    );
  });

  it('are refused with file, place and advice', async () => {
    const broken = JSON.parse(JSON.stringify(file));
    broken.sources.first.tables[0].columns[0].type.name = 7;
    broken.sources.first.tables[0].colums = [];
    delete broken.sources.second.functions;
    const message = await readText(JSON.stringify(broken));
    expect(message).toContain(path);
    expect(message).toContain(
      'catalog.sources.first.tables[0].columns[0].type.name: expected a text, but found 7',
    );
    expect(message).toContain('unknown key "colums" in catalog.sources.first.tables[0]');
    expect(message).toContain('the key "catalog.sources.second.functions" is missing');
    expect(message).toContain('engine introspect');
  });

  it('are refused when they are of another version, or something else altogether', async () => {
    expect(await readText(JSON.stringify({ ...file, version: 1 }))).toContain(
      'catalog.version: this version of Engine reads versions 2 and 3',
    );
    expect(await readText('[]')).toContain('  catalog: expected a mapping, but found array');
    expect(await readText('{"version": 1,')).toContain(
      `The catalog ${path} is not JSON: the text ends too early at line 1, column 15. `,
    );
    const many = JSON.parse(JSON.stringify(file));
    many.sources.first.extensions = Array(9).fill(1);
    expect(await readText(JSON.stringify(many))).toContain('and 4 more');
  });

  it('that do not exist are reported by name', async () => {
    const missing = join(folder, 'missing.json');
    await expect(readCatalogFile(missing)).rejects.toThrow(
      `The catalog ${missing} cannot be read: it does not exist (ENOENT). `,
    );
  });
});
