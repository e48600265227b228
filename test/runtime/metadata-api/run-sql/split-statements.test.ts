import { expect, test } from 'vitest';
import { splitStatements } from '../../../../runtime/metadata-api/run-sql/split-statements.ts';

const cases: readonly (readonly [string, readonly string[]])[] = [
  ['select 1', ['select 1']],
  ['select 1; select 2;', ['select 1', ' select 2']],
  [" ; -- nothing; here\n ; select ';'", [" select ';'"]],
  [`select "a;b", 'it''s;', E'\\';' ; select 2`, [`select "a;b", 'it''s;', E'\\';' `, ' select 2']],
  ['select $$a;b$$; select $x$;$$;$x$', ['select $$a;b$$', ' select $x$;$$;$x$']],
  ['/* a; /* b; */ c; */ select 1; select 2', ['/* a; /* b; */ c; */ select 1', ' select 2']],
  [
    'create function f() returns int begin atomic select 1; select case when true then 1 end; end; select 2',
    [
      'create function f() returns int begin atomic select 1; select case when true then 1 end; end',
      ' select 2',
    ],
  ],
  ['begin; select 1; end', ['begin', ' select 1', ' end']],
  [
    'create rule r as on delete to t do instead (select 1; select (2);); select 2',
    ['create rule r as on delete to t do instead (select 1; select (2);)', ' select 2'],
  ],
  ['select 1); select 2', ['select 1)', ' select 2']],
  ['-- no end\rcommit; select 1', ['-- no end\rcommit', ' select 1']],
  ['/* nothing */; select 1', [' select 1']],
  ["select 'open; select 2", ["select 'open; select 2"]],
];

test.each(cases)('%s', (sql, statements) => {
  expect(splitStatements(sql)).toEqual(statements);
});
