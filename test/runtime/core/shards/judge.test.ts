/** Conditions that fix a table to one value, that hide that they do, and that look as if they did. */
import { expect, test } from 'vitest';
import { readRule } from '../../../../runtime/core/condition/rule.ts';
import type { SourceShape } from '../../../../runtime/core/contract/shapes.ts';
import { judge } from '../../../../runtime/core/shards/index.ts';
import { bindRow, parameter, raw, type Sql, sql } from '../../../../runtime/core/sql/fragment.ts';
import { print } from '../../../../runtime/core/sql/print.ts';
import {
  aliasNamed,
  and,
  callOf,
  columnOf,
  comparisonOf,
  type FromItem,
  guardedCondition,
  nativeOf,
  nested,
  or,
  ruleFor,
  type Select,
  selectStatement,
  tableNamed,
} from '../../../../runtime/core/sql/statement.ts';

const distributed = (by: string, group: number) => ({ kind: 'distributed', by, group }) as const;
const source: SourceShape = {
  name: 'default',
  kind: 'postgres',
  types: {},
  distribution: {
    fingerprint: '',
    tables: {
      'public.t': distributed('k', 1),
      'public.u': distributed('k', 1),
      'public.other': distributed('e', 2),
      'public.plan': { kind: 'reference' },
      'public.report': { kind: 'refused', why: 'reads tables of different colocation groups' },
    },
    functions: {
      'public.size': { why: 'public.size reads public.u' },
      'public.mean': { why: 'public.mean reads public.local', alone: true },
    },
  },
};
const [a, b] = [aliasNamed('a#1'), aliasNamed('b#2')];
const value = parameter({ from: 'session', name: 'x-engine-k' }, 'integer');
const K = comparisonOf(columnOf(a, 'k'), '=', value);
const SAME = comparisonOf(columnOf(b, 'k'), '=', columnOf(a, 'k'));
const X = comparisonOf(columnOf(a, 'x'), '>', raw('1'));

function rows(table: string, alias: Sql, where: readonly Sql[] = [], more: readonly FromItem[] = []): Sql {
  const from = [{ rows: tableNamed('public', table), alias }, ...more];
  return selectStatement({ columns: raw('1'), from, where });
}
const T = (...where: readonly Sql[]) => rows('t', a, where);
const exists = (query: Sql) => sql`exists ${nested(query)}`;
/** The rule of a role for the rows of `a`. */
const rule = (text: string) => {
  const read = readRule(text);
  return nested(ruleFor(read, a, bindRow(read.sql, a)));
};
const S = '{session.x-engine-k::integer}';
const derived = (clauses: Select): FromItem => ({
  rows: nested(selectStatement(clauses)),
  alias: aliasNamed('s#2'),
});

const TEXT_T = 'select 1 from "public"."t" as "a#1"';
const TEXT_K = '"a#1"."k" = ($1)::integer';
const TEXT_U = (where: string) =>
  `exists (select 1 from "public"."u" as "_r1" where "_r1"."k" = ($1)::integer and ${where})`;

