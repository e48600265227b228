/** The comment of mutations, subscriptions and joins between sources; the SQL itself is what it is without. */
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { type InProcess, serveInProcess } from '../../../harness/in-process.ts';
import { defaultSource } from '../../../harness/metadata.ts';
import { createTestDatabase, type TestDatabase } from '../../../harness/postgres.ts';
import { replaceMetadata, send, startTestServer, type TestServer } from '../../../harness/server.ts';

const FORMATS = ['standard', 'standard_prepended', 'sqlcommenter'] as const;
const SCHEMA = `
  create table note (id int primary key, body text, parent_id int references note, sql text default current_query());
  create view spy as select 1 as id, current_query() as sql, current_setting('application_name') as application`;
const RESTORE = `truncate note; insert into note values (1, 'a', null, ''), (2, 'b', 1, '')`;

const tables = [
  {
    table: 'note',
    object_relationships: [{ name: 'parent', using: { foreign_key_constraint_on: 'parent_id' } }],
    array_relationships: [
      {
        name: 'children',
        using: { foreign_key_constraint_on: { table: 'note', column: 'parent_id' } },
      },
    ],
  },
  { table: 'spy' },
];

const served = new Map<string, InProcess>();
let database: TestDatabase;
let other: TestDatabase;
let server: TestServer;

beforeAll(async () => {
  database = await createTestDatabase(SCHEMA);
  other = await createTestDatabase(SCHEMA);
  for (const format of [...FORMATS, 'off'] as const) {
    const query_tags = format === 'off' ? { disabled: true } : { format };
    const source = defaultSource({ tables, query_tags }, database.url);
    const metadata = { version: 3, sources: [source] } as never;
    served.set(format, await serveInProcess(database.url, metadata, undefined, { queryTags: true }));
  }
  server = await startTestServer(
    database,
    { QUERY_TAGS: 'true' },
    { OTHER: `${other.url}?application_name=reports` },
  );
});
afterAll(async () => {
  await server?.stop();
  await Promise.all([...served.values()].map((each) => each.end()));
});
beforeEach(() => database.query(RESTORE));

const MUTATIONS = {
  insert_note_one: 'mutation Write { insert_note_one(object: { id: 3 }) { id } }',
  insert_note:
    'mutation Write { insert_note(objects: [{ id: 3, body: "$1 /* */" }, { id: 4 }]) { affected_rows } }',
  'insert_note of nested rows':
    'mutation Write { insert_note(objects: [{ id: 3, children: { data: [{ id: 4, children: { data: [{ id: 5 }] } }] } }]) { affected_rows } }',
  'insert_note of a conflict':
    'mutation Write { insert_note(objects: [{ id: 1 }], on_conflict: { constraint: note_pkey, update_columns: [body] }) { affected_rows } }',
  update_note: 'mutation Write { update_note(where: {}, _set: { body: "x" }) { affected_rows } }',
  update_note_by_pk:
    'mutation Write { update_note_by_pk(pk_columns: { id: 1 }, _set: { body: "x" }) { id children { id } } }',
  update_note_many:
    'mutation Write { update_note_many(updates: [{ where: {}, _set: { body: "x" } }, { where: {}, _set: { body: "y" } }]) { affected_rows } }',
  delete_note: 'mutation Write { delete_note(where: { id: { _eq: 2 } }) { returning { id parent { id } } } }',
  delete_note_by_pk: 'mutation Write { delete_note_by_pk(id: 2) { id } }',
};

const written = Object.entries(MUTATIONS).flatMap(([name, query]) =>
  FORMATS.map((format) => ({ format, name, query })),
);

test.each(written)('$format: $name', async ({ format, name, query }) => {
  const plain = served.get('off')!.statements({ query }, 'admin');
  const tagged = served.get(format)!.statements({ query }, 'admin');
  const [field] = name.split(' ');
  const comment =
    format === 'sqlcommenter'
      ? `/* field_name='${field}',operation_name='Write',role='admin' */`
      : `/* field_name=${field}, operation_name=Write, role=admin */`;
  expect(tagged.map(({ text }) => text)).toEqual(
    plain.map(({ text }) => (format === 'standard_prepended' ? `${comment} ${text}` : `${text} ${comment}`)),
  );
  const answer = await served.get('off')!.answer({ query }, 'admin');
  await database.query(RESTORE);
  expect(await served.get(format)!.answer({ query }, 'admin')).toBe(answer);
});

test.each(FORMATS)('%s: values of requests change no statement', (format) => {
  const query = 'mutation Write($id: Int!) { insert_note_one(object: { id: $id }) { id } }';
  const [first, second] = [3, 4].map((id) => served.get(format)!.sql({ query, variables: { id } }, 'admin'));
  expect(first).toBe(second);
});

test('rows that go in one by one carry the comment of their field', async () => {
  const query = `mutation Write {
    first: delete_note_by_pk(id: 2) { id }
    second: insert_note_one(object: { id: 3, children: { data: [{ id: 4 }] } }) { sql children { sql } }
  }`;
  const { data } = JSON.parse(await served.get('standard')!.answer({ query }, 'admin'));
  for (const { sql } of [data.second, ...data.second.children])
    expect(sql).toMatch(/ \/\* field_name=insert_note_one, operation_name=Write, role=admin \*\/$/);
});

test.each([
  ['live', 'subscription Watch { spy { sql } }', 'spy'],
  [
    'stream',
    'subscription Watch { note_stream(batch_size: 1, cursor: { initial_value: { id: 0 } }) { id } }',
    'note_stream',
  ],
])('a subscription says its field and role, and not the operation: %s', async (kind, query, field) => {
  const comment = ` /* field_name=${field}, role=admin */`;
  const answer = await served.get('standard')!.live({ query }, 'admin');
  if (kind === 'live') expect(JSON.parse(answer).data.spy[0].sql.endsWith(comment)).toBe(true);
  const again = await served.get('standard')!.live({ query: query.replace('Watch', 'Other') }, 'admin');
  expect(again).toBe(answer);
  const plain = await served.get('off')!.live({ query }, 'admin');
  expect(plain).toBe(answer.replace(comment, ''));
});

test('joins between sources say the root field', async () => {
  const spy = {
    name: 'spied',
    definition: {
      to_source: {
        source: 'other',
        table: 'spy',
        relationship_type: 'array',
        field_mapping: { id: 'id' },
      },
    },
  };
  const tracked = [{ ...tables[0], remote_relationships: [spy] }];
  const of = (name: string, url: object, list: readonly object[]) => ({
    name,
    kind: 'postgres',
    tables: list,
    configuration: { connection_info: { database_url: url } },
  });
  await replaceMetadata(server, {
    version: 3,
    sources: [
      of('default', database.url as never, tracked),
      of('other', { from_env: 'OTHER' }, [{ table: 'spy' }]),
    ],
  });
  const ask = async (query: string) =>
    (await send(server, '/v1/graphql', { body: { query } })).json as { data: Record<string, unknown> };
  const { data } = await ask('query Joined { note_by_pk(id: 1) { spied { sql application } } }');
  expect(JSON.stringify(data)).toContain(
    "/* field_name='note_by_pk',operation_name='Joined',role='admin' */",
  );
  // Each source has the name that its address gives.
  expect(JSON.stringify(data)).toContain('"application":"reports"');
  const write = await ask(
    'mutation Joined { update_note_by_pk(pk_columns: { id: 1 }, _set: { body: "j" }) { spied { sql } } }',
  );
  expect(JSON.stringify(write.data)).toContain(
    "/* field_name='update_note_by_pk',operation_name='Joined',role='admin' */",
  );
});
