/** All root fields of a mutation stand or fall together, whatever goes wrong in the middle, and the server goes on. */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { JsonObject } from '../../../runtime/metadata/metadata.ts';
import type { TestDatabase } from '../../harness/postgres.ts';
import { readRequestProject } from '../../harness/request-project.ts';
import { answerTo, replaceMetadata, serve, type TestServer } from '../../harness/server.ts';

let database: TestDatabase;
let server: TestServer;
let metadata: JsonObject;

/** Replaces the metadata by one with this isolation level. */
async function isolate(isolation_level: string): Promise<void> {
  const isolated = structuredClone(metadata) as unknown as {
    sources: [{ configuration: { connection_info: object } }];
  };
  Object.assign(isolated.sources[0].configuration.connection_info, { isolation_level });
  await replaceMetadata(server, isolated);
}

beforeAll(async () => {
  ({ database, metadata } = await readRequestProject('served/transactions'));
  server = await serve({ database, metadata });
});
afterAll(() => server?.stop());
beforeEach(() =>
  database.query(`truncate account, entry, part; insert into account values (1, 'a', 100), (2, 'b', 50)`),
);

const user = { 'x-engine-role': 'user', 'x-engine-user-id': 'a' };

const mutate = (query: string, headers: Record<string, string> = {}, variables: object = {}) =>
  answerTo(server, query, { headers, variables });

/** Code, path and message of a request that fails. */
async function failure(query: string, headers: Record<string, string> = {}): Promise<string[]> {
  const { data, errors } = await mutate(query, headers);
  expect(data).toBeUndefined();
  const { message, extensions } = errors![0]!;
  return [String(extensions.code), String(extensions.path), message];
}

/** Nothing was written, and the server answers the next request. */
async function expectNothingWritten(): Promise<void> {
  expect(await database.query('select id, owner, balance from account order by id')).toEqual([
    { id: 1, owner: 'a', balance: 100 },
    { id: 2, owner: 'b', balance: 50 },
  ]);
  expect(await database.query('select * from entry')).toEqual([]);
  expect(await database.query('select * from part')).toEqual([]);
  expect(await mutate('mutation { insert_entry_one(object: {note: "next"}) { note } }')).toEqual({
    data: { insert_entry_one: { note: 'next' } },
  });
}

/** What goes well, before and after the field in question. */
const around = (field: string) => `mutation {
  before: update_account(where: {owner: {_eq: "a"}}, _inc: {balance: 1}) { affected_rows }
  ${field}
  after: insert_entry(objects: [{note: "after", parts: {data: [{label: "x"}]}}]) { affected_rows }
}`;
const entry = (note: string) =>
  `insert_entry(objects: [{note: "good"}, {note: "${note}"}]) { affected_rows }`;

describe('a failure in the middle of a request', () => {
  test('by a constraint', async () => {
    expect(
      await failure(around('update_account(where: {}, _inc: {balance: -70}) { affected_rows }')),
    ).toEqual([
      'permission-error',
      '$',
      'Check constraint violation. new row for relation "account" violates check constraint "account_balance_check"',
    ]);
    await expectNothingWritten();
  });

  test('by a permission, of a row that is inserted or as it is after an update', async () => {
    const message = 'check constraint of an insert/update permission has failed';
    expect(await failure(around(entry('forbidden')), user)).toEqual([
      'permission-error',
      '$.selectionSet.insert_entry.args.objects',
      message,
    ]);
    await expectNothingWritten();
    await database.query('truncate entry, part');
    expect(
      await failure(around('update_account(where: {}, _set: {balance: 1001}) { affected_rows }'), user),
    ).toEqual(['permission-error', '$', message]);
    await expectNothingWritten();
  });

  test('by a nested object, the last of many', async () => {
    const nested = `insert_entry(objects: [
      {note: "one", parts: {data: [{label: "a"}]}}, {note: "two", parts: {data: [{label: "b"}, {label: null}]}}
    ]) { affected_rows }`;
    expect(await failure(around(nested), user)).toEqual([
      'constraint-violation',
      '$.selectionSet.insert_entry.args.objects[1].parts.data',
      'Not-NULL violation. null value in column "label" of relation "part" violates not-null constraint',
    ]);
    await expectNothingWritten();
  });

  test('by one of many updates', async () => {
    const many = `update_account_many(updates: [
      {where: {id: {_eq: 1}}, _set: {balance: 7}}, {where: {id: {_eq: 2}}, _set: {balance: -1}}
    ]) { affected_rows }`;
    expect((await failure(around(many)))[0]).toBe('permission-error');
    await expectNothingWritten();
  });

  test('by a trigger', async () => {
    expect(await failure(around(entry('raise')), user)).toEqual([
      'unexpected',
      '$.selectionSet.insert_entry.args.objects',
      'database query error',
    ]);
    await expectNothingWritten();
  });

  test('by a value of a later field that fits no type, before anything runs', async () => {
    expect((await failure(around('insert_entry(objects: [{note: 1.5e400000}]) { affected_rows }')))[0]).toBe(
      'parse-failed',
    );
    await expectNothingWritten();
  });
});

const UNKNOWN = 'connection error: it is not known whether anything was written';

