import { expect, test } from 'vitest';
import { programOf } from '../../../compiler/phases/4-plan/program.ts';
import { linkProgram } from '../../../runtime/core/program/program.ts';
import { createPlanner } from '../../../runtime/core/request/planner.ts';
import { NOBODY } from '../../../runtime/core/session.ts';

const program = linkProgram(programOf({ sources: [], settings: {} } as never), {
  inferFunctionPermissions: true,
});
const planner = createPlanner(program, { stringifyNumbers: false, collapseNulls: false });
const plan = (query: string) => planner.plan({ ...NOBODY, role: 'admin' }, { query });

/** Fragments that each spread the next one twice. */
const doubling = (last: string) =>
  Array.from({ length: 40 }, (_, index) =>
    index === 39
      ? `fragment f${index} on query_root { ${last} }`
      : `fragment f${index} on query_root { ...f${index + 1} ...f${index + 1} }`,
  ).join(' ');

test.each([
  '__typename',
  '__typename @skip(if: true)',
  '... on other { id }',
  '__schema { queryType { name } }',
])('fragments that double at every step are collected once: %s', (last) => {
  expect(plan(`{ ...f0 } ${doubling(last)}`).plan.kind).toBe('query');
});

test('fragments that double in introspection are collected once', () => {
  const fragments = doubling('queryType { name }').replaceAll('on query_root', 'on __Schema');
  expect(plan(`{ __schema { ...f0 } } ${fragments}`).plan).toMatchObject({
    answer: ['{"__schema":{"queryType":{"name":"query_root"}}}'],
  });
});
