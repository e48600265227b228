/** Object and array relationships: by foreign key on either side, or by a column mapping of one's own. */

import type { CatalogForeignKey } from '../../../runtime/catalog/catalog.ts';
import { isAlwaysThere, isAtMostOne } from '../../../runtime/catalog/proven.ts';
import type { NativeShape, RelationshipShape } from '../../../runtime/core/contract/shapes.ts';
import { messages } from '../../../runtime/core/diagnostics/catalogue.ts';
import { at } from '../../../runtime/core/diagnostics/diagnostic.ts';
import {
  DECLARED_SCHEMA,
  displayName,
  isGraphqlName,
  keyOf,
  objectKey,
  quotedName,
} from '../../../runtime/core/names.ts';
import { columnType } from '../../../runtime/core/types.ts';
import type {
  ForeignKeyOnOtherTable,
  ForeignKeyOnThisTable,
  Json,
  ManualConfiguration,
  ObjectRelationship,
  QualifiedName,
  RelationshipEntry,
  RelationshipUsing,
} from '../../../runtime/metadata/metadata.ts';
import { sameColumns } from '../../../runtime/metadata/suggested-relationships.ts';
import { type NestedRows, nativeArgumentShapes, requireTyped } from './declared.ts';
import { requireFreeFieldName } from './field.ts';
import { fieldLosses, missingTable } from './losses.ts';
import { Failure, type ReportedObject, suggest } from './report.ts';
import { type SourceScope, type TableScope, tableNames } from './scope.ts';

/** Resolves a relationship of a table. @throws Failure */
export function resolveRelationship(
  scope: SourceScope,
  table: TableScope,
  kind: 'object' | 'array',
  relationship: RelationshipEntry<RelationshipUsing>,
): RelationshipShape {
  if (!isGraphqlName(relationship.name))
    throw new Failure(messages.nameNotGraphql({ name: relationship.name }));
  requireFreeFieldName(scope, table, relationship.name, kind === 'array');
  const { using } = relationship;
  const join = {
    foreign_key_on_this_table: () => joinFromHere(scope, table, using as ForeignKeyOnThisTable),
    foreign_key_on_other_table: () => joinFromThere(scope, table, using as ForeignKeyOnOtherTable),
    manual: () => joinByHand(scope, table, using as ManualConfiguration),
  }[using.kind]();
  const { target, columns } = join;
  const single = kind === 'object' && isSingle(scope, table, join, relationship);
  const always = kind === 'object' && join.key !== undefined && isAlwaysThere(table.catalog, join.key).holds;
  const insertAfter =
    kind === 'object' &&
    (using.kind === 'foreign_key_on_other_table' ||
      (using.kind === 'manual' && using.insertion_order === 'after_parent'));
  return {
    kind,
    target: target.key,
    columns,
    ...(join.query && { query: join.query }),
    ...(join.given && { given: join.given }),
    ...(always && { notNull: true }),
    ...(single && { unique: true }),
    ...(insertAfter && { insertAfter: true }),
    ...(relationship.comment !== undefined && { description: relationship.comment }),
  };
}

interface Join {
  readonly target: TableScope;
  readonly columns: Readonly<Record<string, string>>;
  readonly query?: NativeShape;
  readonly given?: Readonly<Record<string, string>>;
  /** The foreign key of this table that it follows. */
  readonly key?: CatalogForeignKey;
}

/** Whether at most one row of the target is joined to each row; says why not where the columns cover a key. */
function isSingle(
  scope: SourceScope,
  table: TableScope,
  { target, columns }: Join,
  { name, path }: RelationshipEntry<RelationshipUsing>,
): boolean {
  const own = new Map(table.catalog.columns.map((column) => [column.name, column]));
  const compared = Object.entries(columns).map(([here, there]) => ({ column: there, with: own.get(here)! }));
  const { holds, because, isKeyDoubted } = isAtMostOne(scope.catalog, target.catalog, compared);
  if (isKeyDoubted) {
    const about = {
      relationship: name,
      table: quotedName(table.catalog),
      target: quotedName(target.catalog),
      because,
    };
    scope.diagnostics.push(at(path, messages.relationshipNotSingle(about)));
  }
  return holds;
}

