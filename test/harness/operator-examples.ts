/** Runs the examples of docs/operators.md: each as a condition of a request, and as the rule of a role. */
import { expect, test } from 'vitest';
import type { Example, ExampleSet } from '../../scripts/docs/operators.ts';
import { type InProcess, serveInProcess } from './in-process.ts';
import { metadataOf } from './metadata.ts';

/** Serves the table of a set with a role for each example. */
export function serveExamples({ schema, examples }: ExampleSet, url: string): Promise<InProcess> {
  const table = tableOf(schema);
  const select_permissions = examples.map(({ where, rule }, index) => ({
    role: `role_${index}`,
    permission: { columns: ['id'], filter: where ?? rule },
  }));
  return serveInProcess(url, metadataOf([{ table, select_permissions }]));
}

/** Session variables that rules of examples name. */
const SESSION = {
  'x-engine-title': 'lantern',
  'x-engine-ids': '{1,2}',
  'x-engine-query': '*.light',
  'x-engine-queries': '{*.light}',
  'x-engine-words': 'garden',
};

/** One test for each example. */
export function testExamples(set: ExampleSet, served: () => InProcess): void {
  const table = tableOf(set.schema);
  const rows = async (query: string, role: string) => {
    const answer = JSON.parse(await served().answer({ query }, role, SESSION)) as {
      data: { [name: string]: Row[] };
    };
    return answer.data[table]!.map(({ id }) => id);
  };
  set.examples.forEach(({ where, rule, rows: expected }: Example, index) => {
    test(JSON.stringify(where ?? rule), async () => {
      const order = 'order_by: { id: asc }';
      expect(await rows(`{ ${table}(${order}) { id } }`, `role_${index}`)).toEqual(expected);
      if (where !== undefined)
        expect(await rows(`{ ${table}(${order}, where: ${literal(where)}) { id } }`, 'admin')).toEqual(
          expected,
        );
    });
  });
}

interface Row {
  readonly id: number;
}

function tableOf(schema: string): string {
  return /create table (\w+)/.exec(schema)![1]!;
}

/** A value as GraphQL writes it. */
function literal(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(literal).join(', ')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  return `{ ${Object.entries(value)
    .map(([key, item]) => `${key}: ${literal(item)}`)
    .join(', ')} }`;
}
