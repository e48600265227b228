/** What grows in a request, and what reading and planning it for the first time costs. */

import { type CompileResult, compile } from '../../../compiler/index.ts';
import type { EmbeddedPostgres } from '../../../compiler/offline/embedded.ts';
import { parseExactJson } from '../../../runtime/core/json/exact-json.ts';
import { linkProgram, type Program } from '../../../runtime/core/program/program.ts';
import { bindParameters } from '../../../runtime/core/request/bind.ts';
import { createPlanner, type GraphqlRequest } from '../../../runtime/core/request/planner.ts';
import { CANONICAL } from '../../../runtime/core/vocabulary.ts';
import { createLoader } from '../../../runtime/program/loader.ts';
import type { GrowthCase } from './measure.ts';
import { inputOf, numbers, ring } from './projects.ts';

const OPTIONS = { inferFunctionPermissions: true, stringifyNumbers: false, collapseNulls: false };
const SESSION = {
  vocabulary: CANONICAL,
  role: 'role_0',
  backendOnly: false,
  variables: { 'x-engine-role': 'role_0', 'x-engine-user-id': '1' },
};

interface Grown {
  readonly unit: string;
  readonly sizes?: GrowthCase['sizes'];
  readonly request: (size: number) => GraphqlRequest;
}

const FEW: GrowthCase['sizes'] = [10, 100, 1000];

const join = (size: number, part: (index: number) => string) => numbers(size).map(part).join(' ');

