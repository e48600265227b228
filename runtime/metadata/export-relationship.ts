import { exportName } from './export-json.ts';
import type {
  Json,
  JsonObject,
  RelationshipUsing,
  RemoteFieldCall,
  RemoteRelationship,
  RemoteRelationshipDefinition,
} from './metadata.ts';

/** `using` of a relationship: one column as a text, several as a list; `insertion_order` printed even if null. */
export function exportUsing(using: RelationshipUsing): JsonObject {
  switch (using.kind) {
    case 'foreign_key_on_this_table': {
      const [column, ...others] = using.columns;
      return { foreign_key_constraint_on: others.length === 0 ? (column as string) : using.columns };
    }
    case 'foreign_key_on_other_table': {
      const [column, ...others] = using.columns;
      const columns: JsonObject =
        others.length === 0 ? { column: column as string } : { columns: using.columns };
      return { foreign_key_constraint_on: { ...columns, table: exportName(using.table) } };
    }
    case 'manual':
      return {
        manual_configuration: {
          column_mapping: using.column_mapping,
          insertion_order: using.insertion_order ?? null,
          remote_table: exportName(using.remote_table),
        },
      };
  }
}

/** A remote relationship's entry, in the form in which it was written. */
export function exportRemoteRelationship({ name, definition }: RemoteRelationship): JsonObject {
  return { name, definition: exportRemoteDefinition(definition) };
}

function exportRemoteDefinition(definition: RemoteRelationshipDefinition): JsonObject {
  if (definition.kind === 'to_source') {
    const { relationship_type, source, table, field_mapping } = definition;
    return { to_source: { field_mapping, relationship_type, source, table: exportName(table) } };
  }
  const { remote_schema, lhs_fields } = definition;
  const remote_field = exportRemoteField(definition.remote_field);
  return definition.flat
    ? { engine_fields: lhs_fields, remote_field, remote_schema }
    : { to_remote_schema: { lhs_fields, remote_field, remote_schema } };
}

function exportRemoteField([call, ...inner]: readonly RemoteFieldCall[]): Json {
  if (call === undefined) return {};
  const field: JsonObject = inner.length === 0 ? {} : { field: exportRemoteField(inner) };
  return { [call.field]: { arguments: call.arguments, ...field } };
}
