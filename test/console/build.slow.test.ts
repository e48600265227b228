/**
 * The way of a first use in a real Chromium, with the buttons of the console only: track, relate, a role with rule and preset, what it would do,
 * apply, and take it along. The folder that git makes of the patch compiles to what is served.
 */
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { metadataFolder } from '../../compiler/cli/metadata-folder.ts';
import { readMetadata, readMetadataFile } from '../../compiler/phases/1-read/index.ts';
import { exportMetadata } from '../../runtime/metadata/export-metadata.ts';
import { createTestDatabase, type TestDatabase } from '../harness/postgres.ts';
import { send, startTestServer, type TestServer } from '../harness/server.ts';
import { hasChromium, launch } from './browser.ts';
import { openOperatorPage } from './operator-page.ts';

const SECRET = 'secret of the test of a first use';
const HEADERS = { 'x-engine-admin-secret': SECRET };
const SCHEMA = `
  create table customer (id int primary key, name text not null, email text);
  create table invoice (
    id int primary key generated always as identity, customer_id int not null references customer, total int, status text
  );
  create view open_invoice as select * from invoice where status = 'open';
  create function invoices_above(minimum int) returns setof invoice language sql stable as
    'select * from invoice where total >= minimum';
  create function is_large(of invoice) returns boolean language sql stable as 'select of.total >= 15';
  insert into customer values (1, 'Ada', 'ada@example.org'), (2, 'Brook', null);
  insert into invoice (customer_id, total, status) values (1, 10, 'open'), (2, 20, 'open');`;