/** Each within `select (…)`; the last text is what is sent, where it is another one than what was planned. */
const CASES: readonly (readonly [kind: string, query: Sql, sent?: string])[] = [
  ['router', T(K)],
  ['router', T(and([X, nested(K)]))],
  ['router', T(comparisonOf(value, '=', columnOf(a, 'k')))],
  ['router', T(or([K, K])), `${TEXT_T} where ${TEXT_K} and (${TEXT_K} or ${TEXT_K})`],
  [
    'router',
    T(guardedCondition(K, X)),
    `${TEXT_T} where ${TEXT_K} and case when ${TEXT_K} then "a#1"."x" > 1 end`,
  ],
  ['all shards', T(sql`case when ${K} then true else true end`)],
  ['all shards', T(or([K, X]))],
  ['all shards', T(sql`not (${K})`)],
  ['all shards', T(comparisonOf(columnOf(a, 'k'), 'is not distinct from', value))],
  ['all shards', T(comparisonOf(columnOf(a, 'k'), 'operator(pg_catalog.=)', value))],
  ['all shards', T(comparisonOf(columnOf(a, 'k'), '=', sql`${value} + 1`))],
  ['all shards', T(comparisonOf(columnOf(a, 'k'), '=', sql`any (${value})`))],
  // The condition of a left join says nothing of the rows on its left.
  [
    'all shards',
    rows(
      't',
      a,
      [],
      [
        {
          join: 'left join',
          rows: tableNamed('public', 'u'),
          alias: b,
          on: and([SAME, comparisonOf(columnOf(b, 'k'), '=', value)]),
        },
      ],
    ),
  ],
  // A condition on the rows behind a limit is none on those before.
  [
    'all shards',
    selectStatement({
      columns: raw('1'),
      from: [
        derived({
          columns: sql`${a}.*`,
          whole: a,
          from: [{ rows: tableNamed('public', 't'), alias: a }],
          limit: raw('1'),
        }),
      ],
      where: [comparisonOf(columnOf(aliasNamed('s#2'), 'k'), '=', value)],
    }),
  ],
  [
    'router',
    T(K, exists(rows('u', b, [SAME]))),
    `${TEXT_T} where ${TEXT_K} and exists (select 1 from "public"."u" as "b#2" where "b#2"."k" = ($1)::integer and "b#2"."k" = "a#1"."k")`,
  ],
  ['refused', T(K, exists(rows('u', b, [or([SAME, X])])))],
  ['refused', T(K, exists(rows('u', b, [comparisonOf(columnOf(b, 'x'), '=', columnOf(a, 'k'))])))],
  ['refused', T(K, exists(rows('other', b, [comparisonOf(columnOf(b, 'e'), '=', columnOf(a, 'k'))])))],
  ['all shards', T(sql`${columnOf(a, 'x')} = 'it''s "public"."u" and ('`, exists(rows('u', b, [SAME])))],
  // Rules, whatever their layout.
  ['router', T(rule(`{row}."k" = ${S}`))],
  ['router', T(rule(`${S} = {row}."k" and {row}."x" > 1`))],
  ['router', T(rule(`{row}."k" = 5`))],
  ['router', T(rule(`{row}."k" = '5'::integer`))],
  ['all shards', T(rule(`{row}."k" = ${S} or {row}."x" = 1`))],
  ['all shards', T(rule(`not ({row}."k" = ${S})`))],
  ['all shards', T(rule(`{row}."k" operator(pg_catalog.=) ${S}`))],
  ['all shards', T(rule(`{row}."k" = any (${S})`))],
  ['all shards', T(rule(`{row}."k" between 1 and ${S}`))],
  [
    'router',
    T(
      rule(
        `{row}."k" = ${S} and exists (select 1 from "public"."u" as "_r1" where "_r1"."k" = {row}."k" and "_r1"."x" = {row}."x")`,
      ),
    ),
    `${TEXT_T} where (${TEXT_K} and ${TEXT_U('"_r1"."k" = "a#1"."k" and "_r1"."x" = "a#1"."x"')})`,
  ],
  [
    'router',
    T(
      rule(`{row}."k" = ${S}
      and not exists (
        select 1 from "public"."u" as "_r1"
          join "public"."u" as "_r2" on "_r2"."k" = "_r1"."k"
        where "_r1"."k" = {row}."k" and ("_r2"."x" = '{{1}}' or "_r1"."x" is null)
      )`),
    ),
    `${TEXT_T} where (${TEXT_K} and not exists (select 1 from "public"."u" as "_r1" join "public"."u" as "_r2" on "_r2"."k" = ($1)::integer and "_r2"."k" = "_r1"."k" where "_r1"."k" = ($1)::integer and "_r1"."k" = "a#1"."k" and ("_r2"."x" = '{1}' or "_r1"."x" is null)))`,
  ],
  // One that looks at the row of an outer one.
  [
    'router',
    T(
      K,
      rule(
        `exists (select 1 from "public"."u" as "_r1" where "_r1"."k" = {row}."k" and exists (select 1 from "public"."u" as "_r2" where "_r2"."k" = "_r1"."k"))`,
      ),
    ),
    `${TEXT_T} where ${TEXT_K} and (${TEXT_U(`"_r1"."k" = "a#1"."k" and ${TEXT_U('"_r1"."k" = "_r0"."k"').replaceAll('_r1', '_r2').replaceAll('_r0', '_r1')}`)})`,
  ],
  ['refused', T(K, rule(`exists (select 1 from "public"."other" as "_r1" where "_r1"."e" = {row}."k")`))],
  ['refused', T(K, rule(`exists (select 1 from "public"."u" as "_r1" where "_r1"."x" = {row}."k")`))],
  // What cannot be read may be about any table that it names.
  ['refused', T(K, rule(`{row}."x" > (select count(*) from "public"."u" as "_r1")`))],
  ['router', T(K, rule(`{row}."x" > (select count(*) from "public"."plan" as "_r1")`))],
  ['refused', T(K, rule(`{row}."x" > (select count(*) from "public"."local" as "_r1")`))],
  ['refused', T(K, rule(`exists (select 1 from "public"."local" as "_r1" where "_r1"."x" = {row}."x")`))],
  ['refused', rows('report', a)],
  ['refused', T(K, exists(rows('local', b)))],
  ['reference', rows('local', a, [exists(rows('plan', b))])],
  ['refused', rows('local', a, [comparisonOf(columnOf(a, 'x'), '=', callOf('public', 'size', []))])],
  ['reference', rows('local', a, [comparisonOf(columnOf(a, 'x'), '=', callOf('public', 'mean', []))])],
  ['refused', rows('plan', a, [comparisonOf(columnOf(a, 'x'), '=', callOf('public', 'mean', []))])],
  ['refused', T(K, comparisonOf(columnOf(a, 'x'), '=', callOf('public', 'mean', [])))],
  ['refused', T(K, rule(`{row}."x" > 1 -- of "public"."u"`))],
  ['refused', T(K, exists(sql`select 1 from ${nativeOf('', 'report', ['select 1'])} as q`))],
];

test.each(CASES.map(([kind, query, sent]) => [kind, print(query).text, query, sent] as const))(
  '%s: %s',
  (kind, planned, query, sent = planned) => {
    const { verdict, statement } = judge(print(selectStatement({ columns: nested(query) }), true), source);
    expect({ kind: verdict.kind, text: statement.text }).toEqual({ kind, text: `select (${sent})` });
  },
);
