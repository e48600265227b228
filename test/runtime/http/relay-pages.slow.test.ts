/**
 * Pages of an application of Relay, in both directions and of connections inside connections: what its store shows is what the
 * database has, in order and once each, while rows come and go.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { metadataOf } from '../../harness/metadata.ts';
import { createTestDatabase, type TestDatabase } from '../../harness/postgres.ts';
import { compileRelay, type RelayApplication, relayPresent } from '../../harness/relay-client.ts';
import { send, serve, type TestServer } from '../../harness/server.ts';

const many = (name: string, table: string, columns: string | string[]) => ({
  name,
  using: {
    foreign_key_constraint_on: Array.isArray(columns) ? { table, columns } : { table, column: columns },
  },
});

const TABLES = [
  { table: 'shelf', array_relationships: [many('books', 'book', 'shelf')] },
  {
    table: 'book',
    object_relationships: [{ name: 'of', using: { foreign_key_constraint_on: 'shelf' } }],
    array_relationships: [many('chapters', 'chapter', ['shelf', 'number'])],
  },
  { table: 'chapter' },
].map((table) => ({
  ...table,
  select_permissions: [{ role: 'user', permission: { columns: '*', filter: {} } }],
  insert_permissions: [{ role: 'user', permission: { columns: '*', check: {} } }],
  delete_permissions: [{ role: 'user', permission: { filter: {} } }],
}));

const SCHEMA = `
  create table shelf (id int primary key, name text not null);
  create table book (shelf int references shelf, number int, title text, price numeric, primary key (shelf, number));
  create table chapter (
    shelf int, number int, part text, primary key (shelf, number, part), foreign key (shelf, number) references book on delete cascade
  );`;

/** Every third book has no title and every fourth no price; prices are tied. */
const ROWS = `
  truncate shelf, book, chapter;
  insert into shelf select n, 'shelf ' || n from generate_series(1, 4) n;
  insert into book select 1 + n % 2, n, case when n % 3 > 0 then 'book ' || chr(64 + n * 7 % 20) end,
    case when n % 4 > 0 then n % 3 end from generate_series(1, 12) n;
  insert into chapter select 2, 1, chr(96 + n) from generate_series(1, 7) n`;

const ORDERS = {
  Key: '{number: asc}',
  Backwards: '{number: desc}',
  Title: '{title: asc}',
  Price: '{price: desc_nulls_last}',
  Mixed: '[{price: asc_nulls_first}, {title: desc}, {of: {name: desc}}]',
  Counted: '[{of: {books_aggregate: {count: asc}}}, {chapters_aggregate: {count: desc}}, {of: {name: asc}}]',
};

const WINDOW = 'first: {type: "Int"}, after: {type: "String"}, last: {type: "Int"}, before: {type: "String"}';
const PAGE = 'first: $first, after: $after, last: $last, before: $before';
const PAGE_INFO = 'pageInfo { hasNextPage hasPreviousPage startCursor endCursor }';
const VARIABLES = '$first: Int, $after: String, $last: Int, $before: String';
const VALUES = 'first: $first, after: $after, last: $last, before: $before';

