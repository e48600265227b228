/**
 * From what Postgres sends to the catalog: names instead of OIDs and attribute numbers, absent instead of null, everything
 * in an order of its own.
 */
import { createHash } from 'node:crypto';
import { objectKey } from '../core/names.ts';
import { groupBy } from '../core/remember.ts';
import { type BelowLookup, readBelow } from './below.ts';
import type {
  Catalog,
  CatalogColumn,
  CatalogForeignKey,
  CatalogFunction,
  CatalogKey,
  CatalogTable,
  RelationKind,
  RelationReference,
} from './catalog.ts';
import { describeObjects } from './objects.ts';
import { compareNames, compareText } from './order.ts';
import type {
  RawCall,
  RawCatalog,
  RawColumn,
  RawConstraint,
  RawFunction,
  RawIndex,
  RawRead,
  RawRelation,
  RawTrigger,
} from './raw-catalog.ts';
import type { ReadBody } from './sql-body.ts';
import { nameTypes, type TypeNamer, typeReferenceText } from './type-names.ts';
import { readViewOrder, readViewOrigins, type ViewOrigins } from './view-origins.ts';

/** The parts of one table: its rows of every section, by OID. */
interface Lookup {
  readonly types: TypeNamer;
  readonly relations: ReadonlyMap<number, RawRelation>;
  readonly columns: ReadonlyMap<number, readonly RawColumn[]>;
  readonly constraints: ReadonlyMap<number, readonly RawConstraint[]>;
  readonly indexes: ReadonlyMap<number, readonly RawIndex[]>;
  readonly origins: ReadonlyMap<number, ViewOrigins>;
  readonly reads: ReadonlyMap<number, readonly RawRead[]>;
  readonly calls: ReadonlyMap<number, readonly RawCall[]>;
  readonly triggers: ReadonlyMap<number, readonly RawTrigger[]>;
  readonly parents: ReadonlyMap<number, readonly { readonly parent: number }[]>;
  readonly below: BelowLookup;
}

/** Makes the catalog of what {@link catalogStatement} returned. Without `readBody` no body of a function is read. */
export function normaliseCatalog(raw: RawCatalog, readBody?: ReadBody): Catalog {
  const columns = groupByRelation(raw.columns);
  for (const list of columns.values()) list.sort((a, b) => a.position - b.position);
  const origins = new Map<number, ViewOrigins>();
  for (const relation of raw.relations)
    if (relation.query !== null) origins.set(relation.oid, readViewOrigins(relation.query));
  const lookup: Lookup = {
    types: nameTypes(raw.types, columns),
    relations: new Map(raw.relations.map((relation) => [relation.oid, relation])),
    columns,
    constraints: groupByRelation(raw.constraints),
    indexes: groupByRelation(raw.indexes),
    origins,
    reads: groupByRelation(raw.reads.filter(({ position, function: called }) => position + called === 0)),
    calls: groupByRelation(raw.calls),
    triggers: groupByRelation(raw.triggers),
    parents: groupByRelation(raw.inheritance),
    below: readBelow(raw, readBody),
  };
  const tables = raw.relations.map((relation) => describeTable(relation, lookup)).sort(compareNames);
  const functions = raw.functions.map((entry) => describeFunction(entry, lookup)).sort(compareFunctions);
  return {
    serverVersion: raw.serverVersion,
    extensions: [...raw.extensions].sort((a, b) => compareText(a.name, b.name)),
    types: lookup.types.used(),
    tables,
    functions,
    ...(raw.facts && { objects: describeObjects(raw) }),
  };
}

const relationKinds: Record<RawRelation['kind'], RelationKind> = {
  r: 'table',
  p: 'partitioned',
  v: 'view',
  m: 'materialized',
  f: 'foreign',
};

