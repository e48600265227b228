/** docs/migrations.md: the folders of each tool, as the page has them, are applied by Engine. */
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { applyMigrations } from '../../compiler/offline/apply.ts';
import { findMigrations } from '../../compiler/offline/migrations.ts';
import type { Source } from '../../runtime/metadata/metadata.ts';
import { eachInFolder } from '../harness/folder.ts';
import { createTestDatabase } from '../harness/postgres.ts';

const folder = eachInFolder();
const page = readFileSync(new URL('../../docs/migrations.md', import.meta.url), 'utf8');
const tools = page
  .split(/^## /m)
  .slice(1)
  .map((section) => ({
    name: section.split('\n')[0]!,
    files: [...section.matchAll(/^```sql (\S+)\n(.*?)^```/gms)].map(
      ([, path, text]) => [path!, text!] as const,
    ),
  }));

test('the page has five tools', () => {
  expect(tools.map(({ name }) => name)).toEqual(['dbmate', 'node-pg-migrate', 'Prisma', 'Atlas', 'Supabase']);
});

test.each(tools)('$name', async ({ files }) => {
  for (const [path, text] of files) folder.write(path, text);
  if (files[0]![0].startsWith('supabase/')) folder.write('supabase/config.toml', '');
  const migrations = files[0]![0].replace(/\/\d.*$/, '');
  const [found] = findMigrations(folder.at(migrations), [{ name: 'default' } as Source]);
  const database = await createTestDatabase();
  const applied = 'files' in found! ? found.files : [];
  expect(applied.length).toBeGreaterThanOrEqual(2);
  expect(await applyMigrations(database.url, applied)).toBeUndefined();
  const columns = await database.query(
    `select string_agg(column_name, ', ' order by ordinal_position) as names from information_schema.columns where table_name = 'book'`,
  );
  expect(columns).toEqual([{ names: 'id, author_id, title' }]);
});
