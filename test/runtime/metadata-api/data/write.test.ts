import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { denied, startProject } from './data.ts';

let project: Awaited<ReturnType<typeof startProject>>;
beforeAll(async () => {
  project = await startProject();
});
afterAll(() => project.server.stop());

const ask: (typeof project)['ask'] = (...args) => project.ask(...args);
const stored = () =>
  project.server.database.query('select id, author_id, title, is_published, views from article order by id');

const rows = [
  { id: 1, author_id: 1, title: 'first', is_published: true, views: 10 },
  { id: 2, author_id: 1, title: 'draft', is_published: false, views: 10 },
  { id: 3, author_id: 2, title: 'second', is_published: true, views: 10 },
];

beforeEach(async () => {
  await project.server.database.query(`
    truncate article;
    insert into article (id, author_id, title, is_published, tags) values
      (1, 1, 'first', true, '["a"]'), (2, 1, 'draft', false, null), (3, 2, 'second', true, null);
    select setval('article_id_seq', 10);
  `);
});

const checkFailed = {
  status: 400,
  answer: {
    code: 'permission-error',
    error: 'check constraint of an insert/update permission has failed',
    path: '$.args',
  },
};

describe('insert', () => {
  const insert = (objects: object[], more: object = {}, as?: string | number) =>
    ask('insert', { table: 'article', objects, ...more }, as);

  test('gives the presets of the role, defaults, and what was asked to be returned', async () => {
    const answer = await insert(
      [
        { title: 'new', tags: { a: 1.5 } },
        { title: 'newer', views: 3 },
      ],
      {
        returning: ['id', 'author_id', 'tags', { name: 'author', columns: ['name'] }],
      },
      2,
    );
    expect(answer).toEqual({
      status: 200,
      answer: {
        affected_rows: 2,
        returning: [
          { id: 11, author_id: 2, tags: { a: 1.5 }, author: { name: 'Bo' } },
          { id: 12, author_id: 2, tags: null, author: { name: 'Bo' } },
        ],
      },
    });
    expect(await stored()).toEqual([
      ...rows,
      { id: 11, author_id: 2, title: 'new', is_published: false, views: 10 },
      { id: 12, author_id: 2, title: 'newer', is_published: false, views: 3 },
    ]);
  });

  test('a failed check leaves nothing behind', async () => {
    expect(await insert([{ title: 'a' }, { title: 'b', views: 100 }], {}, 1)).toEqual(checkFailed);
    expect(await stored()).toEqual(rows);
  });

  test('columns are those of the role, without presets and generated ones', async () => {
    const text = 'role "user" does not have permission to insert column "author_id"';
    expect(await insert([{ title: 'x', author_id: 1 }], {}, 2)).toEqual(
      denied(text, '$.args.objects[0].author_id'),
    );
    expect((await insert([{ title: 'x', is_published: true }], {}, 2)).answer).toMatchObject({
      code: 'permission-denied',
    });
    expect((await insert([{ title: 'x', author_id: 1, total: 1 }])).answer).toEqual({
      code: 'not-supported',
      error: 'column "total" is not insertable',
      path: '$.args.objects[0].total',
    });
    expect((await insert([{ nothing: 1 }])).answer).toEqual({
      code: 'not-exists',
      error: 'column "nothing" does not exist',
      path: '$.args.objects[0].nothing',
    });
    expect(await stored()).toEqual(rows);
  });

  test('no rows, and rows of defaults', async () => {
    expect((await insert([], { returning: ['id'] })).answer).toEqual({ affected_rows: 0, returning: [] });
    expect((await insert([], {})).answer).toEqual({ affected_rows: 0 });
    expect((await insert([{}], {})).answer).toMatchObject({ code: 'constraint-violation', path: '$.args' });
  });

  test('a conflict is ignored or updates, by any constraint, by name or by columns', async () => {
    const object = { id: 1, author_id: 1, title: 'changed' };
    const on = (on_conflict: object, as?: number) =>
      insert(
        as === undefined ? [object] : [{ id: 1, title: 'changed' }],
        { on_conflict, returning: ['id', 'title'] },
        as,
      );
    expect((await on({ action: 'ignore' })).answer).toEqual({ affected_rows: 0, returning: [] });
    expect((await on({ action: 'ignore', constraint: 'article_pkey' })).answer).toMatchObject({
      affected_rows: 0,
    });
    expect(await stored()).toEqual(rows);
    expect((await on({ action: 'update', constraint: 'article_pkey' })).answer).toEqual({
      affected_rows: 1,
      returning: [{ id: 1, title: 'changed' }],
    });
    expect((await on({ action: 'update' })).answer).toMatchObject({ code: 'unexpected-payload' });
    expect((await on({ action: 'update', constraint: 'nothing' })).answer).toMatchObject({
      error: 'constraint "nothing" for table "article" does not exist',
    });
    expect(
      (await on({ action: 'ignore', constraint: 'article_pkey', constraint_on: ['id'] })).answer,
    ).toMatchObject({
      code: 'unexpected-payload',
    });
    expect((await on({ action: 'update', constraint_on: ['title'] })).answer).toMatchObject({
      code: 'constraint-error',
    });
  });

  test('an upsert changes only rows that the role may update, and gives the presets of updates', async () => {
    const on_conflict = { action: 'update', constraint_on: ['id'] };
    const upsert = (id: number) => insert([{ id, title: 'mine' }], { on_conflict }, 1);
    expect((await upsert(3)).answer).toEqual({ affected_rows: 0 });
    expect((await upsert(1)).answer).toEqual({ affected_rows: 1 });
    expect(await stored()).toEqual([{ ...rows[0], title: 'mine', is_published: false }, rows[1], rows[2]]);
    const writer = { table: 'article', objects: [{ author_id: 1, title: 'x' }], on_conflict };
    expect(await ask('insert', writer, 'writer')).toEqual(
      denied(
        'upsert is not allowed for role "writer" since update permissions are not defined',
        '$.args.on_conflict',
      ),
    );
    const tags = { table: 'article', objects: [{ id: 1, title: 'x', tags: {} }], on_conflict };
    expect((await ask('insert', tags, 1)).answer).toMatchObject({
      error: 'role "user" does not have permission to update column "tags"',
    });
  });

  test('an upsert through a view asks the check of what became of the row', async () => {
    await project.server.database.query('create view shelf as select id, author_id, title from article');
    const columns = ['id', 'author_id', 'title'];
    const grant = (type: string, permission: object) => ({
      type: `create_${type}_permission`,
      args: { table: 'shelf', role: 'clerk', permission: { columns, ...permission } },
    });
    const setUp = [
      { type: 'track_table', args: 'shelf' },
      grant('insert', { check: { title: { _like: 'new%' } } }),
      grant('update', { filter: {}, check: { title: { _like: 'changed%' } } }),
    ];
    expect(await project.server.send({ type: 'bulk', args: setUp }, { path: '/v1/query' })).toMatchObject({
      status: 200,
    });
    const on_conflict = { action: 'update', constraint_on: ['id'] };
    const upsert = (...titles: readonly [number, string][]) => {
      const objects = titles.map(([id, title]) => ({ id, author_id: 1, title }));
      return ask('insert', { table: 'shelf', objects, on_conflict }, 'clerk');
    };
    expect((await upsert([1, 'changed'], [8, 'new'])).answer).toEqual({ affected_rows: 2 });
    expect((await upsert([1, 'new'])).answer).toMatchObject({ code: 'permission-error' });
    expect((await upsert([2, 'changed'], [9, 'changed'])).answer).toMatchObject({ code: 'permission-error' });
    expect((await stored()).map(({ title }) => title)).toEqual(['changed', 'draft', 'second', 'new']);
  });

  test('returning needs a select permission', async () => {
    const args = { table: 'article', objects: [{ author_id: 1, title: 'x' }] };
    const { answer } = await ask('insert', { ...args, returning: ['id'] }, 'writer');
    expect(answer).toMatchObject({ code: 'permission-denied' });
    expect(await stored()).toEqual(rows);
    expect((await ask('insert', args, 'writer')).answer).toEqual({ affected_rows: 1 });
  });

  test('views that take no rows say so', async () => {
    expect((await ask('insert', { table: 'published', objects: [{ number: 1 }] })).answer).toMatchObject({
      code: 'not-supported',
      error: 'view "published" is not insertable',
    });
  });
});

