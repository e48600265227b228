/** The console in a real Chromium: what it shows is what the API does, and it loads and changes nothing else. */
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { metadataOf } from '../harness/metadata.ts';
import { createTestDatabase } from '../harness/postgres.ts';
import { replaceMetadata, send, startTestServer, type TestServer } from '../harness/server.ts';
import { hasChromium, launch, openConsole } from './browser.ts';

const SECRET = 'secret of the console test';
const HOSTILE = '<img src=x onerror=alert(1)>';

const allowed = (columns: readonly string[], filter: object = {}) => ({ columns, filter });
const METADATA = metadataOf([
  {
    table: 'customer',
    select_permissions: [
      { role: 'manager', permission: { ...allowed(['id', 'name', 'email']), allow_aggregations: true } },
      { role: 'clerk', permission: allowed(['id', 'name'], { id: { _eq: 'X-Engine-User-Id' } }) },
    ],
    insert_permissions: [{ role: 'manager', permission: { columns: ['name', 'email'], check: {} } }],
    delete_permissions: [{ role: 'manager', permission: { filter: { name: { _neq: HOSTILE } } } }],
  },
  {
    table: 'invoice',
    select_permissions: [{ role: 'clerk', permission: allowed(['id', 'total']) }],
    update_permissions: [
      { role: 'clerk', permission: { columns: ['total'], filter: { total: { _gt: 0 } } } },
    ],
  },
  { table: 'note', select_permissions: [{ role: HOSTILE, permission: allowed(['id']) }] },
]);

describe.skipIf(!hasChromium)('the console', () => {
  let server: TestServer;
  let browser: Browser;

  beforeAll(async () => {
    const database = await createTestDatabase(`
      create table customer (id serial primary key, name text, email text);
      create table invoice (id serial primary key, total int);
      create table note (id serial primary key);`);
    const options = { ENABLE_CONSOLE: 'true', ADMIN_SECRET: SECRET };
    server = await startTestServer(database, options, { DATABASE_URL: database.url });
    await replaceMetadata(server, METADATA, { 'x-engine-admin-secret': SECRET });
    browser = await launch();
  }, 120_000);
  afterAll(async () => {
    await browser?.close();
    await server?.stop();
  });

  test('without permission to write it has no buttons, and reads only', async () => {
    const place = { hash: '#/inconsistencies', secret: SECRET };
    await openConsole(browser, server, place, async ({ page, requests }) => {
      await page.getByText('Everything in the metadata is served.').waitFor();
      for (const name of ['Overview', 'Access', 'Events', 'Remote schemas', 'Operations']) {
        await page.getByRole('link', { name, exact: true }).click();
        await page.getByRole('heading', { level: 1, name }).waitFor();
        const buttons = await page.getByRole('button').allInnerTexts();
        expect(buttons.filter((name) => !/^(Refresh|Compare with a file …)$/.test(name))).toEqual([
          'Copy as JSON',
        ]);
      }
      const sent = requests
        .filter((each) => each.startsWith('POST'))
        .flatMap((each) => /"type":"(\w+)"/.exec(each)?.[1] ?? []);
      expect(sent.filter((type) => !/^(export|(pg_)?get)_/.test(type))).toEqual([]);
    });
  });

  test('a defect of a page leaves the others', async () => {
    await openConsole(
      browser,
      server,
      { hash: '', secret: SECRET },
      async ({ page }) => {
        await page.route('**/engine/console/remotes', (route) => route.fulfill({ json: [null] }));
        await page.getByRole('link', { name: 'Remote schemas' }).click();
        await page.getByRole('alert').waitFor();
        await page.getByRole('link', { name: 'Access' }).click();
        await page.getByRole('rowheader', { name: 'customer' }).waitFor();
      },
      () => true,
    );
  });

  test('a long list begins with its first lines, and a search finds the others', async () => {
    await openConsole(browser, server, { hash: '', secret: SECRET }, async ({ page }) => {
      const operations = Array.from({ length: 10_000 }, (_, index) => ({
        ...{ collection: 'shop', name: `operation_${index}`, kind: 'query', roles: ['clerk'], endpoints: [] },
      }));
      await page.route('**/engine/console/operations', (route) => route.fulfill({ json: { operations } }));
      await page.getByRole('link', { name: 'Operations' }).click();
      await page.getByText('The first 200 of 10000.').waitFor();
      expect(await page.getByRole('rowheader').count()).toBe(200);
      await page.getByLabel('Operations').first().fill('Operation_9999');
      await page.getByRole('link', { name: 'operation_9999' }).waitFor();
      expect(await page.getByRole('rowheader').count()).toBe(1);
    });
  });

  test('it says that the server does not answer, and copies without a clipboard', async () => {
    await openConsole(
      browser,
      server,
      { hash: '', secret: SECRET },
      async ({ page }) => {
        // As browsers have it for pages of other computers without https.
        await page.evaluate('delete Navigator.prototype.clipboard');
        await page.getByRole('button', { name: 'Copy as JSON' }).click();
        await page.getByRole('button', { name: 'Copied' }).waitFor();
        await page.route('**/engine/**', (route) => route.abort());
        await page.getByRole('link', { name: 'Access' }).click();
        await page.getByRole('alert').getByText('The server does not answer.').waitFor();
        await page.unroute('**/engine/**');
        await page.route('**/engine/**', (route) => route.fulfill({ status: 502, body: '<html>' }));
        await page.getByRole('button', { name: 'Refresh' }).click();
        await page.getByRole('alert').getByText('The answer has status 502').waitFor();
      },
      (complaint) => complaint.startsWith('Failed to load resource'),
    );
  });

  test('without the secret it shows nothing', async () => {
    const page = await browser.newPage();
    await page.goto(`http://127.0.0.1:${server.port}/console#/access`);
    await page.getByLabel('Admin secret').fill('another one');
    await page.getByRole('button', { name: 'Open' }).click();
    await page.getByText('The server said').waitFor();
    expect(await page.getByText('customer').count()).toBe(0);
    await page.close();
    for (const path of [
      '/engine/console/state',
      '/engine/console/access',
      '/engine/console/detail?kind=table&source=default&name=public.customer',
      '/engine/console/places?kind=table&source=default&name=public.customer',
      '/engine/console/variables?role=clerk',
      '/engine/console/matrix',
      '/engine/console/operations',
      '/engine/console/who?source=default&table=public.customer&column=id',
    ])
      expect((await send(server, path, { method: 'GET' })).status).toBe(401);
    for (const path of ['/engine/console/difference', '/engine/console/table'])
      expect((await send(server, path, { body: {} })).status).toBe(401);
  });
});
