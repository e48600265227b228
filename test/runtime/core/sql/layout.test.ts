import { expect, test } from 'vitest';
import {
  builtIn,
  identifier,
  literal,
  parameter,
  raw,
  type Sql,
  sql,
} from '../../../../runtime/core/sql/fragment.ts';
import { printSaved } from '../../../../runtime/core/sql/print.ts';
import {
  aliasNamed,
  columnOf,
  comparisonOf,
  conjunction,
  insertInto,
  jsonList,
  nested,
  selectStatement,
  tableNamed,
  withItem,
} from '../../../../runtime/core/sql/statement.ts';

const note = aliasNamed('note#1');
const NOTE = tableNamed('public', 'note');
const id = parameter({ from: 'variable', name: 'id', path: '' }, 'integer');
const lines = (statement: Sql) => printSaved(statement, () => '{$id::integer}').split('\n');

const condition = conjunction([
  comparisonOf(columnOf(note, 'owner_id'), '=', id),
  comparisonOf(columnOf(note, 'text'), 'like', literal("from  where ( and's")),
  comparisonOf(columnOf(note, 'and ('), 'is distinct from', literal("it's  (\\ {")),
]);

test('a statement is broken before its clauses, and deeper where it is long', () => {
  const rows = selectStatement({
    columns: sql`${columnOf(note, 'id')} as "id"`,
    from: [{ rows: NOTE, alias: note }],
    where: [nested(condition)],
    order: [sql`${columnOf(note, 'id')} asc`],
    limit: builtIn('least', id, raw('100')),
  });
  const list = selectStatement({
    columns: builtIn('coalesce', jsonList(sql`"note#2".*`), raw("'[]'")),
    from: [{ rows: nested(rows), alias: identifier('note#2') }],
  });
  expect(lines(selectStatement({ columns: sql`${nested(list)}::text` }))).toEqual(
    `select (
  select coalesce(pg_catalog.json_agg("note#2".*), '[]')
  from (
    select "note#1"."id" as "id"
    from "public"."note" as "note#1"
    where (
      "note#1"."owner_id" = {$id::integer}
      and "note#1"."text" like 'from  where ( and''s'
      and "note#1"."and (" is distinct from  E'it''s  (\\\\ {{'
    )
    order by "note#1"."id" asc
    limit least({$id::integer}, 100)
  ) as "note#2"
)::text`.split('\n'),
  );
});

test('what writes is broken before each of its clauses, a long list behind its commas', () => {
  const columns = [
    'id',
    'a rather long name of a column',
    'another long name of a column',
    'and one more long name',
  ];
  const write = insertInto({
    table: NOTE,
    alias: note,
    columns: columns.map((column) => identifier(column)),
    source: sql`values ${nested(id)}`,
    conflict: {
      target: nested(identifier('id')),
      set: [{ column: 'text', value: sql`excluded."text"` }],
      where: [condition],
    },
  });
  const statement = withItem({
    name: aliasNamed('written'),
    item: write,
    returning: sql`${note}.*`,
    statement: selectStatement({ columns: raw('1'), from: [{ rows: aliasNamed('written') }] }),
  });
  expect(lines(statement)).toEqual(
    `with "written" as (
  insert into "public"."note" as "note#1" (
    "id",
    "a rather long name of a column",
    "another long name of a column",
    "and one more long name"
  )
  values ({$id::integer})
  on conflict ("id") do update
  set "text" = excluded."text"
  where "note#1"."owner_id" = {$id::integer}
    and "note#1"."text" like 'from  where ( and''s'
    and "note#1"."and (" is distinct from  E'it''s  (\\\\ {{'
  returning "note#1".*
)
select 1
from "written"`.split('\n'),
  );
});
