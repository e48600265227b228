import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { runInNewContext } from 'node:vm';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { writeFolder } from '../../../../compiler/cli/output-folder.ts';
import { compile } from '../../../../compiler/index.ts';
import { readMetadata } from '../../../../compiler/phases/1-read/index.ts';
import { auditMatrix } from '../../../../compiler/review/audit/matrix.ts';
import { matrixHtml } from '../../../../compiler/review/audit/page.ts';
import { matrixText, roleText, tableText, whoText } from '../../../../compiler/review/audit/render.ts';
import { whoCan } from '../../../../compiler/review/audit/who.ts';
import { type GeneratedCode, readTexts } from '../../../../compiler/review/generated-code/index.ts';
import { ruleLayout, ruleWords } from '../../../../runtime/core/condition/words.ts';
import { CANONICAL, Vocabulary } from '../../../../runtime/core/vocabulary.ts';
import { engine } from '../../../harness/command-line.ts';
import { catalogsOf } from '../../../harness/compile.ts';
import { defaultSource } from '../../../harness/metadata.ts';
import { createTestDatabase } from '../../../harness/postgres.ts';

const SQL = `
  create table person (id int primary key, name text not null, email text, salary int);
  create table task (id int primary key, owner_id int not null references person, title text);
  create view directory as select id, name, email from person;
  create view payroll as select count(*) as people, sum(salary) as total from person;
  create function person_label(person) returns text language sql stable as $$ select $1.name || $1.salary $$;
  create function find_people(words text) returns setof person language sql stable as $$
    select * from person where name ilike words $$;
`;

const foreignKey = (on: unknown) => ({ foreign_key_constraint_on: on });
const select = (role: string, columns: unknown, filter: object = {}, more: object = {}) => ({
  role,
  permission: { columns, filter, ...more },
});

const METADATA = {
  version: 3,
  sources: [
    defaultSource(
      {
        tables: [
          {
            table: 'person',
            array_relationships: [
              { name: 'tasks', using: foreignKey({ table: 'task', column: 'owner_id' }) },
            ],
            computed_fields: [{ name: 'label', definition: { function: 'person_label' } }],
            select_permissions: [
              select(
                'user',
                ['id', 'name', 'email'],
                { id: 'X-Engine-User-Id' },
                { limit: 10, allow_aggregations: true },
              ),
              select('clerk', ['id'], {}, { computed_fields: ['label'] }),
              select('finder', ['id', 'email'], {}, { query_root_fields: [], subscription_root_fields: [] }),
            ],
            insert_permissions: [
              {
                role: 'user',
                permission: {
                  columns: ['name'],
                  check: {},
                  set: { email: 'X-Engine-Mail' },
                  backend_only: true,
                },
              },
            ],
            update_permissions: [
              {
                role: 'user',
                permission: {
                  columns: ['email'],
                  filter: { id: { _gt: 0 } },
                  check: { email: { _is_null: false } },
                },
              },
            ],
          },
          {
            table: 'task',
            object_relationships: [{ name: 'owner', using: foreignKey('owner_id') }],
            select_permissions: [
              select('user', '*', { title: { _neq: 'secret' } }),
              select('finder', ['id']),
            ],
            insert_permissions: [{ role: 'user', permission: { columns: '*', check: {} } }],
          },
          { table: 'directory', select_permissions: [select('visitor', ['name', 'email'])] },
          { table: 'payroll', select_permissions: [select('visitor', ['total'])] },
        ],
        functions: [{ function: 'find_people' }],
      },
      'postgres://localhost/none',
    ),
  ],
  query_collections: [
    {
      name: 'web',
      definition: {
        queries: [
          { name: 'mine', query: 'query mine { person { tasks { title owner { email } } } }' },
          { name: 'search', query: 'query search($where: task_bool_exp!) { task(where: $where) { id } }' },
          {
            name: 'rename',
            query: 'mutation rename { update_person(where: {}, _set: {email: "x"}) { affected_rows } }',
          },
          { name: 'ids', query: 'query ids { task { id } }' },
        ],
      },
    },
  ],
};

let code: GeneratedCode;
let grouped: GeneratedCode;
let folder: string;

