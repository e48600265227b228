import { rmSync } from 'node:fs';
import { gzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { findMigrations } from '../../../compiler/offline/migrations.ts';
import type { Source } from '../../../runtime/metadata/metadata.ts';
import { eachInFolder } from '../../harness/folder.ts';

const folder = eachInFolder();

function write(path: string, content: string | Buffer = 'select 1'): void {
  folder.write(path, content);
}

const source = (name: string) => ({ name }) as Source;
const find = (...names: string[]) =>
  findMigrations(folder.at(), names.map(source)).map((found) =>
    'files' in found ? found.files.map(({ path }) => path.slice(folder.at().length + 1)) : found,
  );

test('folders with up.sql are applied by their number, whatever its length', () => {
  for (const name of ['10_c', '9_b', '1_a']) write(`${name}/up.sql`);
  write('1_a/down.sql');
  write('notes/readme.md');
  expect(find('default')).toEqual([['1_a/up.sql', '9_b/up.sql', '10_c/up.sql']]);
});

test('plain files count, packed ones too, but nothing that leads back', () => {
  write('2_b.up.sql');
  write('2_b.down.sql');
  write('down.sql');
  write('1_a.sql.gz', gzipSync('select 2'));
  expect(find('default')).toEqual([['1_a.sql.gz', '2_b.up.sql']]);
  expect(findMigrations(folder.at(), [source('default')])[0]).toMatchObject({
    files: [{ text: 'select 2' }, {}],
  });
});

test('several sources have a folder each; one that is missing gets a suggestion', () => {
  write('main/1_a/up.sql');
  write('analytics/1_b.sql');
  expect(find('main', 'analitics')).toEqual([
    ['main/1_a/up.sql'],
    { source: source('analitics'), missing: folder.at('analitics'), nearest: 'analytics' },
  ]);
});

test('a single source may have its folder, the only folder, or the folder itself', () => {
  write('app/1_a/up.sql');
  expect(find('default')).toEqual([['app/1_a/up.sql']]);
  write('default/1_b/up.sql');
  expect(find('default')).toEqual([['default/1_b/up.sql']]);
  rmSync(folder.at('default'), { recursive: true });
  rmSync(folder.at('app'), { recursive: true });
  write('1_only/up.sql');
  expect(find('default')).toEqual([['1_only/up.sql']]);
});
