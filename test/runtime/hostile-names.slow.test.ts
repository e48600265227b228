/**
 * No name in SQL of ours can be taken for one of a user, nor does it depend on settings of a database: a project answers the same on
 * a database in which every name that its SQL uses is a table, a type, a function, and a column of every table, found before
 * those of PostgreSQL, with each setting as it should not be.
 */
import { afterAll, expect, test } from 'vitest';
import { createTestDatabase, type TestDatabase } from '../harness/postgres.ts';
import { send, startTestServer, type TestServer } from '../harness/server.ts';
import { connect } from '../harness/socket.ts';
import { startLoggedDatabase } from '../harness/statement-log.ts';
import { startWebhook, type WebhookReceiver } from '../harness/webhook.ts';

const SCHEMA = `
  create type mood as enum ('bad', 'good');
  create table author (id integer primary key, name text not null, born date, feels mood, tags text[], ratio float8, note xml);
  create table book (
    id integer primary key, author_id integer references author, title text, price numeric, doc jsonb, raw json, at timestamptz
  );
  create unique index book_title on book (lower(title)) where price > 0;
  create table parted (region integer, k integer, note text, primary key (region, k)) partition by list (region);
  create table parted_1 partition of parted for values in (1);
  create view seen as select id, name from author;
  create function author_label(a author) returns text language sql stable as $$ select a.name || '!' $$;
  create function author_books(a author) returns setof book language sql stable as $$ select * from public.book b where b.author_id = a.id $$;
  create function search_books(q text) returns setof book language sql stable as $$ select * from public.book where title like q order by id desc $$;
  create function one_author() returns author language sql stable as $$ select * from public.author where id = 1 $$;
  create function add_book(title text) returns setof book language sql volatile
    as $$ insert into public.book (id, title, price) values (90, title, 1) returning * $$;
  insert into author (id, name, born, feels, tags, ratio, note) values
    (1, 'Ada', '1815-12-10', 'good', '{a,NULL}', 0.1, 'plain'), (2, 'Grace', '1906-12-09', 'bad', null, 1e-300, '<a/>');
  insert into book values (1, 1, 'Notes', 1.5, '{"a": [1]}', '{"b":1}', '2020-01-02 03:04:05+00'),
    (2, 1, 'Engines', 2, null, null, null), (3, 2, 'Compilers', 3, '[]', '"x"', '2021-02-03 04:05:06+00');
`;

const relationship = (table: string, name: string, column_mapping: object, remote_table: string) => ({
  table,
  name,
  using: { manual_configuration: { remote_table, column_mapping } },
});

/** Columns that events send. */
const OWN_COLUMNS: Readonly<Record<string, readonly string[]>> = {
  author: ['id', 'name', 'born', 'ratio', 'tags'],
  book: ['id', 'author_id', 'title', 'price', 'doc', 'raw', 'at'],
  parted: ['region', 'k', 'note'],
};

