import { expect, onTestFinished, test } from 'vitest';
import { createTestDatabase } from '../../harness/postgres.ts';
import { openSource } from '../../harness/source.ts';

async function jitOf(sql: string): Promise<string> {
  const database = await createTestDatabase('');
  await database.query(sql);
  const source = openSource(database.url, { maxConnections: 1, preparedStatements: 0 });
  onTestFinished(() => source.end());
  const jit = { text: `select current_setting('jit')` };
  const [first] = await source.readTexts(jit, []);
  // What SQL from outside leaves behind is discarded, and this stays.
  await source.query('select 1');
  expect(await source.readTexts(jit, [])).toEqual([first]);
  return first!;
}

test('JIT compilation is off, unless it was switched on for the database', async () => {
  expect(await jitOf('select 1')).toBe('off');
  const own = `do $$ begin execute format('alter database %I set jit = on', current_database()); end $$`;
  expect(await jitOf(own)).toBe('on');
});