function describeTable(relation: RawRelation, lookup: Lookup): CatalogTable {
  const parent = relation.parent === null ? undefined : lookup.relations.get(relation.parent);
  const constraints = (lookup.constraints.get(relation.oid) ?? []).toSorted(byName);
  const all = (lookup.indexes.get(relation.oid) ?? []).toSorted(byName);
  const indexes = all.filter((index) => index.is_valid);
  const ofKind = (kind: RawConstraint['kind']) =>
    constraints.filter((constraint) => constraint.kind === kind);
  const [primaryKey] = ofKind('p');
  const below = lookup.below.ofRelation(relation.oid);
  const ancestors = ancestorsOf(relation.oid, lookup);
  return {
    schema: relation.schema,
    name: relation.name,
    oid: relation.oid,
    kind: relationKinds[relation.kind],
    ...(relation.comment !== null && { comment: relation.comment }),
    ...(parent && { partitionOf: { schema: parent.schema, name: parent.name } }),
    ...(relation.inherits && { inherits: true }),
    ...(relation.has_children && { hasChildren: true }),
    ...(ancestors.length > 0 && { ancestors }),
    columns: (lookup.columns.get(relation.oid) ?? []).map((column) => describeColumn(column, lookup)),
    ...(primaryKey && { primaryKey: describeKey(primaryKey, all, lookup) }),
    uniqueConstraints: ofKind('u').map((constraint) => describeKey(constraint, all, lookup)),
    uniqueIndexes: indexes
      .filter(
        (index) => index.is_unique && index.is_free && !index.is_partial && !keyPositions(index).includes(0),
      )
      .map(({ name, oid, ...index }) => ({
        name,
        columns: keyPositions(index).map((position) => columnName(index.relation, position, lookup)!),
        oid,
        ...(!index.is_exact && { otherEquality: true as const }),
      })),
    indexes: indexes.map((index) => ({
      name: index.name,
      method: index.method,
      columns: keyPositions(index).map((position) => columnName(index.relation, position, lookup) ?? null),
      ...(index.is_unique && { unique: true }),
      ...(index.is_partial && { partial: true }),
      ...(index.inference !== null && { inference: index.inference }),
    })),
    foreignKeys: ofKind('f').flatMap((constraint) => describeForeignKey(constraint, lookup)),
    ...describeQuery(relation, lookup),
    ...(below && { below }),
    ...describeTriggers(relation, lookup),
    checks: ofKind('c').map(({ name, definition }) => ({ name, definition: definition! })),
    ...(relation.has_side_effects && { sideEffects: true }),
    insertable: (relation.events & 8) !== 0,
    updatable: (relation.events & 4) !== 0,
    deletable: (relation.events & 16) !== 0,
  };
}

/** Tables that show its rows: those that it inherits from or is a part of, at every level. */
function ancestorsOf(oid: number, { parents, relations }: Lookup): RelationReference[] {
  const found = new Set<number>();
  const collect = (relation: number): void => {
    for (const { parent } of parents.get(relation) ?? []) {
      found.add(parent);
      collect(parent);
    }
  };
  collect(oid);
  return [...found]
    .flatMap((each) => relations.get(each) ?? [])
    .map(({ schema, name }) => ({ schema, name }))
    .sort(compareNames);
}

function describeColumn(column: RawColumn, lookup: Lookup): CatalogColumn {
  const origin = findOrigin(column.relation, column.position, lookup);
  const below = lookup.below.ofColumn(column.relation, column.position);
  return {
    name: column.name,
    position: column.position,
    type: lookup.types.reference(column.type),
    ...(column.not_null && { notNull: true }),
    ...(column.is_promised && { promised: true }),
    ...(column.null_below && { nullBelow: true }),
    ...((column.has_default || column.identity !== '' || lookup.types.hasDefault(column.type)) && {
      hasDefault: true,
    }),
    ...(column.identity !== '' && { identity: column.identity === 'a' ? 'always' : 'by default' }),
    ...(column.generated !== '' && { generated: column.generated === 's' ? 'stored' : 'virtual' }),
    ...(column.nondeterministic && { nondeterministic: true }),
    ...(column.comment !== null && { comment: column.comment }),
    ...(origin && { origin }),
    ...(below && { below }),
    ...(column.updatable !== null && { updatable: column.updatable }),
  };
}

/**
 * The column that a view's column shows, through views on views down to the first relation that has rows of its own. None
 * if that relation is not read (a system table).
 */
