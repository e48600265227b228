import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { run } from '../../../../compiler/cli/cli.ts';
import { compile } from '../../../../compiler/index.ts';
import { readMetadata } from '../../../../compiler/phases/1-read/index.ts';
import {
  CasesError,
  type DeclaredCase,
  readCases,
} from '../../../../compiler/review/permission-tests/cases.ts';
import { type TestResult, testPermissions } from '../../../../compiler/review/permission-tests/index.ts';
import {
  countChecks,
  junitXml,
  mutationScore,
  testText,
} from '../../../../compiler/review/permission-tests/report.ts';
import { openTrialDatabase } from '../../../../compiler/review/permission-tests/trial.ts';
import { catalogsOf } from '../../../harness/compile.ts';
import { createTestDatabase } from '../../../harness/postgres.ts';

const SCHEMA = `
  create table team (id int primary key, name text not null);
  create table task (id int primary key, owner int, team_id int references team, mail text, public boolean not null);
`;
const ROWS = `
  insert into team values (1, 'one'), (2, 'two');
  insert into task values (1, 10, 1, 'a', true), (2, 10, 2, 'b', false), (3, 20, 2, 'c', true), (4, 20, 1, 'a', false), (5, null, 1, null, true);
`;
const SERVING = { stringifyNumbers: false, collapseNulls: false, inferFunctionPermissions: true };

function metadata(filter: object, more: object = {}): object {
  return {
    version: 3,
    sources: [
      {
        name: 'default',
        kind: 'postgres',
        configuration: { connection_info: { database_url: 'postgres://localhost/none' } },
        tables: [
          {
            table: 'task',
            object_relationships: [{ name: 'team', using: { foreign_key_constraint_on: 'team_id' } }],
            select_permissions: [{ role: 'user', permission: { columns: ['id'], filter } }],
            ...more,
          },
          { table: 'team' },
        ],
      },
    ],
  };
}

async function tested(
  json: object,
  sql = SCHEMA + ROWS,
  cases: readonly DeclaredCase[] = [],
  mutations = false,
) {
  const database = await createTestDatabase(sql);
  const { value } = readMetadata(json);
  const catalogs = await catalogsOf(value, database.url);
  const { state, diagnostics } = compile({ metadata: value, catalogs });
  expect(diagnostics).toEqual([]);
  const trials = await openTrialDatabase({ connectionString: database.url });
  const { model, plan } = state;
  try {
    const databases = new Map([['default', trials]]);
    const result = await testPermissions({
      model,
      plan,
      catalogs,
      serving: SERVING,
      cases,
      databases,
      isolation: true,
      mutations,
      say: () => {},
    });
    return { result, database };
  } finally {
    await trials.close();
  }
}

/** Checks that did not pass: `outcome: name`. */
function problems({ suites }: TestResult): string[] {
  return suites.flatMap(({ checks }) =>
    checks.flatMap(({ name, outcome }) => (outcome === 'passed' ? [] : [`${outcome}: ${name}`])),
  );
}

const OWN = { owner: 'X-Engine-User-Id' };

test('a rule whose rows depend on the session passes', async () => {
  const { result } = await tested(metadata(OWN));
  expect(result.suites.map(({ name, checks }) => [name, checks.length])).toEqual([
    ['user · select · task', 5],
  ]);
  expect(problems(result)).toEqual([]);
  const shared = await tested(metadata({ _or: [OWN, { public: true }] }));
  expect(problems(shared.result)).toEqual([]);
});

test('a rule that names a variable on which nothing depends fails', async () => {
  const { result } = await tested(metadata({ _or: [OWN, { id: { _gt: 0 } }] }));
  expect(problems(result)).toEqual(['failed: rows depend on x-engine-user-id']);
  expect(testText(result)).toContain('sessions that differ in x-engine-user-id alone reach the same rows');
});

