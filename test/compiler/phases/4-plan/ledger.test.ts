/** What a ledger says besides what the goldens of `test/cases` show. */
import { expect, test } from 'vitest';
import { compileJson, metadataJson } from '../../../harness/project.ts';

const select = (permission: object) => ({
  select_permissions: [{ role: 'user', permission: { columns: ['id'], filter: {}, ...permission } }],
});

function ledger(article: object): readonly string[] {
  const { files } = compileJson(metadataJson(article));
  return (files.get('roles/user.txt') ?? '').trimEnd().split('\n');
}

test('facts stand below the table that they are about', () => {
  expect(ledger(select({}))).toEqual([
    'default public.article',
    '  select columns id',
    '  select where any row',
  ]);
});

test('root fields are named where a permission withholds what its other facts would give', () => {
  const withheld = (permission: object) =>
    ledger(select(permission)).filter((line) => line.includes('without'));
  expect(withheld({ query_root_fields: ['select'], subscription_root_fields: [] })).toEqual([
    '  select without query field article_by_pk',
    '  select without subscription field article',
    '  select without subscription field article_by_pk',
    '  select without subscription field article_stream',
  ]);
  // Without aggregations or the key there is nothing to withhold.
  expect(withheld({ columns: ['title'], query_root_fields: ['select'] })).toEqual([]);
  expect(withheld({ allow_aggregations: true, query_root_fields: ['select', 'select_by_pk'] })).toEqual([
    '  select without query field article_aggregate',
  ]);
});
