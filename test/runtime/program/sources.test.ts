import { expect, onTestFinished, test } from 'vitest';
import { readConfiguration } from '../../../runtime/configuration/configuration.ts';
import { openSource } from '../../../runtime/program/sources.ts';
import { createTestDatabase } from '../../harness/postgres.ts';

test.each([
  [undefined, true, 1],
  [false, true, 1],
  [true, true, 1],
  [undefined, false, 0],
  [false, false, 0],
  [true, false, 1],
])('use_prepared_statements: %s with the server option %s prepares %s', async (wish, option, prepared) => {
  const { url } = await createTestDatabase('');
  const source = openSource(
    'default',
    {
      database_url: { kind: 'template', template: url },
      isolation_level: 'read-committed',
      pool_settings: { max_connections: 1 },
      ...(wish === undefined ? {} : { use_prepared_statements: wish }),
    },
    { configuration: readConfiguration({ usePreparedStatements: String(option) }, {}), environment: {} },
  );
  onTestFinished(() => source.end());
  expect(await source.readTexts({ text: `select 'read'` }, [])).toEqual(['read']);
  const { rows } = await source.query('select count(*)::int as n from pg_prepared_statements');
  expect(rows).toEqual([{ n: prepared }]);
});