describe.skipIf(!hasChromium)('building with the console', () => {
  let database: TestDatabase;
  let server: TestServer;
  let reader: TestServer;
  let browser: Browser;
  let folder: string;

  beforeAll(async () => {
    database = await createTestDatabase(SCHEMA);
    const options = (mode: string) => ({ ENABLE_CONSOLE: 'true', ADMIN_SECRET: SECRET, CONSOLE_MODE: mode });
    server = await startTestServer(database, options('write'), { DATABASE_URL: database.url });
    reader = await startTestServer(database, options('read'), { DATABASE_URL: database.url });
    browser = await launch();
    folder = mkdtempSync(join(tmpdir(), 'engine-build-'));
  }, 120_000);
  afterAll(async () => {
    await browser?.close();
    await reader?.stop();
    await server?.stop();
    rmSync(folder, { recursive: true, force: true });
  });

  async function metadata(): Promise<object> {
    const body = { type: 'export_metadata', args: {} };
    return (await send(server, '/v1/metadata', { headers: HEADERS, body })).json as object;
  }

  const button = (page: Page, name: string | RegExp) => page.getByRole('button', { name, exact: true });
  const go = (page: Page, hash: string) => page.evaluate(`location.hash = ${JSON.stringify(hash)}`);

  /** The folder of the metadata, changed by the patch as git does. */
  function applied(before: object, patch: string): object {
    const place = mkdtempSync(join(folder, 'git-'));
    for (const [path, text] of metadataFolder(readMetadata(before).value)) {
      mkdirSync(dirname(join(place, path)), { recursive: true });
      writeFileSync(join(place, path), text);
    }
    execFileSync('git', ['init', '--quiet'], { cwd: place });
    writeFileSync(join(folder, 'engine.patch'), patch);
    execFileSync('git', ['apply', join(folder, 'engine.patch')], { cwd: place });
    const { value, diagnostics } = readMetadataFile(place);
    expect(diagnostics).toEqual([]);
    return exportMetadata(value);
  }

  test('a first use, from an empty model to a patch', { timeout: 180_000 }, async () => {
    const before = await metadata();
    await openOperatorPage(
      browser,
      server,
      { hash: '#/model', secret: SECRET },
      async ({ page, operations }) => {
        await button(page, 'Track all 3').click();
        await button(page, 'Accept all 2').click();
        await button(page, 'Track invoices_above').click();
        await page.getByRole('link', { name: 'invoice', exact: true }).click();
        // Nothing is stored yet.
        expect(await metadata()).toEqual(before);

        await page.getByLabel('New role').fill('customer');
        await button(page, 'Edit its permissions').click();
        await page.getByLabel('customer may select rows of invoice').check();
        await button(page, 'all').click();
        await page.getByRole('checkbox', { name: 'status text' }).uncheck();
        await page.getByLabel('Add a condition on invoice').selectOption({ label: 'customer_id (int4)' });
        await page.getByLabel('Value of customer_id', { exact: true }).fill('x-engine-user-id');
        const json = page.getByLabel('The permission as JSON');
        await expect
          .poll(async () => JSON.parse(await json.inputValue()))
          .toEqual({
            columns: ['id', 'customer_id', 'total'],
            filter: { customer_id: { _eq: 'x-engine-user-id' } },
          });
        // The other way.
        await json.fill(
          JSON.stringify({
            columns: ['id', 'customer_id', 'total'],
            filter: { customer_id: { _eq: 'x-engine-user-id' }, total: { _gte: 0 } },
            limit: 5,
          }),
        );
        await expect.poll(() => page.getByLabel('Value of total').inputValue()).toBe('0');
        await expect.poll(() => page.getByLabel('at most').inputValue()).toBe('5');
        await button(page, 'Preview').click();
        const preview = page.getByRole('region', { name: 'Preview' });
        await preview.getByText('limit 5').first().waitFor();
        await preview.getByText('wider').first().waitFor();
        await preview.getByText('generated/roles/customer.txt').waitFor();
        await button(page, 'Keep the change').click();

        await page.getByRole('group', { name: 'Operations' }).getByRole('link', { name: 'insert' }).click();
        await page.getByLabel('customer may insert rows of invoice').check();
        await page.getByRole('checkbox', { name: 'total int4' }).check();
        await page.getByLabel('Add a preset').selectOption({ label: 'customer_id (int4)' });
        await page.getByLabel('Preset of customer_id', { exact: true }).fill('x-engine-user-id');
        await button(page, 'Keep the change').click();

        await page.getByRole('link', { name: 'Review and apply 5 changes' }).click();
        await button(page, 'Apply').click();
        await page.getByText('The changes are applied and served.').waitFor();
        expect(operations().filter((type) => type === 'bulk')).toEqual(['bulk']);

        const patch = button(page, 'Download engine.patch');
        await patch.waitFor();
        const [download] = await Promise.all([page.waitForEvent('download'), patch.click()]);
        expect(download.suggestedFilename()).toBe('engine.patch');
        const text = readFileSync(await download.path(), 'utf8');
        expect(applied(before, text)).toEqual(await metadata());
        await page.getByLabel('the whole folder').check();
      },
    );
    const user = { 'x-engine-role': 'customer', 'x-engine-user-id': '1', ...HEADERS };
    const ask = async (query: string) =>
      (await send(server, '/v1/graphql', { headers: user, body: { query } })).json;
    expect(await ask('mutation { insert_invoice_one(object: {total: 7}) { customer_id } }')).toEqual({
      data: { insert_invoice_one: { customer_id: 1 } },
    });
    expect(await ask('{ invoice(order_by: {id: asc}) { total } }')).toEqual({
      data: { invoice: [{ total: 10 }, { total: 7 }] },
    });
  });

  test('a computed field, and a relationship without a foreign key', { timeout: 60_000 }, async () => {
    await openOperatorPage(
      browser,
      server,
      { hash: '#/model/default/public/invoice', secret: SECRET },
      async ({ page }) => {
        await page.getByLabel('Name of the field of is_large').fill('large');
        await button(page, 'Add is_large').click();
        await page.getByText('Relationship without a foreign key').click();
        await page.getByLabel('Name of the field', { exact: true }).fill('payer');
        await page.getByRole('combobox', { name: /^Of the table/ }).selectOption({ label: 'customer' });
        await page.getByLabel('Column of invoice').selectOption('customer_id');
        await page.getByLabel('Column of customer').selectOption('id');
        await button(page, 'Keep the relationship').click();
        await page.getByRole('link', { name: 'Review and apply 2 changes' }).click();
        await button(page, 'Apply').click();
        await page.getByText('The changes are applied and served.').waitFor();
      },
    );
    await openOperatorPage(browser, server, { hash: '#/model', secret: SECRET }, async ({ page }) => {
      await page.getByText('Picture of the tracked tables').click();
      const picture = page.getByRole('region', { name: 'Picture' });
      await picture.getByRole('link', { name: 'open_invoice' }).waitFor();
      // Foreign key and relationship are one line.
      expect(await picture.locator('path').count()).toBe(1);
      await picture.getByRole('link', { name: 'customer', exact: true }).click();
      await page.getByRole('heading', { level: 1, name: 'Access' }).waitFor();
    });
    const body = { query: '{ invoice(order_by: {id: asc}, limit: 2) { large payer { name } } }' };
    expect((await send(server, '/v1/graphql', { headers: HEADERS, body })).json).toEqual({
      data: {
        invoice: [
          { large: false, payer: { name: 'Ada' } },
          { large: true, payer: { name: 'Brook' } },
        ],
      },
    });
  });

  test('a change of somebody else is shown, and nothing is applied', { timeout: 120_000 }, async () => {
    await openOperatorPage(
      browser,
      server,
      { hash: '#/model/default/public/invoice', secret: SECRET },
      async ({ page }) => {
        await page.getByLabel('Name of the table in the API').fill('bill');
        await button(page, 'Keep the names').click();
        await page.getByRole('link', { name: 'Review and apply 1 change' }).click();
        await button(page, 'Apply').waitFor();
        const args = { source: 'default', table: 'customer', configuration: { custom_name: 'client' } };
        const body = { type: 'pg_set_table_customization', args };
        expect((await send(server, '/v1/metadata', { headers: HEADERS, body })).status).toBe(200);
        await button(page, 'Apply').click();
        const other = page.getByRole('region', { name: 'The other change' });
        await other.getByText('custom_name: client').waitFor();
        expect(JSON.stringify(await metadata())).not.toContain('bill');
        await button(page, 'Review my changes on top of it').click();
        await button(page, 'Apply').click();
        await page.getByText('The changes are applied and served.').waitFor();
        expect(JSON.stringify(await metadata())).toContain('"custom_name":"bill"');
      },
    );
  });

  test('a change that does not work says why, and can be undone', { timeout: 120_000 }, async () => {
    await openOperatorPage(
      browser,
      server,
      { hash: '#/model/default/public/customer/r/select', secret: SECRET },
      async ({ page }) => {
        await page.getByLabel('r may select rows of customer').check();
        const json = page.getByLabel('The permission as JSON');
        await json.fill('{"columns": ["nothing"], ');
        await page.getByText('This is not JSON').waitFor();
        expect(await button(page, 'Preview').isDisabled()).toBe(true);
        await json.fill('{"columns": ["nothing"], "filter": {}}');
        await button(page, 'Preview').click();
        await page.getByRole('alert').filter({ hasText: '"nothing"' }).waitFor();
        await button(page, 'Keep the change').click();
        await go(page, '#/changes');
        await page.getByRole('alert').filter({ hasText: '"nothing"' }).waitFor();
        expect(await button(page, 'Apply').count()).toBe(0);
        await button(page, 'Undo: select permission of r on customer').click();
        await page.getByText('Nothing is waiting to be applied.').waitFor();
      },
    );
  });

  test('a check of deleted rows is switched on and off', { timeout: 120_000 }, async () => {
    // Another test may have tracked it.
    const body = { type: 'pg_track_table', args: { source: 'default', table: 'customer' } };
    await send(server, '/v1/metadata', { headers: HEADERS, body });
    await openOperatorPage(
      browser,
      server,
      { hash: '#/model/default/public/customer/r/delete', secret: SECRET },
      async ({ page }) => {
        await page.getByLabel('r may delete rows of customer').check();
        const json = page.getByLabel('The permission as JSON');
        const written = async () => JSON.parse(await json.inputValue());
        await expect.poll(written).toEqual({ filter: {} });
        const check = page.getByLabel('check rows before they are deleted (extension)');
        await check.check();
        await expect.poll(written).toEqual({ filter: {}, check: {} });
        await page.getByLabel('Add a condition on customer').last().selectOption({ label: 'name (text)' });
        await page.getByLabel('Value of name', { exact: true }).fill('Ada');
        await expect.poll(written).toEqual({ filter: {}, check: { name: { _eq: 'Ada' } } });
        await button(page, 'Preview').click();
        await page.getByRole('region', { name: 'Preview' }).getByText('check').first().waitFor();
        await check.uncheck();
        await expect.poll(written).toEqual({ filter: {} });
      },
    );
  });

  test('without write it shows the same, and has no button that changes anything', {
    timeout: 120_000,
  }, async () => {
    await expect
      .poll(async () => {
        const body = { type: 'export_metadata', args: {} };
        return JSON.stringify((await send(reader, '/v1/metadata', { headers: HEADERS, body })).json);
      })
      .toContain('"bill"');
    const names = /Track|Untrack|Accept|Keep|Preview|Drop|Apply|Serve/;
    for (const hash of [
      '#/model',
      '#/model/default/public/invoice',
      '#/model/default/public/invoice/customer/insert',
    ])
      await openOperatorPage(browser, reader, { hash, secret: SECRET }, async ({ page }) => {
        await page.locator('main').getByText('customer').first().waitFor();
        await expect.poll(() => page.getByRole('status').filter({ hasText: '…' }).count()).toBe(0);
        expect(await page.getByRole('button', { name: names }).count()).toBe(0);
      });
  });
});