test('a rule by which a session with nothing in it sees more than others fails', async () => {
  const { result } = await tested(metadata({ mail: { _neq: 'X-Engine-Mail' } }));
  expect(problems(result)).toEqual([
    'failed: a session with an empty x-engine-mail reaches no more than everybody',
    'failed: a session with a null x-engine-mail reaches no more than everybody',
  ]);
});

test('lists, relationships and several variables', async () => {
  const { result } = await tested(
    metadata(
      { team_id: { _in: 'X-Engine-Team-Ids' }, team: { name: 'X-Engine-Team' } },
      {
        delete_permissions: [{ role: 'user', permission: { filter: OWN } }],
      },
    ),
  );
  expect(result.suites.map(({ name, checks }) => [name, checks.length])).toEqual([
    ['user · select · task', 10],
    ['user · delete · task', 5],
  ]);
  expect(problems(result).filter((problem) => problem.startsWith('failed'))).toEqual([]);
});

const write = (operation: string, permission: object) => ({
  [`${operation}_permissions`]: [{ role: 'user', permission }],
});
/** Lets every owner's rows through beside one's own. */
const LEAK = { _or: [OWN, { id: { _gt: 0 } }] };

test('writes are tried as requests: checks of inserts and updates, rows of updates and deletes', async () => {
  const writes = (rule: object) => ({
    ...write('insert', { columns: ['id', 'mail'], check: rule, set: { team_id: 'X-Engine-Team-Id' } }),
    ...write('update', { columns: ['mail'], filter: rule, check: rule }),
    ...write('delete', { filter: rule }),
  });
  const good = await tested(metadata(OWN, writes(OWN)), undefined, [], true);
  expect(good.result.suites.map(({ name, checks }) => [name, checks.length])).toEqual([
    ['user · select · task', 5],
    ['user · insert check · task', 5],
    ['user · update · task', 5],
    ['user · update check · task', 5],
    ['user · delete · task', 5],
  ]);
  expect(problems(good.result)).toEqual([]);
  expect(mutationScore(good.result.mutations)).toBe(100);
  expect(await good.database.query('select count(*)::int as tasks, min(mail) as mail from task')).toEqual([
    { tasks: 5, mail: 'a' },
  ]);
  const bad = await tested(metadata(OWN, writes(LEAK)));
  const failed = bad.result.suites.filter(({ checks }) => checks.some(({ outcome }) => outcome === 'failed'));
  expect(failed.map(({ name }) => name)).toEqual([
    'user · insert check · task',
    'user · update · task',
    'user · update check · task',
    'user · delete · task',
  ]);
});

test('a check beside a filter hides no leak of it, and neither does a filter one of the check', async () => {
  const result = async (filter: object, check: object) =>
    problems(
      (await tested(metadata(OWN, write('update', { columns: ['owner', 'mail'], filter, check })))).result,
    );
  expect(await result(LEAK, OWN)).toEqual(['failed: rows depend on x-engine-user-id']);
  expect(await result(OWN, LEAK)).toEqual(['failed: rows depend on x-engine-user-id']);
});

test('what is served is tried, whatever the fields are called and however few rows a list has', async () => {
  const json = metadata(OWN) as { sources: { customization?: object; tables: object[] }[] };
  const source = json.sources[0]!;
  source.customization = {
    root_fields: { namespace: 'work', prefix: 'the_' },
  };
  source.tables[0] = {
    ...source.tables[0],
    select_permissions: [
      {
        role: 'user',
        permission: { columns: ['id', 'team_id'], filter: LEAK, limit: 1, query_root_fields: [] },
      },
    ],
    ...write('delete', { filter: OWN }),
  };
  const { result } = await tested(json);
  expect(result.suites.map(({ name, checks }) => [name, checks[0]!.outcome])).toEqual([
    ['user · select · task', 'failed'],
    ['user · delete · task', 'passed'],
  ]);
});

