/** Names that objects left out would have provided, so that later diagnostics can point back to them (`linkCauses`). */

import { lossOf } from '../../../runtime/core/diagnostics/causes.ts';
import { keyOf, type NamingConvention } from '../../../runtime/core/names.ts';
import type { QualifiedName } from '../../../runtime/metadata/metadata.ts';
import { namedFunctionFields, possibleRootFields } from './root-field.ts';
import type {
  AccessScope,
  NamedSource,
  SourceScope,
  StructureFunction,
  StructureSource,
  StructureTable,
  TableScope,
} from './scope.ts';

type Named = Pick<StructureTable, 'table' | 'configuration'>;

/** A source's tables and functions. */
export function sourceLosses(source: StructureSource, convention: NamingConvention | undefined): string[] {
  const { root_fields } = source.customization ?? {};
  return [
    ...(root_fields?.namespace === undefined ? [] : [lossOf.rootField(root_fields.namespace)]),
    ...source.tables.flatMap((entry) => tableLosses(source, entry, convention)),
    ...source.functions.flatMap((entry) => functionLosses(source, entry, convention)),
  ];
}

/** A table, and every root field that it may have had. */
export function tableLosses(
  source: NamedSource,
  entry: Named,
  convention: NamingConvention | undefined,
): string[] {
  const rootFields = possibleRootFields(source, entry, convention);
  return [lossOf.table(source.name, keyOf(entry.table)), ...rootFields.map(lossOf.rootField)];
}

export function functionLosses(
  source: NamedSource,
  entry: StructureFunction,
  convention: NamingConvention | undefined,
): string[] {
  return namedFunctionFields(source, entry, convention).map(({ name }) => lossOf.rootField(name));
}

/** A relationship or computed field, by its own name and its GraphQL names. */
export function fieldLosses(scope: SourceScope, { key }: Pick<TableScope, 'key'>, name: string): string[] {
  const names = [name, `${name}_aggregate`, `${name}Aggregate`];
  return names.map((each) => lossOf.field(scope.source.name, key, each));
}

/** For a reference to an untracked table: the missing name, and what the table would have provided, so that later diagnostics can point back. */
export function missingTable({ source, shape }: AccessScope, table: QualifiedName): [string, string[]] {
  const entry: Named = { table, configuration: { column_config: {}, custom_root_fields: {} } };
  const lost = tableLosses(source, entry, shape.naming);
  return [lost[0]!, lost];
}
