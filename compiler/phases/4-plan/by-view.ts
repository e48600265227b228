/** Memoises facts about a query per role schema. */
import { remember } from '../../../runtime/core/remember.ts';
import type { SavedOptions } from '../../../runtime/core/saved.ts';
import type { RoleView } from '../../../runtime/core/schema/role-view.ts';
import type { CollectionQuery } from '../../../runtime/metadata/metadata.ts';
import type { Memory } from '../../memory/memory.ts';

/** Remembers a result for a view and a query, for as long as there are both. */
export type ByView = <Value>(
  work: 'statements' | 'refusals',
  view: RoleView,
  query: CollectionQuery,
  make: () => Value,
) => Value;

export function createByView(options: SavedOptions, memory: Memory): ByView {
  const inputs = [JSON.stringify(options)];
  return (work, view, query, make) => {
    const known = memory.remember(
      work,
      view,
      inputs,
      () => new WeakMap<object, { readonly value: unknown }>(),
    );
    return remember(known, query, () => ({ value: make() })).value as ReturnType<typeof make>;
  };
}
