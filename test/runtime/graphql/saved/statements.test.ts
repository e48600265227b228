import { afterAll, beforeAll, expect, test } from 'vitest';
import { compile } from '../../../../compiler/index.ts';
import { readMetadata } from '../../../../compiler/phases/1-read/index.ts';
import { MemoryBudget } from '../../../../runtime/core/memory/budget.ts';
import { linkProgram } from '../../../../runtime/core/program/program.ts';
import { createPlanner } from '../../../../runtime/core/request/planner.ts';
import type { SavedOperation, SavedProgram } from '../../../../runtime/core/saved/saved.ts';
import { CANONICAL } from '../../../../runtime/core/vocabulary.ts';
import { readDatabase } from '../../../../runtime/database/read-database.ts';
import type { SourceConnection } from '../../../../runtime/database/source.ts';
import { answerSaved } from '../../../../runtime/graphql/answer.ts';
import { wholeText } from '../../../../runtime/graphql/answer-text.ts';
import { createLimits, createRateCounter } from '../../../../runtime/graphql/limits.ts';
import { Request } from '../../../../runtime/graphql/request.ts';
import { indexSaved } from '../../../../runtime/graphql/saved/saved.ts';
import { createLoader } from '../../../../runtime/program/loader.ts';
import { defaultSource } from '../../../harness/metadata.ts';
import { createTestDatabase, type TestDatabase } from '../../../harness/postgres.ts';
import { openSource } from '../../../harness/source.ts';

const queries = {
  page: 'query page($limit: Int = 1, $long: Boolean!) { note(order_by: {id: asc}, limit: $limit) { id text @include(if: $long) } }',
  search: 'query search($where: note_bool_exp!) { note(where: $where) { id } }',
  add: 'mutation add { insert_note_one(object: {id: 9}) { id } }',
  rename:
    'mutation rename($id: Int!, $text: String) { update_note_by_pk(pk_columns: {id: $id}, _set: {text: $text}) { id text } again: update_note(where: {id: {_eq: $id}}, _inc: {id: 0}) { affected_rows returning { text copies { id } } } }',
  nested:
    'mutation nested($id: Int!) { insert_note_one(object: {id: $id, copies: {data: {id: 6}}}) { id copies { id } } }',
  batch:
    'mutation batch { insert_note(objects: [{id: 15, lines: {data: {id: 16}}}, {id: 17, lines: {data: {id: 18}}}]) { affected_rows } }',
  copy: 'mutation copy($id: Int!) { copy_note(args: {id: $id}) { id text } }',
  by_text: 'query by_text($text: String) { note(where: {text: {_eq: $text}}) { id } }',
  matching:
    'query matching { note(where: {_or: [{text: {_regex: "("}}, {id: {_eq: 0}}]}) { id } again: note(where: {id: {_eq: 1}}) { id } }',
  matching_twice:
    'query matching_twice { note(where: {_or: [{text: {_regex: "("}}, {text: {_similar: "(a"}}]}) { id } }',
  related: 'query related { line(order_by: {id: asc}) { id of { id } } }',
  tagged: 'query tagged($tags: [String!]) { note(where: {tags: {_contains: $tags}}) { id } }',
};

let source: SourceConnection;
let saved: SavedProgram;
let database: TestDatabase;
let run: (
  operation: SavedOperation,
  variables: object,
  role?: string,
  options?: { readonly stringifyNumbers?: boolean; readonly enforceAllowlist?: boolean },
) => Promise<string>;

