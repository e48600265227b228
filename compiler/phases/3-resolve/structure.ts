/**
 * The part of a source that does not depend on permissions: tables with their fields, root fields, functions. It is made
 * anew when any of it changes, and reused when only permissions change.
 */

import type { CatalogOrError } from '../../../runtime/catalog/catalog.ts';
import { askedArguments, type TableShape } from '../../../runtime/core/contract/shapes.ts';
import { messages } from '../../../runtime/core/diagnostics/catalogue.ts';
import type { Diagnostic } from '../../../runtime/core/diagnostics/diagnostic.ts';
import type { NamedInconsistency } from '../../../runtime/core/diagnostics/inconsistency.ts';
import { type NamingOptions, objectKey } from '../../../runtime/core/names.ts';
import { typeNames } from '../../../runtime/core/schema/type-names.ts';
import type { Vocabulary } from '../../../runtime/core/vocabulary.ts';
import type { FunctionEntry, Source, TableEntry } from '../../../runtime/metadata/metadata.ts';
import type { Memory } from '../../memory/memory.ts';
import { reuse, reuser } from '../../memory/reuse.ts';
import type { ModelFunction, RootField } from '../../model/model.ts';
import { claimArguments, computedFieldObject, resolveComputedField } from './computed-field.ts';
import { claimNames, functionOwner, type Names, ownerName, rootTypeOf } from './conflict.ts';
import { contestedFieldNames, leaveOutContested } from './field.ts';
import { reportedFunction, resolveFunction } from './function.ts';
import { sourceLosses } from './losses.ts';
import { relationshipObject, resolveNested, resolveRelationship } from './relationship.ts';
import { remoteRelationshipObject } from './remote-relationship.ts';
import { attempt, leaveOut, type ReportedObject } from './report.ts';
import { resolveRootFields, singleRowField } from './root-field.ts';
import type { SourceScope, StructureFunction, StructureSource, StructureTable, TableScope } from './scope.ts';
import { conventionOf, startSource } from './source.ts';
import { reportedTable, tableShape } from './table.ts';
import type { TypeRegister } from './type-register.ts';

export interface Structure {
  /** In the order of the metadata, without those that cannot be reached. */
  readonly sources: readonly SourceStructure[];
  /** Names of GraphQL types that sources have, with those of every API. */
  readonly types: TypeRegister['taken'];
  readonly diagnostics: readonly Diagnostic[];
}

export interface SourceStructure {
  /** Its tables are complete. */
  readonly scope: SourceScope;
  /** Tables sorted by key, as the model has them. */
  readonly tables: readonly TableStructure[];
  /** Sorted by key. */
  readonly functions: readonly FunctionStructure[];
}

interface TableStructure {
  readonly key: string;
  readonly shape: TableShape;
  readonly rootFields: readonly RootField[];
}

type FunctionStructure = Omit<ModelFunction, 'roles'>;

type Catalogs = Readonly<Record<string, CatalogOrError>>;

/** The structure of the sources, from before where nothing that it is made of changed. */
export function resolveStructure(
  sources: readonly Source[],
  catalogs: Catalogs,
  naming: NamingOptions,
  vocabulary: Vocabulary,
  memory: Memory,
): Structure {
  const given = sources.map((source) => withoutPermissions(source, memory));
  const catalogsOf = sources.map(({ name }) =>
    Object.hasOwn(catalogs, name) ? catalogs[name]! : NO_CATALOG,
  );
  return memory.update(makeStructure, memory, given, catalogsOf, naming, vocabulary);
}

const NO_CATALOG: CatalogOrError = { error: 'no catalog was given' };

/** The source without permissions: the same object as long as nothing else changes. */
function withoutPermissions(source: Source, memory: Memory): StructureSource {
  const next = {
    ...source,
    tables: source.tables.map((entry) => memory.call(tableWithoutPermissions, entry, memory)),
    functions: source.functions.map((entry) => memory.call(functionWithoutPermissions, entry, memory)),
  };
  return memory.update(reuseSource, source.configuration, next);
}

function tableWithoutPermissions(entry: TableEntry, memory: Memory): StructureTable {
  const { select_permissions, insert_permissions, update_permissions, delete_permissions, ...next } = entry;
  // By name, an object that entries with other permissions share.
  return memory.update(reuseTable, entry.table, next);
}

function functionWithoutPermissions(entry: FunctionEntry, memory: Memory): StructureFunction {
  const { permissions, ...next } = entry;
  return memory.update(reuseFunction, entry.function, next);
}

const reuseSource = reuser<StructureSource>();
const reuseTable = reuser<StructureTable>();
const reuseFunction = reuser<StructureFunction>();
const reuseTableScope = reuser<TableScope>();

function makeStructure(
  last: Structure | undefined,
  memory: Memory,
  sources: readonly StructureSource[],
  catalogs: readonly CatalogOrError[],
  naming: NamingOptions,
  vocabulary: Vocabulary,
): Structure {
  const before = new Map(last?.sources.map((source) => [source.scope.source.name, source]));
  const diagnostics: Diagnostic[] = [];
  const scopes: SourceScope[] = [];
  sources.forEach((source, index) => {
    const catalog = catalogs[index]!;
    if ('error' in catalog) leaveOutSource(diagnostics, source, catalog.error, naming);
    else {
      const previous = before.get(source.name)?.scope.shape;
      scopes.push(startSource(source, catalog, { naming, vocabulary }, diagnostics, previous));
    }
  });
  const { names, served } = claimNames(scopes, (scope) => sourceObject(scope.source, naming), memory);
  const closed = served.map((scope) => {
    const previous = before.get(scope.source.name);
    const shapes = new Map(previous?.tables.map((table) => [table.key, table.shape]));
    return closeSource(scope, names, shapes);
  });
  // Complete now, and permissions are remembered by what they look at.
  for (const { tables } of served)
    for (const [key, table] of tables) tables.set(key, memory.update(reuseTableScope, table.catalog, table));
  return {
    sources: closed.map((source) => ({ ...source, tables: addSingleRowFields(source, names) })),
    types: names.types.taken,
    diagnostics,
  };
}