describe('update', () => {
  const update = (args: object, as?: string | number) => ask('update', { table: 'article', ...args }, as);

  test('set, add, multiply and default together', async () => {
    const answer = await update({
      where: { id: { $lte: 2 } },
      $set: { title: 'x', tags: null },
      $inc: { author_id: 1 },
      $mul: { views: 3 },
      $default: ['is_published'],
      returning: ['id', 'views', 'is_published', 'total'],
    });
    expect(answer).toEqual({
      status: 200,
      answer: {
        affected_rows: 2,
        returning: [
          { id: 1, views: 30, is_published: false, total: 31 },
          { id: 2, views: 30, is_published: false, total: 31 },
        ],
      },
    });
    expect((await update({ where: { id: 3 }, values: { title: 'y' } })).answer).toEqual({ affected_rows: 1 });
    expect((await stored()).map(({ title, author_id }) => [title, author_id])).toEqual([
      ['x', 2],
      ['x', 2],
      ['y', 2],
    ]);
  });

  test('only rows of the role change, as its check allows, with its presets', async () => {
    expect((await update({ where: {}, $set: { title: 'mine' } }, 1)).answer).toEqual({ affected_rows: 2 });
    expect(await stored()).toEqual([
      { ...rows[0], title: 'mine', is_published: false },
      { ...rows[1], title: 'mine' },
      rows[2],
    ]);
    expect(await update({ where: { id: 1 }, $inc: { views: 90 } }, 1)).toEqual(checkFailed);
    expect((await update({ where: { id: 3 }, $set: { title: 'not mine' } }, 1)).answer).toEqual({
      affected_rows: 0,
    });
    expect((await update({ where: { id: 1 }, $set: { author_id: 2 } }, 1)).answer).toMatchObject({
      error: 'role "user" does not have permission to update column "author_id"',
      path: '$.args["$set"].author_id',
    });
    expect((await update({ where: { id: 1 }, $default: ['is_published'] }, 1)).answer).toMatchObject({
      error: 'role "user" does not have permission to update column "is_published"',
      path: '$.args["$default"][0]',
    });
  });

  test.each([
    [{ where: {} }, 'unexpected-payload', 'atleast one of $set, $inc, $mul has to be present'],
    [{ $set: { title: 'x' } }, 'parse-failed', 'key "where" not found'],
    [
      { where: {}, $set: { id: 1 }, $inc: { id: 1 } },
      'unexpected-payload',
      'column "id" is found in several operators',
    ],
    [{ where: {}, $inc: { title: 1 } }, 'unexpected-payload', '"title" is of type "text"'],
    [{ where: {}, $mul: { price: 2 } }, 'unexpected-payload', '"price" is of type "money"'],
    [{ where: {}, $set: { nothing: 1 } }, 'not-exists', 'column "nothing" does not exist'],
    [{ where: {}, $set: { author_id: 99 } }, 'constraint-violation', 'Foreign key violation'],
  ])('%j is refused', async (args, code, message) => {
    const { status, answer } = await update(args);
    expect({ status, ...(answer as object) }).toMatchObject({
      status: 400,
      code,
      error: expect.stringContaining(message),
    });
    expect(await stored()).toEqual(rows);
  });

  test('a role without a select permission has no where', async () => {
    expect((await ask('delete', { table: 'article', where: {} }, 'writer')).answer).toMatchObject({
      code: 'permission-denied',
      error: expect.stringContaining('"delete" is only allowed if the role has "select" permission'),
    });
    expect((await ask('update', { table: 'article', where: {}, $set: {} }, 'writer')).answer).toMatchObject({
      error: 'update on "article" for role "writer" is not allowed. ',
    });
  });
});

