/** What a change of the database means for a program that was compiled before it. */
import { expect, test } from 'vitest';
import { compile } from '../../../../compiler/index.ts';
import { readMetadata } from '../../../../compiler/phases/1-read/index.ts';
import { programOf } from '../../../../compiler/phases/4-plan/program.ts';
import { columnsOfRule } from '../../../../runtime/core/condition/reads.ts';
import { fingerprintOf, verificationText, verifyProgram } from '../../../../runtime/program/verify/verify.ts';
import { catalogsOf } from '../../../harness/compile.ts';
import { defaultSource } from '../../../harness/metadata.ts';
import { createTestDatabase } from '../../../harness/postgres.ts';

const SQL = `
  create type mood as enum ('happy', 'sad');
  create domain amount as numeric;
  create table kind (value text primary key, comment text);
  insert into kind values ('news'), ('essay');
  create table author (id int primary key, name text not null, mood mood, secret text, fee amount, badge int unique);
  create table article (
    id int primary key,
    author_id int not null references author,
    kind text references kind,
    title text not null unique,
    internal text,
    editor int references author (badge)
  );
  create function popularity(article) returns int language sql stable as 'select $1.id';
  create function search(term text) returns setof article language sql stable as
    'select * from article where title = term';
`;

const METADATA = {
  version: 3,
  sources: [
    defaultSource(
      {
        tables: [
          { table: 'kind', is_enum: true },
          {
            table: 'author',
            select_permissions: [
              {
                role: 'user',
                permission: { columns: ['id', 'name', 'mood', 'fee'], filter: { mood: { _eq: 'happy' } } },
              },
            ],
          },
          {
            table: 'article',
            object_relationships: [
              { name: 'author', using: { foreign_key_constraint_on: 'author_id' } },
              { name: 'edited_by', using: { foreign_key_constraint_on: 'editor' } },
            ],
            computed_fields: [{ name: 'popularity', definition: { function: 'popularity' } }],
            select_permissions: [
              {
                role: 'user',
                permission: {
                  columns: ['id', 'title', 'kind'],
                  computed_fields: ['popularity'],
                  filter: { author: { secret: { _is_null: true } } },
                },
              },
            ],
            insert_permissions: [
              { role: 'user', permission: { columns: ['id', 'title', 'author_id'], check: {} } },
            ],
          },
        ],
        functions: [{ function: 'search' }],
      },
      'postgres://nowhere',
    ),
  ],
};

/** Compiles, changes the database and verifies; without the administrator, who uses everything. */
async function verifyAfter(change: string) {
  const database = await createTestDatabase(SQL);
  const { value } = readMetadata(METADATA);
  const result = compile({ metadata: value, catalogs: await catalogsOf(value, database.url) });
  expect(result.diagnostics).toEqual([]);
  const program = { ...programOf(result.state.plan), withoutAdmin: true as const };
  if (change !== '') await database.query(change);
  const databases = new Map([['default', { connectionString: database.url }]]);
  const verification = await verifyProgram(program, databases);
  expect(verification.expected).toBe(fingerprintOf(program));
  return verification;
}

const breaks = ({ changes }: Awaited<ReturnType<typeof verifyAfter>>) =>
  [...new Set(changes.flatMap((change) => change.breaks.map(({ name }) => name)))].sort();

const READS_ARTICLES = ['query article', 'query article_by_pk', 'query search'];

test('the database that was compiled with is the same, and so is one with more in it', async () => {
  const same = await verifyAfter('');
  expect(same).toMatchObject({ verdict: 'same', changes: [] });
  expect(same.found).toBe(same.expected);
  expect(verificationText(same)).toMatch(/^same: /);
  const more = await verifyAfter(
    'create table other (id int primary key); alter table article add foreign key (id) references other; alter table article add subtitle text, drop column internal; create index on article (kind);',
  );
  expect(more).toMatchObject({ verdict: 'same', changes: [] });
});

test.each([
  ['a wider text', 'alter table author alter name type varchar(200)'],
  ['a new value', "alter type mood add value 'proud'; insert into kind values ('poem')"],
  ['another list of values that reads the same', "delete from kind; insert into kind values ('essay, news')"],
  ['a stronger promise', 'alter table author alter mood set not null'],
  ['a foreign key', 'alter table article add foreign key (id) references author'],
  ['a default', "alter table article alter title set default 'x'"],
])('%s is harmless', async (_name, change) => {
  const verification = await verifyAfter(change);
  expect({ verdict: verification.verdict, breaks: breaks(verification) }).toEqual({
    verdict: 'harmless',
    breaks: [],
  });
  expect(verification.found).not.toBe(verification.expected);
});

