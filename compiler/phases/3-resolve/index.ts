/** Phase 3: resolves names to objects. Objects that fail are left out with a diagnostic, and so are their dependents. */

import type { CatalogOrError } from '../../../runtime/catalog/catalog.ts';
import type { Diagnostic } from '../../../runtime/core/diagnostics/diagnostic.ts';
import type { Result } from '../../../runtime/core/diagnostics/result.ts';
import type { NamingOptions } from '../../../runtime/core/names.ts';
import type { RemoteOrError, RemoteSchemaShape } from '../../../runtime/core/remotes/shapes.ts';
import type { ProgramSettings } from '../../../runtime/core/settings.ts';
import type { Vocabulary } from '../../../runtime/core/vocabulary.ts';
import { unverifiedHosts } from '../../../runtime/metadata/kinds/settings.ts';
import type { InheritedRole, Metadata } from '../../../runtime/metadata/metadata.ts';
import type { Memory } from '../../memory/memory.ts';
import type { Given } from '../../memory/recall.ts';
import { reuse } from '../../memory/reuse.ts';
import type { Model } from '../../model/model.ts';
import { resolveAccess } from './access.ts';
import { resolveActions } from './action.ts';
import { withDeclared } from './declared.ts';
import type { SetVariables } from './environment.ts';
import { resolveEvents } from './event-trigger.ts';
import { addGroupFields } from './group-field.ts';
import { orderInheritedRoles } from './inherited-role.ts';
import { reportNotServed } from './not-served.ts';
import { joinTables, typeRelationships } from './remote-relationship.ts';
import { resolveRemoteSchemas } from './remote-schema.ts';
import { resolveStructure } from './structure.ts';
import { noNames, takenNames } from './taken-names.ts';

interface Resolved extends Result<Model> {
  readonly inheritedRoles: readonly InheritedRole[];
}

/** Resolves the metadata against the catalogs of its sources. Without I/O; the same input gives the same model. */
export function resolve(
  { metadata, catalogs, remotes, naming }: Given,
  vocabulary: Vocabulary,
  environment: SetVariables | undefined,
  memory: Memory,
): Resolved {
  const declared = memory.call(withDeclared, metadata, memory);
  return memory.update(resolveModel, memory, declared, catalogs, remotes, naming, vocabulary, environment);
}

/** Parts that equal the last result keep their identity. */
function resolveModel(
  last: Resolved | undefined,
  memory: Memory,
  metadata: Metadata,
  catalogs: Readonly<Record<string, CatalogOrError>>,
  remoteResults: Readonly<Record<string, RemoteOrError>>,
  naming: NamingOptions,
  vocabulary: Vocabulary,
  environment: SetVariables | undefined,
): Resolved {
  const earlier = last?.value;
  const before = new Map(earlier?.sources.map((source) => [source.shape.name, source]));
  const structure = resolveStructure(metadata.sources, catalogs, naming, vocabulary, memory);
  const diagnostics: Diagnostic[] = [...reportNotServed(metadata), ...structure.diagnostics];
  const scopes = new Map(structure.sources.map(({ scope }) => [scope.source.name, scope]));
  const events = resolveEvents(scopes.values(), metadata.cron_triggers, diagnostics, environment);
  const ordered = orderInheritedRoles({ diagnostics }, metadata, memory);
  const inheritedRoles = reuse(ordered, last?.inheritedRoles);
  const resolvedActions = resolveActions(
    metadata,
    { scopes, structures: structure.sources, types: structure.types, inheritedRoles, environment },
    { diagnostics },
  );
  const actions = resolvedActions && reuse(resolvedActions, earlier?.actions);
  const needsNames = metadata.remote_schemas.length > 0 || naming.extensions?.includes('group_by');
  const taken = needsNames ? takenNames(structure, actions) : noNames();
  const remotes = resolveRemoteSchemas(
    metadata,
    remoteResults,
    inheritedRoles,
    taken,
    vocabulary,
    { diagnostics },
    memory,
  );
  const grouped = structure.sources.map((source) => addGroupFields(source, taken, diagnostics, memory));
  const joins = { metadata, scopes, remotes: new Map(remotes.map((remote) => [remote.entry.name, remote])) };
  const joined = grouped.map((source) => joinTables(source, joins, diagnostics, memory));
  const shapes = remotes.map((remote): RemoteSchemaShape => {
    const relationships = typeRelationships(remote, joins, diagnostics);
    return { ...remote.shape, ...(Object.keys(relationships).length > 0 && { relationships }) };
  });
  const byName = new Map(metadata.sources.map((source) => [source.name, source]));
  const sources = joined.map((each) => {
    const { name } = each.scope.source;
    const source = byName.get(name)!;
    return resolveAccess(source, each, inheritedRoles, diagnostics, memory, before.get(name));
  });
  sources.sort((left, right) => (left.shape.name < right.shape.name ? -1 : 1));
  const settings = reuse(readSettings(metadata, vocabulary), earlier?.settings);
  const served = reuse(shapes, earlier?.remotes);
  return {
    value: {
      settings,
      sources,
      events,
      ...(shapes.length > 0 && { remotes: served }),
      ...(actions && { actions }),
    },
    diagnostics,
    inheritedRoles,
  };
}

/** Settings of the whole program, without those that have no effect. */
function readSettings(
  { api_limits: limits, graphql_schema_introspection, network }: Metadata,
  vocabulary: Vocabulary,
): ProgramSettings {
  const roles = [...new Set(graphql_schema_introspection.disabled_for_roles)].sort();
  return {
    ...(vocabulary.isCanonical ? {} : { vocabulary: vocabulary.word }),
    ...(roles.length > 0 ? { introspectionDisabledFor: roles } : {}),
    ...(limits && !limits.disabled ? { limits } : {}),
    ...(network.tls_allowlist.length > 0 ? { unverifiedHosts: unverifiedHosts(network) } : {}),
  };
}
