import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import {
  CasesError,
  type DeclaredCase,
  readCases,
} from '../../../../compiler/review/permission-tests/cases.ts';
import type { TestResult } from '../../../../compiler/review/permission-tests/index.ts';
import {
  countChecks,
  junitXml,
  mutationScore,
  testText,
} from '../../../../compiler/review/permission-tests/report.ts';
import { metadata, OWN, SCHEMA, tested } from './setting.ts';

/** Checks that did not pass: `outcome: name`. */
function problems({ suites }: TestResult): string[] {
  return suites.flatMap(({ checks }) =>
    checks.flatMap(({ name, outcome }) => (outcome === 'passed' ? [] : [`${outcome}: ${name}`])),
  );
}

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
    'failed: a session with an empty x-engine-mail reaches only rows that every session reaches',
    'failed: a session with a null x-engine-mail reaches only rows that every session reaches',
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
  const good = await tested(metadata(OWN, writes(OWN)));
  expect(good.result.suites.map(({ name, checks }) => [name, checks.length])).toEqual([
    ['user · select · task', 5],
    ['user · insert check · task', 5],
    ['user · update · task', 5],
    ['user · update check · task', 5],
    ['user · delete · task', 5],
  ]);
  expect(problems(good.result)).toEqual([]);
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
    ['wrong', 'failed', '2 rows were answered, not 5: {"task":[{"id":3},{"id":4}]}'],
    ['answered', 'failed', 'it was answered: {"task_by_pk":{"id":3}}'],
    ['other', 'failed', expect.stringContaining('it was refused for another reason')],
  ]);
  expect(countChecks(result).failed).toBe(3);
});

const ACTIONS = {
  custom_types: {
    objects: [
      {
        name: 'Advice',
        fields: [
          { name: 'task_id', type: 'Int!' },
          { name: 'text', type: 'String!' },
        ],
        relationships: [
          {
            name: 'task',
            type: 'object',
            remote_table: { schema: 'public', name: 'task' },
            field_mapping: { task_id: 'id' },
          },
        ],
      },
    ],
  },
  actions: [
    {
      name: 'advise',
      definition: {
        type: 'query',
        arguments: [{ name: 'task_id', type: 'Int!' }],
        output_type: 'Advice!',
        handler: '{{BASE}}/advise',
        headers: [{ name: 'Secret', value_from_env: 'SECRET' }],
        request_transform: {
          version: 2,
          template_engine: 'Kriti',
          url: '{{$base_url}}/{{$body.input.task_id}}',
          body: {
            action: 'transform',
            template: '{"task": {{$body.input.task_id}}, "who": {{$session_variables["x-engine-user-id"]}}}',
          },
        },
        response_transform: {
          version: 2,
          template_engine: 'Kriti',
          body: {
            action: 'transform',
            template: '{"task_id": {{$request.body.task}}, "text": {{$body.advice}}}',
          },
        },
      },
      permissions: [{ role: 'user' }],
    },
    {
      name: 'close',
      definition: {
        type: 'mutation',
        kind: 'asynchronous',
        arguments: [{ name: 'id', type: 'Int!' }],
        output_type: 'Advice',
        handler: 'https://{{HOST}}/close',
      },
      permissions: [{ role: 'user' }],
    },
  ],
};

