/** What generated files, ledgers, audits and diagnostics say of tables that are marked for Apollo federation. */
import { expect, test } from 'vitest';
import { compile } from '../../../../compiler/index.ts';
import { readMetadata } from '../../../../compiler/phases/1-read/index.ts';
import { whoCan } from '../../../../compiler/review/audit/who.ts';
import { readTexts } from '../../../../compiler/review/generated-code/index.ts';
import { catalogsOf } from '../../../harness/compile.ts';
import { readRequestProject } from '../../../harness/request-project.ts';

const LINE = 'select rows by primary key through _entities of Apollo federation';

async function compiled(change = '') {
  const { metadata, database } = await readRequestProject('federation');
  if (change) await database.query(change);
  const { value } = readMetadata(metadata);
  return compile({ metadata: value, catalogs: await catalogsOf(value, database.url) });
}

test('ledgers and audits name the way to rows that the permission opens, and no other', async () => {
  const { files, diagnostics } = await compiled();
  expect(diagnostics).toEqual([]);
  const ledger = (role: string) => files.get(`roles/${role}.txt`)!;
  expect(ledger('reader').split(LINE)).toHaveLength(3);
  // Without by-key fields, or without the columns of the key, there is none.
  for (const role of ['guest', 'clerk']) expect(ledger(role)).not.toContain('_entities');
  const code = readTexts({ label: 'now', folder: 'generated', files, entry: 'index.ts' });
  const author = code.program.tables.find(({ key }) => key === 'public.author')!;
  const ways = whoCan(code, author, 'name').paths.filter(({ via }) => via === 'table');
  expect(ways.map(({ role, fields }) => [role, fields.includes('_entities')])).toEqual([
    ['clerk', false],
    ['guest', false],
    ['reader', true],
  ]);
});

test('a table without a key is no entity, and a diagnostic says so', async () => {
  const { files, diagnostics } = await compiled('alter table chapter drop constraint chapter_pkey');
  expect(diagnostics.map(({ code, path }) => [code, path.at(-1)])).toEqual([
    ['federated-table-without-key', 'apollo_federation_config'],
  ]);
  const texts = [...files].filter(([name]) => name.endsWith('.table.ts'));
  expect(texts.filter(([, text]) => text.includes('federated: true')).map(([name]) => name)).toEqual([
    expect.stringContaining('author'),
  ]);
});
