/**
 * State that the resolvers of one source share. Tables enter complete in columns and keys, then
 * gain relationships and computed fields, which permissions need; nothing leaves this phase before it is finished.
 */

import type { CatalogFunction, CatalogTable, SourceCatalog } from '../../../runtime/catalog/catalog.ts';
import type {
  ColumnShape,
  ComputedFieldShape,
  RelationshipShape,
  SourceShape,
} from '../../../runtime/core/contract/shapes.ts';
import { displayName } from '../../../runtime/core/names.ts';
import type { Vocabulary } from '../../../runtime/core/vocabulary.ts';
import type { FunctionEntry, Source, TableEntry } from '../../../runtime/metadata/metadata.ts';
import type { OfModel, OfQuery } from './declared.ts';
import type { PhaseReport } from './report.ts';

/** The entries of the metadata that the structure is made of: those of tables and functions without their permissions. */
export type StructureTable = Omit<TableEntry, `${'select' | 'insert' | 'update' | 'delete'}_permissions`> & {
  /** Of logical models. */
  readonly declared?: OfModel;
};
export type StructureFunction = Omit<FunctionEntry, 'permissions'> & {
  /** Of native queries. */
  readonly declared?: OfQuery;
};
export interface StructureSource extends Omit<Source, 'tables' | 'functions'> {
  readonly tables: readonly StructureTable[];
  readonly functions: readonly StructureFunction[];
}

/** Input of names. */
export type NamedSource = Pick<Source, 'name' | 'customization'>;

/** Input of the resolution of permissions. */
export interface AccessScope extends PhaseReport {
  readonly source: NamedSource;
  readonly shape: SourceShape;
  /** The one that values of the metadata are written in. */
  readonly vocabulary: Vocabulary;
  /** Tables that are served, by key. */
  readonly tables: ReadonlyMap<string, TableScope>;
}

export interface SourceScope extends AccessScope {
  readonly source: StructureSource;
  readonly catalog: SourceCatalog;
  readonly catalogTables: ReadonlyMap<string, CatalogTable>;
  /** All overloads, by key. */
  readonly catalogFunctions: ReadonlyMap<string, readonly CatalogFunction[]>;
  /** Tables that are served, by key. */
  readonly tables: Map<string, TableScope>;
}

export interface TableScope {
  readonly key: string;
  readonly entry: StructureTable;
  readonly catalog: CatalogTable;
  /** By database name. */
  readonly columns: ReadonlyMap<string, ColumnShape>;
  readonly graphqlName: string;
  readonly customName: boolean;
  readonly description?: string;
  readonly enumValues?: Readonly<Record<string, string | null>>;
  readonly relationships: Map<string, RelationshipShape>;
  readonly computedFields: Map<string, ComputedFieldShape>;
}

/** Names of all tables of a source that are served, as messages print them; for suggestions. */
export function tableNames(scope: AccessScope): string[] {
  return [...scope.tables.values()].map(({ catalog }) => displayName(catalog.schema, catalog.name));
}