function findOrigin(relation: number, position: number, lookup: Lookup): CatalogColumn['origin'] {
  const origin = lookup.origins.get(relation)?.get(position);
  const source = origin && lookup.relations.get(origin.relation);
  if (!source) return undefined;
  if (source.kind === 'v') return findOrigin(origin.relation, origin.position, lookup);
  const column = columnName(origin.relation, origin.position, lookup);
  return column === undefined ? undefined : { schema: source.schema, name: source.name, column };
}

/** Columns and functions that a view's query uses, through views on views down to relations with rows of their own. */
function describeQuery(
  view: RawRelation,
  lookup: Lookup,
): Pick<CatalogTable, 'definition' | 'reads' | 'calls' | 'ordered'> {
  if (view.definition === null) return {};
  const found = new Map<number, Set<number>>();
  const seen = new Set<number>();
  const calls = new Map<string, string>();
  const collect = (relation: number): void => {
    if (seen.has(relation)) return;
    seen.add(relation);
    for (const { schema, name, definition } of lookup.calls.get(relation) ?? []) {
      const key = objectKey(schema, name);
      // Overloads of one name.
      calls.set(key, combine([calls.get(key) ?? '', definition].filter(Boolean).sort()));
    }
    for (const { source, source_position: position } of lookup.reads.get(relation) ?? []) {
      if (lookup.relations.get(source)?.kind === 'v') collect(source);
      else found.set(source, (found.get(source) ?? new Set()).add(position));
    }
  };
  collect(view.oid);
  const reads = [...found]
    .flatMap(([oid, positions]) => {
      const source = lookup.relations.get(oid);
      if (!source) return [];
      const columns = [...positions]
        .sort((a, b) => a - b)
        .flatMap((position) => columnName(oid, position, lookup) ?? []);
      return [{ schema: source.schema, name: source.name, columns }];
    })
    .sort(compareNames);
  const definitions = [...seen].map((oid) => lookup.relations.get(oid)?.definition ?? '');
  return {
    ...(reads.length > 0 && { reads }),
    ...(isOrdered(view, lookup) && { ordered: true }),
    definition: combine([definitions[0]!, ...definitions.slice(1).sort()]),
    ...(calls.size > 0 && { calls: sortedRecord(calls) }),
  };
}

/** A materialized view is a table, whose rows are in no order. */
function isOrdered({ oid, kind, query }: RawRelation, lookup: Lookup): boolean {
  const order = kind === 'v' && query !== null && readViewOrder(query);
  if (order !== 'of the view below') return order === 'own';
  const below = new Set((lookup.reads.get(oid) ?? []).map(({ source }) => lookup.relations.get(source)));
  return [...below].some((each) => each !== undefined && isOrdered(each, lookup));
}

function describeTriggers({ oid }: RawRelation, lookup: Lookup): Pick<CatalogTable, 'triggers'> {
  const triggers = (lookup.triggers.get(oid) ?? []).map(
    ({ name, definition }) => [name, definition] as const,
  );
  return triggers.length > 0 ? { triggers: sortedRecord(triggers) } : {};
}

/** One hash of several, and the hash itself of one. */
function combine(hashes: readonly string[]): string {
  if (hashes.length === 1) return hashes[0]!;
  return createHash('sha256').update(hashes.join(' ')).digest('hex').slice(0, 32);
}

function sortedRecord(entries: Iterable<readonly [string, string]>): Record<string, string> {
  return Object.fromEntries([...entries].sort(([left], [right]) => compareText(left, right)));
}

function describeKey(constraint: RawConstraint, indexes: readonly RawIndex[], lookup: Lookup): CatalogKey {
  const index = indexes.find(({ oid }) => oid === constraint.index);
  return {
    name: constraint.name,
    columns: constraintColumns(constraint, lookup),
    oid: constraint.oid,
    ...(constraint.is_deferrable && { deferrable: true }),
    ...(!index?.is_valid && { invalid: true }),
    ...(!index?.is_exact && { otherEquality: true }),
    ...(index && index.method !== 'btree' && { temporal: true }),
  };
}

