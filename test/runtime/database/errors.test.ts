import { expect, test } from 'vitest';
import { EngineError } from '../../../runtime/core/errors.ts';
import { databaseError } from '../../../runtime/database/errors.ts';
import { createTestDatabase } from '../../harness/postgres.ts';
import { openSource } from '../../harness/source.ts';

const schema = `
  create type pair as (a int, j json);
  create collation loose (provider = icu, locale = 'und', deterministic = false);
  create extension btree_gist;
  create table parent (id int primary key);
  create table child (
    id int primary key,
    parent_id int not null references parent,
    amount int not null check (amount > 0),
    during int4range,
    exclude using gist (during with &&)
  );
  create table strict_child (parent_id int references parent on delete restrict);
  insert into parent values (1), (2);
  insert into child values (1, 1, 1, '[1,5)');
  insert into strict_child values (2);
  create function calls_nothing() returns int language plpgsql as $$ begin return nothing(1); end $$;
  create view positive as select * from parent where id > 0 with check option;
  create materialized view empty_view as select * from parent with no data;
  create table late (id int primary key deferrable);
  create view summary as select count(*) from parent;
  create table measured (day int, value int) partition by list (day);
  create table measured_1 partition of measured for values in (1);
  create table numbered (id int generated always as identity);
  create domain positive_number as int check (value > 0);
  create function reads_nothing() returns int language plpgsql as $$ begin return (select a from nothing); end $$;
  create function writes() returns void language plpgsql as $$ begin insert into parent values (9); end $$;
  create function conflicts() returns int language plpgsql as
    $$ begin raise exception 'could not serialize access due to a test' using errcode = '40001'; end $$;
  create function refuse() returns int language plpgsql as $$ begin raise exception 'refused by the business'; end $$;
`;

const GONE =
  'database query error: the database was changed since its tables were read, and something that the statement names is gone; run reload_metadata and correct what get_inconsistent_metadata lists';

