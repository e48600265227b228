/** Nested inserts, a level at a time where that comes to the same as one by one; a trigger counts the statements. */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { EngineError } from '../../../../runtime/core/errors.ts';
import { type InProcess, serveInProcess } from '../../../harness/in-process.ts';
import { createTestDatabase, type TestDatabase } from '../../../harness/postgres.ts';

const schema = `
  create table author (id serial primary key, name text not null unique, rating int not null default 3);
  create table article (
    id serial primary key, author_id int not null references author, title text not null,
    state text not null default 'draft' check (state <> 'bad')
  );
  create table tag (article_id int not null references article, label text not null, primary key (article_id, label));
  create table done (statement text);
  create function note() returns trigger language plpgsql as $$ begin insert into done values (tg_table_name); return null; end $$;
  create trigger note after insert on author for each statement execute function note();
  create trigger note after insert on article for each statement execute function note();
  create trigger note after insert on tag for each statement execute function note();
  create function skip() returns trigger language plpgsql as $$ begin return case when new.name <> 'skip' then new end; end $$;
  create trigger skip before insert on author for each row execute function skip();
`;

const array = (name: string, table: string, column: string) => ({
  name,
  using: { foreign_key_constraint_on: { table, column } },
});
const object = (name: string, column: string) => ({ name, using: { foreign_key_constraint_on: column } });
const everything = { columns: '*', filter: {} };

const metadata = {
  version: 3,
  sources: [
    {
      name: 'default',
      kind: 'postgres',
      configuration: { connection_info: { database_url: { from_env: 'DATABASE_URL' } } },
      tables: [
        {
          table: 'author',
          array_relationships: [array('articles', 'article', 'author_id')],
          insert_permissions: [
            { role: 'user', permission: { columns: '*', check: { rating: { _lt: 5 } } } },
            { role: 'editor', permission: { columns: ['name'], check: {} } },
          ],
          select_permissions: [{ role: 'user', permission: everything }],
        },
        {
          table: 'article',
          object_relationships: [object('author', 'author_id')],
          array_relationships: [array('tags', 'tag', 'article_id')],
          insert_permissions: [
            { role: 'user', permission: { columns: '*', check: { author: { rating: { _gt: 0 } } } } },
            {
              role: 'editor',
              permission: { columns: ['title'], check: {}, set: { author_id: 'x-engine-user-id' } },
            },
          ],
          select_permissions: [{ role: 'editor', permission: everything }],
        },
        {
          table: 'tag',
          object_relationships: [object('article', 'article_id')],
          insert_permissions: [{ role: 'user', permission: { columns: '*', check: {} } }],
        },
      ],
    },
  ],
};

let database: TestDatabase;
let served: InProcess;
beforeAll(async () => {
  database = await createTestDatabase(schema);
  served = await serveInProcess(database.url, metadata);
});
afterAll(() => served.end());
beforeEach(() => database.query('truncate author, article, tag, done restart identity'));

const insertAuthors =
  'mutation ($objects: [author_insert_input!]!) { insert_author(objects: $objects) { affected_rows } }';

async function insert(objects: object[], role = 'admin', query = insertAuthors) {
  const text = await served.answer({ query, variables: { objects } }, role, { 'x-engine-user-id': '1' });
  return (JSON.parse(text) as { data: unknown }).data;
}

async function failure(objects: object[], role = 'admin'): Promise<Pick<EngineError, 'code' | 'path'>> {
  const { code, path } = await insert(objects, role).then(
    (answer) => expect.fail(`it was inserted: ${JSON.stringify(answer)}`),
    (error: EngineError) => error,
  );
  expect(await counts()).toEqual({ author: 0, article: 0, tag: 0 });
  return { code, path };
}

/** Statements by table. */
async function statements(): Promise<Record<string, number>> {
  const rows = await database.query('select statement, count(*)::int from done group by 1');
  return Object.fromEntries(rows.map((row) => [row.statement, row.count]));
}

async function counts(): Promise<unknown> {
  const [row] = await database.query(
    'select (select count(*)::int from author) author, (select count(*)::int from article) article, (select count(*)::int from tag) tag',
  );
  return row;
}

const authors = (count: number, articles: (name: string) => object[]) =>
  Array.from({ length: count }, (_, index) => {
    const name = `author ${index}`;
    return { name, articles: { data: articles(name) } };
  });

