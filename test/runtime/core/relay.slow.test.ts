/**
 * Connections against lists: walking the pages of a connection in either direction, with any order, gives every row of the list
 * exactly once and in its order, for a role with a row rule and for the administrator.
 */
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { InProcess } from '../../harness/in-process.ts';
import { serveInProcess } from '../../harness/in-process.ts';
import { metadataOf } from '../../harness/metadata.ts';
import { createTestDatabase } from '../../harness/postgres.ts';

const SQL = `
  create table author (id int primary key, name text, rating numeric, tenant int not null);
  create table article (author_id int references author, number bigint, title text, score float8, at timestamptz,
    span interval, tags text[], primary key (author_id, number));
  create function label(article) returns text language sql stable as $$ select left($1.title, 1) $$;
  create function good_articles(minimum float8) returns setof article language sql stable as $$
    select * from article where score >= minimum $$;
  insert into author select n, case when n % 4 > 0 then 'name ' || n % 3 end, n % 2 + 0.5, n % 2 from generate_series(1, 9) n;
  insert into article select 1 + n % 9, n + 9007199254740993, case when n % 5 > 0 then chr(97 + n % 7) || 'ü"' end,
    case when n % 7 = 0 then 'NaN' when n % 6 > 0 then n % 4 / 3.0 end,
    '2026-01-01'::timestamptz + n % 3 * interval '1.000001 day', n % 4 * interval '1 hour',
    case when n % 3 > 0 then array['x', (n % 2)::text] end
    from generate_series(1, 40) n;
  create table item (id int primary key, name text);
  create table old_item () inherits (item);
  insert into item select n, 'item ' || n from generate_series(1, 5) n;
  insert into old_item select n % 5 + 1, 'old item ' || n from generate_series(1, 10) n;
`;

const METADATA = metadataOf(
  [
    {
      table: 'author',
      array_relationships: [
        { name: 'articles', using: { foreign_key_constraint_on: { table: 'article', column: 'author_id' } } },
      ],
      select_permissions: [
        {
          role: 'user',
          permission: { columns: ['id', 'name', 'rating'], filter: { tenant: { _eq: 'X-Engine-Tenant' } } },
        },
      ],
    },
    {
      table: 'article',
      object_relationships: [{ name: 'author', using: { foreign_key_constraint_on: 'author_id' } }],
      computed_fields: [{ name: 'label', definition: { function: 'label' } }],
      select_permissions: [
        {
          role: 'user',
          permission: {
            columns: ['author_id', 'number', 'title', 'score', 'at', 'span', 'tags'],
            computed_fields: ['label'],
            filter: { author: { tenant: { _eq: 'X-Engine-Tenant' } } },
            limit: 7,
          },
        },
      ],
    },
    { table: 'item' },
  ],
  {},
);

let served: InProcess;
beforeAll(async () => {
  const { url } = await createTestDatabase(SQL);
  const sources = (METADATA as unknown as { sources: { functions?: object[] }[] }).sources;
  sources[0]!.functions = [{ function: 'good_articles' }];
  served = await serveInProcess(url, METADATA);
});
afterAll(() => served?.end());

const ROLES = { admin: {}, user: { 'x-engine-tenant': '1' } } as const;
type Role = keyof typeof ROLES;

interface Page {
  readonly edges: { readonly cursor: string; readonly node: Readonly<Record<string, unknown>> }[];
  readonly pageInfo: Readonly<Record<'startCursor' | 'endCursor', string>> &
    Readonly<Record<'hasNextPage' | 'hasPreviousPage', boolean>>;
}

async function ask<Data>(query: string, role: Role, relay: boolean, variables: object = {}): Promise<Data> {
  const request = {
    query,
    variables: variables as Record<string, unknown>,
    ...(relay && { relay: true as const }),
  };
  return (JSON.parse(await served.answer(request, role, ROLES[role])) as { data: Data }).data;
}

const KEY = 'author_id number';

