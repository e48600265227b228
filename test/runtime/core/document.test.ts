import { expect, test } from 'vitest';
import { programOf } from '../../../compiler/phases/4-plan/program.ts';
import { linkProgram } from '../../../runtime/core/program.ts';
import { createPlanner } from '../../../runtime/core/request/planner.ts';

const program = linkProgram(programOf({ sources: [], settings: {} } as never), {
  inferFunctionPermissions: true,
});
const planner = createPlanner(program, { stringifyNumbers: false, collapseNulls: false });
const plan = (query: string) =>
  planner.plan({ role: 'admin', variables: { 'x-engine-role': 'admin' }, backendOnly: false }, { query });

test('fragments that double at every step are refused before they fill the memory', () => {
  const depth = 40;
  const fragments = Array.from({ length: depth }, (_, index) =>
    index === depth - 1
      ? `fragment f${index} on query_root { __typename }`
      : `fragment f${index} on query_root { ...f${index + 1} ...f${index + 1} }`,
  );
  expect(() => plan(`{ ...f0 } ${fragments.join('\n')}`)).toThrow(
    'the operation selects more than 100000 fields',
  );
});
