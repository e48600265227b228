/** Nested inserts, a level at a time where that comes to the same as one by one; the server's log counts the statements. */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { EngineError } from '../../../../runtime/core/errors.ts';
import { Random } from '../../../fuzz/random.ts';
import { type InProcess, serveInProcess } from '../../../harness/in-process.ts';
import { metadataOf } from '../../../harness/metadata.ts';
import { type LoggedDatabase, startLoggedDatabase } from '../../../harness/statement-log.ts';

const schema = `
  create table author (id serial primary key, name text not null unique, rating int not null default 3);
  create table article (
    id serial primary key, author_id int not null references author, title text not null,
    state text not null default 'draft' check (state <> 'bad'), editor text references author (name)
  );
  create table tag (article_id int not null references article, label text not null, primary key (article_id, label));
  create view draft as select id, author_id, title from article where state = 'draft';
  create table member (id serial primary key, name text);
  create table post (id serial primary key, member_id int references member);
  create function skip() returns trigger language plpgsql as $$ begin return case when new.name <> 'skip' then new end; end $$;
  create trigger skip before insert on member for each row execute function skip();
`;

const array = (name: string, table: string, column: string) => ({
  name,
  using: { foreign_key_constraint_on: { table, column } },
});
const object = (name: string, column: string) => ({ name, using: { foreign_key_constraint_on: column } });
const everything = { columns: '*', filter: {} };
const ofAuthor = { rating: { _lt: 5 } };
const ofArticle = { author: { rating: { _gt: 0 } } };
const ofTag = { article: { title: { _neq: 'again' }, author: { rating: { _gt: 0 } } } };
/** A check that every row passes, though it looks at others, so that nothing is batched. */
const aTag = { _exists: { _table: 'tag', _where: {} } };
const anything = { _or: [aTag, { _not: aTag }] };

const metadata = metadataOf([
  {
    table: 'author',
    array_relationships: [
      array('articles', 'article', 'author_id'),
      {
        name: 'drafts',
        using: { manual_configuration: { remote_table: 'draft', column_mapping: { id: 'author_id' } } },
      },
    ],
    insert_permissions: [
      { role: 'user', permission: { columns: '*', check: ofAuthor } },
      { role: 'beginner', permission: { columns: '*', check: {} } },
      { role: 'critic', permission: { columns: '*', check: {} } },
      { role: 'singly', permission: { columns: '*', check: { _and: [ofAuthor, anything] } } },
      { role: 'editor', permission: { columns: ['name'], check: {} } },
    ],
    select_permissions: [{ role: 'user', permission: everything }],
  },
  {
    table: 'article',
    object_relationships: [object('author', 'author_id')],
    array_relationships: [array('tags', 'tag', 'article_id')],
    insert_permissions: [
      { role: 'user', permission: { columns: '*', check: ofArticle } },
      {
        role: 'beginner',
        permission: { columns: '*', check: { _not: { _exists: { _table: 'tag', _where: {} } } } },
      },
      {
        role: 'critic',
        permission: { columns: '*', check: { _exists: { _table: 'author', _where: { rating: 1 } } } },
      },
      { role: 'singly', permission: { columns: '*', check: { _and: [ofArticle, anything] } } },
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
    insert_permissions: [
      { role: 'user', permission: { columns: '*', check: ofTag } },
      { role: 'beginner', permission: { columns: '*', check: {} } },
      { role: 'singly', permission: { columns: '*', check: { _and: [ofTag, anything] } } },
    ],
  },
  { table: 'draft' },
  { table: 'member', array_relationships: [array('posts', 'post', 'member_id')] },
  { table: 'post' },
]);

let database: LoggedDatabase;
let served: InProcess;
beforeAll(async () => {
  database = await startLoggedDatabase(schema);
  served = await serveInProcess(database.url, metadata);
});
afterAll(async () => {
  await served.end();
  await database.stop();
});
const empty = () => database.query('truncate author, article, tag, member, post restart identity');
beforeEach(async () => {
  await empty();
  database.statements();
});

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

/** Statements by table, since the last call. */
function statements(): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const statement of database.statements()) {
    const table = /insert into "public"\."(\w+)"/.exec(statement)?.[1];
    if (table !== undefined) counts[table] = (counts[table] ?? 0) + 1;
  }
  return counts;
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
  test('a thousand authors with five articles each are a handful of statements', async () => {
    const objects = authors(1000, (name) =>
      Array.from({ length: 5 }, (_, index) => ({ title: `${name}, article ${index}` })),
    );
    expect(await insert(objects)).toEqual({ insert_author: { affected_rows: 6000 } });
    const words = database
      .statements()
      .filter((text) => !text.startsWith('select pg_catalog.set_config('))
      .map((text) => /^(?:with .*?\()?(\w+(?: into "public"."\w+")?)/.exec(text)?.[1]);
    expect(words).toEqual(['insert into "public"."author"', 'insert into "public"."article"', 'select']);
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
    expect(statements()).toEqual({ author: 1, article: 1, tag: 1 });
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
    expect(statements()).toEqual({ author: 1, article: 1, tag: 1 });
  });
});

