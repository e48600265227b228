/** What a change of a cluster means for a program that was compiled before it. Plain PostgreSQL, with stand-ins of its catalogs. */
import { expect, test } from 'vitest';
import { compile } from '../../../../compiler/index.ts';
import { readMetadata } from '../../../../compiler/phases/1-read/index.ts';
import { createLoader } from '../../../../runtime/program/loader.ts';
import { verifyProgram } from '../../../../runtime/program/verify/verify.ts';
import { CITUS, distribute } from '../../../harness/citus.ts';
import { catalogsOf } from '../../../harness/compile.ts';
import { defaultSource } from '../../../harness/metadata.ts';
import { createTestDatabase } from '../../../harness/postgres.ts';

const SQL = `
  create table plan (value text primary key);
  create table ticket (tenant_id integer, id integer, subject text, primary key (tenant_id, id));
  create table note (id integer primary key, body text);
  create function plans() returns setof plan language sql stable as 'select * from plan';
`;

const OPERATIONS = {
  // A function in SQL sees the copies empty: refused to every role.
  refused: '{ plans { value } }',
  written: 'mutation { insert_ticket_one(object: {id: 1, subject: "x"}) { id } }',
  served: '{ note { body } }',
};

const METADATA = {
  version: 3,
  sources: [
    defaultSource(
      {
        tables: [{ table: 'plan' }, { table: 'ticket' }, { table: 'note' }],
        functions: [{ function: 'plans' }],
      },
      'postgres://nowhere',
    ),
  ],
  query_collections: [
    {
      name: 'desk',
      definition: { queries: Object.entries(OPERATIONS).map(([name, query]) => ({ name, query })) },
    },
  ],
};

test.each<[string, string, string, string[]]>([
  ['nothing, beside operations that are refused', '', 'same', []],
  [
    'a column that a table has no more, beside operations that are refused',
    'alter table note rename body to text',
    'breaking',
    ['column public.note.body'],
  ],
  [
    'a table that is distributed',
    distribute(['note', 'h', 'id', 5]),
    'breaking',
    ['distribution of public.note'],
  ],
  [
    'a table that is distributed no longer',
    `delete from pg_dist_partition where logicalrelid = 'ticket'::regclass`,
    'breaking',
    ['distribution of public.ticket'],
  ],
])('%s', async (_, change, verdict, objects) => {
  const database = await createTestDatabase(
    `${SQL}${CITUS}${distribute(['plan', 'n', null, 2, 't'], ['ticket', 'h', 'tenant_id', 1])}`,
  );
  const { value } = readMetadata(METADATA);
  const { files, diagnostics } = compile({
    metadata: value,
    catalogs: await catalogsOf(value, database.url),
  });
  expect(diagnostics.filter(({ severity }) => severity === 'error')).toEqual([]);
  const program = await createLoader().load(files);
  if (change !== '') await database.query(change);
  const verification = await verifyProgram(
    program,
    new Map([['default', { connectionString: database.url }]]),
  );
  expect([verification.verdict, verification.changes.map(({ object }) => object)]).toEqual([
    verdict,
    objects,
  ]);
});
