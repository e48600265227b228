import pg from 'pg';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { compile } from '../../../compiler/index.ts';
import { readMetadata } from '../../../compiler/phases/1-read/index.ts';
import { introspectDatabase } from '../../../compiler/phases/2-introspect/index.ts';
import { linkProgram } from '../../../runtime/core/program.ts';
import { createPlanner } from '../../../runtime/core/request/planner.ts';
import type { SavedOperation, SavedProgram } from '../../../runtime/core/saved.ts';
import { connectSource, type SourceConnection } from '../../../runtime/database/source.ts';
import { createLoader } from '../../../runtime/program/loader.ts';
import { prepareSaved, runSaved } from '../../../runtime/saved/saved.ts';
import { createTestDatabase } from '../../harness/postgres.ts';

const queries = {
  page: 'query page($limit: Int = 1, $long: Boolean!) { note(order_by: {id: asc}, limit: $limit) { id text @include(if: $long) } }',
  search: 'query search($where: note_bool_exp!) { note(where: $where) { id } }',
  add: 'mutation add { insert_note_one(object: {id: 9}) { id } }',
};

let source: SourceConnection;
let saved: SavedProgram;
let run: (
  operation: SavedOperation,
  variables: object,
  role?: string,
  stringifyNumbers?: boolean,
) => Promise<string>;

beforeAll(async () => {
  const { url } = await createTestDatabase(`
    create table note (id int primary key, text text);
    insert into note values (1, 'one'), (2, 'two');
  `);
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  const catalog = await introspectDatabase((text, values) =>
    client.query(text, values ? [...values] : undefined),
  ).finally(() => client.end());
  const user = { role: 'user', permission: { columns: ['id'], filter: { id: { _eq: 'X-Engine-User-Id' } } } };
  const { value: metadata } = readMetadata({
    version: 3,
    sources: [
      {
        name: 'default',
        configuration: { connection_info: { database_url: url } },
        tables: [{ table: 'note', select_permissions: [user] }],
      },
    ],
    query_collections: [
      {
        name: 'notes',
        definition: { queries: Object.entries(queries).map(([name, query]) => ({ name, query })) },
      },
    ],
    allowlist: [{ collection: 'notes', scope: { global: false, roles: ['user'] } }],
  });
  const compiled = compile({ metadata, catalogs: { default: { ...catalog, enumTables: {} } } });
  expect(compiled.diagnostics.map(({ code, message }) => `${code}: ${message}`)).toEqual([
    'allowed-query-refused: The allow-list lets role "user" send the query "page" of collection "notes", but the role may ' +
      "not run it: $.note.text: field 'text' not found in object 'note'",
    'allowed-query-refused: The allow-list lets role "user" send the query "add" of collection "notes", but the role may ' +
      'not run it: $: no mutations exist',
  ]);
  const generated = await createLoader().load(compiled.files);
  saved = generated.saved!;
  source = connectSource(() => ({ connectionString: url }), {
    maxConnections: 1,
    idleTimeout: 10,
    retries: 0,
    connectionLifetime: 0,
    preparedStatements: 10,
    isolationLevel: 'read-committed',
  });
  const program = linkProgram(generated, { inferFunctionPermissions: true });
  run = (operation, variables, role = 'admin', stringifyNumbers = false) => {
    const planner = createPlanner(program, { stringifyNumbers, collapseNulls: false });
    const execution = { planner, sources: new Map([['default', source]]) };
    const operations = { ...saved, operations: [operation] };
    const settings = { enforceAllowlist: false, onlySaved: false, inferFunctionPermissions: true };
    const prepared = { ...execution, saved: prepareSaved(operations, execution, settings) };
    const session = {
      role,
      variables: { 'x-engine-role': role, 'x-engine-user-id': '2' },
      backendOnly: false,
    };
    return runSaved(operation, variables as Record<string, unknown>, session, prepared);
  };
});

afterAll(() => source?.end());

const find = (name: string) => saved.operations.find((operation) => operation.name === name)!;

test('a query runs by its statements, whatever its document says', async () => {
  const unreadable = { ...find('page'), document: 'neither GraphQL nor anything else' };
  expect(JSON.parse(await run(unreadable, { long: false }))).toEqual({ note: [{ id: 1 }] });
  expect(JSON.parse(await run(unreadable, { long: true, limit: 2 }))).toEqual({
    note: [
      { id: 1, text: 'one' },
      { id: 2, text: 'two' },
    ],
  });
  expect(JSON.parse(await run(unreadable, { long: false, limit: null }))).toEqual({
    note: [{ id: 1 }, { id: 2 }],
  });
  await expect(run(unreadable, {})).rejects.toThrow('expecting a value for non-nullable variable: "long"');
  await expect(run(unreadable, { long: false, limit: -1 })).rejects.toThrow('non-negative 32-bit integer');
});

test('statements for other options, and roles without a statement, leave it to the planner', async () => {
  const unreadable = { ...find('page'), document: 'neither GraphQL nor anything else' };
  await expect(run(unreadable, { long: false }, 'admin', true)).rejects.toThrow('not a valid graphql query');
  await expect(run(unreadable, { long: false }, 'user')).rejects.toThrow('not a valid graphql query');
});

test('what depends on more than nulls and booleans stays a template', async () => {
  expect(find('search')).toMatchObject({ template: 'the value of $where decides about the SQL' });
  expect(find('search').plans).toBeUndefined();
  expect(find('add').template).toBeDefined();
  expect(JSON.parse(await run(find('search'), { where: { id: { _gt: 1 } } }))).toEqual({ note: [{ id: 2 }] });
  expect(JSON.parse(await run(find('search'), { where: {} }, 'user'))).toEqual({ note: [{ id: 2 }] });
});
