/** GeoJSON wherever a request may give a geometry or geography, against a real PostGIS. */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { createPostgisDatabase, type PostgisDatabase } from '../../../harness/postgis.ts';
import { createTestDatabase, type TestDatabase } from '../../../harness/postgres.ts';
import { leaks, send, serve, type TestServer } from '../../../harness/server.ts';
import { connect } from '../../../harness/socket.ts';

let database: PostgisDatabase;
let server: TestServer;

const crs = (name: string) => ({ type: 'name', properties: { name } });
const WGS84 = 'urn:ogc:def:crs:EPSG::4326';
const point = (x: number, y: number) => ({ type: 'Point', coordinates: [x, y] });
/** What the API prints of a point. */
const printed = (x: number, y: number) => ({ type: 'Point', crs: crs(WGS84), coordinates: [x, y] });
const square = (low: number, high: number) => ({
  type: 'Polygon',
  coordinates: [
    [
      [low, low],
      [low, high],
      [high, high],
      [high, low],
      [low, low],
    ],
  ],
});

async function metadata(type: string, args: object): Promise<void> {
  const answer = await send(server, '/v1/metadata', { body: { type, args } });
  expect([answer.status, answer.text]).toEqual([200, expect.anything()]);
}

async function legacy(type: string, args: object): Promise<unknown> {
  return (await send(server, '/v1/query', { body: { type, args } })).json;
}

async function ask(
  query: string,
  variables: object = {},
  headers: Record<string, string> = {},
): Promise<unknown> {
  const { json } = await send(server, '/v1/graphql', { headers, body: { query, variables } });
  return (json as { data?: unknown; errors?: unknown }).data ?? (json as { errors?: unknown }).errors;
}

/** The places as the database has them: name, EWKT of both columns. */
function stored(): Promise<unknown[]> {
  return database.query(
    `select name, st_asewkt(at) as at, st_asewkt(sphere) as sphere from place order by name`,
  );
}

beforeAll(async () => {
  database = await createPostgisDatabase(`
    create table region (id serial primary key, name text, area geometry(polygon, 4326));
    create table place (
      id serial primary key, name text unique, region_id int references region,
      at geometry(point, 4326), sphere geography(point, 4326), path geometry[], mercator geometry(point, 3857)
    );
    create function places_near(spot geometry, far float8) returns setof place stable language sql
      as $$ select * from place where st_dwithin(at, spot, far) order by name $$;
    create function distance_to(place_row place, spot geometry) returns float8 stable language sql
      as $$ select st_distance(place_row.at, spot) $$;
  `);
  const metadataDatabase: TestDatabase = await createTestDatabase();
  server = await serve({
    database: { ...metadataDatabase, url: database.url },
    options: { METADATA_DATABASE_URL: metadataDatabase.url, ENABLED_APIS: 'metadata,graphql,developer' },
  });
  for (const table of ['region', 'place']) await metadata('pg_track_table', { table });
  await metadata('pg_create_array_relationship', {
    table: 'region',
    name: 'places',
    using: { foreign_key_constraint_on: { table: 'place', column: 'region_id' } },
  });
  await metadata('pg_track_function', { function: 'places_near' });
  await metadata('pg_add_computed_field', {
    table: 'place',
    name: 'distance_to',
    definition: { function: 'distance_to', table_argument: 'place_row' },
  });
  const columns = ['name', 'at', 'sphere'];
  await metadata('pg_create_select_permission', {
    table: 'place',
    role: 'user',
    permission: {
      columns,
      filter: {
        _and: [
          { at: { _st_within: square(0, 10) } },
          { sphere: { _st_d_within: { distance: 'x-engine-far', from: 'x-engine-here' } } },
        ],
      },
    },
  });
  await metadata('pg_create_insert_permission', {
    table: 'place',
    role: 'user',
    permission: {
      columns: ['name', 'sphere'],
      check: { at: { _cast: { geography: { _st_d_within: { distance: 1000, from: point(1, 1) } } } } },
      set: { at: point(1, 1) },
    },
  });
  await metadata('create_query_collection', {
    name: 'saved',
    definition: {
      queries: [
        {
          name: 'near',
          query:
            'query ($from: geography!) { place(where: {at: {_cast: {geography: {_st_d_within: {distance: 1000, from: $from}}}}}) { name } }',
        },
      ],
    },
  });
  await metadata('create_rest_endpoint', {
    name: 'near',
    url: 'near',
    methods: ['POST'],
    definition: { query: { collection_name: 'saved', query_name: 'near' } },
  });
}, 300_000);