function metadata(webhook: string): object[] {
  const columns = OWN_COLUMNS.book;
  const mine = {
    _or: [{ author: { name: { _eq: 'X-Engine-Name' } } }, { author: { label: { _eq: 'Grace!' } } }],
  };
  return [
    ...['author', 'book', 'parted', 'seen'].map((table) => ({ type: 'pg_track_table', args: { table } })),
    ...['search_books', 'one_author'].map((name) => ({
      type: 'pg_track_function',
      args: { function: name },
    })),
    { type: 'pg_track_function', args: { function: 'add_book', configuration: { exposed_as: 'mutation' } } },
    {
      type: 'pg_create_object_relationship',
      args: { table: 'book', name: 'author', using: { foreign_key_constraint_on: 'author_id' } },
    },
    {
      type: 'pg_create_array_relationship',
      args: relationship('author', 'books', { id: 'author_id' }, 'book'),
    },
    { type: 'pg_create_object_relationship', args: relationship('seen', 'self', { id: 'id' }, 'author') },
    {
      type: 'pg_add_computed_field',
      args: { table: 'author', name: 'label', definition: { function: 'author_label' } },
    },
    {
      type: 'pg_add_computed_field',
      args: { table: 'author', name: 'own_books', definition: { function: 'author_books' } },
    },
    {
      type: 'pg_create_select_permission',
      args: {
        table: 'author',
        role: 'one',
        permission: {
          columns: ['id', 'name'],
          computed_fields: ['label'],
          filter: { books: { price: { _gt: 0 } } },
          allow_aggregations: true,
        },
      },
    },
    {
      type: 'pg_create_select_permission',
      args: {
        table: 'book',
        role: 'one',
        permission: { columns, filter: mine, allow_aggregations: true, limit: 2 },
      },
    },
    {
      type: 'pg_create_select_permission',
      args: {
        table: 'author',
        role: 'two',
        permission: {
          columns: ['id', 'name', 'born', 'ratio', 'tags'],
          filter: { id: { _eq: 1 } },
          allow_aggregations: true,
        },
      },
    },
    {
      type: 'pg_create_select_permission',
      args: {
        table: 'author',
        role: 'three',
        permission: {
          columns: ['id', 'tags', 'ratio'],
          filter: {
            _or: [
              { tags: { _contains: ['a'] } },
              { tags: { _eq: 'X-Engine-Tags' } },
              { tags: { _in: [['a'], ['b', 'c']] } },
              { tags: { _neq: ['z'] } },
            ],
          },
        },
      },
    },
    {
      type: 'pg_create_insert_permission',
      args: { table: 'book', role: 'one', permission: { columns, check: mine, set: { doc: { preset: 1 } } } },
    },
    {
      type: 'pg_create_update_permission',
      args: {
        table: 'book',
        role: 'one',
        permission: { columns: ['title', 'price', 'raw'], filter: mine, check: { price: { _lt: 100 } } },
      },
    },
    {
      type: 'pg_create_delete_permission',
      args: { table: 'book', role: 'one', permission: { filter: mine } },
    },
    {
      type: 'pg_create_insert_permission',
      args: { table: 'parted', role: 'one', permission: { columns: '*', check: { k: { _gt: 0 } } } },
    },
    {
      type: 'pg_create_update_permission',
      args: {
        table: 'parted',
        role: 'one',
        permission: { columns: ['note'], filter: {}, check: { k: { _lt: 9 } } },
      },
    },
    {
      type: 'pg_create_select_permission',
      args: { table: 'parted', role: 'one', permission: { columns: ['region', 'k', 'note'], filter: {} } },
    },
    { type: 'add_inherited_role', args: { role_name: 'both', role_set: ['one', 'two'] } },
    ...['author', 'book', 'parted'].map((table) => {
      const all = OWN_COLUMNS[table]!;
      const part = { columns: '*', payload: all };
      const name = `on_${table}`;
      const args = {
        name,
        table,
        webhook,
        insert: part,
        update: { columns: all, payload: all },
        delete: part,
        order_by_key: { columns: [all[0]], on_error: 'block' },
      };
      return { type: 'pg_create_event_trigger', args };
    }),
    {
      type: 'pg_create_event_trigger',
      args: {
        name: 'whole',
        table: 'book',
        webhook,
        insert: { columns: '*' },
        update: { columns: '*' },
        delete: { columns: '*' },
      },
    },
  ];
}

