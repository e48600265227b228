/**
 * Every page of the console of a small project, light and dark, on a desk and on a phone: no violation of WCAG AA that axe-core finds, no
 * complaint of the browser, no page wider than its window; names with markup stay text; and the keyboard leads everywhere.
 */
import axe from 'axe-core';
import type { Browser, Frame, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createTestDatabase } from '../harness/postgres.ts';
import { send, startTestServer, type TestServer } from '../harness/server.ts';
import { editorOf, hasChromium, launch, openConsole, writeOperation } from './browser.ts';
import { HOSTILE, metadata, SCHEMA } from './project.ts';

const SECRET = 'secret of the test of accessibility';
const hostile = encodeURIComponent(HOSTILE);

/** Addresses, with a text that is there when the page is ready. */
const PAGES: readonly (readonly [hash: string, text: string])[] = [
  ['#/overview', 'Sources'],
  ['#/access', 'customer'],
  ['#/access/default/public.customer/clerk', 'access.ts'],
  [`#/access/default/${encodeURIComponent(`public.${HOSTILE}`)}/${hostile}`, HOSTILE],
  ['#/who/default/public.customer/email', 'manager'],
  ['#/access/default/100%', 'customer'],
  ['#/data', 'customer'],
  ['#/data/default/public.customer', 'Nothing was read'],
  ['#/inconsistencies', 'gone'],
  ['#/model', 'customer'],
  ['#/model/default/public/customer', 'Permissions'],
  [`#/model/default/public/${hostile}`, HOSTILE],
  ['#/model/default/public/customer/manager/select', 'Rows that it sees'],
  ['#/model/default/public/customer/manager/insert', 'Presets'],
  ['#/changes', 'For git'],
  ['#/actions', 'greet'],
  ['#/actions/greet', 'Definition in GraphQL'],
  ['#/events', 'customer_changed'],
  ['#/events/trigger/default/customer_changed', 'Calls the webhook for'],
  [`#/events/cron/${hostile}`, 'Next times'],
  ['#/events/one-off', 'New one-off event'],
  ['#/remotes', HOSTILE],
  [`#/remotes/${hostile}`, 'What roles see'],
  [`#/remotes/${hostile}/clerk`, 'takes no permission'],
  ['#/operations', HOSTILE],
  [`#/operations/${hostile}/${hostile}`, 'customer'],
  ['#/query', 'Run as'],
];