beforeEach(async () => {
  await database.query(`
    truncate region, place restart identity;
    insert into place (name, at, sphere) values
      ('one', 'SRID=4326;POINT(1 1)', 'POINT(1 1)'), ('two', 'SRID=4326;POINT(2 2)', 'POINT(2 2)');
  `);
});

afterAll(async () => {
  await server?.stop();
  await database?.end();
  expect(leaks()).toEqual([]);
});

const rest = [
  { name: 'one', at: 'SRID=4326;POINT(1 1)', sphere: 'SRID=4326;POINT(1 1)' },
  { name: 'two', at: 'SRID=4326;POINT(2 2)', sphere: 'SRID=4326;POINT(2 2)' },
];

describe('writes', () => {
  const three = { name: 'three', at: 'SRID=4326;POINT(3 3)', sphere: 'SRID=4326;POINT(3 4)' };

  test('one row, in the document and in a variable', async () => {
    expect(
      await ask(
        `mutation ($x: Float!, $sphere: geography) { insert_place_one(object:
        {name: "three", at: {type: "Point", coordinates: [$x, 3]}, sphere: $sphere}) { at sphere } }`,
        { x: 3, sphere: point(3, 4) },
      ),
    ).toEqual({ insert_place_one: { at: printed(3, 3), sphere: printed(3, 4) } });
    expect(await stored()).toEqual([rest[0], three, rest[1]]);
  });

  test('many rows, as arrays of texts, with null and arrays of geometries', async () => {
    const objects = [
      { name: 'three', at: point(3, 3), sphere: point(3, 4), path: [point(1, 2), 'POINT(3 4)'] },
      { name: 'four', at: 'SRID=4326;POINT(4 4)', sphere: null, path: null },
      { name: 'five', at: null, sphere: 'POINT(5 5)', path: [] },
    ];
    expect(
      await ask(
        'mutation ($o: [place_insert_input!]!) { insert_place(objects: $o) { returning { name at path } } }',
        { o: objects },
      ),
    ).toMatchObject({
      insert_place: {
        returning: [{ at: printed(3, 3) }, { at: printed(4, 4), path: null }, { at: null, path: [] }],
      },
    });
    expect(
      await database.query(
        `select st_asewkt(path[1]) as a, st_asewkt(path[2]) as b, name from place where cardinality(path) > 0`,
      ),
    ).toEqual([{ a: 'SRID=4326;POINT(1 2)', b: 'POINT(3 4)', name: 'three' }]);
    expect((await stored()).length).toBe(5);
  });

  test('another reference system', async () => {
    const mercator = { ...point(1, 2), crs: crs('EPSG:3857') };
    expect(
      await ask(
        'mutation ($m: geometry) { insert_place_one(object: {name: "m", mercator: $m}) { mercator } }',
        { m: mercator },
      ),
    ).toEqual({
      insert_place_one: { mercator: { ...point(1, 2), crs: crs('urn:ogc:def:crs:EPSG::3857') } },
    });
  });

  test('nested rows, whose parents are kept for the answer', async () => {
    expect(
      await ask(
        `mutation ($r: [region_insert_input!]!) { insert_region(objects: $r) { returning { area places(order_by: {name: asc}) { name at } } } }`,
        {
          r: [
            {
              name: 'a',
              area: square(0, 1),
              places: {
                data: [
                  { name: 'x', at: point(7, 7) },
                  { name: 'y', at: point(8, 8) },
                ],
              },
            },
            { name: 'b', area: square(1, 2), places: { data: [{ name: 'z', at: point(9, 9) }] } },
          ],
        },
      ),
    ).toEqual({
      insert_region: {
        returning: [
          {
            area: { ...square(0, 1), crs: crs(WGS84) },
            places: [
              { name: 'x', at: printed(7, 7) },
              { name: 'y', at: printed(8, 8) },
            ],
          },
          { area: { ...square(1, 2), crs: crs(WGS84) }, places: [{ name: 'z', at: printed(9, 9) }] },
        ],
      },
    });
  });

  test('updates, upserts and several roots', async () => {
    const query = `mutation ($a: geometry, $where: place_bool_exp!, $o: [place_insert_input!]!, $u: [place_updates!]!) {
      update_place(where: $where, _set: {at: $a}) { returning { name at } }
      insert_place(objects: $o, on_conflict: {constraint: place_name_key, update_columns: [at], where: {at: {_st_equals: $a}}}) { affected_rows }
      update_place_many(updates: $u) { affected_rows }
      delete_place(where: {at: {_st_equals: {type: "Point", coordinates: [2, 2]}}}) { affected_rows }
    }`;
    const variables = {
      a: point(6, 6),
      where: { at: { _st_intersects: square(0, 1.5) } },
      o: [
        { name: 'one', at: point(3, 3) },
        { name: 'two', at: point(3, 3) },
        { name: 'three', at: point(2, 2) },
      ],
      u: [{ where: { name: { _eq: 'one' } }, _set: { sphere: point(8, 8) } }],
    };
    expect(await ask(query, variables)).toEqual({
      update_place: { returning: [{ name: 'one', at: printed(6, 6) }] },
      insert_place: { affected_rows: 2 },
      update_place_many: [{ affected_rows: 1 }],
      delete_place: { affected_rows: 2 },
    });
    expect(await stored()).toEqual([
      { name: 'one', at: 'SRID=4326;POINT(3 3)', sphere: 'SRID=4326;POINT(8 8)' },
    ]);
  });
});

