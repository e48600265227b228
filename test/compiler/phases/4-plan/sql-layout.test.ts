import { expect, test } from 'vitest';
import { layOut } from '../../../../compiler/phases/4-plan/sql-layout.ts';

const condition = `"note#1"."owner_id" = ($1)::integer and "note#1"."text" like 'from  where ( and''s' and "note#1"."and (" is distinct from E'it\\'s  (\\\\'`;

/** Without the white space outside of quotes, which is all that may change. */
function tokens(sql: string): string {
  return sql.replace(/E'(?:[^'\\]|\\.|'')*'|'(?:[^']|'')*'|"(?:[^"]|"")*"|\s+/g, (match) =>
    match.trim() === '' ? ' ' : match,
  );
}

const squeezed = (sql: string) => tokens(sql).replaceAll('( ', '(').replaceAll(' )', ')').trim();

test('a statement is broken before its clauses, and deeper where it is long', () => {
  const sql = `select (select coalesce(json_agg("note#2"), '[]') from (select "note#1"."id" as "id" from "public"."note" as "note#1" where (${condition}) order by "note#1"."id" asc limit least(($2)::bigint, 100)) as "note#2")::text`;
  expect(layOut(sql, '  ')).toBe(`
  select (
    select coalesce(json_agg("note#2"), '[]')
    from (
      select "note#1"."id" as "id"
      from "public"."note" as "note#1"
      where (
        "note#1"."owner_id" = ($1)::integer
        and "note#1"."text" like 'from  where ( and''s'
        and "note#1"."and (" is distinct from E'it\\'s  (\\\\'
      )
      order by "note#1"."id" asc
      limit least(($2)::bigint, 100)
    ) as "note#2"
  )::text
`);
});

test.each([
  `with "written" as (insert into "public"."note" as "note#1" ("id", "text") values (($1)::integer, ($2)::text) on conflict ("id") do update set "text" = excluded."text" where ${condition} returning "note#1".*, (${condition}) as "engine check") select coalesce((select bool_and(coalesce("engine check", false)) from "written"), true)::text, (select count(*) from "written")::text`,
  `select "given"."a"::text from unnest(($1)::text[], ($2)::text[]) with ordinality as "given" ("a", "b") left join "x" on left("a", 1) = 'E' cross join lateral (select array[1,2]||array[3]) as "y" where "a"->>'b' ?| array['c'] and "n" between -1.5 and 1e10 order by 1 nulls last offset ($3)::bigint`,
  `select "größe", naïve_function('ü', "ß") from "straße" where "größe" > 1 and ${condition} and ${condition}`,
])('nothing but white space changes', (sql) => {
  const laidOut = layOut(sql, '    ');
  expect(laidOut.split('\n').length).toBeGreaterThan(3);
  expect(squeezed(laidOut)).toBe(squeezed(sql));
});

test('a text that it cannot read for sure stays as it is', () => {
  for (const sql of ['select 1 -- (', 'select (1', "select 'open", 'select 1 /* ) */', 'select 1)'])
    expect(layOut(sql, '  ')).toBe(sql);
});
