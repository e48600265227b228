/** What a ledger says besides what the goldens of `test/cases` show. */
import { expect, test } from 'vitest';
import { linkProgram } from '../../../../runtime/core/program/program.ts';
import { createLoader } from '../../../../runtime/program/loader.ts';
import { leftOutDifference } from '../../../harness/left-out-rules.ts';
import { compileJson, metadataJson } from '../../../harness/project.ts';

const select = (permission: object) => ({
  select_permissions: [{ role: 'user', permission: { columns: ['id'], filter: {}, ...permission } }],
});

function ledger(article: object): readonly string[] {
  const { files } = compileJson(metadataJson(article));
  return (files.get('roles/user.txt') ?? '').trimEnd().split('\n');
}

test('facts stand below the table that they are about', () => {
  expect(ledger(select({}))).toEqual([
    'default public.article',
    '  select columns id',
    '  select where any row',
  ]);
});

test('root fields are named where a permission withholds what its other facts would give', () => {
  const withheld = (permission: object) =>
    ledger(select(permission)).filter((line) => line.includes('without'));
  expect(withheld({ query_root_fields: ['select'], subscription_root_fields: [] })).toEqual([
    '  select without query field article_by_pk',
    '  select without subscription field article',
    '  select without subscription field article_by_pk',
    '  select without subscription field article_stream',
  ]);
  // Without aggregations or the key there is nothing to withhold.
  expect(withheld({ columns: ['title'], query_root_fields: ['select'] })).toEqual([]);
  expect(withheld({ allow_aggregations: true, query_root_fields: ['select', 'select_by_pk'] })).toEqual([
    '  select without query field article_aggregate',
  ]);
});

const me = { _eq: 'X-Engine-User-Id' };
const mine = { id: me };
const written = { author_id: me };

type Entry = { readonly select_permissions?: object[] };
type Related = { readonly sources: [{ readonly tables: [Entry, Entry] }] };

/** Articles and authors with these rules of the role `user`. */
function related(article: object, author: object, more: object = {}): object {
  const json = metadataJson(select({ filter: article }), more) as Related;
  Object.assign(json.sources[0].tables[1], select({ filter: author }));
  return json;
}

const leftOut = (files: ReadonlyMap<string, string>, role = 'user') =>
  (files.get(`roles/${role}.txt`) ?? '').split('\n').filter((line) => line.includes('select through'));

const through = (relationship: string, table: string, reason: string) =>
  `  select through ${relationship}: the rule of public.${table} is not asked again, it follows from ${reason}`;

const [toAuthor, toArticles] = [
  (reason: string) => through('author', 'author', reason),
  (reason: string) => through('articles', 'article', reason),
];

test.each([
  ['a rule', written, mine, [toAuthor('"select where"'), toArticles('"select where"')]],
  [
    'the part of a rule that is needed',
    { _and: [{ is_published: true }, { _and: [written, { rating: { _gt: 2 } }] }] },
    mine,
    [toAuthor('author_id = X-Engine-User-Id')],
  ],
  [
    'nothing, because a part does not follow',
    { ...written, author: mine, title: { _neq: '' } },
    { ...mine, name: { _neq: '' } },
    [],
  ],
  [
    'several parts',
    { ...written, author: { name: { _neq: '' } }, title: { _neq: '' } },
    { ...mine, name: { _neq: '' } },
    [toAuthor('author_id = X-Engine-User-Id and author { name <> "" }')],
  ],
  [
    'the columns that are equal',
    written,
    { id: { _is_null: false } },
    [toAuthor('the join'), through('editor', 'author', 'the join')],
  ],
  ['nothing, because every row is shown', written, {}, []],
  [
    'nothing, because nothing proves it',
    { editor_id: me },
    mine,
    [through('editor', 'author', '"select where"')],
  ],
])(
  'a rule that statements leave out is named, with what it follows from: %s',
  async (_, article, author, lines) => {
    const { files, state } = compileJson(related(article, author));
    expect(leftOut(files)).toEqual(lines);
    const program = linkProgram(await createLoader().load(files), { inferFunctionPermissions: true });
    expect(leftOutDifference(program, state.plan.ledgers)).toEqual([]);
  },
);

test('inherited roles have lines of their own', async () => {
  const inherited = { inherited_roles: [{ role_name: 'both', role_set: ['user', 'editor'] }] };
  const json = related(written, mine, inherited) as Related;
  const [article, author] = json.sources[0].tables;
  const permission = (filter: object) => ({ role: 'editor', permission: { columns: ['id'], filter } });
  article.select_permissions!.push(permission({ editor_id: me }));
  author.select_permissions!.push(permission({ articles: { editor_id: me } }));
  const { files, state } = compileJson(json);
  expect(leftOut(files)).toEqual([toAuthor('"select where"'), toArticles('"select where"')]);
  expect(leftOut(files, 'editor')).toEqual([toAuthor('"select where"')]);
  // Of an author that an editor sees, not every article is the editor's.
  expect(leftOut(files, 'both')).toEqual([toAuthor('"select where"')]);
  const program = linkProgram(await createLoader().load(files), { inferFunctionPermissions: true });
  expect(leftOutDifference(program, state.plan.ledgers)).toEqual([]);
});

test('a changed rule of the related table changes the line only with the decision', () => {
  const before = compileJson(related({ ...written, author: mine }, mine));
  const changes = (author: object) => {
    const metadata = related({ ...written, author: mine }, author);
    const after = compileJson(metadata, {}, before);
    expect(Object.fromEntries(after.files)).toEqual(Object.fromEntries(compileJson(metadata).files));
    // The fact of the access file is another one: it is about the other rule, too.
    const article = ({ files }: typeof before) => files.get('sources/default/public/article.access.ts')!;
    const [was, is] = [before, after].map((each) => article(each).replace(/author: "\w{32}"/, ''));
    expect([is, article(after) === article(before)]).toEqual([was, false]);
    return leftOut(after.files).filter((line) => !leftOut(before.files).includes(line));
  };
  expect(leftOut(before.files)).toContain(toAuthor('author { id = X-Engine-User-Id }'));
  expect(changes({ _or: [mine, { name: 'Ann' }] })).toEqual([]);
  const later = compileJson(related({ ...written, author: mine }, { name: 'Ann' }), {}, before);
  expect(leftOut(later.files)).toEqual([]);
});
