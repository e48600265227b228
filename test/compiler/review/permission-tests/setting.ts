/** The project of the tests of permission tests: tasks of teams, and one rule of the role `user`. */
import { expect } from 'vitest';
import { compile } from '../../../../compiler/index.ts';
import { readMetadata } from '../../../../compiler/phases/1-read/index.ts';
import type { DeclaredCase } from '../../../../compiler/review/permission-tests/cases.ts';
import { testPermissions } from '../../../../compiler/review/permission-tests/index.ts';
import { openTrialDatabase } from '../../../../compiler/review/permission-tests/trial.ts';
import { catalogsOf, SERVING } from '../../../harness/compile.ts';
import { metadataOf } from '../../../harness/metadata.ts';
import { createTestDatabase } from '../../../harness/postgres.ts';

export const SCHEMA = `
  create table team (id int primary key, name text not null);
  create table task (id int primary key, owner int, team_id int references team, mail text, public boolean not null);
`;
export const ROWS = `
  insert into team values (1, 'one'), (2, 'two');
  insert into task values (1, 10, 1, 'a', true), (2, 10, 2, 'b', false), (3, 20, 2, 'c', true), (4, 20, 1, 'a', false), (5, null, 1, null, true);
`;

export const OWN = { owner: 'X-Engine-User-Id' };

export function metadata(filter: object, more: object = {}): object {
  return metadataOf(
    [
      {
        table: 'task',
        object_relationships: [{ name: 'team', using: { foreign_key_constraint_on: 'team_id' } }],
        select_permissions: [{ role: 'user', permission: { columns: ['id'], filter } }],
        ...more,
      },
      { table: 'team' },
    ],
    {},
    'postgres://localhost/none',
  );
}

/** Runs the tests of permissions of a project on a database of its own. */
export async function tested(
  json: object,
  sql = SCHEMA + ROWS,
  cases: readonly DeclaredCase[] = [],
  mutations = false,
  base?: object,
  suggest = false,
) {
  const database = await createTestDatabase(sql);
  const { value } = readMetadata(json);
  const catalogs = await catalogsOf(value, database.url);
  const compiled = compile({ metadata: value, catalogs });
  expect(compiled.diagnostics).toEqual([]);
  const trials = await openTrialDatabase({ connectionString: database.url });
  try {
    const databases = new Map([['default', trials]]);
    const result = await testPermissions({
      compiled,
      compile: (other) => compile({ metadata: other, catalogs }, compiled),
      catalogs,
      ...(base && {
        base: { label: 'main', compiled: compile({ metadata: readMetadata(base).value, catalogs }) },
      }),
      serving: SERVING,
      cases,
      databases,
      isolation: true,
      mutations,
      suggest,
      say: () => {},
    });
    return { result, database };
  } finally {
    await trials.close();
  }
}
