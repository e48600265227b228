/** The input of a compile, with the identity of every part that did not change, by which the memory recognises it. */
import type { CatalogOrError } from '../../runtime/catalog/catalog.ts';
import type { NamingOptions } from '../../runtime/core/names.ts';
import type { RemoteOrError } from '../../runtime/core/remotes/shapes.ts';
import type { SavedOptions } from '../../runtime/core/saved/saved.ts';
import type { Metadata } from '../../runtime/metadata/metadata.ts';
import type { Memory } from './memory.ts';
import { reuse, reuseCatalog, reuseMetadata } from './reuse.ts';

type Catalogs = Readonly<Record<string, CatalogOrError>>;

/** Inputs of phases 1 and 2, and the options. */
export interface Given {
  readonly metadata: Metadata;
  readonly catalogs: Catalogs;
  readonly remotes: Readonly<Record<string, RemoteOrError>>;
  readonly naming: NamingOptions;
  readonly serving: SavedOptions;
}

export function recall({ metadata, catalogs, remotes, naming, serving }: Given, memory: Memory): Given {
  return memory.update(recallGiven, memory, metadata, catalogs, remotes, naming, serving);
}

/** Takes over what the last compile was given. */
function recallGiven(
  last: Given | undefined,
  memory: Memory,
  metadata: Metadata,
  catalogs: Catalogs,
  remotes: Given['remotes'],
  naming: NamingOptions,
  serving: SavedOptions,
): Given {
  return {
    metadata: reuseMetadata(metadata, last?.metadata, memory),
    catalogs: reuseCatalogs(catalogs, last?.catalogs ?? {}, memory),
    remotes: reuse(remotes, last?.remotes),
    naming: reuse(naming, last?.naming),
    serving: reuse(serving, last?.serving),
  };
}

function reuseCatalogs(next: Catalogs, previous: Catalogs, memory: Memory): Catalogs {
  return Object.fromEntries(
    Object.entries(next).map(([source, catalog]) => {
      const before = Object.hasOwn(previous, source) ? previous[source] : undefined;
      if ('error' in catalog || (before && 'error' in before)) return [source, reuse(catalog, before)];
      return [source, reuseCatalog(catalog, before, memory)];
    }),
  );
}
