import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { metadataFolder } from '../../../compiler/cli/metadata-folder.ts';
import { exportMetadata, readMetadata, readMetadataFile } from '../../../compiler/phases/1-read/index.ts';
import { lineDifference } from '../../../runtime/console/line-difference.ts';
import { engine, engineIn } from '../../harness/command-line.ts';
import { eachInFolder } from '../../harness/folder.ts';
import { createTestDatabase } from '../../harness/postgres.ts';
import { PROJECTS } from '../../harness/public-cases.ts';
import { startTestServer, type TestServer } from '../../harness/server.ts';
import { startWebhook } from '../../harness/webhook.ts';

const folder = eachInFolder();

describe('engine metadata', () => {
  let server: TestServer;
  let endpoint: string;
  beforeAll(async () => {
    const database = await createTestDatabase('create table author (id int primary key, name text)');
    server = await startTestServer(database, { ADMIN_SECRET: 'hush' });
    endpoint = `http://127.0.0.1:${server.port}`;
  });
  afterAll(() => server.stop());

  const command = (name: string, path: string, ...more: string[]) =>
    engineIn(
      { ENGINE_GRAPHQL_ADMIN_SECRET: 'hush' },
      'metadata',
      name,
      ...['--endpoint', endpoint],
      ...['--metadata', folder.at(path)],
      ...more,
    );

  test('exports, shows what would change, and applies it, as directory and as JSON', async () => {
    expect(await command('export', 'metadata')).toMatchObject({ status: 0, stderr: '' });
    expect(await command('diff', 'metadata')).toEqual({ status: 0, stdout: 'No difference.\n', stderr: '' });

    const tables = folder.at('metadata/databases/default/tables');
    writeFileSync(join(tables, 'tables.yaml'), '- "!include public_author.yaml"\n');
    writeFileSync(join(tables, 'public_author.yaml'), 'table: author\n');
    const difference = await command('diff', 'metadata');
    expect(difference.status).toBe(1);
    expect(difference.stdout).toContain(
      'databases/default/tables/public_author.yaml (not on the server)\n+ table:\n+   name: author\n+   schema: public\n',
    );

    expect(await command('apply', 'metadata')).toMatchObject({ status: 0, stderr: '' });
    expect(await command('export', 'all.json')).toMatchObject({ status: 0, stderr: '' });
    const { sources } = JSON.parse(readFileSync(folder.at('all.json'), 'utf8'));
    expect(sources[0].tables).toEqual([{ table: { name: 'author', schema: 'public' } }]);
    expect(await command('diff', 'all.json')).toMatchObject({ status: 0 });
  });

  test('an export from another engine says what it has and this one does not read', async () => {
    const metadata = { version: 3, sources: [], novelties: [] };
    const other = await startWebhook((_, response) => response.end(JSON.stringify(metadata)));
    try {
      const { status, stderr } = await command('export', 'other.json', '--endpoint', other.url);
      expect({ status, stderr }).toEqual({
        status: 0,
        stderr: 'warning unknown-key  novelties\n  Unknown key "novelties" is ignored.\n\n',
      });
    } finally {
      await other.close();
    }
  });

  test('an export names the secrets that it writes out, and does not show them', async () => {
    const hook = { name: 'nightly', schedule: '0 0 * * *', webhook: 'https://hook.example', payload: null };
    const headers = [{ name: 'Authorization', value: 'Bearer loud' }];
    const source = {
      ...{ name: 'default', kind: 'postgres', tables: [] },
      configuration: { connection_info: { database_url: 'postgres://u:loud@localhost/shop' } },
    };
    const metadata = {
      version: 3,
      sources: [source],
      cron_triggers: [{ ...hook, headers, include_in_metadata: true }],
    };
    const other = await startWebhook((_, response) => response.end(JSON.stringify(metadata)));
    try {
      const { status, stderr } = await command('export', 'other.json', '--endpoint', other.url);
      expect(status).toBe(0);
      expect(stderr.replace(/ in \S+other\.json/, ' in other.json')).toBe(
        'Secrets are written out in other.json; do not commit them as they are:\n' +
          '  sources.default.configuration.connection_info.database_url: put the address into an environment variable: {from_env: NAME}\n' +
          '  cron_triggers.nightly.headers.Authorization: put the value into an environment variable: value_from_env: NAME\n',
      );
    } finally {
      await other.close();
    }
  });

  test('a refusal says what is inconsistent, unless that is allowed', async () => {
    await command('export', 'all.json');
    const metadata = JSON.parse(readFileSync(folder.at('all.json'), 'utf8'));
    metadata.sources[0].tables = [{ table: 'nobody' }];
    folder.write('all.json', JSON.stringify(metadata));
    const reason =
      'table nobody in source default: Inconsistent object: no such table/view exists in source: "nobody"';
    expect(await command('apply', 'all.json')).toEqual({
      status: 1,
      stdout: '',
      stderr: `The server refused: cannot continue due to inconsistent metadata\n  ${reason}\n`,
    });
    expect(await command('apply', 'all.json', '--allow-inconsistent')).toMatchObject({
      status: 0,
      stderr: `Inconsistent: ${reason}\n`,
    });
  });

  test('says what to do without the secret, the server or the right address', async () => {
    const path = ['--metadata', folder.at('all.json')];
    expect(await engine('metadata', 'export', '--endpoint', endpoint, ...path)).toMatchObject({
      status: 1,
      stderr:
        'The server asks for an admin secret: give --admin-secret or set ENGINE_GRAPHQL_ADMIN_SECRET.\n',
    });
    const wrong =
      'The server refused the admin secret: it is not the one that the server was started with. Correct --admin-secret or ENGINE_GRAPHQL_ADMIN_SECRET.\n';
    expect(await command('export', 'all.json', '--admin-secret', 'loud')).toEqual({
      status: 1,
      stdout: '',
      stderr: wrong,
    });
    const environment = { ENGINE_GRAPHQL_ADMIN_SECRET: 'loud' };
    expect(await engineIn(environment, 'metadata', 'export', '--endpoint', endpoint, ...path)).toMatchObject({
      status: 1,
      stderr: wrong,
    });
    expect(await engine('metadata', 'export', '--endpoint', 'http://127.0.0.1:1', ...path)).toMatchObject({
      status: 1,
      stderr: expect.stringMatching(/^http:\/\/127\.0\.0\.1:1 cannot be reached: /),
    });
    expect(await engine('metadata', 'export', '--endpoint', 'localhost', ...path)).toMatchObject({
      status: 2,
    });
    expect(existsSync(folder.at('all.json'))).toBe(false);
  });

  test('never mixes with files that are something else', async () => {
    folder.write('notes.txt', 'mine');
    expect(await command('export', '.')).toMatchObject({ status: 1, stdout: '' });
    expect(readdirSync(folder.at())).toEqual(['notes.txt']);
  });
});

