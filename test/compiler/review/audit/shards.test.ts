/** From a saved catalog that Citus described to the verdicts of `engine audit shards`. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { printCatalogFile } from '../../../../runtime/catalog/index.ts';
import { readDatabase } from '../../../../runtime/database/read-database.ts';
import { engine } from '../../../harness/command-line.ts';
import { readRequestProject } from '../../../harness/request-project.ts';

let folder: string;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'engine-shards-'));
  const { metadata, database, distribution } = await readRequestProject('citus');
  const enums = ['plan', 'ticket_status'].map((name) => ({ schema: 'public', name }));
  const catalog = await readDatabase({ connectionString: database.url }, enums);
  const [source] = metadata.sources as { tables: { table: { name: string }; event_triggers?: object[] }[] }[];
  const article = source!.tables.find(({ table }) => table.name === 'article')!;
  const definition = { enable_manual: false, insert: { columns: '*' } };
  article.event_triggers = [{ name: 'published', definition, webhook: 'http://localhost/' }];
  writeFileSync(join(folder, 'metadata.json'), JSON.stringify(metadata));
  const write = (file: string, source: typeof catalog) =>
    writeFileSync(join(folder, file), printCatalogFile({ version: 3, sources: { default: source } }));
  write('plain.json', catalog);
  write('citus.json', { ...catalog, distribution: distribution! });
});
afterAll(() => rmSync(folder, { recursive: true }));

async function audited(name: 'plain' | 'citus', ...more: string[]) {
  const [metadata, catalog, out] = ['metadata.json', `${name}.json`, name].map((file) => join(folder, file));
  const compiled = await engine(
    ...['compile', '--metadata', metadata!, '--catalog', catalog!, '--out', out!, '--allow-inconsistent'],
  );
  // The event trigger on a distributed table is inconsistent.
  expect(compiled, compiled.stderr).toMatchObject({ status: name === 'citus' ? 1 : 0 });
  const { stdout, ...rest } = await engine('audit', 'shards', '--generated', out!, ...more);
  return {
    ...rest,
    stdout: stdout.replaceAll(folder, '.'),
    compiled: compiled.stderr.replaceAll(folder, '.'),
  };
}

test('every root field and saved operation of each role has a verdict', async () => {
  const { status, stdout, compiled } = await audited('citus');
  expect(status).toBe(1);
  await expect(stdout).toMatchFileSnapshot('expected/shards.txt');
  await expect(compiled).toMatchFileSnapshot('expected/shards-diagnostics.txt');
  await expect(readFileSync(join(folder, 'citus/roles/customer.txt'), 'utf8')).toMatchFileSnapshot(
    'expected/shards-ledger.txt',
  );
  expect(readFileSync(join(folder, 'citus/sources/default/source.ts'), 'utf8')).toContain(
    '"public.ticket": { kind: "distributed", by: "tenant_id", group: 1 },',
  );
});

test('verdicts are data for tools', async () => {
  const { stdout } = await audited('citus', '--format', 'json');
  const { verdicts } = JSON.parse(stdout) as { verdicts: object[] };
  expect(verdicts).toContainEqual({
    role: 'agent',
    subject: 'query team',
    verdict: { kind: 'router' },
  });
});

test('without distributed tables nothing is said, and nothing printed', async () => {
  expect(await audited('plain')).toEqual({
    status: 0,
    stdout: 'No source has distributed tables.   (./plain)\n',
    stderr: '',
    compiled: 'environment variables that the metadata needs: DATABASE_URL (not set here)\n',
  });
  expect(readFileSync(join(folder, 'plain/sources/default/source.ts'), 'utf8')).not.toContain('distribut');
});
