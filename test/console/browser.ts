/** The console in a real Chromium, and everything that the browser complains of. */
import { existsSync } from 'node:fs';
import {
  type Browser,
  type BrowserContextOptions,
  chromium,
  type FrameLocator,
  type Page,
} from 'playwright-core';
import { expect } from 'vitest';
import type { TestServer } from '../harness/server.ts';

const CHROMIUM = process.env.ENGINE_TEST_CHROMIUM ?? '/usr/bin/chromium';
export const hasChromium = existsSync(CHROMIUM);
if (!hasChromium) console.log('Chromium is not installed (Debian: chromium): the console is not tested');

export function launch(): Promise<Browser> {
  // As root the sandbox cannot be set up.
  const args = ['--disable-dev-shm-usage', ...(process.getuid?.() === 0 ? ['--no-sandbox'] : [])];
  return chromium.launch({ executablePath: CHROMIUM, args });
}

export interface Opened {
  readonly page: Page;
  /** Method, address and body of every request so far. */
  readonly requests: readonly string[];
}

/**
 * Opens the console at an address behind `#` in a context of its own, and fails for whatever the browser complains of: errors of scripts,
 * refusals of the content security policy, dialogs, and requests to others.
 */
export async function openConsole(
  browser: Browser,
  server: TestServer,
  { hash, secret, ...options }: { readonly hash: string; readonly secret: string } & BrowserContextOptions,
  run: (opened: Opened) => Promise<void>,
  isExpected: (complaint: string) => boolean = () => false,
): Promise<void> {
  const context = await browser.newContext(options);
  const page = await context.newPage();
  const complaints: string[] = [];
  const requests: string[] = [];
  page.on('console', (message) => {
    // The first request is refused: that is how the page learns that a secret is needed.
    if (!message.text().includes('401')) complaints.push(message.text());
  });
  page.on('pageerror', (error) => complaints.push(error.message));
  page.on('dialog', (dialog) => {
    complaints.push(`a dialog: ${dialog.message()}`);
    void dialog.dismiss();
  });
  page.on('request', (request) =>
    requests.push(`${request.method()} ${request.url()} ${request.postData() ?? ''}`),
  );
  await page.goto(`http://127.0.0.1:${server.port}/console${hash}`);
  await page.getByLabel('Admin secret').fill(secret);
  await page.getByRole('button', { name: 'Open' }).click();
  await page.getByRole('navigation').waitFor();
  await run({ page, requests });
  expect(complaints.filter((each) => !isExpected(each))).toEqual([]);
  // Fonts of the editor are in its style sheet.
  const others = requests.filter((each) => !/^\w+ (http:\/\/127\.0\.0\.1:\d+\/|data:)/.test(each));
  expect(others).toEqual([]);
  await context.close();
}

/** GraphiQL within the console, ready for input. Its bundle is made on the first visit, which takes a while. */
export async function editorOf(page: Page): Promise<FrameLocator> {
  const frame = page.frameLocator('iframe');
  await frame.getByRole('textbox').first().waitFor({ timeout: 60_000, state: 'attached' });
  return frame;
}

/** Replaces the operation in the editor. */
export async function writeOperation(page: Page, operation: string): Promise<FrameLocator> {
  const frame = await editorOf(page);
  await frame.getByRole('textbox').first().focus();
  await page.keyboard.press('ControlOrMeta+A');
  await page.keyboard.press('Delete');
  await page.keyboard.insertText(operation);
  return frame;
}
