import { expect, test } from 'vitest';
import { compileSelect } from '../../../harness/project.ts';

/** The row rule of a permission with this filter. */
function rule(filter: object): string {
  const { state, diagnostics } = compileSelect({ filter });
  expect(diagnostics).toEqual([]);
  return state.plan.sources[0]!.tables[0]!.access.select!.user!.where;
}

test.each<[string, object, string]>([
  ['nothing', {}, 'true'],
  ['a bare value', { title: 'x' }, `{row}."title" = 'x'`],
  ['an operator', { id: { _gt: 5 } }, '{row}."id" > 5'],
  ['several operators of a column', { id: { _lte: 9, _gte: 5 } }, '{row}."id" >= 5 and {row}."id" <= 9'],
  ['several columns', { title: 'x', id: 1 }, `{row}."id" = 1 and {row}."title" = 'x'`],
  ['booleans', { is_published: true }, '{row}."is_published" = true'],
  ['an exact fraction', { price: { _lt: 1.5 } }, '{row}."price" < 1.5'],
  ['a binary fraction', { rating: { _lt: 1.5 } }, `{row}."rating" < '1.5'::real`],
  ['a time', { published_on: { _lt: 'now' } }, '{row}."published_on" < now()'],
  ['a moment', { published_on: { _lt: 'today' } }, `{row}."published_on" < 'today'::text::timestamptz`],
  ['an enum value', { mood: 'sad' }, `{row}."mood" = 'sad'`],
  ['a text of an extension', { code: 'A' }, `{row}."code" = 'A'`],
  [
    'an array',
    { tags: { _contains: ['a', 'b'] } },
    `{row}."tags" operator(pg_catalog.@>) array['a', 'b']::text[]`,
  ],
  ['a document, its braces doubled', { meta: { _contains: { a: 1 } } }, `{row}."meta" @> '{{"a":1}}'::jsonb`],
  ['keys of a document', { meta: { _has_any_keys: ['a'] } }, `{row}."meta" ?| array['a']::text[]`],
  ['a cast', { meta: { _cast: { String: { _like: '%a%' } } } }, `{row}."meta"::text like '%a%'`],
  ['a type of the same extension', { place: { _matches: 'a.*' } }, `{row}."place" ~ 'a.*'`],
  ['quotes in a literal', { title: "it's" }, `{row}."title" = 'it''s'`],
  [
    'a session variable, any case',
    { id: 'X-ENGINE-User-Id' },
    '{row}."id" = {session.x-engine-user-id::integer}',
  ],
  ['the older session variable', { id: 'REQ_USER_ID' }, '{row}."id" = {session.x-engine-user-id::integer}'],
  ['a list', { title: { _in: ['a', 'b'] } }, `{row}."title" in ('a', 'b')`],
  ['an empty list', { title: { _in: [] } }, 'false'],
  ['an empty excluded list', { title: { _nin: [] } }, 'true'],
  [
    'a list with a session variable in it',
    { id: { _in: [1, 'X-Engine-Id'] } },
    '{row}."id" in (1, {session.x-engine-id::integer})',
  ],
  [
    'a list in a session variable',
    { id: { _in: 'X-Engine-Ids' } },
    '{row}."id" = any ({session.x-engine-ids::integer[]})',
  ],
  [
    'an excluded list in a session variable',
    { id: { _nin: 'X-Engine-Ids' } },
    '{row}."id" <> all ({session.x-engine-ids::integer[]})',
  ],
  ['null', { subtitle: { _eq: null } }, '{row}."subtitle" is null'],
  ['not null', { subtitle: { _is_null: false } }, '{row}."subtitle" is not null'],
  ['equality of a nullable column', { subtitle: 'x' }, `{row}."subtitle" = 'x'`],
  ['inequality of a nullable column', { subtitle: { _neq: 'x' } }, `{row}."subtitle" is distinct from 'x'`],
  ['inequality of another column', { title: { _ne: 'x' } }, `{row}."title" <> 'x'`],
  ['two columns', { author_id: { _ceq: 'editor_id' } }, '{row}."author_id" = {row}."editor_id"'],
  [
    'and within or',
    { _or: [{ id: 1, title: 'x' }, { id: 2 }] },
    `({row}."id" = 1 and {row}."title" = 'x') or {row}."id" = 2`,
  ],
  [
    'or within and',
    { _and: [{ id: 1 }, { $or: [{ id: 2 }, { id: 3 }] }] },
    '{row}."id" = 1 and ({row}."id" = 2 or {row}."id" = 3)',
  ],
  ['and within and', { _and: [{ id: 1 }, { _and: [{ id: 2 }] }] }, '{row}."id" = 1 and {row}."id" = 2'],
  ['no alternative', { _or: [] }, 'false'],
  ['no condition', { _and: [] }, 'true'],
  ['not', { _not: { id: 1 } }, 'not ({row}."id" = 1)'],
  ['not, in the older spelling', { not: { id: { $eq: 1 } } }, 'not ({row}."id" = 1)'],
  ['never', { _not: {} }, 'not (true)'],
  [
    'any row of a table',
    { _exists: { _table: 'member', _where: { user_id: 'X-Engine-User-Id' } } },
    'exists (select 1 from "public"."member" as "_r1" where "_r1"."user_id" = {session.x-engine-user-id::integer})',
  ],
  [
    'any row at all',
    { _exists: { _table: { schema: 'public', name: 'member' }, _where: {} } },
    'exists (select 1 from "public"."member" as "_r1")',
  ],
  [
    'a column of the table that owns the permission',
    { _exists: { _table: 'member', _where: { user_id: { _ceq: ['$', 'author_id'] } } } },
    'exists (select 1 from "public"."member" as "_r1" where "_r1"."user_id" = {row}."author_id")',
  ],
  [
    'a relationship',
    { author: { name: 'x' } },
    `exists (select 1 from "public"."author" as "_r1" where "_r1"."id" = {row}."author_id" and "_r1"."name" = 'x')`,
  ],
  [
    'no related row',
    { _not: { author: {} } },
    'not exists (select 1 from "public"."author" as "_r1" where "_r1"."id" = {row}."author_id")',
  ],
])('%s', (_name, filter, expected) => {
  // Only the layout of long rules breaks lines; here their words count.
  expect(rule(filter).trim().replace(/\s+/g, ' ').replaceAll('( ', '(').replaceAll(' )', ')')).toBe(expected);
});

test('a chain of single rows is joined within one exists, a list stays an exists of its own', () => {
  expect(
    rule({ author: { organisation: { country: 'fr', members: { user_id: 'X-Engine-User-Id' } } } }),
  ).toBe(`
        exists (
          select 1
          from "public"."author" as "_r1"
            join "public"."organisation" as "_r2" on "_r2"."id" = "_r1"."organisation_id"
          where "_r1"."id" = {row}."author_id"
            and "_r2"."country" = 'fr'
            and exists (
              select 1
              from "public"."member" as "_r3"
              where "_r3"."organisation_id" = "_r2"."id" and "_r3"."user_id" = {session.x-engine-user-id::integer}
            )
        )
      `);
});

test('the order of keys makes no difference', () => {
  expect(rule({ title: { _neq: 'b', _like: 'a%' }, id: 1 })).toBe(
    rule({ id: 1, title: { _like: 'a%', _neq: 'b' } }),
  );
});

test('a literal that looks like a hole stays a literal', () => {
  expect(rule({ title: '{row} {session.x-engine-user-id::text}' })).toBe(
    `{row}."title" = '{{row}} {{session.x-engine-user-id::text}}'`,
  );
});
