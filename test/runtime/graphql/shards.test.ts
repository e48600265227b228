/** What a mutation on distributed tables sends: one transaction that says so, whose statements run once. */

import { readdirSync, readFileSync } from 'node:fs';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { parse } from 'yaml';
import type { EngineError } from '../../../runtime/core/errors.ts';
import type { QueryPlan } from '../../../runtime/core/request/plan.ts';
import { createPlanner } from '../../../runtime/core/request/planner.ts';
import { CANONICAL } from '../../../runtime/core/vocabulary.ts';
import type { JsonObject } from '../../../runtime/metadata/metadata.ts';
import { CITUS } from '../../harness/citus.ts';
import { type InProcess, serveInProcess } from '../../harness/in-process.ts';
import { type LoggedDatabase, startLoggedDatabase } from '../../harness/statement-log.ts';

const read = (file: string) => readFileSync(new URL(`../../requests/citus/${file}`, import.meta.url), 'utf8');

let database: LoggedDatabase;
let served: InProcess;
beforeAll(async () => {
  database = await startLoggedDatabase(read('schema.sql'));
  await database.query(read('rows.sql').replace(/insert into (plan|ticket_status|setting) [^;]*;/g, ''));
  const distribution = JSON.parse(read('distribution.json'));
  const metadata = parse(read('metadata.yaml')) as JsonObject;
  served = await serveInProcess(database.url, metadata, undefined, { distribution });
});
afterAll(async () => {
  await served?.end();
  await database?.stop();
});

const SESSION = { 'x-engine-tenant-id': '1', 'x-engine-user-id': '1' };

async function sent(query: string, role = 'agent'): Promise<string[]> {
  database.statements();
  await served.answer({ query }, role, SESSION).catch(() => undefined);
  return database.statements().map((text) => text.replace(/\s+/g, ' ').slice(0, 44));
}

const BEGIN = 'begin isolation level read committed read wr';
const SEQUENTIALLY = "set local citus.multi_shard_modify_mode to '";
const KEEPING = "set local citus.propagate_set_commands to 'l";
const WRITER = "select pg_catalog.set_config('engine.user', ";
const UPDATE = 'with "written" as (update "public"."tag" as ';

test('several fields are one transaction', async () => {
  const field = (id: number) =>
    `update_tag_by_pk(pk_columns: {tenant_id: 1, id: ${id}}, _set: {name: "tag ${id}"}) { id }`;
  expect(await sent(`mutation { a: ${field(1)} b: ${field(2)} }`)).toEqual([
    BEGIN,
    WRITER,
    UPDATE,
    UPDATE,
    'commit',
  ]);
});

test('one row is a transaction of its own too, and what fails is not run again', async () => {
  const one =
    'mutation { update_tag_by_pk(pk_columns: {tenant_id: 1, id: 1}, _set: {name: "tag 2"}) { id } }';
  expect(await sent(one)).toEqual([BEGIN, WRITER, UPDATE]);
});

test.each([
  [
    'a write of all shards',
    'admin',
    'mutation { update_tag(where: {}, _set: {name: "tag 3"}) { affected_rows } }',
    [SEQUENTIALLY],
  ],
  [
    'a write that keeps rows',
    'agent',
    'mutation { update_ticket_by_pk(pk_columns: {tenant_id: 1, id: 1}, _inc: {votes: 1}) { customer { name } } }',
    [KEEPING],
  ],
  [
    'the second field',
    'admin',
    `mutation { a: update_tag_by_pk(pk_columns: {tenant_id: 1, id: 1}, _set: {name: "tag 4"}) { id }
      b: update_ticket(where: {}, _inc: {votes: 1}) { affected_rows }
      c: update_ticket_by_pk(pk_columns: {tenant_id: 1, id: 1}, _inc: {votes: 1}) { customer { name } } }`,
    [SEQUENTIALLY, KEEPING],
  ],
  ['nothing', 'admin', 'mutation { insert_plan_one(object: {value: "gold", comment: "x"}) { value } }', []],
  ['nothing', 'admin', 'mutation { delete_setting(where: {}) { affected_rows } }', []],
])('settings of a transaction are those that it needs: for %s', async (_, role, query, settings) => {
  const [begin, ...statements] = await sent(query, role);
  expect(begin).toBe(BEGIN);
  expect(statements.slice(0, statements.indexOf(WRITER))).toEqual(settings);
});

