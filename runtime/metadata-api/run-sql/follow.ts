/**
 * Makes the metadata follow what SQL did to a database, or throws where it must not have been
 * done. Works on the copy; the caller compiles and judges the result.
 * @rule What does `run_sql` do to metadata when tables and columns are renamed or dropped?
 */

import type { SourceCatalog } from '../../catalog/catalog.ts';
import { EngineError } from '../../core/errors.ts';
import { keyOf, quotedName } from '../../core/names.ts';
import {
  describeDependent,
  findDependencies,
  findDependents,
  removeDependents,
} from '../../metadata/dependencies.ts';
import { mapReferences } from '../../metadata/map-references.ts';
import type { QualifiedName, Source } from '../../metadata/metadata.ts';
import type { Needed } from '../../metadata/references.ts';
import { sessionVariable } from '../../metadata/values.ts';
import { dependencyError } from '../change/dependents.ts';
import { findSource, withSource } from '../change/edit.ts';
import { fieldNames } from '../change/table-fields.ts';
import type { WorkingCopy } from '../change/working-copy.ts';
import { sameName, unquotedName } from '../request/names.ts';
import { type CatalogChanges, compareCatalogs, type TableChange } from './changes.ts';

/** Rewrites `copy.metadata` for a source whose catalog went from `before` to `after`. */
export function followChanges(
  copy: WorkingCopy,
  source: string,
  before: SourceCatalog,
  after: SourceCatalog,
  cascade: boolean,
): void {
  const owner = findSource(copy.metadata, source);
  const tracked = owner.functions.map((entry) => entry.function);
  const computing = owner.tables.flatMap((entry) =>
    entry.computed_fields.map(({ definition }) => definition.function),
  );
  const changes = compareCatalogs(before, after, {
    tables: owner.tables.map((entry) => entry.table),
    functions: [...tracked, ...computing],
  });
  refuseFunctionChanges(changes, tracked);
  copy.metadata = withSource(copy.metadata, source, (found) =>
    untrackFunctions(found, changes.droppedFunctions),
  );
  const catalogs: Catalogs = (name) => (name === source ? before : copy.catalog(name));
  dropDependents(copy, source, catalogs, changes, cascade);
  refuseComputedFieldChanges(findSource(copy.metadata, source), changes);
  refuseTypeChanges(copy, source, catalogs, changes);
  copy.metadata = withSource(copy.metadata, source, (found) => forgetDropped(found, changes));
  followRenames(copy, source, catalogs, changes);
}

/** The catalogs before the change. */
type Catalogs = (source: string) => SourceCatalog | undefined;

function refuseFunctionChanges(changes: CatalogChanges, tracked: readonly QualifiedName[]): void {
  const isTracked = (name: QualifiedName) => tracked.some((candidate) => sameName(candidate, name));
  const overloaded = changes.overloaded.filter(isTracked);
  if (overloaded.length > 0) {
    const names = overloaded.map(unquotedName).join(', ');
    throw new EngineError(
      'not-supported',
      `the following tracked function(s) cannot be overloaded: ${names}`,
    );
  }
  const changed = changes.nowVolatile.find(isTracked);
  if (changed !== undefined) {
    throw new EngineError(
      'not-supported',
      `type of function ${quotedName(changed)} is altered to "VOLATILE" which is not supported now`,
    );
  }
}

/** The texts are the reference's, missing blank included. */
function refuseComputedFieldChanges(source: Source, changes: CatalogChanges): void {
  for (const { table, computed_fields } of source.tables) {
    for (const { name, definition } of computed_fields) {
      const used = (candidate: QualifiedName) => sameName(candidate, definition.function);
      if (changes.nowVolatile.some(used)) {
        throw new EngineError(
          'not-supported',
          `The type of function ${quotedName(definition.function)} associated with computed field "${name}" of table ` +
            `${quotedName(table)} is being altered to "VOLATILE"`,
        );
      }
      if (changes.overloaded.some(used)) {
        throw new EngineError(
          'not-supported',
          `The function ${quotedName(definition.function)} associated with computed field"${name}" of table ` +
            `${quotedName(table)} is being overloaded`,
        );
      }
    }
  }
}

function untrackFunctions(source: Source, dropped: readonly QualifiedName[]): Source {
  if (dropped.length === 0) return source;
  return {
    ...source,
    functions: source.functions.filter((entry) => !dropped.some((name) => sameName(name, entry.function))),
  };
}

