/** Which tracked tables and functions of a source Citus spreads over its nodes. */

import type { CatalogTable, SourceCatalog } from '../../../runtime/catalog/catalog.ts';
import { compareText } from '../../../runtime/catalog/order.ts';
import { keyOf } from '../../../runtime/core/names.ts';
import type { Distribution, TableDistribution } from '../../../runtime/core/shards/shapes.ts';
import type { StructureSource } from './scope.ts';

/** undefined where no tracked table has shards: to such a source, SQL is that of plain PostgreSQL. */
export function distributionOf(source: StructureSource, catalog: SourceCatalog): Distribution | undefined {
  const spread = catalog.distribution;
  if (!spread) return undefined;
  const byKey = new Map(catalog.tables.map((table) => [keyOf(table), table]));
  const tables: Record<string, TableDistribution> = {};
  const keys = source.tables.map(({ table }) => keyOf(table)).sort(compareText);
  for (const key of keys) {
    const table = byKey.get(key);
    const own = table && (table.reads ? ofView(table, spread) : spread.tables[key]);
    if (own) tables[key] = own;
  }
  if (!Object.values(tables).some(({ kind }) => kind !== 'reference')) return undefined;
  const named = new Set([
    ...source.functions.map((entry) => keyOf(entry.function)),
    ...source.tables.flatMap(({ computed_fields: fields }) =>
      fields.map(({ definition }) => keyOf(definition.function)),
    ),
  ]);
  const functions = (spread.functions ?? []).filter((key) => named.has(key));
  return { tables, ...(functions.length > 0 && { functions }) };
}

/** A view is where its tables are. It is fixed by a column that shows a distribution column. */
function ofView(
  { columns, reads = [] }: CatalogTable,
  { tables }: Distribution,
): TableDistribution | undefined {
  const read = reads.flatMap((each) => tables[keyOf(each)] ?? []);
  const single = read.find((each) => each.kind === 'single');
  if (single) return single;
  const distributed = read.find((each) => each.kind === 'distributed');
  if (!distributed) return read[0];
  const by = columns.find(({ origin }) => {
    const table = origin && tables[keyOf(origin)];
    return table?.kind === 'distributed' && table.by === origin!.column;
  });
  return { kind: 'distributed', ...(by && { by: by.name }), group: distributed.group };
}
