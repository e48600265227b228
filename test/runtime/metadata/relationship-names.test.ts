import { describe, expect, test } from 'vitest';
import { readDatabase } from '../../../runtime/database/read-database.ts';
import { suggestRelationships } from '../../../runtime/metadata/suggested-relationships.ts';
import { createTestDatabase } from '../../harness/postgres.ts';

/** SQL of tables, and the names that their foreign keys suggest: `table.name`, an array with `[]`. */
const CASES: readonly (readonly [what: string, sql: string, names: readonly string[]])[] = [
  [
    'a column with _id',
    'create table users (id int primary key); create table article (author_id int references users)',
    ['article.author', 'users.articles[]'],
  ],
  [
    'the name of the key that it refers to',
    'create table tool (code text primary key); create table loan (tool_code text references tool)',
    ['loan.tool', 'tool.loans[]'],
  ],
  [
    'camel case',
    'create table "Artist" ("ArtistId" int primary key); create table "Album" ("ArtistId" int references "Artist")',
    ['Album.Artist', 'Artist.Albums[]'],
  ],
  [
    'lower camel case',
    'create table users (id int primary key); create table post ("authorId" int references users, "reviewerId" int references users)',
    ['post.author', 'users.posts_by_author[]', 'post.reviewer', 'users.posts_by_reviewer[]'],
  ],
  [
    'a column without an ending, the only key',
    'create table gig_types (id int primary key); create table gig (type int references gig_types)',
    ['gig.gig_type', 'gig_types.gigs[]'],
  ],
  [
    'two columns without an ending',
    'create table users (id int primary key); create table post (created_by int references users, checked_by int references users)',
    [
      'post.checked_by_user',
      'users.posts_by_checked_by[]',
      'post.created_by_user',
      'users.posts_by_created_by[]',
    ],
  ],
  [
    'a column called like the table',
    'create table country (code text primary key); create table city (country text references country)',
    ['city.country_by_country', 'country.cities[]'],
  ],
  [
    'one key that is plain, one that is not',
    'create table users (id int primary key); create table message (user_id int references users, recipient_id int references users)',
    ['message.recipient', 'users.messages_by_recipient[]', 'message.user', 'users.messages[]'],
  ],
  [
    'parent',
    'create table category (id int primary key, parent_id int references category)',
    ['category.parent', 'category.children[]'],
  ],
  [
    'another self reference',
    'create table employee (id int primary key, manager_id int references employee)',
    ['employee.manager', 'employee.employees_by_manager[]'],
  ],
  [
    'at most one',
    'create table users (id int primary key); create table profiles (user_id int unique references users)',
    ['profiles.user', 'users.profile'],
  ],
  [
    'a shared primary key',
    'create table users (id int primary key); create table account (id int primary key references users)',
    ['account.user', 'users.account'],
  ],
  [
    'a unique index',
    'create table users (id int primary key); create table badge (user_id int references users); create unique index on badge (user_id)',
    ['badge.user', 'users.badge'],
  ],
  [
    'a unique key that is deferrable',
    'create table users (id int primary key); create table badge (user_id int unique deferrable references users)',
    ['badge.user', 'users.badges[]'],
  ],
  [
    'several columns',
    'create table loan (tool text, day date, primary key (tool, day)); create table fine (tool text, day date, foreign key (tool, day) references loan)',
    ['fine.loan', 'loan.fines[]'],
  ],
  [
    'several columns, one of them telling',
    'create table agent (tenant_id int, id int, primary key (tenant_id, id)); create table ticket (tenant_id int, owner_id int, foreign key (tenant_id, owner_id) references agent)',
    ['ticket.owner', 'agent.tickets[]'],
  ],
  [
    'the same key twice',
    'create table users (id int primary key); create table a (user_id int, constraint one foreign key (user_id) references users, constraint two foreign key (user_id) references users)',
    ['a.user', 'users.as[]'],
  ],
  [
    'a taken name',
    'create table users (id int primary key, articles text); create table article (author_id int references users, author text)',
    ['article.user', 'users.articles_by_author[]'],
  ],
  [
    'a name whose aggregate is taken',
    'create table users (id int primary key, articles_aggregate text); create table article (user_id int references users)',
    ['article.user', 'users.articles_by_user[]'],
  ],
  [
    'the same table in another schema',
    'create table users (id int primary key); create schema old; create table old.note (user_id int references users); create table note (user_id int references users)',
    ['note.user', 'users.notes[]', 'note.user', 'users.notes_by_user[]'],
  ],
  [
    'a join table',
    'create table post (id int primary key); create table tag (id int primary key); create table post_tags (post_id int references post, tag_id int references tag, primary key (post_id, tag_id))',
    ['post_tags.post', 'post.post_tags[]', 'post_tags.tag', 'tag.post_tags[]'],
  ],
  [
    'endings',
    'create table status (id int primary key); create table history (status_id int references status); create table person (status_id int references status); create table news (status_id int references status); create table box (status_id int references status)',
    [
      'box.status',
      'status.boxes[]',
      'history.status',
      'status.histories[]',
      'news.status',
      'status.news[]',
      'person.status',
      'status.people[]',
    ],
  ],
  [
    'names that GraphQL does not allow',
    'create table "2fa" (id int primary key); create table "order items" ("my 2fa-id" int references "2fa")',
    ['order items.my_2fa', '2fa.order_items[]'],
  ],
  [
    'letters that are no ASCII',
    'create table "日本" (id int primary key); create table b ("日本" int references "日本")',
    ['b.row', '日本.bs[]'],
  ],
];

describe('foreign keys suggest', () => {
  test.each(CASES)('%s', async (_, sql, names) => {
    const database = await createTestDatabase(sql);
    const { tables } = await readDatabase({ connectionString: database.url }, []);
    const suggested = suggestRelationships(tables, ({ columns }) => ({
      fields: columns.map(({ name }) => name),
      relationships: [],
    }));
    expect(
      suggested.map(({ from, name, type }) => `${from.name}.${name}${type === 'array' ? '[]' : ''}`),
    ).toEqual(names);
  });
});