test('behind other root fields it is object by object: they would have other keys if they were to run again', async () => {
  const query = `mutation ($objects: [author_insert_input!]!, $more: [author_insert_input!]!) {
    before: insert_author(objects: $more) { affected_rows }
    delete_author(where: {}) { affected_rows }
    insert_author(objects: $objects) { affected_rows returning { id } }
  }`;
  const send = async (state: string) => {
    const objects = authors(3, (name) => [{ title: name }, { title: name, state }]);
    const variables = { objects, more: [{ name: 'one' }, { name: 'two' }] };
    return JSON.parse(await served.answer({ query, variables }, 'admin')).data as unknown;
  };
  expect(await send('out')).toEqual({
    before: { affected_rows: 2 },
    delete_author: { affected_rows: 2 },
    insert_author: { affected_rows: 9, returning: [{ id: 3 }, { id: 4 }, { id: 5 }] },
  });
  expect(statements()).toEqual({ author: 4, article: 3 });
  await empty();
  await expect(send('bad')).rejects.toMatchObject({
    path: '$.selectionSet.insert_author.args.objects[0].articles.data',
  });
  expect(await counts()).toEqual({ author: 0, article: 0, tag: 0 });
});

test('checks that find nothing but the rows that a row is nested in do not stand in the way', async () => {
  const objects = authors(3, (name) => [{ title: name, tags: { data: [{ label: 'x' }] } }]);
  expect(await insert(objects, 'user')).toEqual({ insert_author: { affected_rows: 9 } });
  expect(statements()).toEqual({ author: 1, article: 1, tag: 1 });
});

/**
 * Random objects as a role whose checks let them be batched, and as one whose checks, which every row passes too, look
 * elsewhere: the answer or the error and the rows must be the same.
 */
