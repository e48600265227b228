/** The console in a real Chromium: what it shows is what the API does, and it loads and changes nothing else. */
import { existsSync } from 'node:fs';
import { type Browser, chromium, type Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { metadataOf } from '../harness/metadata.ts';
import { createTestDatabase } from '../harness/postgres.ts';
import { replaceMetadata, send, startTestServer, type TestServer } from '../harness/server.ts';

const CHROMIUM = process.env.ENGINE_TEST_CHROMIUM ?? '/usr/bin/chromium';
const hasChromium = existsSync(CHROMIUM);
if (!hasChromium) console.log('Chromium is not installed (Debian: chromium): the console is not tested');

const SECRET = 'secret of the console test';
const HOSTILE = '<img src=x onerror=alert(1)>';
const ROLES = ['clerk', 'guest', 'manager'];
const TABLES = ['customer', 'invoice', 'note'];

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
    // As root the sandbox cannot be set up.
    const args = ['--disable-dev-shm-usage', ...(process.getuid?.() === 0 ? ['--no-sandbox'] : [])];
    browser = await chromium.launch({ executablePath: CHROMIUM, args });
  }, 120_000);
  afterAll(async () => {
    await browser?.close();
    await server?.stop();
  });

  /** Opens the console at an address behind `#`, and fails the test for whatever the browser complains of. */
  async function open(hash: string, run: (page: Page, requests: string[]) => Promise<void>) {
    const page = await browser.newPage();
    const complaints: string[] = [];
    const requests: string[] = [];
    page.on('console', (message) => {
      // The first request is refused: that is how the page learns that a secret is needed.
      if (!message.text().includes('401')) complaints.push(message.text());
    });
    page.on('pageerror', (error) => complaints.push(error.message));
    page.on('dialog', (dialog) => complaints.push(`a dialog: ${dialog.message()}`));
    page.on('request', (request) =>
      requests.push(`${request.method()} ${request.url()} ${request.postData() ?? ''}`),
    );
    await page.goto(`http://127.0.0.1:${server.port}/console${hash}`);
    await page.getByLabel('Admin secret').fill(SECRET);
    await page.getByRole('button', { name: 'Open' }).click();
    await page.getByRole('navigation').waitFor();
    await run(page, requests);
    expect(complaints).toEqual([]);
    expect(requests.filter((each) => !each.includes(`//127.0.0.1:${server.port}/`))).toEqual([]);
    await page.close();
  }

  /** The letters of a cell, read where they stand: in the line and the column of their names. */
  async function shownAt(page: Page, table: string, role: string): Promise<string> {
    const box = async (name: string, kind: 'rowheader' | 'columnheader') => {
      const found = page.getByRole(kind, {
        name: new RegExp(`^${name.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')}`),
      });
      return (await found.boundingBox())!;
    };
    const [row, column] = [await box(table, 'rowheader'), await box(role, 'columnheader')];
    const [x, y] = [column.x + column.width / 2, row.y + row.height / 2];
    // As text: the types of these tests are not those of a browser.
    const at = `document.elementFromPoint(${x}, ${y})`;
    const text: string = await page.evaluate(`${at}?.closest('[role=gridcell]')?.textContent ?? 'no cell'`);
    return text.replaceAll('·', '-');
  }

  /** What the API offers to the role, in the same letters without the distinction of rules. */
  async function answered(table: string, role: string): Promise<string> {
    const headers = { 'x-engine-admin-secret': SECRET, 'x-engine-role': role, 'x-engine-user-id': '1' };
    const query = '{ __schema { queryType { fields { name } } mutationType { fields { name } } } }';
    const { json } = await send(server, '/v1/graphql', { headers, body: { query } });
    const { queryType, mutationType } = (
      json as { data: { __schema: Record<string, { fields: { name: string }[] } | null> } }
    ).data.__schema;
    const names = [...(queryType?.fields ?? []), ...(mutationType?.fields ?? [])].map(({ name }) => name);
    return [table, `insert_${table}`, `update_${table}`, `delete_${table}`]
      .map((field, index) => (names.includes(field) ? 'siud'[index]! : '-'))
      .join('');
  }

  test('every cell of the matrix is what the API answers', { timeout: 120_000 }, async () => {
    await open('#/access', async (page) => {
      await page.getByRole('rowheader', { name: 'customer' }).waitFor();
      for (const table of TABLES) {
        for (const role of [...ROLES.filter((name) => name !== 'guest'), HOSTILE]) {
          const shown = await shownAt(page, table, role);
          expect([table, role, shown.toLowerCase()]).toEqual([table, role, await answered(table, role)]);
        }
      }
      expect(await shownAt(page, 'customer', 'manager')).toBe('SI-d');
      expect(await shownAt(page, 'customer', 'clerk')).toBe('s---');
    });
  });

  test('a cell shows the rule, the columns and the place of a permission', { timeout: 120_000 }, async () => {
    await open('#/access/default/public.customer/clerk', async (page) => {
      const detail = page.getByRole('complementary');
      await detail.getByText('access.ts').waitFor();
      const text = await detail.textContent();
      expect(text).toMatch(/generated\/\S+:\d+/);
      expect(text).toMatch(/id = .*user-id/i);
      expect(await detail.locator('.chip.hidden').allInnerTexts()).toEqual(['email']);
    });
  });

  test('a column leads to everybody who can use it', { timeout: 120_000 }, async () => {
    await open('#/who/default/public.customer/email', async (page) => {
      await page.getByRole('heading', { name: 'manager' }).waitFor();
      const headings = await page.locator('section h2').allInnerTexts();
      // Whoever reads the email, and nobody else.
      expect(headings).toEqual(['manager']);
    });
  });

  test('differences of two roles are the lines that differ', { timeout: 120_000 }, async () => {
    await open('#/access/default/public.customer/manager', async (page) => {
      await page.getByRole('combobox').selectOption('clerk');
      await page.getByText('2 of 3 rows').waitFor();
    });
  });

  test('the search finds columns', { timeout: 120_000 }, async () => {
    await open('#/access', async (page) => {
      await page.getByLabel('Tables and columns').fill('TOTAL');
      await page.getByText('1 of 3 rows').waitFor();
      expect(await page.getByRole('rowheader').allInnerTexts()).toEqual([expect.stringContaining('invoice')]);
    });
  });

  test('without permission to write it has no buttons, and reads only', { timeout: 120_000 }, async () => {
    await open('#/inconsistencies', async (page, requests) => {
      await page.getByText('Everything in the metadata is served.').waitFor();
      for (const name of ['Overview', 'Access', 'Events', 'Remote schemas', 'Operations']) {
        await page.getByRole('link', { name, exact: true }).click();
        await page.getByRole('heading', { level: 1, name }).waitFor();
        const buttons = await page.getByRole('button').allInnerTexts();
        expect(buttons.filter((name) => name !== 'Refresh')).toEqual(['Copy as JSON']);
      }
      const sent = requests
        .filter((each) => each.startsWith('POST'))
        .flatMap((each) => /"type":"(\w+)"/.exec(each)?.[1] ?? []);
      expect(sent.filter((type) => !/^(export|(pg_)?get)_/.test(type))).toEqual([]);
    });
  });

  test('without the secret it shows nothing', { timeout: 120_000 }, async () => {
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
      '/engine/console/who?source=default&table=public.customer&column=id',
    ])
      expect((await send(server, path, { method: 'GET' })).status).toBe(401);
  });
});
