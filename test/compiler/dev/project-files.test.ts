/** Changes of the metadata API, written back to files of several forms. */
import { cpSync, readdirSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { metadataFolder } from '../../../compiler/cli/metadata-folder.ts';
import { openFiles } from '../../../compiler/dev/project-files.ts';
import { exportMetadata, readMetadata, readMetadataFile } from '../../../compiler/phases/1-read/index.ts';
import { jsonText } from '../../../runtime/core/types.ts';
import { CANONICAL } from '../../../runtime/core/vocabulary.ts';
import type { JsonObject, Metadata } from '../../../runtime/metadata/metadata.ts';
import { SERVING } from '../../harness/compile.ts';
import { eachInFolder } from '../../harness/folder.ts';

const folder = eachInFolder();
const { at, write } = folder;

const select = { role: 'user', permission: { columns: ['id'], filter: {} } };

function metadata(tables: readonly object[], more: object = {}): Metadata {
  const connection_info = { database_url: { from_env: 'DATABASE_URL' } };
  const source = { name: 'default', kind: 'postgres', tables, configuration: { connection_info } };
  const { value, diagnostics } = readMetadata({
    version: 3,
    sources: [source],
    ...more,
  } as unknown as JsonObject);
  expect(diagnostics).toEqual([]);
  return value;
}

const one = { table: { schema: 'public', name: 'one' } };
const two = { table: { schema: 'public', name: 'two' } };
const before = metadata([one, two]);
const CHANGES: readonly [string, Metadata][] = [
  ['a permission', metadata([{ ...one, select_permissions: [select] }, two])],
  ['a new table', metadata([one, two, { table: { schema: 'sales', name: 'three' } }])],
  ['a table that is gone', metadata([one])],
  ['a name of other letters', metadata([one, two, { table: { schema: 'public', name: 'Zwei Wörter/..' } }])],
  [
    'a collection',
    metadata([one, two], { query_collections: [{ name: 'web', definition: { queries: [] } }] }),
  ],
  ['everything gone', readMetadata({ version: 3, sources: [] }).value],
];

const options = (path: string) => ({
  metadata: at(path),
  clientTypes: [],
  serving: SERVING,
  word: CANONICAL.word,
});
const same = (left: Metadata, right: Metadata) =>
  expect(jsonText(exportMetadata(left, 'store'))).toBe(jsonText(exportMetadata(right, 'store')));

function writeFolder(): void {
  for (const [path, text] of metadataFolder(before)) write(`metadata/${path}`, text);
}

test.each(CHANGES)('%s, to a directory: files that it does not concern stay as they are', (_, after) => {
  writeFolder();
  const comment = '# mine\ntable:\n  schema: public\n  name: two\n';
  write('metadata/databases/default/tables/public_two.yaml', comment);
  openFiles(options('metadata')).write(before, after);
  same(readMetadataFile(at('metadata')).value, after);
  const kept = after.sources[0]?.tables.some(({ table }) => table.name === 'two');
  if (kept)
    expect(readFileSync(at('metadata/databases/default/tables/public_two.yaml'), 'utf8')).toBe(comment);
});

test.each(CHANGES)('%s, to a JSON file', (_, after) => {
  write('metadata.json', jsonText(exportMetadata(before)));
  openFiles(options('metadata.json')).write(before, after);
  same(readMetadataFile(at('metadata.json')).value, after);
});

test.each<[string, () => void, RegExp]>([
  [
    'with all tables in one file',
    () => {
      write('metadata/version.yaml', 'version: 3\n');
      write('metadata/databases/databases.yaml', jsonText(exportMetadata(before).sources!));
    },
    /do not have the form of engine metadata export/,
  ],
  [
    'that have an error',
    () => {
      writeFolder();
      write('metadata/databases/default/tables/public_two.yaml', 'table: [');
    },
    /they have errors, or were changed/,
  ],
  [
    'that were changed meanwhile',
    () => {
      writeFolder();
      write('metadata/databases/default/tables/public_two.yaml', 'table: two\nis_enum: true\n');
    },
    /they have errors, or were changed/,
  ],
  ['that are gone', () => {}, /they have errors, or were changed/],
])('files %s are left alone', (_, prepare, message) => {
  prepare();
  write('metadata/.keep', '');
  cpSync(at('metadata'), at('copy'), { recursive: true });
  expect(() => openFiles(options('metadata')).write(before, CHANGES[0]![1])).toThrow(
    expect.objectContaining({ code: 'not-supported', message: expect.stringMatching(message) }),
  );
  const texts = (path: string) =>
    readdirSync(at(path), { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => [entry.name, readFileSync(`${entry.parentPath}/${entry.name}`, 'utf8')]);
  expect(texts('metadata')).toEqual(texts('copy'));
});

test('what did not change keeps its identity from one reading to the next, and places are those of the files', () => {
  writeFolder();
  const files = openFiles(options('metadata'));
  const first = files.read();
  write(
    'metadata/databases/default/tables/public_one.yaml',
    'table: { schema: public, name: one }\nis_enu: true\n',
  );
  const second = files.read();
  expect(second.metadata.sources[0]!.tables[1]).toBe(first.metadata.sources[0]!.tables[1]);
  expect(second.describe(second.unread)).toEqual([
    {
      severity: 'error',
      head: expect.stringContaining('public_one.yaml:2:1'),
      text: expect.stringContaining('is_enum'),
    },
  ]);
});