function joinFromHere(scope: SourceScope, table: TableScope, using: ForeignKeyOnThisTable): Join {
  const keys = table.catalog.foreignKeys.filter((key) => sameColumns(key.columns, using.columns));
  const key = onlyKey(keys, () => {
    const missing = using.columns.find((column) => !table.columns.has(column));
    return missing === undefined ? {} : columnAdvice(table, missing);
  });
  return {
    target: servedTable(scope, key.references, 'alone'),
    columns: pairs(key.columns, key.references.columns),
    key,
  };
}

function joinFromThere(scope: SourceScope, table: TableScope, using: ForeignKeyOnOtherTable): Join {
  const target = servedTable(scope, using.table);
  const keys = target.catalog.foreignKeys.filter(
    (key) => keyOf(key.references) === table.key && sameColumns(key.columns, using.columns),
  );
  const key = onlyKey(keys, () => {
    const missing = using.columns.find((column) => !target.columns.has(column));
    return missing === undefined ? {} : columnAdvice(target, missing);
  });
  return { target, columns: pairs(key.references.columns, key.columns) };
}

function joinByHand(scope: SourceScope, table: TableScope, using: ManualConfiguration): Join {
  const { remote_table: other } = using;
  const query = other.schema === DECLARED_SCHEMA ? nativeQuery(scope, other.name) : undefined;
  const target = servedTable(scope, query?.returns ?? other);
  const mapping = Object.entries(using.column_mapping).sort(([left], [right]) => (left < right ? -1 : 1));
  for (const [here, there] of mapping) {
    requireColumn(table, here);
    requireColumn(target, there);
  }
  const columns = Object.fromEntries(mapping);
  if (!query) return { target, columns };
  const given = using.argument_mapping && givenArguments(scope, table, query.shape, using.argument_mapping);
  return { target, columns, query: query.shape, ...(given && { given }) };
}

/** Arguments of a native query that columns give. @throws Failure where a value would not be one of the argument */
function givenArguments(
  { shape }: SourceScope,
  table: TableScope,
  { name: query, arguments: list }: NativeShape,
  mapping: Readonly<Record<string, string>>,
): Readonly<Record<string, string>> {
  const names = list.map(({ name }) => name!);
  for (const [name, column] of Object.entries(mapping)) {
    const argument = list.find((each) => each.name === name);
    if (!argument)
      throw new Failure(
        messages.relationshipArgumentMissing({ name: query, argument: name, ...suggest(name, names) }),
      );
    requireColumn(table, column);
    const [own, wanted] = [table.columns.get(column)!, argument].map(({ type }) => columnType(shape, type));
    const isWider =
      INTEGERS.indexOf(own!.name) >= 0 && INTEGERS.indexOf(own!.name) < INTEGERS.indexOf(wanted!.name);
    const isText = [own!, wanted!].every(({ family, element }) => family === 'text' && !element);
    if (own!.sql !== wanted!.sql && !isWider && !isText)
      throw new Failure(
        messages.relationshipArgumentType({
          name: query,
          argument: name,
          type: argument.type,
          column,
          columnType: own!.key,
        }),
      );
  }
  return Object.fromEntries(Object.entries(mapping).sort(([left], [right]) => (left < right ? -1 : 1)));
}

/** Each has the values of those before it. */
const INTEGERS = ['int2', 'int4', 'int8', 'numeric'];

/** The other side of a relationship to a native query. @throws Failure */
function nativeQuery(
  scope: SourceScope,
  name: string,
): { readonly shape: NativeShape; readonly returns: QualifiedName } {
  const entry = scope.source.functions.find(
    ({ function: called }) => called.schema === DECLARED_SCHEMA && called.name === name,
  );
  const [called] = scope.catalogFunctions.get(objectKey(DECLARED_SCHEMA, name)) ?? [];
  if (!entry?.declared) throw new Failure(messages.relationshipQueryMissing({ name }));
  requireTyped(scope, 'native query', name, entry.declared.hash, called?.definition);
  const list = nativeArgumentShapes(called!, entry.declared);
  if (called!.volatility === 'volatile') throw new Failure(messages.relationshipQueryVolatile({ name }));
  return { shape: { name, sql: entry.declared.query.code, arguments: list }, returns: called!.returns };
}

