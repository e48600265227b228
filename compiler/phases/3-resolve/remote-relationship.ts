/**
 * Remote relationships of tables. They are not served, but what they name has to be there: the
 * columns of the join, the remote schema, or the table of the other source.
 */
import { displayName, isGraphqlName } from '../../../runtime/core/names.ts';
import { diagnostics as messages } from '../../../runtime/diagnostics/catalogue.ts';
import { lossOf } from '../../../runtime/diagnostics/causes.ts';
import type { Diagnostic } from '../../../runtime/diagnostics/diagnostic.ts';
import { remoteRelationship } from '../../../runtime/metadata/kinds/remote-relationship.ts';
import type { Json, Metadata, RemoteRelationship } from '../../../runtime/metadata/metadata.ts';
import { contestedFieldNames, requireFreeFieldName } from './field.ts';
import { attempt, Failure, type ReportedObject, suggest } from './report.ts';
import { keyOf, quoted, type SourceScope, type TableScope, tableNames } from './scope.ts';

/** Reports the remote relationships whose definition names something that is not there. */
export function checkRemoteRelationships(
  metadata: Metadata,
  scopes: ReadonlyMap<string, SourceScope>,
  diagnostics: Diagnostic[],
): void {
  for (const scope of scopes.values()) {
    for (const table of scope.tables.values()) {
      const relationships = table.entry.remote_relationships;
      if (relationships.length === 0) continue;
      const contested = contestedFieldNames(table);
      for (const relationship of relationships) {
        if (contested.has(relationship.name)) continue;
        attempt({ diagnostics }, remoteRelationshipObject(scope, table, relationship), () =>
          requireDefinition(metadata, scopes, scope, table, relationship),
        );
      }
    }
  }
}

/** @throws Failure */
function requireDefinition(
  metadata: Metadata,
  scopes: ReadonlyMap<string, SourceScope>,
  scope: SourceScope,
  table: TableScope,
  { name, definition }: RemoteRelationship,
): void {
  if (!isGraphqlName(name)) throw new Failure(messages.nameNotGraphql({ name }));
  requireFreeFieldName(scope, table, name);
  const joined =
    definition.kind === 'to_source' ? Object.keys(definition.field_mapping) : definition.lhs_fields;
  const own = new Set([...table.columns.keys(), ...table.computedFields.keys()]);
  requireNames(joined, own);
  if (definition.kind === 'to_remote_schema') {
    const { remote_schema, lhs_fields, remote_field } = definition;
    const names = metadata.remote_schemas.map((schema) => schema.name);
    if (!names.includes(remote_schema))
      throw new Failure(messages.remoteSchemaMissing({ name: remote_schema }));
    // The arguments may use the fields of the join, and no others.
    requireNames(
      remote_field.flatMap((call) => variables(call.arguments)),
      new Set(lhs_fields),
    );
    return;
  }
  if (!metadata.sources.some((source) => source.name === definition.source))
    throw new Failure(messages.sourceMissing({ name: definition.source }));
  const other = scopes.get(definition.source);
  const target = other?.tables.get(keyOf(definition.table));
  if (target === undefined) {
    const { schema, name: wanted } = definition.table;
    const near = other ? suggest(displayName(schema, wanted), tableNames(other)) : {};
    throw new Failure(messages.tableNotTracked({ table: quoted(definition.table), ...near })).missing(
      lossOf.table(definition.source, keyOf(definition.table)),
    );
  }
  requireNames(Object.values(definition.field_mapping), new Set(target.columns.keys()));
}

function requireNames(wanted: readonly string[], known: ReadonlySet<string>): void {
  const missing = wanted.find((name) => !known.has(name));
  if (missing === undefined) return;
  throw new Failure(messages.joinFieldMissing({ name: missing, ...suggest(missing, known) }));
}

/** Names of `"$name"` in the arguments of a remote field. */
function variables(value: Json): readonly string[] {
  if (typeof value === 'string') return /^\$[_A-Za-z]/.test(value) ? [value.slice(1)] : [];
  if (value === null || typeof value !== 'object') return [];
  return Object.values(value as Readonly<Record<string, Json>>).flatMap(variables);
}

/** The remote relationship as inconsistencies list it. */
export function remoteRelationshipObject(
  scope: SourceScope,
  table: TableScope,
  relationship: RemoteRelationship,
): ReportedObject {
  const { schema, name } = table.entry.table;
  return {
    path: relationship.path,
    type: 'remote_relationship',
    name: `remote_relationship ${relationship.name} in table ${displayName(schema, name)} in source ${scope.source.name}`,
    definition: {
      source: scope.source.name,
      table: { schema, name },
      ...remoteRelationship.write(relationship),
    },
    context: `in table ${quoted(table.entry.table)}: in remote relationship "${relationship.name}": `,
  };
}
