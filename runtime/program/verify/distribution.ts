/** How the tables of a program were spread over a cluster when it was compiled, compared with how they are. */
import { keyOf } from '../../core/names.ts';
import type { GeneratedProgram } from '../../core/program/resolvers.ts';
import type { Distribution } from '../../core/shards/shapes.ts';

interface DistributionChange {
  /** Key. */
  readonly table: string;
  readonly before: string;
  readonly after: string;
}

/** Tables only: where a view is follows from its definition, which is compared as well. */
export function distributionChanges(
  { tables }: GeneratedProgram,
  source: string,
  now: Distribution | undefined,
): DistributionChange[] {
  const own = tables.filter(({ table }) => table.source.name === source && table.kind !== 'view');
  const keys = own.map(({ table }) => keyOf(table)).sort();
  const was = own[0]?.table.source.distribution;
  return keys
    .map((table) => ({ table, before: placeText(table, was, keys), after: placeText(table, now, keys) }))
    .filter(({ before, after }) => before !== after);
}

/** Numbers of colocation groups differ between clusters: a group is the first table of the program in it. */
function placeText(
  key: string,
  { tables }: Pick<Distribution, 'tables'> = { tables: {} },
  keys: readonly string[],
): string {
  const groupOf = (table: string) => {
    const found = Object.hasOwn(tables, table) ? tables[table] : undefined;
    return found && 'group' in found ? found.group : undefined;
  };
  const place = Object.hasOwn(tables, key) ? tables[key]! : undefined;
  const together = () => `together with ${keys.find((table) => groupOf(table) === groupOf(key))}`;
  switch (place?.kind) {
    case undefined:
      return 'on one node';
    case 'distributed':
      return `distributed by ${place.by}, ${together()}`;
    case 'single':
      return `in the shard of a schema, ${together()}`;
    case 'reference':
      return 'a copy on each node';
    case 'refused':
      return place.why;
  }
}
