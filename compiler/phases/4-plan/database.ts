/** Plans the report about what a database does by itself: the objects that tracked tables and functions lead to. */
import type { CatalogTable, SourceCatalog } from '../../../runtime/catalog/catalog.ts';
import { DATABASE, functionKey } from '../../../runtime/catalog/objects.ts';
import { keyOf } from '../../../runtime/core/names.ts';
import type { ModelSource } from '../../model/model.ts';
import type { PlannedDatabase, PlannedObject } from '../../model/plan.ts';

/** Nothing of a catalog that was saved before its objects were read. */
export function planDatabase(
  { shape, tables, functions }: ModelSource,
  catalog: SourceCatalog,
): PlannedDatabase[] {
  const { objects } = catalog;
  if (!objects) return [];
  const reached = new Set([
    DATABASE,
    ...tables.map(({ key }) => key),
    ...functions.map((each) => functionKey(each.shape.schema, each.shape.name)),
    ...tables.flatMap((table) =>
      Object.values(table.shape.computedFields ?? {}).map((field) =>
        functionKey(field.function.schema, field.function.name),
      ),
    ),
  ]);
  // A set that grows while it is walked: what is added is walked as well.
  for (const key of reached)
    for (const next of [...(objects[key]?.uses ?? []), ...(objects[key]?.writes ?? [])]) reached.add(next);
  const relations = new Map(catalog.tables.map((table) => [keyOf(table), table]));
  const described = [...reached].sort().flatMap((key): [string, PlannedObject][] => {
    const object = objects[key];
    const relation = relations.get(key);
    if (!object) return [];
    if (!relation) return [[key, object]];
    return [[key, { columns: columnsByPosition(relation), ...object }]];
  });
  const isTable = ({ kind }: CatalogTable) => kind !== 'view' && kind !== 'materialized';
  const created = catalog.tables
    .filter((table) => isTable(table) && reached.has(keyOf(table)))
    .sort((left, right) => left.oid - right.oid)
    .map(keyOf);
  return [{ source: shape.name, created, objects: Object.fromEntries(described) }];
}

function columnsByPosition({ columns }: CatalogTable): (string | null)[] {
  const names: (string | null)[] = Array(columns.at(-1)?.position ?? 0).fill(null);
  for (const { name, position } of columns) names[position - 1] = name;
  return names;
}