describe.skipIf(!existsSync(PROJECTS))('the directory form', () => {
  const names = existsSync(PROJECTS)
    ? readdirSync(PROJECTS).filter(
        // The largest holds nothing that the others do not, and takes longer than they all.
        (name) => name !== 'huge-schema' && existsSync(join(PROJECTS, name, 'metadata.json')),
      )
    : [];
  test.each(names)('of %s reads back to the same metadata', (name) => {
    const metadata = readMetadata(
      JSON.parse(readFileSync(join(PROJECTS, name, 'metadata.json'), 'utf8')),
    ).value;
    for (const [path, text] of metadataFolder(metadata)) folder.write(path, text);
    const { value, diagnostics } = readMetadataFile(folder.at());
    expect(diagnostics).toEqual([]);
    expect(exportMetadata(value)).toEqual(exportMetadata(metadata));
    expect(metadataFolder(value)).toEqual(metadataFolder(metadata));
  });
});

test('names that cannot be file names, and texts that YAML would read otherwise, survive', () => {
  const table = (name: string) => ({
    table: { schema: 'public', name },
    select_permissions: [
      {
        role: 'yes',
        permission: { columns: ['no', '1e3', '~', 'a: b', '# c'], filter: { a: { _eq: '0x1f' } } },
      },
    ],
  });
  const metadata = readMetadata({
    version: 3,
    sources: [
      {
        name: 'a/../b',
        tables: ['a b', 'a_b', 'A_B', '../up', 'ß'].map(table),
        configuration: { connection_info: { database_url: { from_env: 'X' } } },
      },
    ],
    custom_types: {
      objects: [{ name: 'O', description: 'says """this"""', fields: [{ name: 'f', type: '[Int!]!' }] }],
      enums: [{ name: 'E', values: [{ value: 'V', is_deprecated: true }] }],
    },
    actions: [
      {
        name: 'act',
        definition: {
          handler: 'http://act',
          output_type: 'O',
          arguments: [{ name: 'e', type: 'E', description: 'which' }],
        },
      },
    ],
  }).value;
  for (const [path, text] of metadataFolder(metadata)) folder.write(path, text);
  const { value, diagnostics } = readMetadataFile(folder.at());
  expect(diagnostics).toEqual([]);
  expect(exportMetadata(value)).toEqual(exportMetadata(metadata));
});

test('differences show their surroundings', () => {
  const before = ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h', ''].join('\n');
  expect(lineDifference(before, before.replace('f', 'F'))).toBe('  c\n  d\n  e\n- f\n+ F\n  g\n  h\n');
  expect(lineDifference('', 'a\n')).toBe('+ a\n');
  expect(lineDifference('a\nb\nc\n', 'b\nc\nd\n')).toBe('- a\n  b\n  c\n+ d\n');
});
