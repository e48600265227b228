/** The access matrix in a real Chromium: every cell is what the API answers to requests of the role. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { engine } from '../harness/command-line.ts';
import { defaultSource } from '../harness/metadata.ts';
import { createTestDatabase, type TestDatabase } from '../harness/postgres.ts';
import { type RemoteServer, startRemoteServer } from '../harness/remote-server.ts';
import { replaceMetadata, send, startTestServer, type TestServer } from '../harness/server.ts';
import { startWebhook, type WebhookReceiver } from '../harness/webhook.ts';
import { hasChromium, launch, type Opened, openConsole } from './browser.ts';
import { HOSTILE, matrixMetadata, ROLES, SCHEMA } from './matrix-project.ts';

const SECRET = 'secret of the matrix test';
const ADMIN = { 'x-engine-admin-secret': SECRET };
const WAIT = { timeout: 120_000 };

/** For each table the operations of its letters. They find rows, and rows to insert pass every check. */
const OPERATIONS = ['customer', 'invoice', 'hostile'].map((name) => ({
  name,
  requests: [
    `{ ${name} { __typename } }`,
    `mutation { insert_${name}(objects: [{${name === 'customer' ? 'name: "x"' : ''}}]) { affected_rows } }`,
    `mutation { update_${name}(where: {}, _set: {${name === 'invoice' ? 'total: 1' : 'name: "y"'}}) { affected_rows } }`,
    `mutation { delete_${name}(where: {id: {_lt: 0}}) { affected_rows } }`,
  ],
}));
const OTHERS = {
  richest_customers: '{ richest_customers { __typename } }',
  forget_customers: 'mutation { forget_customers { __typename } }',
  greet: '{ greet { text } }',
  countries: '{ capital }',
};

interface Permitted {
  readonly select_permissions: {
    readonly role: string;
    readonly permission: { columns: readonly string[]; filter: object };
  }[];
}