const DOCUMENTS = [
  ...Object.entries(ORDERS).flatMap(([name, order]) => [
    `query app${name}Query(${VARIABLES}) { ...app${name}_books @arguments(${VALUES}) }`,
    `fragment app${name}_books on query_root
      @argumentDefinitions(${WINDOW}) @refetchable(queryName: "app${name}PageQuery") {
      book_connection(${PAGE}, order_by: ${order}) @connection(key: "app${name}_book_connection") {
        __id edges { cursor node { id shelf number } } ${PAGE_INFO}
      }
    }`,
  ]),
  `query appShelvesQuery { ...app_shelves }`,
  `fragment app_shelves on query_root
    @argumentDefinitions(${WINDOW.replace('"Int"', '"Int", defaultValue: 2')}) @refetchable(queryName: "appShelvesPageQuery") {
    shelf_connection(${PAGE}, order_by: {id: asc}) @connection(key: "app_shelf_connection") {
      edges { node { id name ...app_shelf @arguments(first: 2) } } ${PAGE_INFO}
    }
  }`,
  `fragment app_shelf on shelf
    @argumentDefinitions(${WINDOW}) @refetchable(queryName: "appShelfPageQuery") {
    id
    books_connection(${PAGE}, order_by: {number: asc}) @connection(key: "app_books_connection") {
      __id edges { node { id number ...app_book } } ${PAGE_INFO}
    }
  }`,
  `fragment app_book on book
    @argumentDefinitions(${WINDOW}, order: {type: "order_by", defaultValue: asc})
    @refetchable(queryName: "appBookPageQuery") {
    id
    chapters_connection(${PAGE}, order_by: {part: $order}) @connection(key: "app_chapters_connection") {
      __id edges { node { id part } } ${PAGE_INFO}
    }
  }`,
  `mutation appShelveMutation($number: Int!, $connections: [ID!]!) {
    insert_book_one(object: {shelf: 1, number: $number}) @prependNode(connections: $connections, edgeTypeName: "bookEdge") { id shelf number }
  }`,
  `mutation appTakeMutation($number: Int!, $connections: [ID!]!) {
    delete_book(where: {number: {_eq: $number}}) { returning { id @deleteEdge(connections: $connections) } }
  }`,
];

type Direction = 'forward' | 'backward';

test('Relay is installed (npm run pretest:slow)', () => {
  expect(relayPresent).toBe(true);
});