function dropDependents(
  copy: WorkingCopy,
  source: string,
  catalogs: Catalogs,
  changes: CatalogChanges,
  cascade: boolean,
): void {
  const dropped: Needed[] = [
    ...changes.droppedTables.map((table): Needed => ({ kind: 'table', source, table })),
    ...changes.droppedFunctions.map((name): Needed => ({ kind: 'function', source, function: name })),
    ...changes.tables.flatMap(({ table, droppedColumns, droppedForeignKeys }): Needed[] => [
      ...droppedColumns.map((column): Needed => ({ kind: 'column', source, table, column })),
      ...droppedForeignKeys.map((columns): Needed => ({ kind: 'foreign_key', source, table, columns })),
    ]),
  ];
  if (dropped.length === 0) return;
  const dependents = findDependents(findDependencies(copy.metadata, catalogs), dropped);
  if (dependents.length === 0) return;
  if (!cascade) throw dependencyError(dependents);
  copy.metadata = removeDependents(copy.metadata, dependents);
}

/** A permission that compares a column with a literal was checked against the column's type. */
function refuseTypeChanges(
  copy: WorkingCopy,
  source: string,
  catalogs: Catalogs,
  changes: CatalogChanges,
): void {
  for (const { table, retypedColumns } of changes.tables) {
    for (const column of retypedColumns) {
      const permissions = new Set<string>();
      mapReferences(copy.metadata, catalogs, {
        enter: (permission) => ({
          values: (of, name, values) => {
            const isMeant = name === column && of.source === source && sameName(of.table, table);
            if (
              isMeant &&
              values.some((value) => sessionVariable(value, copy.services.options.vocabulary) === undefined)
            )
              permissions.add(describeDependent(permission));
          },
        }),
      });
      if (permissions.size === 0) continue;
      throw new EngineError(
        'dependency-error',
        `cannot change type of column "${column}" in table ${quotedName(table)} because of the following dependencies: ` +
          [...permissions].sort().join(', '),
      );
    }
  }
}

/** Dropped tables leave the metadata, and so does the configuration of dropped columns. */
function forgetDropped(source: Source, changes: CatalogChanges): Source {
  const { droppedTables } = changes;
  const columns = new Map(changes.tables.map((change) => [keyOf(change.table), change.droppedColumns]));
  if (droppedTables.length === 0 && columns.size === 0) return source;
  return {
    ...source,
    tables: source.tables
      .filter((entry) => !droppedTables.some((name) => sameName(name, entry.table)))
      .map((entry) => {
        const dropped = columns.get(keyOf(entry.table)) ?? [];
        const { column_config } = entry.configuration;
        if (!dropped.some((column) => column in column_config)) return entry;
        const kept = Object.entries(column_config).filter(([column]) => !dropped.includes(column));
        return {
          ...entry,
          configuration: { ...entry.configuration, column_config: Object.fromEntries(kept) },
        };
      }),
  };
}

function followRenames(copy: WorkingCopy, source: string, catalogs: Catalogs, changes: CatalogChanges): void {
  const columns = new Map(changes.tables.map((change) => [keyOf(change.table), change.renamedColumns]));
  const anyColumn = changes.tables.some(({ renamedColumns }) => renamedColumns.size > 0);
  if (changes.renamedTables.size === 0 && !anyColumn) return;
  const owner = findSource(copy.metadata, source);
  for (const change of changes.tables) refuseNameClashes(owner, change);
  copy.metadata = mapReferences(copy.metadata, catalogs, {
    table: (named) =>
      (named.source === source && changes.renamedTables.get(keyOf(named.table))) || named.table,
    column: (of, column) => (of.source === source && columns.get(keyOf(of.table))?.get(column)) || column,
  });
}

function refuseNameClashes(source: Source, { table, renamedColumns }: TableChange): void {
  const entry = source.tables.find((candidate) => sameName(candidate.table, table));
  if (entry === undefined) return;
  for (const [from, to] of renamedColumns) {
    if (!fieldNames(entry).has(to)) continue;
    throw new EngineError(
      'already-exists',
      `cannot rename column "${from}" to "${to}" in table ${quotedName(table)} as a relationship with the name already exists`,
    );
  }
}
