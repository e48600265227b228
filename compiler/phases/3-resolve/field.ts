/** Names of fields. Relationships and computed fields must not conflict with columns or with each other. */

import { messages } from '../../../runtime/core/diagnostics/catalogue.ts';
import { at } from '../../../runtime/core/diagnostics/diagnostic.ts';
import { CONNECTIVES, camelCase, type NamingConvention } from '../../../runtime/core/names.ts';
import { typeNames } from '../../../runtime/core/schema/type-names.ts';
import { Failure, type ReportedObject } from './report.ts';
import type { SourceScope, TableScope } from './scope.ts';

/** GraphQL field of a column. Those of relationships and computed fields are their names in every convention. */
export function fieldName(
  name: string,
  customName: string | undefined,
  naming: NamingConvention | undefined,
): string {
  if (customName !== undefined) return customName;
  return naming === 'graphql-default' ? camelCase(name) : name;
}

/** @throws Failure if a column has the name, or is shown under it */
export function requireFreeFieldName(
  scope: SourceScope,
  table: TableScope,
  name: string,
  isList = false,
): void {
  if (CONNECTIVES.includes(name)) throw new Failure(messages.nameNotGraphql({ name }));
  if (table.columns.has(name))
    throw new Failure(messages.fieldConflictsWithColumn(), undefined, 'without context');
  for (const [column, shape] of table.columns) {
    if (shape.field === null) continue;
    const taken = fieldName(
      column,
      shape.customField ? (shape.field ?? column) : (shape.field ?? undefined),
      scope.shape.naming,
    );
    if (taken === name || (isList && furtherFields(scope, name).includes(taken)))
      throw new Failure(messages.fieldConflictsWithCustomName({ column }), undefined, 'without context');
  }
}

/** Names of the aggregates of an array relationship, also in filters. */
function furtherFields({ shape }: SourceScope, name: string): readonly string[] {
  const names = typeNames({ source: shape, graphqlName: '' });
  return [names.related(name, 'aggregate'), names.relatedFilter(name)];
}

/** Names that more than one of the table's relationships and computed fields claim. */
export function contestedFieldNames(scope: SourceScope, { entry }: TableScope): ReadonlySet<string> {
  const { object_relationships, array_relationships, computed_fields, remote_relationships } = entry;
  const seen = new Set(array_relationships.flatMap(({ name }) => furtherFields(scope, name)));
  const contested = new Set<string>();
  for (const { name } of [
    ...object_relationships,
    ...array_relationships,
    ...computed_fields,
    ...remote_relationships,
  ]) {
    if (seen.has(name)) contested.add(name);
    seen.add(name);
  }
  return contested;
}

/** Reports that all that claim a contested name are left out, in one entry. */
export function leaveOutContested(
  scope: SourceScope,
  field: string,
  objects: readonly ReportedObject[],
): void {
  const problem = messages.fieldsConflict({ field });
  scope.diagnostics.push({
    ...at(objects.at(-1)!.path, problem, {
      reason: `Conflicting objects: ${problem.message}`,
      objects: objects.map(({ type, name, definition }) => ({ type, name, definition })),
    }),
    lost: objects.flatMap(({ offers }) => offers?.() ?? []),
  });
}