/** Walks all pages; rows in the order of the connection. */
async function walk(field: string, order: string, size: number, role: Role, direction: 'first' | 'last') {
  const rows: object[] = [];
  let cursor: string | null = null;
  for (let pages = 0; ; pages += 1) {
    if (pages > 60) throw new Error('the pages do not end');
    const place = direction === 'first' ? 'after' : 'before';
    const query = `query ($cursor: String, $size: Int) {
      page: ${field}(${order} ${direction}: $size ${place}: $cursor) ) {
        edges { cursor node { ${KEY} } }
        pageInfo { hasNextPage hasPreviousPage startCursor endCursor }
      }
    }`.replace(') )', ')');
    const answer: { page: Page } = await ask(query, role, true, { cursor, size });
    const { pageInfo, edges } = answer.page;
    expect(pageInfo.startCursor).toBe(edges[0]?.cursor ?? '');
    expect(pageInfo.endCursor).toBe(edges.at(-1)?.cursor ?? '');
    expect(edges.length).toBeLessThanOrEqual(size);
    // The side that the pages came from.
    expect(direction === 'first' ? pageInfo.hasPreviousPage : pageInfo.hasNextPage).toBe(rows.length > 0);
    const nodes = edges.map(({ node }) => node);
    if (direction === 'first') rows.push(...nodes);
    else rows.unshift(...nodes);
    if (!(direction === 'first' ? pageInfo.hasNextPage : pageInfo.hasPreviousPage)) return rows;
    cursor = direction === 'first' ? pageInfo.endCursor : pageInfo.startCursor;
  }
}

/** All rows by offsets, in the order with the key behind it. */
async function listed(field: string, order: readonly string[], role: Role, args = '') {
  const rows: object[] = [];
  const keys = [...order, '{author_id: asc}', '{number: asc}'].join(', ');
  for (;;) {
    const query = `query ($offset: Int!) { list: ${field}(${args} order_by: [${keys}], offset: $offset, limit: 7) { ${KEY} } }`;
    const { list } = await ask<{ list: object[] }>(query, role, false, { offset: rows.length });
    rows.push(...list);
    if (list.length === 0) return rows;
  }
}

const DIRECTIONS = ['asc', 'desc', 'asc_nulls_first', 'desc_nulls_last'];
const ORDERS: readonly (readonly string[])[] = [
  [],
  ...DIRECTIONS.flatMap((each) => [[`{title: ${each}}`], [`{author: {name: ${each}}}`]]),
  ['{score: desc}', '{at: asc}'],
  ['{at: desc_nulls_first}', '{title: desc_nulls_last}', '{score: asc_nulls_first}'],
  ['{number: desc}'],
  ['{author_id: desc}', '{number: desc}'],
  ['{span: asc}', '{tags: desc}'],
  ['{label: desc}'],
  ['{author: {articles_aggregate: {count: desc}}}', '{author: {rating: asc}}'],
  ['{author: {articles_aggregate: {avg: {score: asc}, max: {number: desc}}}}'],
  ['{title: asc}', '{title: desc}'],
];

test.each(ORDERS.map((order) => [order.join(' '), order] as const))(
  'every row once, by %s',
  async (_, order) => {
    const text = order.length > 0 ? `order_by: [${order.join(', ')}]` : '';
    for (const role of ['admin', 'user'] as const) {
      const expected = await listed('article', order, role);
      expect(expected.length).toBe(role === 'admin' ? 40 : 22);
      for (const size of [1 + (order.length % 2) * 3, 6])
        for (const direction of ['first', 'last'] as const)
          expect(
            await walk('article_connection', text, size, role, direction),
            `${role} ${direction} ${size}`,
          ).toEqual(expected);
    }
  },
);

