/**
 * Texts that a join finds equal by a collation that ignores case, and rules that compare them by other collations: what the
 * rule of one table says of its text is not said of the other one.
 */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type InProcess, serveInProcess } from '../../harness/in-process.ts';
import { metadataOf } from '../../harness/metadata.ts';
import { createTestDatabase } from '../../harness/postgres.ts';

const SQL = `
  create collation loose (provider = icu, locale = 'und-u-ks-level2', deterministic = false);
  create domain loose_text as text collate loose;
  create table loose (id int primary key, name text collate loose);
  create table domained (id int primary key, name loose_text);
  create table strict (id int primary key, name text, secret text);
  insert into loose values (1, 'ABC'); insert into domained values (1, 'ABC');
  insert into strict values (1, 'Abc', 'SECRET'), (2, 'abc', 'mine');
`;

const named = (name: string, others: Readonly<Record<string, string>>, filter: object) => ({
  table: name,
  array_relationships: Object.entries(others).map(([relationship, remote_table]) => ({
    name: relationship,
    using: { manual_configuration: { remote_table, column_mapping: { name: 'name' } } },
  })),
  select_permissions: [{ role: 'user', permission: { columns: '*', filter } }],
});

const isNamed = { name: { _eq: 'X-Engine-Name' } };
let served: InProcess;

beforeAll(async () => {
  const { url } = await createTestDatabase(SQL);
  served = await serveInProcess(
    url,
    metadataOf([
      named('loose', { strict: 'strict' }, isNamed),
      named('domained', { strict: 'strict' }, isNamed),
      named('strict', { loose: 'loose', domained: 'domained' }, isNamed),
    ]),
  );
});

afterAll(() => served?.end());

test.each(['loose', 'domained'])('from a %s text to a strict one', async (table) => {
  const query = `{ ${table} { strict { secret } } strict { secret ${table} { name } } }`;
  expect(JSON.parse(await served.answer({ query }, 'user', { 'x-engine-name': 'abc' }))).toEqual({
    data: {
      [table]: [{ strict: [{ secret: 'mine' }] }],
      strict: [{ secret: 'mine', [table]: [{ name: 'ABC' }] }],
    },
  });
});
