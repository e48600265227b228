/** What a native query must never do, whatever a client asks: show rows that no rule admits, and take an argument for text. */
import { expect, test } from 'vitest';
import { readNativeText } from '../../../runtime/core/native-text.ts';
import { sql } from '../../../runtime/core/sql/fragment.ts';
import { nativeRowsOf } from '../../../runtime/core/sql/native.ts';
import { readSetOf } from '../../../runtime/core/sql/reads.ts';
import { openRequestProject } from '../../harness/request-project.ts';

const project = await openRequestProject('native');
const nested = await openRequestProject('nested');
const writing = await openRequestProject('native-writing');

test('rows of a native query meet the rule of its logical model', async () => {
  const served = await project.served();
  const query = '{ search_pages(args: { words: "house" }) { id } }';
  const ids = async (user: string) =>
    (JSON.parse(await served.answer({ query }, 'clerk', { 'x-engine-user-id': user })) as { data: unknown })
      .data;
  expect(await ids('1')).toEqual({ search_pages: [{ id: 1 }, { id: 2 }] });
  expect(await ids('2')).toEqual({ search_pages: [{ id: 4 }] });
  expect(await ids('3')).toEqual({ search_pages: [] });
});

test.each([
  ['clerk', '{ profiles { home { street } } }', undefined],
  ['clerk', '{ profiles { home { zip } } }', "field 'zip' not found"],
  ['clerk', '{ profiles { odd { id } } }', "field 'odd' not found"],
  ['clerk', '{ profiles(where: { odd: { id: { _eq: 7 } } }) { name } }', "field 'odd' not found"],
  ['clerk', '{ profiles(where: { home: { no: { _eq: 5 } } }) { name } }', "field 'no' not found"],
  ['clerk', '{ profiles(order_by: { home: { no: asc } }) { name } }', "field 'no' not found"],
  ['clerk', '{ profiles { notes { by { name } } } }', "field 'by' not found"],
  ['limited', '{ profiles { places { street } } }', undefined],
  ['limited', '{ profiles { home { street } } }', "field 'home' not found"],
  ['limited', '{ profiles(where: { home: { street: { _eq: "S" } } }) { name } }', "field 'home' not found"],
  ['limited', '{ profiles(order_by: { home: { street: asc } }) { name } }', "field 'home' not found"],
  ['nobody', '{ profiles { name } }', "field 'profiles' not found"],
])(
  'a field with rows of another model is shown where both models show it: %s %s',
  async (role, query, refused) => {
    const served = await nested.served();
    const session = { 'x-engine-least': '0' };
    if (refused === undefined) expect(await served.answer({ query }, role, session)).toContain('"data"');
    else await expect(async () => await served.answer({ query }, role, session)).rejects.toThrow(refused);
  },
);

test('only roles that are named may call a mutation', async () => {
  const served = await writing.served();
  const ask = async (role: string) =>
    await served.answer({ query: 'mutation { deposit(args: { amount: 1 }) { id } }' }, role, {
      'x-engine-owner': 'ada',
    });
  // The role may read the rows of the model.
  await expect(async () => await ask('guest')).rejects.toThrow('no mutations exist');
  expect(JSON.parse(await ask('clerk'))).toEqual({ data: { deposit: [] } });
});

test('a value that is not of its type is an error where it is read, and nowhere else', async () => {
  const served = await nested.served();
  const ask = async (query: string, role: string) => await served.answer({ query }, role, {});
  await nested.database.query(
    `update customer set notes = '[{"id": "s3cret", "body": "b", "replies": []}]' where id = 4`,
  );
  const all = '{ profiles(args: { least: 4 }) { notes { body } } }';
  // The role reads `body` only, in rows up to 3.
  expect(JSON.parse(await ask(all, 'clerk'))).toEqual({ data: { profiles: [] } });
  await nested.database.query(
    `update customer set notes = '[{"id": "s3cret", "body": "b", "replies": []}]' where id = 3`,
  );
  expect(JSON.parse(await ask('{ profiles(args: { least: 3 }) { notes { body } } }', 'clerk'))).toEqual({
    data: { profiles: [{ notes: [{ body: 'b' }] }] },
  });
  // Hidden rows are not looked into, whatever a condition asks.
  const asked = '{ profiles(where: { notes: { replies: { body: { _eq: "x" } } } }) { name } }';
  expect(JSON.parse(await ask(asked, 'clerk'))).toEqual({ data: { profiles: [] } });
  await expect(async () => await ask('{ profiles { notes { id } } }', 'admin')).rejects.toThrow('s3cret');
});

