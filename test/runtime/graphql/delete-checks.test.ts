/** Checks of deleted rows through a server, by every way that deletes: a row that does not pass keeps all rows where they are. */
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import type { JsonObject } from '../../../runtime/metadata/metadata.ts';
import { type TestDatabase, withClient } from '../../harness/postgres.ts';
import { readRequestProject } from '../../harness/request-project.ts';
import { replaceMetadata, send, serve, type TestServer } from '../../harness/server.ts';

let database: TestDatabase;
let server: TestServer;
let restore: string;
let metadata: JsonObject;

const SAVED = {
  query_collections: [
    {
      name: 'saved',
      definition: {
        queries: [
          {
            name: 'Remove',
            query:
              'mutation Remove($id: Int!) { delete_project(where: { id: { _eq: $id } }) { affected_rows } }',
          },
        ],
      },
    },
  ],
  rest_endpoints: [
    {
      name: 'Remove',
      url: 'project/:id',
      methods: ['DELETE'],
      definition: { query: { collection_name: 'saved', query_name: 'Remove' } },
    },
  ],
};

beforeAll(async () => {
  const project = await readRequestProject('writing/delete-checks');
  ({ database } = project);
  metadata = { ...project.metadata, ...SAVED };
  restore = `truncate project, task, invoice, entry, guarded; ${project.rows}`;
  server = await serve({
    database,
    metadata,
    options: { EXPERIMENTAL_FEATURES: 'nested_updates', DEV_MODE: 'true' },
  });
});
afterAll(() => server?.stop());
beforeEach(() => database.query(restore));

const TABLES = ['project', 'task', 'invoice', 'entry', 'guarded'];

async function allRows(): Promise<unknown> {
  const rows: Record<string, unknown> = {};
  for (const table of TABLES)
    rows[table] = await database.query(`select t::text as row from ${table} as t order by 1`);
  return rows;
}

interface Answer {
  readonly data?: Record<string, unknown>;
  readonly errors?: readonly {
    readonly message: string;
    readonly extensions: { readonly code: string; readonly path: string; readonly reason?: unknown };
  }[];
}

async function ask(role: string, query: string, path = '/v1/graphql', session: object = {}): Promise<Answer> {
  const headers = { 'x-engine-role': role, 'x-engine-user': 'ann', ...session };
  return (await send(server, path, { body: { query }, headers })).json as Answer;
}

const MESSAGE = 'check constraint of a delete permission has failed';
const ids = (...list: number[]) => `where: { id: { _in: [${list.join(', ')}] } }`;
const project = (where: string) => `mutation { delete_project(${where}) { affected_rows } }`;

