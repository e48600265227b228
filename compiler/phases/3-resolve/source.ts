/** Resolves a source: its catalog, types, customization, and its tables without references to other tables. */

import type { CatalogTypeReference, SourceCatalog } from '../../../runtime/catalog/catalog.ts';
import { resolveTypes } from '../../../runtime/catalog/type-shapes.ts';
import type { SourceShape } from '../../../runtime/core/contract/shapes.ts';
import { messages } from '../../../runtime/core/diagnostics/catalogue.ts';
import { at, type Diagnostic } from '../../../runtime/core/diagnostics/diagnostic.ts';
import { keyOf, type NamingConvention, type NamingOptions } from '../../../runtime/core/names.ts';
import type { Vocabulary } from '../../../runtime/core/vocabulary.ts';
import { reuse } from '../../memory/reuse.ts';
import { distributionOf } from './distribution.ts';
import type { NamedSource, SourceScope, StructureSource } from './scope.ts';
import { resolveTables } from './table.ts';

/** How the names of the API are shown. */
interface Words {
  readonly naming: NamingOptions;
  readonly vocabulary: Vocabulary;
}

/** Starts a source with its tables, without references to other tables. */
export function startSource(
  source: StructureSource,
  catalog: SourceCatalog,
  words: Words,
  diagnostics: Diagnostic[],
  previous: SourceShape | undefined,
): SourceScope {
  const functions = new Map<string, SourceCatalog['functions'][number][]>();
  for (const each of catalog.functions)
    functions.set(keyOf(each), [...(functions.get(keyOf(each)) ?? []), each]);
  const scope: SourceScope = {
    source,
    shape: reuse(sourceShape(source, catalog, words, diagnostics), previous),
    vocabulary: words.vocabulary,
    catalog,
    catalogTables: new Map(catalog.tables.map((table) => [keyOf(table), table])),
    catalogFunctions: functions,
    tables: new Map(),
    diagnostics,
  };
  resolveTables(scope);
  return scope;
}

function sourceShape(
  source: StructureSource,
  catalog: SourceCatalog,
  { naming, vocabulary }: Words,
  report: Diagnostic[],
): SourceShape {
  const {
    root_fields: rootFields,
    type_names: typeNames,
    naming_convention: asked,
  } = source.customization ?? {};
  if (asked === 'graphql-default' && !naming.enabled) {
    report.push(
      at(
        [...source.path, 'customization', 'naming_convention'],
        messages.namingConventionIgnored({
          convention: asked,
          source: source.name,
          variable: vocabulary.environment('EXPERIMENTAL_FEATURES'),
        }),
      ),
    );
  }
  if (catalog.product !== undefined)
    report.push(
      at(source.path, messages.sourceOtherDatabase({ source: source.name, product: catalog.product })),
    );
  const convention = conventionOf(source, naming);
  const distribution = distributionOf(source, catalog);
  const { stream_horizon: streamHorizon, record_writes: recordWrites } =
    source.configuration.live_queries ?? {};
  const { query_tags: tags } = source;
  return {
    name: source.name,
    kind: 'postgres',
    ...(convention !== 'engine-default' && { naming: convention }),
    ...(convention === 'graphql-default' && naming.early && { earlyNames: true }),
    ...(naming.arraysAsScalars && { arraysAsScalars: true }),
    ...(naming.extensions && { extensions: naming.extensions }),
    postgres: Math.floor(catalog.serverVersion / 10_000),
    ...(rootFields?.namespace && { rootNamespace: rootFields.namespace }),
    ...(typeNames?.prefix && { typePrefix: typeNames.prefix }),
    ...(typeNames?.suffix && { typeSuffix: typeNames.suffix }),
    ...(streamHorizon && { streamHorizon }),
    ...(recordWrites && { recordWrites }),
    ...(tags && { queryTags: tags.disabled ? ('off' as const) : (tags.format ?? 'standard') }),
    ...(catalog.withoutBelow && { withoutBelow: true }),
    ...(distribution && { distribution }),
    types: resolveTypes(catalog, usedTypes(source, catalog)),
  };
}

/** How the names of a source are shown. */
export function conventionOf({ customization }: NamedSource, naming: NamingOptions): NamingConvention {
  const asked = customization?.naming_convention;
  if (!naming.enabled) return 'engine-default';
  if (asked === undefined) return naming.default;
  return asked === 'graphql-default' ? asked : 'engine-default';
}

/** Types of the columns of tracked tables and of the functions that the metadata names. */
function usedTypes(source: StructureSource, catalog: SourceCatalog): CatalogTypeReference[] {
  const tables = new Set(source.tables.map(({ table }) => keyOf(table)));
  const functions = new Set([
    ...source.functions.map((entry) => keyOf(entry.function)),
    ...source.tables.flatMap((table) =>
      table.computed_fields.map(({ definition }) => keyOf(definition.function)),
    ),
  ]);
  return [
    ...catalog.tables
      .filter((table) => tables.has(keyOf(table)))
      .flatMap(({ columns }) => columns.map(({ type }) => type)),
    ...catalog.functions
      .filter((each) => functions.has(keyOf(each)))
      .flatMap((each) => [each.returns, ...each.arguments.map(({ type }) => type)]),
  ];
}