describe.skipIf(!hasChromium)('the access matrix', () => {
  let server: TestServer;
  let browser: Browser;
  let countries: RemoteServer;
  let handler: WebhookReceiver;
  let database: TestDatabase;
  let folder: string;

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'engine-matrix-'));
    database = await createTestDatabase(SCHEMA);
    countries = await startRemoteServer(
      'type Query { capital: String, secret: String, city: City } type City { mayor_id: Int }',
      { capital: 'Rome', city: { mayor_id: 1 } },
    );
    handler = await startWebhook((_call, response) => response.end('{"text":"hello","customer_id":1}'));
    const options = {
      ENABLE_CONSOLE: 'true',
      ADMIN_SECRET: SECRET,
      ENABLE_REMOTE_SCHEMA_PERMISSIONS: 'true',
    };
    server = await startTestServer(database, options, { DATABASE_URL: database.url });
    await replaceMetadata(server, matrixMetadata(defaultSource, countries.url, handler.url), ADMIN);
    browser = await launch();
  }, 120_000);
  afterAll(async () => {
    await browser?.close();
    await server?.stop();
    await countries?.stop();
    await handler?.close();
    rmSync(folder, { recursive: true, force: true });
  });

  const open = (
    hash: string,
    run: (opened: Opened) => Promise<void>,
    size?: { width: number; height: number },
  ) => openConsole(browser, server, { hash, secret: SECRET, ...(size && { viewport: size }) }, run);

  /** The letters of a cell, and marks like those of AccessLine. */
  async function shownAt(page: Page, row: string, role: string): Promise<string> {
    const line = page.getByRole('rowheader', { name: new RegExp(`^${escaped(row)} `) });
    const head = page.getByRole('columnheader', { name: role, exact: true });
    const number = /^at-(\d+)-/.exec((await line.getAttribute('id'))!)![1];
    const column = Number(await head.getAttribute('aria-colindex')) - 2;
    const cell = page.locator(`#at-${number}-${column}`);
    // It stands where its names are, too.
    const [box, across, down] = await Promise.all([cell, line, head].map((each) => each.boundingBox()));
    expect([box!.y, box!.x]).toEqual([across!.y, down!.x]);
    const letters = (await cell.textContent())!.replaceAll('·', '-');
    const looks = await cell.locator('i').evaluateAll((all) => all.map(({ className }) => className));
    const marks = looks.flatMap((look) => (/ (backend|hidden)$/.exec(look)?.[1] ? [look] : []));
    return [letters === '-' ? '----' : letters, ...marks].join(' ');
  }

  /** Whether the API runs the request as the role. */
  async function isAllowed(query: string, role: string, more: Readonly<Record<string, string>> = {}) {
    const headers = { ...ADMIN, 'x-engine-role': role, 'x-engine-user-id': '1', ...more };
    const { json } = await send(server, '/v1/graphql', { headers, body: { query } });
    const { errors } = json as {
      readonly errors?: readonly { readonly extensions: { readonly code: string } }[];
    };
    // Anything but a name that the role is not offered is a mistake of this test.
    if (errors) expect(errors[0]!.extensions.code).toBe('validation-failed');
    return !errors;
  }

  test('every cell is what the API answers', WAIT, async () => {
    const trusted = { 'x-engine-use-backend-only-permissions': 'true' };
    await open('#/access', async ({ page }) => {
      await page.getByRole('rowheader', { name: 'customer' }).first().waitFor();
      for (const role of ROLES) {
        for (const { name, requests } of OPERATIONS) {
          const label = name === 'hostile' ? HOSTILE : name;
          let letters = '';
          let marks = '';
          for (const [index, query] of requests.entries()) {
            const [isOpen, isTrusted] = [await isAllowed(query, role), await isAllowed(query, role, trusted)];
            letters += isTrusted ? 'siud'[index]! : '-';
            if (isTrusted && !isOpen) marks += ` ${['select', 'insert', 'update', 'delete'][index]} backend`;
          }
          const shown = await shownAt(page, label, role);
          // A letter in grey: no root field, so the API refuses.
          const [text, ...looks] = shown.split(/ (?=\w+ )/);
          const hidden = looks.filter((look) => look.endsWith(' hidden')).map((look) => look[0]);
          const seen = text!
            .toLowerCase()
            .replaceAll(/\w/g, (letter) => (hidden.includes(letter) ? '-' : letter));
          const backend = looks.filter((look) => look.endsWith(' backend')).map((look) => ` ${look}`);
          expect([role, name, seen + backend.join('')]).toEqual([role, name, letters + marks]);
        }
        for (const [name, query] of Object.entries(OTHERS))
          expect([role, name, await shownAt(page, name, role)]).toEqual([
            role,
            name,
            (await isAllowed(query, role)) ? '✓' : '----',
          ]);
      }
      expect(await shownAt(page, 'customer', 'manager')).toBe('SI-d');
      expect(await shownAt(page, 'customer', 'clerk')).toBe('s---');
      expect(await shownAt(page, 'customer', 'importer')).toBe('-i-- insert backend');
      expect(await shownAt(page, 'customer', 'nested')).toBe('S--- select hidden');
      expect(await shownAt(page, 'customer', 'both')).toBe('SI-d');
    });
    // No root field leads there, but a relationship does.
    expect(await isAllowed('{ invoice { customer { name } } }', 'nested')).toBe(true);
  });

  test('a letter is a capital where the role reads every row', WAIT, async () => {
    const count = async (role: string, variables: object = {}) => {
      const headers = { ...ADMIN, 'x-engine-role': role, ...variables };
      const { json } = await send(server, '/v1/graphql', { headers, body: { query: '{ customer { id } }' } });
      return (json as { data: { customer: unknown[] } }).data.customer.length;
    };
    expect(await count('manager')).toBe(await count('admin'));
    expect(await count('clerk', { 'x-engine-user-id': '-1' })).toBe(0);
  });

  test('a cell shows rules, columns, presets, limits, root fields and the place', WAIT, async () => {
    await open('#/access/default/public.customer/manager', async ({ page }) => {
      const detail = page.getByRole('complementary');
      await detail.getByText('.access.ts:').first().waitFor();
      const text = await detail.textContent();
      expect(text).toMatch(/generated\/sources\/default\/public\/customer\.access\.ts:\d+/);
      for (const part of ['50 rows', 'aggregations', 'note: X-Engine-User-Id', 'customer_by_pk', 'full_name'])
        expect(text).toContain(part);
      expect(await detail.locator('.chip.hidden').allInnerTexts()).toContain('note');
    });
    await open('#/access/default/public.customer/clerk', async ({ page }) => {
      await page.getByRole('complementary').getByText('id = X-Engine-User-Id').waitFor();
    });
    await open('#/access/-/greet/clerk/action', async ({ page }) => {
      await page.getByText('generated/actions/greet.ts:').waitFor();
      await page.getByText('sends session variables').waitFor();
    });
    await open('#/access/-/countries/clerk/remote%20schema', async ({ page }) => {
      await page.getByText('query field capital').waitFor();
      expect(await page.getByText('query field secret').count()).toBe(0);
    });
  });

  test('differences of two roles are the lines that differ', WAIT, async () => {
    await open('#/access/default/public.customer/importer', async ({ page }) => {
      await page.getByLabel('Another role').selectOption('nested');
      const rows = page.getByRole('rowheader');
      const shown = async () => (await rows.allInnerTexts()).map((text) => text.split(' ')[0]).sort();
      const differing = ['customer', 'invoice', 'richest_customers'];
      await expect.poll(shown).toEqual(differing);
      const heads = page.getByRole('columnheader');
      expect(await heads.allInnerTexts()).toEqual(['object', 'importer', 'nested']);
      // A look at the other role leaves what is compared.
      await page.getByRole('gridcell').nth(1).click();
      await page.getByRole('complementary').getByText('nested').first().waitFor();
      expect(await shown()).toEqual(differing);
      await page.getByLabel('Another role').selectOption('importer');
      await page.getByText('The roles importer and importer may do the same.').waitFor();
    });
  });

  test('an address opens its cell; an address without one shows a message', WAIT, async () => {
    const hash = '#/access/-/countries/nested/remote%20schema';
    await open(
      hash,
      async ({ page }) => {
        const chosen = page.locator('.chosen');
        await chosen.waitFor();
        const [box, grid] = await Promise.all([chosen.boundingBox(), page.getByRole('grid').boundingBox()]);
        expect(box!.x + box!.width).toBeLessThanOrEqual(grid!.x + grid!.width);
        expect(box!.y + box!.height).toBeLessThanOrEqual(grid!.y + grid!.height);
      },
      { width: 1100, height: 480 },
    );
    await open('#/access/default/public.other/clerk', async ({ page }) => {
      await page.getByRole('alert').getByText('There is no table "public.other"').waitFor();
    });
    await open('#/other', async ({ page }) => {
      await page.getByRole('alert').getByText('no page "other"').waitFor();
    });
  });

  test('the search finds columns, and leads to who can use them', WAIT, async () => {
    await open('#/access', async ({ page }) => {
      await page.getByLabel('Tables and columns').fill('EMAIL');
      const rows = page.getByRole('rowheader');
      await expect.poll(() => rows.allInnerTexts()).toEqual([expect.stringContaining('customer')]);
      await rows.first().click();
      await page.locator('.chip.found').click();
      await page.getByRole('heading', { level: 2, name: 'manager' }).waitFor();
      // Those who read the email, and no other role.
      expect(await page.locator('section h2').allInnerTexts()).toEqual(['both', 'manager']);
    });
  });

  test('every path to a column is shown, and the API answers along it', WAIT, async () => {
    const paths = {
      customer: '{ customer { name } }',
      'invoice.customer': '{ invoice { customer { name } } }',
      'invoice.payer': '{ invoice { payer { name } } }',
      richest_customers: '{ richest_customers { name } }',
      'Greeting.greeted': '{ greet { greeted { name } } }',
      'City.mayor': '{ city { mayor { name } } }',
    };
    await open('#/who/default/public.customer/name', async ({ page }) => {
      const cardOf = (name: string) =>
        page.locator('section', { has: page.getByRole('heading', { name, exact: true }) });
      await cardOf('clerk').waitFor();
      const shown = await cardOf('clerk').locator('li > code').allInnerTexts();
      for (const [field, query] of Object.entries(paths)) {
        expect(shown.flatMap((fields) => fields.split(', '))).toContain(field);
        expect([field, await isAllowed(query, 'clerk')]).toEqual([field, true]);
      }
      // Without permission for the action and the remote schema there are fewer paths.
      const others = await cardOf('nested').textContent();
      expect(others).not.toContain('Greeting');
      expect(others).toContain(
        'City.mayor of the remote schema countries, unless the server has --enable-remote-schema-permissions',
      );
      expect(await isAllowed(paths['City.mayor'], 'nested')).toBe(false);
    });
  });

  test('the keyboard moves through the grid, opens and closes', WAIT, async () => {
    await open('#/access', async ({ page }) => {
      const grid = page.getByRole('grid');
      await grid.focus();
      const active = () => grid.getAttribute('aria-activedescendant');
      expect(await active()).toBe('at-0-0');
      for (const key of ['ArrowDown', 'ArrowRight', 'ArrowRight', 'ArrowLeft'])
        await page.keyboard.press(key);
      expect(await active()).toBe('at-1-1');
      await page.keyboard.press('Home');
      expect(await active()).toBe('at-1--1');
      await page.keyboard.press('End');
      expect(await active()).toBe(`at-1-${ROLES.length - 1}`);
      await page.keyboard.press('ArrowRight');
      expect(await active()).toBe(`at-1-${ROLES.length - 1}`);
      await page.keyboard.press('Enter');
      const detail = page.getByRole('complementary');
      await detail.waitFor();
      expect(decodeURIComponent(page.url())).toContain(`/${[...ROLES].sort().at(-1)}`);
      await page.keyboard.press('Tab');
      await page.keyboard.press('Escape');
      await detail.waitFor({ state: 'detached' });
      // As text: the types of these tests are not those of a browser.
      expect(await page.evaluate('document.activeElement.getAttribute("role")')).toBe('grid');
    });
  });

  test('an artefact of another version shows what was and what is', WAIT, async () => {
    const metadata = matrixMetadata(defaultSource, countries.url, handler.url);
    const [{ tables }] = metadata.sources as unknown as [{ tables: [Permitted, Permitted, Permitted] }];
    const [customer, invoice] = tables;
    // Before, the manager did not read the email, the clerk read every customer, and there was another role.
    customer.select_permissions[0]!.permission.columns = ['id', 'name'];
    customer.select_permissions[1]!.permission.filter = {};
    invoice.select_permissions.push({ role: 'former', permission: { columns: ['id'], filter: {} } });
    const file = join(folder, 'metadata.json');
    writeFileSync(file, JSON.stringify({ ...metadata, remote_schemas: [] }));
    const artefact = join(folder, 'before.mjs');
    const source = ['--source', `default=${database.url}`];
    const built = await engine('build', '--metadata', file, ...source, '--out', artefact);
    expect(built).toMatchObject({ status: 0 });
    const damaged = readFileSync(artefact, 'utf8').replace(/\nreturn \w+;\n\}\)\n/, '\n})\n');
    expect(await send(server, '/engine/console/difference', { headers: ADMIN, body: damaged })).toMatchObject(
      {
        status: 400,
        json: { code: 'bad-request', path: '$', error: expect.stringMatching(/^the artefact is damaged/) },
      },
    );
    await open('#/access', async ({ page, requests }) => {
      await page.getByLabel('An artefact').setInputFiles(artefact);
      await page.getByText('cells differ from before.mjs').waitFor();
      const rows = page.getByRole('rowheader');
      const shown = async () => (await rows.allInnerTexts()).map((text) => text.split(' ')[0]).sort();
      expect(await shown()).toEqual(['countries', 'customer', 'invoice']);
      expect(await shownAt(page, 'customer', 'manager')).toBe('SI-d→SI-d');
      expect(await shownAt(page, 'customer', 'clerk')).toBe('S---→s---');
      expect(await shownAt(page, 'invoice', 'former')).toBe('S---→-');
      expect(await shownAt(page, 'countries', 'clerk')).toBe('-→✓');
      expect(await page.locator('.differs').count()).toBe(6);
      await page.evaluate('location.hash = "#/access/default/public.customer/manager"');
      const change = page.getByRole('region', { name: 'Difference for manager' });
      await change.waitFor();
      const [before, now] = (await change.textContent())!.split('Now, ');
      expect([before!.includes('email'), now!.includes('email')]).toEqual([false, true]);
      await page.getByLabel('only differences').uncheck();
      await expect.poll(shown).toContain('greet');
      await page.getByRole('button', { name: 'Compare with nothing' }).click();
      await expect.poll(() => page.locator('.differs').count()).toBe(0);
      expect(requests.filter((each) => each.startsWith('POST'))).toEqual([
        expect.stringContaining('/engine/console/difference'),
      ]);
    });
  });

  test('a matrix that was copied is compared, and other files are refused', WAIT, async () => {
    const { json } = await send(server, '/engine/console/matrix', { method: 'GET', headers: ADMIN });
    const compare = async (name: string, text: string, shown: string) => {
      writeFileSync(join(folder, name), text);
      await open(
        '#/access',
        async ({ page }) => {
          await page.getByLabel('An artefact').setInputFiles(join(folder, name));
          await page.getByText(shown).waitFor();
        },
        undefined,
      );
    };
    await compare('same.json', JSON.stringify(json), '0 cells differ from same.json');
    const before = { ...(json as { permissions: object[] }), label: 'other' };
    const permissions = before.permissions.map((each) => ({ ...each, place: undefined })).slice(1);
    await compare('less.json', JSON.stringify({ ...before, permissions }), '1 cell differs from less.json');
  });

  test('a phone shows cells and their rules', WAIT, async () => {
    const size = { width: 390, height: 780 };
    await open(
      '#/access',
      async ({ page }) => {
        await page.getByRole('gridcell').first().click();
        await page.getByRole('complementary').waitFor();
        expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(390);
        const box = await page.getByRole('grid').boundingBox();
        expect(box!.height).toBeGreaterThanOrEqual(200);
      },
      size,
    );
  });
});

function escaped(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
}
