/** Effects of the foreign keys of a database on other tables when rows of a table are deleted, for reports. */
import type { ForeignKeyAction, TableShape } from '../contract/shapes.ts';

export interface DeletionEffects {
  /** Keys of the tables whose rows go, too, by `on delete cascade` through however many tables; sorted. */
  readonly deleted: readonly string[];
  /** Keys of the tables with columns that become null or their default; sorted. */
  readonly changed: readonly string[];
}

type Shape = Pick<TableShape, 'onDelete'>;

/** Effects of the deletion of rows of the table `key`. @param tables shapes of its source by key */
export function deletionOf(key: string, tables: ReadonlyMap<string, Shape>): DeletionEffects {
  const deleted = new Set<string>();
  const changed = new Set<string>();
  const follow = (target: string): void => {
    for (const [child, { onDelete }] of tables) {
      if (!onDelete || !Object.hasOwn(onDelete, target)) continue;
      const actions = actionsOf(onDelete[target]!);
      if (actions.some((action) => action !== 'cascade')) changed.add(child);
      if (!actions.includes('cascade') || deleted.has(child)) continue;
      deleted.add(child);
      follow(child);
    }
  };
  follow(key);
  return { deleted: [...deleted].sort(), changed: [...changed].sort() };
}

function actionsOf(
  entry: ForeignKeyAction | Readonly<Record<string, ForeignKeyAction>>,
): readonly ForeignKeyAction[] {
  return typeof entry === 'string' ? [entry] : Object.values(entry);
}
