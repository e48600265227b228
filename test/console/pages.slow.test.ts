/** The console's pages for operators in a real Chromium: each says what the API and the databases say, and its buttons do what they say. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buildSchema, introspectionFromSchema } from 'graphql';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { introspectionToSdl } from '../../runtime/core/remotes/introspection.ts';
import { lockText } from '../../runtime/outgoing/remote/lock.ts';
import { freePort } from '../harness/free-port.ts';
import { metadataOf } from '../harness/metadata.ts';
import { createTestDatabase, type TestDatabase } from '../harness/postgres.ts';
import { type RemoteServer, startRemoteServer } from '../harness/remote-server.ts';
import { confidential, leaks, send, startTestServer, type TestServer } from '../harness/server.ts';
import { startWebhook, type WebhookReceiver } from '../harness/webhook.ts';
import { hasChromium, launch } from './browser.ts';
import { copied, type OperatorPage, openOperatorPage } from './operator-page.ts';

const SECRET = 'secret of the operator pages';
const HEADER_SECRET = 'header value from the environment';
const SIGNING_SECRET = `whsec_${Buffer.from('signs the calls of webhooks').toString('base64')}`;
const ADMIN = { 'x-engine-admin-secret': SECRET };
const NOT_YET = expect.objectContaining({ reason: expect.stringContaining('has not been read yet') });
/** SDL as a server's answer is kept. */
const canonical = (sdl: string) => introspectionToSdl(introspectionFromSchema(buildSchema(sdl)));
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
    // Another server takes its address.
    countries = await startRemoteServer(LOCKED, {}, await freePort());
    folder = mkdtempSync(join(tmpdir(), 'engine-locks-'));
    writeFileSync(join(folder, 'countries.graphql'), lockText('countries', canonical(LOCKED)));
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
    browser = await launch();
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
    const { retry_conf: _, ...cronHook } = hook('/failing');
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
        cron_triggers: [
          { name: 'nightly', schedule: '0 3 * * *', include_in_metadata: true, payload: {}, ...cronHook },
        ],
        custom_types: { objects: [{ name: 'Sum', fields: [{ name: 'total', type: 'Int!' }] }] },
        actions: [
          {
            name: 'add_up',
            definition: {
              kind: 'asynchronous',
              type: 'mutation',
              handler: '{{HOOKS_URL}}/failing',
              output_type: 'Sum',
              arguments: [],
              headers: [{ name: 'X-Secret', value_from_env: 'HOOKS_SECRET' }],
            },
          },
        ],
        query_collections: [
          {
            name: 'shop',
            definition: {
              queries: [
                {
                  name: 'items',
                  query: 'query items($name: String!) { item(where: {name: {_eq: $name}}) { id } }',
                },
                { name: 'prices', query: '{ item { price } }' },
                {
                  name: 'rename',
                  query:
                    'mutation rename($id: Int!) { update_item_by_pk(pk_columns: {id: $id}, _set: {name: "new"}) { id } }',
                },
              ],
            },
          },
        ],
        allowlist: [{ collection: 'shop', scope: { global: false, roles: ['clerk'] } }],
        rest_endpoints: [
          {
            name: 'items',
            url: 'items',
            methods: ['GET'],
            definition: { query: { collection_name: 'shop', query_name: 'items' } },
          },
        ],
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

  const open = (mode: 'read' | 'write', hash: string, run: (console: OperatorPage) => Promise<void>) =>
    openOperatorPage(browser, servers[mode]!, { hash, secret: SECRET }, run);

  test('lists what is not served as the metadata API does, with places', async () => {
    const inconsistent = () => askReader<object[]>('get_inconsistent_metadata');
    // The reader takes over what the other server stored.
    await expect.poll(async () => (await inconsistent()).length).toBeGreaterThan(1);
    // A server that follows another one reads remote schemas by itself.
    await expect.poll(inconsistent).not.toContainEqual(NOT_YET);
    const listed = await askReader<{ name: string; reason: string }[]>('get_inconsistent_metadata');
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

  test('reloads and drops what is not served', async () => {
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

  /** Figures of a table's row, by its head. */
  async function rowOf(page: OperatorPage['page'], name: string): Promise<string[]> {
    const row = page.getByRole('row').filter({ has: page.getByRole('rowheader', { name, exact: true }) });
    await row.first().waitFor();
    return (await row.first().getByRole('cell').allInnerTexts()).map((text) =>
      text.replace(/\s+/g, ' ').trim(),
    );
  }

  const countOf = async (sql: string) => Number((await database.query(sql))[0]!.count);

  test('counts queues as the databases do, and pauses and resumes', async () => {
    await open('write', '#/events', async ({ page, operations }) => {
      const waiting = page.getByRole('row').filter({ has: page.getByRole('link', { name: 'waiting' }) });
      await waiting.getByRole('button', { name: 'Pause' }).click();
      await waiting.getByText('paused').waitFor();
      expect(operations()).toEqual(['pg_pause_event_trigger']);
    });
    const headers = { ...ADMIN, 'x-engine-role': 'admin' };
    await database.query(
      `update item set name = 'two'; update item set price = 2; update item set price = 3`,
    );
    const called = await send(servers.write!, '/v1/graphql', {
      headers,
      body: { query: 'mutation { add_up }' },
    });
    expect(called.status).toBe(200);
    const later = new Date(Date.now() + 3_600_000).toISOString();
    const event = {
      webhook: `${webhook.url}/accepted`,
      headers: [{ name: 'X-Secret', value_from_env: 'HOOKS_SECRET' }],
    };
    await ask('create_scheduled_event', { ...event, schedule_at: later, payload: {} });
    await ask('create_scheduled_event', { ...event, schedule_at: '2020-01-01T00:00:00Z', payload: {} });
    const pending = 'select count(*) from engine_catalog.event_log where not delivered and not error';
    await expect.poll(() => countOf(pending)).toBe(2);
    const open_ = `select count(*) from engine_catalog.action_log where status <> 'error'`;
    await expect.poll(() => countOf(open_)).toBe(0);
    const due = `select count(*) from engine_catalog.scheduled_events where status in ('scheduled', 'locked') and scheduled_time < now()`;
    await expect.poll(() => countOf(due)).toBe(0);
    const { cron_triggers } = await ask<{ cron_triggers: { name: string; schedule: string }[] }>(
      'get_cron_triggers',
    );
    const { events } = await ask<{ events: { scheduled_time: string }[] }>('get_scheduled_events', {
      type: 'cron',
      trigger_name: 'nightly',
      status: ['scheduled'],
      limit: 3,
    });
    await open('read', '#/events', async ({ page, operations }) => {
      expect((await rowOf(page, 'accepted')).slice(0, 4)).toEqual(['public.item default', '0', '0', '0']);
      expect((await rowOf(page, 'refused')).slice(1, 6)).toEqual(['0', '0', '1', '', 'delivers']);
      const paused = await rowOf(page, 'waiting');
      expect([...paused.slice(1, 4), paused[5]]).toEqual(['2', '0', '0', 'paused']);
      const nightly = await rowOf(page, 'nightly');
      expect(nightly[0]).toBe(`${cron_triggers[0]!.schedule} UTC`);
      const shown = await page.evaluate<string[]>(
        `${JSON.stringify(events)}.map((each) => new Date(each.scheduled_time).toLocaleString())`,
      );
      expect(nightly.at(-1)).toBe(shown.join(' '));
      expect((await rowOf(page, 'All one-off events')).slice(0, 3)).toEqual(['0', '0', '1']);
      expect(await rowOf(page, 'add_up')).toEqual(['0', '1']);
      expect(await page.getByRole('button').allInnerTexts()).toEqual(['Refresh', 'Copy as JSON']);
      expect(operations()).toEqual([]);
    });
    await open('write', '#/events', async ({ page }) => {
      const waiting_ = page.getByRole('row').filter({ has: page.getByRole('link', { name: 'waiting' }) });
      await waiting_.getByRole('button', { name: 'Resume' }).click();
      await waiting_.getByText('delivers').waitFor();
      await expect.poll(() => countOf(pending)).toBe(0);
    });
  });

  test('shows the calls of an event with secrets hidden, and delivers it again', async () => {
    const [{ id }] = await askReader<[{ id: string }]>('pg_get_event_logs', { name: 'refused' });
    await open('read', '#/events/trigger/default/refused', async ({ page, operations }) => {
      await page.getByRole('combobox', { name: /^Events/ }).selectOption('error');
      await page.getByRole('link', { name: id }).click();
      await page.getByText('HOOKS_SECRET').waitFor();
      await page.getByText('500', { exact: true }).waitFor();
      await page.getByText('the handler fails').waitFor();
      expect(await page.locator('.two').count()).toBe(1);
      expect(await page.getByRole('button').allInnerTexts()).toEqual(['Refresh', 'Copy as JSON']);
      expect(operations().filter((type) => !type.startsWith('pg_get_'))).toEqual([]);
    });
    const calls = () => webhook.calls.filter(({ path }) => path === '/failing').length;
    const before = calls();
    await open('write', `#/events/trigger/default/refused/${id}`, async ({ page, operations }) => {
      await page.getByRole('button', { name: 'Deliver again' }).click();
      await expect.poll(calls).toBe(before + 1);
      // What the page shows of the call is stored after it.
      const stored = `select count(*) from engine_catalog.event_invocation_logs where event_id = '${id}'`;
      await expect.poll(() => countOf(stored)).toBe(2);
      await page.getByRole('button', { name: 'Refresh' }).click();
      await page.locator('.two').nth(1).waitFor();
      expect(operations()).toContain('pg_redeliver_event');
    });
    await open('write', '#/events/trigger/default/refused', async ({ page, operations }) => {
      await page.getByRole('button', { name: 'Deliver failed events again' }).click();
      await page.getByRole('button', { name: 'Yes' }).click();
      await expect.poll(calls).toBe(before + 2);
      expect(operations()).toContain('pg_redeliver_events');
    });
  });

  test('shows failed calls of schedules and asynchronous actions', async () => {
    await open('read', '#/events/one-off', async ({ page }) => {
      await page
        .getByRole('link')
        .filter({ has: page.locator('code') })
        .last()
        .click();
      await page.getByText('No call was made for this event.').waitFor();
    });
    const rows = await database.query('select id::text, errors from engine_catalog.action_log');
    await open('read', '#/events/action/add_up', async ({ page }) => {
      await page.getByRole('rowheader', { name: rows[0]!.id as string }).waitFor();
      await page.locator('summary').click();
      const shown = JSON.parse((await page.locator('details pre').textContent())!);
      const { internal, ...error } = rows[0]!.errors as { internal: { response: { status: number } } };
      expect(shown).toMatchObject(error);
      expect(shown.internal.response.status).toBe(internal.response.status);
      expect(shown.internal.request.headers).toContainEqual({ name: 'X-Secret', value: '(hidden)' });
    });
    await open('read', '#/events/action/other', async ({ page }) => {
      await page.getByRole('alert').getByText('there is no asynchronous action "other"').waitFor();
    });
    await open('read', '#/events/trigger/default/other', async ({ page }) => {
      await page.getByRole('alert').getByText('there is no event trigger "other"').waitFor();
    });
  });

  /** Has the remote schema's server offer another schema at the same address. */
  async function offer(sdl: string): Promise<void> {
    const { port } = new URL(countries.url);
    await countries.stop();
    countries = await startRemoteServer(sdl, {}, Number(port));
  }

  test('says what a remote schema has beside its lock, and what that breaks', async () => {
    await open('read', '#/remotes', async ({ page }) => {
      const card = (name: string) =>
        page.locator('section').filter({ has: page.getByRole('heading', { name: new RegExp(`^${name}`) }) });
      await card('countries').getByText('same', { exact: true }).waitFor();
      await card('countries').getByText('lock is served').waitFor();
      await card('countries').getByText('1 role with a permission, 0 relationships').waitFor();
      await card('away').getByText('not reachable', { exact: true }).waitFor();
      await card('away').getByText('not served', { exact: true }).waitFor();
    });
    await offer(`${LOCKED}type Language {\n  code: String\n}\n`);
    await open('read', '#/remotes/countries', async ({ page }) => {
      await page.getByText('compatible', { exact: true }).waitFor();
      await page.locator('.added').filter({ hasText: 'type Language' }).waitFor();
      expect(await page.locator('.removed').count()).toBe(0);
    });
    await offer(LOCKED.replace('capital', 'seat'));
    await open('read', '#/remotes/countries', async ({ page, operations }) => {
      await page.getByText('breaking', { exact: true }).waitFor();
      expect(await page.locator('.removed').allInnerTexts()).toEqual([expect.stringContaining('capital')]);
      expect(await page.locator('.added').allInnerTexts()).toEqual([expect.stringContaining('seat')]);
      await page.getByRole('listitem').filter({ hasText: 'clerk' }).filter({ hasText: 'capital' }).waitFor();
      const { broken } = (await copied(page)) as { broken: { reason: string }[] };
      expect(broken.length).toBe(await page.getByRole('listitem').count());
      expect(await page.getByRole('button').allInnerTexts()).toEqual(['Refresh', 'Copied']);
      expect(operations()).toEqual([]);
    });
    // What is served is as the lock has it, before and after.
    const headers = { ...ADMIN, 'x-engine-role': 'clerk' };
    const query = '{ __type(name: "query_root") { fields { name } } }';
    const { text } = await send(servers.read!, '/v1/graphql', { headers, body: { query } });
    expect(text).toContain('capital');
    await open('write', '#/remotes/away', async ({ page, operations }) => {
      await page.getByRole('button', { name: 'Reload' }).click();
      await page.getByText('away', { exact: false }).first().waitFor();
      await expect.poll(operations).toEqual(['reload_remote_schema']);
    });
    await open('read', '#/remotes/other', async ({ page }) => {
      await page.getByRole('alert').getByText('there is no remote schema "other"').waitFor();
    });
  });

  test('shows saved operations as they are answered: roles, columns, SQL and plan', async () => {
    const run = async (name: string, variables: object) => {
      const headers = { ...ADMIN, 'x-engine-role': 'clerk' };
      const { query_collections: collections } = await askReader<{
        query_collections: { definition: { queries: { name: string; query: string }[] } }[];
      }>('export_metadata');
      const { query } = collections[0]!.definition.queries.find((each) => each.name === name)!;
      return (await send(servers.read!, '/v1/graphql', { headers, body: { query, variables } })).json as {
        errors?: { message: string }[];
      };
    };
    await open('read', '#/operations', async ({ page, operations }) => {
      // The table of endpoints, which may be there before, has a row of the same name.
      expect(await rowOf(page, 'prices')).toEqual(['shop', 'query', 'admin only', 'clerk', '']);
      expect(await rowOf(page, 'items')).toEqual(['shop', 'query', 'clerk', 'clerk', 'GET /api/rest/items']);
      await page.getByRole('link', { name: 'items', exact: true }).click();
      await page.getByRole('heading', { name: 'items shop' }).waitFor();
      expect(await run('items', { name: 'one' })).not.toHaveProperty('errors');
      await page.getByText('not run by name, hash or endpoint').waitFor();
      const headers = { ...ADMIN, 'x-engine-role': 'clerk' };
      const answer = await send(servers.read!, '/api/rest/items?name=one', { method: 'GET', headers });
      expect(answer.status).toBe(200);
      await page.reload();
      await page.getByLabel('Admin secret').fill(SECRET);
      await page.getByRole('button', { name: 'Open' }).click();
      await page.getByText(/1 × since the start: p50 within \d+ ms, p99 within \d+ ms/).waitFor();
      expect((await rowOf(page, 'clerk'))[0]).toBe('suffice');
      expect(await rowOf(page, 'public.item default')).toEqual(['id', 'name', '']);
      await page.getByRole('textbox', { name: 'Variables', exact: true }).fill('{"name": "one"}');
      await page.getByRole('button', { name: 'Explain' }).click();
      await page.getByText(/estimated cost [\d.]+, \d+ rows?/).waitFor();
      await page.getByText("('one')::text").waitFor();
      await page.getByText('select on public.item').waitFor();
      await page.getByRole('textbox', { name: 'Variables', exact: true }).fill('one');
      await page.getByRole('button', { name: 'Explain' }).click();
      await page.getByRole('alert').getByText('The text of variables is not JSON').waitFor();
      expect(operations()).toEqual([]);
    });
    const { errors } = await run('prices', {});
    await open('read', '#/operations/shop/prices', async ({ page }) => {
      expect(await rowOf(page, 'clerk')).toEqual(['refused', errors![0]!.message]);
      await page.getByRole('combobox').selectOption('clerk');
      await page.getByRole('button', { name: 'Explain' }).click();
      await page.getByRole('region', { name: 'Explanation' }).getByText('item.price').waitFor();
    });
    await open('read', '#/operations/shop/rename', async ({ page }) => {
      await page.getByText('mutation', { exact: true }).waitFor();
      expect(await rowOf(page, 'public.item default')).toEqual(['id', 'id', 'name']);
      expect((await rowOf(page, 'clerk'))[0]).toBe('refused');
      await page.locator('summary').first().click();
      await page.getByText(/update "public"."item"/).waitFor();
      expect(await copied(page)).toMatchObject({ kind: 'mutation', allowed: ['clerk'] });
    });
    await open('read', '#/operations/shop/other', async ({ page }) => {
      await page.getByRole('alert').getByText('no operation "other" is served').waitFor();
    });
  });

  test('the overview shows drift, sources, queues and the last errors', async () => {
    const { resource_version: version } = await ask<{ resource_version: number }>('export_metadata', {}, 2);
    const headers = { ...ADMIN, 'x-engine-role': 'admin' };
    await send(servers.write!, '/v1/graphql', { headers, body: { query: 'mutation { add_up }' } });
    await open('write', '#/overview', async ({ page }) => {
      await page.getByText('same', { exact: true }).waitFor();
      expect(await page.getByText(`version ${version} `).count()).toBe(2);
      await page.getByText('OK', { exact: true }).waitFor();
      const refused = 'select count(*) from engine_catalog.event_log where error';
      expect((await rowOf(page, 'Event triggers'))[1]).toBe(String(await countOf(refused)));
      expect(Number((await rowOf(page, 'Asynchronous actions'))[1])).toBeGreaterThan(0);
      await page.getByRole('button', { name: 'Refresh' }).click();
      await page
        .getByRole('row')
        .filter({ hasText: 'add_up' })
        .getByText('answered with status 500')
        .waitFor();
      const copy = (await copied(page)) as { sources: unknown[]; metadata: { inconsistencies: number } };
      expect(copy.sources).toEqual([expect.objectContaining({ name: 'default', role: 'primary' })]);
      const listed = await ask<unknown[]>('get_inconsistent_metadata');
      expect(copy.metadata.inconsistencies).toBe(listed.length);
    });
    // A server that follows no other one, while another one changes the metadata.
    const alone = await startTestServer(
      database,
      {
        ENABLE_CONSOLE: 'true',
        ADMIN_SECRET: SECRET,
        SCHEMA_SYNC_POLL_INTERVAL: '0',
        DISABLE_EVENTING: 'true',
      },
      { DATABASE_URL: database.url, HOOKS_SECRET: HEADER_SECRET, SIGNING_SECRET, HOOKS_URL: webhook.url },
    );
    try {
      await ask('pg_drop_select_permission', { table: 'item', role: 'clerk' });
      const place = { hash: '#/overview', secret: SECRET };
      await openOperatorPage(browser, alone, place, async ({ page, operations }) => {
        await page.getByText('drift', { exact: true }).waitFor();
        await page.getByText(`version ${version} `).waitFor();
        await page.getByText(`version ${version + 1} `).waitFor();
        await page.getByText('disable-eventing is set').waitFor();
        await page.getByText('off', { exact: true }).waitFor();
        expect(await page.getByRole('button').allInnerTexts()).toEqual(['Refresh', 'Copy as JSON']);
        expect(operations()).toEqual([]);
      });
    } finally {
      await alone.stop();
    }
  });
});
