/** Aggregates of the rows of computed fields, an extension of the API: which role is offered them. */
import type { ComputedField, Table } from '../program.ts';
import type { VisibleTable } from './visible-table.ts';

type RowsField = ComputedField & { readonly returns: { readonly table: Table } };

/**
 * Whether a role that sees the computed field of a table may aggregate the rows that it returns: it returns several, which the
 * role may aggregate by their own table's permission, and the source has the extension.
 */
export function offersAggregates(field: ComputedField, visible: VisibleTable): field is RowsField {
  const { returns } = field;
  if (!visible.table.source.extensions?.includes('computed_field_aggregates')) return false;
  return 'table' in returns && returns.set && visible.of(returns.table).select?.aggregations === true;
}
