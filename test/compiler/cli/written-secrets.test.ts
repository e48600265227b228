/** What `engine metadata export` says of secrets that are written out: places and remedies, never the secret. */
import { expect, test } from 'vitest';
import { writtenSecrets } from '../../../compiler/cli/written-secrets.ts';
import { exportMetadata, readMetadata } from '../../../compiler/phases/1-read/index.ts';
import type { JsonObject } from '../../../runtime/metadata/metadata.ts';
import { createOrigin } from '../../../runtime/metadata/origin.ts';

function found(document: JsonObject): string[] {
  const { value, diagnostics } = readMetadata({ version: 3, sources: [], ...document });
  expect(diagnostics.filter(({ severity }) => severity === 'error')).toEqual([]);
  const exported = exportMetadata(value);
  return writtenSecrets(exported).map(({ path }) => createOrigin(exported, () => undefined).describe(path));
}

const source = (database_url: unknown, more: object = {}) => ({
  sources: [
    {
      name: 'default',
      kind: 'postgres',
      tables: [],
      configuration: { connection_info: { database_url }, ...more },
    } as unknown as JsonObject,
  ],
});
const URL_PLACE = 'sources.default.configuration.connection_info.database_url';

test.each([
  ['postgres://u:hidden@localhost/shop', [URL_PLACE]],
  ['postgresql://u:hid%40den@[::1]:5432/shop', [URL_PLACE]],
  ['postgres://:hidden@localhost/shop', [URL_PLACE]],
  ['postgres://localhost/shop?user=u&password=hidden', [URL_PLACE]],
  ['host=localhost password=hidden', [URL_PLACE]],
  ["host=localhost password = 'hidden'", [URL_PLACE]],
  ['postgres://u:{{PASSWORD}}x@localhost/shop', [URL_PLACE]],
  [
    { connection_parameters: { host: 'h', port: 5432, username: 'u', database: 'd', password: 'hidden' } },
    [`${URL_PLACE}.connection_parameters.password`],
  ],
  [{ connection_parameters: { host: 'h', port: 5432, username: 'u', database: 'd' } }, []],
  ['postgres://u@localhost/shop', []],
  ['postgres://localhost/shop', []],
  ['postgres://u:{{PASSWORD}}@localhost/shop', []],
  ['{{DATABASE_URL}}', []],
  ['postgres://localhost/shop?password={{PASSWORD}}', []],
  [{ from_env: 'DATABASE_URL' }, []],
  [{ dynamic_from_file: '/run/secrets/url' }, []],
])('the address %j', (address, places) => {
  expect(found(source(address))).toEqual(places);
});

test('of a replica', () => {
  const replica = { database_url: 'postgres://u:hidden@replica/shop' };
  expect(found(source({ from_env: 'X' }, { read_replicas: [replica] }))).toEqual([
    'sources.default.configuration.read_replicas[0].database_url',
  ]);
});

const cron = (definition: object) => ({
  cron_triggers: [
    {
      name: 'nightly',
      schedule: '0 0 * * *',
      webhook: 'https://hook.example',
      ...definition,
      include_in_metadata: true,
    },
  ] as unknown as JsonObject[],
});

test.each([
  [{ name: 'Authorization', value: 'Bearer hidden' }, 1],
  [{ name: 'X-Api-Key', value: 'hidden' }, 1],
  [{ name: 'x-webhook-secret', value: 'hidden' }, 1],
  [{ name: 'Cookie', value: 'session=hidden' }, 1],
  [{ name: 'Authorization', value: 'Bearer {{TOKEN}}' }, 0],
  [{ name: 'Authorization', value_from_env: 'TOKEN' }, 0],
  [{ name: 'X-Tenant', value: 'acme' }, 0],
  [{ name: 'Accept', value: 'application/json' }, 0],
])('the header %j', (header, count) => {
  expect(found(cron({ headers: [header] }))).toHaveLength(count);
});

test('a webhook with a password in its address', () => {
  expect(found(cron({ webhook: 'https://u:hidden@hook.example/x' }))).toEqual([
    'cron_triggers.nightly.webhook',
  ]);
  expect(found(cron({ webhook: 'https://u:{{HOOK}}@hook.example/x' }))).toEqual([]);
  expect(found(cron({ webhook: 'https://hook.example/a:b@c' }))).toEqual([]);
});
