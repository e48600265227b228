/** Phase 3: names to objects. What cannot be resolved leaves with its reason, and its dependents follow. */
import type { ProgramSettings } from '../../../runtime/core/settings.ts';
import { diagnostics as messages } from '../../diagnostics/catalogue.ts';
import type { Diagnostic } from '../../diagnostics/diagnostic.ts';
import type { Memory } from '../../incremental/memory.ts';
import { reuse } from '../../incremental/reuse.ts';
import type { SourceCatalog } from '../../model/catalog.ts';
import type { NamedInconsistency } from '../../model/inconsistency.ts';
import type { InheritedRole, Metadata, Source } from '../../model/metadata.ts';
import type { Model } from '../../model/model.ts';
import type { Result } from '../../model/result.ts';
import { createRootFieldRegister, leaveOutTypeConflicts } from './conflict.ts';
import { orderInheritedRoles } from './inherited-role.ts';
import { reportNotServed } from './not-served.ts';
import { leaveOut } from './report.ts';
import type { SourceScope } from './scope.ts';
import { addSingleRowFields, closeSource, type NamingOptions, openSource } from './source.ts';

export type { NamingOptions } from './source.ts';

/** The catalog of a source, or why it could not be read (without passwords). */
export type CatalogResult = SourceCatalog | { readonly error: string };

/** What an earlier run left: its model, the roles it ordered, and results that hold as long as their inputs do. */
export interface Earlier {
  readonly model?: Model;
  readonly inheritedRoles?: readonly InheritedRole[];
  readonly memory: Memory;
}

/**
 * Resolves the metadata against the catalogs of its sources. Without I/O; the same input gives the same model, whatever
 * `earlier` holds; what is as before keeps its identity.
 */
export function resolve(
  metadata: Metadata,
  catalogs: Readonly<Record<string, CatalogResult>>,
  naming: NamingOptions,
  earlier: Earlier,
): Result<Model> & { readonly inheritedRoles: readonly InheritedRole[] } {
  const before = new Map(earlier.model?.sources.map((source) => [source.shape.name, source]));
  const diagnostics: Diagnostic[] = [...reportNotServed(metadata)];
  const scopes: SourceScope[] = [];
  for (const source of metadata.sources) {
    const catalog = Object.hasOwn(catalogs, source.name)
      ? catalogs[source.name]!
      : { error: 'no catalog was given' };
    if ('error' in catalog) leaveOutSource(diagnostics, source, catalog.error);
    else scopes.push(openSource(source, catalog, naming, diagnostics, before.get(source.name)));
  }
  leaveOutTypeConflicts(scopes);
  const inheritedRoles = reuse(orderInheritedRoles({ diagnostics }, metadata), earlier.inheritedRoles);
  const rootFields = createRootFieldRegister();
  const closed = scopes.map((scope) => {
    const previous = before.get(scope.source.name);
    return closeSource(scope, inheritedRoles, rootFields, earlier.memory, previous);
  });
  const sources = closed.map((source, index) =>
    addSingleRowFields(scopes[index]!, source, rootFields, before.get(source.shape.name)),
  );
  sources.sort((left, right) => (left.shape.name < right.shape.name ? -1 : 1));
  return { value: { settings: readSettings(metadata), sources }, diagnostics, inheritedRoles };
}

/** What is set for the program as a whole; what has no effect is left out. */
function readSettings({ api_limits: limits, graphql_schema_introspection }: Metadata): ProgramSettings {
  const roles = [...new Set(graphql_schema_introspection.disabled_for_roles)].sort();
  return {
    ...(roles.length > 0 ? { introspectionDisabledFor: roles } : {}),
    ...(limits && !limits.disabled ? { limits } : {}),
  };
}

function leaveOutSource(diagnostics: Diagnostic[], source: Source, error: string): void {
  const problem = messages.sourceUnreachable({ reason: error });
  const object = {
    path: source.path,
    type: 'source',
    name: `source ${source.name}`,
    definition: source.name,
    context: '',
  };
  leaveOut({ diagnostics }, object, problem);
  const reported = diagnostics.pop()!;
  diagnostics.push({
    ...reported,
    inconsistency: { ...(reported.inconsistency as NamedInconsistency), message: error },
  });
}