describe.skipIf(!hasChromium)('every page of the console', () => {
  let server: TestServer;
  let browser: Browser;

  beforeAll(async () => {
    const database = await createTestDatabase(SCHEMA);
    const options = { ENABLE_CONSOLE: 'true', ADMIN_SECRET: SECRET, CONSOLE_MODE: 'write' };
    server = await startTestServer(database, options, { DATABASE_URL: database.url });
    const args = { metadata: metadata('http://127.0.0.1:9'), allow_inconsistent_metadata: true };
    const headers = { 'x-engine-admin-secret': SECRET };
    const body = { type: 'replace_metadata', version: 2, args };
    const { json } = await send(server, '/v1/metadata', { headers, body });
    const { inconsistent_objects: objects } = json as { inconsistent_objects: { name: string }[] };
    expect(objects.map(({ name }) => name)).toEqual([
      'table gone in source default',
      `remote_schema ${HOSTILE}`,
    ]);
    // An event that fails, for its page.
    const query = 'mutation { insert_customer_one(object: {name: "Carol"}) { id } }';
    await send(server, '/v1/graphql', { headers, body: { query } });
    browser = await launch();
  }, 120_000);
  afterAll(async () => {
    await browser?.close();
    await server?.stop();
  });

  const show = async (page: Page, [hash, text]: (typeof PAGES)[number]) => {
    await page.evaluate(`location.hash = ${JSON.stringify(hash)}`);
    await page.locator('main').getByText(text).filter({ visible: true }).first().waitFor();
    await loaded(page);
  };
  const loaded = async (page: Page) => {
    const waiting = page.getByRole('status').filter({ hasText: '…' });
    await expect.poll(() => waiting.count(), { timeout: 60_000 }).toBe(0);
  };

  /** What axe-core finds, as rule and element. */
  const violations = async (frame: Frame): Promise<string[]> => {
    await frame.evaluate(axe.source);
    return frame.evaluate(`axe.run({
      runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa'],
      iframes: false,
      resultTypes: ['violations'],
    }).then(({ violations }) => violations.flatMap(({ id, nodes }) =>
      nodes.map(({ html, any }) => [id, html.slice(0, 200), ...any.map(({ message }) => message)].join(' | '))))`);
  };

  /** Elements that reach beyond the page's main part. What is wide by nature scrolls in a box of its own. */
  const widerThanTheirBox = (page: Page): Promise<string[]> =>
    page.evaluate(`(() => {
      const main = document.querySelector('main');
      if (main.scrollWidth <= main.clientWidth) return [];
      const edge = main.getBoundingClientRect().right;
      return [...main.querySelectorAll('*')]
        .filter((each) => each.getBoundingClientRect().right > edge && !each.closest('.scroll *, .grid *'))
        .map((each) => each.outerHTML.slice(0, 100));
    })()`);

  const SETTINGS = (['light', 'dark'] as const).flatMap((colorScheme) =>
    [1280, 390].map((width) => ({ colorScheme, viewport: { width, height: 800 } })),
  );

  test.each(SETTINGS)('$colorScheme, $viewport.width pixels wide', { timeout: 180_000 }, async (setting) => {
    await openConsole(browser, server, { hash: '', secret: SECRET, ...setting }, async ({ page }) => {
      const found: string[] = [];
      const check = async (name: string) => {
        for (const violation of await violations(page.mainFrame())) found.push(`${name} ${violation}`);
        const excess: number = await page.evaluate('document.documentElement.scrollWidth - innerWidth');
        if (excess > 0) found.push(`${name} is ${excess} pixels wider than the window`);
        for (const wide of await widerThanTheirBox(page)) found.push(`${name} has a wider ${wide}`);
        if ((await page.locator('img').count()) > 0)
          found.push(`${name} has an image, which is markup in a name`);
      };
      for (const each of PAGES) {
        await show(page, each);
        // Forms are closed until they are wanted.
        await page.evaluate(
          `for (const form of document.querySelectorAll('main details')) form.open = true;`,
        );
        await expect.poll(() => page.locator('main [open] > summary:only-child').count()).toBe(0);
        await loaded(page);
        await check(each[0]);
      }
      await show(page, ['#/data/default/public.customer', 'Nothing was read']);
      await page.getByLabel('Run as').selectOption('manager');
      await page.getByLabel('Session variables').fill('x-engine-user-id: 1');
      await page.getByRole('button', { name: '+ Condition' }).click();
      await page.getByLabel('Operator').selectOption('_neq');
      await page.getByLabel('Value').fill('0');
      await page.getByRole('button', { name: '+ JSON' }).click();
      await page.getByRole('button', { name: 'Show rows' }).click();
      await page.getByRole('gridcell', { name: 'Brook', exact: true }).click();
      await page.getByRole('button', { name: 'Delete' }).waitFor();
      await check('#/data with a row');
      await page.getByRole('button', { name: 'Query and SQL' }).click();
      await page.getByText(/cost=/).first().waitFor();
      await check('#/data with the query');
      await page.getByRole('button', { name: 'Insert a row' }).click();
      await page.locator('#field-name').fill(HOSTILE);
      await page.getByRole('button', { name: 'Insert', exact: true }).click();
      await page.getByText('Permissions that apply').waitFor();
      await check('#/data with a form and a refusal');
      await show(page, ['#/query', 'Run as']);
      await editorOf(page);
      await page.getByLabel('Run as').selectOption('clerk');
      await writeOperation(page, 'query q { customer { name email } }');
      await page.getByRole('button', { name: 'Explain' }).click();
      await page.getByText('refused').first().waitFor();
      await check('#/query with an explanation');
      await show(page, ['#/model/default/public/customer/clerk/select', 'Rows that it sees']);
      await page.getByLabel('Add a condition on customer').selectOption({ label: 'any of (_or)' });
      await page.getByLabel('Add a condition on customer').first().selectOption({ label: 'invoices' });
      await page.getByLabel('Add a condition on invoice').waitFor();
      await page.getByRole('button', { name: 'Preview' }).click();
      await page.getByText('Who may do more').waitFor();
      await check('a rule with a preview');
      await page.getByRole('button', { name: 'Keep the change' }).click();
      await show(page, ['#/changes', 'Who may do more']);
      await check('#/changes with a change');
      expect(found).toEqual([]);
    });
  });

  test('the form for the secret', async () => {
    for (const setting of SETTINGS) {
      const page = await browser.newPage(setting);
      await page.goto(`http://127.0.0.1:${server.port}/console`);
      await page.getByLabel('Admin secret').waitFor();
      expect(await violations(page.mainFrame())).toEqual([]);
      await page.close();
    }
  });

  test('the keyboard leads from the form to each page, and into it', async () => {
    const page = await browser.newPage();
    await page.goto(`http://127.0.0.1:${server.port}/console`);
    await page.getByLabel('Admin secret').waitFor();
    const focused = () =>
      page.evaluate(
        `(() => { const { activeElement: e } = document; return e.matches('body') ? '' : (e.textContent.trim() || e.name || e.tagName); })()`,
      ) as Promise<string>;
    /** Presses Tab until the element with the text has the focus, which can be seen. */
    const tabTo = async (isWanted: string | (() => Promise<boolean>)) => {
      for (let count = 0; count < 60; count += 1) {
        await page.keyboard.press('Tab');
        const isThere = typeof isWanted === 'string' ? (await focused()) === isWanted : await isWanted();
        if (!isThere) continue;
        const outline: string = await page.evaluate('getComputedStyle(document.activeElement).outlineStyle');
        expect(outline).not.toBe('none');
        return;
      }
      throw new Error(`Tab does not lead to ${isWanted}`);
    };
    // The field has the focus from the start.
    await page.keyboard.type(SECRET);
    await page.keyboard.press('Enter');
    await page.getByRole('navigation').waitFor();
    const names = (await page.getByRole('navigation').getByRole('link').allInnerTexts()).map((name) =>
      name.trim(),
    );
    expect(names).toEqual([
      'Overview',
      'Access',
      'Data',
      'Inconsistencies',
      'Model',
      'Changes',
      'Actions',
      'Events',
      'Remote schemas',
      'Operations',
      'Query',
    ]);
    const inMain = () => page.evaluate(`document.activeElement.closest('main') !== null`) as Promise<boolean>;
    for (const name of names) {
      await page.evaluate('document.activeElement.blur()');
      await tabTo(name);
      await page.keyboard.press('Enter');
      await page.getByRole('heading', { level: 1, name }).waitFor();
      await tabTo(inMain);
    }
    await page.close();
  });
});
