/**
 * The whole way of a first use in a real Chromium, with mouse and keyboard only: of an empty server all tables are tracked and related, two roles
 * get rules and presets, an action and an event trigger are made, rows are looked at and inserted as a role, and the metadata is
 * exported. What git makes of the patch compiles to what is served.
 */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Browser, Locator, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { engineIn } from '../harness/command-line.ts';
import { createTestDatabase, type TestDatabase } from '../harness/postgres.ts';
import { send, startTestServer, type TestServer } from '../harness/server.ts';
import { startWebhook, type WebhookReceiver } from '../harness/webhook.ts';
import { hasChromium, launch } from './browser.ts';
import { openOperatorPage } from './operator-page.ts';

const SECRET = 'secret of the test of the whole way';
const HEADERS = { 'x-engine-admin-secret': SECRET };
const SCHEMA = `
  create table customer (id int primary key generated always as identity, name text not null, email text);
  create table product (id int primary key generated always as identity, name text not null, price numeric not null);
  create table orders (
    id int primary key generated always as identity, customer_id int not null references customer,
    placed_at timestamptz not null default now(), status text not null default 'open'
  );
  create table order_line (
    order_id int references orders, product_id int references product, quantity int not null, primary key (order_id, product_id)
  );
  create view open_orders as select * from orders where status = 'open';
  insert into customer (name, email) values ('Ada', 'ada@example.org'), ('Brook', null);
  insert into product (name, price) values ('Hammer', 12.50), ('Saw', 20);
  insert into orders (customer_id) values (1), (1), (2);
  insert into order_line values (1, 1, 2), (2, 2, 1), (3, 1, 7);`;

