/**
 * The way of a first use of services in a real Chromium, with the buttons of the console only: an action and triggers are made, tried and seen to
 * be delivered, an operation is saved and called as an endpoint, and a role gets its part of a remote schema.
 */
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { metadataOf } from '../harness/metadata.ts';
import { createTestDatabase } from '../harness/postgres.ts';
import { type RemoteServer, startRemoteServer } from '../harness/remote-server.ts';
import { send, startTestServer, type TestServer } from '../harness/server.ts';
import { startWebhook, type WebhookReceiver } from '../harness/webhook.ts';
import { hasChromium, launch, writeOperation } from './browser.ts';
import { openOperatorPage } from './operator-page.ts';

const SECRET = 'secret of the test of services';
const HEADERS = { 'x-engine-admin-secret': SECRET };
const SCHEMA = `
  create table item (id int primary key, name text not null);
  insert into item values (1, 'first');`;

describe.skipIf(!hasChromium)('services with the console', () => {
  let server: TestServer;
  let reader: TestServer;
  let webhook: WebhookReceiver;
  let countries: RemoteServer;
  let browser: Browser;
  let isFailing = false;

  beforeAll(async () => {
    const database = await createTestDatabase(SCHEMA);
    webhook = await startWebhook((call, response) => {
      if (isFailing) response.writeHead(500);
      const { input } = (call.body ?? {}) as { input?: { name?: string } };
      response.end(JSON.stringify({ text: `Hello ${input?.name}` }));
    });
    countries = await startRemoteServer(
      'type Query { capital(code: String!): City name: String } type City { name: String mayor: String }',
      { capital: { name: 'Paris' }, name: 'Earth' },
    );
    const options = (mode: string) => ({
      ENABLE_CONSOLE: 'true',
      ADMIN_SECRET: SECRET,
      CONSOLE_MODE: mode,
      EVENTS_FETCH_INTERVAL: '100',
      ENABLE_REMOTE_SCHEMA_PERMISSIONS: 'true',
    });
    const variables = { DATABASE_URL: database.url, HANDLER_URL: webhook.url };
    [server, reader] = await Promise.all([
      startTestServer(database, options('write'), variables),
      startTestServer(database, options('read'), variables),
    ]);
    const select_permissions = [{ role: 'clerk', permission: { columns: '*', filter: {} } }];
    await metadata('replace_metadata', metadataOf([{ table: 'item', select_permissions }]));
    browser = await launch();
  }, 120_000);
  afterAll(async () => {
    await browser?.close();
    await reader?.stop();
    await server?.stop();
    await webhook?.close();
    await countries?.stop();
  });

  async function metadata<Answer>(type: string, args: object = {}): Promise<Answer> {
    const { status, json } = await send(server, '/v1/metadata', { headers: HEADERS, body: { type, args } });
    expect([status, json]).toEqual([200, expect.anything()]);
    return json as Answer;
  }
  const stored = () => metadata<Readonly<Record<string, unknown>>>('export_metadata');

  const button = (page: Page, name: string | RegExp) => page.getByRole('button', { name, exact: true });
  const field = (page: Page, name: string) => page.getByLabel(name, { exact: true });
  /** The label of a text of several lines has its text in it. */
  const area = (page: Page, name: string) => page.getByLabel(name);
  const go = (page: Page, hash: string) => page.evaluate(`location.hash = ${JSON.stringify(hash)}`);

  async function apply(page: Page): Promise<void> {
    await page
      .getByRole('link', { name: /^Review and apply/ })
      .first()
      .click();
    await button(page, 'Apply').click();
    await page.getByText('The changes are applied and served.').waitFor();
  }

  const open = (hash: string, run: (page: Page) => Promise<void>, on = server) =>
    openOperatorPage(browser, on, { hash, secret: SECRET }, ({ page }) => run(page));

  test('an action is made, its handler types are there, and it is tried', { timeout: 60_000 }, async () => {
    await open('#/actions', async (page) => {
      await page.getByText('New action').click();
      const definition = area(page, 'Definition in GraphQL');
      await definition.fill('type Mutation { greet(name: String!) Greeting }');
      await field(page, 'Handler').fill('{{HANDLER_URL}}/greet');
      await field(page, 'Another role').fill('clerk');
      await button(page, 'Add').click();
      await button(page, 'Keep the change').click();
      await page.getByRole('alert').filter({ hasText: 'line 1, column 38' }).waitFor();
      await definition.fill(
        'type Mutation { greet(name: String!): Greeting } type Greeting { text: String! }',
      );
      await button(page, 'Preview').click();
      await page.getByText('actions/greet.ts').waitFor();
      await button(page, 'Keep the change').click();
      await page.getByRole('link', { name: 'greet' }).waitFor();
      expect(await stored()).not.toHaveProperty('actions');
      await apply(page);

      await go(page, '#/actions/greet');
      await page.getByText("ActionHandler<'greet'>").waitFor();
      await area(page, 'Run as').selectOption('clerk');
      await page.getByRole('textbox', { name: 'Variables', exact: true }).fill('{"name": "Ada"}');
      await button(page, 'Run').click();
      await page.getByRole('region', { name: 'Answer' }).getByText('Hello Ada').waitFor();

      // Another answer: types that nothing uses any more go.
      await area(page, 'Definition in GraphQL').fill(
        'type Query { greet(name: String): Reply } type Reply { text: String }',
      );
      await button(page, 'Keep the change').click();
      await apply(page);
      expect(await stored()).toMatchObject({
        actions: [
          {
            name: 'greet',
            definition: { type: 'query', output_type: 'Reply', handler: '{{HANDLER_URL}}/greet' },
            permissions: [{ role: 'clerk' }],
          },
        ],
        custom_types: { objects: [{ name: 'Reply' }] },
      });
      expect(JSON.stringify(await stored())).not.toContain('Greeting');
    });
  });

  test('a trigger is made, tried with a row, seen to fail and delivered again', {
    timeout: 60_000,
  }, async () => {
    isFailing = true;
    await open('#/events', async (page) => {
      await page.getByText('New event trigger').click();
      await field(page, 'Name').first().fill('item_changed');
      await page.getByLabel('updated rows').check();
      await page.getByRole('checkbox', { name: 'id', exact: true }).uncheck();
      await field(page, 'URL').fill('{{HANDLER_URL}}/events');
      await button(page, 'Keep the change').click();
      await page.getByText('waits to be applied').waitFor();
      await apply(page);
      await go(page, '#/events/trigger/default/item_changed');
      await button(page, 'Allow it').click();
      await apply(page);
      await go(page, '#/events/trigger/default/item_changed');
      await button(page, 'Take a row of the table').click();
      await expect.poll(() => page.getByRole('textbox', { name: 'Row' }).inputValue()).toContain('"first"');
      await button(page, 'Send').click();
      // The list follows without a reload.
      const events = page.getByRole('region', { name: 'Events' });
      await events.getByText('failed').waitFor();
      isFailing = false;
      await events.getByRole('link').click();
      await button(page, 'Deliver again').click();
      await page.getByText('delivered', { exact: true }).waitFor();
    });
    expect(webhook.calls.filter(({ path }) => path === '/events').map(({ body }) => body)).toEqual(
      Array(2).fill(
        expect.objectContaining({
          event: expect.objectContaining({
            op: 'MANUAL',
            data: { old: null, new: { id: 1, name: 'first' } },
          }),
        }),
      ),
    );
    expect(JSON.stringify(await stored())).toContain('"update":{"columns":["name"]}');
  });

  test('a cron trigger shows its next times by the clock of its zone', { timeout: 60_000 }, async () => {
    await open('#/events', async (page) => {
      await page.getByText('New cron trigger').click();
      await field(page, 'Name').last().fill('nightly');
      await field(page, 'Webhook').last().fill('{{HANDLER_URL}}/cron');
      await field(page, 'Schedule').fill('30 3 * *');
      await page.getByText('it has 4 fields, not five').waitFor();
      await field(page, 'Schedule').fill('30 3 * * *');
      await field(page, 'Time zone').fill('Asia/Nowhere');
      await page.getByText('There is no time zone Asia/Nowhere').waitFor();
      await field(page, 'Time zone').fill('Asia/Kolkata');
      const times = page.getByRole('list', { name: 'Next times' }).locator('time');
      await expect.poll(() => times.count()).toBe(10);
      // Half past three there is ten at night in UTC.
      expect(await times.first().getAttribute('datetime')).toMatch(/T22:00:00/);
      expect(await times.first().textContent()).toContain('3:30');
      await button(page, 'Keep the change').last().click();
      await page.getByRole('link', { name: 'nightly' }).click();
      await field(page, 'Attempts after the first one').fill('3');
      await button(page, 'Keep the change').click();
      await apply(page);
      expect((await stored()).cron_triggers).toMatchObject([
        { name: 'nightly', timezone: 'Asia/Kolkata', retry_conf: { num_retries: 3 } },
      ]);
    });
  });

  test('a one-off event is scheduled, seen to be delivered, and deleted', { timeout: 60_000 }, async () => {
    await open('#/events', async (page) => {
      await page.getByText('New one-off event').click();
      await field(page, 'Webhook').last().fill('{{HANDLER_URL}}/once');
      await button(page, 'Schedule it').click();
      await page.getByText('Choose a time.').waitFor();
      const time = page.getByLabel('Time, by the clock of this browser');
      await time.fill('2099-01-31T09:30');
      const json = area(page, 'The event as JSON');
      expect(new Date(JSON.parse(await json.inputValue()).schedule_at)).toEqual(
        new Date(await page.evaluate<number>(`new Date(2099, 0, 31, 9, 30).getTime()`)),
      );
      await button(page, 'Schedule it').click();
      await page.getByText('done').waitFor();
      // A past time means now; the JSON has keys without a field.
      await json.fill(
        JSON.stringify({
          webhook: '{{HANDLER_URL}}/once',
          schedule_at: new Date(Date.now() - 60_000).toISOString(),
          payload: { id: 12 },
          comment: 'a minute late',
        }),
      );
      expect(await time.inputValue()).not.toBe('');
      await button(page, 'Schedule it').click();
      await page.getByRole('link', { name: 'All one-off events' }).click();
      const events = page.getByRole('region', { name: 'Events' });
      // The list follows without a reload.
      await events.getByText('delivered').waitFor();
      await events
        .getByRole('row', { name: /a minute late/ })
        .getByRole('link')
        .click();
      await page.getByText('Scheduled for').waitFor();
      await page.getByRole('heading', { level: 3 }).getByText('200').waitFor();
      await go(page, '#/events/one-off');
      await events
        .getByRole('row', { name: /pending/ })
        .getByRole('link')
        .click();
      await button(page, 'Delete').click();
      await button(page, 'Yes').click();
      await events.getByText('delivered').waitFor();
      expect(await events.getByRole('link').count()).toBe(1);
    });
    expect(webhook.calls.filter(({ path }) => path === '/once').map(({ body }) => body)).toEqual([
      expect.objectContaining({ payload: { id: 12 }, comment: 'a minute late' }),
    ]);
    expect(await metadata('get_scheduled_events', { type: 'one_off' })).toMatchObject({
      events: [{ status: 'delivered' }],
    });
  });

  test('an operation is saved, allowed, and called as an endpoint', { timeout: 60_000 }, async () => {
    await open('#/query', async (page) => {
      await writeOperation(page, 'query items($id: Int!) { item(where: {id: {_eq: $id}}) { name } }');
      await button(page, 'Save').click();
      await field(page, 'Name').fill('items');
      await field(page, 'Collection').fill('shop');
      await button(page, 'Save in the collection').click();
      await go(page, '#/operations');
      await page.getByText('New REST endpoint').click();
      await field(page, 'Name of the endpoint').fill('item');
      await field(page, 'Path below /api/rest/').fill('/items/:id');
      await button(page, 'Keep the endpoint').click();
      await page.getByText('1 operation').click();
      await page.getByRole('checkbox', { name: 'clerk' }).check();
      await button(page, 'Allow to these roles').click();
      await page.getByText('allowed to clerk').waitFor();
      await apply(page);
      await go(page, '#/operations/shop/items');
      await page.getByText('Try item').click();
      expect(await field(page, 'Path').inputValue()).toBe('/api/rest/items/:id');
      // The second one leads to the first.
      for (const other of ['/api/rest/others/1', String.raw`/api/rest/items/1\..\..\others\1`]) {
        await field(page, 'Path').fill(other);
        await button(page, 'Call').click();
        await page.getByText('The path is not that of the endpoint').waitFor();
        await field(page, 'Path').fill('/api/rest/items/1');
        await button(page, 'Call').click();
        await page.getByRole('region', { name: 'Answer' }).getByText('first').waitFor();
      }
    });
    expect(await stored()).toMatchObject({
      query_collections: [{ name: 'shop', definition: { queries: [{ name: 'items' }] } }],
      allowlist: [{ collection: 'shop', scope: { global: false, roles: ['clerk'] } }],
      rest_endpoints: [{ name: 'item', url: 'items/:id', methods: ['GET'] }],
    });
  });

  test('a role gets its part of a remote schema by check boxes', { timeout: 60_000 }, async () => {
    await open('#/remotes', async (page) => {
      await page.getByText('New remote schema').click();
      await field(page, 'Name').fill('countries');
      await field(page, 'URL').fill(countries.url);
      await button(page, 'Keep the change').click();
      await page.getByRole('link', { name: 'countries' }).click();
      await page.getByRole('link', { name: 'clerk' }).click();
      await page.getByRole('checkbox', { name: 'capital: City' }).check();
      // The server adds what a city has.
      const mayor = page.getByRole('checkbox', { name: 'mayor: String' });
      await expect.poll(() => mayor.isChecked()).toBe(true);
      await mayor.uncheck();
      await button(page, 'Keep the change').click();
      await page.getByRole('link', { name: 'Review and apply 2 changes' }).waitFor();
      await apply(page);
    });
    const user = { ...HEADERS, 'x-engine-role': 'clerk' };
    const ask = async (query: string) =>
      (await send(server, '/v1/graphql', { headers: user, body: { query } })).json;
    expect(await ask('{ capital(code: "FR") { name } }')).toEqual({ data: { capital: { name: 'Paris' } } });
    expect(await ask('{ capital(code: "FR") { mayor } }')).toHaveProperty('errors');
  });

  test('without write it shows the same, and has no button that changes anything', {
    timeout: 60_000,
  }, async () => {
    await expect
      .poll(async () => {
        const body = { type: 'export_metadata', args: {} };
        return JSON.stringify((await send(reader, '/v1/metadata', { headers: HEADERS, body })).json);
      })
      .toContain('countries');
    const names = /Keep|Preview|Drop|Delete|Remove|Send|Allow|Rename|Save|Add|Take|Deliver|Schedule/;
    const look = async (page: Page) => {
      for (const [hash, text] of [
        ['#/actions', 'greet'],
        ['#/actions/greet', 'Definition in GraphQL'],
        ['#/events', 'item_changed'],
        ['#/events/trigger/default/item_changed', 'Calls the webhook for'],
        ['#/events/cron/nightly', 'Next times'],
        ['#/events/one-off', 'a minute late'],
        ['#/remotes/countries', 'What roles see'],
        ['#/remotes/countries/clerk', 'capital: City'],
        ['#/operations', 'shop'],
        ['#/operations/shop/items', 'Try item'],
      ] as const) {
        await go(page, hash);
        await page.locator('main').getByText(text).first().waitFor();
        await expect.poll(() => page.getByRole('status').filter({ hasText: '…' }).count()).toBe(0);
        expect([hash, await page.getByRole('button', { name: names }).count()]).toEqual([hash, 0]);
        expect(await page.locator('.closed').count()).toBe(0);
      }
    };
    await open('#/actions', look, reader);
  });
});
