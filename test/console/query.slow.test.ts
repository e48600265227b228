/** The query page of the console in a real Chromium: operations run as the chosen role, and what it is refused is explained. */
import type { Browser, FrameLocator, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createTestDatabase, type TestDatabase } from '../harness/postgres.ts';
import { send, startTestServer, type TestServer } from '../harness/server.ts';
import { editorOf, hasChromium, launch, openConsole, writeOperation } from './browser.ts';
import { metadata, SCHEMA } from './project.ts';

const SECRET = 'secret of the test of the query page';
const headers = { 'x-engine-admin-secret': SECRET };

/** A native query and a native mutation: the manager may call both, the clerk the query. */
const NATIVE = {
  logical_models: [
    {
      name: 'found',
      fields: [{ name: 'total', type: { scalar: 'integer', nullable: true } }],
      select_permissions: ['manager', 'clerk'].map((role) => ({
        role,
        permission: { columns: ['total'], filter: {} },
      })),
    },
  ],
  native_queries: [
    {
      root_field_name: 'totals',
      arguments: { least: { type: 'integer', nullable: true } },
      code: 'select total from invoice where {{least}} is null or total >= {{least}}',
      returns: 'found',
    },
    {
      root_field_name: 'raise_totals',
      type: 'mutation',
      arguments: { added: { type: 'integer' } },
      code: 'update invoice set total = total + {{added}} returning total',
      returns: 'found',
      permissions: [{ role: 'manager' }],
    },
  ],
};