/**
 * Completes a source. What failed is absent when its dependents are resolved, so one pass reaches the fixed point.
 */
function closeSource(
  scope: SourceScope,
  names: Names,
  before: ReadonlyMap<string, TableShape>,
): SourceStructure {
  for (const table of scope.tables.values()) resolveFields(scope, table, names);
  const tables = [...scope.tables.values()].map(
    (table): TableStructure => ({
      key: table.key,
      shape: reuse(tableShape(scope, table), before.get(table.key)),
      rootFields: resolveRootFields(scope, table),
    }),
  );
  tables.sort((left, right) => (left.key < right.key ? -1 : 1));
  return { scope, tables, functions: resolveFunctions(scope, names) };
}

/**
 * The tables with the second names of by-key fields, where no field of any source is called so: asked once all others have
 * theirs.
 */
function addSingleRowFields({ scope, tables }: SourceStructure, { roots }: Names): readonly TableStructure[] {
  return tables.map((structure) => {
    const table = scope.tables.get(structure.key)!;
    const field = singleRowField(scope, table);
    const byKey = structure.rootFields.findIndex(({ kind }) => kind === 'select_by_pk');
    if (!field || byKey < 0) return structure;
    const owner = ownerName({ scope, table });
    if (!roots.claimUnused(scope, owner, rootTypeOf(field), field.name)) return structure;
    return { ...structure, rootFields: structure.rootFields.toSpliced(byKey + 1, 0, field) };
  });
}

function resolveFields(scope: SourceScope, table: TableScope, { types }: Names): void {
  const { object_relationships, array_relationships, computed_fields, remote_relationships } = table.entry;
  const relationships = [
    ...object_relationships.map((relationship) => ['object', relationship] as const),
    ...array_relationships.map((relationship) => ['array', relationship] as const),
  ];
  const contested = contestedFieldNames(scope, table);
  for (const contestedName of contested) {
    const called = ({ name }: { readonly name: string }) => name === contestedName;
    leaveOutContested(scope, contestedName, [
      ...relationships
        .filter(([, relationship]) => called(relationship))
        .map(([kind, relationship]) => relationshipObject(scope, table, kind, relationship)),
      ...computed_fields.filter(called).map((field) => computedFieldObject(scope, table, field)),
      ...remote_relationships.filter(called).map((each) => remoteRelationshipObject(scope, table, each)),
    ]);
  }
  for (const [kind, relationship] of relationships) {
    if (contested.has(relationship.name)) continue;
    const shape = attempt(scope, relationshipObject(scope, table, kind, relationship), () => {
      const found = resolveRelationship(scope, table, kind, relationship);
      const asked = askedArguments(found);
      const { graphqlName, customName } = table;
      const named = { source: scope.shape, graphqlName, ...(customName && { customName: true as const }) };
      claimArguments(
        types,
        `relationship ${relationship.name} of ${table.key}`,
        scope,
        { arguments: asked },
        {
          hidden: new Set(),
          type: typeNames(named).argsOf(relationship.name),
        },
      );
      return found;
    });
    if (shape) table.relationships.set(relationship.name, shape);
  }
  for (const [name, nested] of Object.entries(table.entry.declared?.nested ?? {})) {
    const shape = attempt(scope, reportedTable(scope, table.entry), () =>
      resolveNested(scope, table, name, nested),
    );
    if (shape) table.relationships.set(name, shape);
  }
  for (const field of computed_fields) {
    if (contested.has(field.name)) continue;
    const shape = attempt(scope, computedFieldObject(scope, table, field), () =>
      resolveComputedField(scope, table, field, types),
    );
    if (shape) table.computedFields.set(field.name, shape);
  }
}

function resolveFunctions(scope: SourceScope, { types, roots }: Names): readonly FunctionStructure[] {
  const functions: FunctionStructure[] = [];
  for (const entry of scope.source.functions) {
    const resolved = attempt(scope, reportedFunction(scope, entry), () => {
      const found = resolveFunction(scope, entry, types);
      const owner = functionOwner(entry.function, scope.source.name);
      roots.claim(scope, owner, found.rootFields, () => `${found.exposedAs}_root`);
      return found;
    });
    if (resolved) functions.push(resolved);
  }
  return functions.sort((left, right) => (functionKey(left) < functionKey(right) ? -1 : 1));
}

/** Key of a function among those of its source. */
function functionKey({ shape }: FunctionStructure): string {
  return objectKey(shape.schema, shape.name);
}

/** The source as inconsistencies list it. */
function sourceObject(source: StructureSource, naming: NamingOptions): ReportedObject {
  return {
    path: source.path,
    type: 'source',
    name: `source ${source.name}`,
    definition: source.name,
    context: '',
    offers: () => sourceLosses(source, conventionOf(source, naming)),
  };
}

function leaveOutSource(
  diagnostics: Diagnostic[],
  source: StructureSource,
  error: string,
  naming: NamingOptions,
): void {
  const problem = messages.sourceUnreachable({ reason: error, source: source.name });
  leaveOut({ diagnostics }, sourceObject(source, naming), problem);
  const reported = diagnostics.pop()!;
  diagnostics.push({
    ...reported,
    inconsistency: { ...(reported.inconsistency as NamedInconsistency), message: error },
  });
}
