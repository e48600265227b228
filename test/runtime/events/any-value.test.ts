/** A write that PostgreSQL accepts never fails because it is captured or recorded, and its event is delivered. */
import pg from 'pg';
import { expect, test } from 'vitest';
import { openEventsTest } from '../../harness/events.ts';
import { send } from '../../harness/server.ts';

const events = openEventsTest(
  `create schema odd;
   create domain any_json as json;
   create type pair as (a integer, doc json);
   create type mood as enum ('good', 'bad');
   create domain mood_name as mood;
   create domain pairs as pair[];
   create type failing as (n integer);
   create function failing_json(failing) returns json language plpgsql as $$ begin raise 'no JSON'; end $$;
   create cast (failing as json) with function failing_json(failing);
   create table item (id integer primary key, j json, sent text, note text);`,
);

/** JSON that a json column takes, and jsonb does not. */
const NOT_JSONB = [
  '{"a":"\\u0000"}',
  '"\\ud800"',
  '"\\ude00\\ud83d"',
  '1e200000',
  '[1,{"b":[-1e-200000, 1E+999999]}]',
  '{"\\u0000":1}',
  `"${'x'.repeat(10)}\\u0000"`,
];

const FORMS = {
  'each statement': { insert: { columns: '*' }, delete: { columns: '*' }, update: { columns: '*' } },
  'listed columns': {
    insert: { columns: '*', payload: ['id', 'sent', 'j'] },
    update: { columns: ['sent', 'note'], payload: ['id', 'sent', 'j'] },
    delete: { columns: '*', payload: ['id', 'sent', 'j'] },
    order_by_key: { columns: ['sent'], on_error: 'block' },
  },
};

test.each(Object.entries(FORMS))(
  'JSON that jsonb cannot hold is sent as text, by %s',
  async (_, definition) => {
    await events.trigger('odd_json', definition, async () => {
      await events.database.query('delete from item; delete from engine_catalog.event_log');
      events.webhook.calls.length = 0;
      for (const [id, text] of NOT_JSONB.entries()) {
        await events.database.query('insert into item values ($1, $2, $3)', [id, text, 'before']);
        await events.database.query("update item set sent = 'after' where id = $1", [id]);
        await events.database.query('delete from item where id = $1', [id]);
      }
      const calls = await events.received(3 * NOT_JSONB.length);
      const sent = calls.map(
        ({ body }) => (body as { event: { op: string; data: { new: Row; old: Row } } }).event,
      );
      for (const [id, j] of NOT_JSONB.entries()) {
        const rows = sent.flatMap(({ op, data }) =>
          (data.new ?? data.old).id === id
            ? [[op, data.old?.j, data.old?.sent, data.new?.j, data.new?.sent]]
            : [],
        );
        expect(rows.toSorted()).toEqual([
          ['DELETE', j, 'after', undefined, undefined],
          ['INSERT', undefined, undefined, j, 'before'],
          ['UPDATE', j, 'before', j, 'after'],
        ]);
      }
      const logs = await events.metadata('pg_get_event_logs', { name: 'odd_json' });
      expect(logs).toHaveLength(3 * NOT_JSONB.length);
      await expect
        .poll(
          async () =>
            (await events.metadata('pg_get_event_logs', { name: 'odd_json', status: 'processed' })).length,
        )
        .toBe(3 * NOT_JSONB.length);
    });
  },
);

interface Row {
  readonly id: number;
  readonly j: unknown;
  readonly sent: string;
}

const SESSIONS = [
  'nonsense',
  '{',
  '[1]',
  '"text"',
  '5',
  'null',
  '{"x-engine-name":"a\\u0000b","x-engine-role":"me"}',
  '{"x-engine-name":"\\ud800"}',
  '{"\\u0000":"x"}',
  '{"x-engine-user":1e999999}',
  '\u0001\u007f',
];

