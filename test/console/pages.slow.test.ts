/** The console's pages for operators in a real Chromium: each says what the API and the databases say, and its buttons do what they say. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { lockText } from '../../runtime/remote/lock.ts';
import {
  copied,
  hasChromium,
  launchChromium,
  type OpenConsole,
  withConsole,
} from '../harness/console-page.ts';
import { freePort } from '../harness/free-port.ts';
import { metadataOf } from '../harness/metadata.ts';
import { createTestDatabase, type TestDatabase } from '../harness/postgres.ts';
import { type RemoteServer, startRemoteServer } from '../harness/remote-server.ts';
import { confidential, leaks, send, startTestServer, type TestServer } from '../harness/server.ts';
import { startWebhook, type WebhookReceiver } from '../harness/webhook.ts';

const SECRET = 'secret of the operator pages';
const HEADER_SECRET = 'header value from the environment';
const SIGNING_SECRET = `whsec_${Buffer.from('signs the calls of webhooks').toString('base64')}`;
const ADMIN = { 'x-engine-admin-secret': SECRET };
const LOCKED = 'type Query {\n  capital(code: String!): String\n  name(code: String!): String\n}\n';

describe.skipIf(!hasChromium)('the pages for operators', () => {
  let database: TestDatabase;
  let webhook: WebhookReceiver;
  let countries: RemoteServer;
  let folder: string;
  let browser: Browser;
  const servers: Partial<Record<'read' | 'write', TestServer>> = {};

  beforeAll(async () => {
    confidential.add(HEADER_SECRET).add(SIGNING_SECRET);
    database = await createTestDatabase(
      "create table item (id serial primary key, name text, price int); insert into item (name, price) values ('one', 1);",
    );
    webhook = await startWebhook((call, response) => {
      if (call.path === '/failing') response.writeHead(500);
      response.end('{"message":"the handler fails"}');
    });
    countries = await startRemoteServer(LOCKED, {});
    folder = mkdtempSync(join(tmpdir(), 'engine-locks-'));
    writeFileSync(join(folder, 'countries.graphql'), lockText('countries', LOCKED));
    const variables = {
      DATABASE_URL: database.url,
      HOOKS_SECRET: HEADER_SECRET,
      SIGNING_SECRET,
      HOOKS_URL: webhook.url,
    };
    for (const mode of ['write', 'read'] as const)
      servers[mode] = await startTestServer(
        database,
        {
          ENABLE_CONSOLE: 'true',
          CONSOLE_MODE: mode,
          ADMIN_SECRET: SECRET,
          EVENTS_FETCH_INTERVAL: '100',
          ENABLE_REMOTE_SCHEMA_PERMISSIONS: 'true',
          REMOTE_SCHEMAS_DIR: folder,
          ENABLED_APIS: 'metadata,graphql,metrics',
        },
        variables,
      );
    const metadata = await storedMetadata();
    const args = { metadata, allow_inconsistent_metadata: true };
    await ask('replace_metadata', args, 2);
    browser = await launchChromium();
  }, 120_000);
  afterAll(async () => {
    await browser?.close();
    for (const server of Object.values(servers)) await server.stop();
    await countries?.stop();
    await webhook?.close();
    rmSync(folder, { recursive: true, force: true });
    expect(leaks()).toEqual([]);
  });

  async function storedMetadata() {
    const hook = (path: string) => ({
      webhook: `{{HOOKS_URL}}${path}`,
      headers: [{ name: 'X-Secret', value_from_env: 'HOOKS_SECRET' }],
      retry_conf: { num_retries: 0, interval_sec: 1, timeout_sec: 5 },
    });
    const trigger = (name: string, path: string, columns: readonly string[]) => ({
      name,
      definition: { enable_manual: true, update: { columns } },
      ...hook(path),
      signing: { secrets_from_env: ['SIGNING_SECRET'] },
    });
    return metadataOf(
      [
        {
          table: 'item',
          select_permissions: [
            { role: 'clerk', permission: { columns: ['id', 'name'], filter: {} } },
            { role: 'broken', permission: { columns: ['id', 'colour'], filter: {} } },
          ],
          event_triggers: [
            trigger('accepted', '/accepted', ['name']),
            trigger('refused', '/failing', ['name']),
            trigger('waiting', '/accepted', ['price']),
          ],
        },
      ],
      {
        remote_schemas: [
          {
            name: 'countries',
            definition: {
              url: countries.url,
              headers: [{ name: 'X-Secret', value_from_env: 'HOOKS_SECRET' }],
            },
            permissions: [
              { role: 'clerk', definition: { schema: 'type Query { capital(code: String!): String }' } },
            ],
          },
          {
            name: 'away',
            definition: { url: `http://127.0.0.1:${await freePort()}/graphql`, timeout_seconds: 2 },
          },
        ],
      },
    );
  }

  /** An operation that succeeds; on the server that may write unless another is given. */
  async function ask<Answer>(
    type: string,
    args: object = {},
    version?: number,
    mode: 'read' | 'write' = 'write',
  ) {
    const body = { type, args, ...(version && { version }) };
    const { json, status } = await send(servers[mode]!, '/v1/metadata', { headers: ADMIN, body });
    expect([type, status, status === 200 ? '' : json]).toEqual([type, 200, '']);
    return json as Answer;
  }
  const askReader = <Answer>(type: string, args: object = {}) => ask<Answer>(type, args, undefined, 'read');

  const open = (mode: 'read' | 'write', hash: string, run: (console: OpenConsole) => Promise<void>) =>
    withConsole(browser, servers[mode]!, SECRET, hash, run);

  test('lists what is not served as the metadata API does, with places', { timeout: 60_000 }, async () => {
    const listed = await askReader<{ name: string; reason: string }[]>('get_inconsistent_metadata');
    expect(listed.length).toBeGreaterThan(1);
    await open('read', '#/inconsistencies', async ({ page, operations }) => {
      await page.getByText('colour').first().waitFor();
      const headings = await page.locator('section h2').allInnerTexts();
      expect(headings).toEqual(listed.map(({ name }) => expect.stringContaining(name)));
      for (const { reason } of listed) await page.getByText(reason, { exact: true }).first().waitFor();
      await page
        .getByText('metadata.sources[0].tables[0].select_permissions[0].permission.columns')
        .waitFor();
      expect(await page.getByRole('button').allInnerTexts()).toEqual(['Refresh', 'Copy as JSON']);
      expect(await copied(page)).toEqual({
        inconsistencies: listed.map((each) => expect.objectContaining(each)),
      });
      expect(operations()).toEqual([]);
    });
  });

  test('reloads and drops what is not served', { timeout: 60_000 }, async () => {
    const before = await ask('export_metadata');
    await open('write', '#/inconsistencies', async ({ page, operations }) => {
      await database.query('alter table item add colour text');
      await page.getByRole('button', { name: 'Reload default' }).first().click();
      await page.getByText('colour').first().waitFor({ state: 'detached' });
      await database.query('alter table item drop colour');
      await page.getByRole('button', { name: 'Reload all' }).click();
      await page.getByText('colour').first().waitFor();
      await page.getByRole('button', { name: 'Drop all' }).click();
      await page.getByText(/Remove these \d+ objects from the metadata/).waitFor();
      expect(operations()).toEqual(['reload_metadata', 'reload_metadata']);
      await page.getByRole('button', { name: 'Yes' }).click();
      await page.getByText('Everything in the metadata is served.').waitFor();
    });
    expect(await ask('get_inconsistent_metadata')).toEqual([]);
    await ask('replace_metadata', { metadata: before, allow_inconsistent_metadata: true }, 2);
  });
});