test('with conditions, rows that are distinct, and rows of functions', async () => {
  const where = 'where: {score: {_gt: 0.1}, author: {id: {_lt: 7}}}';
  const good = 'args: {minimum: 0.3}';
  for (const direction of ['first', 'last'] as const) {
    const filtered = await walk('article_connection', `${where} order_by: {at: desc}`, 3, 'admin', direction);
    expect(filtered).toEqual(await listed('article', ['{at: desc}'], 'admin', where));
    const distinct = await walk(
      'article_connection',
      'distinct_on: [title] order_by: [{title: desc}, {score: asc}]',
      2,
      'admin',
      direction,
    );
    expect(distinct).toEqual(
      await listed('article', ['{title: desc}', '{score: asc}'], 'admin', 'distinct_on: [title]'),
    );
    const open = await walk('article_connection', 'distinct_on: [author_id]', 2, 'user', direction);
    expect(open).toEqual(await listed('article', [], 'user', 'distinct_on: [author_id]'));
    const called = await walk(
      'good_articles_connection',
      `${good} order_by: {title: asc}`,
      4,
      'user',
      direction,
    );
    expect(called).toEqual(await listed('good_articles', ['{title: asc}'], 'user', good));
  }
});

test('nested connections, aliases of parts, and counts beside them', async () => {
  const query = `{ author_connection(first: 2, where: {articles: {score: {_gt: 0}}}) {
    some: edges { n: node { id name articles_connection(last: 2, order_by: {title: asc}) {
      pageInfo { more: hasPreviousPage } edges { node { title __typename } } __typename
    } articles(limit: 1) { id } } }
    all: edges { __typename cursor } __typename
  } }`;
  const { author_connection: page } = await ask<{ author_connection: Record<string, unknown[]> }>(
    query,
    'user',
    true,
  );
  const [{ n }] = page.some as [{ n: Record<string, { edges: unknown[]; pageInfo: object }> }];
  expect(n.articles_connection!.edges).toHaveLength(2);
  expect(n.articles_connection!.pageInfo).toEqual({ more: true });
  expect(page).toMatchObject({ __typename: 'authorConnection', all: [{ __typename: 'authorEdge' }, {}] });
  expect(n.articles).toHaveLength(1);
});

test('ids and cursors have the form that clients of the family know', async () => {
  const query =
    '{ article_connection(first: 1, order_by: {author: {name: asc}}) { edges { cursor node { id label author_id number } } } }';
  const { article_connection: page } = await ask<{ article_connection: Page }>(query, 'admin', true);
  const { cursor, node } = page.edges[0]!;
  const text = (base64: unknown) => Buffer.from(String(base64), 'base64').toString();
  expect(text(node.id)).toMatch(/^\[1, "public", "article", \d+, 90071992547\d+\]$/);
  expect(text(cursor)).toMatch(
    /^\{"author" : \{"name" : "name 0"\}, "author_id" : \d+, "number" : 90071992547\d+\}$/,
  );
  expect(String(cursor) + String(node.id)).not.toContain('\n');
});

test.each(['first', 'last'] as const)(
  'every row once, by %s, where rows of tables that inherit have the same keys',
  async (direction) => {
    const names: string[] = [];
    const [place, more, end] =
      direction === 'first'
        ? (['after', 'hasNextPage', 'endCursor'] as const)
        : (['before', 'hasPreviousPage', 'startCursor'] as const);
    for (const distinct of ['', ', distinct_on: [name]']) {
      let cursor: string | undefined;
      do {
        const query = `query ($cursor: String) {
          page: item_connection(${direction}: 2, ${place}: $cursor${distinct}) {
            edges { cursor node { name } } pageInfo { startCursor endCursor hasNextPage hasPreviousPage }
          }
        }`;
        const { page }: { page: Page } = await ask(query, 'admin', true, { cursor });
        names.push(...page.edges.map(({ node }) => String(node.name)));
        // The place of a row in the database would tell of rows that are hidden.
        if (distinct === '')
          for (const edge of page.edges)
            expect(Buffer.from(edge.cursor, 'base64').toString()).toMatch(/^\{"id" : \d+\}$/);
        cursor = page.pageInfo[more] ? page.pageInfo[end] : undefined;
      } while (cursor !== undefined);
      expect([names.length, new Set(names.splice(0)).size]).toEqual([15, 15]);
    }
  },
);
