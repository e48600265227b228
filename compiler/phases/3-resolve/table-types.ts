/** Names of the types that derive from a table, for all roles together. */

import type { CatalogTable } from '../../../runtime/catalog/catalog.ts';
import type { SourceShape } from '../../../runtime/core/contract/shapes.ts';
import { PREDICATE_FUNCTIONS } from '../../../runtime/core/schema/aggregate-predicate.ts';
import { AGGREGATE_FUNCTIONS } from '../../../runtime/core/schema/aggregate-types.ts';
import { UPDATE_OPERATORS } from '../../../runtime/core/schema/mutation-types.ts';
import { hasNestedUpdates } from '../../../runtime/core/schema/related-types.ts';
import { enumComparisonName } from '../../../runtime/core/schema/shared-types.ts';
import { type TypeNames, typeNames } from '../../../runtime/core/schema/type-names.ts';
import { columnType, isNumeric } from '../../../runtime/core/types.ts';
import type { Memory } from '../../memory/memory.ts';
import type { SourceScope, TableScope } from './scope.ts';
import type { TypeClaim } from './type-register.ts';

/** Types of reads. */
const READS = [
  ...['aggregate', 'aggregate_fields', 'aggregate_order_by', 'bool_exp', 'order_by', 'select_column'],
  ...['stream_cursor_input', 'stream_cursor_value_input'],
];
const INSERTS = ['insert_input', 'arr_rel_insert_input', 'obj_rel_insert_input'];
const CONFLICTS = ['constraint', 'on_conflict', 'update_column'];
const NESTED_UPDATES = [
  ...['related_update_input', 'obj_rel_update_input', 'arr_rel_update_input', 'related_delete_input'],
  ...['obj_rel_updates', 'related_row_input', 'related_insert_input'],
];

/** Names of all types that some role may see of the table; remembered, because a large project has tens of thousands. */
export function tableTypes({ shape }: SourceScope, table: TableScope, memory: Memory): readonly TypeClaim[] {
  const { catalog, graphqlName, customName, enumValues, entry } = table;
  const types = [...table.columns.values()].map(({ type }) => type);
  const hasComputedFields = entry.computed_fields.length > 0;
  return memory.call(
    claimsOfTable,
    catalog,
    shape,
    types,
    graphqlName,
    customName,
    enumValues !== undefined,
    hasComputedFields,
  );
}

function claimsOfTable(
  catalog: CatalogTable,
  source: SourceShape,
  types: readonly string[],
  graphqlName: string,
  customName: boolean,
  isEnum: boolean,
  hasComputedFields: boolean,
): readonly TypeClaim[] {
  const names = typeNames({ source, graphqlName, ...(customName && { customName: true }) });
  const related = catalog.primaryKey ? ['Connection', 'Edge'] : [];
  return [
    ...[...typesOf(catalog, source, names, types, isEnum, hasComputedFields)].map((name) => ({ name })),
    ...related.map((part) => ({ name: names.object + part, apart: true as const })),
  ];
}

function* typesOf(
  catalog: CatalogTable,
  shape: SourceShape,
  names: TypeNames,
  keys: readonly string[],
  isEnum: boolean,
  hasComputedFields: boolean,
): Iterable<string> {
  yield names.object;
  yield* READS.map(names.derived);
  const types = [...new Set(keys)].map((key) => columnType(shape, key));
  // Which aggregates computed fields have is not known yet.
  const numeric = hasComputedFields || types.some(isNumeric);
  for (const { name, comparable } of AGGREGATE_FUNCTIONS) {
    if (!comparable && !numeric) continue;
    yield names.aggregateFields(name);
    yield names.aggregateOrderBy(name).type;
  }
  yield names.aggregatePredicate;
  yield names.predicateOf('count').type;
  for (const { name, type, pair } of PREDICATE_FUNCTIONS) {
    if (!types.some((each) => each.name === type)) continue;
    const own = names.predicateOf(name);
    yield own.type;
    yield own.columns;
    if (pair) yield own.arguments;
  }
  if (isEnum) {
    yield names.derived('enum');
    yield enumComparisonName(shape, names.derived('enum'));
  }
  yield* writes();

  function* writes(): Iterable<string> {
    const { insertable, updatable, deletable } = catalog;
    if (insertable) yield* INSERTS.map(names.derived);
    const arbiters = [catalog.primaryKey ?? [], catalog.uniqueConstraints, catalog.indexes].flat();
    if (insertable && arbiters.length > 0) yield* CONFLICTS.map(names.derived);
    if (insertable || updatable || deletable) yield names.derived('mutation_response');
    if (!updatable) return;
    yield names.derived('updates');
    if (catalog.primaryKey) yield names.derived('pk_columns_input');
    const jsonb = types.some(({ family }) => family === 'jsonb');
    for (const { name, input } of UPDATE_OPERATORS)
      if (name === '_set' || (name === '_inc' ? numeric : jsonb)) yield names.derived(input);
    if (hasNestedUpdates(shape)) yield* NESTED_UPDATES.map(names.derived);
  }
}