const AS_ONE = { 'x-engine-role': 'one', 'x-engine-name': 'Ada' };
const AS_BOTH = { 'x-engine-role': 'both', 'x-engine-name': 'Ada' };
const AUTHOR = 'id name born feels tags ratio note label';
const REQUESTS: readonly (readonly [query: string, headers?: Record<string, string>])[] = [
  [
    `{ author(order_by: {id: asc}) { ${AUTHOR} books(limit: 1, order_by: {price: desc}) { id author { name books { id } } } own_books(order_by: {id: asc}) { title } } }`,
  ],
  [
    `{ author(order_by: {books_aggregate: {max: {price: desc}}}, limit: 1, offset: 1) { label books_aggregate { aggregate { count max { price title } sum { price } } nodes { id author { label } } } } }`,
  ],
  [
    `{ book(order_by: [{author: {name: desc}}, {id: asc}], distinct_on: []) { id doc(path: "$.a") raw at price } one_author { label books { id } } search_books(args: {q: "%e%"}, limit: 2) { title author { label } } }`,
  ],
  [
    `{ book(where: {_and: [{title: {_ilike: "%E%"}}, {doc: {_has_key: "a"}}, {author: {feels: {_in: [good]}, tags: {_contains: ["a"]}}}]}) { id } }`,
  ],
  [
    `{ book_aggregate(where: {price: {_gte: 1}}) { aggregate { count(columns: [author_id], distinct: true) avg { price } stddev_pop { price } min { title at } } nodes { title } } }`,
  ],
  [
    `{ author(where: {books_aggregate: {count: {predicate: {_gt: 1}}}}) { id } author_by_pk(id: 2) { ${AUTHOR} } seen(order_by: {id: asc}) { self { label } } }`,
  ],
  [
    '{ author { id name label books { id title author { id } } books_aggregate { aggregate { count } nodes { id } } } book(limit: 1) { id } book_aggregate { aggregate { count } nodes { id title } } }',
    AS_ONE,
  ],
  [
    '{ author(order_by: {born: asc}) { id born ratio tags label books { id } } author_aggregate { aggregate { max { born } count(columns: born) } nodes { born label } } }',
    AS_BOTH,
  ],
  ...[
    '_contains: ["a"]',
    '_contained_in: ["a", "b", null]',
    '_eq: ["a", null]',
    '_neq: ["b"]',
    '_in: [["a", null], ["b"]]',
    '_nin: [["b"]]',
    '_gt: ["A"]',
    '_gte: ["a"]',
    '_lt: ["b"]',
    '_lte: ["b"]',
  ].map((comparison): [string] => [
    `{ author(where: {tags: {${comparison}}}, order_by: {id: asc}) { id tags } book_aggregate(where: {author: {tags: {${comparison}}}}) { aggregate { count } } }`,
  ]),
  [
    '{ author(order_by: {id: asc}) { id tags ratio } }',
    { 'x-engine-role': 'three', 'x-engine-tags': '{a,NULL}' },
  ],
  [
    'mutation { insert_book(objects: [{id: 10, author_id: 1, title: "New", price: 5, raw: {a: null}}, {id: 11, author_id: 2, title: "Newer", price: 6}]) { affected_rows returning { id doc author { id label books_aggregate { aggregate { count } } } } } }',
    AS_ONE,
  ],
  [
    'mutation { insert_book_one(object: {id: 12, author_id: 1, title: "NEW", price: 7}, on_conflict: {constraint: book_title, update_columns: [price]}) { id price author { name } } }',
    AS_ONE,
  ],
  [
    'mutation { update_book(where: {id: {_gte: 10}}, _set: {raw: [1]}, _inc: {price: 1}) { affected_rows returning { id raw price author { books { id price } } } } update_book_by_pk(pk_columns: {id: 10}, _set: {price: 1000}) { id } }',
    AS_ONE,
  ],
  [
    'mutation { update_book_many(updates: [{where: {id: {_eq: 10}}, _set: {title: "a"}}, {where: {id: {_eq: 11}}, _set: {title: "b"}}]) { affected_rows returning { title author { label } } } }',
    AS_ONE,
  ],
  [
    'mutation { a: insert_parted(objects: [{region: 1, k: 1, note: "x"}], on_conflict: {constraint: parted_pkey, update_columns: [note]}) { returning { note } } b: insert_parted(objects: [{region: 1, k: 1, note: "y"}, {region: 1, k: 2}], on_conflict: {constraint: parted_pkey, update_columns: [note]}) { affected_rows returning { note k } } }',
    AS_ONE,
  ],
  [
    'mutation { insert_author(objects: [{id: 20, name: "Deep", tags: [null, "NULL", "x"], ratio: 0.30000000000000004, note: "no document", born: "2001-02-03", books: {data: [{id: 21, title: "t", price: 9, at: "2020-05-06T07:08:09Z"}, {id: 22, title: "u"}]}}, {id: 23, name: "Empty", tags: []}]) { affected_rows returning { id tags ratio note born label books(order_by: {id: asc}) { id at author { name } } } } }',
  ],
  [
    'mutation { insert_author_one(object: {id: 20, name: "Other", books: {data: [{id: 24, title: "T", price: 2}], on_conflict: {constraint: book_title, update_columns: [price]}}}, on_conflict: {constraint: author_pkey, update_columns: [name]}) { name books { id price } } add_book(args: {title: "added"}) { id title author { id } } }',
  ],
  [
    'mutation { delete_book(where: {author_id: {_eq: 20}}) { affected_rows returning { id author { name label } } } delete_book_by_pk(id: 10) { id author { books { id } } } delete_parted(where: {}) { returning { k } } }',
  ],
];