beforeAll(async () => {
  const database = await createTestDatabase(SQL);
  const { value: metadata } = readMetadata(METADATA);
  const catalogs = await catalogsOf(metadata, database.url);
  const { files, diagnostics } = compile({ metadata, catalogs });
  expect(diagnostics).toEqual([]);
  const naming = { enabled: false, default: 'engine-default', extensions: ['group_by'] } as const;
  grouped = readTexts({
    label: 'grouped',
    folder: 'generated',
    files: compile({ metadata, catalogs, naming }).files,
  });
  folder = mkdtempSync(join(tmpdir(), 'engine-audit-'));
  writeFolder(join(folder, 'generated'), files);
  code = readTexts({ label: 'here', folder: 'generated', files });
});
afterAll(() => rmSync(folder, { recursive: true }));

/** `role access via fields (rule parts)`, a line a path. */
function paths(table: string, column: string, role?: string, of = code): string[] {
  const found = of.program.tables.find(({ shape }) => shape.name === table)!;
  return whoCan(of, found, column)
    .paths.filter((path) => role === undefined || path.role === role)
    .map(
      ({ role: who, access, via, fields, rules, possible }) =>
        `${who} ${access} ${via}${possible ? '?' : ''}: ${fields.join(' ')} (${rules.map((rule) => `${rule.table.replace('public.', '')} ${rule.part}`).join(', ')})`,
    );
}

test('where groups are an extension that is switched on, they are paths of aggregates and of conditions', () => {
  const added = paths('person', 'email', 'user', grouped).filter((each) => each.includes('group_by'));
  expect(added).toEqual([
    'user read aggregate: person_aggregate person_group_by (person select)',
    'user read order and filter: person person_aggregate person_group_by person_stream where and order_by of task.owner (person select)',
  ]);
  expect(paths('person', 'email', 'clerk', grouped).join()).not.toContain('group_by');
  const { permissions } = auditMatrix(grouped);
  const offered = permissions.filter(({ fields }) => fields.includes('person_group_by'));
  expect(offered.map(({ role, operation }) => `${role} ${operation}`)).toEqual(['user select']);
});

test('a column is found by table, relationship, function, aggregate, filter, answers of mutations and saved operations', () => {
  expect(paths('person', 'email', 'user')).toEqual([
    'user read table: person person_by_pk person_stream (person select)',
    'user read relationship: task.owner (task select, person select)',
    'user read function: find_people find_people_aggregate (person select)',
    'user read aggregate: person_aggregate (person select)',
    'user read order and filter: person person_aggregate person_stream where and order_by of task.owner (person select)',
    // Not the rule of select: what was just written is shown.
    'user read answer of a mutation: insert_person insert_person_one (person insert check)',
    'user read answer of a mutation: update_person update_person_by_pk update_person_many (person update, person update check)',
    'user write update: update_person update_person_by_pk update_person_many (person update, person update check)',
    'user write upsert: on_conflict of insert_person on_conflict of insert_person_one on_conflict of task.owner (person insert check, person update, person update check)',
    'user write preset: insert_person insert_person_one (person insert check)',
    'user write preset: task.owner (task insert check, person insert check)',
    'user read saved operation: web.mine (person select)',
    'user read saved operation: web.search (person select)',
    'user write saved operation: web.rename ()',
  ]);
});

test('a role without root fields comes by relationships and functions', () => {
  expect(paths('person', 'email', 'finder')).toEqual([
    'finder read relationship: task.owner (task select, person select)',
    'finder read function: find_people (person select)',
    'finder read order and filter: where and order_by of task.owner (person select)',
    'finder read saved operation: web.search (person select)',
  ]);
});

test('a column that a role may not read stands in a related row', () => {
  expect(paths('task', 'owner_id', 'finder')).toEqual([
    'finder read relationship: task.owner.id (task select, person select)',
  ]);
  expect(paths('task', 'owner_id', 'user')).not.toContainEqual(expect.stringContaining('task.owner.id'));
});

test('views show columns past the rules of their table, and may show what they compute from', () => {
  expect(paths('person', 'email', 'visitor')).toEqual([
    'visitor read view: directory directory_stream (directory select)',
    'visitor read view: directory directory_stream (directory select)',
  ]);
  expect(paths('person', 'salary', 'visitor')).toEqual([
    'visitor read view?: payroll payroll_stream (payroll select)',
  ]);
});

test('a function that gets the whole row may show columns that the role cannot read', () => {
  expect(paths('person', 'salary')).toContain('clerk read computed field?: person.label (person select)');
  expect(paths('person', 'id', 'clerk').filter((path) => path.includes('?'))).toEqual([]);
});

test('nobody but admin: said in a sentence', () => {
  const table = code.program.tables.find(({ shape }) => shape.name === 'task')!;
  expect(whoText(whoCan({ ...code, roles: ['clerk'] }, table, 'title'), CANONICAL)).toContain(
    'No role but admin can read or write it.',
  );
});