test('a branch to which no row belongs gets some; where there are none, nothing is said to have failed', async () => {
  const byTeam = { _or: [OWN, { team: { name: 'X-Engine-Team' } }] };
  const alone = `${SCHEMA} insert into task values (1, 10, null, 'a', true), (2, 20, null, 'b', true);`;
  const { result, database } = await tested(metadata(byTeam), alone);
  expect(problems(result)).toEqual([]);
  expect(await database.query('select count(*)::int as tasks from task')).toEqual([{ tasks: 2 }]);
  const impossible = await tested(metadata(byTeam), `${alone} alter table task add check (team_id is null)`);
  expect(problems(impossible.result)).toEqual(['unproven: rows depend on x-engine-team']);
});

test('tables without rows get some, joined by their foreign keys; where that fails it is told', async () => {
  const { result, database } = await tested(metadata({ team: { name: 'X-Engine-Team' } }), SCHEMA);
  expect(problems(result)).toEqual([]);
  expect(
    await database.query('select count(*)::int as tasks, count(team_id)::int as joined from task'),
  ).toEqual([{ tasks: 6, joined: 6 }]);
  const impossible = await tested(
    metadata(OWN),
    `${SCHEMA} alter table task add check (mail = 'never'), alter mail set not null`,
  );
  expect([...impossible.result.emptyTables.keys()]).toEqual(['public.task']);
  expect(problems(impossible.result)).toEqual(['unproven: rows depend on x-engine-user-id']);
  expect(testText(impossible.result)).toContain(
    '○ 1 unproven: no rows to take session variables from, and none could be made: ',
  );
});

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'engine-permission-tests-'));
});
afterAll(() => rmSync(folder, { recursive: true }));

function cases(text: string): DeclaredCase[] {
  writeFileSync(join(folder, 'cases.yaml'), text);
  return readCases(join(folder, 'cases.yaml'));
}

