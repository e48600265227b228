/** A project for the legacy data operations: an author's articles, published ones for everybody, and requests to it. */
import { type MetadataServer, startMetadataServer } from '../../../harness/metadata-server.ts';

const schema = `
  create table author (id int primary key, name text not null unique, big bigint, rating numeric, "odd name" text, secret text);
  create table article (
    id serial primary key, author_id int not null references author (id), title text not null,
    is_published boolean not null default false, tags jsonb, labels text[], views int not null default 10, price money,
    total int generated always as (views + 1) stored
  );
  create view published as select count(*) as number from article where is_published;
  insert into author values
    (1, 'Ada', 9223372036854775807, 1.50, 'x', 'hidden 1'), (2, 'Bo', 1, null, null, 'hidden 2'), (3, 'Cy', null, 2, 'x', 'hidden 3');
  insert into article (author_id, title, is_published, tags, labels) values
    (1, 'first', true, '["a","b"]', '{x,y}'), (1, 'draft', false, '["b"]', '{x}'), (2, 'second', true, null, null);
  select setval('article_id_seq', 10);
`;

const owned = { author_id: 'X-Engine-User-Id' };
const permission = (kind: string, table: string, role: string, body: object) => ({
  type: `create_${kind}_permission`,
  args: { table, role, permission: body },
});

const setUp = [
  ...['author', 'article', 'published'].map((table) => ({ type: 'track_table', args: table })),
  {
    type: 'create_object_relationship',
    args: { table: 'article', name: 'author', using: { foreign_key_constraint_on: 'author_id' } },
  },
  {
    type: 'create_array_relationship',
    args: {
      table: 'author',
      name: 'articles',
      using: { foreign_key_constraint_on: { table: 'article', column: 'author_id' } },
    },
  },
  permission('select', 'author', 'user', { columns: ['id', 'name', 'big', 'odd name'], filter: {} }),
  permission('select', 'article', 'user', {
    columns: ['id', 'author_id', 'title', 'is_published', 'tags', 'labels', 'views'],
    filter: { _or: [owned, { is_published: true }] },
  }),
  permission('insert', 'article', 'user', {
    columns: ['id', 'title', 'tags', 'labels', 'views'],
    check: { views: { _lt: 100 } },
    set: owned,
  }),
  permission('update', 'article', 'user', {
    columns: ['id', 'title', 'views'],
    filter: owned,
    check: { views: { _lt: 100 } },
    set: { is_published: false },
  }),
  permission('delete', 'article', 'user', { filter: owned }),
  permission('select', 'article', 'reader', {
    columns: ['id', 'title'],
    filter: { is_published: true },
    limit: 1,
    query_root_fields: [],
  }),
  permission('insert', 'article', 'writer', { columns: ['author_id', 'title'], check: {} }),
  permission('delete', 'article', 'writer', { filter: {} }),
];

export interface Asked {
  readonly status: number;
  readonly answer: unknown;
}

/** The served project, and a way to ask it as a role; a number is the user of role `user`. */
export async function startProject(): Promise<{
  readonly server: MetadataServer;
  readonly ask: (type: string, args: object, as?: string | number) => Promise<Asked>;
}> {
  const server = await startMetadataServer(schema);
  const { status, answer } = await server.send({ type: 'bulk', args: setUp }, { path: '/v1/query' });
  if (status !== 200) throw new Error(JSON.stringify(answer));
  return {
    server,
    ask: (type, args, as) =>
      server.send(
        { type, args },
        {
          path: '/v1/query',
          ...(as === undefined ? {} : { role: typeof as === 'number' ? 'user' : as }),
          ...(typeof as === 'number' ? { variables: { 'x-engine-user-id': String(as) } } : {}),
        },
      ),
  };
}

export function denied(error: string, path = '$.args'): Asked {
  return { status: 400, answer: { code: 'permission-denied', error, path } };
}
