/** Values of columns as clients write them: literals and variables mean the same, whichever a plan was made for first. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { InProcess } from '../../../harness/in-process.ts';
import { openRequestProject, type RequestProject } from '../../../harness/request-project.ts';

let project: RequestProject;
let served: InProcess;
beforeAll(async () => {
  project = await openRequestProject('writing/arrays');
  served = await project.served();
});
afterAll(() => project.end());

async function ask(query: string, variables?: Readonly<Record<string, unknown>>): Promise<unknown> {
  return (JSON.parse(await served.answer({ query, variables }, 'admin')) as { data: unknown }).data;
}

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