test('texts name rules by number, with their places', () => {
  const table = code.program.tables.find(({ shape }) => shape.name === 'person')!;
  const text = whoText(whoCan(code, table, 'email'), CANONICAL);
  expect(text).toContain('  read   table                 person, person_by_pk, person_stream  –  rows [');
  expect(text).toMatch(
    /\[\d+\] public\.person, select {3}generated\/sources\/default\/public\/person\.access\.ts:\d+\n {6}id = X-Engine-User-Id; at most 10 rows of a list/,
  );
  expect(text).toContain('trusted callers only');
  expect(text).toMatch(/always set to\s+X-Engine-Mail/);
});

test('the matrix has a letter for each operation, capital where no rule holds rows back', () => {
  const lines = matrixText(auditMatrix(code)).split('\n');
  expect(lines.slice(0, 5).map((line) => line.trim())).toEqual([
    'table      clerk  finder  user   visitor',
    'directory  .      .       .      R---',
    'payroll    .      .       .      R---',
    // An insert sets a column to who is asking.
    // A preset binds its column, not the row.
    'person     R---   R---    rIu-+  .',
    'task       .      R---    rI--   .',
  ]);
});

test('one role, one table', () => {
  const matrix = auditMatrix(code);
  expect(roleText(matrix, 'user', CANONICAL)).toContain('    preset    email = X-Engine-Mail');
  expect(roleText(matrix, 'user', CANONICAL)).toContain('    columns   id, name, email  (not: salary)');
  const table = matrix.tables.find(({ key }) => key === 'public.person')!;
  expect(tableText(matrix, table, CANONICAL)).toContain(
    'Functions that return its rows\n  find_people: clerk, finder, user',
  );
});

test('the page holds its data and nothing that comes from elsewhere', () => {
  const evil = { ...auditMatrix(code), label: '</script><script>alert(1)</script>' };
  const html = matrixHtml(evil, CANONICAL);
  expect(html).not.toContain('<script>alert');
  expect(html).not.toMatch(/(?:src|href)=|url\(|import\(/);
  const script = /const matrix = (.*);\n/.exec(html)![1]!;
  expect(runInNewContext(`(${script})`)).toMatchObject({
    label: evil.label,
    roles: ['clerk', 'finder', 'user', 'visitor'],
  });
});

test('rules are read without what only Postgres needs; literals stay as they are', () => {
  const rule = `{row}."owner" = {session.x-engine-user-id::integer} and {row}."a" = '"b"  {{x}}'`;
  expect(ruleWords(rule, CANONICAL)).toBe(`owner = X-Engine-User-Id and a = '"b"  {x}'`);
  expect(ruleWords(rule, new Vocabulary('acme'))).toBe(`owner = X-Acme-User-Id and a = '"b"  {x}'`);
  expect(ruleLayout('\n        exists (\n          select 1\n        )\n      ', CANONICAL)).toBe(
    'exists (\n  select 1\n)',
  );
});

test('the command line finds tables by any of their names, and helps with wrong ones', async () => {
  const place = ['--generated', join(folder, 'generated')];
  const who = await engine('audit', 'who', 'person.email', '--format', 'json', ...place);
  expect(who.status).toBe(0);
  expect(JSON.parse(who.stdout)).toMatchObject({ table: 'public.person', column: 'email', type: 'text' });
  expect(await engine('audit', 'who', 'person.emial', ...place)).toMatchObject({
    status: 2,
    stderr: 'Table public.person has no column "emial". Did you mean "email"?\n',
  });
  expect(await engine('audit', 'table', 'persons', ...place)).toMatchObject({
    status: 2,
    stderr: 'No table "persons" is tracked. Did you mean "person"?\n',
  });
  expect(await engine('audit', 'role', 'usr', ...place)).toMatchObject({ status: 2 });
  expect((await engine('audit', 'role', 'user', ...place)).stdout).toContain('default · public.person');
  expect(await engine('audit', 'matrix', '--generated', join(folder, 'generated', 'sources'))).toMatchObject({
    status: 2,
    stderr: expect.stringContaining('holds no generated code'),
  });
});

test('a nested insert writes the key of the other row, which the request then cannot give', () => {
  const nested = paths('task', 'owner_id', 'user').filter((path) => path.includes('nested insert'));
  expect(nested).toEqual([
    'user write nested insert: person.tasks (person insert check, task insert check)',
    'user write nested insert: task.owner (task insert check, person insert check)',
  ]);
});
