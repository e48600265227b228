/** Values by which rows of two databases are joined: each finds what PostgreSQL finds equal, whatever JSON makes of it. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { metadataOf } from '../../../harness/metadata.ts';
import { createTestDatabase } from '../../../harness/postgres.ts';
import { replaceMetadata, send, startTestServer, type TestServer } from '../../../harness/server.ts';

/** Type → values of one side, and equal ones of the other side. */
const VALUES: Readonly<Record<string, readonly (readonly [string, string])[]>> = {
  'double precision': [
    ['NaN', 'NaN'],
    ['Infinity', 'inf'],
    ['-Infinity', '-inf'],
    ['-0', '0'],
    ['1e300', '1e300'],
  ],
  numeric: [
    ['NaN', 'nan'],
    ['1.0', '1'],
    ['12345678901234567890.1', '12345678901234567890.10'],
  ],
  date: [
    ['infinity', 'infinity'],
    ['-infinity', '-infinity'],
    ['0044-03-15 BC', '0044-03-15 BC'],
  ],
  timestamptz: [
    ['infinity', 'infinity'],
    ['2020-01-01 00:00+00', '2020-01-01 02:00+02'],
  ],
  'char(3)': [['a', 'a  ']],
  jsonb: [['{"a": 1}', '{"a": 1.0}']],
  int4range: [['[1,2]', '[1,3)']],
};

const kinds = Object.entries(VALUES).map(([type, pairs], index) => ({ type, pairs, table: `t${index}` }));

const tableOf = (name: string, type: string, values: readonly string[]) =>
  `create table ${name} (id serial primary key, k ${type});
   insert into ${name} (k) values ${values.map((value) => `('${value}')`).join(', ')};`;

const toOther = (table: string, relationship_type: 'object' | 'array') => ({
  name: relationship_type,
  definition: {
    to_source: { source: 'second', table: `other_${table}`, relationship_type, field_mapping: { k: 'k' } },
  },
});

const REFUSED = ['pair', 'own_pair', 'int[]', 'ints', 'json', 'xml', 'point'];
const TYPES =
  'create type pair as (a int, b text); create domain own_pair as pair; create domain ints as int[];';
const refused = (prefix: string) =>
  REFUSED.map((type, index) => `create table ${prefix}r${index} (k ${type});`).join('');

let server: TestServer;

beforeAll(async () => {
  const side = (at: 0 | 1, prefix: string) =>
    kinds.map(({ type, pairs, table }) =>
      tableOf(
        `${prefix}${table}`,
        type,
        pairs.map((pair) => pair[at]),
      ),
    );
  const first = await createTestDatabase(`${TYPES}${side(0, '').join('')}${refused('')}`);
  const second = await createTestDatabase(`${TYPES}${side(1, 'other_').join('')}${refused('other_')}`);
  server = await startTestServer(first);
  const names = [...kinds.map(({ table }) => table), ...REFUSED.map((_, index) => `r${index}`)];
  const metadata = metadataOf(
    names.map((table) => ({
      table,
      ...(table.startsWith('t') && {
        remote_relationships: [toOther(table, 'object'), toOther(table, 'array')],
      }),
    })),
    {},
    first.url,
  );
  const other = metadataOf(
    names.map((table) => ({ table: `other_${table}` })),
    {},
    second.url,
  );
  const sources = [metadata, other].flatMap(({ sources }) => sources as { name: string }[]);
  await replaceMetadata(server, { version: 3, sources: [sources[0], { ...sources[1], name: 'second' }] });
});

afterAll(() => server?.stop());

test.each(kinds)('of type $type', async ({ pairs, table }) => {
  const query = `{ ${table}(order_by: {id: asc}) { object { id } array { id } } }`;
  const { json } = await send(server, '/v1/graphql', {
    headers: { 'content-type': 'application/json' },
    body: { query },
  });
  const rows = pairs.map((_, index) => ({ object: { id: index + 1 }, array: [{ id: index + 1 }] }));
  expect(json).toEqual({ data: { [table]: rows } });
});

test.each(REFUSED.map((type, index) => [type, `r${index}`]))('not of type %s', async (_, table) => {
  const args = { table, ...toOther(table, 'object') };
  const { status, json } = await send(server, '/v1/metadata', {
    body: { type: 'pg_create_remote_relationship', args },
  });
  expect([status, (json as { error: string }).error]).toEqual([
    400,
    expect.stringContaining(`column "k" of table "other_${table}" is of a type that joins cannot compare`),
  ]);
});
