/** What is lost with objects that are left out, by name: others that miss it follow from them (`linkCauses`). */
import type { NamingConvention } from '../../../runtime/core/names.ts';
import { lossOf } from '../../../runtime/diagnostics/causes.ts';
import type { FunctionEntry, QualifiedName, Source, TableEntry } from '../../../runtime/metadata/metadata.ts';
import { fieldName } from './field.ts';
import { functionRootFields, possibleRootFields } from './root-field.ts';
import { keyOf, type SourceScope, type TableScope } from './scope.ts';

type Named = Pick<TableEntry, 'table' | 'configuration'>;

/** A source's tables and functions. */
export function sourceLosses(source: Source, convention: NamingConvention | undefined): string[] {
  const { root_fields } = source.customization ?? {};
  return [
    ...(root_fields?.namespace === undefined ? [] : [lossOf.rootField(root_fields.namespace)]),
    ...source.tables.flatMap((entry) => tableLosses(source, entry, convention)),
    ...source.functions.flatMap((entry) => functionLosses(source, entry, convention)),
  ];
}

/** A table, and every root field that it may have had. */
export function tableLosses(
  source: Source,
  entry: Named,
  convention: NamingConvention | undefined,
): string[] {
  const rootFields = possibleRootFields(source, entry, convention);
  return [lossOf.table(source.name, keyOf(entry.table)), ...rootFields.map(lossOf.rootField)];
}

export function functionLosses(
  source: Source,
  entry: FunctionEntry,
  convention: NamingConvention | undefined,
): string[] {
  return functionRootFields(source, entry, convention).map(({ name }) => lossOf.rootField(name));
}

/** A relationship or computed field, by its own name and those that it has in GraphQL. */
export function fieldLosses(scope: SourceScope, { key }: Pick<TableScope, 'key'>, name: string): string[] {
  const field = fieldName(name, undefined, scope.shape.naming);
  const names = [name, field, `${field}_aggregate`, `${field}Aggregate`];
  return names.map((each) => lossOf.field(scope.source.name, key, each));
}

/** What is missed where a table is named that is not served, and what is lost: the first who names it may be its cause. */
export function missingTable({ source, shape }: SourceScope, table: QualifiedName): [string, string[]] {
  const entry: Named = { table, configuration: { column_config: {}, custom_root_fields: {} } };
  const lost = tableLosses(source, entry, shape.naming);
  return [lost[0]!, lost];
}
