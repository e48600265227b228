/** What a developer does with the console, beside its budgets: rows, the model with its picture, and the preview of a permission. */
import pg from 'pg';
import type { Page } from 'playwright-core';
import { scrollFrames } from './console-frames.ts';

/** Rows of the table that is scrolled. */
const ROWS = 100_000;
const TABLE = 'console_reading';

export async function createRows(databaseUrl: string): Promise<void> {
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  await client.query(`
    create table public.${TABLE} (id int primary key, sensor text not null, value numeric not null, noted timestamptz not null,
      remark text, is_good boolean, detail jsonb, place text, kind text, level int);
    insert into public.${TABLE} select i, 'sensor ' || i % 50, i * 1.5, timestamptz '2026-01-01' + i * interval '1 minute',
      'remark ' || i, i % 3 = 0, jsonb_build_object('n', i), 'place ' || i % 9, 'kind ' || i % 7, i % 100
    from generate_series(1, ${ROWS}) i;
    analyze public.${TABLE}`);
  await client.end();
}

/**
 * @param used milliseconds of processor time that the server has used so far
 * @param add takes a measure with its goal
 */
export async function measureBuilding(
  page: Page,
  used: () => Promise<number>,
  add: (measure: string, goal: number, value: number) => void,
): Promise<void> {
  page.setDefaultTimeout(600_000);
  const go = (hash: string) => page.evaluate(`location.hash = ${JSON.stringify(hash)}`);
  const timed = async (measure: string, goal: number, run: () => Promise<void>) => {
    const [begin, before] = [performance.now(), await used()];
    await run();
    add(measure, goal, performance.now() - begin);
    add('of it processor time of the server, ms', goal, (await used()) - before);
  };

  await go(`#/data/default/public.${TABLE}`);
  const show = page.getByRole('button', { name: 'Show rows' });
  await show.waitFor();
  await timed('first page of rows, ms', 1000, async () => {
    await show.click();
    await page.getByRole('gridcell').first().waitFor();
  });
  await readToTheEnd(page);
  const slow = await scrollFrames(page, '.rows', 200);
  add(`frame of a scroll of ${ROWS} rows, p95, ms`, 17, slow.between);
  add('of it processor time of the page, ms', 16, slow.cpu);
  const fast = await scrollFrames(page, '.rows', 28 * (ROWS / 180));
  add('frame of a scroll from the first row to the last, p95, ms', 17, fast.between);
  add('of it processor time of the page, ms', 16, fast.cpu);

  await timed('model, until its tables are shown, ms', 3000, async () => {
    await go('#/model');
    await page.getByRole('heading', { name: 'Tables and views' }).waitFor();
  });
  await timed('picture of every table, ms', 5000, async () => {
    await page.getByText('Picture of the tracked tables').click();
    await page.getByRole('region', { name: 'Picture' }).getByRole('link').first().waitFor();
  });
  await go(`#/model/default/public/${TABLE}/newcomer/select`);
  await page.getByLabel(`newcomer may select rows of ${TABLE}`).check();
  await page.getByRole('button', { name: 'all', exact: true }).click();
  for (const measure of ['preview of a permission after a start, ms', 'preview of a permission, ms'])
    await timed(measure, 10_000, async () => {
      await page.getByRole('button', { name: 'Preview' }).click();
      await page.getByText('Compiling …').waitFor();
      await page.getByText('Compiling …').waitFor({ state: 'detached' });
      await page.getByText('Who may do more').waitFor();
    });
}

/** Jumps to the end until the last page was read. */
async function readToTheEnd(page: Page): Promise<void> {
  await page.evaluate(`new Promise((done) => {
    const grid = document.querySelector('.rows');
    const jump = () => {
      if (grid.getAttribute('aria-rowcount') !== '-1') return done();
      grid.scrollTop = grid.scrollHeight;
      setTimeout(jump, 10);
    };
    jump();
  })`);
}