test.each(SESSIONS)('a session whose variables are %j writes', async (text) => {
  await events.trigger('session', { insert: { columns: '*' }, update: { columns: ['sent'] } }, async () => {
    await events.database.query('delete from item');
    events.webhook.calls.length = 0;
    await events.database.query(
      `begin; select set_config('engine.user', $$${text}$$, true), set_config('engine.tracecontext', $$${text}$$, true);
       insert into item (id) values (1); update item set sent = 'x'; commit`,
    );
    const calls = await events.received(2);
    for (const { body } of calls)
      expect((body as { event: { data: { new: Row } } }).event.data.new.id).toBe(1);
  });
});

test('session variables of a request that jsonb cannot hold', async () => {
  await events.trigger('request', { insert: { columns: '*' } }, async () => {
    await events.database.query('delete from item');
    const headers = {
      'x-engine-role': 'admin',
      'x-engine-odd': JSON.stringify({ a: '\u0000', b: '\ud800' }),
    };
    const body = { query: 'mutation { insert_item_one(object: {id: 1, j: "{}"}) { id } }' };
    expect((await send(events.server, '/v1/graphql', { body, headers })).json).toMatchObject({ data: {} });
    await events.received(1);
  });
});

test('columns that were dropped, renamed or given another type outside of the server', async () => {
  await events.database.query(
    'create table loose (id bigint primary key, a text, b numeric, c text); create table moved (id integer)',
  );
  await events.metadata('pg_track_table', { table: 'loose' });
  const payload = ['id', 'a', 'b'];
  const definition = {
    table: 'loose',
    insert: { columns: '*', payload },
    update: { columns: ['a', 'b'], payload },
    delete: { columns: '*', payload },
    order_by_key: { columns: ['b', 'id'], on_error: 'block' },
  };
  await events.trigger('changed', definition, async () => {
    const write = async () => {
      events.webhook.calls.length = 0;
      await events.database.query('insert into loose (id, c) values (1, 1), (2, 2)');
      await events.database.query('update loose set c = 3 where id = 1; delete from loose');
      return (await events.received(5)).map(({ body }) => (body as { event: { data: object } }).event.data);
    };
    await events.database.query('insert into loose (id) values (0); delete from loose');
    await events.received(2);
    await events.database.query('alter table loose drop column a');
    expect(await write()).toHaveLength(5);
    await events.database.query(
      'alter table loose rename b to other; alter table loose alter c type integer using c::integer',
    );
    expect(await write()).toContainEqual({ old: null, new: { id: 1 } });
    await events.database.query(
      'alter table loose rename to elsewhere; alter table elsewhere set schema odd',
    );
    events.webhook.calls.length = 0;
    await events.database.query('insert into odd.elsewhere (id) values (7)');
    await events.received(1);
    await events.database.query(
      'alter table odd.elsewhere set schema public; alter table elsewhere rename to loose',
    );
  });
});