/** A field of a logical model that holds rows of another one. @throws Failure */
export function resolveNested(
  scope: SourceScope,
  table: TableScope,
  name: string,
  { kind, model }: NestedRows,
): RelationshipShape {
  const { description } = table.columns.get(name)!;
  const columns = new Map([...table.columns].filter(([column]) => column !== name));
  requireFreeFieldName(scope, { ...table, columns }, name, kind === 'array');
  return {
    kind,
    target: servedTable(scope, model).key,
    columns: {},
    nested: name,
    ...(description !== undefined && { description }),
  };
}

function onlyKey(keys: readonly CatalogForeignKey[], advice: () => { advice?: string }): CatalogForeignKey {
  // Two constraints over the same columns to the same place are equivalent.
  const distinct = new Map(
    keys.map((key) => [JSON.stringify([key.columns.toSorted(), key.references]), key]),
  );
  if (distinct.size === 0) throw new Failure(messages.foreignKeyMissing(advice()));
  if (distinct.size > 1) throw new Failure(messages.foreignKeyAmbiguous());
  return [...distinct.values()][0]!;
}

function columnAdvice(table: TableScope, column: string): { advice?: string } {
  const { nearest } = suggest(column, table.columns.keys());
  const missing = `Table ${quotedName(table.catalog)} has no column "${column}".`;
  return { advice: nearest === undefined ? missing : `${missing} Did you mean "${nearest}"?` };
}

/** A table that is served. @throws Failure */
export function servedTable(
  scope: SourceScope,
  name: QualifiedName,
  wording?: Failure['wording'],
): TableScope {
  const table = scope.tables.get(keyOf(name));
  if (table) return table;
  const hint = scope.catalogTables.has(keyOf(name))
    ? { advice: 'The database has it: track it, or point at another table.' }
    : suggest(displayName(name.schema, name.name), tableNames(scope));
  const problem = messages.tableNotTracked({ table: quotedName(name), ...hint });
  throw new Failure(problem, undefined, wording).missing(...missingTable(scope, name));
}

function requireColumn(table: TableScope, column: string): void {
  if (table.columns.has(column)) return;
  throw new Failure(
    messages.relationshipFieldMissing({
      table: quotedName(table.catalog),
      column,
      ...suggest(column, table.columns.keys()),
    }),
  );
}

function pairs(from: readonly string[], to: readonly string[]): Record<string, string> {
  return Object.fromEntries(from.map((column, index) => [column, to[index]!]));
}

/** The relationship as inconsistencies list it. */
export function relationshipObject(
  scope: SourceScope,
  table: TableScope,
  kind: 'object' | 'array',
  relationship: ObjectRelationship,
): ReportedObject {
  const { schema, name } = table.entry.table;
  return {
    path: relationship.path,
    type: `${kind}_relation`,
    name: `${kind}_relation ${relationship.name} in table ${displayName(schema, name)} in source ${scope.source.name}`,
    definition: {
      source: scope.source.name,
      table: { schema, name },
      name: relationship.name,
      using: usingJson(relationship.using),
      comment: relationship.comment ?? null,
    },
    context: `in table ${quotedName(table.entry.table)}: in relationship "${relationship.name}": `,
    offers: () => fieldLosses(scope, table, relationship.name),
  };
}

function usingJson(using: RelationshipUsing): Json {
  switch (using.kind) {
    case 'foreign_key_on_this_table':
      return { foreign_key_constraint_on: oneOrMany(using.columns) };
    case 'foreign_key_on_other_table': {
      const table = { schema: using.table.schema, name: using.table.name };
      const columns = oneOrMany(using.columns);
      return {
        foreign_key_constraint_on: Array.isArray(columns) ? { columns, table } : { column: columns, table },
      };
    }
    case 'manual':
      return {
        manual_configuration: {
          column_mapping: using.column_mapping,
          insertion_order: using.insertion_order ?? null,
          ...(using.argument_mapping && { argument_mapping: using.argument_mapping }),
          remote_table: { schema: using.remote_table.schema, name: using.remote_table.name },
        },
      };
  }
}

function oneOrMany(columns: readonly string[]): Json {
  return columns.length === 1 ? columns[0]! : columns;
}