describe.skipIf(!relayPresent)('pages of an application of Relay', () => {
  let server: TestServer;
  let database: TestDatabase;
  let folder: string | undefined;
  let openApplication: () => RelayApplication;
  let app: RelayApplication;
  const ask = async (body: object) =>
    (await send(server, '/v1beta1/relay', { headers: { 'x-engine-role': 'user' }, body })).json;

  beforeAll(async () => {
    database = await createTestDatabase(SCHEMA);
    server = await serve({ database, metadata: metadataOf(TABLES), options: { ENABLE_RELAY: 'true' } });
    folder = mkdtempSync(join(tmpdir(), 'relay-'));
    openApplication = await compileRelay(folder, DOCUMENTS, ask);
  });
  afterAll(async () => {
    await server?.stop();
    if (folder) rmSync(folder, { recursive: true, force: true });
  });
  beforeEach(async () => {
    await database.query(ROWS);
    app = openApplication();
  });

  /** A connection of books, as the store has it. */
  async function opened(order: string, variables: Readonly<Record<string, unknown>>) {
    const reference = await app.query(`app${order}Query`, variables);
    const connection = () => app.read(`app${order}_books`, reference).book_connection;
    const numbers = (): number[] =>
      // biome-ignore lint/suspicious/noExplicitAny: data of any form
      connection().edges.flatMap(({ node }: any) => (node ? [node.number] : []));
    const load = async (direction: Direction, count: number) => {
      await app.load(direction, count, `app${order}_books`, reference);
      return numbers();
    };
    return { connection, numbers, load };
  }

  // biome-ignore lint/suspicious/noExplicitAny: data of any form
  async function edgesOf(order: string): Promise<any[]> {
    const query = `{ book_connection(order_by: ${order}) { edges { cursor node { number } } } }`;
    // biome-ignore lint/suspicious/noExplicitAny: data of any form
    return ((await ask({ query })) as any).data.book_connection.edges;
  }

  const CASES = Object.keys(ORDERS).flatMap((order) =>
    [
      ['from the first', () => ({ first: 3 })],
      ['from the last', () => ({ last: 3 })],
      ['from the middle on', (cursor: string) => ({ first: 2, after: cursor })],
      ['from the middle back', (cursor: string) => ({ last: 2, before: cursor })],
      ['from the first, nulls beside', () => ({ first: 1, last: null, before: null, after: null })],
      ['from the last, nulls beside', () => ({ last: 1, first: null, after: null, before: null })],
      ['all, by nulls', () => ({ first: null, last: null, after: null, before: null })],
      ['none at first', () => ({ first: 0 })],
    ].map(([name, variables]) => [order, name, variables] as [string, string, (cursor: string) => object]),
  );

  test.each(CASES)('in the order %s, %s, to both ends', async (order, _, variables) => {
    const all = await edgesOf(ORDERS[order as keyof typeof ORDERS]);
    const expected = all.map(({ node }) => node.number);
    expect(new Set(expected).size).toBe(12);
    const { connection, numbers, load } = await opened(order, { ...variables(all[5].cursor) });
    for (let turn = 0; turn < 14; turn += 1) {
      const { pageInfo } = connection();
      const shown = numbers();
      const start = shown.length > 0 ? expected.indexOf(shown[0]!) : 0;
      expect(shown).toEqual(expected.slice(start, start + shown.length));
      expect(pageInfo.hasPreviousPage).toBe(start > 0);
      expect(pageInfo.hasNextPage).toBe(start + shown.length < 12);
      if (!pageInfo.hasPreviousPage && !pageInfo.hasNextPage) break;
      const back = pageInfo.hasPreviousPage && (turn % 2 === 0 || !pageInfo.hasNextPage);
      await load(back ? 'backward' : 'forward', 2);
    }
    expect(numbers()).toEqual(expected);
  });

  test('rows that come behind the end are found by further pages, rows that were there stay', async () => {
    const { numbers, load } = await opened('Key', { first: 10 });
    expect(await load('forward', 5)).toHaveLength(12);
    expect(await load('forward', 5)).toHaveLength(12);
    expect(await load('forward', 5)).toHaveLength(12);
    await database.query('insert into book values (3, 20), (3, 21), (3, 22)');
    expect((await load('forward', 2)).slice(11)).toEqual([12, 20, 21]);
    await load('forward', 2);
    expect(numbers()).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 20, 21, 22]);
  });

  test('rows that come before the start are found by earlier pages', async () => {
    const { load } = await opened('Key', { last: 20 });
    expect(await load('backward', 5)).toHaveLength(12);
    expect(await load('backward', 5)).toHaveLength(12);
    await database.query('insert into book values (3, -1), (3, -2), (3, -3)');
    expect((await load('backward', 2)).slice(0, 3)).toEqual([-2, -1, 1]);
    expect((await load('backward', 2)).slice(0, 3)).toEqual([-3, -2, -1]);
  });

  test.each(['forward', 'backward'] as const)('a list that was empty fills %s', async (direction) => {
    await database.query('truncate book cascade');
    const { connection, numbers, load } = await opened(
      'Key',
      direction === 'forward' ? { first: 2 } : { last: 2 },
    );
    expect(connection().pageInfo).toMatchObject({ hasNextPage: false, hasPreviousPage: false });
    expect(await load(direction, 2)).toEqual([]);
    expect(await load(direction, 2)).toEqual([]);
    await database.query('insert into book select 1, n from generate_series(1, 5) n');
    expect(await load(direction, 2)).toEqual(direction === 'forward' ? [1, 2] : [4, 5]);
    await load(direction, 2);
    await load(direction, 2);
    expect(numbers()).toEqual([1, 2, 3, 4, 5]);
  });

  test('an empty page leads back over the row of its cursor', async () => {
    const all = await edgesOf('{number: asc}');
    const { numbers, load } = await opened('Key', { first: 2, after: all[11].cursor });
    expect(numbers()).toEqual([]);
    expect(await load('backward', 2)).toEqual([11, 12]);
    await database.query('insert into book values (3, 20)');
    expect(await load('forward', 2)).toEqual([11, 12, 20]);
  });

  test('pages go on from rows that were deleted, and show prepended rows once', async () => {
    const all = await edgesOf('{number: asc}');
    const { connection, numbers, load } = await opened('Key', { first: 2, after: all[4].cursor });
    const connections = [connection().__id];
    expect(numbers()).toEqual([6, 7]);
    for (const number of [6, 7]) await app.mutate('appTakeMutation', { number, connections });
    expect(numbers()).toEqual([]);
    await app.mutate('appShelveMutation', { number: 100, connections });
    expect(numbers()).toEqual([100]);
    expect(await load('forward', 2)).toEqual([100, 8, 9]);
    expect(await load('backward', 2)).toEqual([4, 5, 100, 8, 9]);
    await app.mutate('appTakeMutation', { number: 5, connections });
    await load('forward', 20);
    await load('backward', 20);
    expect(numbers().toSorted((one, other) => one - other)).toEqual([1, 2, 3, 4, 8, 9, 10, 11, 12, 100]);
    expect(connection().pageInfo).toMatchObject({ hasNextPage: false, hasPreviousPage: false });
  });

  // biome-ignore lint/suspicious/noExplicitAny: data of any form
  const nodesOf = (connection: any): any[] => connection.edges.map(({ node }: any) => node);

  /** The shelves, with the references to the fragments of their books. */
  async function shelves() {
    const reference = await app.query('appShelvesQuery');
    return () => nodesOf(app.read('app_shelves', reference).shelf_connection);
  }

  test('connections inside connections have pages of their own, in both directions', async () => {
    const reference = await app.query('appShelvesQuery');
    const list = () => nodesOf(app.read('app_shelves', reference).shelf_connection);
    const numbers = (index: number) =>
      nodesOf(app.read('app_shelf', list()[index]).books_connection).map(({ number }) => number);
    expect([numbers(0), numbers(1)]).toEqual([
      [2, 4],
      [1, 3],
    ]);
    await app.load('forward', 2, 'app_shelf', list()[1]);
    expect([numbers(0), numbers(1)]).toEqual([
      [2, 4],
      [1, 3, 5, 7],
    ]);
    await app.load('forward', 9, 'app_shelves', reference);
    expect(list().map(({ name }) => name)).toEqual(['shelf 1', 'shelf 2', 'shelf 3', 'shelf 4']);
    await app.load('forward', 9, 'app_shelf', list()[0]);
    expect([numbers(0), numbers(1), numbers(3)]).toEqual([[2, 4, 6, 8, 10, 12], [1, 3, 5, 7], []]);
    const chapters = () => {
      const book = nodesOf(app.read('app_shelf', list()[1]).books_connection)[0];
      return { book, parts: nodesOf(app.read('app_book', book).chapters_connection).map(({ part }) => part) };
    };
    expect(chapters().parts.join('')).toBe('abcdefg');
    const again = await app.refetch('app_book', chapters().book, { first: null, last: 2 });
    const parts = (fragment: object) =>
      nodesOf(app.read('app_book', fragment).chapters_connection).map(({ part }) => part);
    expect(parts(again)).toEqual(['f', 'g']);
    await app.load('backward', 3, 'app_book', again);
    expect(parts(again)).toEqual(['c', 'd', 'e', 'f', 'g']);
    await app.load('backward', 3, 'app_book', again);
    expect(parts(again).join('')).toBe('abcdefg');
  });

  test('a fragment is got again by its node, with other variables', async () => {
    const list = await shelves();
    const shelf = list()[1];
    const again = await app.refetch('app_shelf', shelf, { first: null, last: 3 });
    const books = nodesOf(app.read('app_shelf', again).books_connection);
    expect(books.map(({ number }) => number)).toEqual([7, 9, 11]);
    const wider = await app.refetch('app_shelf', again, { first: null, last: null });
    const first = nodesOf(app.read('app_shelf', wider).books_connection)[0];
    const turned = await app.refetch('app_book', first, { order: 'desc', first: 3 });
    const parts = () => nodesOf(app.read('app_book', turned).chapters_connection).map(({ part }) => part);
    expect(parts()).toEqual(['g', 'f', 'e']);
    await app.load('forward', 3, 'app_book', turned);
    expect(parts()).toEqual(['g', 'f', 'e', 'd', 'c', 'b']);
    await database.query('delete from book where shelf = 2 and number = 1');
    expect(await app.refetch('app_book', turned)).toBeNull();
  });
});
