/** Conditions that fix a table to one value, that hide that they do, and that look as if they did. */
import { expect, test } from 'vitest';
import type { SourceShape } from '../../../../runtime/core/contract/shapes.ts';
import { judge } from '../../../../runtime/core/shards/index.ts';

const distributed = (by: string, group: number) => ({ kind: 'distributed', by, group }) as const;
const source: SourceShape = {
  name: 'default',
  kind: 'postgres',
  types: {},
  distribution: {
    tables: {
      'public.t': distributed('k', 1),
      'public.u': distributed('k', 1),
      'public.other': distributed('e', 2),
    },
  },
};
const T = 'select 1 from "public"."t" as "a#1"';
const U = 'select 1 from "public"."u" as "b#2"';
const K = '"a#1"."k" = ($1)::integer';

/** Each within `select (…)`; the last text is what is sent, where it differs. */
const CASES: readonly (readonly [kind: string, query: string, sent?: string])[] = [
  ['router', `${T} where ${K}`],
  ['router', `${T} where ("a#1"."x" > 1 and (${K}))`],
  ['router', `${T} where ($1)::integer = "a#1"."k"`],
  ['router', `${T} where ${K} or ${K}`, `${T} where ${K} and (${K} or ${K})`],
  [
    'router',
    `${T} where case when ${K} then "a#1"."x" > 1 end`,
    `${T} where ${K} and case when ${K} then "a#1"."x" > 1 end`,
  ],
  ['all shards', `${T} where case when ${K} then true else true end`],
  ['all shards', `${T} where ${K} or "a#1"."x" = 1`],
  ['all shards', `${T} where not (${K})`],
  ['all shards', `${T} where "a#1"."k" is not distinct from ($1)::integer`],
  ['all shards', `${T} where "a#1"."k" = ($1)::integer + 1`],
  ['all shards', `${T} where "a#1"."k" = any (($1)::integer[])`],
  // The condition of a left join says nothing of the rows on its left.
  [
    'all shards',
    `${T} left join "public"."u" as "b#2" on "b#2"."k" = "a#1"."k" and "b#2"."k" = ($1)::integer`,
  ],
  // A condition on the rows behind a limit is none on those before.
  [
    'all shards',
    `select 1 from (select "a#1".* from "public"."t" as "a#1" limit 1) as "s#2" where "s#2"."k" = ($1)::integer`,
  ],
  [
    'router',
    `${T} where ${K} and exists (${U} where "b#2"."k" = "a#1"."k")`,
    `${T} where ${K} and exists (${U} where "b#2"."k" = ($1)::integer and "b#2"."k" = "a#1"."k")`,
  ],
  ['refused', `${T} where ${K} and exists (${U} where "b#2"."k" = "a#1"."k" or "b#2"."x" = 1)`],
  ['refused', `${T} where ${K} and exists (${U} where "b#2"."x" = "a#1"."k")`],
  [
    'refused',
    `${T} where ${K} and exists (select 1 from "public"."other" as "b#2" where "b#2"."e" = "a#1"."k")`,
  ],
  [
    'all shards',
    `${T} where "a#1"."x" = 'it''s "public"."u" and (' and exists (${U} where "b#2"."k" = "a#1"."k")`,
  ],
];

test.each(CASES)('%s: %s', (kind, query, sent = query) => {
  const { verdict, text } = judge(`select (${query})`, source);
  expect({ kind: verdict.kind, text }).toEqual({ kind, text: `select (${sent})` });
});
