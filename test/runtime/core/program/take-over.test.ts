/** What a program takes over from the one before: everything of the roles that a change does not concern, nothing of the others. */

import { readFileSync } from 'node:fs';
import { beforeAll, describe, expect, test } from 'vitest';
import { type CompileResult, compile } from '../../../../compiler/index.ts';
import { readMetadata } from '../../../../compiler/phases/1-read/index.ts';
import type { SourceCatalog } from '../../../../runtime/catalog/catalog.ts';
import { linkProgram } from '../../../../runtime/core/program/program.ts';
import { createPlanner, forgetOtherSchemas, type Planner } from '../../../../runtime/core/request/planner.ts';
import { NOBODY } from '../../../../runtime/core/session.ts';
import { createLoader } from '../../../../runtime/program/loader.ts';
import { catalogsOf } from '../../../harness/compile.ts';
import { describeFiles, describeProgram } from '../../../harness/describe.ts';
import { createTestDatabase } from '../../../harness/postgres.ts';

const place = new URL('../../../cases/blog/', import.meta.url);
const document = readFileSync(new URL('metadata.json', place), 'utf8');
const options = { inferFunctionPermissions: true, stringifyNumbers: false, collapseNulls: false };
const queries: Readonly<Record<string, string>> = {
  admin: '{ article { id author { id } } }',
  user: '{ article { id author { id } } }',
  visitor: '{ article { id } }',
  reader: '{ article { id } }',
};

interface Permission {
  readonly role: string;
  permission: { filter: object; check?: object; limit?: number; columns?: unknown };
}
type Lists = Record<string, Permission[]>;

let catalogs: Record<string, SourceCatalog>;

beforeAll(async () => {
  const database = await createTestDatabase(readFileSync(new URL('schema.sql', place), 'utf8'));
  catalogs = await catalogsOf(readMetadata(JSON.parse(document)).value, database.url);
});

/** The metadata with one permission, or anything else of a table, changed. */
function changed(table: string, change: (entry: Lists) => void): unknown {
  const copy = JSON.parse(document) as { sources: { tables: Lists[] }[] };
  const named = (entry: Lists) => JSON.stringify(entry.table).includes(`"${table}"`);
  change(copy.sources[0]!.tables.find(named)!);
  return copy;
}

/** Serves one metadata after the other, as a server does. */
function createServing() {
  const loader = createLoader();
  let compiled: CompileResult | undefined;
  let served: Planner | undefined;
  return {
    async serve(metadata: unknown): Promise<Planner> {
      compiled = compile({ metadata: readMetadata(metadata).value, catalogs }, compiled);
      const program = linkProgram(await loader.load(compiled.files), options, served?.program);
      served = createPlanner(program, options, undefined, served);
      forgetOtherSchemas(served);
      return served;
    },
    files: () => compiled!.files,
  };
}

function plansOf(planner: Planner): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(queries).map(([role, query]) => [role, planner.plan({ ...NOBODY, role }, { query }).plan]),
  );
}

/** Roles whose plans are the identical ones before and after the change. */
async function rolesKept(change: unknown): Promise<string[]> {
  const serving = createServing();
  const before = plansOf(await serving.serve(JSON.parse(document)));
  const planner = await serving.serve(change);
  const after = plansOf(planner);
  // Whatever was kept, it says what a program without history says.
  expect(describeProgram(planner)).toBe(await describeFiles(serving.files()));
  return Object.keys(queries).filter((role) => before[role] === after[role]);
}

describe('a program that follows another', () => {
  test('keeps the plans of all roles when nothing is about them', async () => {
    expect(await rolesKept(JSON.parse(document))).toEqual(['admin', 'user', 'visitor', 'reader']);
  });

  test('plans anew for the role whose permission changes, and for those that inherit it', async () => {
    const change = changed('article', ({ select_permissions: all }) => {
      all!.find(({ role }) => role === 'user')!.permission.limit = 7;
    });
    expect(await rolesKept(change)).toEqual(['admin', 'visitor']);
  });

  test('plans anew when the rows change that a relationship leads to', async () => {
    const change = changed('author', ({ select_permissions: all }) => {
      all!.find(({ role }) => role === 'user')!.permission.filter = { id: { _eq: 1 } };
    });
    expect(await rolesKept(change)).toEqual(['admin', 'visitor']);
  });

  test('plans anew when what a role may write changes', async () => {
    for (const list of ['insert_permissions', 'update_permissions', 'delete_permissions']) {
      const change = changed('article', (entry) => {
        entry[list] = [];
      });
      expect(await rolesKept(change), list).toEqual(['admin', 'visitor']);
    }
  });

  test('keeps nothing when a table changes', async () => {
    const change = changed('article', (entry) => {
      (entry as unknown as { configuration: object }).configuration = { custom_name: 'story' };
    });
    const serving = createServing();
    const before = await serving.serve(JSON.parse(document));
    const roleSchema = before.program.roleSchema('admin', false);
    const after = await serving.serve(change);
    expect(after.program.roleSchema('admin', false)).not.toBe(roleSchema);
    expect(describeProgram(after)).toBe(await describeFiles(serving.files()));
  });

  test('lets go of the plans that it does not keep', async () => {
    const serving = createServing();
    const first = await serving.serve(JSON.parse(document));
    plansOf(first);
    const count = first.kept.plans.size;
    for (let round = 0; round < 10; round += 1) {
      const change = changed('article', ({ select_permissions: all }) => {
        all!.find(({ role }) => role === 'user')!.permission.limit = 7 + round;
      });
      plansOf(await serving.serve(change));
    }
    expect(first.kept.plans.size).toBe(count);
    expect(first.kept.operations.size).toBe(Object.keys(queries).length);
  });

  test('does not take the plans of a session that may do more', async () => {
    const serving = createServing();
    const first = await serving.serve(JSON.parse(document));
    const [front, back] = [first.program.roleSchema('user', false), first.program.roleSchema('user', true)];
    expect(front).not.toBe(back);
    const second = await serving.serve(JSON.parse(document));
    expect(second.program.roleSchema('user', false)).toBe(front);
    expect(second.program.roleSchema('user', true)).toBe(back);
  });
});
