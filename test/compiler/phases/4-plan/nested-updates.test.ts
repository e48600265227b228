/** What generated files, ledgers and audits say of rows that updates of other tables may change. */
import { expect, test } from 'vitest';
import { compile } from '../../../../compiler/index.ts';
import { readMetadata } from '../../../../compiler/phases/1-read/index.ts';
import { diffCode } from '../../../../compiler/review/audit/diff.ts';
import { whoCan } from '../../../../compiler/review/audit/who.ts';
import { readTexts } from '../../../../compiler/review/generated-code/index.ts';
import type { Extension } from '../../../../runtime/core/names.ts';
import { catalogsOf } from '../../../harness/compile.ts';
import { readRequestProject } from '../../../harness/request-project.ts';

async function compiled(extensions?: readonly Extension[]) {
  const { metadata, database } = await readRequestProject('writing/related');
  const { value } = readMetadata(metadata);
  const catalogs = await catalogsOf(value, database.url);
  const naming = { enabled: false, default: 'engine-default', ...(extensions && { extensions }) } as const;
  const { files, diagnostics } = compile({ metadata: value, catalogs, naming });
  expect(diagnostics).toEqual([]);
  const code = readTexts({ label: 'now', folder: 'generated', files, entry: 'index.ts' });
  const ways = (table: string, column: string) =>
    whoCan(code, code.program.tables.find(({ key }) => key === `public.${table}`)!, column)
      .paths.filter(({ via }) => /^nested (update|delete|insert)$/.test(via) && via !== 'nested insert')
      .map(({ role, via, fields, backendOnly }) => [
        role,
        via,
        ...fields,
        ...(backendOnly ? ['backend'] : []),
      ]);
  return { files, ways, code };
}

test('nothing says a word of it where it is off', async () => {
  const { files, ways } = await compiled();
  expect([...files.values()].join('\n')).not.toMatch(/nested_updates|update related/);
  expect(ways('article', 'title')).toEqual([]);
});

test('the source, ledgers and audits name the ways that permissions open, and no other', async () => {
  const [off, on] = [await compiled(), await compiled(['nested_updates'])];
  const changed = [...on.files].filter(([path, text]) => off.files.get(path) !== text).map(([path]) => path);
  expect(changed.sort()).toEqual([
    'manifest.json',
    'roles/both.txt',
    'roles/clerk.txt',
    'roles/editor.txt',
    'sources/default/source.ts',
  ]);
  const lines = on.files.get('roles/clerk.txt')!.split('\n');
  expect(lines.filter((line) => line.includes('related'))).toEqual([
    '  update related authors: update of public.author',
    '  update related author: update of public.author',
    '  update related comments: delete, update, insert of public.comment',
    '  update related address: update of public.address',
    '  update related award: update of public.award',
    '  update related works: delete, update, insert of public.article',
    '  update related article: update of public.article',
  ]);
  expect(on.ways('article', 'title').filter(([role]) => role === 'clerk')).toEqual([
    ['clerk', 'nested delete', 'related.works of author', 'backend'],
    ['clerk', 'nested update', 'related.works of author'],
    ['clerk', 'nested update', 'related.article of comment'],
  ]);
  const says = diffCode(off.code, on.code).findings.filter(
    ({ role, table }) => role === 'clerk' && table === 'public.article',
  );
  expect(says.map(({ verdict, text }) => `${verdict}: ${text}`)).toEqual([
    // It fills in a column that the role may not give.
    'wider: may now insert rows with updates of public.author, along works',
    'not wider: may now delete rows with updates of public.author, along works',
    'not wider: may now update rows with updates of public.author, along works',
    'not wider: may now update rows with updates of public.comment, along article',
  ]);
});
