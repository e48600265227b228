/** Types of the catalog under the keys by which generated files name them. */

import type { TypeShape } from '../core/contract/shapes.ts';
import { objectKey } from '../core/names.ts';
import type { Catalog, CatalogType, CatalogTypeReference } from './catalog.ts';

/** `int4`, `text[]`, `public.mood`. */
export function typeKey(type: CatalogTypeReference): string {
  const name = type.schema === 'pg_catalog' ? type.name : objectKey(type.schema, type.name);
  return type.array ? `${name}[]` : name;
}

/** Declarations of the types outside pg_catalog that are used, and of the types below them, sorted by key. */
export function resolveTypes(
  catalog: Catalog,
  used: Iterable<CatalogTypeReference>,
): Record<string, TypeShape> {
  const known = new Map(catalog.types.map((type) => [objectKey(type.schema, type.name), type]));
  const tables = new Set(catalog.tables.map(({ schema, name }) => objectKey(schema, name)));
  const shapes = new Map<string, TypeShape>();
  const declare = (reference: CatalogTypeReference): void => {
    const key = objectKey(reference.schema, reference.name);
    const type = known.get(key);
    if (!type || shapes.has(key)) return;
    shapes.set(key, tables.has(key) ? { kind: 'row' } : typeShape(type));
    if (type.kind === 'domain') declare(type.base);
  };
  for (const reference of used) declare(reference);
  return Object.fromEntries([...shapes].sort(([left], [right]) => (left < right ? -1 : 1)));
}

function typeShape(type: CatalogType): TypeShape {
  switch (type.kind) {
    case 'enum':
      return { kind: 'enum', values: type.values };
    case 'domain':
      return { kind: 'domain', base: typeKey(type.base), ...(type.ownEquality && { ownEquality: true }) };
    case 'range':
    case 'multirange':
    case 'composite':
      return { kind: type.kind };
    case 'base':
    case 'pseudo':
      return { kind: 'base' };
  }
}
