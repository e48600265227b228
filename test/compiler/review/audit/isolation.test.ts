/** `audit isolation`: which rules and which written foreign keys tie rows to a session variable. */

import { expect, test } from 'vitest';
import { isolationOf } from '../../../../compiler/review/audit/isolation.ts';
import { isolationText } from '../../../../compiler/review/audit/isolation-render.ts';
import { variablesBinding, variablesBindingReference } from '../../../../compiler/review/bound.ts';
import { CANONICAL } from '../../../../runtime/core/vocabulary.ts';
import { projectCode } from '../../../harness/audit-cases.ts';
import { engine } from '../../../harness/command-line.ts';

const TENANT = 'x-engine-tenant-id';
const ROW = '{row}."tenant_id" = {session.x-engine-tenant-id::integer}';

const BOUND: readonly (readonly [rule: string, variables: readonly string[]])[] = [
  ['true', []],
  [ROW, [TENANT]],
  ['{session.x-engine-tenant-id::integer} = {row}."tenant_id"', [TENANT]],
  ['{row}."a" = any ({session.x-engine-team-ids::integer[]})', ['x-engine-team-ids']],
  ['{row}."tenant_id" <> {session.x-engine-tenant-id::integer}', []],
  ['{row}."tenant_id" is distinct from {session.x-engine-tenant-id::integer}', []],
  [`${ROW} and {row}."a" = 1`, [TENANT]],
  [`${ROW} or {row}."a" = 1`, []],
  [`${ROW} and {row}."a" = 1 or ${ROW}`, [TENANT]],
  [`not (${ROW})`, []],
  [`not (not (${ROW}))`, [TENANT]],
  [`not (not (${ROW}) or {row}."a" = 1)`, [TENANT]],
  [`not (not (${ROW}) and {row}."a" = 1)`, []],
  [
    'exists (select 1 from "public"."a" as "_r1" where "_r1"."id" = {row}."a_id" and "_r1"."t" = {session.x-engine-tenant-id::integer})',
    [TENANT],
  ],
  // It says nothing about the row.
  [
    'exists (select 1 from "public"."a" as "_r1" where "_r1"."t" = {session.x-engine-tenant-id::integer})',
    [],
  ],
  // Not read: nothing is concluded.
  ['case when true then {row}."t" = {session.x-engine-tenant-id::integer} end', ['x-engine-tenant-id']],
  // Beyond the grammar: proves nothing.
  ['case when true then {row}."t" = {session.x-engine-tenant-id::integer} else true end', []],
];

test.each(BOUND)('%s ties rows to %j', (rule, variables) => {
  expect([...variablesBinding(rule)]).toEqual(variables);
});

test('a reference is tied by what the check asks of the row that it leads to', () => {
  const related = (column: string) =>
    `exists (select 1 from "public"."a" as "_r1" where "_r1"."id" = {row}."${column}" and "_r1"."t" = {session.x-engine-tenant-id::integer})`;
  const tied = (check: string) => [...variablesBindingReference(check, ['a_id'])];
  expect(tied(related('a_id'))).toEqual([TENANT]);
  expect(tied(related('b_id'))).toEqual([]);
  expect(tied(`{row}."a_id" is null or ${related('a_id')}`)).toEqual([TENANT]);
  expect(tied(`{row}."b_id" is null or ${related('a_id')}`)).toEqual([]);
  expect(tied(ROW)).toEqual([]);
});

test('names rules and foreign keys that do not tie, with the rules through which they leak', async () => {
  const code = await projectCode({
    tables: {
      ticket: {
        update_permissions: {
          agent: { columns: ['subject', 'assignee_id'], check: { tenant_id: { _eq: 'X-Engine-Tenant-Id' } } },
        },
      },
      rating: {
        select_permissions: {
          agent: { columns: ['score'], filter: { ticket: { assignee_id: { _eq: 'X-Engine-User-Id' } } } },
        },
      },
    },
  });
  const result = isolationOf(code, TENANT);
  expect(
    result.references.map(({ permission, columns, target, through }) => [
      `${permission.role} ${permission.operation} ${permission.table} ${columns} ${target}`,
      ...through.map(({ role, operation, table }) => `${role} ${operation} ${table}`),
    ]),
  ).toEqual([['agent update public.ticket assignee_id public.agent', 'agent select public.rating']]);
  expect(isolationText(result, CANONICAL)).toContain(
    'assignee_id may name any row of public.agent\n      through it: agent: select public.rating',
  );
  const safe = isolationOf(await projectCode(), TENANT);
  expect(safe.references).toEqual([]);
  expect(free(safe)).toEqual([
    'public select public.article by public.article',
    'public select public.tenant by nothing',
  ]);
});

const free = (result: ReturnType<typeof isolationOf>) =>
  result.free.map(
    ({ permission: { role, operation, table }, path = ['nothing'] }) =>
      `${role} ${operation} ${table} by ${path.join(' ')}`,
  );

test('tables without a tied rule: who reaches them, whether rows lead to tied ones, or nobody does', async () => {
  const code = await projectCode({
    tables: {
      ticket_tag: { select_permissions: { agent: { columns: '*', filter: {} } } },
      tag: { select_permissions: { agent: { columns: '*', filter: {} } } },
    },
  });
  const result = isolationOf(code, TENANT);
  expect(free(result)).toEqual([
    'public select public.article by public.article',
    'agent select public.tag by nothing',
    'public select public.tenant by nothing',
    'agent select public.ticket_tag by public.ticket_tag public.ticket',
  ]);
  const text = isolationText(result, CANONICAL);
  expect(text).toMatch(
    / {2}agent: select public\.ticket_tag {3}\S+:\d+\n {6}leads to it: public\.ticket_tag → public\.ticket\n {6}every row/,
  );
  expect(text).toContain('on tables from which nothing leads to it: shared (2)');
  expect((await projectCode({ tables: { tag: {} } })).program.tables.map(({ key }) => key)).toContain(
    'public.tag',
  );
  expect(isolationOf(await projectCode(), TENANT).unreached).toContain('public.tag');
});

test('the example ties every foreign key that roles write', async () => {
  const { stdout, status } = await engine(
    'audit',
    'isolation',
    '--by',
    'X-Engine-Tenant-Id',
    '--generated',
    'generated',
  );
  expect(status).toBe(0);
  expect(stdout).toContain('Foreign keys that may be written beyond it (0)');
  expect(stdout).toContain('23 of 23 foreign keys');
  const wrong = await engine('audit', 'isolation', '--by', 'X-Engine-Tenant', '--generated', 'generated');
  expect(wrong).toMatchObject({
    status: 2,
    stderr: expect.stringContaining('Did you mean "x-engine-tenant-id"?'),
  });
});

test('who names deletions of other tables, by which rows go', async () => {
  const { stdout } = await engine('audit', 'who', 'message.body', '--generated', 'generated');
  expect(stdout.replace(/\s+/g, ' ')).toMatch(
    /delete_ticket_by_pk – rows \[\d+\]; deleted with rows of public\.ticket/,
  );
  const cleared = await engine('audit', 'who', 'message.author_customer_id', '--generated', 'generated');
  expect(cleared.stdout.replace(/\s+/g, ' ')).toContain('deleted with rows of public.customer');
  const kept = await engine('audit', 'who', 'tenant.name', '--generated', 'generated');
  expect(kept.stdout).not.toContain('with rows of');
});
