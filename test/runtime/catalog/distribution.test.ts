/** The catalogs of Citus, read from stand-ins of them: tables of the same names, which no test has a cluster for. */
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { checkCatalogFile } from '../../../runtime/catalog/catalog.ts';
import { fingerprintStatement } from '../../../runtime/catalog/distribution.ts';
import { introspectDatabase } from '../../../runtime/catalog/index.ts';
import { loadReadBody } from '../../../runtime/catalog/sql-body.ts';
import { CITUS, distribute, PLACES, SPREAD } from '../../harness/citus.ts';
import { createTestDatabase } from '../../harness/postgres.ts';
import { REQUESTS } from '../../harness/request-project.ts';

async function read(sql: string) {
  const database = await createTestDatabase(sql);
  const statements: string[] = [];
  const catalog = await introspectDatabase(async (text) => {
    statements.push(text);
    return { rows: await database.query(text) };
  }, loadReadBody);
  return { catalog, statements };
}

test('distribution columns, colocation groups, reference tables and schemas', async () => {
  const { catalog } = await read(PLACES + CITUS + SPREAD);
  expect(catalog.distribution).toEqual({
    tables: {
      'acme.task': { kind: 'single', group: 7 },
      'public.Order': { kind: 'distributed', by: 'tenant_id', group: 1 },
      'public.doc': { kind: 'distributed', by: 'tenant_id', group: 1 },
      'public.family': { kind: 'refused', why: 'has rows of public.family_doc, which is distributed' },
      'public.family_doc': { kind: 'distributed', by: 'tenant_id', group: 1 },
      'public.login': { kind: 'distributed', by: 'email', group: 3 },
      'public.plan': { kind: 'reference' },
      'public.slice': { kind: 'distributed', by: 'tenant_id', group: 1 },
      'public.slice_1': { kind: 'distributed', by: 'tenant_id', group: 1 },
      'public.tenant': { kind: 'distributed', by: 'id', group: 1, generated: true },
    },
    fingerprint: expect.stringMatching(/^[0-9a-f]{32}$/),
  });
  const file = { version: 3, sources: { default: { ...catalog, enumTables: {} } } };
  expect(checkCatalogFile(JSON.parse(JSON.stringify(file)))).toEqual({ file });
});

test('the project of the requests has the distribution that its catalogs say', async () => {
  const { tables, functions } = JSON.parse(readFileSync(`${REQUESTS}citus/distribution.json`, 'utf8'));
  type Row = { kind: string; by?: string; group?: number };
  const views = ['plan_view', 'team_workload', 'ticket_count', 'ticket_one', 'ticket_word'];
  const rows = Object.entries(tables as Record<string, Row>)
    .filter(([key]) => !views.includes(key.slice('public.'.length)))
    .map(([key, { kind, by = null, group = 5 }]) =>
      kind === 'reference'
        ? ([key, 'n', null, 4, 't'] as const)
        : ([key, by === null ? 'n' : 'h', by, group] as const),
    );
  const { catalog } = await read(
    `${readFileSync(`${REQUESTS}citus/schema.sql`, 'utf8')};${CITUS}${distribute(...rows, ['setting', 'n', null, 0])}`,
  );
  expect(catalog.distribution).toMatchObject({ tables, functions });
});

test('plain PostgreSQL is asked one statement, and says nothing of shards', async () => {
  const { catalog, statements } = await read(PLACES);
  expect(catalog).not.toHaveProperty('distribution');
  expect(statements).toHaveLength(1);
});

test('the extension without a table that is spread', async () => {
  const { catalog } = await read(PLACES + CITUS);
  expect(catalog.distribution).toEqual({ tables: {}, fingerprint: expect.any(String) });
});

test('the fingerprint is the same for the same distribution, whatever the numbers are', async () => {
  const database = await createTestDatabase(PLACES + CITUS + SPREAD);
  const fingerprint = async (sql: string) => {
    await database.query(sql);
    return (await database.query(fingerprintStatement))[0]!.fingerprint;
  };
  const first = await fingerprint('select 1');
  expect(
    await fingerprint(
      'update pg_dist_partition set colocationid = colocationid + 100 where colocationid > 0',
    ),
  ).toBe(first);
  const changes = [
    `update pg_dist_partition set colocationid = 103 where logicalrelid = 'doc'::regclass`,
    `update pg_dist_partition set partkey = 'id' where logicalrelid = 'doc'::regclass`,
    `update pg_dist_partition set repmodel = 's' where logicalrelid = 'plan'::regclass`,
    `delete from pg_dist_partition where logicalrelid = 'setting'::regclass`,
    `alter table doc rename to paper`,
    `truncate pg_dist_partition`,
  ];
  const seen = new Set([first]);
  for (const change of changes) seen.add(await fingerprint(change));
  expect(seen.size).toBe(changes.length + 1);
});
