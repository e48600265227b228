/** Which tracked tables and functions of a source Citus spreads over its nodes. */

import type { SourceCatalog } from '../../../runtime/catalog/catalog.ts';
import { sortedRecord } from '../../../runtime/catalog/order.ts';
import { DECLARED_SCHEMA, keyOf } from '../../../runtime/core/names.ts';
import type { Distribution } from '../../../runtime/core/shards/shapes.ts';
import type { StructureSource } from './scope.ts';

/** undefined for a database without the extension. */
export function distributionOf(
  source: StructureSource,
  { distribution }: SourceCatalog,
): Distribution | undefined {
  if (!distribution) return undefined;
  const pick = <Value>(all: Readonly<Record<string, Value>>, keys: readonly string[]) =>
    sortedRecord(
      [...new Set(keys)].flatMap((key): [string, Value][] =>
        Object.hasOwn(all, key) ? [[key, all[key]!]] : [],
      ),
    );
  const functions = pick(distribution.functions ?? {}, [
    ...source.functions.map((entry) => keyOf(entry.function)),
    ...source.tables.flatMap(({ computed_fields: fields }) =>
      fields.map(({ definition }) => keyOf(definition.function)),
    ),
  ]);
  // What native queries read is not known: it may be a table that is not tracked.
  const isAnyRead = source.functions.some((entry) => entry.function.schema === DECLARED_SCHEMA);
  return {
    tables: isAnyRead
      ? distribution.tables
      : pick(
          distribution.tables,
          source.tables.map(({ table }) => keyOf(table)),
        ),
    ...(Object.keys(functions).length > 0 && { functions }),
    fingerprint: distribution.fingerprint,
  };
}