describe('a level at a time', () => {
  test('a thousand authors with five articles each are two statements', async () => {
    const objects = authors(1000, (name) =>
      Array.from({ length: 5 }, (_, index) => ({ title: `${name}, article ${index}` })),
    );
    expect(await insert(objects)).toEqual({ insert_author: { affected_rows: 6000 } });
    expect(await statements()).toEqual({ author: 1, article: 1 });
    const rows = await database.query(
      'select author.name, author.id, article.title, article.id as article from article join author on author.id = author_id order by article.id',
    );
    expect(rows).toEqual(
      objects.flatMap(({ name, articles }, author) =>
        articles.data.map((article, index) => ({
          name,
          id: author + 1,
          ...article,
          article: author * 5 + index + 1,
        })),
      ),
    );
  });

  test('levels below levels, some without rows, some rows without a column', async () => {
    const objects = [
      { name: 'a', articles: { data: [{ title: 'a1', tags: { data: [{ label: 'x' }, { label: 'y' }] } }] } },
      { name: 'b', rating: 1 },
      {
        name: 'c',
        articles: {
          data: [
            { title: 'c1', state: 'out' },
            { title: 'c2', tags: { data: [{ label: 'x' }] } },
          ],
        },
      },
      { name: 'd', articles: { data: [] } },
    ];
    expect(await insert(objects)).toEqual({ insert_author: { affected_rows: 10 } });
    expect(await statements()).toEqual({ author: 1, article: 1, tag: 1 });
    expect(
      await database.query(
        `select name, rating, title, state, string_agg(label, ',' order by label) as tags from author
         left join article on author_id = author.id left join tag on article_id = article.id group by 1, 2, 3, 4 order by 1, 3`,
      ),
    ).toEqual([
      { name: 'a', rating: 3, title: 'a1', state: 'draft', tags: 'x,y' },
      { name: 'b', rating: 1, title: null, state: null, tags: null },
      { name: 'c', rating: 3, title: 'c1', state: 'out', tags: null },
      { name: 'c', rating: 3, title: 'c2', state: 'draft', tags: 'x' },
      { name: 'd', rating: 3, title: null, state: null, tags: null },
    ]);
  });

  test('rows that others refer to come first', async () => {
    const query =
      'mutation ($objects: [tag_insert_input!]!) { insert_tag(objects: $objects) { affected_rows returning { label article { title author { name } } } } }';
    const objects = ['x', 'y'].map((label) => ({
      label,
      article: { data: { title: `about ${label}`, author: { data: { name: `author of ${label}` } } } },
    }));
    expect(await insert(objects, 'admin', query)).toEqual({
      insert_tag: {
        affected_rows: 6,
        returning: ['x', 'y'].map((label) => ({
          label,
          article: { title: `about ${label}`, author: { name: `author of ${label}` } },
        })),
      },
    });
    expect(await statements()).toEqual({ author: 1, article: 1, tag: 1 });
  });
});

describe('one by one', () => {
  test('what fails is the object that it would be, and nothing is left', async () => {
    const good = { name: 'a', articles: { data: [{ title: 'a1' }] } };
    expect(
      await failure([
        good,
        { name: 'b', articles: { data: [{ title: 'b1' }, { title: 'b2', state: 'bad' }] } },
      ]),
    ).toEqual({
      code: 'permission-error',
      path: '$.selectionSet.insert_author.args.objects[1].articles.data',
    });
    expect(await failure([good, { ...good, articles: { data: [{ title: 'again' }] } }])).toEqual({
      code: 'constraint-violation',
      path: '$.selectionSet.insert_author.args.objects',
    });
    expect(await failure([good, { name: 'b', rating: 5 }], 'user')).toEqual({
      code: 'permission-error',
      path: '$.selectionSet.insert_author.args.objects',
    });
  });

  test('a row that a trigger left out has no children', async () => {
    const objects = ['a', 'skip', 'c'].map((name) => ({ name, articles: { data: [{ title: name }] } }));
    expect(await failure(objects)).toEqual({
      code: 'not-supported',
      path: '$.selectionSet.insert_author.args.objects[1]',
    });
    const childless = objects.map(({ name, articles }) => (name === 'skip' ? { name } : { name, articles }));
    expect(await insert(childless)).toEqual({ insert_author: { affected_rows: 4 } });
    expect(await counts()).toEqual({ author: 2, article: 2, tag: 0 });
  });

  test('where a check looks at other rows, or rows may exist', async () => {
    const objects = authors(3, (name) => [{ title: name }]);
    expect(await insert(objects, 'user')).toEqual({ insert_author: { affected_rows: 6 } });
    expect(await statements()).toEqual({ author: 3, article: 3 });
    await database.query('truncate done');
    const upsert = insertAuthors.replace(
      'objects: $objects',
      'objects: $objects, on_conflict: {constraint: author_name_key, update_columns: [rating]}',
    );
    expect(await insert(objects, 'admin', upsert)).toEqual({ insert_author: { affected_rows: 6 } });
    expect(await statements()).toEqual({ author: 3, article: 3 });
    expect(await counts()).toEqual({ author: 3, article: 6, tag: 0 });
  });

  test('where a row may refer to one that comes later', async () => {
    const query =
      'mutation ($objects: [tag_insert_input!]!) { insert_tag(objects: $objects) { affected_rows } }';
    const article = (id: number, author: object) => ({ data: { id, title: 'x', ...author } });
    const objects = [
      { label: 'x', article: article(1, { author_id: 7 }) },
      { label: 'y', article: article(2, { author: { data: { id: 7, name: 'late' } } }) },
    ];
    await expect(insert(objects, 'admin', query)).rejects.toMatchObject({
      code: 'constraint-violation',
      path: '$.selectionSet.insert_tag.args.objects[0].article.data',
    });
    expect(await insert(objects.toReversed(), 'admin', query)).toEqual({ insert_tag: { affected_rows: 5 } });
  });
});

test("a preset is not given up for a parent's key", async () => {
  await database.query(`insert into author (name) values ('the editor')`);
  const objects = authors(2, (name) => [{ title: name }]);
  expect(await insert(objects, 'editor')).toEqual({ insert_author: { affected_rows: 4 } });
  expect(await database.query('select distinct author_id from article')).toEqual([{ author_id: 1 }]);
  const one = { ...objects[0]!, name: 'another' };
  expect(await insert([one], 'editor')).toEqual({ insert_author: { affected_rows: 2 } });
  expect(await database.query('select distinct author_id from article')).toEqual([{ author_id: 1 }]);
});

test('more values than a statement has parameters', async () => {
  const count = 35_000;
  // Every other row leaves a column to its default, so that each value is a parameter.
  const objects = Array.from({ length: count }, (_, index) => ({
    name: `n${index}`,
    ...(index % 2 === 0 && { rating: 1 }),
  }));
  expect(await insert(objects)).toEqual({ insert_author: { affected_rows: count } });
  expect(await statements()).toEqual({ author: 2 });
  expect(await database.query('select count(*)::int from author where rating = id % 2 * -2 + 3')).toEqual([
    { count },
  ]);
});