test('declared cases: data, rows, errors; what they write is undone', async () => {
  const declared = cases(`
- { name: own, role: user, session: { X-Engine-User-Id: 10 }, query: "{ task(order_by: {id: asc}) { id } }", expect: { data: { task: [{ id: 1 }, { id: 2 }] } } }
- { name: given, role: user, session: { X-Engine-User-Id: 10 }, given: "delete from task where id = 1", query: "{ task { id } }", expect: { rows: 1 } }
- { name: again, role: user, session: { X-Engine-User-Id: 10 }, query: "{ task { id } }", expect: { rows: 2 } }
- { name: refused, role: user, session: { X-Engine-User-Id: 10 }, query: "{ task { owner } }", expect: { error: validation-failed } }
- { name: incomplete, role: user, query: "{ task { id } }", expect: { error: "missing session variable" } }
- { name: wrong, role: user, session: { X-Engine-User-Id: 20 }, query: "{ task { id } }", expect: { rows: 5 } }
- { name: answered, role: user, session: { X-Engine-User-Id: 20 }, query: "{ task_by_pk(id: 3) { id } }", expect: { error: permission-error } }
- { name: other, role: user, session: { X-Engine-User-Id: x }, query: "{ task { id } }", expect: { error: not-found } }
`);
  const { result } = await tested(metadata(OWN), undefined, declared);
  const suite = result.suites[0]!;
  expect(
    suite.checks.map(({ name, outcome, reason }) => [name, outcome, reason?.replace(/ {2}\(.*/, '')]),
  ).toEqual([
    ['own', 'passed', undefined],
    ['given', 'passed', undefined],
    ['again', 'passed', undefined],
    ['refused', 'passed', undefined],
    ['incomplete', 'passed', undefined],
    ['wrong', 'failed', '2 rows were answered, not 5'],
    ['answered', 'failed', 'it was answered: {"task_by_pk":{"id":3}}'],
    ['other', 'failed', expect.stringContaining('it was refused for another reason')],
  ]);
  expect(countChecks(result).failed).toBe(3);
});

test('a case that means nothing is refused with its line', () => {
  const refused = (text: string) => {
    try {
      cases(text);
      return '';
    } catch (error) {
      expect(error).toBeInstanceOf(CasesError);
      return (error as Error).message.replace(folder, '');
    }
  };
  expect(refused('- name: x\n  role: user\n  query: "{a}"\n')).toBe(
    '/cases.yaml:1: expect is one of data, rows and error.',
  );
  expect(refused('- name: x\n  role: user\n  query: "{a}"\n  expcet: {}\n  expect: { rows: 1 }\n')).toContain(
    'expcet',
  );
  expect(refused('name: x')).toBe('/cases.yaml: a list of cases is expected.');
});

test('weakened rules: those about the session are noticed by isolation, others by cases', async () => {
  const rule = metadata({ ...OWN, public: true });
  const alone = await tested(rule, undefined, [], true);
  const weak = (result: TestResult) => result.mutations.map(({ what, noticed }) => [what, noticed]);
  expect(weak(alone.result)).toEqual([
    ['without owner = X-Engine-User-Id', true],
    ['without public = true', false],
    // Whoever owns nothing would see the public tasks.
    ['with or: owner = X-Engine-User-Id or public = true', true],
  ]);
  expect(mutationScore(alone.result.mutations)).toBe(66);
  expect(testText(alone.result)).toContain('Mutations  2 of 3 weakened rules noticed (66 %)');
  const declared = cases(
    '- { name: public only, role: user, session: { X-Engine-User-Id: 10 }, query: "{ task { id } }", expect: { data: { task: [{ id: 1 }] } } }',
  );
  const both = await tested(rule, undefined, declared, true);
  expect(mutationScore(both.result.mutations)).toBe(100);
});

test('JUnit says what failed and what was skipped, and is XML whatever names hold', () => {
  const xml = junitXml({
    suites: [
      {
        name: 'a "b" <c>',
        checks: [
          { name: 'one & two', outcome: 'passed' },
          { name: 'three', outcome: 'failed', reason: 'because\u0007 <of this>' },
          { name: 'four', outcome: 'unproven', reason: 'no rows' },
        ],
      },
    ],
    mutations: [],
    emptyTables: new Map(),
  });
  expect(xml).toContain('<testsuites name="engine test" tests="3" failures="1" skipped="1">');
  expect(xml).toContain('<testcase classname="a &quot;b&quot; &lt;c&gt;" name="one &amp; two"/>');
  expect(xml).toContain('<failure message="because? &lt;of this&gt;"/>');
  expect(xml).toContain('<skipped message="no rows"/>');
});

test('the command makes the database of migrations, and fails when a check does', async () => {
  mkdirSync(join(folder, 'migrations'));
  writeFileSync(join(folder, 'migrations/1.sql'), SCHEMA);
  writeFileSync(join(folder, 'seed.sql'), ROWS);
  writeFileSync(join(folder, 'metadata.json'), JSON.stringify(metadata({ ...OWN, public: true })));
  const engine = async (...more: string[]) => {
    let output = '';
    const write = (text: string) => {
      output += text;
    };
    const place = [
      '--metadata',
      join(folder, 'metadata.json'),
      '--migrations',
      join(folder, 'migrations'),
      '--seed',
      join(folder, 'seed.sql'),
    ];
    const status = await run(['test', ...place, ...more], { environment: {}, stdout: write, stderr: write });
    return { status, output };
  };
  const good = await engine('--junit', join(folder, 'results.xml'));
  expect(good).toMatchObject({ status: 0, output: expect.stringContaining('Checks     5 passed') });
  expect(readFileSync(join(folder, 'results.xml'), 'utf8')).toContain('failures="0"');
  const low = await engine('--mutations', '--minimum-score', '90');
  expect(low).toMatchObject({
    status: 1,
    output: expect.stringContaining('The mutation score of 66 % is below 90 %.'),
  });
});