test.each<[what: string, role: string, query: string, session?: object]>([
  ['one row', 'owner', project(ids(2))],
  ['one of two rows', 'owner', project(ids(2, 5))],
  ['all rows', 'owner', project('where: {}')],
  ['a row by key', 'owner', 'mutation { delete_project_by_pk(id: 2) { id } }'],
  ['a row that the role may not select', 'session', project(ids(3)), { 'x-engine-users': '{bob}' }],
  [
    'the answer with relationships',
    'owner',
    `mutation { delete_project(${ids(2)}) { returning { id tasks { id } } } }`,
  ],
  [
    'a later field',
    'owner',
    `mutation { a: delete_task(${ids(1)}) { affected_rows } b: delete_project(${ids(2)}) { affected_rows } }`,
  ],
  [
    'an earlier field',
    'owner',
    `mutation { b: delete_project(${ids(2)}) { affected_rows } a: delete_task(${ids(1)}) { affected_rows } }`,
  ],
  ['a column that is null', 'owner', `mutation { delete_task(${ids(2)}) { affected_rows } }`],
  ['rows that refer to it', 'childless', project(ids(1))],
  ['another condition of two', 'childless', project(ids(6))],
  ['a row that it refers to', 'parting', project(ids(5, 2))],
  ['a reference that is null', 'parting', project(ids(2))],
  ['rows of the same table', 'whole', project(ids(4))],
  ['rows of the same table that go with it', 'whole', project(ids(4, 6))],
  ['a computed field', 'counting', project(ids(1, 3))],
  ['a list of the session', 'session', project(ids(1, 4)), { 'x-engine-users': '{ann}' }],
  ['no row of another table', 'existing', project(ids(3)), { 'x-engine-user': 'nobody' }],
  ['never', 'nobody', project(ids(3))],
  [
    'a parent of another',
    'ours',
    `mutation { delete_task(${ids(1)}) { affected_rows } }`,
    { 'x-engine-user': 'bob' },
  ],
  ['a view', 'owner', `mutation { delete_open_project(where: { id: { _in: [2, 5] } }) { affected_rows } }`],
  ['a view with a trigger', 'owner', `mutation { delete_assignment(${ids(1, 3)}) { affected_rows } }`],
  ['a view with a trigger, of null', 'owner', `mutation { delete_assignment(${ids(2)}) { affected_rows } }`],
  ['a partition', 'owner', 'mutation { delete_entry(where: { id: { _lte: 3 } }) { affected_rows } }'],
  [
    'null of a partition',
    'owner',
    'mutation { delete_entry(where: { note: { _is_null: true } }) { affected_rows } }',
  ],
  [
    'a table with a trigger',
    'owner',
    'mutation { a: delete_guarded(where: {}) { affected_rows } b: delete_project(where: { id: { _eq: 6 } }) { affected_rows } }',
  ],
  ['an inherited role', 'both', project(ids(2))],
  [
    'fragments and aliases',
    'owner',
    `mutation { x: delete_project(${ids(2)}) { ...A } } fragment A on project_mutation_response { n: affected_rows }`,
  ],
  [
    'a directive',
    'owner',
    `mutation { delete_project(${ids(2)}) { affected_rows @include(if: true) returning @skip(if: true) { id } } }`,
  ],
  ['only the type name', 'owner', `mutation { delete_project(${ids(2)}) { __typename } }`],
])('a check refuses %s, and nothing is deleted', async (_, role, query, session) => {
  const before = await allRows();
  const { data, errors } = await ask(role, query, '/v1/graphql', session);
  expect(data).toBeUndefined();
  expect(errors?.map(({ message, extensions: { code, path } }) => [code, path, message])).toEqual([
    ['permission-error', '$', MESSAGE],
  ]);
  expect(await allRows()).toEqual(before);
});

test.each<[what: string, role: string, query: string, affected: number, session?: object]>([
  ['a row that passes', 'owner', project(ids(5)), 1],
  ['rows that the filter leaves out', 'owner', project(ids(4)), 0],
  ['no row', 'nobody', project(ids(99)), 0],
  ['rows without those that refer to them', 'childless', project(ids(3, 5)), 2],
  ['rows that cascade, which are not checked', 'owner', project(ids(1)), 1],
  ['rows whose parent passes', 'parting', project(ids(5)), 1],
  ['a check that demands nothing', 'open', project(ids(2)), 1],
  ['a check that is null', 'remover', project(ids(2)), 1],
  ['no check of admin', 'admin', project(ids(2)), 1],
  ['a computed field that passes', 'counting', project(ids(3)), 1],
  ['the view', 'owner', 'mutation { delete_open_project(where: { id: { _eq: 5 } }) { affected_rows } }', 1],
  ['the view with a trigger', 'owner', `mutation { delete_assignment(${ids(1)}) { affected_rows } }`, 1],
  [
    'a row that a trigger keeps, whatever the check',
    'owner',
    'mutation { delete_guarded(where: {}) { affected_rows } }',
    2,
  ],
  ['the session', 'session', project(ids(4)), 1, { 'x-engine-users': '{bob}' }],
])('a check lets through %s', async (_, role, query, affected, session) => {
  const answer = await ask(role, query, '/v1/graphql', session);
  const [first] = Object.values(answer.data ?? {});
  expect(first, JSON.stringify(answer)).toEqual({ affected_rows: affected });
});

test('a variable that the check names and the session lacks fails the request', async () => {
  const { errors } = await ask('session', project(ids(1)));
  expect(errors?.[0]?.extensions.code).toBe('not-found');
});

test('rows that the role may not delete are unknown to the check', async () => {
  expect(await ask('owner', project(ids(4, 99)))).toEqual({ data: { delete_project: { affected_rows: 0 } } });
});