describe.skipIf(!hasChromium)('the query page', () => {
  let database: TestDatabase;
  let reading: TestServer;
  let writing: TestServer;
  let browser: Browser;

  beforeAll(async () => {
    database = await createTestDatabase(SCHEMA);
    const variables = { DATABASE_URL: database.url };
    const options = { ENABLE_CONSOLE: 'true', ADMIN_SECRET: SECRET };
    reading = await startTestServer(database, options, variables);
    const project = metadata('http://127.0.0.1:9');
    const sources = (project.sources as readonly object[]).map((source) => ({ ...source, ...NATIVE }));
    const args = { metadata: { ...project, sources }, allow_inconsistent_metadata: true };
    await send(reading, '/v1/metadata', { headers, body: { type: 'replace_metadata', version: 2, args } });
    writing = await startTestServer(database, { ...options, CONSOLE_MODE: 'write' }, variables);
    browser = await launch();
  }, 120_000);
  afterAll(async () => {
    await browser?.close();
    await reading?.stop();
    await writing?.stop();
  });

  const open = (server: TestServer, run: (page: Page, requests: readonly string[]) => Promise<void>) =>
    openConsole(browser, server, { hash: '#/query', secret: SECRET }, ({ page, requests }) =>
      run(page, requests),
    );

  const execute = (frame: FrameLocator) => frame.getByRole('button', { name: /execute/i }).click();

  /** Waits until the answer that GraphiQL shows has the text. */
  const answered = (frame: FrameLocator, text: string | RegExp) =>
    expect
      .poll(async () =>
        ((await frame.locator('.graphiql-response .view-lines').textContent()) ?? '').replaceAll(/\s+/g, ' '),
      )
      .toMatch(text);

  test('an operation runs as the role, with its session variables', async () => {
    await open(reading, async (page, requests) => {
      await page.getByLabel('Run as').selectOption('clerk');
      // The variables that the role's rules compare with are there to be filled in.
      await expect.poll(() => page.getByLabel('Session variables').inputValue()).toBe('x-engine-user-id: ');
      await page.getByLabel('Session variables').fill('X-Engine-User-Id: 2');
      const frame = await writeOperation(page, 'query customers { customer { name } }');
      await frame.getByRole('button', { name: /prettify/i }).click();
      const lines = frame.locator('.graphiql-query-editor .view-line');
      await expect.poll(() => lines.count()).toBeGreaterThan(4);
      await execute(frame);
      await answered(frame, 'Brook');
      expect(await frame.locator('.graphiql-response').textContent()).not.toContain('Ada');
      await page.getByLabel('Run as').selectOption('manager');
      await execute(frame);
      await answered(frame, 'Ada');
      // The secret is in headers alone.
      expect(requests.filter((each) => each.includes(SECRET))).toEqual([]);
      for (const part of page.frames()) {
        const kept: string = await part.evaluate(
          'JSON.stringify([localStorage, sessionStorage, document.cookie])',
        );
        const [local, , cookie] = JSON.parse(kept) as [object, object, string];
        expect([Object.keys(local), cookie]).toEqual([['engine.console.as'], '']);
        expect(kept).not.toContain(SECRET);
        expect(await part.content()).not.toContain(SECRET);
      }
    });
  });

  test('text and role outlast a visit of another page', async () => {
    await open(reading, async (page) => {
      await editorOf(page);
      await page.getByLabel('Run as').selectOption('manager');
      const frame = await writeOperation(page, 'query kept_operation { __typename }');
      await frame.getByRole('tab', { name: 'kept_operation' }).waitFor();
      await page.getByRole('link', { name: 'Overview' }).click();
      await page.getByRole('link', { name: 'Query' }).click();
      await (await editorOf(page)).getByRole('tab', { name: 'kept_operation' }).waitFor();
      expect(await page.getByLabel('Run as').inputValue()).toBe('manager');
    });
  });

  test('the explorer writes an operation, by what the role is offered', async () => {
    await open(reading, async (page) => {
      await page.getByLabel('Run as').selectOption('manager');
      const frame = await editorOf(page);
      await frame.getByRole('button', { name: 'Show GraphiQL Explorer' }).click();
      const explorer = frame.locator('.graphiql-explorer-root');
      await explorer.getByText('customer', { exact: true }).click();
      await explorer.getByText('email', { exact: true }).last().click();
      const lines = frame.locator('.graphiql-query-editor .view-lines');
      await expect.poll(() => lines.textContent()).toMatch(/customer\W+\{\W*email/);
      expect(await explorer.getByText('note', { exact: true }).count()).toBe(0);
    });
  });

  test.each([
    ['admin', 'query', 'totals', /^least\*?:/],
    ['clerk', 'query', 'totals', /^least\*?:/],
    ['admin', 'mutation', 'raise_totals', /^added\*?:/],
    ['manager', 'mutation', 'raise_totals', /^added\*?:/],
    ['clerk', 'mutation', 'raise_totals', undefined],
  ] as const)(
    'the explorer has native queries with their arguments: %s, %s',
    async (role, kind, name, argument) => {
      await open(reading, async (page) => {
        await page.getByLabel('Run as').selectOption(role);
        const frame = await writeOperation(page, `${kind} asked { __typename }`);
        await frame.getByRole('button', { name: 'Show GraphiQL Explorer' }).click();
        const explorer = frame.locator('.graphiql-explorer-root');
        await explorer.getByText('asked').or(explorer.locator('input[value="asked"]')).first().waitFor();
        const field = explorer.getByText(name, { exact: true });
        if (argument === undefined) {
          expect(await field.count()).toBe(0);
          return;
        }
        await field.first().click();
        await explorer
          .getByText(argument)
          .or(explorer.getByText(/^args\*?:/))
          .first()
          .waitFor();
        if ((await explorer.getByText(argument).count()) === 0)
          await explorer
            .getByText(/^args\*?:/)
            .first()
            .click();
        await explorer.getByText(argument).first().waitFor();
      });
    },
  );

  test('history outlasts a reload', async () => {
    await open(reading, async (page) => {
      const frame = await writeOperation(page, 'query kept_in_history { __typename }');
      // GraphiQL's history has the operation of the tab, which follows the editor a moment later.
      await frame.getByRole('tab', { name: 'kept_in_history' }).waitFor();
      await execute(frame);
      await answered(frame, 'query_root');
      await page.reload();
      await page.getByLabel('Admin secret').fill(SECRET);
      await page.getByRole('button', { name: 'Open' }).click();
      const again = await editorOf(page);
      await again.getByRole('button', { name: 'Show History' }).click();
      await again.locator('.graphiql-history').getByText('kept_in_history').first().waitFor();
    });
  });

  test('a subscription shows results until it is stopped', async () => {
    await open(reading, async (page) => {
      const frame = await writeOperation(page, 'subscription watch { customer_by_pk(id: 1) { name } }');
      await execute(frame);
      await answered(frame, 'Ada');
      await frame.getByRole('button', { name: /stop/i }).click();
    });
  });

  const INSERT = 'mutation add { insert_customer_one(object: {name: "Carol"}) { name } }';

  test('a console that changes nothing refuses mutations itself', async () => {
    await open(reading, async (page, requests) => {
      const frame = await writeOperation(page, INSERT);
      await execute(frame);
      await answered(frame, /console-mode *write/);
      expect(requests.filter((each) => each.includes('insert_customer_one'))).toEqual([]);
    });
  });

  test('with console-mode write it runs them', async () => {
    await open(writing, async (page) => {
      await page.getByLabel('Run as').selectOption('manager');
      await expect.poll(() => page.getByLabel('Session variables').inputValue()).toBe('x-engine-user-id: ');
      await page.getByLabel('Session variables').fill('x-engine-user-id: 7');
      const frame = await writeOperation(page, INSERT);
      await execute(frame);
      await answered(frame, 'Carol');
    });
    const query = '{ customer(where: {name: {_eq: "Carol"}}) { note } }';
    const { json } = await send(writing, '/v1/graphql', { headers, body: { query } });
    expect(json).toEqual({ data: { customer: [{ note: '7' }] } });
  });

  describe('explains', () => {
    const explained = async (page: Page, role: string, session: string, operation: string) => {
      await page.getByLabel('Run as').selectOption(role);
      await page.getByLabel('Session variables').fill(session);
      await writeOperation(page, operation);
      await page.getByRole('button', { name: 'Explain' }).click();
      return page.getByRole('region', { name: 'Explanation' });
    };

    test('each name that the role is refused', async () => {
      await open(reading, async (page) => {
        const operation =
          'query q { customer { name email invoices { id } } customer_aggregate { aggregate { count } } }';
        const region = await explained(page, 'clerk', '', operation);
        const cards = region.getByRole('article').filter({ hasText: 'refused' });
        await cards.getByText('generated/').first().waitFor();
        const texts = (await cards.allInnerTexts()).map((text) => text.replaceAll(/\s+/g, ' '));
        expect(texts).toHaveLength(2);
        expect(texts[0]).toMatch(
          /customer\.email refused The permission does not list the column email\. Permission select on public\.customer for clerk, columns Place generated\/\S+:\d+ metadata\.sources\[0\]\.tables\[\d\]\.select_permissions\[0\]\.permission\.columns To grant it List the column in "columns"\. Granted to admin manager generated\/\S+:\d+/,
        );
        expect(texts[1]).toMatch(
          /query_root\.customer_aggregate refused The permission allows no aggregations/,
        );
        await cards.first().getByRole('link', { name: 'manager' }).click();
        await page.getByRole('complementary').getByText('access.ts').first().waitFor();
      });
    });

    test('the rules that apply, with SQL and plan', async () => {
      await open(reading, async (page) => {
        const region = await explained(page, 'clerk', 'x-engine-user-id: 5', 'query q { customer { name } }');
        await region.getByText('Every field of the operation is offered to the role.').waitFor();
        await region.getByText('generated/').first().waitFor();
        const text = await region.textContent();
        expect(text).toMatch(/select on public\.customer\s+generated\/\S+:\d+/);
        expect(text).toContain("('5')::");
        expect(text).toContain('Scan');
      });
    });

    test('a session variable that is missing, a line that is no variable, and a mistake in the text', async () => {
      await openConsole(
        browser,
        reading,
        { hash: '#/query', secret: SECRET },
        async ({ page }) => {
          const region = await explained(page, 'clerk', 'nonsense', 'query q { customer { name } }');
          await page.getByRole('alert').getByText('name: value').waitFor();
          await execute(await editorOf(page));
          await answered(await editorOf(page), /^\{ *"errors": \[ *\{ *"message": *"Write[^{]*\}/);
          await page.getByLabel('Session variables').fill('');
          await page.getByRole('button', { name: 'Explain' }).click();
          await region.getByText('which the session does not have').waitFor();
          await writeOperation(page, 'query q { customer name }}');
          await page.getByRole('button', { name: 'Explain' }).click();
          await region.getByText('not a valid graphql query: Syntax Error').waitFor();
        },
        (complaint) => complaint.includes('400'),
      );
    });
  });

  test('only the frame of the editor has a laxer policy, and it connects to nothing', async () => {
    const policy = async (path: string) =>
      String((await send(reading, path, { method: 'GET' })).headers['content-security-policy']);
    expect(await policy('/console')).not.toContain('unsafe-inline');
    const frame = await policy('/console/query');
    expect(frame).toMatch(/^default-src 'none'; script-src 'self'; /);
    expect(frame).not.toContain('connect-src');
    expect(frame.match(/[\w-]+ 'unsafe-inline'/g)).toEqual(["style-src-attr 'unsafe-inline'"]);
    expect(await policy('/console/query')).not.toBe(frame);
    expect(await policy('/console/query/graphql-worker.js')).toBe("default-src 'none'; script-src 'self'");
  });
});
