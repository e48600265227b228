/** A compiled folder is served, and audited, as the compiler wrote it; what was edited is named. */
import { appendFileSync, cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { fillDatabase } from '../../../examples/prepare.ts';
import { readConfiguration } from '../../../runtime/configuration/configuration.ts';
import { editedFiles } from '../../../runtime/program/manifest.ts';
import { startServer } from '../../../runtime/server/main.ts';
import { engine } from '../../harness/command-line.ts';
import { createTestDatabase } from '../../harness/postgres.ts';

const generated = fileURLToPath(new URL('../../../generated', import.meta.url));
const folder = mkdtempSync(join(tmpdir(), 'engine-edited-'));
const saved = join(folder, 'saved/help_center/recent_tickets.ts');
let address: string;

beforeAll(async () => {
  cpSync(generated, folder, { recursive: true });
  const database = await createTestDatabase('');
  await fillDatabase(database.url);
  address = database.url;
  // A saved statement that gives every role the tickets of everybody.
  const text = readFileSync(saved, 'utf8');
  expect(text).toContain('where ');
  writeFileSync(saved, text.replace('where ', 'where true or '));
});
afterAll(() => rmSync(folder, { recursive: true }));

function serve(allowEdited: boolean) {
  const environment = { ENGINE_GRAPHQL_SERVER_PORT: '0' };
  return startServer({
    configuration: readConfiguration({}, environment),
    environment,
    generated: { directory: folder, sources: { default: address }, allowEdited },
    observe: Object.assign(() => {}, { flush: async () => {} }),
  });
}

test('an edited file is not served, unless that is asked for', async () => {
  await expect(serve(false)).rejects.toThrow(
    `files of ${folder} are not as the compiler wrote them: saved/help_center/recent_tickets.ts (edited)`,
  );
  const server = await serve(true);
  await server.stop();
});

test('audits name edited files, and saved statements that are not what the rules give', async () => {
  const { stderr, status } = await engine('audit', 'role', 'customer', '--generated', folder);
  expect(status).toBe(0);
  expect(
    stderr,
  ).toBe(`warning saved/help_center/recent_tickets.ts (edited): not as the compiler wrote it; the answer is about it as it is.
warning saved operation help_center.recent_tickets: its statements are not what the rules give; no answer speaks of them.
`);
  const diff = await engine('audit', 'diff', generated, folder);
  expect(diff.status).toBe(1);
  expect(diff.stdout).toContain(
    'the statements of the saved operation help_center.recent_tickets are not what the rules give',
  );
});

test('files that were added, removed or edited are found by the manifest; without one nothing is known', () => {
  const files = new Map([
    ['index.ts', 'a'],
    ['new.ts', ''],
    ['manifest.json', JSON.stringify({ files: { 'index.ts': '00', 'gone.ts': '00' } })],
  ]);
  expect(editedFiles(files)).toEqual(['gone.ts (removed)', 'index.ts (edited)', 'new.ts (added)']);
  expect(editedFiles(new Map([['index.ts', 'a']]))).toBeUndefined();
  expect(editedFiles(new Map([['manifest.json', '{']]))).toBeUndefined();
});

test('what no manifest describes is not served', async () => {
  appendFileSync(join(folder, 'manifest.json'), 'x');
  await expect(serve(false)).rejects.toThrow('has no readable manifest.json');
});