describe.skipIf(!hasChromium)('a first use', () => {
  let database: TestDatabase;
  let server: TestServer;
  let webhook: WebhookReceiver;
  let browser: Browser;
  let folder: string;

  beforeAll(async () => {
    database = await createTestDatabase(SCHEMA);
    webhook = await startWebhook((_call, response) => response.end(JSON.stringify({ text: 'on its way' })));
    server = await startTestServer(
      database,
      {
        ENABLE_CONSOLE: 'true',
        ADMIN_SECRET: SECRET,
        CONSOLE_MODE: 'write',
        EVENTS_FETCH_INTERVAL: '100',
      },
      { DATABASE_URL: database.url, HANDLER_URL: webhook.url },
    );
    browser = await launch();
    folder = mkdtempSync(join(tmpdir(), 'engine-first-use-'));
  }, 120_000);
  afterAll(async () => {
    await browser?.close();
    await server?.stop();
    await webhook?.close();
    rmSync(folder, { recursive: true, force: true });
  });

  const button = (page: Page, name: string | RegExp) => page.getByRole('button', { name, exact: true });
  const link = (page: Page, name: string | RegExp) =>
    page.locator('main').getByRole('link', { name, exact: true });
  const go = (page: Page, name: string) =>
    page
      .getByRole('navigation')
      .getByRole('link', { name: new RegExp(`^${name}`) })
      .click();
  const field = (page: Page, name: string) => page.getByLabel(name, { exact: true });

  /** Types with the keyboard, where the mouse has put the focus. */
  async function type(page: Page, where: Locator, text: string): Promise<void> {
    await where.click();
    await page.keyboard.press('ControlOrMeta+A');
    await page.keyboard.insertText(text);
  }

  /** The permission editor of a role that the table may not know yet. */
  async function openPermission(page: Page, table: string, role: string): Promise<void> {
    await go(page, 'Model');
    await link(page, table).click();
    await type(page, field(page, 'New role'), role);
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { level: 1, name: `${role} on ${table}` }).waitFor();
  }

  const operation = (page: Page, name: string) =>
    page.getByRole('group', { name: 'Operations' }).getByRole('link', { name }).click();

  /** Chooses all columns, and the rows of the role's user. */
  async function allowOwnRows(page: Page, table: string, role: string, through?: string): Promise<void> {
    await page.getByLabel(`${role} may select rows of ${table}`).check();
    await button(page, 'all').click();
    if (through !== undefined)
      await page.getByLabel(`Add a condition on ${table}`).selectOption({ label: through });
    await page
      .getByLabel(`Add a condition on ${through === undefined ? table : 'orders'}`, { exact: true })
      .selectOption({ label: 'customer_id (int4)' });
    await type(page, field(page, 'Value of customer_id'), 'x-engine-user-id');
  }

  const keep = async (page: Page) => {
    await button(page, 'Keep the change').click();
    await link(page, /^Review and apply/).waitFor();
  };

  test('goes the whole way, and the exported folder compiles to what is served', {
    timeout: 120_000,
  }, async () => {
    let patch = '';
    await openOperatorPage(browser, server, { hash: '', secret: SECRET }, async ({ page, operations }) => {
      // The first page leads to the model.
      await page.getByRole('region', { name: 'First steps' }).getByRole('link').first().click();
      await button(page, 'Track all 5').click();
      await button(page, 'Accept all 6').click();
      await page.getByText('5 of 5 tracked').waitFor();

      await openPermission(page, 'orders', 'customer');
      await allowOwnRows(page, 'orders', 'customer');
      await button(page, 'Preview').click();
      const preview = page.getByRole('region', { name: 'Preview' });
      await preview.getByText('wider').first().waitFor();
      await keep(page);
      await operation(page, 'insert');
      await page.getByLabel('customer may insert rows of orders').check();
      await page.getByRole('checkbox', { name: 'status text' }).check();
      await page.getByLabel('Add a preset').selectOption({ label: 'customer_id (int4)' });
      await type(page, field(page, 'Preset of customer_id'), 'x-engine-user-id');
      await keep(page);

      // A rule through a relationship.
      await openPermission(page, 'order_line', 'customer');
      await allowOwnRows(page, 'order_line', 'customer', 'order');
      await keep(page);

      await openPermission(page, 'orders', 'clerk');
      await page.getByLabel('clerk may select rows of orders').check();
      await button(page, 'all').click();
      await keep(page);
      await operation(page, 'update');
      await page.getByLabel('clerk may update rows of orders').check();
      await page.getByRole('checkbox', { name: 'status text' }).check();
      await keep(page);

      await go(page, 'Actions');
      await page.getByText('New action').click();
      await type(
        page,
        page.getByLabel('Definition in GraphQL'),
        'type Mutation { ship(order: Int!): Shipment } type Shipment { text: String! }',
      );
      await type(page, field(page, 'Handler'), '{{HANDLER_URL}}/ship');
      await page.getByRole('checkbox', { name: 'clerk' }).check();
      await keep(page);
      await link(page, 'ship').waitFor();

      await go(page, 'Events');
      await page.getByText('New event trigger').click();
      await page.getByRole('combobox', { name: 'Table' }).selectOption({ label: 'orders' });
      await type(page, field(page, 'Name').first(), 'order_placed');
      await type(page, field(page, 'URL'), '{{HANDLER_URL}}/placed');
      await button(page, 'Keep the change').click();
      await page.getByText('waits to be applied').waitFor();

      await link(page, 'Review and apply 9 changes').click();
      await button(page, 'Apply').click();
      await page.getByText('The changes are applied and served.').waitFor();
      expect(operations().filter((type) => type === 'bulk')).toEqual(['bulk']);

      await go(page, 'Data');
      await page.getByLabel('Run as').selectOption('customer');
      const variables = page.getByRole('textbox', { name: 'Session variables' });
      await expect.poll(() => variables.inputValue()).toContain('x-engine-user-id');
      await type(page, variables, 'x-engine-user-id: 1');
      await link(page, /^orders/).click();
      await button(page, 'Show rows').click();
      await page.getByText('2 rows.').waitFor();
      await button(page, 'Insert a row').click();
      await type(page, page.locator('#field-status'), 'new');
      await button(page, 'Insert').click();
      await button(page, 'Show rows').click();
      await page.getByRole('gridcell', { name: 'new', exact: true }).waitFor();
      await page.getByText('3 rows.').waitFor();

      // The trigger told of the row, and the action is there to be tried.
      await go(page, 'Events');
      await link(page, 'order_placed').click();
      await page.getByRole('region', { name: 'Events' }).getByText('delivered').waitFor();
      await go(page, 'Actions');
      await link(page, 'ship').click();
      await page.getByLabel('Run as').selectOption('clerk');
      await type(page, page.getByRole('textbox', { name: 'Variables', exact: true }), '{"order": 1}');
      await button(page, 'Run').click();
      await page.getByRole('region', { name: 'Answer' }).getByText('on its way').waitFor();

      await go(page, 'Changes');
      await page.getByText('git apply --directory=metadata engine.patch').waitFor();
      await page.getByLabel('the whole folder').check();
      const download = button(page, 'Download engine.patch');
      await download.waitFor();
      const [file] = await Promise.all([page.waitForEvent('download'), download.click()]);
      patch = readFileSync(await file.path(), 'utf8');
    });

    // Brook's rows are not the customer's.
    const user = { ...HEADERS, 'x-engine-role': 'customer', 'x-engine-user-id': '2' };
    const body = { query: '{ orders { customer_id } order_line { quantity } }' };
    expect((await send(server, '/v1/graphql', { headers: user, body })).json).toEqual({
      data: { orders: [{ customer_id: 2 }], order_line: [{ quantity: 7 }] },
    });

    // As the page says: in a repository, whose folder `metadata` there is not yet.
    execFileSync('git', ['init', '--quiet'], { cwd: folder });
    writeFileSync(join(folder, 'engine.patch'), patch);
    execFileSync('git', ['apply', '--directory=metadata', 'engine.patch'], { cwd: folder });
    const compile = (metadata: string, ...further: string[]) =>
      engineIn(
        { ENGINE_GRAPHQL_DATABASE_URL: database.url, HANDLER_URL: webhook.url },
        ...['compile', '--metadata', join(folder, metadata), '--out', join(folder, 'generated'), ...further],
      );
    // Its only note is which environment variables the metadata needs.
    const isGood = { status: 0, stderr: expect.stringMatching(/^environment variables .*\n$/) };
    expect(await compile('metadata')).toMatchObject(isGood);
    const served = await send(server, '/v1/metadata', {
      headers: HEADERS,
      body: { type: 'export_metadata', args: {} },
    });
    writeFileSync(join(folder, 'served.json'), served.text);
    expect(await compile('served.json', '--check')).toMatchObject(isGood);
  });
});
