/** Values of columns as clients write them: literals of the document and variables come to the same. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type InProcess, serveInProcess } from '../../../harness/in-process.ts';
import { createTestDatabase } from '../../../harness/postgres.ts';

const schema = `
  create type mood as enum ('sad', 'happy');
  create table board (id integer primary key, cells integer[], mood mood, notes jsonb);
`;

let served: InProcess;
beforeAll(async () => {
  const database = await createTestDatabase(schema);
  served = await serveInProcess(database.url, {
    version: 3,
    sources: [
      {
        name: 'default',
        kind: 'postgres',
        configuration: { connection_info: { database_url: { from_env: 'DATABASE_URL' } } },
        tables: [{ table: 'board' }],
      },
    ],
  });
});
afterAll(() => served.end());

async function ask(query: string, variables?: Readonly<Record<string, unknown>>): Promise<unknown> {
  return (JSON.parse(await served.answer({ query, variables }, 'admin')) as { data: unknown }).data;
}

test('lists in lists are arrays of more dimensions, in one row as in several, in changes and in comparisons', async () => {
  expect(
    await ask(
      `mutation ($nine: Int!) {
      one: insert_board_one(object: {id: 1, cells: [[1, 2], [3, 4]]}) { cells }
      several: insert_board(objects: [{id: 2, cells: [[5], [6]]}, {id: 3}]) { returning { cells } }
      changed: update_board_by_pk(pk_columns: {id: 3}, _set: {cells: [[7, 8], [$nine, 10]]}) { cells }
      deleted: delete_board(where: {cells: {_eq: [[1, 2], [3, 4]]}}) { returning { id } }
    }`,
      { nine: 9 },
    ),
  ).toEqual({
    one: {
      cells: [
        [1, 2],
        [3, 4],
      ],
    },
    several: { returning: [{ cells: [[5], [6]] }, { cells: null }] },
    changed: {
      cells: [
        [7, 8],
        [9, 10],
      ],
    },
    deleted: { returning: [{ id: 1 }] },
  });
});

test('an array is written as a list or as Postgres writes it', async () => {
  const query =
    'mutation ($cells: [Int!]) { insert_board_one(object: {id: 10, cells: $cells}) { cells } delete_board_by_pk(id: 10) { id } }';
  expect(await ask(query, { cells: '{{1},{2}}' })).toMatchObject({ insert_board_one: { cells: [[1], [2]] } });
  await expect(ask(query, { cells: 1 })).rejects.toMatchObject({
    code: 'parse-failed',
    message: 'parsing [] failed, expected Array, but encountered Number',
    path: '$.selectionSet.insert_board_one.args.object.cells',
  });
});

test('an item of an array is never null, however the array is written', async () => {
  const refused = (path: string) => ({
    code: 'validation-failed',
    message: "unexpected null value for type 'Int'",
    path: `$.selectionSet.${path}`,
  });
  const insert = (cells: string) => `insert_board_one(object: {id: 40, cells: ${cells}}) { id }`;
  const set = (cells: string) =>
    `update_board(where: {id: {_eq: 40}}, _set: {cells: ${cells}}) { affected_rows }`;
  const rows = (cells: string) =>
    `insert_board(objects: [{id: 40}, {id: 41, cells: ${cells}}]) { affected_rows }`;
  const places = [
    [insert, 'insert_board_one.args.object.cells'],
    [set, 'update_board.args._set.cells'],
    [rows, 'insert_board.args.objects[1].cells'],
  ] as const;
  for (const [field, path] of places) {
    const asked = `mutation ($cells: [Int!]) { ${field('$cells')} }`;
    await expect(ask(`mutation { ${field('[1, null]')} }`)).rejects.toMatchObject(refused(`${path}[1]`));
    await expect(ask(asked, { cells: [1, null] })).rejects.toMatchObject(refused(`${path}[1]`));
    await expect(ask(`mutation { ${field('[[1, null]]')} }`)).rejects.toMatchObject(refused(`${path}[0][1]`));
    await expect(ask(asked, { cells: [[1, null]] })).rejects.toMatchObject(refused(`${path}[0][1]`));
    await expect(
      ask(`mutation ($cell: Int) { ${field('[[1, $cell]]')} }`, { cell: null }),
    ).rejects.toMatchObject(refused(`${path}[0][1]`));
    // Of a plan that another value made.
    await ask(asked, { cells: [1] });
    await expect(ask(asked, { cells: [null] })).rejects.toMatchObject(refused(`${path}[0]`));
    await ask('mutation { delete_board(where: {id: {_gte: 40}}) { affected_rows } }');
  }
  await expect(
    ask('query ($any: [[Int!]!]) { board(where: {cells: {_in: $any}}) { id } }', { any: [[1, null]] }),
  ).rejects.toMatchObject(refused('board.args.where.cells._in[0][1]'));
  const json = '[[1, null], {"a": [null]}]';
  const notes = JSON.parse(json) as unknown;
  expect(
    await ask(
      `mutation ($notes: jsonb) {
        one: insert_board_one(object: {id: 40, notes: [[1, null], {a: [null]}]}) { notes }
        two: insert_board_one(object: {id: 41, notes: $notes}) { notes }
        found: delete_board(where: {notes: {_in: [[[1, null], {a: [null]}]]}}) { affected_rows }
      }`,
      { notes },
    ),
  ).toEqual({ one: { notes }, two: { notes }, found: { affected_rows: 2 } });
});

test('a bare word for a column is its text', async () => {
  expect(await ask('mutation { insert_board_one(object: {id: 20, mood: happy}) { mood } }')).toEqual({
    insert_board_one: { mood: 'happy' },
  });
  await expect(
    ask('mutation { update_board(where: {id: {_eq: 20}}, _set: {mood: angry}) { affected_rows } }'),
  ).rejects.toMatchObject({ code: 'data-exception', message: 'invalid input value for enum mood: "angry"' });
  await expect(ask('{ board(limit: happy) { id } }')).rejects.toMatchObject({ code: 'validation-failed' });
});

test('one object stands for a list of one, whichever of them came before', async () => {
  const insert =
    'mutation ($rows: [board_insert_input!]!) { insert_board(objects: $rows) { returning { id } } }';
  const find = 'query ($any: [board_bool_exp!]) { board(where: {_or: $any}) { id } }';
  for (const id of [30, 31, 32, 33]) {
    const row = { id };
    const condition = { id: { _eq: id } };
    const isList = id % 2 === 0;
    expect(await ask(insert, { rows: isList ? [row] : row })).toEqual({ insert_board: { returning: [row] } });
    expect(await ask(find, { any: isList ? [condition] : condition })).toEqual({ board: [row] });
  }
});