test('a check for the backend only goes with its permission', async () => {
  expect((await ask('counted', project(ids(2)))).errors?.[0]?.extensions.code).toBe('validation-failed');
});

test('related deletes are checked at their place', async () => {
  const before = await allRows();
  const { errors } = await ask(
    'owner',
    `mutation { update_project_by_pk(pk_columns: { id: 1 }, _set: { state: "x" }, related: { tasks: { delete: { where: {} } } }) { id } }`,
  );
  expect(errors?.[0]).toMatchObject({
    message: MESSAGE,
    extensions: {
      code: 'permission-error',
      path: '$.selectionSet.update_project_by_pk.args.related.tasks.delete',
    },
  });
  expect(await allRows()).toEqual(before);
});

test('saved operations and REST endpoints check', async () => {
  const remove = (id: number, role = 'owner') =>
    send(server, `/api/rest/project/${id}`, {
      method: 'DELETE',
      headers: { 'x-engine-role': role, 'x-engine-user': 'ann' },
    });
  expect((await remove(2)).json).toMatchObject({ code: 'permission-error', error: MESSAGE });
  expect((await remove(5)).json).toEqual({ delete_project: { affected_rows: 1 } });
  expect((await remove(1, 'childless')).json).toMatchObject({ code: 'permission-error' });
  expect((await remove(2, 'admin')).json).toEqual({ delete_project: { affected_rows: 1 } });
});

test('the API for Relay clients checks', async () => {
  expect((await ask('owner', project(ids(2)), '/v1beta1/relay')).errors?.[0]?.message).toBe(MESSAGE);
});

test('the legacy data operation checks', async () => {
  const remove = async (id: number) =>
    (
      await send(server, '/v1/query', {
        headers: { 'x-engine-role': 'owner', 'x-engine-user': 'ann' },
        body: { type: 'delete', args: { table: 'project', where: { id } } },
      })
    ).json;
  expect(await remove(2)).toMatchObject({ code: 'permission-error', error: MESSAGE });
  expect(await remove(5)).toMatchObject({ affected_rows: 1 });
});

test('the row is checked as it is when its lock is granted', async () => {
  const remove = (id: number) => ask('owner', project(ids(id)));
  const race = async (id: number, state: string) => {
    await database.query(restore);
    return await withClient(database.url, async (change) => {
      await change.query('begin');
      await change.query('update project set state = $1 where id = $2', [state, id]);
      const answer = remove(id);
      await expect
        .poll(
          () =>
            database.query(
              `select from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()`,
            ),
          { timeout: 30_000 },
        )
        .toHaveLength(1);
      await change.query('commit');
      return await answer;
    });
  };
  expect((await race(5, 'open')).errors?.[0]?.message).toBe(MESSAGE);
  expect(await race(2, 'done')).toEqual({ data: { delete_project: { affected_rows: 1 } } });
});

test('an inherited role has a check only where its parents agree', async () => {
  const { inherited_roles: roles = [], ...rest } = metadata as { inherited_roles?: readonly object[] };
  const disagreeing = { role_name: 'neither', role_set: ['owner', 'remover'] };
  await expect(
    replaceMetadata(server, { ...rest, inherited_roles: [...roles, disagreeing] }),
  ).rejects.toThrow('inherited role permission inconsistency');
  expect((await ask('neither', project(ids(2)))).errors?.[0]?.extensions.code).toBe('validation-failed');
  await replaceMetadata(server, metadata);
});

test('the metadata API sets, exports and drops a check', async () => {
  const request = async (type: string, args: object) =>
    (await send(server, '/v1/metadata', { body: { type, args } })).json;
  const args = { table: 'invoice', role: 'clerk', source: 'default' };
  const permission = { filter: {}, check: { id: { _gt: 1 } } };
  await request('pg_create_delete_permission', { ...args, permission });
  const remove = () => ask('clerk', 'mutation { delete_invoice(where: {}) { affected_rows } }');
  expect((await remove()).errors?.[0]?.message).toBe(MESSAGE);
  expect(JSON.stringify(await request('export_metadata', {}))).toContain('"check":{"id":{"_gt":1}}');
  await request('pg_drop_delete_permission', args);
  expect((await remove()).errors?.[0]?.extensions.code).toBe('validation-failed');
});
