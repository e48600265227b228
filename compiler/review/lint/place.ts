/** The subject of a lint rule: one permission, as written and as resolved. */

import type { CatalogTable } from '../../../runtime/catalog/catalog.ts';
import { createKnowledge, type Knowledge } from '../../../runtime/core/condition/knowledge.ts';
import {
  type AnyRule,
  OPERATIONS,
  ruleOf,
  type TableOperation,
} from '../../../runtime/core/contract/aspects.ts';
import type { TableAccess } from '../../../runtime/core/contract/shapes.ts';
import { displayName, objectKey } from '../../../runtime/core/names.ts';
import { type Vocabulary, vocabularyOf } from '../../../runtime/core/vocabulary.ts';
import type { JsonObject, Metadata, MetadataPath, TableEntry } from '../../../runtime/metadata/metadata.ts';
import type { BooleanExpression, Model, ModelTable, Presets } from '../../model/model.ts';
import type { Plan } from '../../model/plan.ts';

export interface PlacedPermission {
  readonly operation: TableOperation;
  readonly role: string;
  /** Of its body in the metadata: `…select_permissions[0].permission`. */
  readonly path: MetadataPath;
  /** The permission in the metadata's form: `filter` and `check` are raw, `columns` may be `*`. */
  readonly written: {
    readonly columns?: '*' | readonly string[];
    readonly filter?: JsonObject;
    readonly check?: JsonObject;
    readonly set?: JsonObject;
  };
  /** Rows that can be read or changed; absent for inserts. */
  readonly filter?: BooleanExpression;
  /** The condition on written or deleted rows. */
  readonly check?: BooleanExpression;
  readonly columns: readonly string[];
  /** Computed fields that it names: those with a scalar value. */
  readonly computedFields: readonly string[];
  readonly presets: Presets;
  /** The rule of its access file. */
  readonly rule: AnyRule;
}

export interface PlacedTable {
  readonly source: string;
  readonly entry: TableEntry;
  /** Bare in schema public. */
  readonly name: string;
  readonly model: ModelTable;
  readonly catalog: CatalogTable;
  readonly permissions: readonly PlacedPermission[];
  /** Rules of every role, inherited ones included. */
  readonly access: Omit<TableAccess, 'table'>;
}

export interface LintInput {
  readonly vocabulary: Vocabulary;
  readonly metadata: Metadata;
  readonly model: Model;
  readonly plan: Plan;
  readonly tables: readonly PlacedTable[];
  readonly tableOf: (source: string, key: string) => PlacedTable | undefined;
  /** Facts of the catalog, for proofs about rules of a table; `rowIsNew` for checks of inserted and updated rows. */
  readonly knowledge: (table: PlacedTable, rowIsNew: boolean) => Knowledge;
}

/** Puts together what was written, resolved and planned; what could not be resolved is left out. */
export function placeTables(
  metadata: Metadata,
  model: Model,
  plan: Plan,
  catalogs: Readonly<
    Record<string, { readonly tables: readonly CatalogTable[] } | { readonly error: string }>
  >,
): LintInput {
  const tables = metadata.sources.flatMap((source) => {
    const resolved = model.sources.find(({ shape }) => shape.name === source.name);
    const planned = plan.sources.find(({ shape }) => shape.name === source.name);
    const catalog = catalogs[source.name];
    if (!resolved || !planned || !catalog || 'error' in catalog) return [];
    const models = new Map(resolved.tables.map((each) => [each.key, each]));
    const rules = new Map(
      planned.tables.map(({ shape, access }) => [objectKey(shape.schema, shape.name), access]),
    );
    const read = new Map(catalog.tables.map((each) => [objectKey(each.schema, each.name), each]));
    return source.tables.flatMap((entry): PlacedTable[] => {
      const key = objectKey(entry.table.schema, entry.table.name);
      const [table, access, columns] = [models.get(key), rules.get(key), read.get(key)];
      if (!table || !access || !columns) return [];
      return [
        {
          source: source.name,
          entry,
          name: displayName(entry.table.schema, entry.table.name),
          model: table,
          catalog: columns,
          permissions: permissionsOf(entry, table, access),
          access,
        },
      ];
    });
  });
  const byKey = new Map(tables.map((table) => [JSON.stringify([table.source, table.model.key]), table]));
  const know = new Map(
    model.sources.map((source) => [
      source.shape.name,
      createKnowledge(source.tables.map(({ shape }) => shape)),
    ]),
  );
  return {
    vocabulary: vocabularyOf(model.settings),
    metadata,
    model,
    plan,
    tables,
    tableOf: (source, key) => byKey.get(JSON.stringify([source, key])),
    knowledge: ({ source, model: { shape } }, rowIsNew) => know.get(source)!(shape, rowIsNew),
  };
}

function permissionsOf(
  entry: TableEntry,
  table: ModelTable,
  access: Omit<TableAccess, 'table'>,
): PlacedPermission[] {
  return OPERATIONS.flatMap((operation) =>
    entry[`${operation}_permissions`].flatMap(({ role, permission, path }): PlacedPermission[] => {
      const resolved = table.permissions[operation][role];
      const rule: AnyRule | undefined = ruleOf(access, operation, role);
      if (!resolved || !rule) return [];
      return [
        {
          operation,
          role,
          path: [...path, 'permission'],
          written: permission,
          ...('filter' in resolved && { filter: resolved.filter }),
          ...('check' in resolved && resolved.check && { check: resolved.check }),
          columns: 'columns' in resolved ? resolved.columns : [],
          computedFields: 'computedFields' in resolved ? resolved.computedFields : [],
          presets: 'presets' in resolved ? resolved.presets : {},
          rule,
        },
      ];
    }),
  );
}
