/** Which permission a denial names for a name of an extension, and that it names none where a permission would not help. */

import { afterAll, expect, test } from 'vitest';
import type { EngineError } from '../../../../runtime/core/errors.ts';
import { EXTENSIONS } from '../../../../runtime/core/names.ts';
import { reviewNames } from '../../../../runtime/core/schema/refused.ts';
import { NOBODY } from '../../../../runtime/core/session.ts';
import { openRequestProject, type RequestProject } from '../../../harness/request-project.ts';

const opened = new Map<string, Promise<RequestProject>>();
afterAll(async () => {
  for (const project of opened.values()) await (await project).end();
});

async function served(name: string, on = true) {
  const project = opened.get(name) ?? openRequestProject(name);
  opened.set(name, project);
  return (await project).served(on ? { naming: { extensions: EXTENSIONS } } : {});
}

async function reasonOf(
  name: string,
  role: string,
  query: string,
  on?: boolean,
): Promise<string | undefined> {
  const { sql } = await served(name, on);
  try {
    sql({ query }, role, { 'x-engine-org': '1', 'x-engine-user': 'eve' });
  } catch (error) {
    const { reason } = error as EngineError;
    return reason && [reason.rule, ...(reason.part ?? [])].join(' ');
  }
  throw new Error('it is not refused');
}

const updates = (related: string) =>
  `mutation { update_author(where: {}, related: ${related}) { affected_rows } }`;

test.each([
  [
    'writing/related',
    'clerk',
    updates('{works: {insert: {data: [{secret: true}]}}}'),
    'public.article.insert.clerk columns',
  ],
  [
    'writing/related',
    'clerk',
    updates('{works: {insert: {data: [{editor: "x"}]}}}'),
    'public.article.insert.clerk set editor',
  ],
  ['writing/related', 'namer', updates('{}'), 'public.address.update.namer'],
  ['writing/related', 'namer', updates('{}').replace('related', 'relatives'), undefined],
  [
    'writing/related',
    'clerk',
    '{ author { works_group_by(keys: []) { aggregate { count } } } }',
    'public.article.select.clerk allow_aggregations',
  ],
  [
    'writing/related',
    'clerk',
    '{ author { works_aggregate { aggregate { count } } } }',
    'public.article.select.clerk allow_aggregations',
  ],
  ['writing/related', 'clerk', '{ author { works_of_others { id } } }', undefined],
  ['group-by', 'agent', '{ team { tickets_aggregated { id } } }', undefined],
  [
    'computed-field-aggregates',
    'clerk',
    '{ shop { sales_from_aggregate { aggregate { count } } } }',
    'public.sale.select.clerk allow_aggregations',
  ],
  [
    'computed-field-aggregates',
    'blind',
    '{ shop { sales_from_aggregate { aggregate { count } } } }',
    'public.sale.select.blind',
  ],
] as const)('%s, %s: %s', async (name, role, query, reason) => {
  expect(await reasonOf(name, role, query)).toBe(reason && `default.${reason}`);
});

test.each([
  ['writing/related', 'namer', updates('{}')],
  ['writing/related', 'clerk', '{ author { works_group_by(keys: []) { aggregate { count } } } }'],
  ['computed-field-aggregates', 'clerk', '{ shop { sales_from_aggregate { aggregate { count } } } }'],
])('no permission gives a name of an extension that is off: %s, %s: %s', async (name, role, query) => {
  expect(await reasonOf(name, role, query, false)).toBeUndefined();
});

test('the permissions for related rows are those of what is done with them', async () => {
  const { program } = await served('writing/related');
  const session = { ...NOBODY, role: 'clerk', backendOnly: true };
  const query = updates(
    '{works: {delete: {where: {}}, update: [{where: {comments: {body: {_eq: "a"}}}, related: {comments: {insert: {data: []}}}}]}}',
  );
  const { refused, applied } = reviewNames(program, session, { query });
  expect(refused).toEqual([]);
  expect(applied.map(({ table, operation }) => `${operation} ${table}`).sort()).toEqual([
    'delete public.article',
    'insert public.comment',
    'select public.comment',
    'update public.article',
    'update public.author',
  ]);
});