const RELAY = [
  '{ author_connection(first: 1, order_by: {tags: asc}, after: "eyJ0YWdzIiA6ICJ7YSxOVUxMfSIsICJpZCIgOiAwfQ==") { edges { cursor node { name tags } } pageInfo { hasPreviousPage } } }',
  '{ author_connection(first: 1, order_by: {born: desc}) { edges { cursor node { id name books_connection(last: 1) { edges { node { title } } } label } } pageInfo { hasNextPage endCursor } } }',
];

interface World {
  readonly server: TestServer;
  readonly webhook: WebhookReceiver;
}

async function open(database: Pick<TestDatabase, 'url'>): Promise<World> {
  const webhook = await startWebhook();
  const server = await startTestServer(database as TestDatabase, { EVENTS_FETCH_INTERVAL: '100' });
  const made = await send(server, '/v1/metadata', { body: { type: 'bulk', args: metadata(webhook.url) } });
  expect(made.json, made.text).not.toHaveProperty('error');
  return { server, webhook };
}

/** Everything that the project answers, and the events that its writes make. */
async function answers({ server, webhook }: World): Promise<unknown> {
  const socket = await connect(server);
  const live = async (id: string, query: string) => {
    socket.send({ type: 'subscribe', id, payload: { query } });
    return (await socket.next()).payload;
  };
  const subscribed = [
    await live('1', 'subscription { author(order_by: {id: asc}) { id label books { id } } }'),
    await live(
      '2',
      'subscription { book_stream(cursor: {initial_value: {id: 0}}, batch_size: 2) { id author { label } } }',
    ),
  ];
  socket.close();
  const results: unknown[] = [];
  for (const [query, headers = {}] of REQUESTS)
    results.push((await send(server, '/v1/graphql', { body: { query }, headers })).json);
  for (const query of RELAY) results.push((await send(server, '/v1beta1/relay', { body: { query } })).json);
  await expect.poll(() => webhook.calls.length).toBeGreaterThanOrEqual(24);
  const own = (row: object | null, trigger: string) => {
    const columns = OWN_COLUMNS[trigger === 'whole' ? 'book' : trigger.replace('on_', '')]!;
    return row && Object.fromEntries(Object.entries(row).filter(([name]) => columns.includes(name)));
  };
  const events = webhook.calls.map(({ body }) => {
    const { event, trigger } = body as {
      event: { op: string; data: { old: object | null; new: object | null } };
      trigger: { name: string };
    };
    return JSON.stringify([
      trigger.name,
      event.op,
      own(event.data.old, trigger.name),
      own(event.data.new, trigger.name),
    ]);
  });
  const logs = (
    await send(server, '/v1/metadata', {
      body: { type: 'pg_get_event_logs', args: { name: 'on_book', limit: 1000 } },
    })
  ).json as unknown[];
  return { subscribed, results, events: events.sort(), logs: logs.length };
}

/** Names in the SQL of the project. */
function namesOf(statements: readonly string[]): readonly string[] {
  const names = new Set<string>();
  for (const statement of statements)
    for (const [, quoted, word] of statement.matchAll(
      /'(?:[^']|'')*'|"((?:[^"]|"")+)"|\b([a-z_][a-z0-9_]*)\b/gi,
    ))
      if (quoted !== undefined || word !== undefined) names.add((quoted ?? word)!.replaceAll('""', '"'));
  return [...names]
    .filter((name) => !/^(tableoid|ctid|xmin|xmax|cmin|cmax)$/.test(name) && Buffer.byteLength(name) <= 63)
    .sort();
}

