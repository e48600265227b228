/** A page for operators: operations that it sends, what it copies, and pictures of it for people. */
import { join } from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { record } from '../harness/output.ts';
import type { TestServer } from '../harness/server.ts';
import { openConsole } from './browser.ts';

export interface OperatorPage {
  readonly page: Page;
  /** Operations of the metadata API that the page has sent so far. */
  readonly operations: () => readonly string[];
}

/**
 * Opens the console as openConsole does; answers with an error status are no complaint. Everything that the server answers counts
 * as output, in which no secret may be. Leaves pictures in the folder ENGINE_TEST_PICTURES.
 */
export function openOperatorPage(
  browser: Browser,
  server: TestServer,
  place: { readonly hash: string; readonly secret: string },
  run: (opened: OperatorPage) => Promise<void>,
): Promise<void> {
  const permissions = ['clipboard-read', 'clipboard-write'];
  return openConsole(
    browser,
    server,
    { ...place, permissions },
    async ({ page, requests }) => {
      page.setDefaultTimeout(20_000);
      const answers: Promise<void>[] = [];
      page.on('response', (response) => void answers.push(response.text().then(record, () => {})));
      await run({
        page,
        operations: () => requests.flatMap((each) => /\{"type":"(\w+)"/.exec(each)?.[1] ?? []),
      });
      await Promise.all(answers);
      await savePictures(page);
    },
    (complaint) => complaint.startsWith('Failed to load resource'),
  );
}

/** Light and dark, for a desk and a phone. */
async function savePictures(page: Page): Promise<void> {
  const folder = process.env.ENGINE_TEST_PICTURES;
  if (folder === undefined) return;
  const name = new URL(page.url()).hash.replaceAll(/[^a-z]+/gi, '-').slice(1, 60);
  for (const colorScheme of ['light', 'dark'] as const)
    for (const width of [1280, 390]) {
      await page.emulateMedia({ colorScheme });
      await page.setViewportSize({ width, height: 900 });
      await page.screenshot({ path: join(folder, `${name}-${colorScheme}-${width}.png`), fullPage: true });
    }
}

/** Presses "Copy as JSON" and gives what was copied. */
export async function copied(page: Page): Promise<unknown> {
  await page.getByRole('button', { name: 'Copy as JSON' }).click();
  await page.getByRole('button', { name: 'Copied' }).waitFor();
  return JSON.parse(await page.evaluate<string>('navigator.clipboard.readText()'));
}