test.each([
  [
    'a trigger',
    `create function stamp() returns trigger language plpgsql as 'begin return new; end';
     create trigger stamp before insert on article for each row execute function stamp()`,
    'definitions of table public.article: none → trigger stamp ',
  ],
  [
    'a function with another body',
    "create or replace function search(term text) returns setof article language sql stable as 'select * from article'",
    'definitions of function public.search: definition ',
  ],
  [
    'the function of a computed field',
    "create or replace function popularity(article) returns int language sql stable as 'select 1'",
    'definitions of function public.popularity: definition ',
  ],
  [
    'a cascade',
    'alter table article drop constraint article_author_id_fkey, add foreign key (author_id) references author on delete cascade',
    'definitions of table public.article: none → with deleted rows of public.author cascade',
  ],
])('%s is defined otherwise', async (_name, change, line) => {
  const verification = await verifyAfter(change);
  expect({ verdict: verification.verdict, breaks: breaks(verification) }).toEqual({
    verdict: 'redefined',
    breaks: [],
  });
  expect(verificationText(verification)).toContain(line);
  expect(verification.found).not.toBe(verification.expected);
});

test.each<[string, string, string[]]>([
  ['a column that is gone', 'alter table article drop column kind', READS_ARTICLES],
  ['a column of a rule, on another table', 'alter table author drop column secret', READS_ARTICLES],
  ['another type', 'alter table author alter name type int using 1', ['query author', 'query author_by_pk']],
  [
    'a promise that is gone',
    'alter table author alter name drop not null',
    ['query author', 'query author_by_pk'],
  ],
  [
    'a column that must be given',
    'alter table article alter kind set not null',
    ['mutation insert_article', 'mutation insert_article_one'],
  ],
  [
    'a new column that must be given',
    'alter table article add extra int not null',
    ['mutation insert_article', 'mutation insert_article_one'],
  ],
  [
    'a key under another name',
    'alter table article rename constraint article_title_key to article_title',
    ['mutation insert_article', 'mutation insert_article_one'],
  ],
  [
    'a function with another argument',
    'drop function search; create function search(term int) returns setof article language sql stable as $$select * from article$$',
    ['query search'],
  ],
  ['a computed field', 'drop function popularity', READS_ARTICLES],
  [
    'another base of a domain',
    'alter table author drop fee; drop domain amount; create domain amount as text; alter table author add fee amount',
    ['query author', 'query author_by_pk'],
  ],
  [
    'a value that a rule names',
    "alter type mood rename value 'happy' to 'glad'",
    ['query author', 'query author_by_pk'],
  ],
  [
    'a foreign key that promised a row',
    'alter table article drop constraint article_author_id_fkey',
    READS_ARTICLES,
  ],
  [
    'a key by which a relationship finds one row',
    'alter table author drop constraint author_badge_key cascade',
    READS_ARTICLES,
  ],
])('%s breaks what uses it, by name', async (_name, change, expected) => {
  const verification = await verifyAfter(change);
  expect(breaks(verification)).toEqual([...expected].sort());
  expect(verification.verdict).toBe('breaking');
  const text = verificationText(verification);
  for (const name of expected) expect(text).toContain(`    breaks ${name}  user\n`);
});

test('a table that is gone takes along what reads and writes it', async () => {
  const verification = await verifyAfter('drop table article cascade');
  expect(breaks(verification)).toEqual(
    expect.arrayContaining([
      'mutation insert_article',
      'query article',
      'query article_by_pk',
      'query search',
    ]),
  );
  expect(breaks(verification)).not.toContain('query author');
});

test('columns of rules are told by the aliases that the rule gives its tables', () => {
  const rule =
    '{row}."a" = 1 and exists (select 1 from "public"."b" as "_r1" join "x.y"."c" as "_r2" on "_r2"."d""e" = "_r1"."f")';
  expect(columnsOfRule(rule, 'public.a').map(([table, column]) => [table, column])).toEqual([
    ['public.a', 'a'],
    ['"x.y".c', 'd"e'],
    ['public.b', 'f'],
  ]);
});
