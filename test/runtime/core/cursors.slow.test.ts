/**
 * A cursor says exactly where a row is, for values of every type that has an order: pages of any size, in either direction and by any
 * order, give each row once, in the order of one read of all.
 */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type InProcess, serveInProcess } from '../../harness/in-process.ts';
import { metadataOf } from '../../harness/metadata.ts';
import { createTestDatabase } from '../../harness/postgres.ts';

/** By type: values that are hard to write, or near to others. */
const VALUES: Readonly<Record<string, readonly string[]>> = {
  int2: ['-32768', '0', '32767'],
  int4: ['-2147483648', '0', '2147483647'],
  int8: ['-9223372036854775808', '9007199254740992', '9007199254740993', '9223372036854775807'],
  float4: ['-Infinity', '-0', '0', '1e-45', '0.1', '16777217', '3.4028235e38', 'Infinity', 'NaN'],
  float8: [
    '-Infinity',
    '-1e308',
    '-0',
    '0',
    '5e-324',
    '0.1',
    '0.30000000000000004',
    '1e22',
    'Infinity',
    'NaN',
  ],
  numeric: [
    '-Infinity',
    '0',
    '0.00',
    '0.10000000000000000001',
    '0.10000000000000000002',
    '1e30',
    'Infinity',
    'NaN',
  ],
  'numeric(12,4)': ['-1.5', '0.0001', '1.0000'],
  money: ['-12.34', '0', '12345678901.99'],
  boolean: ['false', 'true'],
  text: ['', ' ', '"', '\\', '\\u0000', 'a\nb', 'null', 'é', '😀'],
  'varchar(9)': ['', 'a', 'b '],
  'char(4)': ['', 'a', 'a b'],
  name: ['', 'a', 'null'],
  '"char"': ['a', 'b'],
  citext: ['a', 'A', 'b', 'ß'],
  blurred: ['a', 'A', 'b', 'B'],
  uuid: ['00000000-0000-0000-0000-000000000000', 'ffffffff-ffff-ffff-ffff-ffffffffffff'],
  bytea: ['', '\\x00', '\\x0001', '\\xff'],
  date: [
    '-infinity',
    '4713-01-01 BC',
    '0044-03-15 BC',
    '2000-02-29',
    '10000-01-01',
    '5874897-12-31',
    'infinity',
  ],
  timestamp: [
    '-infinity',
    '0044-03-15 12:00 BC',
    '2000-01-01 00:00:00.000001',
    '2000-01-01 00:00:00.000002',
    '294276-12-31 23:59:59.999999',
    'infinity',
  ],
  timestamptz: [
    '-infinity',
    '0044-03-15 12:00+00 BC',
    '1890-01-01 00:00:00.000001+00:53:28',
    '2000-01-01 00:00:00.000001Z',
    '2000-01-01 00:00:00.000002Z',
    '294276-12-31 23:59:59.999999Z',
    'infinity',
  ],
  'timestamptz(0)': ['2000-01-01 00:00:00Z', '2000-01-01 00:00:01Z'],
  time: ['00:00', '23:59:59.999999', '24:00'],
  timetz: ['00:00+15:59', '12:00+00', '11:00-01', '24:00-15:59'],
  interval: ['-1 year', '-1 s', '0', '1 month', '30 days', '1 mon 0.000001 s', '1 month -1 day 3 h'],
  json_text: ['a', 'null'],
  jsonb: [
    'null',
    '""',
    '"null"',
    '1',
    '1.0',
    '1.50',
    '12345678901234567890.10',
    'true',
    '[]',
    '[null]',
    '{"a": null}',
    '{"a": {"b": [1e2]}}',
  ],
  mood: ['sad', 'ok', 'glad'],
  small: ['-1', '5'],
  'int4[]': ['{}', '[0:1]={1,2}', '{1,NULL}', '{1,2}', '{{1,2},{3,4}}'],
  'text[]': ['{}', '{""}', '{"NULL"}', '{NULL}', '{"a,b","\\"\\\\"}'],
  'jsonb[]': ['{null}', '{"null"}', '{NULL}'],
  pair: ['(,)', '(1,)', '(1,"")', '(1,"a,\\"b")', '(,x)'],
  int4range: ['empty', '(,)', '[1,3)', '[1,)'],
  tstzrange: ['empty', '[2000-01-01 00:00:00.000001Z,infinity)', '[2000-01-01,)'],
  int4multirange: ['{}', '{[1,2),[4,5)}'],
  'bit(3)': ['000', '101'],
  varbit: ['', '0', '01', '101'],
  inet: ['10.0.0.1', '10.0.0.1/8', '::1'],
  cidr: ['10.0.0.0/8', '10.0.0.0/9'],
  macaddr: ['08:00:2b:01:02:03', '08:00:2b:01:02:04'],
  oid: ['0', '4294967295'],
  pg_lsn: ['0/0', '16/B374D848'],
  xid8: ['0', '18446744073709551615'],
  tsvector: ['', "'a':1 'b'", "'a b'"],
  ltree: ['a', 'a.b', 'b'],
};