test('a query has no transaction', async () => {
  expect(await sent('{ tag { name } }')).toHaveLength(1);
});

interface Case {
  readonly role: string;
  readonly session?: Record<string, string>;
  readonly request: string;
  readonly options?: unknown;
  readonly relay?: true;
  readonly variables?: Record<string, unknown>;
}

const queries = readdirSync(new URL('../../requests/citus/', import.meta.url))
  .filter((file) => /^(router|all-shards|fixed|reference|single|refused)-.*yaml$/.test(file))
  .map((file) => [file, parse(read(file)) as Case] as const)
  .filter(([, { request, options }]) => /^(query\b.*|)\s*\{/.test(request) && !options);

test.each(queries)('a live query answers as the query does, or is refused as it is: %s', async (_, asked) => {
  const { role, session, relay, request, variables } = asked;
  const query = request.replace(/^(query)?\s*(\w*)(\([^)]*\))?/, (_all, _query, name = '', declared = '') => {
    return `subscription ${name}${declared} @_multiple_top_level_fields `;
  });
  const settled = async (answer: Promise<string>) => answer.catch((error: EngineError) => error.message);
  expect(await settled(served.live({ query, variables, relay }, role, session))).toBe(
    await settled(served.answer({ query: request, variables, relay }, role, session)),
  );
});

test.each([
  ['of the row alone', 'closer', undefined],
  ['of other rows', 'clearer', 'not-supported'],
])('a check of deleted rows, which is asked after the delete: %s', async (_, role, code) => {
  const query = 'mutation { delete_ticket(where: {}) { affected_rows } }';
  const answer = served.answer({ query }, role, { 'x-engine-tenant-id': '99' });
  expect(
    await answer.then(
      () => undefined,
      (error: EngineError) => error.code,
    ),
  ).toBe(code);
});

test('the cases are found', () => expect(queries.length).toBeGreaterThan(30));

/** Of the rows that the answer of an action refers to. */
const ELSEWHERE =
  'for rows that are not of a table, as those of an action or a remote schema, and no rule or argument fixes them';

test.each([
  ['admin', 'ticket { id }', undefined],
  ['admin', 'messages { body }', undefined],
  ['admin', 'ticket { id messages { body } }', ELSEWHERE],
  ['admin', 'ticket { id customer { name } }', ELSEWHERE],
  ['admin', 'messages(limit: 1) { body }', ELSEWHERE],
  ['admin', 'messages { body ticket { subject } }', ELSEWHERE],
  ['agent', 'ticket { id messages { body } }', undefined],
  ['agent', 'messages(limit: 1) { body ticket { subject } }', undefined],
])('rows that the answer of an action refers to, as %s: %s', (role, selection, why) => {
  for (const field of ['suggested', 'suggestion']) {
    const planned = () => served.statements({ query: `{ ${field} { ${selection} } }` }, role, SESSION);
    if (why === undefined) expect(planned()).toEqual([]);
    else expect(planned).toThrow(why);
  }
});