const quoted = (name: string) => `"${name.replaceAll('"', '""')}"`;
/** Fields that are no columns: a column of their name would be refused. */
const FIELDS = new Set(['author', 'books', 'books_aggregate', 'self', 'label', 'own_books']);
/** Functions that are tracked must not be overloaded. */
const PROJECT_FUNCTIONS = new Set(['author_label', 'author_books', 'search_books', 'one_author', 'add_book']);
const TABLES = ['author', 'book', 'parted'];
const SIGNATURES = [
  '',
  'anyelement',
  'text',
  'integer',
  'bigint',
  'numeric',
  'json',
  'jsonb',
  'public.author',
  'public.book',
  'text, text',
  'text, text, boolean',
  'text[]',
  'text[], text[]',
  'bytea, text',
  'mood',
  'date',
  'oid',
  'integer, integer',
  'text, boolean',
  'name',
];

const OPERATORS = '= <> < > <= >= || -> ->> #> + - && @> <@ ?'.split(' ');

const OPERANDS = [
  ['text', 'text'],
  ['int4', 'int4'],
  ['int8', 'int8'],
  ['json', 'text'],
  ['jsonb', 'text'],
  ['bool', 'bool'],
  ['oid', 'oid'],
  ['name', 'text'],
  ['name', 'name'],
  // PostgreSQL's own operators take arrays of any type.
  ['_text', '_text'],
  ['_int4', '_int4'],
] as const;

/** SQL that makes every name a table, a type, functions, and a column of every table. */
function hostile(names: readonly string[], database: string): string {
  const objects = names.flatMap((name) => [
    ...(FIELDS.has(name) ? [] : TABLES).map(
      (table) =>
        `alter table public.${table} add column if not exists ${quoted(name)} pg_catalog.int4 default 0;`,
    ),
    ...(PROJECT_FUNCTIONS.has(name) ? [] : SIGNATURES).map(
      (
        signature,
      ) => `do $do$ begin create function public.${quoted(name)}(${signature}) returns ${signature === 'anyelement' ? 'anyelement' : 'pg_catalog.text'} language plpgsql
        as $$ begin raise exception 'taken for another: %', ${`'${name.replaceAll("'", "''")}'`}; end $$; exception when others then null; end $do$;`,
    ),
    `do $do$ begin create table public.${quoted(name)} (x pg_catalog.int4); exception when others then null; end $do$;`,
  ]);
  const operators = OPERANDS.flatMap(([left, right]) => {
    const taken = `public.taken_${left}_${right}`;
    const [leftType, rightType] = [`pg_catalog.${left}`, `pg_catalog.${right}`];
    return [
      `create function ${taken}(${leftType}, ${rightType}) returns pg_catalog.bool
        language plpgsql as $$ begin raise exception 'operator taken'; end $$;`,
      ...OPERATORS.map(
        (operator) =>
          `create operator public.${operator} (leftarg = ${leftType}, rightarg = ${rightType}, function = ${taken});`,
      ),
    ];
  });
  const settings =
    `array_nulls = off|datestyle = 'SQL, DMY'|extra_float_digits = -10|xmloption = document|quote_all_identifiers = on
    |standard_conforming_strings = off|backslash_quote = off|transform_null_equals = on|escape_string_warning = on
    |default_transaction_isolation = serializable|default_transaction_read_only = on|search_path = public, pg_catalog`.split(
      '|',
    );
  return `set search_path = pg_catalog; ${objects.join('\n')}\n${operators.join('\n')}
    create function public.cast_away(public.author) returns pg_catalog.text language plpgsql as $$ begin raise exception 'cast taken'; end $$;
    create cast (public.author as pg_catalog.text) with function public.cast_away(public.author);
    ${settings.map((setting) => `alter database ${quoted(database)} set ${setting};`).join('\n')}`;
}

let expected: unknown;
let names: readonly string[];
const worlds: World[] = [];

test('a project on a database without such names', async () => {
  const logged = await startLoggedDatabase(SCHEMA);
  const world = await open(logged);
  worlds.push(world);
  expected = await answers(world);
  const statements = logged.statements();
  names = namesOf(statements);
  expect(names.length).toBeGreaterThan(200);
}, 180_000);
afterAll(async () => {
  for (const { server, webhook } of worlds) {
    await server.stop();
    await webhook.close();
  }
});

test('the same answers where every name and setting is taken', async () => {
  const database = await createTestDatabase(SCHEMA);
  await database.query(hostile(names, database.name));
  const world = await open(database);
  worlds.push(world);
  expect(await answers(world)).toEqual(expected);
}, 180_000);