const TYPES = Object.keys(VALUES);
const table = (type: string) => `t${TYPES.indexOf(type)}`;

const SCHEMA = `
  create extension if not exists citext; create extension if not exists ltree;
  create collation blur (provider = icu, locale = 'und-u-ks-level2', deterministic = false);
  create domain json_text as text; create domain small as int check (value < 10); create domain blurred as text collate blur;
  create type mood as enum ('sad', 'ok', 'glad'); create type pair as (a int, b text);
  ${TYPES.map((type) => {
    const rows = [...VALUES[type]!.map((value) => `'${value.replaceAll("'", "''")}'`), 'null'];
    const values = rows.flatMap((value) => [`(${value}, null)`, `(${value}, 1)`, `(${value}, 2)`]);
    return `
      create table ${table(type)} (id int generated always as identity primary key, v ${type}, n int);
      insert into ${table(type)} (v, n) select v::${type}, n from (values ${values.join(', ')}) as x (v, n)
        order by md5(n::text || v::text), n;`;
  }).join('\n')}
`;

const DIRECTIONS = ['asc_nulls_first', 'asc_nulls_last', 'desc_nulls_first', 'desc_nulls_last'];

let served: InProcess;
let order: (sql: string) => Promise<readonly number[]>;
beforeAll(async () => {
  const database = await createTestDatabase(SCHEMA);
  const metadata = metadataOf(TYPES.map((type) => ({ table: table(type) })));
  served = await serveInProcess(database.url, metadata);
  order = async (sql) => (await database.query(sql)).map(({ id }) => Number(id));
});
afterAll(() => served?.end());

interface Connection {
  readonly edges: { readonly cursor: string; readonly node: { readonly id: string } }[];
  readonly pageInfo: { readonly hasNextPage: boolean; readonly hasPreviousPage: boolean };
}

/** Ids of the primary key in the order of pages, each page given by the cursor at the end of the one before. */
async function walk(name: string, orderBy: string, size: number, isForward: boolean): Promise<number[]> {
  const ids: number[] = [];
  const [first, after] = isForward ? ['first', 'after'] : ['last', 'before'];
  for (let cursor: string | undefined, more = true; more; ) {
    const args = [`order_by: [${orderBy}]`, `${first}: ${size}`];
    if (cursor !== undefined) args.push(`${after}: ${JSON.stringify(cursor)}`);
    const query = `{ page: ${name}_connection(${args.join(', ')}) {
      edges { cursor node { id } } pageInfo { hasNextPage hasPreviousPage } } }`;
    const text = await served.answer({ query, relay: true }, 'admin');
    const { edges, pageInfo } = (JSON.parse(text) as { data: { page: Connection } }).data.page;
    const page = edges.map(({ node }) => JSON.parse(Buffer.from(node.id, 'base64').toString())[3] as number);
    if (isForward) ids.push(...page);
    else ids.unshift(...page);
    cursor = edges.at(isForward ? -1 : 0)?.cursor;
    more = (isForward ? pageInfo.hasNextPage : pageInfo.hasPreviousPage) && ids.length < 1000;
  }
  return ids;
}

test.each(TYPES)('pages by %s give each row once, in order', async (type) => {
  const name = table(type);
  for (const [index, direction] of DIRECTIONS.entries()) {
    const other = DIRECTIONS[(index * 3 + TYPES.indexOf(type)) % 4]!;
    const sorted = (key: string) => key.replaceAll('_', ' ');
    for (const [orderBy, sql] of [
      [`{v: ${direction}}`, `v ${sorted(direction)}, id`],
      [`{n: ${other}}, {v: ${direction}}`, `n ${sorted(other)}, v ${sorted(direction)}, id`],
      [`{v: ${direction}}, {n: ${other}}`, `v ${sorted(direction)}, n ${sorted(other)}, id`],
    ] as const) {
      const expected = await order(`select id from ${name} order by ${sql}`);
      for (const [size, isForward] of [
        [1, true],
        [2, false],
        [3, true],
        [1, false],
      ] as const)
        expect([orderBy, size, isForward, await walk(name, orderBy, size, isForward)]).toEqual([
          orderBy,
          size,
          isForward,
          expected,
        ]);
    }
  }
});
