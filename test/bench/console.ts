/**
 * `npm run bench -- console`: the access matrix in a real Chromium beside the budgets of the page, with 1,500 tables by 94 roles
 * (console-project.ts). The first visit after a start makes the matrix, later ones do not.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { gzipSync } from 'node:zlib';
import { chromium, type Page } from 'playwright-core';
import { startEmbeddedPostgres } from '../../compiler/offline/embedded.ts';
import { freePort } from '../harness/free-port.ts';
import { createRows, measureBuilding } from './console-building.ts';
import { scrollFrames } from './console-frames.ts';
import { trackEveryTable } from './console-project.ts';
import { buildPackage, startProcess, stopProcess, usageOf } from './processes.ts';
import { createProjectDatabase, sharedProject } from './project.ts';
import { alignedTable } from './results.ts';
import { firstAnswer, storeMetadata } from './starting.ts';

interface ConsoleFigure {
  readonly measure: string;
  readonly goal: number;
  /** Milliseconds, or kilobytes of the bundle. */
  readonly value: number;
}

const CHROMIUM = process.env.ENGINE_TEST_CHROMIUM ?? '/usr/bin/chromium';
const SECRET = 'secret of the benchmark';
const ADMIN = { 'x-engine-admin-secret': SECRET };

/** Measures on an embedded PostgreSQL of its own. Builds the package first. */
export async function benchConsole(progress: (text: string) => void): Promise<ConsoleFigure[]> {
  const folder = mkdtempSync(join(tmpdir(), 'engine-bench-'));
  progress('building the package');
  const engine = buildPackage(folder);
  const postgres = await startEmbeddedPostgres();
  const args = process.getuid?.() === 0 ? ['--no-sandbox'] : [];
  const browser = await chromium.launch({
    executablePath: CHROMIUM,
    args: [...args, '--disable-dev-shm-usage'],
  });
  try {
    progress('loading huge-schema');
    const databaseUrl = await createProjectDatabase(sharedProject('huge-schema'), postgres);
    await createRows(databaseUrl);
    const project = await trackEveryTable(join(folder, 'metadata.json'), databaseUrl);
    const environment = {
      ENGINE_GRAPHQL_DATABASE_URL: databaseUrl,
      ENGINE_GRAPHQL_METADATA_DATABASE_URL: await postgres.createDatabase('metadata'),
      ENGINE_GRAPHQL_SERVER_PORT: String(await freePort()),
    };
    const address = `http://127.0.0.1:${environment.ENGINE_GRAPHQL_SERVER_PORT}`;
    progress('storing the metadata');
    await storeMetadata([engine, 'serve'], environment, address, project);
    const server = startProcess([engine, 'serve', '--enable-console', '--console-mode', 'write'], {
      ...environment,
      ENGINE_GRAPHQL_ADMIN_SECRET: SECRET,
    });
    try {
      await firstAnswer(server, address, '{"query":"{ __typename }"}', ADMIN);
      const figures: ConsoleFigure[] = [];
      const add = (measure: string, goal: number, value: number) => {
        progress(`${measure}: ${value.toFixed(0)}`);
        figures.push({ measure, goal, value });
      };
      add('script and styles, gzip, kB', 500, await bundleSize(address));
      add('state of the overview, p95, ms', 20, await stateTime(address));
      progress('opening the page');
      const pings = longestPing(address);
      const page = await browser.newPage();
      add('interactive after a start, ms', 1000, await open(page, address));
      add('longest request of others meanwhile, ms', 100, await pings());
      await page.close();
      const again = await browser.newPage();
      add('interactive, ms', 1000, await open(again, address));
      progress('scrolling and searching');
      for (const which of ['first', 'next']) {
        const { between, cpu } = await scrollFrames(again, '.grid', 200);
        add(`frame of the ${which} scroll, p95, ms`, 17, between);
        add('of it processor time of the page, ms', 16, cpu);
      }
      add('search, ms', 100, await search(again));
      progress('building');
      await measureBuilding(again, async () => (await usageOf(server)).cpu, add);
      return figures;
    } finally {
      await stopProcess(server);
    }
  } finally {
    await browser.close();
    await postgres.stop();
    rmSync(folder, { recursive: true, force: true });
  }
}

async function bundleSize(address: string): Promise<number> {
  let bytes = 0;
  for (const name of ['page.js', 'page.css']) {
    const answer = await fetch(`${address}/console/${name}`);
    bytes += gzipSync(Buffer.from(await answer.arrayBuffer())).length;
  }
  return bytes / 1000;
}

/** Milliseconds that 95 of 100 answers about the server's state take at most. */
async function stateTime(address: string): Promise<number> {
  const times: number[] = [];
  for (let asked = 0; asked < 100; asked += 1) {
    const begin = performance.now();
    await (await fetch(`${address}/engine/console/state`, { headers: ADMIN })).text();
    times.push(performance.now() - begin);
  }
  return times.sort((left, right) => left - right)[94]!;
}

/** Milliseconds from the secret to the first rows. */
async function open(page: Page, address: string): Promise<number> {
  await page.goto(`${address}/console#/access`);
  await page.getByLabel('Admin secret').fill(SECRET);
  const begin = performance.now();
  await page.getByRole('button', { name: 'Open' }).click();
  await page.getByRole('gridcell').first().waitFor();
  return performance.now() - begin;
}

/** Asks for a small answer again and again. Returns what ends that, and says how long the slowest took. */
function longestPing(address: string): () => Promise<number> {
  let longest = 0;
  let ended = false;
  const asking = (async () => {
    while (!ended) {
      const begin = performance.now();
      const body = '{"query":"{ __typename }"}';
      await (await fetch(`${address}/v1/graphql`, { method: 'POST', headers: ADMIN, body })).text();
      longest = Math.max(longest, performance.now() - begin);
      await delay(5);
    }
  })();
  return async () => {
    ended = true;
    await asking;
    return longest;
  };
}

/** Until the matrix says that it shows fewer rows than it has. */
async function search(page: Page): Promise<number> {
  const begin = performance.now();
  await page.getByLabel('Tables and columns').fill('email');
  await page.waitForFunction(`(() => {
    const [, shown, all] = /(\\d+) of (\\d+) rows/.exec(document.body.textContent) ?? [];
    return Number(shown) < Number(all);
  })()`);
  return performance.now() - begin;
}

/** The figures beside their goals. */
export function consoleTable(figures: readonly ConsoleFigure[]): string {
  return alignedTable([
    ['', 'goal', 'measured'],
    ...figures.map(({ measure, goal, value }) => [measure, String(goal), value.toFixed(0)]),
  ]);
}
