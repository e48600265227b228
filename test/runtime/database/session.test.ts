import { expect, onTestFinished, test } from 'vitest';
import { connectSource } from '../../../runtime/database/source.ts';
import { createTestDatabase } from '../../harness/postgres.ts';

async function jitOf(sql: string): Promise<string> {
  const database = await createTestDatabase('');
  await database.query(sql);
  const source = connectSource(() => ({ connectionString: database.url }), {
    maxConnections: 1,
    idleTimeout: 180,
    retries: 0,
    connectionLifetime: 600,
    preparedStatements: 0,
    isolationLevel: 'read-committed',
  });
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
