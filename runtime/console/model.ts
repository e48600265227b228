/** What databases have, and what of it is tracked: the console's page of the model. */
import type { CatalogFunction, CatalogTable, SourceCatalog } from '../catalog/catalog.ts';
import { OPERATIONS } from '../core/contract/aspects.ts';
import { keyOf } from '../core/names.ts';
import { ADMIN_ROLE } from '../core/session.ts';
import type { FunctionEntry, Metadata, Source, TableEntry } from '../metadata/metadata.ts';
import { createReferenceContext } from '../metadata/reference-context.ts';
import { type SuggestedRelationship, usingOf } from '../metadata/suggested-relationships.ts';
import type { WorkingCopy } from '../metadata-api/change/working-copy.ts';
import { suggestionsOf } from '../metadata-api/operations/suggest-relationships.ts';
import type {
  DiagramFunction,
  DiagramSource,
  DiagramTable,
  ModelAnswer,
  ModelSuggestion,
  TableRelationship,
} from './proposal-questions.ts';

export function modelOf(copy: WorkingCopy): ModelAnswer {
  return {
    sources: copy.metadata.sources.map((source) => sourceOf(source, copy)),
    roles: rolesIn(copy.metadata),
  };
}

function sourceOf(source: Source, copy: WorkingCopy): DiagramSource {
  const { name } = source;
  const found = copy.catalogs[name];
  const catalog = copy.catalog(name);
  return {
    name,
    ...(found && 'error' in found && { error: found.error }),
    tables: tablesOf(source, catalog),
    functions: functionsOf(source, catalog),
    suggestions: suggestionsOf(copy, name)
      .filter(({ isThere }) => !isThere)
      .map(suggestionOf),
  };
}

function tablesOf(source: Source, catalog: SourceCatalog | undefined): DiagramTable[] {
  const entries = new Map(source.tables.map((entry) => [keyOf(entry.table), entry]));
  const context = createReferenceContext(source, catalog);
  const known = new Set<string>();
  const tables = (catalog?.tables ?? []).map((table) => {
    known.add(keyOf(table));
    return tableOf(table, entries.get(keyOf(table)));
  });
  const gone = source.tables
    .filter(({ table }) => !known.has(keyOf(table)))
    .map((entry) => tableOf({ ...entry.table, columns: [] }, entry));
  return [...tables, ...gone];

  function tableOf(
    {
      schema,
      name,
      kind,
      partitionOf,
      columns,
    }: Pick<CatalogTable, 'schema' | 'name' | 'columns'> & Partial<CatalogTable>,
    entry: TableEntry | undefined,
  ): DiagramTable {
    const customName = entry?.configuration.custom_name;
    return {
      ...{ schema, name },
      ...(kind && { kind }),
      isTracked: entry !== undefined,
      ...(customName !== undefined && { customName }),
      ...(partitionOf && { partitionOf: keyOf(partitionOf) }),
      columns: columns.length,
      relationships: entry
        ? relationshipsOf(entry, context).map(({ name: field, to }) => ({
            name: field,
            ...(to && { to: keyOf(to) }),
          }))
        : [],
      roles: entry ? rolesOf(entry) : [],
    };
  }
}

/** The relationships within a source, with the tables that they lead to. */
export function relationshipsOf(
  { table, object_relationships, array_relationships }: TableEntry,
  context: ReturnType<typeof createReferenceContext>,
): TableRelationship[] {
  const of = (type: 'object' | 'array', { name }: { readonly name: string }): TableRelationship => {
    const field = context.field(table, name);
    const to = field?.kind === 'relationship' ? field.target : undefined;
    return { name, type, ...(to && { to: { schema: to.schema, name: to.name } }) };
  };
  return [
    ...object_relationships.map((each) => of('object', each)),
    ...array_relationships.map((each) => of('array', each)),
  ];
}

function functionsOf({ functions }: Source, catalog: SourceCatalog | undefined): DiagramFunction[] {
  const entries = new Map(functions.map((entry) => [keyOf(entry.function), entry]));
  const found = catalog?.functions ?? [];
  const relations = new Set(catalog?.tables.map(keyOf));
  const known = new Map(found.map((each) => [keyOf(each), each]));
  const listed = [...known].flatMap(([key, each]) => {
    const entry = entries.get(key);
    // Functions that return no rows are neither root fields nor obstacles.
    if (!entry && (each.returns.array || !relations.has(keyOf(each.returns)))) return [];
    const obstacle = obstacleOf(each, found, relations);
    return [
      {
        ...{ schema: each.schema, name: each.name },
        isTracked: entry !== undefined,
        returns: keyOf(each.returns),
        changesData: each.volatility === 'volatile',
        ...(obstacle !== undefined && !entry && { obstacle }),
      },
    ];
  });
  const gone = [...entries.values()].filter((entry: FunctionEntry) => !known.has(keyOf(entry.function)));
  return [...listed, ...gone.map(({ function: name }) => ({ ...name, isTracked: true, changesData: false }))];
}

function obstacleOf(
  called: CatalogFunction,
  all: readonly CatalogFunction[],
  relations: ReadonlySet<string>,
): string | undefined {
  const row = called.arguments.find(({ type }) => !type.array && relations.has(keyOf(type)));
  if (row) return `it takes a row of ${keyOf(row.type)}: it can be a computed field of that table`;
  if (all.some((other) => other !== called && keyOf(other) === keyOf(called)))
    return 'several functions have the name';
  return undefined;
}

function suggestionOf(suggested: SuggestedRelationship): ModelSuggestion {
  const { type, name, from, to, key, isOwnKey } = suggested;
  const [near, far] = isOwnKey
    ? [key.columns, key.references.columns]
    : [key.references.columns, key.columns];
  return {
    ...{ type, name },
    from: { schema: from.schema, name: from.name },
    to: { schema: to.schema, name: to.name },
    over: near.map((column, index) => `${column} → ${far[index]}`).join(', '),
    using: usingOf(suggested, isAmbiguous(suggested)),
  };
}

/** Whether another foreign key has the columns by which metadata names this one. */
function isAmbiguous({ from, to, key, isOwnKey }: SuggestedRelationship): boolean {
  const owner = isOwnKey ? from : to;
  return owner.foreignKeys.some(
    (other) =>
      other !== key &&
      other.columns.length === key.columns.length &&
      other.columns.every((column) => key.columns.includes(column)) &&
      (isOwnKey || keyOf(other.references) === keyOf(from)),
  );
}

function rolesOf(entry: TableEntry): string[] {
  return [
    ...new Set(OPERATIONS.flatMap((operation) => entry[`${operation}_permissions`].map(({ role }) => role))),
  ].sort();
}

/** Every role that the metadata names, without `admin`. */
export function rolesIn({ sources, actions, remote_schemas, inherited_roles }: Metadata): string[] {
  const roles = new Set([
    ...sources.flatMap(({ tables, functions }) => [
      ...tables.flatMap(rolesOf),
      ...functions.flatMap(({ permissions }) => permissions.map(({ role }) => role)),
    ]),
    ...actions.flatMap(({ permissions }) => permissions.map(({ role }) => role)),
    ...remote_schemas.flatMap(({ permissions }) => permissions.map(({ role }) => role)),
    ...inherited_roles.flatMap(({ role_name, role_set }) => [role_name, ...role_set]),
  ]);
  roles.delete(ADMIN_ROLE);
  return [...roles].sort();
}
