/** The console in a real Chromium (Debian: chromium; another place in ENGINE_TEST_CHROMIUM). */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { type Browser, chromium, type Page } from 'playwright-core';
import { expect } from 'vitest';
import type { RunningServer } from '../../runtime/main.ts';
import { record } from './output.ts';

const CHROMIUM = process.env.ENGINE_TEST_CHROMIUM ?? '/usr/bin/chromium';
export const hasChromium = existsSync(CHROMIUM);
if (!hasChromium) console.log('Chromium is not installed (Debian: chromium): the console is not tested');

export function launchChromium(): Promise<Browser> {
  // As root the sandbox cannot be set up.
  const args = ['--disable-dev-shm-usage', ...(process.getuid?.() === 0 ? ['--no-sandbox'] : [])];
  return chromium.launch({ executablePath: CHROMIUM, args });
}

export interface OpenConsole {
  readonly page: Page;
  /** Operations of the metadata API that the page has sent so far. */
  readonly operations: () => readonly string[];
  /** Paths that the page has asked for so far, of the server's own. */
  readonly paths: () => readonly string[];
}

/**
 * Opens the console at an address behind `#` as the administrator, and fails for whatever the browser complains of and for
 * requests to other places. Everything that the server answers counts as output, in which no secret may be.
 */
export async function withConsole(
  browser: Browser,
  server: RunningServer,
  secret: string,
  hash: string,
  run: (console: OpenConsole) => Promise<void>,
): Promise<void> {
  const origin = `http://127.0.0.1:${server.port}`;
  const context = await browser.newContext();
  await context.grantPermissions(['clipboard-read', 'clipboard-write'], { origin });
  const page = await context.newPage();
  page.setDefaultTimeout(20_000);
  const complaints: string[] = [];
  const requests: { readonly url: string; readonly body: string }[] = [];
  page.on('console', (message) => {
    // Answers with an error status. The first is how the page learns that a secret is needed.
    if (!message.text().startsWith('Failed to load resource')) complaints.push(message.text());
  });
  page.on('pageerror', (error) => complaints.push(error.message));
  page.on('dialog', (dialog) => complaints.push(`a dialog: ${dialog.message()}`));
  page.on('request', (request) => requests.push({ url: request.url(), body: request.postData() ?? '' }));
  const answers: Promise<void>[] = [];
  page.on('response', (response) => {
    if (!response.url().includes('/console/page.')) answers.push(response.text().then(record, () => {}));
  });
  try {
    await page.goto(`${origin}/console${hash}`);
    await page.getByLabel('Admin secret').fill(secret);
    await page.getByRole('button', { name: 'Open' }).click();
    await page.getByRole('navigation').waitFor();
    await run({
      page,
      operations: () => requests.flatMap(({ body }) => /^\{"type":"(\w+)"/.exec(body)?.[1] ?? []),
      paths: () => requests.map(({ url }) => url.replace(origin, '')),
    });
    await savePictures(page);
    await Promise.all(answers);
    expect(complaints).toEqual([]);
    expect(requests.filter(({ url }) => !url.startsWith(`${origin}/`))).toEqual([]);
  } finally {
    await context.close();
  }
}

/** Leaves pictures for people in the folder ENGINE_TEST_PICTURES: light and dark, for a desk and a phone. */
async function savePictures(page: Page): Promise<void> {
  const folder = process.env.ENGINE_TEST_PICTURES;
  if (folder === undefined) return;
  for (const colorScheme of ['light', 'dark'] as const)
    for (const width of [1280, 390]) {
      await page.emulateMedia({ colorScheme });
      await page.setViewportSize({ width, height: 900 });
      const name = new URL(page.url()).hash.replaceAll(/[^a-z]+/gi, '-').slice(1, 60);
      const file = `${name}-${colorScheme}-${width}.png`;
      await page.screenshot({ path: join(folder, file) });
    }
}

/** Presses "Copy as JSON" and gives what was copied. */
export async function copied(page: Page): Promise<unknown> {
  await page.getByRole('button', { name: 'Copy as JSON' }).click();
  await page.getByRole('button', { name: 'Copied' }).waitFor();
  return JSON.parse(await page.evaluate<string>('navigator.clipboard.readText()'));
}
