import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { denied, startProject } from './data.ts';

let project: Awaited<ReturnType<typeof startProject>>;
beforeAll(async () => {
  project = await startProject();
});
afterAll(() => project.server.stop());

const ask: (typeof project)['ask'] = (...args) => project.ask(...args);
const titles = async (args: object, as?: string | number) => {
  const { status, answer } = await ask(
    'select',
    { table: 'article', columns: ['title'], order_by: 'id', ...args },
    as,
  );
  expect({ status, answer }).toMatchObject({ status: 200 });
  return (answer as { title: string }[]).map(({ title }) => title);
};

describe('columns', () => {
  test('names, relationships with arguments of their own, an alias', async () => {
    const columns = [
      'name',
      {
        name: 'articles',
        alias: 'newest',
        columns: ['title'],
        order_by: '-id',
        limit: 1,
        where: { is_published: true },
      },
    ];
    expect(await ask('select', { table: 'author', columns, order_by: ['id'] })).toEqual({
      status: 200,
      answer: [
        { name: 'Ada', newest: [{ title: 'first' }] },
        { name: 'Bo', newest: [{ title: 'second' }] },
        { name: 'Cy', newest: [] },
      ],
    });
  });

  test('a star is what the role may see, two stars go one relationship further', async () => {
    expect(await ask('select', { table: 'author', columns: ['*'], where: { id: 2 } }, 1)).toEqual({
      status: 200,
      answer: [{ id: 2, name: 'Bo', big: 1, 'odd name': null }],
    });
    const { answer } = await ask('select', { table: 'author', columns: ['*.*'], where: { id: 1 } }, 2);
    const [author] = answer as { articles: object[] }[];
    expect(author!.articles.map((article) => Object.keys(article))).toEqual([
      ['id', 'author_id', 'title', 'is_published', 'tags', 'labels', 'views'],
    ]);
  });

  test('integers keep all their digits, in answers and in requests', async () => {
    const body = `{"type":"select","args":{"table":"author","columns":["big"],"where":{"big":9223372036854775807}}}`;
    const response = await project.server.app.inject({ method: 'POST', url: '/v1/query', payload: body });
    expect(response.body).toBe('[{"big":9223372036854775807}]');
  });

  test('what a role may not see is refused by name, whether or not it is there', async () => {
    const select = (columns: unknown[]) => ask('select', { table: 'author', columns }, 1);
    const text = (column: string) => `role "user" does not have permission to select column "${column}"`;
    expect(await select(['id', 'secret'])).toEqual(denied(text('secret'), '$.args.columns[1]'));
    expect(await select(['nothing'])).toEqual(denied(text('nothing'), '$.args.columns[0]'));
    expect(await ask('select', { table: 'author', columns: ['nothing'] })).toEqual(
      denied('no such column exists: "nothing"', '$.args.columns[0]'),
    );
    expect(
      await ask('select', { table: 'article', columns: [{ name: 'author', columns: ['id'] }] }, 'reader'),
    ).toEqual(denied('select on "article" for role "reader" is not allowed. '));
    expect(await ask('select', { table: 'author', columns: ['id'] }, 'nobody')).toEqual(
      denied('select on "author" for role "nobody" is not allowed. '),
    );
  });

  test('misplaced names are explained', async () => {
    const error = async (columns: unknown) => (await ask('select', { table: 'author', columns })).answer;
    expect(await error(['articles'])).toEqual({
      code: 'unexpected-payload',
      error: '"articles" is a relationship and should be expanded',
      path: '$.args.columns[0]',
    });
    expect(await error([{ name: 'rivals', columns: ['id'] }])).toMatchObject({
      code: 'not-exists',
      error: 'relationship "rivals" does not exist',
    });
    expect(await error([{ name: 'articles' }])).toMatchObject({ error: 'key "columns" not found' });
  });
});