test('declared cases with actions: handlers that stand in, with transforms, relationships and stored calls', async () => {
  const declared = cases(`
- { name: answered, role: user, session: &me { X-Engine-User-Id: 10 }, query: &ask "{ advise(task_id: 1) { text task { id } } }", handlers: { advise: { receives: { task: 1, who: "10" }, answers: { advice: rest } } }, expect: { data: { advise: { text: rest, task: { id: 1 } } } } }
- { name: hidden row, role: user, session: { X-Engine-User-Id: 20 }, query: *ask, handlers: { advise: { answers: { advice: rest } } }, expect: { data: { advise: { text: rest, task: null } } } }
- { name: refusal, role: user, session: *me, query: *ask, handlers: { advise: { status: 409, answers: { message: taken, code: busy } } }, expect: { error: busy } }
- { name: misfit, role: user, session: *me, query: *ask, handlers: { advise: { answers: { advice: null } } }, expect: { error: unexpected } }
- { name: not offered, role: other, session: *me, query: *ask, expect: { error: validation-failed } }
- name: result
  role: user
  session: *me
  first: { query: "mutation { close(id: 1) }" }
  query: &result '{ close(id: "00000000-0000-4000-8000-000000000001") { errors output { text task { id } } } }'
  handlers: &closing { close: { receives: { action: { name: close }, input: { id: 1 }, session_variables: { x-engine-role: user, x-engine-user-id: "10" } }, answers: { task_id: 2, text: closed } } }
  expect: { data: { close: { errors: null, output: { text: closed, task: { id: 2 } } } } }
- { name: result of another, role: user, session: { X-Engine-User-Id: 20 }, first: { query: "mutation { close(id: 1) }", session: *me }, query: *result, handlers: *closing, expect: { data: { close: null } } }
- { name: failed result, role: user, session: *me, first: { query: "mutation { close(id: 1) }" }, query: *result, handlers: { close: { status: 400, answers: { message: gone } } }, expect: { data: { close: { errors: { error: gone, path: $, code: unexpected }, output: null } } } }
- { name: other body, role: user, session: *me, query: *ask, handlers: { advise: { receives: { task: 2 }, answers: { advice: rest } } }, expect: { data: {} } }
- { name: no handler, role: user, session: *me, query: *ask, expect: { error: unexpected } }
- { name: not called, role: user, session: *me, query: "{ task { id } }", handlers: { advise: { answers: 1 } }, expect: { rows: 2 } }
- { name: first fails, role: user, session: *me, first: { query: "{ nothing }" }, query: "{ task { id } }", expect: { rows: 2 } }
`);
  const { result } = await tested({ ...metadata(OWN), ...ACTIONS }, undefined, declared);
  expect(result.suites[0]!.checks.map(({ name, reason }) => [name, reason?.replace(/ {2}\(.*/, '')])).toEqual(
    [
      ['answered', undefined],
      ['hidden row', undefined],
      ['refusal', undefined],
      ['misfit', undefined],
      ['not offered', undefined],
      ['result', undefined],
      ['result of another', undefined],
      ['failed result', undefined],
      ['other body', 'the handler of advise got 1 as task, not 2'],
      ['no handler', 'the action advise was called, and the case has no handler for it'],
      ['not called', 'the handler of advise was not called'],
      ['first fails', expect.stringContaining("what runs first was refused: field 'nothing' not found")],
    ],
  );
});

test('declared cases about the schema name the fields of types', async () => {
  const declared = cases(`
- { name: all, role: user, types: { query_root: [task_by_pk, task], task: [id], mutation_root: null } }
- { name: more, role: user, types: { task: [], team: [id] } }
- { name: fewer, role: user, types: { task: [id, mail], task_order_by: null } }
`);
  const { result } = await tested(metadata(OWN), undefined, declared);
  expect(result.suites[0]!.checks.map(({ reason }) => reason?.replace(/ {2}\(.*/, ''))).toEqual([
    undefined,
    'the type task has id as well; the type team is not offered',
    'the type task lacks mail; the type task_order_by is offered',
  ]);
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
    '/cases.yaml:1: the key "expect" is missing.',
  );
  expect(refused('- name: x\n  role: user\n  expect: { rows: 1 }\n')).toBe(
    '/cases.yaml:1: the key "query" is missing; it is the operation to run, such as "{ ticket { id } }".',
  );
  expect(refused('- name: x\n  role: user\n  query: "{a}"\n  expect: { row: 1 }\n')).toBe(
    '/cases.yaml:1: expect is one of data, rows and error.',
  );
  expect(refused('- name: x\n  role: user\n  query: "{a}"\n  expcet: {}\n  expect: { rows: 1 }\n')).toContain(
    'expcet',
  );
  expect(refused('name: x')).toBe('/cases.yaml: a list of cases is expected.');
});

test('weakened permissions are tested as they would be committed', async () => {
  const rule = metadata({ ...OWN, public: true });
  const weak = ({ mutations }: TestResult) => mutations.map(({ what, noticedBy }) => [what, noticedBy]);
  const alone = await tested(rule, undefined, [], true);
  expect(weak(alone.result)).toEqual([
    // The weakened rule names no session variable: only the checks of the rule before notice it.
    ['without owner: X-Engine-User-Id', 'base'],
    ['without public: true', undefined],
    ['with _or instead of _and: owner: X-Engine-User-Id; public: true', 'base'],
    ['with a branch: _or team_id: { _is_null: false }', 'isolation'],
    ['for some row of task instead of this one: owner: X-Engine-User-Id, public: true', 'base'],
    ['owner may be read', undefined],
    ['team_id may be read', undefined],
    ['mail may be read', undefined],
    ['public may be read', undefined],
    ['with allow_aggregations', undefined],
  ]);
  expect(mutationScore(alone.result.mutations)).toBe(10);
  expect(testText(alone.result)).toContain(
    [
      'Mutations  1 of 10 weakened permissions noticed by isolation alone, 0 by cases: 10 % when committed',
      '           rule 1/5, column 0/4, operation 0/1',
      '           not covered by any of them: new roles',
      '           with --base 3 of the other 9 would be noticed',
    ].join('\n'),
  );
  const declared = cases(`
- { name: own and public, role: user, session: { X-Engine-User-Id: 10 }, query: "{ task { id } }", expect: { data: { task: [{ id: 1 }] } } }
- { name: columns, role: user, query: '{ __type(name: "task") { fields { name } } }', expect: { data: { __type: { fields: [{ name: id }] } } } }
- { name: fields, role: user, query: "{ __schema { queryType { fields { name } } } }", expect: { data: { __schema: { queryType: { fields: [{ name: task }, { name: task_by_pk }] } } } } }
`);
  const both = await tested(rule, undefined, declared, true);
  expect(weak(both.result).filter(([, noticedBy]) => noticedBy !== 'case')).toEqual([]);
  expect(mutationScore(both.result.mutations)).toBe(100);
});

test('mutants of presets, backend_only, limits, checks and what is inside relationships', async () => {
  const { result } = await tested(
    metadata(
      { team: { name: 'X-Engine-Team' } },
      {
        ...write('insert', {
          columns: ['id'],
          check: {},
          set: { owner: 'X-Engine-User-Id' },
          backend_only: true,
        }),
        ...write('update', { columns: ['mail'], filter: OWN, check: { ...OWN, public: true } }),
      },
    ),
    undefined,
    [],
    true,
  );
  const whats = result.mutations.map(({ rule, what }) => `${rule}: ${what}`);
  expect(whats).toEqual(
    expect.arrayContaining([
      'user · select · task: in team: without name: X-Engine-Team',
      'user · select · task: with _exists on team, which need not be related, instead of team: name: X-Engine-Team',
      'user · insert · task: owner given by the client, instead of X-Engine-User-Id',
      'user · insert · task: owner set to 20, instead of X-Engine-User-Id',
      'user · insert · task: mail may be inserted',
      'user · insert · task: without backend_only',
      'user · update check · task: without any check',
    ]),
  );
});

test('checks of deleted rows are tried and weakened, beside the row rule', async () => {
  const { result } = await tested(
    metadata(OWN, write('delete', { filter: {}, check: { ...OWN, public: true } })),
    undefined,
    [],
    true,
  );
  expect(result.suites.map(({ name }) => name)).toEqual([
    'user · select · task',
    'user · delete check · task',
  ]);
  expect(problems(result)).toEqual([]);
  const noticed = result.mutations.filter(({ noticedBy }) => noticedBy !== undefined);
  expect(noticed.map(({ rule, what }) => `${rule}: ${what}`)).toContain(
    'user · delete check · task: without owner: X-Engine-User-Id',
  );
  expect(result.mutations.map(({ rule, what }) => `${rule}: ${what}`)).toContain(
    'user · delete check · task: without any check',
  );
});

test('a check of deleted rows that says the same for every session fails', async () => {
  const { result } = await tested(
    metadata(OWN, write('delete', { filter: {}, check: { _or: [OWN, { id: { _gt: 0 } }] } })),
  );
  expect(problems(result)).toEqual(['failed: rows depend on x-engine-user-id']);
});

test('the isolation checks of an earlier version are run on the present one', async () => {
  const writes = {
    ...write('update', { columns: ['mail'], filter: OWN, check: OWN }),
    ...write('delete', { filter: OWN }),
  };
  const base = metadata({ ...OWN, public: true }, writes);
  const of = async (present: object) => {
    const { result } = await tested(present, undefined, [], false, base);
    return { result, problems: problems(result) };
  };
  const same = await of(base);
  expect(same.problems).toEqual([]);
  expect(testText(same.result)).toContain('Base       main: 0 changed rules tried as they were, 4 unchanged');
  const weakened = await of(
    metadata(
      { public: true },
      { ...write('update', { columns: ['mail'], filter: OWN }), ...write('delete', { filter: OWN }) },
    ),
  );
  // Without a base nothing fails: the rules that are left hold what they say.
  expect(weakened.result.suites.filter(({ name }) => !name.startsWith('main: ')).length).toBe(2);
  expect(weakened.problems).toEqual([
    'failed: rows depend on x-engine-user-id',
    'failed: a session with a x-engine-user-id that no row has reaches nothing',
    'failed: rows depend on x-engine-user-id',
    'failed: a session with a x-engine-user-id that no row has reaches nothing',
  ]);
  const gone = await of(metadata({ ...OWN, public: true }, write('delete', { filter: OWN })));
  expect(gone.problems).toEqual([]);
  expect(testText(gone.result)).toContain(
    '2 rules not tried, because the permission is gone: user · update · task, user · update check · task',
  );
});

test('rows that look alike to the role are told apart by their key', async () => {
  const alike = metadata({}) as { sources: { tables: object[] }[] };
  alike.sources[0]!.tables[0] = {
    table: 'task',
    select_permissions: [{ role: 'user', permission: { columns: ['public'], filter: OWN } }],
  };
  const { result } = await tested(
    alike,
    `${SCHEMA} insert into task values (1, 10, null, 'a', true), (2, 20, null, 'a', true);`,
  );
  expect(problems(result)).toEqual([]);
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
    withoutSession: 0,
    leftOut: 0,
    byCasesOnly: { functions: 0, views: 1, triggers: 0 },
    validated: 0,
    notCovered: [],
    suggestions: [],
  });
  expect(xml).toContain('<testsuites name="engine test" tests="3" failures="1" skipped="1">');
  expect(xml).toContain('<testcase classname="a &quot;b&quot; &lt;c&gt;" name="one &amp; two"/>');
  expect(xml).toContain('<failure message="because? &lt;of this&gt;"/>');
  expect(xml).toContain('<skipped message="no rows"/>');
});
