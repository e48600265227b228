import { execFile } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import type {
  Catalog,
  CatalogColumn,
  RelationReference,
  SourceCatalog,
} from '../../../runtime/catalog/catalog.ts';
import { introspectDatabase, printCatalogFile, readEnumTableRows } from '../../../runtime/catalog/index.ts';
import { createTestDatabase } from '../../harness/postgres.ts';
import { PROJECTS } from '../../harness/public-cases.ts';

const root = new URL('../../../', import.meta.url);
const projects = pathToFileURL(`${PROJECTS}/`);
const present = existsSync(PROJECTS);

type TrackedName = string | RelationReference;
interface ProjectMetadata {
  readonly sources: readonly {
    readonly tables: readonly { readonly table: TrackedName; readonly is_enum?: boolean }[];
    readonly functions?: readonly { readonly function: TrackedName }[];
  }[];
}

const qualified = (name: TrackedName): RelationReference =>
  typeof name === 'string' ? { schema: 'public', name } : name;
const names = (objects: readonly RelationReference[]) =>
  objects.map(({ schema, name }) => `${schema}.${name}`);

/** The catalog of a real project, read twice: as text, these must not differ by a byte. */
async function readProject(
  project: string,
  version?: 13 | 15,
): Promise<SourceCatalog & { metadata: ProjectMetadata }> {
  const database = await createTestDatabase('', version);
  const load = fileURLToPath(new URL('load.mjs', projects));
  await promisify(execFile)(process.execPath, [load, project, database.url], { cwd: fileURLToPath(root) });
  const metadata = JSON.parse(
    readFileSync(new URL(`${project}/metadata.json`, projects), 'utf8'),
  ) as ProjectMetadata;
  const enumTables = metadata.sources[0]!.tables.filter(({ is_enum }) => is_enum).map(({ table }) =>
    qualified(table),
  );
  const query = async (sql: string, values?: readonly unknown[]) => ({
    rows: await database.query(sql, values),
  });
  const read = async (): Promise<SourceCatalog> => {
    const catalog = await introspectDatabase(query);
    return { ...catalog, enumTables: await readEnumTableRows(query, enumTables, catalog) };
  };
  const [first, second] = [await read(), await read()];
  expect(
    printCatalogFile({ version: 3, sources: { first } }) ===
      printCatalogFile({ version: 3, sources: { first: second } }),
  ).toBe(true);
  return { ...first, metadata };
}

function count({ tables }: Catalog) {
  const ofKind = (...kinds: readonly string[]) => tables.filter(({ kind }) => kinds.includes(kind)).length;
  return {
    tables: ofKind('table', 'partitioned'),
    views: ofKind('view'),
    materialized: ofKind('materialized'),
    foreignKeys: tables.reduce((sum, { foreignKeys }) => sum + foreignKeys.length, 0),
  };
}

/** Everything that the metadata tracks is there. */
function expectTracked({ metadata, tables, functions }: Awaited<ReturnType<typeof readProject>>) {
  const [source] = metadata.sources;
  expect(names(tables)).toEqual(
    expect.arrayContaining(names(source!.tables.map(({ table }) => qualified(table)))),
  );
  const tracked = (source!.functions ?? []).map((entry) => qualified(entry.function));
  expect(names(functions)).toEqual(expect.arrayContaining(names(tracked)));
}

function findColumn(catalog: Catalog, table: string, column: string): CatalogColumn | undefined {
  return catalog.tables.find(({ name }) => name === table)?.columns.find(({ name }) => name === column);
}

describe.skipIf(!present)('introspection of real projects', () => {
  it.each([13, 15, undefined] as const)('reads chinook (version %s)', async (version) => {
    const catalog = await readProject('chinook', version);
    expectTracked(catalog);
    expect(count(catalog)).toEqual({ tables: 11, views: 0, materialized: 0, foreignKeys: 11 });
    const playlistTrack = catalog.tables.find(({ name }) => name === 'PlaylistTrack');
    expect(playlistTrack?.primaryKey?.columns).toEqual(['PlaylistId', 'TrackId']);
    expect(playlistTrack?.foreignKeys.map(({ references }) => references.name)).toEqual([
      'Playlist',
      'Track',
    ]);
  });

  it('reads aerie', async () => {
    const catalog = await readProject('aerie');
    expectTracked(catalog);
    expect(count(catalog)).toEqual({ tables: 107, views: 9, materialized: 1, foreignKeys: 169 });
    // 127 with the 15 procedures.
    expect(catalog.functions).toHaveLength(112);
    expect(new Set(catalog.tables.map(({ schema }) => schema)).size).toBe(8);
    expect(catalog.tables.find(({ kind }) => kind === 'materialized')?.uniqueIndexes).toHaveLength(1);
    expect(Object.entries(catalog.enumTables)).toEqual([
      [
        'permissions.user_roles',
        ['aerie_admin', 'user', 'viewer'].map((value) => expect.objectContaining({ value })),
      ],
    ]);
  });

  it('reads carnet', async () => {
    const catalog = await readProject('carnet');
    expectTracked(catalog);
    expect(count(catalog)).toEqual({ tables: 47, views: 2, materialized: 0, foreignKeys: 72 });
    expect(catalog.functions).toHaveLength(22);
    expect(catalog.extensions.map(({ name }) => name)).toEqual([
      'citext',
      'pg_trgm',
      'pgcrypto',
      'plpgsql',
      'unaccent',
    ]);
    expect(Object.keys(catalog.enumTables)).toHaveLength(11);
    expect(catalog.enumTables['public.role']?.length).toBeGreaterThan(0);
    expect(findColumn(catalog, 'notebook_public_view', 'beneficiary_id')?.origin).toEqual({
      schema: 'public',
      name: 'notebook',
      column: 'beneficiary_id',
    });
  });

  it('reads huge-schema', async () => {
    const catalog = await readProject('huge-schema');
    expectTracked(catalog);
    // PostGIS, where it is installed, adds a table and two views.
    const postgis = catalog.extensions.some(({ name }) => name === 'postgis') ? 1 : 0;
    expect(count(catalog)).toEqual({
      tables: 1502 + postgis,
      views: 327 + 2 * postgis,
      materialized: 0,
      foreignKeys: 3,
    });
    expect(catalog.functions).toHaveLength(32);
    expect(new Set(catalog.tables.map(({ schema }) => schema)).size).toBe(91);
  });
});