test.each([
  [
    'insert into child values (2, null, 1)',
    'constraint-violation',
    400,
    'Not-NULL violation. null value in column "parent_id" of relation "child" violates not-null constraint',
  ],
  [
    'insert into child values (2, 9, 1)',
    'constraint-violation',
    400,
    'Foreign key violation. insert or update on table "child" violates foreign key constraint "child_parent_id_fkey"',
  ],
  [
    'insert into child values (1, 1, 1)',
    'constraint-violation',
    400,
    'Uniqueness violation. duplicate key value violates unique constraint "child_pkey"',
  ],
  [
    `insert into child values (2, 1, 1, '[2,3)')`,
    'constraint-violation',
    400,
    'Exclusion violation. conflicting key value violates exclusion constraint "child_during_excl"',
  ],
  [
    'insert into child values (2, 1, 0)',
    'permission-error',
    400,
    'Check constraint violation. new row for relation "child" violates check constraint "child_amount_check"',
  ],
  [`select 'x'::uuid`, 'data-exception', 400, 'invalid input syntax for type uuid: "x"'],
  ['select 1 / 0', 'data-exception', 400, 'division by zero'],
  [`select 'ab' like 'a\\'`, 'bad-request', 400, 'LIKE pattern must not end with escape character'],
  [
    'insert into child values (1, 1, 1) on conflict (amount) do nothing',
    'constraint-error',
    400,
    'there is no unique or exclusion constraint on target column(s)',
  ],
  [
    `insert into parent values (3), (3) on conflict (id) do update set id = excluded.id`,
    'data-exception',
    400,
    'ON CONFLICT DO UPDATE command cannot affect row a second time: two of the objects have one key; send each key once',
  ],
  [`select 'a &'::text::tsquery`, 'data-exception', 400, 'no operand in tsquery: "a &"'],
  [`select '$['::text::jsonpath`, 'data-exception', 400, 'syntax error at end of jsonpath input'],
  [
    `select repeat('a', 3000)::tsvector`,
    'data-exception',
    400,
    'word is too long (3000 bytes, max 2046 bytes)',
  ],
  [`select '{}'::json = '{}'::json`, 'not-supported', 400, 'operator does not exist: json = json'],
  [
    `select '08:00:2b:01:02:03'::macaddr8 = '08:00:2b:01:02:03'::macaddr`,
    'not-supported',
    400,
    'operator is not unique: macaddr8 = macaddr',
  ],
  [
    `select a = b from (select 'x'::text collate "C" as a, 'x'::text collate "POSIX" as b offset 0) r`,
    'not-supported',
    400,
    'could not determine which collation to use for string comparison',
  ],
  ['select min(a) from (values (true)) r(a)', 'not-supported', 400, 'function min(boolean) does not exist'],
  [
    `select (1, '{}'::json)::pair = (1, '{}'::json)::pair`,
    'not-supported',
    400,
    'could not identify an equality operator for type json',
  ],
  [
    `select n ilike 'a%' from (values ('a' collate loose)) r(n)`,
    'not-supported',
    400,
    'nondeterministic collations are not supported for ILIKE',
  ],
  ['select calls_nothing()', 'unexpected', 500, 'database query error'],
  ['select (', 'unexpected', 500, 'database query error'],
  ['select refuse()', 'unexpected', 500, 'database query error'],
  ['select * from nowhere', 'unexpected', 500, GONE],
  ['select gone from parent', 'unexpected', 500, GONE],
  ['select reads_nothing()', 'unexpected', 500, 'database query error'],
  [
    'insert into positive values (-1)',
    'permission-error',
    400,
    'Check option violation. new row violates check option for view "positive": the view would not show the row; write one that its condition includes',
  ],
  [
    'select * from empty_view',
    'not-supported',
    400,
    'materialized view "empty_view" has not been populated: run REFRESH MATERIALIZED VIEW on it',
  ],
  [
    'insert into late values (1) on conflict (id) do nothing',
    'constraint-error',
    400,
    'ON CONFLICT does not support deferrable unique constraints/exclusion constraints as arbiters: name another constraint in on_conflict, or make this one not deferrable',
  ],
  [
    'insert into summary values (1)',
    'not-supported',
    400,
    'cannot insert into view "summary": write to the tables below it, or give it an INSTEAD OF trigger',
  ],
  [
    'insert into measured values (7, 1)',
    'constraint-violation',
    400,
    'No partition takes the row. no partition of relation "measured" found for row: create a partition for the values of its key',
  ],
  [
    'insert into measured_1 values (2, 1)',
    'constraint-violation',
    400,
    'Partition constraint violation. new row for relation "measured_1" violates partition constraint: write to the partitioned table instead',
  ],
  [
    'insert into numbered values (1)',
    'data-exception',
    400,
    'cannot insert a non-DEFAULT value into column "id": the database computes it; leave the column out',
  ],
  [
    `select 5::positive_number, (-5)::positive_number`,
    'permission-error',
    400,
    'Check constraint violation. value for domain positive_number violates check constraint "positive_number_check"',
  ],
  [
    `begin read only; insert into parent values (9)`,
    'not-supported',
    400,
    'cannot execute INSERT in a read-only transaction: the database is a standby, or read-only by its settings; connect the source to a server that takes writes',
  ],
  [
    `begin read only; select writes()`,
    'not-supported',
    400,
    'cannot execute INSERT in a read-only transaction: a function that only reads must not write; declare it VOLATILE and track it as a mutation',
  ],
  [
    `set local role pg_monitor; select * from parent`,
    'unexpected',
    500,
    'database query error: the account that the source connects with lacks a privilege; grant it (administrators and the log see which)',
  ],
  [
    `set local statement_timeout = 20; select pg_sleep(20)`,
    'timeout',
    500,
    'the database cancelled the statement: it ran longer than its statement_timeout, or an administrator ended it; select less or add an index',
  ],
  [
    `do $$ begin raise exception 'no' using errcode = '57014'; end $$`,
    'unexpected',
    500,
    'database query error',
  ],
  [
    `do $$ begin raise exception 'no' using errcode = '55000'; end $$`,
    'unexpected',
    500,
    'database query error',
  ],
  [
    `begin isolation level serializable; do $$ begin perform 1; end $$; select conflicts()`,
    'concurrent-update',
    400,
    'could not serialize access due to a test',
  ],
  [`do $$ begin raise exception 'again' using errcode = '40001'; end $$`, 'concurrent-update', 400, 'again'],
])('%s', async (sql, code, status, message) => {
  const database = await createTestDatabase(schema);
  const thrown: unknown = await database.query(sql).then(
    () => undefined,
    (error: unknown) => error,
  );
  const error = databaseError(thrown, { text: sql, values: ['a', null] }, '$.selectionSet.x');
  expect(error).toBeInstanceOf(EngineError);
  expect(error).toMatchObject({ code, status, message, path: '$.selectionSet.x' });
  expect((error as EngineError).internal).toMatchObject({
    statement: sql,
    prepared: true,
    arguments: ['(Oid 0,Just ("a",Text))', '(Null)'],
    error: { exec_status: 'FatalError', status_code: (thrown as { code: string }).code },
  });
});

test('a database that cannot be reached is a connection error, without its address', async () => {
  const { url } = await createTestDatabase();
  const source = openSource(`${url}_missing`);
  const thrown: unknown = await source.readTexts({ text: 'select 1' }, []).catch((error: unknown) => error);
  const error = databaseError(thrown) as EngineError;
  expect(error).toMatchObject({ code: 'postgres-error', message: 'connection error', status: 500 });
  expect(error.internal).toBeUndefined();
  await source.end();
});

test('other errors stay as they are', () => {
  const defect = new TypeError('x is undefined');
  expect(databaseError(defect)).toBe(defect);
  const known = new EngineError('not-found', 'missing');
  expect(databaseError(known)).toBe(known);
});
