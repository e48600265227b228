import { expect, it } from 'vitest';
import { introspectDatabase } from '../../../runtime/catalog/index.ts';
import { createTestDatabase } from '../../harness/postgres.ts';
import { testGrowth } from './growth.ts';
import { queryOf, testIntrospection } from './introspection.ts';

testIntrospection([18]);
testGrowth([18]);

it('reads a database with nothing in it', async () => {
  const database = await createTestDatabase();
  const { types, tables, functions } = await introspectDatabase(queryOf(database));
  expect({ types, tables, functions }).toEqual({ types: [], tables: [], functions: [] });
});
