import { expect, onTestFinished, test } from 'vitest';
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
  return first!;
}

test('JIT compilation is off, unless it was switched on for the database', async () => {
  expect(await settingOf('jit', 'select 1')).toBe('off');
  const own = `do $$ begin execute format('alter database %I set jit = on', current_database()); end $$`;
  expect(await settingOf('jit', own)).toBe('on');
});

test('statements are planned for their values where the extension citus is there', async () => {
  expect(await settingOf('plan_cache_mode', 'select 1')).toBe('auto');
  const citus = `set allow_system_table_mods = on;
    insert into pg_extension select 90000, 'citus', extowner, extnamespace, false, '13.2-1', null, null from pg_extension limit 1`;
  expect(await settingOf('plan_cache_mode', citus)).toBe('force_custom_plan');
});