test('delete takes the rows of the role and can return them', async () => {
  expect((await ask('delete', { table: 'article', where: {}, returning: ['title'] }, 1)).answer).toEqual({
    affected_rows: 2,
    returning: [{ title: 'first' }, { title: 'draft' }],
  });
  expect(await stored()).toEqual([rows[2]]);
});

describe('bulk', () => {
  const select = { type: 'select', args: { table: 'article', columns: ['id'], where: { id: 3 } } };
  const bulk = (args: object[], role?: string, path = '/v1/query') =>
    project.server.send(
      { type: 'bulk', args },
      { path, ...(role === undefined ? {} : { role }), variables: { 'x-engine-user-id': '1' } },
    );

  test('of data operations only is open to every role, on the legacy endpoint', async () => {
    const remove = { type: 'delete', args: { table: 'article', where: { id: 1 } } };
    expect(await bulk([select, remove], 'user')).toEqual({
      status: 200,
      answer: [[{ id: 3 }], { affected_rows: 1 }],
    });
    const restricted = {
      status: 400,
      answer: { code: 'access-denied', error: 'restricted access : admin only', path: '$.args' },
    };
    expect(await bulk([select, { type: 'run_sql', args: { sql: 'select 1' } }], 'user')).toEqual(restricted);
    expect(await bulk([select], 'user', '/v2/query')).toEqual(restricted);
    expect(await bulk([], 'user')).toEqual(restricted);
  });

  test('a step sees the table that an earlier one tracked', async () => {
    const { status, answer } = await bulk([
      { type: 'run_sql', args: { sql: 'create table note (id int, text text)' } },
      { type: 'track_table', args: 'note' },
      { type: 'insert', args: { table: 'note', objects: [{ id: 1, text: 'x' }] } },
      { type: 'select', args: { table: 'note', columns: ['*'] } },
    ]);
    expect({ status, answer }).toMatchObject({ status: 200 });
    expect((answer as unknown[]).slice(2)).toEqual([{ affected_rows: 1 }, [{ id: 1, text: 'x' }]]);
  });
});
