/** Aggregates of the rows of computed fields, an extension of the API: which role is offered them. */
import type { ComputedField, Table } from '../program/program.ts';
import type { VisibleTable } from './visible-table.ts';

type RowsField = ComputedField & { readonly returns: { readonly table: Table } };

/** Whether the rows that a computed field of a table returns can be aggregated at all: there may be several, and the source has the extension. */
export function hasAggregates(field: ComputedField, { source }: Table): field is RowsField {
  const { returns } = field;
  return (
    source.extensions?.includes('computed_field_aggregates') === true && 'table' in returns && returns.set
  );
}

/** Whether a role that sees the computed field may aggregate its rows: by the permission of their own table. */
export function offersAggregates(field: ComputedField, visible: VisibleTable): field is RowsField {
  return hasAggregates(field, visible.table) && visible.of(field.returns.table).select?.aggregations === true;
}
