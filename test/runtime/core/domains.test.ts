/** Columns of domains over every kind of type are compared, ordered and written like those of the type below. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { send, serve, type TestServer } from '../../harness/server.ts';
import { connect } from '../../harness/socket.ts';

/** Domain, the type below it, two values in their order as JSON, and whether it can be a stream's cursor. */
const DOMAINS: readonly (readonly [domain: string, base: string, low: unknown, high: unknown])[] = [
  ['mood_name', 'mood', 'bad', 'good'],
  ['mood_again', 'mood_name', 'bad', 'good'],
  ['short', 'text', 'a', 'b'],
  ['code', 'varchar(5)', 'a', 'b'],
  ['padded', 'char(5)', 'a    ', 'b    '],
  ['amount', 'numeric(6,2)', 1.5, 2.5],
  ['whole', 'bigint', 1, 2],
  ['day', 'date', '2020-01-01', '2020-01-02'],
  ['flag', 'boolean', false, true],
  ['ident', 'uuid', '00000000-0000-0000-0000-000000000001', '00000000-0000-0000-0000-000000000002'],
  ['doc', 'jsonb', { a: 1 }, { a: 2 }],
  ['numbers', 'integer[]', [1, 2], [1, 3]],
  ['moods', 'mood[]', ['bad'], ['good']],
  ['named_moods', 'mood_name[]', ['bad'], ['good']],
  ['span', 'int4range', '[1,2)', '[2,3)'],
  ['pair_of', 'pair', '(1,a)', '(2,a)'],
  ['address', 'inet', '1.2.3.4', '1.2.3.5'],
];
const COMPARABLE = (base: string) => !/^(boolean|uuid|jsonb|int4range|pair|inet)$/.test(base);

let server: TestServer;

beforeAll(async () => {
  const tables = DOMAINS.map(
    ([domain, base]) => `
      create table d_${domain} (k ${domain} primary key, other ${domain}, list ${domain}[], n integer);
      create table b_${domain} (k ${base} primary key, n integer);`,
  );
  server = await serve({
    sql: `create type mood as enum ('bad', 'good'); create type pair as (a integer, b text);
     ${DOMAINS.map(([domain, base]) => `create domain ${domain} as ${base};`).join('\n')}
     ${tables.join('\n')}
     create table texts (id integer primary key, list text[]); create table varchars (id integer primary key, list varchar[]);
     create table bigs (id integer primary key, list bigint[]); create table codes (id integer primary key, list code[]);
     create table ints (id integer primary key, list integer[]);
     insert into texts values (1, '{a,b}'), (2, null); insert into varchars values (1, '{a,b}');
     insert into codes values (1, '{a,b}'); insert into bigs values (1, '{1,2}'); insert into ints values (1, '{1,2}');`,
  });
  const args = (name: string, columns: Record<string, string>, table: string, remote: string) => ({
    table,
    name,
    using: { manual_configuration: { remote_table: remote, column_mapping: columns } },
  });
  const names = DOMAINS.flatMap(([domain]) => [`d_${domain}`, `b_${domain}`]);
  const operations: object[] = [...names, 'texts', 'varchars', 'bigs', 'ints', 'codes'].map((table) => ({
    type: 'pg_track_table',
    args: { table },
  }));
  for (const [domain, , low] of DOMAINS) {
    const [d, b] = [`d_${domain}`, `b_${domain}`];
    operations.push(
      { type: 'pg_create_object_relationship', args: args('base', { k: 'k' }, d, b) },
      { type: 'pg_create_object_relationship', args: args('self', { other: 'k' }, d, d) },
      { type: 'pg_create_array_relationship', args: args('domains', { k: 'k' }, b, d) },
      {
        type: 'pg_create_select_permission',
        args: {
          table: d,
          role: 'one',
          permission: {
            columns: '*',
            allow_aggregations: true,
            filter: { k: { _in: [low] }, other: { _neq: low }, base: { k: { _eq: low } } },
          },
        },
      },
      {
        type: 'pg_create_select_permission',
        args: {
          table: b,
          role: 'one',
          permission: { columns: '*', filter: { domains: { k: { _eq: 'X-Engine-Key' } } } },
        },
      },
      {
        type: 'pg_create_insert_permission',
        args: {
          table: d,
          role: 'one',
          permission: { columns: '*', check: { k: { _eq: low } }, set: { n: 5 } },
        },
      },
      {
        type: 'pg_create_update_permission',
        args: {
          table: d,
          role: 'one',
          permission: {
            columns: ['n'],
            filter: { k: { _eq: 'X-Engine-Key' } },
            check: { other: { _in: 'X-Engine-Keys' } },
          },
        },
      },
    );
  }
  for (const [from, to] of [
    ['texts', 'varchars'],
    ['varchars', 'texts'],
    ['bigs', 'ints'],
    ['ints', 'bigs'],
    ['texts', 'codes'],
    ['codes', 'varchars'],
  ])
    operations.push({
      type: 'pg_create_array_relationship',
      args: args(`to_${to}`, { list: 'list' }, from!, to!),
    });
  operations.push({
    type: 'pg_create_select_permission',
    args: {
      table: 'texts',
      role: 'one',
      permission: { columns: '*', filter: { to_varchars: { to_texts: { id: { _eq: 1 } } } } },
    },
  });
  const made = await send(server, '/v1/metadata', { body: { type: 'bulk', args: operations } });
  expect(made.json).not.toHaveProperty('error');
});

afterAll(() => server?.stop());