beforeAll(async () => {
  database = await createTestDatabase(`
    create table note (id int primary key, text text, original int references note, tags text[] not null default '{new}');
    create table line (id int primary key, note int references note);
    insert into note values (1, 'one'), (2, 'two');
    create function note_numbered(note) returns int stable cost 0.1 language plpgsql as
      $$ begin return $1.text::int; end $$;
    create function copy_note(id int) returns setof note language sql as
      $$ insert into note select id + 30, 'copy of ' || text, id from note n where n.id = copy_note.id returning * $$;
  `);
  const { url } = database;
  const catalog = await readDatabase({ connectionString: url }, []);
  const own = { id: { _eq: 'X-Engine-User-Id' } };
  const user = { role: 'user', permission: { columns: ['id'], filter: own } };
  // Fails for notes without a number.
  const finder = { role: 'finder', permission: { columns: ['id'], filter: { numbered: { _eq: 1 } } } };
  const writer = { role: 'writer', permission: { columns: ['id', 'text', 'tags'], filter: {} } };
  const change = { columns: ['id', 'text'], filter: own, check: { text: { _ne: 'bad' } } };
  const { value: metadata } = readMetadata({
    version: 3,
    sources: [
      defaultSource(
        {
          tables: [
            {
              table: 'note',
              array_relationships: [
                { name: 'lines', using: { foreign_key_constraint_on: { table: 'line', column: 'note' } } },
                {
                  name: 'copies',
                  using: { foreign_key_constraint_on: { table: 'note', column: 'original' } },
                },
              ],
              computed_fields: [{ name: 'numbered', definition: { function: 'note_numbered' } }],
              select_permissions: [user, writer, finder],
              insert_permissions: [{ role: 'writer', permission: { columns: ['id', 'text'], check: {} } }],
              update_permissions: [{ role: 'writer', permission: change }],
            },
            {
              table: 'line',
              object_relationships: [{ name: 'of', using: { foreign_key_constraint_on: 'note' } }],
              select_permissions: [
                { role: 'finder', permission: { columns: ['id'], filter: { id: { _gt: 20, _lt: 100 } } } },
                { role: 'writer', permission: { columns: ['id'], filter: { id: { _gt: 20, _lt: 100 } } } },
              ],
              insert_permissions: [{ role: 'writer', permission: { columns: ['id', 'note'], check: {} } }],
            },
          ],
          functions: [{ function: 'copy_note', permissions: [{ role: 'writer' }] }],
        },
        url,
      ),
    ],
    query_collections: [
      {
        name: 'notes',
        definition: { queries: Object.entries(queries).map(([name, query]) => ({ name, query })) },
      },
    ],
    allowlist: [{ collection: 'notes' }],
  });
  const compiled = compile({ metadata, catalogs: { default: catalog } });
  expect(compiled.diagnostics).toEqual([]);
  const generated = await createLoader().load(compiled.files);
  saved = generated.saved!;
  source = openSource(url, { maxConnections: 1, preparedStatements: 10 });
  const program = linkProgram(generated, { inferFunctionPermissions: true });
  run = async (
    operation,
    variables,
    role = 'admin',
    { stringifyNumbers = false, enforceAllowlist = false } = {},
  ) => {
    const planner = createPlanner(program, { stringifyNumbers, collapseNulls: false });
    const operations = { ...saved, operations: [operation] };
    const settings = { enforceAllowlist, onlySaved: false, memory: new MemoryBudget() };
    const served = {
      planner,
      sources: new Map([['default', source]]),
      limits: createLimits(undefined, createRateCounter()),
      saved: indexSaved(operations, planner, settings),
    };
    const session = {
      vocabulary: CANONICAL,
      role,
      variables: { 'x-engine-role': role, 'x-engine-user-id': '2' },
      backendOnly: false,
    };
    const request = new Request(served, session);
    return wholeText(await answerSaved(operation, variables as Record<string, unknown>, request));
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
  await expect(run(unreadable, { long: false }, 'admin', { stringifyNumbers: true })).rejects.toThrow(
    'not a valid graphql query',
  );
  await expect(run(unreadable, { long: false }, 'user')).rejects.toThrow('not a valid graphql query');
});

test('the allow-list knows its operations without reading them', async () => {
  const unreadable = { ...find('page'), document: 'neither GraphQL nor anything else' };
  const allowed = await run(unreadable, { long: false }, 'writer', { enforceAllowlist: true });
  expect(JSON.parse(allowed)).toEqual({ note: [{ id: 1 }] });
  const other = { ...unreadable, name: 'other' };
  await expect(run(other, { long: false }, 'writer', { enforceAllowlist: true })).rejects.toThrow(
    'not a valid graphql query',
  );
});

test('a mutation runs by its statements, under the rules of the role', async () => {
  const { plans } = find('rename');
  expect(plans!.map(({ roles, when, steps }) => [roles, when, steps.length])).toEqual([
    [['admin', 'writer'], { text: 'value' }, 2],
    [['admin', 'writer'], { text: 'null' }, 2],
  ]);
  const rename = { ...find('rename'), document: 'neither GraphQL nor anything else' };
  expect(JSON.parse(await run(rename, { id: 1, text: 'uno' }))).toEqual({
    update_note_by_pk: { id: 1, text: 'uno' },
    again: { affected_rows: 1, returning: [{ text: 'uno', copies: [] }] },
  });
  expect(JSON.parse(await run(rename, { id: 1 }))).toMatchObject({
    update_note_by_pk: { id: 1, text: null },
  });
  // Not one's own row.
  expect(JSON.parse(await run(rename, { id: 1, text: 'x' }, 'writer'))).toMatchObject({
    update_note_by_pk: null,
    again: { affected_rows: 0, returning: [] },
  });
  await expect(run(rename, { id: 2, text: 'bad' }, 'writer')).rejects.toThrow(
    'check constraint of an insert/update',
  );
  await expect(run(rename, { id: 'x', text: 'y' })).rejects.toMatchObject({ code: 'data-exception' });
  await expect(run(rename, { id: {} })).rejects.toMatchObject({
    path: '$.selectionSet.update_note_by_pk.args.pk_columns.id',
  });
  const add = { ...find('add'), document: 'neither GraphQL nor anything else' };
  expect(JSON.parse(await run(add, {}))).toEqual({ insert_note_one: { id: 9 } });
  await expect(run(add, {})).rejects.toMatchObject({ code: 'constraint-violation' });
});

test('a nested insert runs by its statements, which find the keys of the ones before', async () => {
  const nested = { ...find('nested'), document: 'neither GraphQL nor anything else' };
  expect(JSON.parse(await run(nested, { id: 5 }))).toEqual({
    insert_note_one: { id: 5, copies: [{ id: 6 }] },
  });
  await expect(run(nested, { id: 7 })).rejects.toMatchObject({
    code: 'constraint-violation',
    path: '$.selectionSet.insert_note_one.args.object.copies.data',
  });
});

test('a function is called by its statements, once', async () => {
  const copy = { ...find('copy'), document: 'neither GraphQL nor anything else' };
  expect(copy.plans!.map(({ steps }) => steps)).toEqual([[expect.objectContaining({ once: true })]]);
  expect(JSON.parse(await run(copy, { id: 2 }))).toEqual({ copy_note: [{ id: 32, text: 'copy of two' }] });
});

test('what depends on more than nulls and booleans stays a template', async () => {
  expect(find('search')).toMatchObject({ template: 'the value of $where decides about the SQL' });
  expect(find('search').plans).toBeUndefined();

  expect(find('batch').template).toContain('a table at a time');
  expect(JSON.parse(await run(find('search'), { where: { id: { _lt: 3 } } }))).toEqual({
    note: [{ id: 1 }, { id: 2 }],
  });
  expect(JSON.parse(await run(find('search'), { where: {} }, 'user'))).toEqual({ note: [{ id: 2 }] });
});

test('values that are an error leave the others their statements', async () => {
  const byText = find('by_text');
  expect(byText.plans!.map(({ roles, when }) => [roles, when])).toEqual([
    [['admin', 'writer'], { text: 'value' }],
  ]);
  const unreadable = { ...byText, document: 'neither GraphQL nor anything else' };
  expect(JSON.parse(await run(unreadable, { text: 'two' }))).toEqual({ note: [{ id: 2 }] });
  await expect(run(byText, {})).rejects.toThrow("unexpected null value for type 'String'");
});

test('items of lists are never null', async () => {
  const tagged = { ...find('tagged'), document: 'neither GraphQL nor anything else' };
  expect(JSON.parse(await run(tagged, { tags: ['old'] }))).toEqual({ note: [] });
  await expect(run(tagged, { tags: ['old', null] })).rejects.toMatchObject({
    message: "unexpected null value for type 'String'",
    path: '$.selectionSet.note.args.where.tags._contains[1]',
  });
});

test('the error of a regular expression in the document has its path', async () => {
  const matching = { ...find('matching'), document: 'neither GraphQL nor anything else' };
  const place = '$.selectionSet.note.args.where._or';
  await expect(run(matching, {})).rejects.toMatchObject({
    code: 'data-exception',
    path: `${place}[0].text._regex`,
  });
  await expect(run(find('matching_twice'), {})).rejects.toMatchObject({ path: place });
});

test('a rule that can fail is asked only for the rows that lead to it', async () => {
  const related = { ...find('related'), document: 'neither GraphQL nor anything else' };
  expect(related.plans!.map(({ roles }) => roles)).toEqual([['admin', 'writer'], ['finder']]);
  await database.query(`insert into note values (101, 'no number'), (102, '1'), (103, '2')`);
  await database.query('insert into line values (21, 102), (22, 103), (121, 101)');
  expect(JSON.parse(await run(related, {}, 'finder'))).toEqual({
    line: [
      { id: 21, of: { id: 102 } },
      { id: 22, of: null },
    ],
  });
});