describe('filters', () => {
  const names = async (where: object): Promise<unknown> => {
    const answer = await ask(
      'query ($w: place_bool_exp) { place(where: $w, order_by: {name: asc}) { name } }',
      { w: where },
    );
    return Array.isArray(answer)
      ? answer
      : (answer as { place: { name: string }[] }).place.map(({ name }) => name);
  };

  test.each([
    [{ at: { _eq: point(1, 1) } }, ['one']],
    [{ at: { _neq: point(1, 1) } }, ['two']],
    [{ at: { _in: [point(1, 1), 'SRID=4326;POINT(2 2)'] } }, ['one', 'two']],
    [{ at: { _nin: [point(1, 1)] } }, ['two']],
    [{ at: { _in: [] } }, []],
    [{ at: { _st_within: square(0, 1.5) } }, ['one']],
    [{ at: { _st_contains: point(2, 2) } }, ['two']],
    [{ at: { _st_3d_intersects: point(2, 2) } }, ['two']],
    [{ at: { _st_d_within: { distance: 0.5, from: point(2, 2.2) } } }, ['two']],
    [{ at: { _st_3d_d_within: { distance: 0.5, from: point(2, 2.2) } } }, ['two']],
    [{ sphere: { _st_d_within: { distance: 1000, from: point(2, 2), use_spheroid: false } } }, ['two']],
    [{ sphere: { _st_intersects: point(1, 1) } }, ['one']],
    [{ at: { _cast: { geography: { _st_d_within: { distance: 1000, from: point(1, 1) } } } } }, ['one']],
    [{ sphere: { _cast: { geometry: { _st_within: square(1.5, 3) } } } }, ['two']],
    [{ at: { _st_equals: 'SRID=4326;POINT(2 2)' } }, ['two']],
    [{ at: { _st_equals: '0101000020E610000000000000000000400000000000000040' } }, ['two']],
    [{ at: { _st_equals: JSON.stringify(point(2, 2)) } }, ['two']],
  ])('%j', async (where, found) => expect(await names(where)).toEqual(found));

  test('one plan takes GeoJSON and other texts, whichever came first', async () => {
    const query = 'query near($p: geometry!) { place(where: {at: {_st_equals: $p}}) { name } }';
    const values = [point(1, 1), 'SRID=4326;POINT(2 2)', point(2, 2), 'SRID=4326;POINT(1 1)'];
    const answers = [];
    for (const p of values) answers.push(await ask(query, { p }));
    const [one, two] = ['one', 'two'].map((name) => ({ place: [{ name }] }));
    expect(answers).toEqual([one, two, two, one]);
  });

  test.each([
    [{ type: 'Point', coordinates: [1] }, 'A Position needs at least 2 elements'],
    [[1, 2], 'parsing Geometry failed, expected Object, but encountered Array'],
  ])('refuse %j', async (value, message) => {
    expect(
      await ask('query ($p: geometry!) { place(where: {at: {_st_equals: $p}}) { name } }', { p: value }),
    ).toEqual([
      {
        message,
        extensions: { code: 'parse-failed', path: '$.selectionSet.place.args.where.at._st_equals' },
      },
    ]);
  });

  test('a saved operation', async () => {
    const { json } = await send(server, '/api/rest/near', { body: { from: point(1, 1) } });
    expect(json).toEqual({ place: [{ name: 'one' }] });
  });
});

