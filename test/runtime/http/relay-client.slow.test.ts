/** An application of Relay, compiled by Relay's compiler and run by its runtime, against a whole server: pages and mutations reach the store. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { metadataOf } from '../../harness/metadata.ts';
import { createTestDatabase, type TestDatabase } from '../../harness/postgres.ts';
import { compileRelay, type RelayApplication, relayPresent } from '../../harness/relay-client.ts';
import { send, serve, type TestServer } from '../../harness/server.ts';

const permissions = (columns: readonly string[], filter: object = {}) => ({
  select_permissions: [{ role: 'user', permission: { columns, filter } }],
  insert_permissions: [{ role: 'user', permission: { columns, check: filter } }],
  update_permissions: [{ role: 'user', permission: { columns, filter } }],
  delete_permissions: [{ role: 'user', permission: { filter } }],
});

const TABLES = [
  {
    table: 'author',
    array_relationships: [
      { name: 'books', using: { foreign_key_constraint_on: { table: 'book', column: 'author_id' } } },
    ],
    ...permissions(['id', 'name', 'tenant'], { tenant: { _eq: 'X-Engine-Tenant' } }),
  },
  {
    table: 'book',
    object_relationships: [{ name: 'author', using: { foreign_key_constraint_on: 'author_id' } }],
    ...permissions(['isbn', 'title', 'author_id']),
  },
];

const ROWS = `
  truncate author, book;
  insert into author select n, 'Author ' || n, case when n = 2 then 2 else 1 end from generate_series(1, 8) n;
  insert into book select 'isbn ' || n, 'Title ' || n, 1 from generate_series(1, 5) n`;

const DOCUMENTS = [
  `query appAuthorsQuery { ...app_authors }`,
  `fragment app_authors on query_root
    @argumentDefinitions(count: {type: "Int", defaultValue: 2}, cursor: {type: "String"})
    @refetchable(queryName: "appAuthorsPageQuery") {
      author_connection(first: $count, after: $cursor, order_by: {id: asc}) @connection(key: "app_author_connection") {
        __id edges { node { id name } } pageInfo { hasNextPage }
      }
    }`,
  `query appAuthorQuery($id: ID!) { node(id: $id) { __typename ...app_author @alias(as: "author") } }`,
  `fragment app_author on author
    @argumentDefinitions(count: {type: "Int", defaultValue: 2}, cursor: {type: "String"})
    @refetchable(queryName: "appAuthorPageQuery") {
      name
      books_connection(first: $count, after: $cursor, order_by: {isbn: asc}) @connection(key: "app_books_connection") {
        __id edges { node { id title } }
      }
    }`,
  `mutation appPrependMutation($id: Int!, $name: String!, $connections: [ID!]!) {
    insert_author_one(object: {id: $id, name: $name, tenant: 1}) @prependNode(connections: $connections, edgeTypeName: "authorEdge") { id name }
  }`,
  `mutation appAppendMutation($rows: [author_insert_input!]!, $connections: [ID!]!) {
    insert_author(objects: $rows) {
      affected_rows
      returning @appendNode(connections: $connections, edgeTypeName: "authorEdge") { id name }
    }
  }`,
  `mutation appAppendEdgeMutation($isbn: String!, $connections: [ID!]!) {
    insert_book_one(object: {isbn: $isbn, title: "Edge", author_id: 1}) {
      author { books_connection(where: {isbn: {_eq: $isbn}}) {
        edges @appendEdge(connections: $connections) { cursor node { id title } }
      } }
    }
  }`,
  `mutation appPrependEdgeMutation($isbn: String!, $connections: [ID!]!) {
    insert_book_one(object: {isbn: $isbn, title: "First", author_id: 1}) {
      author { books_connection(where: {isbn: {_eq: $isbn}}) {
        edges @prependEdge(connections: $connections) { cursor node { id title } }
      } }
    }
  }`,
  `mutation appDeleteRecordMutation($isbn: String!) { delete_book_by_pk(isbn: $isbn) { id @deleteRecord } }`,
  `mutation appDeleteEdgeMutation($names: [String!]!, $connections: [ID!]!) {
    delete_author(where: {name: {_in: $names}}) { returning { id @deleteEdge(connections: $connections) } }
  }`,
  `mutation appRenameMutation($name: String!, $to: String!) {
    update_author(where: {name: {_eq: $name}}, _set: {name: $to}) { returning { id name } }
  }`,
];

test('Relay is installed (npm run pretest:slow)', () => {
  expect(relayPresent).toBe(true);
});

describe.skipIf(!relayPresent)('an application of Relay', () => {
  let server: TestServer;
  let database: TestDatabase;
  let folder: string | undefined;
  let openApplication: () => RelayApplication;
  let app: RelayApplication;

  beforeAll(async () => {
    database = await createTestDatabase(`
      create table author (id int primary key, name text not null, tenant int not null);
      create table book (isbn text primary key, title text not null, author_id int not null references author);`);
    server = await serve({ database, metadata: metadataOf(TABLES), options: { ENABLE_RELAY: 'true' } });
    folder = mkdtempSync(join(tmpdir(), 'relay-'));
    openApplication = await compileRelay(folder, DOCUMENTS, async (body) => {
      const headers = { 'x-engine-role': 'user', 'x-engine-tenant': '1' };
      return (await send(server, '/v1beta1/relay', { headers, body })).json;
    });
  });
  afterAll(async () => {
    await server?.stop();
    if (folder) rmSync(folder, { recursive: true, force: true });
  });

  beforeEach(async () => {
    await database.query(ROWS);
    app = openApplication();
  });

  const authors = (numbers: readonly (number | string)[]) => numbers.map((number) => `Author ${number}`);
  // biome-ignore lint/suspicious/noExplicitAny: data of any form
  const shown = (connection: any, field = 'name') =>
    // Relay leaves the edge of a deleted record for the application to skip.
    // biome-ignore lint/suspicious/noExplicitAny: data of any form
    connection.edges.filter(({ node }: any) => node).map(({ node }: any) => node[field]);

  test('the store joins the pages of a connection, and shows rows that the role sees once each', async () => {
    const reference = await app.query('appAuthorsQuery');
    const connection = () => app.read('app_authors', reference).author_connection;
    expect(shown(connection())).toEqual(authors([1, 3]));
    await app.load('forward', 3, 'app_authors', reference);
    expect(shown(connection())).toEqual(authors([1, 3, 4, 5, 6]));
    expect(connection().pageInfo.hasNextPage).toBe(true);
    await app.load('forward', 3, 'app_authors', reference);
    expect(shown(connection())).toEqual(authors([1, 3, 4, 5, 6, 7, 8]));
    expect(connection().pageInfo.hasNextPage).toBe(false);
  });

  /** The first author, whose books are paged through `node`. */
  async function firstAuthor() {
    const list = app.read('app_authors', await app.query('appAuthorsQuery')).author_connection;
    const answer = await app.query('appAuthorQuery', { id: list.edges[0].node.id });
    expect(answer.node.__typename).toBe('author');
    const node = answer.node.author;
    const books = () => app.read('app_author', node).books_connection;
    return { node, books, titles: () => shown(books(), 'title') };
  }

  test('nodes of mutations are put before and behind the pages, and edges are removed', async () => {
    const reference = await app.query('appAuthorsQuery');
    const connection = () => app.read('app_authors', reference).author_connection;
    const connections = [connection().__id];
    await app.mutate('appPrependMutation', { id: 20, name: 'Author 20', connections });
    expect(app.sent.at(-1)).toEqual({ id: 20, name: 'Author 20', connections });
    expect(shown(connection())).toEqual(authors([20, 1, 3]));
    const rows = [21, 22].map((id) => ({ id, name: `Author ${id}`, tenant: 1 }));
    await app.mutate('appAppendMutation', { rows, connections });
    expect(shown(connection())).toEqual(authors([20, 1, 3, 21, 22]));
    await app.mutate('appRenameMutation', { name: 'Author 3', to: 'Author three' });
    expect(shown(connection())).toEqual(authors([20, 1, 'three', 21, 22]));
    await app.mutate('appDeleteEdgeMutation', { names: ['Author three', 'Author 21'], connections });
    expect(shown(connection())).toEqual(authors([20, 1, 22]));
    const left = await database.query('select id from author where tenant = 1 order by id');
    expect(left.map(({ id }) => id)).toEqual([1, 4, 5, 6, 7, 8, 20, 22]);
    await expect(
      app.mutate('appPrependMutation', { id: 20, name: 'Author 20', connections }),
    ).rejects.toThrow();
    expect(shown(connection())).toEqual(authors([20, 1, 22]));
  });

  test('edges of mutations are added to a nested connection, and records are deleted', async () => {
    const { books, titles } = await firstAuthor();
    const connections = [books().__id];
    await app.mutate('appAppendEdgeMutation', { isbn: 'isbn 9', connections });
    expect(titles()).toEqual(['Title 1', 'Title 2', 'Edge']);
    await app.mutate('appPrependEdgeMutation', { isbn: 'isbn 0', connections });
    expect(titles()).toEqual(['First', 'Title 1', 'Title 2', 'Edge']);
    await app.mutate('appDeleteRecordMutation', { isbn: 'isbn 1' });
    expect(titles()).toEqual(['First', 'Title 2', 'Edge']);
    // No row of this key: nothing to delete, in the database or the store.
    await app.mutate('appDeleteRecordMutation', { isbn: 'isbn 1' });
    expect(titles()).toEqual(['First', 'Title 2', 'Edge']);
  });
});
