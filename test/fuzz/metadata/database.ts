/** The databases of random sequences of operations: a little of everything that metadata can name. */

/** Of source `default`, made anew for every sequence; run_sql changes it. */
export const DEFAULT_SQL = `
  create table mood (value text primary key, comment text);
  insert into mood values ('happy', 'All is well'), ('sad', null);
  create table author (id serial primary key, name text not null, mood text references mood (value), boss_id int references author (id));
  create table article (
    id serial primary key, title text, rating int, body jsonb,
    author_id int not null references author (id), editor_id int references author (id)
  );
  create table tag (id int primary key, label text unique);
  create table article_tag (
    article_id int references article (id), tag_id int references tag (id), primary key (article_id, tag_id)
  );
  create table "odd name" (id int primary key, "odd column" text);
  create view good_article as select id, title, author_id from article where rating > 3;
  create function search_article(needle text) returns setof article stable language sql
    as 'select * from article where title like needle';
  create function one_author() returns author stable language sql as 'select * from author limit 1';
  create function add_tag(new_id int) returns setof tag volatile language sql
    as 'insert into tag values (new_id) returning *';
  create function author_label(author author) returns text stable language sql as 'select author.name';
  create function author_articles(author author) returns setof article stable language sql
    as 'select * from article where author_id = author.id';
  create function article_rank(article article, factor int) returns int stable language sql
    as 'select article.rating * factor';
`;

/** Of source `other`, which nothing changes. */
export const OTHER_SQL = `
  create table city (id int primary key, name text, country_id int);
  create table country (id int primary key, name text);
  alter table city add foreign key (country_id) references country (id);
  create table author (id int primary key, name text);
`;

export const TABLES: Readonly<Record<string, readonly string[]>> = {
  default: ['mood', 'author', 'article', 'tag', 'article_tag', 'odd name', 'good_article', 'nothing'],
  other: ['city', 'country', 'author', 'nothing'],
};

export const FUNCTIONS = [
  'search_article',
  'one_author',
  'add_tag',
  'author_label',
  'author_articles',
  'article_rank',
  'nothing',
];

/** Custom names of tables: some free, some that types of others have, some that nothing may have. */
export const TABLE_NAMES = [
  ...['author', 'person', 'thing', 'author', 'person'],
  ...['Int', 'jsonb', 'order_by', 'Node', 'query_root', '__x', 'true', 'person_args'],
  ...['author_updates', 'article_bool_exp', 'mood_enum', 'tag_stream', 'authorEdge', 'String_comparison_exp'],
];
