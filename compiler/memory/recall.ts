/**
 * What a compile takes over from an earlier one: the memory, and the identity of every part of the input that did not
 * change, by which the memory recognises it.
 */
import type { InheritedRole, Metadata } from '../../runtime/metadata/metadata.ts';
import type { Model } from '../model/model.ts';
import type { CatalogResult } from '../phases/3-resolve/index.ts';
import type { Emitted } from '../phases/5-emit/index.ts';
import { createMemory, type Memory } from './memory.ts';
import { reuseCatalog, reuseMetadata } from './reuse.ts';

type Catalogs = Readonly<Record<string, CatalogResult>>;

interface Input {
  readonly metadata: Metadata;
  readonly catalogs: Catalogs;
}

/** What a compile leaves for the next one. */
export interface Remembered extends Input {
  readonly model: Model;
  readonly inheritedRoles: readonly InheritedRole[];
  /** The last files that were printed: of this compile, or of one before it. */
  readonly lastEmitted: () => Emitted | undefined;
  readonly memory: Memory;
}

/** The input of a compile with what it takes over. */
export interface Recalled extends Input, Partial<Pick<Remembered, 'model' | 'inheritedRoles'>> {
  readonly memory: Memory;
  readonly emitted?: Emitted | undefined;
}

/** Takes over what an earlier compile left. The result of a compile never depends on it. */
export function recall(next: Input, earlier: Remembered | undefined): Recalled {
  if (!earlier) return { ...next, memory: createMemory() };
  const { memory, model, inheritedRoles } = earlier;
  return {
    memory,
    model,
    inheritedRoles,
    metadata: reuseMetadata(next.metadata, earlier.metadata, memory),
    catalogs: reuseCatalogs(next.catalogs, earlier.catalogs, memory),
    emitted: earlier.lastEmitted(),
  };
}

function reuseCatalogs(next: Catalogs, previous: Catalogs, memory: Memory): Catalogs {
  return Object.fromEntries(
    Object.entries(next).map(([source, catalog]) => {
      const before = Object.hasOwn(previous, source) ? previous[source] : undefined;
      const comparable = before && !('error' in before) ? before : undefined;
      return [source, 'error' in catalog ? catalog : reuseCatalog(catalog, comparable, memory)];
    }),
  );
}
