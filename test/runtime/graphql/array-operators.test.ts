import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createTestDatabase } from '../../harness/postgres.ts';
import { send, startTestServer, type TestServer } from '../../harness/server.ts';

let server: TestServer;

beforeAll(async () => {
  const database = await createTestDatabase(`
    create type mood as enum ('sad', 'happy');
    create table thing (
      id int primary key, tags text[], numbers int[], moods mood[], grid int[], name text unique, boxes box[], spot box, docs jsonb[]);
    insert into thing values
      (1, '{a,b}', '{1,2}', '{sad}', '{{1,2},{3,4}}', 'one', '{(1,1),(0,0);(2,2),(1,1)}', '(1,1),(0,0)', '{}'),
      (2, '{}', '{3}', '{happy,sad}', '{}', 'two', '{}', '(2,2),(0,0)', null),
      (3, null, null, null, null, 'three', null, null, null);
  `);
  server = await startTestServer(database);
  const permit = (kind: string, permission: object) => ({
    type: `pg_create_${kind}_permission`,
    args: { table: 'thing', role: 'user', permission },
  });
  const filter = { id: { _gt: 0 } };
  const args = [
    { type: 'pg_track_table', args: { table: 'thing' } },
    permit('select', { columns: '*', filter }),
    permit('insert', { columns: '*', check: {} }),
    permit('update', { columns: '*', filter }),
  ];
  const { status, text } = await send(server, '/v1/metadata', { body: { type: 'bulk', args } });
  if (status !== 200) throw new Error(text);
});

afterAll(() => server?.stop());

async function ask(query: string, variables: object = {}, role = 'user') {
  const { status, json } = await send(server, '/v1/graphql', {
    headers: { 'x-engine-role': role },
    body: { query, variables },
  });
  return { status, json };
}

const found = (...ids: number[]) => ({
  status: 200,
  json: { data: { thing: ids.map((id) => ({ id })) } },
});

describe.each(['user', 'admin'])('for the role %s', (role) => {
  test.each([
    ['tags', '[String!]', [['a', 'b']], [1], [2]],
    ['tags', '[String!]', [['a', 'b'], []], [1, 2], []],
    ['tags', '[String!]', [], [], [1, 2, 3]],
    ['tags', '[String!]', ['{a,b}'], [1], [2]],
    ['numbers', '[Int!]', [[1, 2], [4]], [1], [2]],
    ['moods', '[mood!]', [['happy', 'sad']], [2], [1]],
    [
      'grid',
      '[Int!]',
      [
        [
          [1, 2],
          [3, 4],
        ],
      ],
      [1],
      [2],
    ],
  ])('%s is one of %s %j, or none', async (column, type, list, among, others) => {
    for (const [operator, ids] of [
      ['_in', among],
      ['_nin', others],
    ] as const) {
      const written = JSON.stringify(list);
      expect(
        await ask(
          `{thing(where: {${column}: {${operator}: ${written}}}, order_by: {id: asc}) {id}}`,
          {},
          role,
        ),
      ).toEqual(found(...(ids as number[])));
      if (column === 'grid') continue;
      expect(
        await ask(
          `query ($list: [${type}!]!) {thing(where: {${column}: {${operator}: $list}}, order_by: {id: asc}) {id}}`,
          { list },
          role,
        ),
      ).toEqual(found(...(ids as number[])));
    }
  });
});

describe('arrays whose dimensions do not match are refused, not a defect of the server', () => {
  test.each([
    ['numbers: {_eq: [[1], [2, 3]]}', '{{1},{2,3}}'],
    ['numbers: {_in: [[[1], [2, 3]]]}', '{{1},{2,3}}'],
    ['numbers: {_contains: [[1], [2, 3]]}', '{{1},{2,3}}'],
    ['grid: {_eq: [[1, 2], 3]}', '{{1,2},3}'],
    ['grid: {_gt: [[], [1]]}', '{{},{1}}'],
    ['numbers: {_in: ["1,2"]}', '1,2'],
  ])('%s', async (condition, text) => {
    expect(await ask(`{thing(where: {${condition}}) {id}}`)).toEqual({
      status: 200,
      json: {
        errors: [
          {
            message: `malformed array literal: "${text}"`,
            extensions: { path: '$', code: 'data-exception' },
          },
        ],
      },
    });
  });

  test('of more than six dimensions', async () => {
    expect(await ask('{thing(where: {numbers: {_eq: [[[[[[[1]]]]]]]}}) {id}}')).toMatchObject({
      json: { errors: [{ extensions: { code: 'data-exception' } }] },
    });
  });
});

test.each(['_set: {docs: [{a: 1}, [2, [3]], "x"]}', '_set: {docs: $docs}'])(
  'a list in an array of jsonb is a value, not a dimension: %s',
  async (set) => {
    const docs = [{ a: 1 }, [2, [3]], 'x'];
    const given = set.includes('$docs');
    const update = `update_thing(where: {id: {_eq: 2}}, ${set}) {returning {docs}}`;
    expect(
      await ask(`mutation ${given ? '($docs: [jsonb!])' : ''} {${update}}`, given ? { docs } : {}),
    ).toMatchObject({ json: { data: { update_thing: { returning: [{ docs }] } } } });
  },
);

test('boxes have a delimiter of their own', async () => {
  expect(await ask('{thing(where: {spot: {_in: ["(1,1),(0,0)", "(3,3),(0,0)"]}}) {id}}')).toEqual(found(1));
  const boxes = ['(1,1),(0,0)', '(2,2),(1,1)'];
  expect(
    await ask(
      'mutation ($boxes: [box!]) {update_thing(where: {id: {_eq: 2}}, _set: {boxes: $boxes}) {returning {boxes}}}',
      {
        boxes,
      },
    ),
  ).toMatchObject({ json: { data: { update_thing: { returning: [{ boxes }] } } } });
});

test('update_columns may name a column twice', async () => {
  const insert = 'insert_thing(objects: [{id: 1, name: "new"}]';
  const conflict = 'on_conflict: {constraint: thing_pkey, update_columns: [name, name]}';
  expect(await ask(`mutation {${insert}, ${conflict}) {affected_rows returning {name}}}`)).toMatchObject({
    json: { data: { insert_thing: { affected_rows: 1, returning: [{ name: 'new' }] } } },
  });
});
