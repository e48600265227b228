import { expect, onTestFinished, test } from 'vitest';
import { columnText } from '../../../runtime/database/text-query.ts';
import { CITUS } from '../../harness/citus.ts';
import { createTestDatabase } from '../../harness/postgres.ts';
import { openSource } from '../../harness/source.ts';

async function settingOf(name: string, sql: string): Promise<string> {
  const database = await createTestDatabase('');
  await database.query(sql);
  const source = openSource(database.url, { maxConnections: 1, preparedStatements: 0 });
  onTestFinished(() => source.end());
  const setting = { text: `select current_setting('${name}')` };
  const [first] = await source.readTexts(setting, []);
  // What SQL from outside leaves behind is discarded, and this stays.
  await source.query('select 1');
  expect(await source.readTexts(setting, [])).toEqual([first]);
  return columnText(first!);
}

test('JIT compilation is off, unless it was switched on for the database', async () => {
  expect(await settingOf('jit', 'select 1')).toBe('off');
  const own = `do $$ begin execute format('alter database %I set jit = on', current_database()); end $$`;
  expect(await settingOf('jit', own)).toBe('on');
});

test('statements are planned for their values where the extension citus is there', async () => {
  expect(await settingOf('plan_cache_mode', 'select 1')).toBe('auto');
  expect(await settingOf('plan_cache_mode', CITUS)).toBe('force_custom_plan');
});

test('reads of a cluster, where each waits for other nodes, have separate connections', async () => {
  const database = await createTestDatabase(CITUS);
  const source = openSource(database.url, { maxConnections: 16 });
  onTestFinished(() => source.end());
  const read = () => source.readTexts({ text: 'select 1' }, []);
  // Known to be quick by now, on a busy machine as well: times below the estimate count more than those above.
  for (let index = 0; index < 100; index++) await read();
  const opened = async () =>
    (
      await database.query<{ n: number }>(
        `select count(*)::int as n from pg_stat_activity where application_name = 'engine' and datname = current_database()`,
      )
    )[0]!.n;
  expect(await opened()).toBe(1);
  await Promise.all(Array.from({ length: 8 }, read));
  await expect.poll(opened, { timeout: 30_000 }).toBe(8);
});
