import { expect, test } from 'vitest';
import { source, type TableShape } from '../../../../runtime/core/contract/shapes.ts';
import type { RootFieldKind } from '../../../../runtime/core/program/root-fields.ts';
import { type Offer, offer, type RoleRules, type RootKind } from '../../../../runtime/core/schema/offer.ts';

const shape: TableShape = {
  source: source({ name: 'default', kind: 'postgres', types: {} }),
  schema: 'public',
  name: 'note',
  kind: 'table',
  graphqlName: 'note',
  columns: {
    id: { type: 'int4', notNull: true },
    text: { type: 'text' },
    data: { type: 'json' },
    'no name': { type: 'text', field: null },
  },
  primaryKey: { name: 'note_pkey', columns: ['id'] },
};
const select = { columns: ['id', 'text'] };
const update = { columns: ['text'] };

const CASES: readonly (readonly [RootFieldKind, RootKind, RoleRules, true | string])[] = [
  ['select', 'query', {}, 'no select'],
  ['select', 'query', { select }, true],
  ['select', 'query', { select: { ...select, queryRoots: [] } }, 'select query_root_fields'],
  ['select', 'subscription', { select: { ...select, queryRoots: [] } }, true],
  [
    'select',
    'subscription',
    { select: { ...select, subscriptionRoots: [] } },
    'select subscription_root_fields',
  ],
  ['select_by_pk', 'query', { select }, true],
  ['select_by_pk', 'query', { select: { columns: ['text'] } }, 'select columns'],
  ['select_aggregate', 'query', { select }, 'select allow_aggregations'],
  ['select_aggregate', 'query', { select: { ...select, aggregations: true } }, true],
  ['select_group_by', 'query', { select }, 'select allow_aggregations'],
  ['select_group_by', 'query', { select: { ...select, aggregations: true } }, true],
  ['select_group_by', 'query', { select: { columns: ['data'], aggregations: true } }, 'select columns'],
  ['select_group_by', 'query', { select: { columns: ['no name'], aggregations: true } }, 'select columns'],
  [
    'select_group_by',
    'query',
    { select: { ...select, aggregations: true, queryRoots: ['select'] } },
    'select query_root_fields',
  ],
  [
    'select_group_by',
    'subscription',
    { select: { ...select, aggregations: true, queryRoots: [], subscriptionRoots: ['select_aggregate'] } },
    true,
  ],
  ['select_stream', 'subscription', { select: { columns: ['no name'] } }, 'select columns'],
  ['insert', 'mutation', { insert: {} }, true],
  ['insert', 'mutation', { insert: { backendOnly: true } }, 'insert backend_only'],
  ['insert_one', 'mutation', { insert: {} }, 'no select'],
  ['insert_one', 'mutation', { insert: {}, select }, true],
  ['update', 'mutation', { update }, true],
  ['update', 'mutation', { update: { ...update, presets: { text: 'now' } } }, 'update columns'],
  ['update', 'mutation', { update: { columns: ['no name'] } }, 'update columns'],
  ['update_by_pk', 'mutation', { update }, 'no select'],
  ['update_by_pk', 'mutation', { update, select: { columns: ['text'] } }, 'select columns'],
  ['update_by_pk', 'mutation', { update, select }, true],
  ['update_many', 'mutation', { update }, true],
  ['delete', 'mutation', { delete: {} }, true],
  ['delete', 'mutation', {}, 'no delete'],
  ['delete_by_pk', 'mutation', { delete: {}, select }, true],
];

function short(offered: Offer): true | string {
  if (offered === true) return true;
  return offered.why === undefined ? `no ${offered.operation}` : `${offered.operation} ${offered.part}`;
}

test.each(CASES)('%s below %s by %j: %s', (kind, root, rules, expected) => {
  expect(short(offer(shape, rules, { kind, root }, false))).toBe(expected);
});

test('permissions for backends only count for trusted callers', () => {
  const rules: RoleRules = { insert: { backendOnly: true } };
  expect(offer(shape, rules, { kind: 'insert', root: 'mutation' }, true)).toBe(true);
});

test('what Postgres does not write is not offered', () => {
  const view: TableShape = { ...shape, kind: 'view', readOnly: ['delete'] };
  const offered = offer(view, { delete: {} }, { kind: 'delete', root: 'mutation' }, true);
  expect(offered).toEqual({ operation: 'delete', why: 'Postgres takes no delete on this view' });
});