test.each([
  ['{"id": 1}', null],
  ['5', null],
  ['[[{"id": 1}]]', []],
  ['[5, {"id": 1, "replies": {"id": 2}}]', [{ id: 1, by: null, replies: null }]],
  ['[{"id": 1, "by": [{"name": "x"}]}]', [{ id: 1, by: null, replies: null }]],
  [
    '[{"id": 1, "by": {"name": "x"}, "replies": [[{"id": 2}], {"id": 3}]}]',
    [{ id: 1, by: { name: 'x' }, replies: [{ id: 3 }] }],
  ],
])('a list is a list and a row is a row, in fields, conditions and aggregates: %s', async (notes, shown) => {
  const served = await nested.served();
  await nested.database.query(`update customer set notes = '${notes}' where id = 1`);
  const ask = async (query: string) =>
    (
      JSON.parse(await served.answer({ query }, 'boss', { 'x-engine-least': '0' })) as {
        data: { profiles: readonly Record<string, unknown>[] };
      }
    ).data.profiles;
  const one = 'profiles(where: { id: { _eq: 1 } })';
  expect(
    await ask(
      `{ ${one} { notes { id by { name } replies { id } } notes_aggregate { aggregate { count } } } }`,
    ),
  ).toEqual([{ notes: shown, notes_aggregate: { aggregate: { count: shown?.length ?? 0 } } }]);
  const found = async (condition: string) =>
    (await ask(`{ profiles(where: { id: { _eq: 1 }, ${condition} }) { id } }`)).length;
  expect(await found('notes: {}')).toBe(shown?.length ? 1 : 0);
  expect(await found('notes: { replies: {} }')).toBe(shown?.some(({ replies }) => replies) ? 1 : 0);
  expect(await found('notes: { by: {} }')).toBe(shown?.some(({ by }) => by) ? 1 : 0);
});

test('what it reads is not known, so a subscription is read at its interval and no answer is kept', () => {
  const rows = nativeRowsOf(
    { name: 'late', sql: 'select * from page where now() > due', arguments: [] },
    () => sql``,
  );
  expect(readSetOf(rows, [])).toMatchObject({ isUnknown: true, functions: [] });
});

test.each(["it's", "' or true --", '$1', '{{words}}', '\\', '"', '/*', '', '); drop table page; --'])(
  'an argument is a value and never text: %s',
  async (words) => {
    const served = await project.served();
    const query = `{ search_pages(args: { words: ${JSON.stringify(words)} }) { id } }`;
    const { text } = { text: served.sql({ query }, 'admin') };
    expect(text).not.toContain(`'${words}'`);
    expect(JSON.parse(await served.answer({ query }, 'admin'))).toEqual({ data: { search_pages: [] } });
  },
);

test.each([
  ["select '{{a}}'", 'in a literal', 8],
  ["select E'\\'{{a}}'", 'in a literal', 11],
  ['select $$ {{a}} $$', 'in a literal', 10],
  ['select $x$ $$ {{ a }} $x$', 'in a literal', 14],
  ['select "{{a}}"', 'in a quoted name', 8],
  ['select 1 -- {{a}}', 'in a comment', 12],
  ['select /* /* */ {{a}} */ 1', 'in a comment', 16],
  ['select 1; select 2', 'more than one statement', 10],
  ['select 1) as x, (select 2', 'closed that was not opened', 8],
  ['select (1', 'not closed', 9],
  ["select 'a", 'not closed', 7],
  ['select $a$ b', 'not closed', 7],
  ['select /* a', 'not closed', 7],
  ['select $1', 'write {{name}}', 7],
  // PostgreSQL takes every character beyond ASCII for one of a word, and goes on with E'' on the next line.
  ['select $हिन्दी$ {{a}} $हिन्दी$', 'in a literal', 16],
  ["select E'a'\n  '\\'{{a}}'", 'in a literal', 17],
  ["select E'a' -- more\n '\\'{{a}}'", 'in a literal', 24],
  [' -- nothing', 'no statement', 0],
])('refused: %s', (code, problem, at) => {
  const read = readNativeText(code);
  expect(read).toMatchObject({ at, problem: expect.stringContaining(problem) });
});

test.each([
  ['select 1;  -- done', ['select 1']],
  ["select '{{1,2},{3,4}}'::int[]", ["select '{{1,2},{3,4}}'::int[]"]],
  ['select {{a}}+{{ a }}', ['select ', '+']],
  ['select a$b, "x""{y"', ['select a$b, "x""{y"']],
  // A name with dollars in it.
  ['select é€$$, x$$', ['select é€$$, x$$']],
  ['select 1 -- one\r where {{a}}\r and true', ['select 1', '\r where', '\r and true']],
])('read: %s', (code, texts) => {
  const read = readNativeText(code);
  const found = 'parts' in read ? read.parts.flatMap((part) => ('text' in part ? [part.text] : [])) : [];
  expect(
    found
      .map((text) => text.trimEnd())
      .filter((text) => text !== '')
      .join('|'),
  ).toBe(texts.map((text) => text.trimEnd()).join('|'));
});