describe('where', () => {
  test.each([
    [{ title: 'first' }, ['first']],
    [{ $or: [{ id: { $eq: 1 } }, { id: { _eq: 3 } }] }, ['first', 'second']],
    [{ _and: [{ author: { name: 'Ada' } }, { $not: { title: { $like: 'd%' } } }] }, ['first']],
    [{ tags: { $contains: ['a'] } }, ['first']],
    [{ tags: { $has_any_keys: ['a', 'c'] } }, ['first']],
    [{ tags: { $cast: { text: { $like: '%b%' } } } }, ['first', 'draft']],
    [{ labels: { _contains: ['x'] } }, ['first', 'draft']],
    [{ tags: null }, ['second']],
    [{ tags: { $ne: ['b'] } }, ['first', 'second']],
    [{ tags: { _is_null: false } }, ['first', 'draft']],
    [{ id: { $in: [1, 3] } }, ['first', 'second']],
    [{ id: { $nin: [] } }, ['first', 'draft', 'second']],
    [{ id: { $ceq: 'author_id' } }, ['first']],
    [{ id: { $cgt: ['author_id'], $lt: 3 } }, ['draft']],
    [{ $exists: { _table: 'author', _where: { id: 9 } } }, []],
    [
      { _exists: { _table: { schema: 'public', name: 'author' }, _where: { name: 'Cy' } } },
      ['first', 'draft', 'second'],
    ],
    [{ $or: [] }, []],
    [{}, ['first', 'draft', 'second']],
  ])('%j', async (where, expected) => {
    expect(await titles({ where })).toEqual(expected);
  });

  test('rules hold for the rows themselves, behind relationships, and in _exists', async () => {
    expect(await titles({}, 1)).toEqual(['first', 'draft', 'second']);
    expect(await titles({}, 2)).toEqual(['first', 'second']);
    expect(await titles({ where: { title: 'draft' } }, 2)).toEqual([]);
    const authors = { table: 'author', columns: ['id'], order_by: 'id' };
    const withDraft = { articles: { is_published: false } };
    expect((await ask('select', { ...authors, where: withDraft }, 1)).answer).toEqual([{ id: 1 }]);
    expect((await ask('select', { ...authors, where: withDraft }, 2)).answer).toEqual([]);
    const exists = { _exists: { _table: 'article', _where: { title: 'draft' } } };
    expect((await ask('select', { ...authors, where: exists }, 2)).answer).toEqual([]);
  });

  test('columns that the role may not see cannot be filtered by', async () => {
    const text = 'role "user" does not have permission to select column "secret"';
    const where = { secret: { $like: 'hidden 1%' } };
    expect(await ask('select', { table: 'author', columns: ['id'], where }, 1)).toEqual(
      denied(text, '$.args.where.secret'),
    );
    expect(await ask('select', { table: 'article', columns: ['id'], where: { author: where } }, 1)).toEqual(
      denied(text, '$.args.where.author.secret'),
    );
    expect(
      await ask('select', { table: 'author', columns: ['id'], where: { name: { _ceq: 'secret' } } }, 1),
    ).toEqual(denied(text, '$.args.where.name._ceq'));
    expect(await ask('select', { table: 'author', columns: ['id'], order_by: 'secret' }, 1)).toEqual(
      denied(text, '$.args.order_by'),
    );
  });

  test('a text that looks like a session variable is that text', async () => {
    expect(await titles({ where: { title: 'X-Engine-User-Id' } }, 1)).toEqual([]);
  });

  test('a missing session variable is named as a header', async () => {
    const answer = await ask('select', { table: 'article', columns: ['id'] }, 'user');
    expect(answer).toEqual({
      status: 400,
      answer: {
        code: 'not-found',
        error: '"x-engine-user-id" header is expected but not found',
        path: '$.args',
      },
    });
  });

  test.each([
    [{ id: { $foo: 1 } }, 'unexpected-payload', 'Unknown operator: $foo', '$.args.where.id["$foo"]'],
    [{ id: { $like: '1' } }, 'unexpected-payload', '"id" is of type "integer"', '$.args.where.id["$like"]'],
    [{ id: { $in: 1 } }, 'parse-failed', 'expected Array, but encountered Number', '$.args.where.id["$in"]'],
    [{ id: { $in: [null] } }, 'parse-failed', 'encountered Null', '$.args.where.id["$in"][0]'],
    [{ id: { $gt: null } }, 'parse-failed', 'encountered Null', '$.args.where.id["$gt"]'],
    [{ id: { $eq: true } }, 'parse-failed', 'expected Number', '$.args.where.id["$eq"]'],
    [{ id: 'x' }, 'data-exception', 'invalid input syntax for type integer', '$.args'],
    [{ id: { $ceq: 'title' } }, 'unexpected-payload', 'incompatible column types', '$.args.where.id["$ceq"]'],
    [{ id: { $ceq: ['$', 'id'] } }, 'not-supported', 'in permissions only', '$.args.where.id["$ceq"]'],
    [{ $and: {} }, 'parse-failed', 'expected Array', '$.args.where["$and"]'],
    [{ author: 1 }, 'parse-failed', 'expected Object', '$.args.where.author'],
    [
      { tags: { $cast: { integer: { $eq: 1 } } } },
      'unexpected-payload',
      'cannot cast',
      '$.args.where.tags["$cast"]',
    ],
  ])('%j is refused', async (where, code, message, path) => {
    const { status, answer } = await ask('select', { table: 'article', columns: ['id'], where });
    expect({ status, ...(answer as object) }).toMatchObject({
      status: 400,
      code,
      error: expect.stringContaining(message),
      path,
    });
  });
});