/** Values of types, as texts; their edges above all. */
const VALUES: Readonly<Record<string, readonly string[]>> = {
  bool: ['true'],
  int2: ['-32768'],
  int4: ['-2147483648'],
  int8: ['9223372036854775807'],
  numeric: ['NaN', 'Infinity', '-Infinity', '1e-16000', `${'9'.repeat(400)}.${'1'.repeat(400)}`],
  'numeric(5,2)': ['999.99'],
  float4: ['NaN', 'Infinity', '1e-45', '3.4028235e38'],
  float8: ['NaN', '-Infinity', '5e-324', '0.1'],
  money: ['-92233720368547758.08'],
  text: ['', '\\', '\u0001\u001f"\\u0000', '\u{10ffff}\ufffe', 'x'.repeat(100_000)],
  varchar: ['x'],
  bpchar: ['x  '],
  '"char"': ['\u0001', ''],
  name: ['x'.repeat(63)],
  bytea: ['\\x00ff', '\\x'],
  date: ['infinity', '-infinity', '4713-01-01 BC', '5874897-12-31', '20000-02-29'],
  timestamp: ['infinity', '294276-12-31 23:59:59.999999', '4713-01-01 00:00:00 BC', '20000-01-01'],
  timestamptz: ['-infinity', '294276-12-31 23:59:59.999999+00', '4713-06-01 00:00:00+00 BC'],
  time: ['24:00:00'],
  timetz: ['24:00:00+15:59:59'],
  interval: ['178000000 years', '-1 day +00:00:00.000001', 'P1Y2M3DT4H5M6S'],
  uuid: ['00000000-0000-0000-0000-000000000000'],
  inet: ['::1/128', '1.2.3.4/8'],
  cidr: ['10.0.0.0/8'],
  macaddr: ['08:00:2b:01:02:03'],
  macaddr8: ['08:00:2b:01:02:03:04:05'],
  'bit(5)': ['10101'],
  varbit: ['', '1'.repeat(1000)],
  json: [
    ' {"a": 1, "a": 2}\n',
    '"\\u0000"',
    '1e200000',
    '\t"\\ud800"  ',
    '['.repeat(2000) + ']'.repeat(2000),
    'null',
  ],
  jsonb: ['null', '"x"', '['.repeat(2000) + ']'.repeat(2000)],
  jsonpath: ['$."a"[*] ? (@ > 1)'],
  xml: ['<a>&#x1;</a>'.replace('&#x1;', '\u0085'), 'text'],
  tsvector: ["'a':1A 'b''c':2"],
  tsquery: ["'a' & !('b' | 'c')"],
  point: ['(NaN,Infinity)'],
  line: ['{1,2,3}'],
  lseg: ['[(0,0),(1,1)]'],
  box: ['(1,1),(0,0)'],
  path: ['((0,0),(1,1))'],
  polygon: ['((0,0),(1,1),(2,0))'],
  circle: ['<(0,0),Infinity>'],
  pg_lsn: ['FFFFFFFF/FFFFFFFF'],
  oid: ['4294967295'],
  xid: ['4294967295'],
  xid8: ['18446744073709551615'],
  cid: ['1'],
  tid: ['(4294967295,65535)'],
  regclass: ['pg_class', '4294967295'],
  regtype: ['integer'],
  regproc: ['now'],
  refcursor: ['x'],
  txid_snapshot: ['10:20:10,14'],
  pg_snapshot: ['10:20:10,14'],
  aclitem: ['=r/pg_monitor'],
  int2vector: ['1 2'],
  oidvector: ['1 2'],
  int4range: ['empty', '(,)', '[1,5)'],
  numrange: ['[NaN,]', '(-Infinity,1e100)'],
  daterange: ['[-infinity,infinity]', '[4713-01-01 BC,5874897-12-31)'],
  tstzrange: ['(,infinity]'],
  int4multirange: ['{}', '{[1,2),[5,)}'],
  datemultirange: ['{[4000-01-01 BC,20000-01-01)}'],
  'int4[]': ['{}', '{NULL,1}', '[-3:-2][5:5]={{1},{2}}'],
  'text[]': ['{"NULL",NULL,"\\\\",""}'],
  'json[]': ['{"\\"\\\\u0000\\"",1e200000}'],
  'numeric[]': ['{NaN,1.50}'],
  mood: ['bad'],
  mood_name: ['good'],
  any_json: ['"\\u0000"'],
  pair: ['(1,"""\\\\u0000""")'],
  pairs: ['{"(1,\\"1e200000\\")",NULL}'],
  failing: ['(1)'],
  'failing[]': ['{(1)}'],
};