describe('a connection that is killed', () => {
  test.each([
    ['in a single statement', `mutation { ${entry('kill')} }`],
    ['in the middle of a request', around(entry('kill'))],
    [
      'in a nested insert',
      'mutation { insert_entry(objects: [{note: "a", parts: {data: [{label: "x"}]}}, {note: "kill", parts: {data: [{label: "y"}]}}]) { affected_rows } }',
    ],
    ['at the end of a single statement', `mutation { ${entry('kill at commit')} }`],
    ['at the end of a request', around(entry('kill at commit'))],
  ])('%s', async (_where, query) => {
    expect(await failure(query, user)).toEqual(['postgres-error', '$', UNKNOWN]);
    await expectNothingWritten();
  });

  test('from outside, while others go on', async () => {
    const waiting = failure(around(entry('wait')), user);
    const others = Array.from({ length: 20 }, (_, index) =>
      mutate(`mutation { insert_entry_one(object: {note: "other ${index}"}) { note } }`),
    );
    for (const [index, answer] of (await Promise.all(others)).entries())
      expect(answer).toEqual({ data: { insert_entry_one: { note: `other ${index}` } } });
    const killed = () =>
      database.query(
        `select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and wait_event = 'PgSleep'`,
      );
    await expect.poll(async () => (await killed()).length).toBe(1);
    expect(await waiting).toEqual(['postgres-error', '$', UNKNOWN]);
    await database.query(`delete from entry where note like 'other %'`);
    await expectNothingWritten();
  });
});

describe('constraints that wait for the end', () => {
  test('fail the whole request, and no field in particular', async () => {
    const orphan = 'insert_entry(objects: [{note: "orphan", account_id: 9}]) { affected_rows }';
    const expected = [
      'constraint-violation',
      '$',
      'Foreign key violation. insert or update on table "entry" violates foreign key constraint "entry_account_id_fkey"',
    ];
    expect(await failure(`mutation { ${orphan} }`)).toEqual(expected);
    expect(await failure(around(orphan))).toEqual(expected);
    expect(
      await failure(
        'mutation { insert_entry_one(object: {note: "orphan", account_id: 9}) { note parts { label } } }',
      ),
    ).toEqual(expected);
    await expectNothingWritten();
  });

  test('let a request repair what it broke', async () => {
    const { data } = await mutate(`mutation {
      insert_entry(objects: [{note: "early", account_id: 3}]) { affected_rows }
      insert_account(objects: [{id: 3, owner: "c", balance: 0}]) { affected_rows }
    }`);
    expect(data).toEqual({ insert_entry: { affected_rows: 1 }, insert_account: { affected_rows: 1 } });
  });
});

describe('the isolation level of the source', () => {
  const shapes = {
    'one statement': 'mutation { insert_entry_one(object: {note: "n"}) { level } }',
    'a write and a read': 'mutation { insert_entry_one(object: {note: "n"}) { level parts { label } } }',
    'levels of objects':
      'mutation { insert_entry(objects: [{note: "n", parts: {data: [{label: "x"}]}}, {note: "n", parts: {data: [{label: "y"}]}}]) { returning { level } } }',
    'several fields': around('insert_entry(objects: [{note: "n"}]) { affected_rows }'),
  };
  const levels = async () => {
    const rows = await database.query<{ level: string }>('select distinct level from entry');
    return rows.map(({ level }) => level);
  };

  test.each([
    ['read-committed', 'read committed'],
    ['repeatable-read', 'repeatable read'],
    ['serializable', 'serializable'],
  ])('%s holds for every shape of request', async (isolation, level) => {
    await isolate(isolation);
    for (const query of Object.values(shapes)) expect(await mutate(query)).toHaveProperty('data');
    expect(await levels()).toEqual([level]);
    await replaceMetadata(server, metadata);
  });

  test('holds whatever the database does by default', async () => {
    const name = `"${database.name}"`;
    await database.query(`alter database ${name} set default_transaction_isolation = 'serializable'`);
    await database.query(`alter database ${name} set default_transaction_read_only = on`);
    // New connections, with the new defaults: of the source, and of the metadata.
    await database.query(`select pg_terminate_backend(pid, 5000) from pg_stat_activity
      where datname = current_database() and application_name like 'engine %'`);
    await isolate('repeatable-read');
    await replaceMetadata(server, metadata);
    for (const query of Object.values(shapes)) expect(await mutate(query)).toHaveProperty('data');
    const rows = await database.query<{ level: string }>('select distinct level from entry');
    expect(rows).toEqual([{ level: 'read committed' }]);
    await database.query(`set transaction read write; alter database ${name} reset all`);
    await isolate('repeatable-read');
    await replaceMetadata(server, metadata);
  });
});

describe('errors by SQLSTATE', () => {
  test.each([
    ['40001', 'concurrent-update', 'the inner secret'],
    ['40P01', 'concurrent-update', 'the inner secret'],
    ['22003', 'data-exception', 'the inner secret'],
    ['22P02', 'data-exception', 'the inner secret'],
    ['23505', 'constraint-violation', 'Uniqueness violation. the inner secret'],
    ['23514', 'permission-error', 'Check constraint violation. the inner secret'],
    ['P0001', 'unexpected', 'database query error'],
    ['42501', 'unexpected', 'database query error'],
    ['XX000', 'unexpected', 'database query error'],
    ['53200', 'unexpected', 'database query error'],
    ['57014', 'unexpected', 'database query error'],
  ])('%s is %s', async (state, code, message) => {
    expect(await failure(`mutation { ${entry(`state ${state}`)} }`, user)).toEqual([
      code,
      '$.selectionSet.insert_entry.args.objects',
      message,
    ]);
  });

  test('what Postgres says beyond the message is for administrators', async () => {
    const query = `mutation { ${entry('raise')} }`;
    const { errors: seen } = await mutate(query, user);
    expect(seen).toEqual([
      {
        message: 'database query error',
        extensions: { path: '$.selectionSet.insert_entry.args.objects', code: 'unexpected' },
      },
    ]);
    const { errors } = await mutate(query);
    expect(errors![0]!.extensions.internal).toMatchObject({
      error: { message: 'the inner secret', description: 'a secret detail', hint: 'a secret hint' },
    });
  });
});
