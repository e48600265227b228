/** What is missing because a part of the metadata was not read: a broken file is the cause of references that lead nowhere. */

import type { CatalogOrError } from '../../../runtime/catalog/catalog.ts';
import type { Losses } from '../../../runtime/core/diagnostics/causes.ts';
import type { Diagnostic } from '../../../runtime/core/diagnostics/diagnostic.ts';
import { keyOf, type NamingOptions } from '../../../runtime/core/names.ts';
import type { Metadata } from '../../../runtime/metadata/metadata.ts';
import { functionLosses, tableLosses } from './losses.ts';
import { conventionOf } from './source.ts';

/**
 * Diagnostics of phase 1 with what they lost. The name of an entry that was not read is unknown, so it may be any table
 * or function that the database has and the source does not name.
 */
export function unreadLosses(
  diagnostics: readonly Diagnostic[],
  { sources }: Metadata,
  catalogs: Readonly<Record<string, CatalogOrError>>,
  naming: NamingOptions,
): (Diagnostic & Losses)[] {
  return diagnostics.map((diagnostic) => {
    if (diagnostic.severity !== 'error') return diagnostic;
    const source = sources.find(({ path }) => startsWith(diagnostic.path, path));
    const catalog = source && Object.hasOwn(catalogs, source.name) ? catalogs[source.name]! : undefined;
    if (!source || !catalog || 'error' in catalog) return diagnostic;
    const [kind, entry] = diagnostic.path.slice(source.path.length);
    const isUnread = (entries: readonly { readonly path: Diagnostic['path'] }[]) =>
      entry === undefined || !entries.some(({ path }) => startsWith(diagnostic.path, path));
    const convention = conventionOf(source, naming);
    if (kind === 'tables' && isUnread(source.tables)) {
      const named = new Set(source.tables.map(({ table }) => keyOf(table)));
      const configuration = { column_config: {}, custom_root_fields: {} };
      const unnamed = catalog.tables.filter((table) => !named.has(keyOf(table)));
      return {
        ...diagnostic,
        lost: unnamed.flatMap((table) => tableLosses(source, { table, configuration }, convention)),
      };
    }
    if (kind === 'functions' && isUnread(source.functions)) {
      const named = new Set(source.functions.map((each) => keyOf(each.function)));
      const configuration = { custom_root_fields: {} };
      const unnamed = catalog.functions.filter((each) => !named.has(keyOf(each)));
      return {
        ...diagnostic,
        lost: unnamed.flatMap((each) =>
          functionLosses(source, { function: each, configuration, path: [] }, convention),
        ),
      };
    }
    return diagnostic;
  });
}

function startsWith(path: Diagnostic['path'], start: Diagnostic['path']): boolean {
  return start.every((segment, index) => path[index] === segment);
}