test('every type of the catalog has values here', async () => {
  const rows = await events.database.query<{ name: string }>(
    `select t.typname as name from pg_type as t where t.typnamespace = 'pg_catalog'::regnamespace
     and t.typtype in ('b', 'r', 'm') and t.typcategory <> 'A' and t.typinput::text not like 'any%'
     and t.typname not like 'reg%' and t.typname !~ '^pg_(node_tree|ndistinct|dependencies|mcv_list|brin|ddl)' and t.typname <> 'gtsvector'
     and t.typname !~ '(int8|num|ts|tstz)(multi)?range$' order by 1`,
  );
  const named = new Set(Object.keys(VALUES).map((name) => name.replace(/\(.*|"/g, '')));
  expect(rows.map(({ name }) => name).filter((name) => !named.has(name))).toEqual([]);
});

test.each([
  ['statement', ''],
  // Rows of a table with partitions are captured one by one.
  ['row', 'partition by list (id)'],
])('values of every type are written, captured and delivered, by each %s', async (by, partitions) => {
  const types = Object.keys(VALUES);
  const table = `all_by_${by}`;
  const columns = types.map((type, index) => `c${index} ${type}`).join(', ');
  await events.database.query(`create table ${table} (id integer, ${columns}) ${partitions}`);
  if (partitions !== '')
    await events.database.query(`create table ${table}_of partition of ${table} default`);
  await events.metadata('pg_track_table', { table });
  const all = { columns: '*' };
  const rows = types.flatMap((type, index) => VALUES[type]!.map((value) => ({ index, type, value })));
  const client = new pg.Client({ connectionString: events.database.url });
  client.on('error', () => {});
  await client.connect();
  await events.trigger(`all_${by}`, { table, insert: all, update: all, delete: all }, async () => {
    await client.query('delete from engine_catalog.event_log');
    // The settings of the session that writes change nothing.
    await client.query(
      `set datestyle = 'German'; set intervalstyle = 'sql_standard'; set extra_float_digits = -5; set bytea_output = 'escape'`,
    );
    for (const [id, { index, value }] of rows.entries())
      await client.query(`insert into ${table} (id, c${index}) values ($1, $2)`, [id, value]);
    await client.query(`update ${table} set id = id`);
    await client.query(`update ${table} set id = id + 1000`);
    await client.query('reset all');
    const expected: unknown[] = [];
    for (const [id, { index }] of rows.entries()) {
      const select = (value: string) =>
        client.query<{ value: string }>(`select (${value})::text as value from ${table} where id = $1`, [
          id + 1000,
        ]);
      const column = `c${index}`;
      const found = await select(`to_jsonb(${column})`)
        .catch(() => select(`to_jsonb(to_json(${column})::text)`))
        .catch(() => undefined);
      expected.push(found?.rows[0]?.value);
    }
    await client.query(`delete from ${table}`);
    await events.received(rows.length * 3);
    const captured = await client.query<{ op: string; old: string; new: string; id: number }>(
      `select payload ->> 'op' as op, (coalesce(payload #> '{data,old,id}', payload #> '{data,new,id}'))::integer as id,
         payload #>> '{data,old}' as old, payload #>> '{data,new}' as new from engine_catalog.event_log`,
    );
    expect(captured.rows).toHaveLength(rows.length * 3);
    const values = await client.query<{ value: string }>(
      `select payload #>> '{data,new}' as whole, (payload -> 'data' -> 'new' -> concat('c', s.c))::text as value
       from unnest($1::integer[]) with ordinality as s (c, n)
       left join engine_catalog.event_log on payload ->> 'op' = 'INSERT' and (payload #> '{data,new,id}')::integer = s.n - 1
       order by s.n`,
      [rows.map(({ index }) => index)],
    );
    const wrong = rows.flatMap(({ type, value }, id) => {
      const found = values.rows[id]?.value;
      return found === expected[id] || (expected[id] === undefined && found === null)
        ? []
        : [{ type, value, found, expected: expected[id] }];
    });
    expect(wrong).toEqual([]);
    await expect
      .poll(
        async () =>
          (await client.query('select count(*)::integer as n from engine_catalog.event_log where delivered'))
            .rows[0].n,
      )
      .toBe(rows.length * 3);
    expect(await events.metadata('pg_get_event_logs', { name: `all_${by}`, limit: 1000 })).toHaveLength(
      rows.length * 3,
    );
    expect(
      await events.metadata('pg_get_event_invocation_logs', { name: `all_${by}`, limit: 1000 }),
    ).toHaveLength(rows.length * 3);
  });
  await client.end();
});
