/** Apollo federation over HTTP: entities of several sources, per role, with remote relationships, and what follows changes. */
import { buildSchema, parse } from 'graphql';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createTestDatabase } from '../../harness/postgres.ts';
import { answerTo, send, serve, type TestServer } from '../../harness/server.ts';

let server: TestServer;

const entity = { apollo_federation_config: { enable: 'v1' } };
const select = (columns: readonly string[], filter: object = {}) => [
  { role: 'user', permission: { columns, filter } },
];
const to = (source: string, table: string, field_mapping: object) => ({
  to_source: { source, table, relationship_type: 'object', field_mapping },
});

const source = (name: string, from_env: string, tables: readonly object[]) => ({
  name,
  kind: 'postgres',
  configuration: { connection_info: { database_url: { from_env } } },
  tables,
});
const metadata = {
  version: 3,
  sources: [
    source('shop', 'SHOP', [
      {
        table: 'product',
        ...entity,
        remote_relationships: [{ name: 'more', definition: to('stock', 'shelf', { shelf_id: 'id' }) }],
        select_permissions: select(['id', 'name', 'shelf_id'], { hidden: { _eq: false } }),
      },
      { table: 'memo', ...entity, select_permissions: select(['text']) },
    ]),
    source('stock', 'STOCK', [
      {
        table: 'shelf',
        ...entity,
        remote_relationships: [{ name: 'more', definition: to('shop', 'product', { product_id: 'id' }) }],
        select_permissions: [
          ...select(['id', 'room', 'product_id']),
          { role: 'guest', permission: { columns: ['id', 'room'], filter: {}, limit: 2 } },
        ],
      },
    ]),
  ],
};

beforeAll(async () => {
  const shop = await createTestDatabase(`
    create table product (id bigint primary key, name text, shelf_id int, hidden boolean not null default false);
    create table memo (text text);
    insert into product values (9007199254740993, 'cup', 1, false), (2, 'secret', 2, true)`);
  const stock = await createTestDatabase(`
    create table shelf (id int primary key, room text, product_id bigint);
    insert into shelf values (1, 'A', 9007199254740993), (2, 'B', 2)`);
  server = await serve({
    database: shop,
    metadata,
    options: { EXPERIMENTAL_FEATURES: 'apollo_federation' },
    variables: { SHOP: shop.url, STOCK: stock.url },
  });
});
afterAll(() => server?.stop());

const ask = (query: string, role = 'user', variables: object = {}) =>
  answerTo(server, query, { role, variables });

const FRAGMENTS = '... on product { name more { room } } ... on shelf { room more { name } }';
const LOOK_UP = `query ($r: [_Any!]!) { again: _entities(representations: $r) { ${FRAGMENTS} } }`;

test('entities of two sources, with relationships of one name to each other', async () => {
  const r = [
    { __typename: 'shelf', id: 1 },
    { __typename: 'product', id: '9007199254740993' },
    { __typename: 'product', id: 2 },
    { __typename: 'shelf', id: 2 },
    { __typename: 'shelf', id: 3 },
  ];
  const cup = { name: 'cup', more: { room: 'A' } };
  const ofUser = [{ room: 'A', more: { name: 'cup' } }, cup, null, { room: 'B', more: null }, null];
  expect(await ask(LOOK_UP, 'user', { r })).toEqual({ data: { again: ofUser } });
  const { data } = await ask(LOOK_UP, 'admin', { r });
  expect((data!.again as unknown[])[2]).toEqual({ name: 'secret', more: { room: 'B' } });
});

test('a request for other types is another plan, of the same operation', async () => {
  const one = await ask(LOOK_UP, 'user', { r: [{ __typename: 'shelf', id: 2 }] });
  expect(one).toEqual({ data: { again: [{ room: 'B', more: null }] } });
  const other = await ask(LOOK_UP, 'user', { r: { __typename: 'product', id: 2 } });
  expect(other).toEqual({ data: { again: [null] } });
  const wrong = await ask(LOOK_UP, 'user', { r: [{ __typename: 'memo', text: 'x' }] });
  expect(wrong.errors![0]).toMatchObject({
    message: '"memo" is not a type of _Entity',
    extensions: { code: 'validation-failed', path: '$.selectionSet._entities.args.representations[0]' },
  });
});

test('what names no type is refused, also where an empty list was answered before', async () => {
  const own = LOOK_UP.replace('again', 'empty');
  expect(await ask(own, 'user', { r: [] })).toEqual({ data: { empty: [] } });
  for (const r of [[{ __typename: 7 }], [{ id: 1 }], ['x']]) {
    const { errors } = await ask(own, 'user', { r });
    expect(errors![0]).toMatchObject({
      extensions: { code: 'validation-failed', path: '$.selectionSet._entities.args.representations[0]' },
    });
  }
});