const GROWN: Readonly<Record<string, Grown>> = {
  'root fields': {
    unit: 'aliases of one root field',
    request: (size) => ({ query: `{ ${join(size, (n) => `a${n}: t_0 { id }`)} }` }),
  },
  columns: {
    unit: 'aliases of one column',
    request: (size) => ({ query: `{ t_0 { ${join(size, (n) => `a${n}: kind`)} } }` }),
  },
  'the same field': {
    unit: 'repetitions of one field',
    sizes: [100, 1000, 10_000],
    request: (size) => ({ query: `{ t_0 { ${join(size, () => 'id')} } }` }),
  },
  'related fields': {
    unit: 'aliases of one relationship',
    request: (size) => ({ query: `{ t_0 { ${join(size, (n) => `a${n}: parent { id note }`)} } }` }),
  },
  'merged selections': {
    unit: 'selections of one relationship',
    request: (size) => ({ query: `{ t_0 { ${join(size, (n) => `parent { a${n}: id }`)} } }` }),
  },
  fragments: {
    unit: 'fragments, each spread in the next',
    sizes: [2, 20, 180],
    request: (size) => ({
      query: `{ t_0 { ...f0 } } ${join(size, (n) => `fragment f${n} on t_0 { a${n}: id ${n + 1 < size ? `...f${n + 1}` : ''} }`)}`,
    }),
  },
  'doubled fragments': {
    unit: 'fragments, each spread twice in the one before',
    sizes: [2, 20, 180],
    request: (size) => ({
      query: `{ t_0 { ...f0 } } ${join(size, (n) => `fragment f${n} on t_0 { ${n + 1 < size ? `...f${n + 1} ...f${n + 1}` : 'id'} }`)}`,
    }),
  },
  conditions: {
    unit: 'parts of _or',
    request: (size) => ({
      query: `{ t_0(where: { _or: [${join(size, (n) => `{ owner_id: { _eq: ${n} } }`)}] }) { id } }`,
    }),
  },
  'conditions in a variable': {
    unit: 'parts of _or',
    request: (size) => ({
      query: 'query ($where: t_0_bool_exp) { t_0(where: $where) { id } }',
      variables: {
        where: {
          _or: numbers(size).map((n) => ({ owner_id: { _eq: n }, parent: { kind: { _eq: `k${n}` } } })),
        },
      },
    }),
  },
  'values in a variable': {
    unit: 'values of _in',
    sizes: [1000, 10_000, 100_000],
    request: (size) => ({
      query: 'query ($ids: [Int!]!) { t_0(where: { id: { _in: $ids } }) { id } }',
      variables: { ids: numbers(size) },
    }),
  },
  sorting: {
    unit: 'columns of order_by',
    request: (size) => ({
      query: `{ t_0(order_by: [${join(size, (n) => `{ ${['id', 'kind', 'note'][n % 3]}: asc }`)}]) { id } }`,
    }),
  },
  variables: {
    unit: 'variables',
    request: (size) => ({
      query: `query (${join(size, (n) => `$v${n}: Int`)}) { ${join(size, (n) => `a${n}: t_0(where: { id: { _eq: $v${n} } }) { id }`)} }`,
      variables: Object.fromEntries(numbers(size).map((n) => [`v${n}`, n])),
    }),
  },
  operations: {
    unit: 'operations, one of which is asked for',
    request: (size) => ({ query: join(size, (n) => `query q${n} { t_0 { id } }`), operationName: 'q3' }),
  },
  'rows that are inserted': {
    unit: 'objects',
    request: (size) => ({
      query: 'mutation ($rows: [t_0_insert_input!]!) { insert_t_0(objects: $rows) { affected_rows } }',
      variables: {
        rows: numbers(size).map((n) => ({ id: n, owner_id: 1, parent_id: 1, kind: 'a', note: null })),
      },
    }),
  },
  'nested rows': {
    unit: 'objects with a parent each',
    request: (size) => ({
      query: 'mutation ($rows: [t_0_insert_input!]!) { insert_t_0(objects: $rows) { affected_rows } }',
      variables: {
        rows: numbers(size).map((n) => ({
          id: n,
          owner_id: 1,
          kind: 'a',
          parent: { data: { id: n, owner_id: 1 } },
        })),
      },
    }),
  },
  mutations: {
    unit: 'updates by key',
    request: (size) => ({
      query: `mutation { ${join(size, (n) => `a${n}: update_t_0_by_pk(pk_columns: { id: ${n} }, _set: { note: "x" }) { id }`)} }`,
    }),
  },
  updates: {
    unit: 'updates of update_many',
    request: (size) => ({
      query: 'mutation ($updates: [t_0_updates!]!) { update_t_0_many(updates: $updates) { affected_rows } }',
      variables: { updates: numbers(size).map((n) => ({ where: { id: { _eq: n } }, _set: { note: 'x' } })) },
    }),
  },
  aggregates: {
    unit: 'aliases of an aggregate',
    request: (size) => ({
      query: `{ t_0_aggregate { aggregate { ${join(size, (n) => `a${n}: max { id }`)} } } }`,
    }),
  },
  introspection: {
    unit: 'aliases of __type',
    request: (size) => ({
      query: `{ ${join(size, (n) => `a${n}: __type(name: "t_0") { name fields { name } }`)} }`,
    }),
  },
  'a long text': {
    unit: 'characters of a value',
    sizes: [10_000, 100_000, 1_000_000],
    request: (size) => ({ query: `{ t_0(where: { kind: { _eq: "${'x'.repeat(size)}" } }) { id } }` }),
  },
};

export function requestCases(postgres: EmbeddedPostgres): readonly GrowthCase[] {
  let program: Promise<Program> | undefined;
  const load = async () => {
    const compiled: CompileResult = compile(await inputOf(ring(3, 2), postgres));
    return linkProgram(await createLoader().load(compiled.programFiles), OPTIONS);
  };
  return Object.entries(GROWN).map(
    ([name, { unit, sizes = FEW, request }]): GrowthCase => ({
      name: `request: ${name}`,
      unit,
      sizes,
      prepare: async (size) => {
        program ??= load();
        const linked = await program;
        const body = JSON.stringify(request(size));
        return () => {
          // Nothing is kept from the run before.
          const planner = createPlanner(linked, OPTIONS);
          const { plan, variables } = planner.plan(
            SESSION,
            parseExactJson(body) as unknown as GraphqlRequest,
          );
          const statements =
            plan.kind === 'query'
              ? plan.steps.flatMap((step) => (step.kind === 'sql' ? [step.statement] : []))
              : plan.fields.flatMap((field) =>
                  'source' in field && field.step.kind === 'write'
                    ? field.step.statements.map(({ statement }) => statement)
                    : [],
                );
          for (const statement of statements) bindParameters(statement, variables, SESSION);
        };
      },
    }),
  );
}