test('a level at a time is the same as one by one', async () => {
  const random = new Random(20_261_122);
  const name = () => (random.chance(0.06) ? 'again' : `n${random.below(1_000_000)}`);
  const many = (make: () => object) => ({ data: random.list(random.between(0, 3), make) });
  const tag = () => ({ label: random.pick(['x', 'y', 'z', 'ab', 'cd', 'ef']) });
  const article = () => ({
    title: name(),
    ...(random.chance(0.3) && { state: random.chance(0.12) ? 'bad' : 'out' }),
    ...(random.chance(0.1) && { editor: random.pick(['again', null]) }),
    ...(random.chance(0.7) && { tags: many(tag) }),
  });
  const author = () => ({
    name: name(),
    ...(random.chance(0.3) && {
      rating: random.between(random.chance(0.2) ? 0 : 1, random.chance(0.2) ? 5 : 4),
    }),
    ...(random.chance(0.9) && { articles: many(article) }),
  });
  const state = ['author', 'article', 'tag'].map(
    (table) => `(select json_agg(t order by t) from ${table} t) as ${table}`,
  );
  const endings = { done: 0, refused: 0, batched: 0 };
  for (let count = 0; count < 80; count += 1) {
    const objects = random.list(random.between(2, 4), author);
    const seen: unknown[] = [];
    const counts: number[] = [];
    for (const role of ['user', 'singly']) {
      await empty();
      database.statements();
      const outcome = await insert(objects, role).catch(({ code, path, message }: EngineError) => ({
        code,
        path,
        message,
      }));
      counts.push(Object.values(statements()).reduce((sum, each) => sum + each, 0));
      seen.push({ outcome, rows: await database.query(`select ${state.join(', ')}`) });
    }
    expect(seen[0], JSON.stringify(objects)).toEqual(seen[1]);
    endings[JSON.stringify(seen[0]).includes('affected_rows') ? 'done' : 'refused'] += 1;
    if (counts[0]! < counts[1]!) endings.batched += 1;
  }
  for (const ending of Object.values(endings)) expect(ending).toBeGreaterThan(10);
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

  test('where a trigger may leave a row out, which then has no children', async () => {
    const query =
      'mutation ($objects: [member_insert_input!]!) { insert_member(objects: $objects) { affected_rows } }';
    const objects = ['a', 'skip', 'c'].map((name) => ({ name, posts: { data: [{}] } }));
    await expect(insert(objects, 'admin', query)).rejects.toMatchObject({
      code: 'not-supported',
      path: '$.selectionSet.insert_member.args.objects[1]',
    });
    await empty();
    const childless = objects.map(({ name, posts }) => (name === 'skip' ? { name } : { name, posts }));
    expect(await insert(childless, 'admin', query)).toEqual({ insert_member: { affected_rows: 4 } });
    // Nothing was tried that used up numbers.
    expect(await database.query('select max(id) from member')).toEqual([{ max: 3 }]);
  });

  test('where rows of one table come under two names, or from two places', async () => {
    const objects = ['a', 'b'].map((name) => ({
      name,
      articles: { data: [{ title: `${name}1` }] },
      drafts: { data: [{ title: `${name}2` }] },
    }));
    expect(await insert(objects)).toEqual({ insert_author: { affected_rows: 6 } });
    expect(statements()).toEqual({ author: 2, article: 2, draft: 2 });
    expect(await database.query('select title from article order by id')).toEqual(
      ['a1', 'a2', 'b1', 'b2'].map((title) => ({ title })),
    );
  });

  test('where a foreign key without a relationship may lead to a row that comes later', async () => {
    const editedBy = (editor: string | null) => (name: string) => [{ title: name, editor }];
    expect(await failure(authors(2, editedBy('author 1')))).toEqual({
      code: 'constraint-violation',
      path: '$.selectionSet.insert_author.args.objects[0].articles.data',
    });
    expect(await insert(authors(2, editedBy('author 0')))).toEqual({ insert_author: { affected_rows: 4 } });
  });

  test('where a check looks at other rows, or rows may exist', async () => {
    const objects = authors(3, (name) => [{ title: name }]);
    expect(await insert(objects, 'beginner')).toEqual({ insert_author: { affected_rows: 6 } });
    expect(statements()).toEqual({ author: 1, article: 1 });
    const tagged = authors(3, (name) => [{ title: name, tags: { data: [{ label: 'x' }] } }]);
    await empty();
    expect(await failure(tagged, 'beginner')).toEqual({
      code: 'permission-error',
      path: '$.selectionSet.insert_author.args.objects[1].articles.data',
    });
    statements();
    // An author, but not the one that the row is nested in.
    const [first, second] = authors(2, (name) => [{ title: name }]) as [object, object];
    expect(await failure([first, { ...second, rating: 1 }], 'critic')).toEqual({
      code: 'permission-error',
      path: '$.selectionSet.insert_author.args.objects[0].articles.data',
    });
    statements();
    const upsert = insertAuthors.replace(
      'objects: $objects',
      'objects: $objects, on_conflict: {constraint: author_name_key, update_columns: [rating]}',
    );
    expect(await insert(objects, 'admin', upsert)).toEqual({ insert_author: { affected_rows: 6 } });
    expect(statements()).toEqual({ author: 3, article: 3 });
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
  expect(statements()).toEqual({ author: 2 });
  expect(await database.query('select count(*)::int from author where rating = id % 2 * -2 + 3')).toEqual([
    { count },
  ]);
});
