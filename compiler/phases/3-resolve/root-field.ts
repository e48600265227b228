/**
 * Names of root fields.
 * @rule What are types and root fields called?
 */

import { messages } from '../../../runtime/core/diagnostics/catalogue.ts';
import {
  camelCase,
  defaultBaseName,
  isGraphqlName,
  type NamingConvention,
  tableBaseName,
  upperFirst,
} from '../../../runtime/core/names.ts';
import {
  isNamedKind,
  ROOT_FIELD_KINDS,
  type RootFieldKind,
} from '../../../runtime/core/program/root-fields.ts';
import { standardName } from '../../../runtime/core/program/standard-fields.ts';
import type {
  QualifiedName,
  SourceCustomization,
  TableConfiguration,
} from '../../../runtime/metadata/metadata.ts';
import type { ModelFunction, RootField } from '../../model/model.ts';
import { Failure } from './report.ts';
import type { NamedSource, SourceScope, StructureFunction, StructureTable, TableScope } from './scope.ts';

/** The root fields of the table, regardless of roles, in the order of `custom_root_fields`. @throws Failure */
export function resolveRootFields(scope: SourceScope, table: TableScope): RootField[] {
  const { configuration, declared } = table.entry;
  if (declared) return [];
  return offeredKinds(table).map((kind) => {
    const { comment } = configuration.custom_root_fields[kind] ?? {};
    const name = rootFieldName(kind, table.catalog, configuration, scope.source, scope.shape.naming);
    if (!isGraphqlName(name)) throw new Failure(messages.nameNotGraphql({ name }));
    return { kind, name, ...(comment !== undefined && { description: comment }) };
  });
}

/** The name by the configuration of the table, or by the naming convention. */
export function rootFieldName(
  kind: RootFieldKind,
  table: QualifiedName,
  { custom_name, custom_root_fields }: TableConfiguration,
  { customization }: NamedSource,
  convention: NamingConvention | undefined,
): string {
  const own = tableBaseName(table.schema, table.name);
  const base = custom_name ?? (convention === 'graphql-default' ? camelCase(own) : own);
  const name = custom_root_fields[kind]?.name ?? standardName(kind, base, convention);
  return customizeRootField(name, customization, convention);
}

/** Every root field that a table could have, if its keys and Postgres allowed. */
export function possibleRootFields(
  source: NamedSource,
  { table, configuration }: Pick<StructureTable, 'table' | 'configuration'>,
  convention: NamingConvention | undefined,
): string[] {
  return Object.values(ROOT_FIELD_KINDS)
    .flat()
    .filter(isNamedKind)
    .map((kind) => rootFieldName(kind, table, configuration, source, convention));
}

/**
 * The second name of the by-key field of a table with a custom name `<n>`: the specification calls it `<n>_one`, clients
 * know `<n>_by_pk`. Undefined where the field has a name of its own or the table no key. The name is a courtesy: any other
 * field that is called so comes first.
 */
export function singleRowField(scope: SourceScope, table: TableScope): RootField | undefined {
  const { custom_root_fields: custom } = table.entry.configuration;
  if (!table.customName || table.catalog.primaryKey === undefined || custom.select_by_pk?.name !== undefined)
    return undefined;
  const convention = scope.shape.naming;
  const one = `${table.graphqlName}${convention === 'graphql-default' ? 'One' : '_one'}`;
  const name = customizeRootField(one, scope.source.customization, convention);
  const comment = custom.select_by_pk?.comment;
  return { kind: 'select_by_pk', name, ...(comment !== undefined && { description: comment }) };
}

/** Whether the table's keys and Postgres allow the root field, for any role. */
function offeredKinds({ catalog }: TableScope): RootFieldKind[] {
  const key = catalog.primaryKey !== undefined;
  const kinds: [RootFieldKind, boolean][] = [
    ['select', true],
    ['select_by_pk', key],
    ['select_aggregate', true],
    ['select_stream', true],
    ['insert', catalog.insertable],
    ['insert_one', catalog.insertable],
    ['update', catalog.updatable],
    ['update_by_pk', catalog.updatable && key],
    ['update_many', catalog.updatable],
    // The established server asks whether a view is insertable here.
    ['delete', catalog.insertable && catalog.deletable],
    ['delete_by_pk', catalog.insertable && catalog.deletable && key],
  ];
  return kinds.flatMap(([kind, offered]) => (offered ? [kind] : []));
}

/** Root fields of a function as a query; as a mutation it has the first only. */
export function namedFunctionFields(
  { customization }: NamedSource,
  { function: { schema, name }, configuration }: StructureFunction,
  convention: NamingConvention | undefined,
): ModelFunction['rootFields'] {
  const { custom_name, custom_root_fields } = configuration;
  const camel = convention === 'graphql-default';
  const own = defaultBaseName(schema, name);
  const base = custom_name ?? (camel ? camelCase(own) : own);
  const rows = custom_root_fields.function ?? base;
  const aggregate = custom_root_fields.function_aggregate ?? `${base}${camel ? 'Aggregate' : '_aggregate'}`;
  return [
    { kind: 'function', name: customizeRootField(rows, customization, convention) },
    { kind: 'function_aggregate', name: customizeRootField(aggregate, customization, convention) },
  ];
}

/** Applies a source's prefix and suffix. */
function customizeRootField(
  name: string,
  customization: SourceCustomization | undefined,
  convention: NamingConvention | undefined,
): string {
  const { prefix = '', suffix = '' } = customization?.root_fields ?? {};
  if (convention !== 'graphql-default') return prefix + name + suffix;
  return (prefix === '' ? name : prefix + upperFirst(name)) + upperFirst(suffix);
}
