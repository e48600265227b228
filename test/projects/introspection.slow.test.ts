/** Introspection of the real projects: what graphql-js says of the same schema, at a fraction of the memory. */

import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { executeSync, getIntrospectionQuery, parse } from 'graphql';
import { describe, expect, test } from 'vitest';
import { createPlanner } from '../../runtime/core/request/planner.ts';
import { graphqlSchema } from '../../runtime/core/schema/graphql-schema.ts';
import { NOBODY } from '../../runtime/core/session.ts';
import { openProject, projectNames, projectsPresent } from '../harness/real-project.ts';

setFlagsFromString('--expose-gc');
const collect = runInNewContext('gc') as () => void;

const OPTIONS = { stringifyNumbers: false, collapseNulls: false };
const whole = getIntrospectionQuery({
  specifiedByUrl: true,
  directiveIsRepeatable: true,
  schemaDescription: true,
  inputValueDeprecation: true,
  oneOf: true,
});

interface Named {
  readonly name: string;
}

/** graphql-js lists types as they refer to each other, and the values of enums in its own order. */
function inOrder(key: string, value: unknown): unknown {
  if (!['types', 'enumValues', 'possibleTypes'].includes(key) || !Array.isArray(value)) return value;
  return (value as Named[]).toSorted((left, right) => (left.name < right.name ? -1 : 1));
}

function introspection(text: string): unknown {
  return JSON.parse(JSON.stringify(JSON.parse(text), inOrder));
}

describe.skipIf(!projectsPresent).each(projectNames)('%s', (name) => {
  test('says what graphql-js says', { timeout: 300_000 }, async () => {
    const { program } = await openProject(name);
    const planner = createPlanner(program, OPTIONS);
    for (const role of ['admin', ...program.roles].slice(0, 3)) {
      const { plan } = planner.plan({ ...NOBODY, role }, { query: whole });
      const [answer] = plan.answer as [string];
      const schema = graphqlSchema(program.roleSchema(role, false));
      const { data } = executeSync({ schema, document: parse(whole) });
      expect(introspection(answer)).toEqual(introspection(JSON.stringify(data)));
    }
  });

  test('is not kept beyond the memory budget', { timeout: 300_000 }, async () => {
    const { program } = await openProject(name);
    const planner = createPlanner(program, OPTIONS);
    const ask = (role: string) => planner.plan({ ...NOBODY, role }, { query: whole });
    ask('admin');
    const before = heapUsed();
    for (const role of [...program.roles].slice(0, 8)) ask(role);
    expect(heapUsed() - before).toBeLessThan(70_000_000);
  });
});

function heapUsed(): number {
  collect();
  collect();
  return process.memoryUsage().heapUsed;
}
