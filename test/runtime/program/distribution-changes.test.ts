/** How `engine verify` names tables that a cluster spreads otherwise than when they were compiled. */
import { expect, test } from 'vitest';
import type { GeneratedProgram } from '../../../runtime/core/program/resolvers.ts';
import type { Distribution } from '../../../runtime/core/shards/shapes.ts';
import { distributionChanges } from '../../../runtime/program/verify/distribution.ts';

function changes(before: Distribution['tables'] | undefined, after: Distribution['tables'] | undefined) {
  const distribution = (tables: typeof before) => tables && { tables, fingerprint: '' };
  const was = distribution(before);
  const source = { name: 'default', kind: 'postgres', types: {}, ...(was && { distribution: was }) };
  const tables = ['a', 'b', 'v'].map((name) => ({
    table: { source, schema: 'public', name, kind: name === 'v' ? 'view' : 'table' },
  }));
  return distributionChanges({ tables } as unknown as GeneratedProgram, 'default', distribution(after)).map(
    ({ table, before, after }) => `${table}: ${before} → ${after}`,
  );
}

const by = (column: string, group: number) => ({ kind: 'distributed', by: column, group }) as const;

test.each<[string[], Distribution['tables'] | undefined, Distribution['tables'] | undefined]>([
  [[], undefined, undefined],
  [[], undefined, {}],
  [[], { 'public.a': by('k', 1) }, { 'public.a': by('k', 9) }],
  [[], { 'public.v': by('k', 1) }, {}],
  [
    ['public.a: on one node → distributed by k, together with public.a'],
    undefined,
    { 'public.a': by('k', 1), 'public.other': by('k', 1) },
  ],
  [
    ['public.a: distributed by k, together with public.a → on one node'],
    { 'public.a': by('k', 1) },
    undefined,
  ],
  [
    ['public.b: distributed by k, together with public.a → distributed by k, together with public.b'],
    { 'public.a': by('k', 1), 'public.b': by('k', 1) },
    { 'public.a': by('k', 1), 'public.b': by('k', 2) },
  ],
  [
    ['public.b: a copy on each node → in the shard of a schema, together with public.b'],
    { 'public.b': { kind: 'reference' } },
    { 'public.b': { kind: 'single', group: 4 } },
  ],
])('%j', (expected, before, after) => expect(changes(before, after)).toEqual(expected));
