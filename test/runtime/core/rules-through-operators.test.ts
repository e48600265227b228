/** A join by an equality that the database defines for a domain: what a rule says of one value is not said of its equal. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type InProcess, serveInProcess } from '../../harness/in-process.ts';
import { metadataOf } from '../../harness/metadata.ts';
import { createTestDatabase } from '../../harness/postgres.ts';

const SQL = `
  create domain digit as int;
  create function same_digit(digit, digit) returns boolean language sql immutable as 'select $1::int % 10 operator(pg_catalog.=) $2::int % 10';
  create operator = (leftarg = digit, rightarg = digit, function = same_digit);
  create table one (id int primary key, owner digit);
  create table other (id int primary key, owner digit, secret text);
  insert into one values (1, 7);
  insert into other values (1, 17, 'SECRET'), (2, 7, 'mine');
`;

const table = (name: string, others: readonly string[]) => ({
  table: name,
  array_relationships: others.map((remote_table) => ({
    name: 'others',
    using: { manual_configuration: { remote_table, column_mapping: { owner: 'owner' } } },
  })),
  select_permissions: [
    { role: 'user', permission: { columns: '*', filter: { owner: { _in: ['X-Engine-Owner'] } } } },
  ],
});

let served: InProcess;
beforeAll(async () => {
  const { url } = await createTestDatabase(SQL);
  served = await serveInProcess(url, metadataOf([table('one', ['other']), table('other', [])]));
});
afterAll(() => served?.end());

test('the rule of the joined table is asked', async () => {
  const query = '{ one { others(order_by: {id: asc}) { secret } } other(order_by: {id: asc}) { secret } }';
  const { data } = JSON.parse(await served.answer({ query }, 'user', { 'x-engine-owner': '7' }));
  expect(data.one).toEqual([{ others: data.other }]);
});
