/** Effects of foreign keys on the rows of a table when a row that they refer to is deleted, or its key changes. */

import type { ForeignKeyAction, ForeignKeyActions } from '../core/contract/shapes.ts';
import { objectKey } from '../core/names.ts';
import type { CatalogForeignKey, CatalogTable } from './catalog.ts';

export interface TablesAround {
  readonly isTracked: (key: string) => boolean;
  readonly tableOf: (key: string) => CatalogTable | undefined;
}

/** By key of the tracked table that is referred to; nothing where the database refuses. */
export function foreignKeyActions(
  table: CatalogTable,
  event: 'onDelete' | 'onUpdate',
  around: TablesAround,
): ForeignKeyActions | undefined {
  const found = new Map<string, Map<string, ForeignKeyAction>>();
  for (const key of table.foreignKeys) {
    const action = key[event];
    if (!action) continue;
    for (const target of trackedTargets(key, event, around)) {
      const known = found.get(target) ?? new Map<string, ForeignKeyAction>();
      found.set(target, known.set(key.columns.join(', '), action));
    }
  }
  if (found.size === 0) return undefined;
  return Object.fromEntries(
    [...found]
      .sort(([left], [right]) => (left < right ? -1 : 1))
      .map(([target, actions]) => {
        const [first] = actions.values();
        return [target, actions.size === 1 ? first! : Object.fromEntries(actions)];
      }),
  );
}

/** The table that a key refers to or, while that is not tracked, the tables by whose rows its rows go. */
function trackedTargets(
  { references }: CatalogForeignKey,
  event: 'onDelete' | 'onUpdate',
  around: TablesAround,
  seen = new Set<string>(),
): string[] {
  const target = objectKey(references.schema, references.name);
  if (around.isTracked(target)) return [target];
  if (seen.has(target)) return [];
  seen.add(target);
  return (around.tableOf(target)?.foreignKeys ?? [])
    .filter((key) => key[event] === 'cascade')
    .flatMap((key) => trackedTargets(key, event, around, seen));
}
