/** What a change of the database means for native queries and native mutations that were compiled before it. */
import { expect, test } from 'vitest';
import { compile } from '../../../../compiler/index.ts';
import { readMetadata } from '../../../../compiler/phases/1-read/index.ts';
import { programOf } from '../../../../compiler/phases/4-plan/program.ts';
import { verifyProgram } from '../../../../runtime/program/verify/verify.ts';
import { catalogsOf } from '../../../harness/compile.ts';
import { readRequestProject } from '../../../harness/request-project.ts';

test.each<[string, string, string, string[]]>([
  ['nothing', '', 'same', []],
  ['a further column', 'alter table archive add note text', 'same', []],
  [
    'a table that is gone',
    'drop table archive',
    'breaking',
    ['mutation close', 'query account', 'query account_by_pk', 'query closings'],
  ],
  [
    'a column that is written',
    'alter table log rename note to text',
    'breaking',
    ['mutation close', 'mutation note'],
  ],
  ['a function that is gone', 'drop function noted', 'breaking', ['mutation note']],
  [
    'a trigger on a table that only native mutations write',
    `create function stamp() returns trigger language plpgsql as 'begin return null; end';
     create trigger stamp before insert on archive for each row execute function stamp()`,
    'redefined',
    [],
  ],
])('%s', async (_, change, verdict, broken) => {
  const { database, metadata } = await readRequestProject('native-writing');
  const { value } = readMetadata(metadata);
  const { state, diagnostics } = compile({
    metadata: value,
    catalogs: await catalogsOf(value, database.url),
  });
  expect(diagnostics).toEqual([]);
  const program = { ...programOf(state.plan), withoutAdmin: true as const };
  if (change !== '') await database.query(change);
  const databases = new Map([['default', { connectionString: database.url }]]);
  const { verdict: found, changes } = await verifyProgram(program, databases);
  const names = changes.flatMap(({ breaks }) => breaks.map(({ name }) => name));
  expect([found, [...new Set(names)].sort()]).toEqual([verdict, broken]);
});