describe('order, limit and offset', () => {
  test.each([
    ['-id', ['second', 'draft', 'first']],
    [
      ['-author.name', '+id'],
      ['second', 'first', 'draft'],
    ],
    [
      [{ column: 'author.rating', type: 'desc', nulls: 'last' }, 'id'],
      ['first', 'draft', 'second'],
    ],
    [{ column: 'title' }, ['draft', 'first', 'second']],
  ])('%j', async (order_by, expected) => {
    expect(await titles({ order_by })).toEqual(expected);
  });

  test.each([
    ['articles.id', 'author', `"articles" is an array relationship and can't be used in 'order_by'`],
    ['author', 'article', '"author" is a relationship and should be expanded'],
    ['title.x', 'article', '"title" is a Postgres column and cannot be chained further'],
  ])('%j is refused', async (order_by, table, message) => {
    const { answer } = await ask('select', { table, columns: ['id'], order_by });
    expect(answer).toMatchObject({ error: expect.stringContaining(message) });
  });

  test('the smaller of limit and permission counts', async () => {
    expect(await titles({ limit: 1, offset: 1 })).toEqual(['draft']);
    expect((await ask('select', { table: 'article', columns: ['id'], offset: -1 })).answer).toEqual({
      code: 'not-supported',
      error: 'unexpected negative value',
      path: '$.args.offset',
    });
  });

  test('rows that are kept to relationships cannot be listed or counted', async () => {
    const refusal = denied('select on "article" for role "reader" is not allowed. ');
    expect(await ask('select', { table: 'article', columns: ['id'] }, 'reader')).toEqual(refusal);
    expect(await ask('count', { table: 'article', where: {} }, 'reader')).toEqual(refusal);
  });
});

test.each([
  [{ columns: 7 }, '$.columns', 'parsing [] failed, expected Array, but encountered Number'],
  [{ columns: [7] }, '$.columns[0]', 'parsing Object failed, expected Object, but encountered Number'],
  [{ columns: [{ name: 'author' }] }, '$.columns[0]', 'key "columns" not found'],
  [
    { columns: [{ name: 'author', columns: [], limit: 'x' }] },
    '$.columns[0].limit',
    'parsing Int failed, expected Number, but encountered String',
  ],
  [{ where: [] }, '$.where', 'parsing Object failed, expected Object, but encountered Array'],
  [{ order_by: 7 }, '$.order_by', 'parsing Object failed, expected Object, but encountered Number'],
  [{ order_by: [{}] }, '$.order_by[0]', 'key "column" not found'],
  [
    { order_by: { column: 'id', type: 'up' } },
    '$.order_by.type',
    'expected one of "asc", "desc", but encountered "up"',
  ],
  [{ limit: '1' }, '$.limit', 'parsing Int failed, expected Number, but encountered String'],
  [
    { limit: 1.5 },
    '$.limit',
    'parsing Int failed, value is either floating or will cause over or underflow 1.5',
  ],
  [{ offset: 'x' }, '$.offset', 'parsing Int failed, expected Number, but encountered String'],
])('%j is no select, whatever the table', async (args, path, error) => {
  expect(await ask('select', { table: 'nothing', columns: [], ...args })).toEqual({
    status: 400,
    answer: { code: 'parse-failed', path, error },
  });
});

test('a number of more digits than JavaScript has is no limit', async () => {
  const body = '{"type":"select","args":{"table":"author","columns":[],"limit":99999999999999999999}}';
  const response = await project.server.app.inject({ method: 'POST', url: '/v1/query', payload: body });
  expect(response.json()).toMatchObject({ code: 'parse-failed', path: '$.limit' });
});

describe('count', () => {
  test('rows that the role sees, and different values with null as one', async () => {
    expect((await ask('count', { table: 'article' })).answer).toEqual({ count: 3 });
    expect((await ask('count', { table: 'article', where: { is_published: false } }, 2)).answer).toEqual({
      count: 0,
    });
    expect((await ask('count', { table: 'article', distinct: ['author_id'] })).answer).toEqual({ count: 2 });
    expect((await ask('count', { table: 'article', distinct: 'tags' })).answer).toEqual({ count: 3 });
    expect((await ask('count', { table: 'author', distinct: ['odd name'] })).answer).toEqual({ count: 2 });
    expect((await ask('count', { table: 'author', distinct: ['secret'] }, 1)).answer).toMatchObject({
      path: '$.args.distinct[0]',
    });
  });
});