test.each([
  ['admin', 'ticket { messages { body } }', ELSEWHERE],
  ['agent', 'ticket { subject messages { body } }', undefined],
])('the same of an asynchronous action, watched as %s: %s', async (role, selection, why) => {
  const metadata = parse(read('metadata.yaml')) as JsonObject & { actions: JsonObject[] };
  metadata.actions.push({
    name: 'suggesting',
    definition: { kind: 'asynchronous', handler: 'http://localhost', output_type: 'Suggestion' },
    permissions: [{ role: 'agent' }],
  });
  const distribution = JSON.parse(read('distribution.json'));
  const own = await serveInProcess(database.url, metadata, undefined, { distribution });
  const planner = createPlanner(own.program, { stringifyNumbers: false, collapseNulls: false });
  const fields = `suggesting(id: "00000000-0000-0000-0000-000000000000") { output { ${selection} } }`;
  const session = {
    vocabulary: CANONICAL,
    role,
    backendOnly: false,
    variables: { 'x-engine-role': role, ...SESSION },
  };
  const statementsOf = (kind: 'query' | 'subscription') => () => {
    const request = { query: `${kind} { ${fields} }` };
    const planned = kind === 'query' ? planner.plan(session, request) : planner.subscribe(session, request);
    const plan = planned.plan.kind === 'watched' ? planned.plan.plan : (planned.plan as QueryPlan);
    return plan.joins!.flat().map((join) => 'statement' in join && join.statement.text);
  };
  if (why !== undefined)
    for (const kind of ['query', 'subscription'] as const) expect(statementsOf(kind)).toThrow(why);
  else expect(statementsOf('subscription')()).toEqual(statementsOf('query')());
  await own.end();
});

test('functions that see tables of a cluster empty are refused where no table is spread, in writes too', async () => {
  const functions = { 'public.ticket_theme': { why: 'public.ticket_theme reads public.setting' } };
  const metadata = parse(read('metadata.yaml')) as JsonObject;
  const distribution = { tables: {}, functions, fingerprint: '' };
  const own = await serveInProcess(database.url, metadata, undefined, { distribution });
  const key = 'tenant_id: 1, id: 1';
  const asked = [
    `{ ticket_by_pk(${key}) { theme } }`,
    `mutation { update_ticket_by_pk(pk_columns: {${key}}, _inc: {votes: 1}) { theme } }`,
    `mutation { delete_ticket(where: {theme: {_eq: "dark"}}) { affected_rows } }`,
    `mutation { delete_ticket(where: {}) { returning { customer { tickets { theme } } } } }`,
  ];
  for (const query of asked)
    expect(() => own.sql({ query }, 'admin')).toThrow('ticket_theme cannot be called on a cluster');
  await own.end();
});

test.each([
  ['of a table that is not tracked', 'select id from ticket', true],
  ['whatever it reads', 'select 1 as id', true],
  ['on one node', 'select id from ticket', false],
])('a native query %s is refused where tables are distributed: %s', async (_, code, isSpread) => {
  const distribution = JSON.parse(read('distribution.json'));
  const metadata = {
    version: 3,
    sources: [
      {
        name: 'default',
        kind: 'postgres',
        tables: [{ table: 'setting' }],
        logical_models: [{ name: 'ids', fields: { id: { type: 'integer' } } }],
        native_queries: [{ root_field_name: 'found', code, returns: 'ids' }],
        configuration: { connection_info: { database_url: { from_env: 'DATABASE_URL' } } },
      },
    ],
  };
  const own = await serveInProcess(database.url, metadata, undefined, isSpread ? { distribution } : {});
  const answer = await own
    .answer({ query: '{ found { id } }' }, 'admin')
    .catch((error: EngineError) => error.message);
  await own.end();
  if (isSpread) expect(answer).toContain('may read any table');
  else expect(answer).toContain('"data"');
});

test('a mutation is one transaction wherever the extension is, whatever is known of its tables', async () => {
  const metadata = parse(read('metadata.yaml')) as JsonObject;
  const one = 'mutation { update_tag_by_pk(pk_columns: {tenant_id: 1, id: 2}, _set: {name: "more"}) { id } }';
  const several =
    'mutation { a: delete_tag_by_pk(tenant_id: 9, id: 9) { id } update_tag(where: {}, _inc: {id: 0}) { affected_rows } }';
  const first = async (query: string) => {
    const plain = await serveInProcess(database.url, metadata);
    database.statements();
    await plain.answer({ query }, 'admin').catch(() => undefined);
    const [statement = '', ...others] = database.statements();
    await plain.end();
    return [/^begin\b/.test(statement), others.at(-1) === 'commit'];
  };
  expect(await first(one)).toEqual([false, false]);
  await database.query(CITUS);
  expect(await first(one)).toEqual([true, true]);
  expect(await first(several)).toEqual([true, true]);
});