async function ask(query: string, variables: object = {}, headers: Record<string, string> = {}) {
  const { json } = await send(server, '/v1/graphql', { body: { query, variables }, headers });
  expect(json, query).not.toHaveProperty('errors');
  return (json as { data: Record<string, unknown> }).data;
}

test.each(DOMAINS)('%s over %s', async (domain, base, low, high) => {
  const [d, b] = [`d_${domain}`, `b_${domain}`];
  const type = await scalarOf(d);
  const literal = (value: unknown) => JSON.stringify(value).replaceAll(/"(\w+)":/g, '$1: ');
  const [lowText, highText] = [literal(low), literal(high)];
  await ask(
    `mutation { ${`insert_${b}`}(objects: [{k: ${lowText}, n: 1}, {k: ${highText}, n: 2}]) { affected_rows }
      insert_${d}(objects: [{k: ${lowText}, other: ${highText}, n: 1}, {k: ${highText}, other: ${lowText}, n: 2}]) { affected_rows } }`,
  );
  expect(await ask(`{ ${d}(where: {k: {_eq: ${lowText}}}) { n } }`)).toEqual({ [d]: [{ n: 1 }] });
  expect(
    await ask(
      `{ ${d}(where: {k: {_in: [${lowText}]}, _not: {k: {_nin: [${lowText}]}}, other: {_neq: ${lowText}}}) { n } }`,
    ),
  ).toEqual({ [d]: [{ n: 1 }] });
  expect(await ask(`{ ${d}(where: {k: {_gte: ${lowText}, _lt: ${highText}}}) { n } }`)).toEqual({
    [d]: [{ n: 1 }],
  });
  expect(
    await ask(`query ($k: ${type}!) { ${d}_by_pk(k: $k) { n base { n } self { n } } }`, { k: low }),
  ).toEqual({ [`${d}_by_pk`]: { n: 1, base: { n: 1 }, self: { n: 2 } } });
  expect(
    await ask(
      `{ ${d}(order_by: [{k: desc}, {base: {k: asc}}], distinct_on: k) { n } ${b}(where: {domains: {other: {_eq: ${lowText}}}}) { domains { n } domains_aggregate(where: {base: {n: {_eq: 2}}}) { aggregate { count(columns: k, distinct: true) } } } }`,
    ),
  ).toEqual({
    [d]: [{ n: 2 }, { n: 1 }],
    [b]: [{ domains: [{ n: 2 }], domains_aggregate: { aggregate: { count: 1 } } }],
  });
  if (COMPARABLE(base)) {
    const { [`${d}_aggregate`]: found } = await ask(
      `{ ${d}_aggregate { aggregate { max { k } min { k } } } ${b}(order_by: {domains_aggregate: {max: {k: desc}}}) { n } }`,
    );
    expect(found).toEqual({ aggregate: { max: { k: high }, min: { k: low } } });
  }
  const key = (value: unknown) =>
    Array.isArray(value)
      ? `{${value.join(',')}}`
      : typeof value === 'object'
        ? JSON.stringify(value)
        : String(value);
  const one = {
    'x-engine-role': 'one',
    'x-engine-key': key(low),
    'x-engine-keys': `{"${key(high).replaceAll('\\', '\\\\').replaceAll('"', '\\"')}"}`,
  };
  expect(await ask(`{ ${d} { n } ${b} { n } }`, {}, one)).toEqual({ [d]: [{ n: 1 }], [b]: [{ n: 1 }] });
  expect(
    await ask(
      `mutation { insert_${d}_one(object: {k: ${lowText}, other: ${highText}}, on_conflict: {constraint: d_${domain}_pkey, update_columns: [n]}) { n base { n } }
        update_${d}(where: {k: {_eq: ${lowText}}}, _set: {n: 8}) { returning { n self { k } } } }`,
      {},
      one,
    ),
  ).toMatchObject({ [`update_${d}`]: { returning: [{ n: 8 }] } });
  // Live: a stream, from a cursor of the domain.
  const socket = await connect(server);
  const query = `subscription { ${d}_stream(cursor: {initial_value: {k: ${lowText}}}, batch_size: 5) { n } }`;
  socket.send({ type: 'subscribe', id: '1', payload: { query } });
  expect((await socket.next()).payload).toEqual({ data: { [`${d}_stream`]: [{ n: 2 }] } });
  socket.close();
});

test('arrays of different types of elements', async () => {
  expect(
    await ask(
      `{ texts(order_by: {id: asc}) { to_varchars { id to_texts { id } } to_codes { id to_varchars { id } } } bigs { to_ints { id to_bigs { id } } } }`,
    ),
  ).toEqual({
    texts: [
      { to_varchars: [{ id: 1, to_texts: [{ id: 1 }] }], to_codes: [{ id: 1, to_varchars: [{ id: 1 }] }] },
      { to_varchars: [], to_codes: [] },
    ],
    bigs: [{ to_ints: [{ id: 1, to_bigs: [{ id: 1 }] }] }],
  });
  expect(await ask('{ texts { id } }', {}, { 'x-engine-role': 'one' })).toEqual({ texts: [{ id: 1 }] });
});

/** The GraphQL type of a key. */
async function scalarOf(table: string): Promise<string> {
  const { __type } = (await ask(
    `{ __type(name: "${table}") { fields { name type { ofType { name ofType { ofType { name } } } } } } }`,
  )) as {
    __type: {
      fields: {
        name: string;
        type: { ofType: { name: string | null; ofType: { ofType: { name: string } } } };
      }[];
    };
  };
  const { ofType } = __type.fields.find(({ name }) => name === 'k')!.type;
  return ofType.name ?? `[${ofType.ofType.ofType.name}!]`;
}
