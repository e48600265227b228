/** Names and values that try to become SQL: they are refused or stay what they are, and the tables stay. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startProject } from './data.ts';

let project: Awaited<ReturnType<typeof startProject>>;
beforeAll(async () => {
  project = await startProject();
});
afterAll(() => project.server.stop());

const attacks = [
  `"; drop table article; --`,
  `'; drop table article; --`,
  `id" or true --`,
  `id') or ('1'='1`,
  `\\'; drop table article; --`,
  `$1`,
  `{row}`,
  `{session.x-engine-user-id::text}`,
  `__proto__`,
  `constructor`,
  'id\u0000',
];

const places: readonly [string, (attack: string) => readonly [type: string, args: object]][] = [
  ['a table', (name) => ['select', { table: name, columns: ['id'] }]],
  ['a schema', (schema) => ['select', { table: { schema, name: 'article' }, columns: ['id'] }]],
  ['a column', (name) => ['select', { table: 'article', columns: [name] }]],
  ['a relationship', (name) => ['select', { table: 'article', columns: [{ name, columns: ['id'] }] }]],
  ['an operator', (name) => ['select', { table: 'article', columns: ['id'], where: { id: { [name]: 1 } } }]],
  [
    'a cast',
    (name) => ['select', { table: 'article', columns: ['id'], where: { tags: { _cast: { [name]: {} } } } }],
  ],
  [
    'a compared column',
    (name) => ['select', { table: 'article', columns: ['id'], where: { id: { _ceq: name } } }],
  ],
  ['a key of where', (name) => ['select', { table: 'article', columns: ['id'], where: { [name]: 1 } }]],
  [
    'a table of _exists',
    (name) => ['select', { table: 'article', columns: ['id'], where: { _exists: { _table: name } } }],
  ],
  ['an order', (name) => ['select', { table: 'article', columns: ['id'], order_by: `+${name}` }]],
  [
    'a direction',
    (type) => ['select', { table: 'article', columns: ['id'], order_by: { column: 'id', type } }],
  ],
  ['nulls', (nulls) => ['select', { table: 'article', columns: ['id'], order_by: { column: 'id', nulls } }]],
  ['a limit', (limit) => ['select', { table: 'article', columns: ['id'], limit }]],
  ['a distinct column', (name) => ['count', { table: 'article', distinct: [name] }]],
  ['an inserted column', (name) => ['insert', { table: 'article', objects: [{ [name]: 1 }] }]],
  [
    'a constraint',
    (constraint) => [
      'insert',
      { table: 'article', objects: [{ id: 1 }], on_conflict: { action: 'ignore', constraint } },
    ],
  ],
  [
    'a constraint column',
    (name) => [
      'insert',
      { table: 'article', objects: [{ id: 1 }], on_conflict: { action: 'ignore', constraint_on: [name] } },
    ],
  ],
  ['an updated column', (name) => ['update', { table: 'article', where: {}, $set: { [name]: 1 } }]],
  ['a defaulted column', (name) => ['update', { table: 'article', where: {}, $default: [name] }]],
  ['a returned column', (name) => ['delete', { table: 'article', where: { id: 1 }, returning: [name] }]],
];

test.each(places)('as the name of %s', async (_place, request) => {
  for (const attack of attacks) {
    for (const as of [undefined, 1]) {
      const [type, args] = request(attack);
      // Written out, because an object literal would take __proto__ for its prototype.
      const { status } = await project.ask(type, JSON.parse(JSON.stringify(args)), as);
      expect({ attack, status }).toEqual({ attack, status: 400 });
    }
  }
  expect(await project.server.database.query('select count(*)::int from article')).toEqual([{ count: 3 }]);
});

test('as an alias', async () => {
  for (const alias of attacks.filter((text) => !text.includes('\u0000'))) {
    const columns = [{ name: 'author', alias, columns: ['id'] }];
    const { status, answer } = await project.ask('select', { table: 'article', columns, where: { id: 1 } });
    expect({ alias, status, keys: Object.keys((answer as object[])[0]!) }).toEqual({
      alias,
      status: 200,
      keys: [alias],
    });
  }
});

test('as values', async () => {
  for (const title of attacks.filter((text) => !text.includes('\u0000'))) {
    const inserted = await project.ask('insert', {
      table: 'article',
      objects: [{ author_id: 1, title }],
      returning: ['title'],
    });
    expect(inserted.answer).toEqual({ affected_rows: 1, returning: [{ title }] });
    const found = await project.ask(
      'select',
      { table: 'article', columns: ['title'], where: { title, _not: { title: { _in: ['a'] } } } },
      1,
    );
    expect(found.answer).toEqual([{ title }]);
    const deleted = await project.ask('delete', { table: 'article', where: { title } });
    expect(deleted.answer).toEqual({ affected_rows: 1 });
  }
  expect(await project.server.database.query('select count(*)::int from article')).toEqual([{ count: 3 }]);
});
