import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { run } from '../../../compiler/cli/cli.ts';
import { environmentVariables } from '../../../compiler/cli/environment.ts';
import { readMetadata, readMetadataFile } from '../../../compiler/phases/1-read/index.ts';
import { PROJECTS } from '../../harness/public-cases.ts';

test('addresses, certificates and headers name variables', () => {
  const info = {
    database_url: 'postgres://{{USER}}@{{ HOST }}/x',
    ssl_configuration: { sslmode: 'verify-full', sslrootcert: { from_env: 'CA' } },
  };
  const { value } = readMetadata({
    version: 3,
    sources: [
      {
        name: 'default',
        kind: 'postgres',
        configuration: { connection_info: info, read_replicas: [{ database_url: { from_env: 'REPLICA' } }] },
        tables: [
          {
            table: 'a',
            event_triggers: [
              {
                name: 'created',
                definition: { insert: { columns: '*' } },
                retry_conf: { num_retries: 0, interval_sec: 10 },
                webhook_from_env: 'HOOK',
                headers: [{ name: 'X', value_from_env: 'TOKEN' }],
              },
            ],
          },
        ],
      },
    ],
    remote_schemas: [
      {
        name: 'r',
        definition: { url_from_env: 'REMOTE', headers: [{ name: 'A', value_from_env: 'TOKEN' }] },
      },
    ],
  });
  const found = environmentVariables(value);
  expect(found.map(({ name }) => name)).toEqual(['CA', 'HOOK', 'HOST', 'REMOTE', 'REPLICA', 'TOKEN', 'USER']);
  expect(found.find(({ name }) => name === 'TOKEN')!.users).toEqual([
    ['sources', 0, 'tables', 0, 'event_triggers', 0, 'headers', 0],
    ['remote_schemas', 0, 'definition', 'headers', 0],
  ]);
});

test.skipIf(!existsSync(PROJECTS))('the real projects need what their own records say', () => {
  for (const name of readdirSync(PROJECTS).filter((each) => existsSync(join(PROJECTS, each, 'case.json')))) {
    const { environment } = JSON.parse(readFileSync(join(PROJECTS, name, 'case.json'), 'utf8'));
    const { database_urls, templates, values } = environment as Record<string, string[]>;
    const found = environmentVariables(readMetadataFile(join(PROJECTS, name, 'metadata.json')).value);
    expect(
      found.map(({ name: variable }) => variable),
      name,
    ).toEqual([...database_urls!, ...templates!, ...values!].sort());
  }
});

test('--check-environment makes a variable that is not set an error, with its place', async () => {
  const metadata = fileURLToPath(new URL('../../../examples/helpdesk/metadata', import.meta.url));
  let said = '';
  const status = await run(['compile', '--metadata', metadata, '--out', '/nowhere', '--check-environment'], {
    environment: {},
    stdout: () => {},
    stderr: (text) => {
      said += text;
    },
  });
  expect(status).toBe(1);
  expect(said).toMatch(
    /environment-variable-missing {2}sources\.default\S* {2}\S*databases\.yaml:\d+:\d+\n {2}The environment variable ENGINE_GRAPHQL_DATABASE_URL is not set/,
  );
});
