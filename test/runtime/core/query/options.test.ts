/** Options of the server, where several requests show what they do. `test/requests/options` has the rest. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { EngineError } from '../../../../runtime/core/errors.ts';
import type { JsonObject } from '../../../../runtime/metadata/metadata.ts';
import type { InProcess } from '../../../harness/in-process.ts';
import { openRequestProject, type RequestProject } from '../../../harness/request-project.ts';

let project: RequestProject;
beforeAll(async () => {
  project = await openRequestProject('options');
});
afterAll(() => project.end());

async function ask(served: InProcess, query: string, variables: JsonObject = {}) {
  try {
    return JSON.parse(await served.answer({ query, variables }, 'admin')).data;
  } catch (error) {
    if (error instanceof EngineError) return error.message;
    throw error;
  }
}

test('a plan made without a variable serves no request that gives it', async () => {
  const served = await project.served({ omitUnboundVariables: true });
  const byName = 'query ($name: String) { author(where: {name: {_eq: $name}}, order_by: {id: asc}) { id } }';
  const everyone = { author: [{ id: 1 }, { id: 2 }] };
  expect(await ask(served, byName)).toEqual(everyone);
  expect(await ask(served, byName, { name: 'Ada' })).toEqual({ author: [{ id: 1 }] });
  expect(await ask(served, byName, { name: null })).toContain("unexpected null value for type 'String'");
  expect(await ask(served, byName)).toEqual(everyone);
  const limited =
    'query ($limit: Int, $where: author_bool_exp) { author(limit: $limit, where: $where) { id } }';
  expect(await ask(served, limited)).toEqual(everyone);
  expect(await ask(served, limited, { limit: 1, where: { id: { _gt: 1 } } })).toEqual({
    author: [{ id: 2 }],
  });
});

test.each([
  ['conditions on aggregates', { hideAggregationPredicates: true }, 'article_aggregate_bool_exp'],
  ['many updates at once', { hideUpdateMany: true }, 'update_author_many'],
])('%s are offered, or not', async (_, options, name) => {
  const query = '{ __schema { types { name fields { name } } } }';
  expect(JSON.stringify(await ask(await project.served(), query))).toContain(`"${name}"`);
  const names = JSON.stringify(await ask(await project.served(options), query));
  expect(names).not.toContain(`"${name}"`);
  expect(names).toContain('"update_author_by_pk"');
});
