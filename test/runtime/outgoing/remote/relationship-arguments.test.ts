/** Arguments of remote relationships: values of columns, and what the client adds. */
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { type JoinedProject, startJoinedProject } from '../../../harness/joined-project.ts';

let project: JoinedProject;

beforeAll(async () => {
  project = await startJoinedProject();
});

afterAll(() => project?.stop());

beforeEach(() => project.forget());

const ROWS = 'ticket(order_by: {id: asc}, where: {id: {_lte: 4}})';

test('paths into nested fields, with arguments of the client', async () => {
  expect(
    await project.ask(
      'query ($n: Int) { ticket(order_by: {id: asc}, where: {id: {_in: [1, 3]}}) { member(limit: $n) { name } } }',
      'admin',
      { n: 1 },
    ),
  ).toEqual({
    data: { ticket: [{ member: [{ name: 'Ann' }] }, { member: [{ name: 'Bob' }] }] },
  });
  expect(project.users.calls[0]).toMatchObject({
    query:
      'query ($n: Int) { f0: group(name: "a") { members(limit: $n, of: 1) { name  } } f1: group(name: "c") { members(limit: $n, of: 2) { name  } } }',
    variables: { n: 1 },
  });
  expect(project.requests()).toEqual([1, 0]);
});

test('enum arguments are fed by columns', async () => {
  expect(await project.ask(`{ ${ROWS} { levelled } }`)).toEqual({
    data: {
      ticket: [
        { levelled: 'level HIGH' },
        { levelled: 'level LOW' },
        { levelled: null },
        { levelled: 'level LOW' },
      ],
    },
  });
  expect(project.users.calls[0]).toMatchObject({ variables: { f0_0: 'HIGH', f1_0: 'LOW' } });
  expect(project.requests()).toEqual([1, 0]);
});

test('an enum table is joined by its values', async () => {
  expect(await project.ask(`{ ${ROWS} { graded(order_by: {id: asc}) { name grade } } }`)).toEqual({
    data: {
      ticket: [
        { graded: [{ name: 'second', grade: 'HIGH' }] },
        {
          graded: [
            { name: 'first', grade: 'LOW' },
            { name: 'third', grade: 'LOW' },
          ],
        },
        { graded: null },
        {
          graded: [
            { name: 'first', grade: 'LOW' },
            { name: 'third', grade: 'LOW' },
          ],
        },
      ],
    },
  });
});

const listed = (where: string, declared = '') =>
  `query ${declared} { ticket_by_pk(id: 3) { listed(where: ${where}) { name } } }`;

test.each([
  ['a literal', listed('{ids: ["3"]}'), {}, '["3", 2]', undefined],
  [
    'a variable',
    listed('{ids: $ids}', '($ids: [ID!])'),
    { ids: ['3', 1] },
    '[$ids_0, $ids_1, 2]',
    { ids_0: '3', ids_1: 1 },
  ],
  [
    'a variable that is no list',
    listed('{ids: $ids}', '($ids: [ID!])'),
    { ids: '3' },
    '[$ids_0, 2]',
    { ids_0: '3' },
  ],
  ['a variable without items', listed('{ids: $ids}', '($ids: [ID!])'), { ids: [] }, '[2]', undefined],
  ['a variable that is null', listed('{ids: $ids}', '($ids: [ID!])'), { ids: null }, '[2]', undefined],
  [
    'items that are variables',
    listed('{ids: ["3", $a, $a]}', '($a: ID!)'),
    { a: '1' },
    '["3", $a, $a, 2]',
    { a: '1' },
  ],
  [
    'the object as a variable',
    listed('$where', '($where: Where_remote_rel_ticketlisted)'),
    { where: { ids: ['3'] } },
    '[$where_ids_0, 2]',
    { where_ids_0: '3' },
  ],
])('a list of the client goes before the values of the join: %s', async (_, query, given, ids, variables) => {
  const answer = (await project.ask(query, 'admin', given)) as {
    data: { ticket_by_pk: { listed: object[] } };
  };
  const names =
    ids.includes('3') || variables ? expect.arrayContaining([{ name: 'Cid' }]) : [{ name: 'Bob' }];
  expect(answer.data.ticket_by_pk.listed).toEqual(names);
  expect(project.users.calls).toHaveLength(1);
  expect(project.users.calls[0]!.query).toContain(`find(where: {ids: ${ids}})`);
  expect(project.users.calls[0]!.variables).toEqual(variables);
});

test('plans are not shared by lists of different lengths', async () => {
  const query = listed('{ids: $ids}', '($ids: [ID!])');
  for (const ids of [['1'], ['1', '3'], []])
    expect(await project.ask(query, 'admin', { ids })).toEqual({
      data: {
        ticket_by_pk: {
          listed: ['1', '2', '3']
            .filter((id) => id === '2' || ids.includes(id))
            .map((id) => ({ name: NAMES[id] })),
        },
      },
    });
});

const NAMES: Readonly<Record<string, string>> = { 1: 'Ann', 2: 'Bob', 3: 'Cid' };

test.each([
  ['{ find(where: {ids: $ids}) { name } }', '$.selectionSet.find.args.where.ids[1]'],
  [
    '{ ticket_by_pk(id: 3) { listed(where: {ids: $ids}) { name } } }',
    '$.selectionSet.ticket_by_pk.selectionSet.listed.args.where.ids[1]',
  ],
])('null in a list of non-null items leaves with no request: %s', async (query, path) => {
  expect(await project.ask(`query ($ids: [ID!]) ${query}`, 'admin', { ids: ['1', null] })).toEqual({
    errors: [
      { message: "unexpected null value for type 'ID'", extensions: { path, code: 'validation-failed' } },
    ],
  });
  expect(project.requests()).toEqual([0, 0]);
});

test('a relationship without values of the row is one field for all rows', async () => {
  const remote_field = { find: { arguments: { where: { name: 'Ann' } } } };
  const definition = {
    to_remote_schema: { remote_schema: 'users', lhs_fields: ['note', 'owner'], remote_field },
  };
  await project.metadata('pg_create_remote_relationship', { table: 'ticket', name: 'fixed', definition });
  expect(await project.ask(`{ ${ROWS} { fixed { id } } }`)).toEqual({
    data: {
      ticket: [{ fixed: [{ id: '1' }] }, { fixed: [{ id: '1' }] }, { fixed: [{ id: '1' }] }, { fixed: null }],
    },
  });
  expect(project.users.calls.map(({ query }) => query)).toEqual([
    'query  { f0: find(where: {name: "Ann"}) { id  } }',
  ]);
});
