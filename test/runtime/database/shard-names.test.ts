/** Names of shards, which workers report, and clients do not know. */
import pg from 'pg';
import { expect, test } from 'vitest';
import { databaseError } from '../../../runtime/database/errors.ts';

test.each([
  ['tag_102075', 'tag_name_key_102075', '"tag_name_key"'],
  ['tag', 'tag_name_key', '"tag_name_key"'],
  ['tag_102075', 'tag_name_key', '"tag_name_key"'],
  ['tag_2024', 'tag_name_key_2024', '"tag_name_key_2024"'],
  ['tag_102075', 'tag_name_key_102076', '"tag_name_key_102076"'],
])('a violation in %s of %s', (table, constraint, expected) => {
  const error = new pg.DatabaseError(
    `duplicate key value violates unique constraint "${constraint}"`,
    0,
    'error',
  );
  Object.assign(error, { code: '23505', table, constraint });
  expect((databaseError(error) as Error).message).toBe(
    `Uniqueness violation. duplicate key value violates unique constraint ${expected}`,
  );
});
