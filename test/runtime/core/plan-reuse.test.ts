/** Requests that differ in values alone share a plan; those whose values choose between statements do not. */

import { beforeAll, expect, test } from 'vitest';
import { compile } from '../../../compiler/index.ts';
import { readMetadata } from '../../../compiler/phases/1-read/index.ts';
import { linkProgram } from '../../../runtime/core/program/program.ts';
import { createPlanner, type Planner } from '../../../runtime/core/request/planner.ts';
import { NOBODY } from '../../../runtime/core/session.ts';
import { readDatabase } from '../../../runtime/database/read-database.ts';
import { createLoader } from '../../../runtime/program/loader.ts';
import { metadataOf } from '../../harness/metadata.ts';
import { createTestDatabase } from '../../harness/postgres.ts';

let planner: Planner;
beforeAll(async () => {
  const database = await createTestDatabase(
    'create table task (id int primary key, title text, done boolean)',
  );
  const catalog = await readDatabase({ connectionString: database.url }, []);
  const { files } = compile({
    metadata: readMetadata(metadataOf([{ table: 'task' }])).value,
    catalogs: { default: catalog },
  });
  const program = linkProgram(await createLoader().load(files), { inferFunctionPermissions: true });
  planner = createPlanner(program, { stringifyNumbers: false, collapseNulls: false });
});

function planOf(query: string, variables: Record<string, unknown>) {
  return planner.plan({ ...NOBODY, role: 'admin' }, { query, variables }).plan;
}

test('booleans of columns, each by itself and in objects', () => {
  const one = 'mutation ($done: Boolean) { insert_task_one(object: {id: 1, done: $done}) { id } }';
  expect(planOf(one, { done: true })).toBe(planOf(one, { done: false }));
  expect(planOf(one, { done: null })).not.toBe(planOf(one, { done: false }));
  const many = 'mutation ($tasks: [task_insert_input!]!) { insert_task(objects: $tasks) { affected_rows } }';
  const tasks = (...done: boolean[]) => ({ tasks: done.map((each, id) => ({ id, done: each })) });
  expect(planOf(many, tasks(true, false))).toBe(planOf(many, tasks(false, false)));
  expect(planOf(many, tasks(true, false))).not.toBe(planOf(many, tasks(true)));
});

test('booleans that choose between statements', () => {
  const isNull = 'query ($yes: Boolean!) { task(where: {title: {_is_null: $yes}}) { id } }';
  expect(planOf(isNull, { yes: true })).not.toBe(planOf(isNull, { yes: false }));
  for (const where of [
    'done: {_eq: $yes}, title: {_is_null: $yes}',
    'title: {_is_null: $yes}, done: {_eq: $yes}',
  ]) {
    const both = `query ($yes: Boolean!) { task(where: {${where}}) { id } }`;
    expect(planOf(both, { yes: true })).not.toBe(planOf(both, { yes: false }));
  }
  const included =
    'query ($yes: Boolean!) { task(where: {done: {_eq: $yes}}) { id title @include(if: $yes) } }';
  expect(planOf(included, { yes: true })).not.toBe(planOf(included, { yes: false }));
});
