/** The data page of the console in a real Chromium: rows as a role, changed and refused as that role. */
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createTestDatabase, type TestDatabase } from '../harness/postgres.ts';
import { replaceMetadata, startTestServer, type TestServer } from '../harness/server.ts';
import { hasChromium, launch } from './browser.ts';
import { metadata, SCHEMA, TICKETS } from './data-project.ts';
import { openOperatorPage } from './operator-page.ts';
import { HOSTILE } from './project.ts';

const SECRET = 'secret of the test of the data page';
const headers = { 'x-engine-admin-secret': SECRET };

describe.skipIf(!hasChromium)('the data page', () => {
  let database: TestDatabase;
  let browser: Browser;
  const servers: Partial<Record<'read' | 'write', TestServer>> = {};

  beforeAll(async () => {
    database = await createTestDatabase(SCHEMA);
    const options = { ENABLE_CONSOLE: 'true', ADMIN_SECRET: SECRET };
    const variables = { DATABASE_URL: database.url };
    servers.write = await startTestServer(database, { ...options, CONSOLE_MODE: 'write' }, variables);
    await replaceMetadata(servers.write, metadata(), headers);
    servers.read = await startTestServer(database, options, variables);
    browser = await launch();
  }, 120_000);
  afterAll(async () => {
    await browser?.close();
    for (const server of Object.values(servers)) await server.stop();
  });

  interface Opened {
    readonly page: Page;
    /** Texts of GraphQL requests so far. */
    readonly sent: () => readonly string[];
  }

  /** Opens the page as a role. */
  const open = (
    mode: 'read' | 'write',
    hash: string,
    [role, session]: readonly [role: string, session: string],
    run: (opened: Opened) => Promise<void>,
  ) =>
    openOperatorPage(browser, servers[mode]!, { hash: '#/overview', secret: SECRET }, async ({ page }) => {
      const sent: string[] = [];
      page.on('request', (request) => {
        if (request.url().endsWith('/v1/graphql')) sent.push(request.postData() ?? '');
      });
      await page.evaluate(`location.hash = ${JSON.stringify(hash)}`);
      await page.getByLabel('Run as').selectOption(role);
      await page.getByLabel('Session variables').fill(session);
      await run({ page, sent: () => sent });
    });

  const showRows = (page: Page) => page.getByRole('button', { name: 'Show rows' }).click();
  const status = (page: Page, text: string | RegExp) =>
    page.getByRole('status').filter({ hasText: text }).waitFor();
  /** Texts of the cells of the rows that are in the document, in their order. */
  const cells = async (page: Page) => {
    const rows = await page.locator('[role=grid] .line').evaluateAll((lines) =>
      (
        lines as unknown as {
          getAttribute(name: string): string;
          children: { textContent: string; style: { left: string } }[];
        }[]
      )
        .map((line) => ({
          index: Number(line.getAttribute('aria-rowindex')),
          texts: [...line.children]
            .sort((a, b) => Number.parseFloat(a.style.left) - Number.parseFloat(b.style.left))
            .map((cell) => cell.textContent),
        }))
        .sort((left, right) => left.index - right.index),
    );
    return rows.map(({ texts }) => texts);
  };
  const heads = (page: Page) => page.getByRole('columnheader').locator('b').allInnerTexts();

  test('nothing is read until rows are asked for; then those that the role sees, with its columns only', async () => {
    await open('read', '#/data', ['own', 'x-engine-user-id: 2'], async ({ page, sent }) => {
      expect(await page.getByRole('rowheader').allInnerTexts()).toEqual(['customer']);
      await page.getByRole('link', { name: 'customer' }).click();
      await page.getByText('Nothing was read from this table yet').waitFor();
      for (const name of ['id', 'name', 'email', 'credit'])
        await page.locator('.chip').filter({ hasText: name }).waitFor();
      expect(sent()).toEqual([]);
      await showRows(page);
      await status(page, '1 row.');
      expect((await heads(page)).map((text) => text.trim())).toEqual(['id', 'name', 'email', 'credit']);
      expect(await cells(page)).toEqual([['2', 'Brook', 'null', '1']]);
      // As an administrator there are others, and relationships; numbers keep their digits.
      await page.getByLabel('Run as').selectOption('admin');
      await page.getByText('Nothing was read from this table yet').waitFor();
      await showRows(page);
      await status(page, '3 rows.');
      const [ada] = await cells(page);
      expect(ada).toEqual([
        ...[
          '1',
          'Ada',
          'ada@example.org',
          'calm',
          '["one","two"]',
          '{"since":1999}',
          '12345678901234567890.123',
          'rows →',
        ],
      ]);
    });
  });

  test('the choice of role is remembered, an address runs nothing, and the secret is not stored', async () => {
    await open(
      'read',
      '#/data/default/public.customer',
      ['own', 'x-engine-user-id: 1'],
      async ({ page, sent }) => {
        await showRows(page);
        await status(page, '1 row.');
        const before = sent().length;
        await page.reload();
        await page.getByLabel('Admin secret').fill(SECRET);
        await page.getByRole('button', { name: 'Open' }).click();
        await page.getByText('Nothing was read from this table yet').waitFor();
        expect(await page.getByLabel('Run as').inputValue()).toBe('own');
        expect(await page.getByLabel('Session variables').inputValue()).toBe('x-engine-user-id: 1');
        expect(sent().length).toBe(before);
        const kept: string = await page.evaluate(
          'JSON.stringify([{...localStorage}, {...sessionStorage}, document.cookie])',
        );
        expect(JSON.parse(kept)).toEqual([
          { 'engine.console.as': JSON.stringify({ role: 'own', session: 'x-engine-user-id: 1' }) },
          {},
          '',
        ]);
      },
    );
  });

  test('cells that the role may not see are told from those that are null', async () => {
    await open(
      'read',
      '#/data/default/public.customer',
      ['member', 'x-engine-user-id: 2'],
      async ({ page }) => {
        await showRows(page);
        await status(page, '3 rows.');
        const found = await cells(page);
        expect(found.map(([id, , email, credit]) => [id, email, credit])).toEqual([
          ['1', 'masked', 'masked'],
          // Its own row, whose address is null.
          ['2', 'null', '1'],
          ['3', 'masked', 'null'],
        ]);
        const title = await page.getByRole('gridcell', { name: 'masked' }).first().getAttribute('title');
        expect(title).toContain('X-Engine-User-Id');
      },
    );
  });

  /** Scrolls to the end until there is no other page, and gives the first cell of each row, in order. */
  const scrollThrough = async (page: Page) => {
    const seen = new Map<string, readonly string[]>();
    let most = 0;
    for (;;) {
      const now = await cells(page);
      most = Math.max(most, now.length);
      for (const row of now) seen.set(row.join('|'), row);
      const { isEnd }: { isEnd: boolean } = await page.evaluate(`(() => {
        const grid = document.querySelector('[role=grid]');
        const isEnd = grid.scrollTop + grid.clientHeight >= grid.scrollHeight - 1 && grid.getAttribute('aria-rowcount') !== '-1';
        grid.scrollTop += grid.clientHeight - 100;
        return { isEnd };
      })()`);
      await page.evaluate(
        'new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)))',
      );
      if (isEnd) return { rows: [...seen.values()], most };
    }
  };

  test.each([
    ['by the key', '', false, 'order by ticket.id'],
    ['backwards', 'priority', true, 'order by priority desc, ticket.id desc'],
  ])('pages follow each other %s, and no row is lost or twice', async (_, column, descending, order) => {
    await open('read', '#/data/default/public.ticket', ['names', ''], async ({ page, sent }) => {
      if (column !== '') {
        await page.getByLabel('Order').selectOption(column);
        if (descending) await page.getByLabel('Direction').selectOption('descending');
      }
      await showRows(page);
      await status(page, '500 rows so far');
      const { rows, most } = await scrollThrough(page);
      const expected = await database.query(`select id::text from ticket ${order}`);
      expect(rows.map(([id]) => id)).toEqual(expected.map(({ id }) => id));
      expect(rows).toHaveLength(TICKETS);
      expect(most).toBeLessThan(100);
      expect(sent().filter((text) => text.includes('offset'))).toEqual([]);
    });
  });

  test.each([
    ['a key of two columns', '#/data/default/public.stock', 'names', 750, 'key'],
    ['a limit of the role', '#/data/default/public.ticket', 'limited', TICKETS, 'key'],
    ['a view, which has no key', '#/data/default/public.open_tickets', 'names', TICKETS / 2, 'offset'],
    ['a table whose key the role does not see', '#/data/default/public.ticket', 'keyless', TICKETS, 'offset'],
  ])('%s', async (_, hash, role, count, by) => {
    await open('read', hash, [role, ''], async ({ page, sent }) => {
      await showRows(page);
      await status(page, 'so far');
      expect(await page.getByText('so pages are counted').count()).toBe(by === 'offset' ? 1 : 0);
      await scrollThrough(page);
      await status(page, `${count} rows.`);
      expect(sent().some((text) => text.includes('offset'))).toBe(by === 'offset');
    });
  });

  test('conditions by the operators of the API, and as JSON; a mistake says what is wrong', async () => {
    await open('read', '#/data/default/public.ticket', ['names', ''], async ({ page }) => {
      const line = (index: number, name: string) => page.locator('.condition').nth(index).getByLabel(name);
      const add = async (index: number, column: string, operator: string, value: string) => {
        await page.getByRole('button', { name: '+ Condition' }).click();
        await line(index, 'Column').selectOption(column);
        await line(index, 'Operator').selectOption(operator);
        const field = line(index, 'Value');
        if (value === 'true') await field.selectOption(value);
        else await field.fill(value);
      };
      await add(0, 'title', '_like', 'Ticket 1_');
      await add(1, 'is_open', '_eq', 'true');
      await add(2, 'id', '_nin', '[12]');
      await page.getByRole('button', { name: '+ JSON' }).click();
      await page.getByLabel('Condition as JSON').fill('{"customer": {"name": {"_neq": "Cleo"}}}');
      await showRows(page);
      await status(page, 'rows.');
      const expected = await database.query(
        `select t.id::text from ticket t join customer c on c.id = customer_id where title like 'Ticket 1_' and is_open and t.id <> 12 and c.name <> 'Cleo' order by t.id`,
      );
      expect((await cells(page)).map(([id]) => id)).toEqual(expected.map(({ id }) => id));
      await page.getByRole('button', { name: 'Count' }).click();
      await status(page, `${expected.length} rows in all`);
      for (const [text, says] of [
        ['{"customer": ', 'is not JSON'],
        ['[1]', 'has to be an object'],
      ] as const) {
        await page.getByLabel('Condition as JSON').fill(text);
        await showRows(page);
        await page.getByRole('alert').getByText(says).waitFor();
      }
      // The server says what it does not understand, and why the role is refused what exists for others.
      await page.getByLabel('Condition as JSON').fill('{"opened": {"_is_null": true}}');
      await showRows(page);
      await page.getByRole('alert').getByText("field 'opened' not found").waitFor();
      await page.getByText('The permission does not list the column opened.').waitFor();
    });
  });

  test('relationships lead to the row and to the rows, and back', async () => {
    await open('read', '#/data/default/public.ticket', ['names', ''], async ({ page }) => {
      await showRows(page);
      await page.getByRole('gridcell', { name: 'row →' }).first().click();
      await page.getByRole('heading', { name: 'public.customer' }).waitFor();
      await status(page, '1 row.');
      expect((await cells(page))[0]!.slice(0, 2)).toEqual(['2', 'Brook']);
      await page.getByRole('gridcell', { name: 'rows →' }).click();
      await page.getByRole('heading', { name: 'public.ticket' }).waitFor();
      await status(page, '367 rows.');
      expect(new Set((await cells(page)).map(([, customer]) => customer))).toEqual(new Set(['2']));
      expect(await page.locator('.condition').getByLabel('Value').inputValue()).toBe('2');
      // What is read again runs when it is asked for.
      await page.goBack();
      await page.getByText('Nothing was read from this table yet').waitFor();
    });
  });

  test('by keyboard: through the rows, in order of a column, into a row and out of it', async () => {
    await open('read', '#/data/default/public.ticket', ['names', ''], async ({ page }) => {
      await showRows(page);
      await status(page, 'so far');
      await page.getByRole('grid').focus();
      for (const key of ['ArrowRight', 'ArrowRight', 'Enter']) await page.keyboard.press(key);
      await page.locator('[aria-sort=ascending]').getByText('title').waitFor();
      await status(page, 'so far');
      expect((await cells(page))[0]![2]).toBe('Ticket 1');
      await page.getByRole('grid').focus();
      for (const key of ['ArrowDown', 'ArrowDown', 'PageDown', 'PageUp', 'Enter'])
        await page.keyboard.press(key);
      const row = page.getByRole('complementary', { name: 'Row' });
      await row.getByText('Ticket 10', { exact: true }).waitFor();
      await row.getByRole('button', { name: 'Close' }).focus();
      await page.keyboard.press('Escape');
      await row.waitFor({ state: 'detached' });
    });
  });

  test('the query, its SQL and its plan; and on to the query page', async () => {
    await open('read', '#/data/default/public.ticket', ['names', ''], async ({ page, sent }) => {
      await page.getByLabel('Order').selectOption('title');
      await page.getByRole('button', { name: 'Query and SQL' }).click();
      const panel = page.getByRole('complementary', { name: 'Query' });
      await panel.getByText('query rows').waitFor();
      await panel.getByText(/Limit\s+\(cost=/).waitFor();
      expect(sent()).toEqual([]);
      await panel.getByRole('button', { name: 'Open in Query' }).click();
      const frame = page.frameLocator('iframe');
      await frame.getByRole('tab', { name: 'rows' }).waitFor({ timeout: 60_000 });
      expect(await page.getByLabel('Run as').inputValue()).toBe('names');
    });
  });

  test('a console that may not write has no way to', async () => {
    await open('read', '#/data/default/public.ticket', ['names', 'x-engine-user-id: 2'], async ({ page }) => {
      await showRows(page);
      await page.getByRole('gridcell', { name: 'Ticket 1', exact: true }).click();
      await page.getByRole('complementary', { name: 'Row' }).waitFor();
      expect(await page.getByRole('button', { name: /Insert|Edit|Delete/ }).count()).toBe(0);
      await page.getByText('--console-mode').waitFor();
    });
  });

  const ticket = async (id: number) =>
    (await database.query(`select title, priority from ticket where id = ${id}`))[0];

  test('inserts, edits and deletes as the role, which is refused by rules that are shown', async () => {
    await open(
      'write',
      '#/data/default/public.ticket',
      ['names', 'x-engine-user-id: 2'],
      async ({ page, sent }) => {
        await showRows(page);
        await status(page, 'so far');
        const panel = page.getByRole('complementary');
        const button = (name: string) => panel.getByRole('button', { name, exact: true });
        // The role's own row is changed.
        await page.getByRole('gridcell', { name: 'Ticket 1', exact: true }).click();
        await button('Edit').click();
        await panel.getByLabel('title').fill('Ticket one');
        await button('Save').click();
        await status(page, '1 row changed.');
        await page.getByRole('gridcell', { name: 'Ticket one' }).waitFor();
        expect(await ticket(1)).toEqual({ title: 'Ticket one', priority: 1 });
        // Only what was filled in was sent.
        expect(sent().find((text) => text.includes('update_row'))).toContain('"set":{"title":"Ticket one"}');
        // The check refuses a value, and says so.
        await page.getByRole('gridcell', { name: 'Ticket one' }).click();
        await button('Edit').click();
        await panel.getByLabel('priority').fill('12');
        await button('Save').click();
        await panel.getByText('check constraint of an insert/update permission has failed').waitFor();
        await panel.getByText('update on public.ticket').waitFor();
        await panel.getByText('priority < 10').waitFor();
        expect(await ticket(1)).toEqual({ title: 'Ticket one', priority: 1 });
        // What PostgreSQL does not read.
        await panel.getByLabel('priority').fill('many');
        await button('Save').click();
        await panel.getByText(/invalid input syntax|expected/).waitFor();
        await panel.getByRole('button', { name: 'Close' }).click();
        // The role may not change a row of others.
        await page.getByRole('gridcell', { name: 'Ticket 2', exact: true }).click();
        await button('Edit').click();
        await panel.getByLabel('title').fill('mine');
        await button('Save').click();
        await panel.getByText('No row was changed: names may not update this one').waitFor();
        await panel.getByText('customer_id = X-Engine-User-Id').waitFor();
        expect(await ticket(2)).toEqual({ title: 'Ticket 2', priority: 2 });
        await panel.getByRole('button', { name: 'Close' }).click();
        await page.getByRole('gridcell', { name: 'Ticket 2', exact: true }).click();
        await button('Delete').click();
        await panel.getByText('Delete this row as names?').waitFor();
        await button('Yes').click();
        await panel.getByText('No row was changed: names may not delete this one').waitFor();
        await panel.getByText('customer_id = X-Engine-User-Id').waitFor();
        expect(await ticket(2)).toBeDefined();
        // Its own is deleted.
        await page.getByRole('gridcell', { name: 'Ticket 4', exact: true }).click();
        await button('Delete').click();
        await button('Yes').click();
        await status(page, '1 row deleted.');
        expect(await page.getByRole('gridcell', { name: 'Ticket 4', exact: true }).count()).toBe(0);
        expect(await ticket(4)).toBeUndefined();
        // Inserted rows have presets, and null where that was chosen.
        await page.getByRole('button', { name: 'Insert a row' }).click();
        await panel.getByText('title String, required').waitFor();
        await panel.getByLabel('title').fill(HOSTILE);
        await panel
          .locator('.field')
          .filter({ hasText: 'is_open' })
          .getByRole('combobox')
          .selectOption('false');
        await panel
          .locator('.field')
          .filter({ hasText: 'priority' })
          .getByRole('spinbutton')
          .or(panel.getByLabel('priority'))
          .fill('11');
        await button('Insert').click();
        await panel.getByText('priority < 10').waitFor();
        await panel.getByLabel('priority').fill('3');
        await button('Insert').click();
        await status(page, '1 row inserted.');
        const [inserted] = await database.query(
          `select customer_id, priority, is_open from ticket where title = '${HOSTILE}'`,
        );
        expect(inserted).toEqual({ customer_id: 2, priority: 3, is_open: false });
      },
    );
  });

  test('values of every type, as an administrator', async () => {
    await open('write', '#/data/default/public.customer', ['admin', ''], async ({ page }) => {
      await page.getByRole('button', { name: 'Insert a row' }).click();
      const panel = page.getByRole('complementary');
      const values = {
        name: 'Dora',
        mood: 'cross',
        tags: '["a b", "c"]',
        details: '{"n": 12345678901234567890}',
        credit: '98765432109876543210.5',
      };
      for (const [name, value] of Object.entries(values)) await panel.locator(`#field-${name}`).fill(value);
      await panel.locator('.field').filter({ hasText: 'email' }).getByRole('checkbox').check();
      await panel.getByRole('button', { name: 'Insert', exact: true }).click();
      await status(page, '1 row inserted.');
      const [row] = await database.query(
        `select name, email, mood::text, tags, details::text, credit::text from customer where name = 'Dora'`,
      );
      expect(row).toEqual({ ...values, email: null, tags: ['a b', 'c'] });
      await database.query(`delete from customer where name = 'Dora'`);
    });
  });

  test('markup in names and values stays text', async () => {
    const hash = `#/data/default/${encodeURIComponent(`public.${HOSTILE}`)}`;
    await open('read', hash, ['names', ''], async ({ page }) => {
      await showRows(page);
      await page.getByRole('gridcell', { name: HOSTILE }).waitFor();
      expect(await page.locator('img').count()).toBe(0);
    });
  });
});
