/** Objects of the database that a source names: tables, functions and enum tables. */
import type { SourceCatalog } from '../../catalog/catalog.ts';
import { declaredHash, modelHash } from '../../catalog/declared.ts';
import { DECLARED_SCHEMA, objectKey } from '../../core/names.ts';
import { remember } from '../../core/remember.ts';
import type { QualifiedName, Source, TableEntry } from '../../metadata/metadata.ts';

/** Objects that a source names and did not name before. */
export function addedObjects(before: Source | undefined, after: Source): readonly string[] {
  const named = before === undefined ? new Set<string>() : namedObjects(before);
  return [...namedObjects(after)].filter((object) => !named.has(object));
}

/** Whether a catalog has all of them, and the rows of those that are enum tables. */
export function tellsOf(catalog: SourceCatalog, objects: readonly string[]): boolean {
  const known = new Set([
    ...catalog.tables.map((table) => nameOf('table ', table)),
    ...catalog.tables
      .filter(({ schema, name }) => `${schema}.${name}` in catalog.enumTables)
      .map((table) => nameOf('enum ', table)),
    ...catalog.functions.map((each) => nameOf('function ', each)),
    ...declaredObjects(catalog),
  ]);
  return objects.every((object) => known.has(object));
}

/** Models and queries as PostgreSQL typed them; a refused one is tried again only when its text changes. */
function declaredObjects({ tables, functions }: SourceCatalog): readonly string[] {
  return [...tables, ...functions].flatMap(({ schema, name, definition }) =>
    schema === DECLARED_SCHEMA ? [`declared ${name} ${definition}`] : [],
  );
}

function namedObjects({ tables, functions, logical_models, native_queries }: Source): ReadonlySet<string> {
  const objects = new Set<string>();
  for (const entry of tables)
    for (const object of remember(objectsOfTables, entry, () => objectsOfTable(entry))) objects.add(object);
  for (const entry of functions) objects.add(nameOf('function ', entry.function));
  for (const model of logical_models) objects.add(`declared ${model.name} ${modelHash(model)}`);
  for (const query of native_queries)
    objects.add(`declared ${query.root_field_name} ${declaredHash(query, logical_models)}`);
  return objects;
}

/** Memo: a metadata entry never changes. */
const objectsOfTables = new WeakMap<TableEntry, readonly string[]>();

function objectsOfTable({ table, is_enum, computed_fields }: TableEntry): readonly string[] {
  return [
    nameOf('table ', table),
    ...(is_enum ? [nameOf('enum ', table)] : []),
    ...computed_fields.map(({ definition }) => nameOf('function ', definition.function)),
  ];
}

function nameOf(kind: string, { schema, name }: QualifiedName): string {
  return `${kind}${objectKey(schema, name)}`;
}