test('arguments of functions and computed fields', async () => {
  expect(
    await ask(
      'query ($s: geometry!) { places_near(args: {spot: $s, far: 0.5}) { name distance_to(args: {spot: $s}) } }',
      { s: point(1, 1) },
    ),
  ).toEqual({ places_near: [{ name: 'one', distance_to: 0 }] });
  expect(
    await ask('query ($w: place_bool_exp) { place(where: $w) { name } }', { w: { distance_to: { _eq: 0 } } }),
  ).toEqual([expect.objectContaining({ message: expect.stringContaining('distance_to') })]);
});

describe('rules', () => {
  const session = {
    'X-Engine-Role': 'user',
    'X-Engine-Far': '1000',
    'X-Engine-Here': JSON.stringify(point(1, 1)),
  };

  test('read GeoJSON of the metadata and of session variables', async () => {
    expect(await ask('{ place { name } }', {}, session)).toEqual({ place: [{ name: 'one' }] });
    expect(await ask('{ place { name } }', {}, { ...session, 'X-Engine-Here': 'POINT(2 2)' })).toEqual({
      place: [{ name: 'two' }],
    });
  });

  test('set and check columns', async () => {
    expect(
      await ask(
        'mutation ($s: geography) { insert_place(objects: [{name: "mine", sphere: $s}]) { returning { at } } }',
        { s: point(1, 1) },
        session,
      ),
    ).toEqual({ insert_place: { returning: [{ at: printed(1, 1) }] } });
  });
});

test('the older API', async () => {
  expect(
    await legacy('insert', {
      table: 'place',
      objects: [
        { name: 'three', at: point(3, 3) },
        { name: 'four', sphere: point(4, 4) },
      ],
      returning: ['name', 'at'],
    }),
  ).toEqual({
    affected_rows: 2,
    returning: [
      { name: 'three', at: printed(3, 3) },
      { name: 'four', at: null },
    ],
  });
  expect(
    await legacy('update', {
      table: 'place',
      where: { at: { $st_equals: point(3, 3) } },
      $set: { at: point(5, 5) },
    }),
  ).toEqual({ affected_rows: 1 });
  expect(
    await legacy('select', {
      table: 'place',
      columns: ['name'],
      where: { at: { $st_d_within: { distance: 0.1, from: point(5, 5) } } },
    }),
  ).toEqual([{ name: 'three' }]);
  expect(await legacy('delete', { table: 'place', where: { at: { $in: [point(5, 5)] } } })).toEqual({
    affected_rows: 1,
  });
});

describe('subscriptions', () => {
  test('live queries of several subscribers share a statement', async () => {
    const socket = await connect(server);
    const query = 'subscription ($p: geometry!) { place(where: {at: {_st_equals: $p}}) { name } }';
    for (const [id, p] of Object.entries({ a: point(1, 1), b: point(2, 2), c: 'SRID=4326;POINT(2 2)' }))
      socket.send({ type: 'subscribe', id, payload: { query, variables: { p } } });
    const first = [await socket.next(), await socket.next(), await socket.next()];
    const found = first.map(({ id, payload }) => [
      id,
      (payload as { data: { place: { name: string }[] } }).data.place[0]!.name,
    ]);
    expect(Object.fromEntries(found)).toEqual({ a: 'one', b: 'two', c: 'two' });
    await socket.close();
  });

  test('streams begin at a geometry', async () => {
    const socket = await connect(server);
    socket.send({
      type: 'subscribe',
      id: '1',
      payload: {
        query:
          'subscription ($p: geometry!) { place_stream(batch_size: 1, cursor: {initial_value: {at: $p}}) { name } }',
        variables: { p: point(0, 0) },
      },
    });
    const batches = [await socket.next(), await socket.next()].map(({ payload }) => payload);
    expect(batches).toEqual([
      { data: { place_stream: [{ name: 'one' }] } },
      { data: { place_stream: [{ name: 'two' }] } },
    ]);
    await socket.close();
  });
});

test('events have GeoJSON with fifteen digits and the reference system', async () => {
  await metadata('pg_create_event_trigger', {
    name: 'placed',
    table: 'place',
    webhook: 'http://127.0.0.1:9/',
    insert: { columns: '*', payload: ['name', 'at', 'sphere'] },
  });
  await database.query(
    `insert into place (name, at, sphere)
     values ('far', st_setsrid(st_point(1.123456789012345, 2), 4326), 'srid=4326;point(3 4)')`,
  );
  expect(
    await database.query(
      `select payload #> '{data,new}' as row from engine_catalog.event_log where trigger_name = 'placed'`,
    ),
  ).toEqual([{ row: { name: 'far', at: printed(1.123456789012345, 2), sphere: printed(3, 4) } }]);
  await metadata('pg_delete_event_trigger', { name: 'placed' });
});
