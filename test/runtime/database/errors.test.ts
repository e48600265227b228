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
  create function refuse() returns int language plpgsql as $$ begin raise exception 'refused by the business'; end $$;
`;

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
    'ON CONFLICT DO UPDATE command cannot affect row a second time',
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
  ['select * from nowhere', 'unexpected', 500, 'database query error'],
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