test('a role looks up no more rows at once than its limit', async () => {
  const query = 'query ($r: [_Any!]!) { _entities(representations: $r) { ... on shelf { room } } }';
  const r = [1, 2, 3].map((id) => ({ __typename: 'shelf', id }));
  const { errors } = await ask(query, 'guest', { r });
  expect(errors![0]).toMatchObject({
    message: 'the role may look up at most 2 rows of "shelf" at once',
    extensions: { code: 'validation-failed', path: '$.selectionSet._entities.args.representations' },
  });
  expect(await ask(query, 'guest', { r: r.slice(1) })).toEqual({
    data: { _entities: [{ room: 'B' }, null] },
  });
});

test('ten thousand representations are a statement for each type', async () => {
  const before = server.output().length;
  const r = Array.from({ length: 10_000 }, (_, index) => ({
    __typename: index % 2 ? 'shelf' : 'product',
    id: index,
  }));
  const { data } = await ask(
    'query ($r: [_Any!]!) { _entities(representations: $r) { __typename } }',
    'user',
    {
      r,
    },
  );
  expect((data!._entities as unknown[]).filter((each) => each !== null)).toHaveLength(1);
  const statements =
    server
      .output()
      .slice(before)
      .match(/from unnest\(/g) ?? [];
  expect(statements.length).toBeLessThanOrEqual(2);
});

test('the SDL of a role is valid, marks its entities and leaves out the fields for gateways', async () => {
  const sdlOf = async (role: string) => {
    const { data } = await ask('{ _service { sdl } }', role);
    return (data!._service as { sdl: string }).sdl;
  };
  const own = await sdlOf('user');
  expect(parse(own).definitions.length).toBeGreaterThan(10);
  expect(own).toContain('type product @key(fields: "id") {');
  expect(own).not.toMatch(/type memo @key|_entities|_service|_Entity|_Any|hidden/);
  expect(await sdlOf('admin')).toContain('hidden: Boolean!');
  const schema = buildSchema(`directive @key(fields: String!) on OBJECT\n${own}`);
  expect(schema.getQueryType()!.getFields().product_by_pk).toBeDefined();
  const nobody = await sdlOf('nobody');
  expect(nobody).toContain('no_queries_available');
});

test('an introspected schema keeps the shape that clients of the family know', async () => {
  const query = '{ __type(name: "query_root") { fields { name type { kind name ofType { name } } } } }';
  const { data } = await ask(query);
  const { fields } = data!.__type as { fields: { name: string; type: object }[] };
  expect(fields.filter(({ name }) => name.startsWith('_'))).toEqual([
    { name: '_entities', type: { kind: 'UNION', name: '_Entity', ofType: null } },
    { name: '_service', type: { kind: 'NON_NULL', name: null, ofType: { name: '_Service' } } },
  ]);
  const union = await ask('{ __type(name: "_Entity") { possibleTypes { name } } }');
  expect(union.data!.__type).toEqual({ possibleTypes: [{ name: 'product' }, { name: 'shelf' }] });
});

test('a change of the setting counts at once, and the export has what was set', async () => {
  const set = (table: string, apollo_federation_config: object | null) =>
    send(server, '/v1/metadata', {
      body: {
        type: 'pg_set_apollo_federation_config',
        args: { source: 'shop', table, apollo_federation_config },
      },
    });
  expect((await set('product', null)).json).toEqual({ message: 'success' });
  const gone = await ask(LOOK_UP, 'user', { r: [{ __typename: 'product', id: 2 }] });
  expect(gone.errors![0]!.message).toBe('"product" is not a type of _Entity');
  expect(await exported('product')).not.toHaveProperty('apollo_federation_config');
  expect((await set('product', { enable: 'v1' })).json).toEqual({ message: 'success' });
  const back = await ask(LOOK_UP, 'user', { r: [{ __typename: 'product', id: 2 }] });
  expect(back).toEqual({ data: { again: [null] } });
  expect(await exported('product')).toMatchObject(entity);
});

/** The exported entry of a table of the shop. */
async function exported(table: string): Promise<object> {
  const { json } = await send(server, '/v1/metadata', { body: { type: 'export_metadata', args: {} } });
  const { sources } = json as { sources: { tables: { table: { name: string } }[] }[] };
  return sources[0]!.tables.find((entry) => entry.table.name === table)!;
}