/** Nothing if the referenced table is in a schema that is not read: no metadata can follow such a key. */
function describeForeignKey(constraint: RawConstraint, lookup: Lookup): CatalogForeignKey[] {
  const target = lookup.relations.get(constraint.referenced!);
  if (target === undefined) return [];
  return [
    {
      name: constraint.name,
      oid: constraint.oid,
      columns: constraintColumns(constraint, lookup),
      references: {
        schema: target.schema,
        name: target.name,
        columns: constraint.referenced_columns!.map((position) => columnName(target.oid, position, lookup)!),
      },
      ...describeActions(constraint),
      ...(constraint.is_deferrable && { deferrable: true }),
      ...(constraint.is_unvalidated && { unvalidated: true }),
      ...(constraint.is_disabled && { disabled: true }),
    },
  ];
}

const actions = { c: 'cascade', n: 'set null', d: 'set default' } as const;

/** Effect on the row when the one that it refers to is deleted or changes; absent: that is refused. */
function describeActions({
  on_delete: onDelete,
  on_update: onUpdate,
}: RawConstraint): Pick<CatalogForeignKey, 'onDelete' | 'onUpdate'> {
  const isAction = (letter: string): letter is keyof typeof actions => letter in actions;
  return {
    ...(isAction(onDelete) && { onDelete: actions[onDelete] }),
    ...(isAction(onUpdate) && { onUpdate: actions[onUpdate] }),
  };
}

function constraintColumns(constraint: RawConstraint, lookup: Lookup): string[] {
  return constraint.columns!.map((position) => columnName(constraint.relation, position, lookup)!);
}

/** Attribute numbers of an index's key, 0 for an expression; without the columns that it merely INCLUDEs. */
function keyPositions(index: Pick<RawIndex, 'columns' | 'key_length'>): number[] {
  return index.columns.split(' ').slice(0, index.key_length).map(Number);
}

function columnName(relation: number, position: number, lookup: Lookup): string | undefined {
  return lookup.columns.get(relation)?.find((column) => column.position === position)?.name;
}

const volatilities = { i: 'immutable', s: 'stable', v: 'volatile' } as const;

function describeFunction(entry: RawFunction, { types, below }: Lookup): CatalogFunction {
  const own = below.ofFunction(entry.oid);
  const inputTypes = entry.argument_types === '' ? [] : entry.argument_types.split(' ').map(Number);
  // Names and modes cover all arguments: those of OUT and TABLE arguments belong to the result.
  const names = (entry.argument_names ?? []).filter((_, index) => {
    const mode = entry.argument_modes?.[index] ?? 'i';
    return mode === 'i' || mode === 'b' || mode === 'v';
  });
  return {
    schema: entry.schema,
    name: entry.name,
    oid: entry.oid,
    volatility: volatilities[entry.volatility],
    ...(entry.is_strict && { strict: true }),
    ...(entry.comment !== null && { comment: entry.comment }),
    arguments: inputTypes.map((type, index) => ({
      // An argument without a name has the empty one.
      name: names[index] || null,
      type: types.reference(type),
      ...(index >= inputTypes.length - entry.defaults && { hasDefault: true }),
      ...(entry.is_variadic && index === inputTypes.length - 1 && { variadic: true }),
    })),
    returns: types.reference(entry.returns),
    ...(entry.returns_set && { returnsSet: true }),
    language: entry.language,
    definition: entry.definition,
    ...(entry.is_definer && { definer: true }),
    ...(own && { below: own }),
    ...(entry.writes && { writes: entry.writes }),
  };
}

/** By schema and name, overloads by the types of their arguments: the order survives dump and restore. */
function compareFunctions(a: CatalogFunction, b: CatalogFunction): number {
  const signature = (entry: CatalogFunction) =>
    entry.arguments.map(({ type }) => typeReferenceText(type)).join();
  return compareNames(a, b) || compareText(signature(a), signature(b));
}

function byName(a: { readonly name: string }, b: { readonly name: string }): number {
  return compareText(a.name, b.name);
}

function groupByRelation<Entry extends { readonly relation: number }>(entries: readonly Entry[]) {
  return groupBy(entries, ({ relation }) => relation);
}
