/** Every operation, and how requests name them. */
import { EngineError, pathStep } from '../../core/errors.ts';
import { actionOperations } from '../operations/actions.ts';
import addSource from '../operations/add-source.ts';
import { allowlistOperations } from '../operations/allowlist.ts';
import { bulkOperations } from '../operations/bulk.ts';
import { catalogStateOperations } from '../operations/catalog-state.ts';
import clearMetadata from '../operations/clear-metadata.ts';
import { computedFieldOperations } from '../operations/computed-fields.ts';
import count from '../operations/count.ts';
import { cronTriggerOperations } from '../operations/cron-triggers.ts';
import deleteRows from '../operations/delete.ts';
import dropInconsistentMetadata from '../operations/drop-inconsistent-metadata.ts';
import dropSource from '../operations/drop-source.ts';
import dumpInternalState from '../operations/dump-internal-state.ts';
import { eventLogOperations } from '../operations/event-logs.ts';
import { eventMaintenanceOperations } from '../operations/event-maintenance.ts';
import { eventTriggerOperations } from '../operations/event-triggers.ts';
import exportMetadata from '../operations/export-metadata.ts';
import { functionPermissionOperations } from '../operations/function-permissions.ts';
import getInconsistentMetadata from '../operations/get-inconsistent-metadata.ts';
import getSourceTables from '../operations/get-source-tables.ts';
import { inheritedRoleOperations } from '../operations/inherited-roles.ts';
import insert from '../operations/insert.ts';
import listSourceKinds from '../operations/list-source-kinds.ts';
import { nativeQueryOperations } from '../operations/native-queries.ts';
import { permissionOperations } from '../operations/permissions.ts';
import { queryCollectionOperations } from '../operations/query-collections.ts';
import { relationshipOperations } from '../operations/relationships.ts';
import reloadMetadata from '../operations/reload-metadata.ts';
import { remoteRelationshipOperations } from '../operations/remote-relationships.ts';
import { remoteSchemaRelationshipOperations } from '../operations/remote-schema-relationships.ts';
import { remoteSchemaOperations } from '../operations/remote-schemas.ts';
import renameSource from '../operations/rename-source.ts';
import replaceMetadata from '../operations/replace-metadata.ts';
import { restEndpointOperations } from '../operations/rest-endpoints.ts';
import runSql from '../operations/run-sql.ts';
import { scheduledEventOperations } from '../operations/scheduled-events.ts';
import select from '../operations/select.ts';
import setCustomTypes from '../operations/set-custom-types.ts';
import setFunctionCustomization from '../operations/set-function-customization.ts';
import setQueryTags from '../operations/set-query-tags.ts';
import { settingOperations } from '../operations/settings.ts';
import suggestRelationships from '../operations/suggest-relationships.ts';
import { tableSettingOperations } from '../operations/table-settings.ts';
import testWebhookTransform from '../operations/test-webhook-transform.ts';
import trackFunction from '../operations/track-function.ts';
import trackTable from '../operations/track-table.ts';
import { trackTables, untrackTables } from '../operations/track-tables.ts';
import untrackFunction from '../operations/untrack-function.ts';
import untrackTable from '../operations/untrack-table.ts';
import update from '../operations/update.ts';
import updateSource from '../operations/update-source.ts';
import type { Endpoint, MetadataOperation } from './operation.ts';

/** In the order of the reference. */
export const operations: readonly MetadataOperation[] = [
  exportMetadata,
  replaceMetadata,
  reloadMetadata,
  clearMetadata,
  getInconsistentMetadata,
  dropInconsistentMetadata,
  ...bulkOperations,
  dumpInternalState,
  ...catalogStateOperations,
  listSourceKinds,
  addSource,
  dropSource,
  updateSource,
  setQueryTags,
  renameSource,
  getSourceTables,
  trackTable,
  trackTables,
  untrackTable,
  untrackTables,
  ...tableSettingOperations,
  ...relationshipOperations,
  suggestRelationships,
  ...remoteRelationshipOperations,
  ...remoteSchemaRelationshipOperations,
  trackFunction,
  setFunctionCustomization,
  untrackFunction,
  ...functionPermissionOperations,
  ...nativeQueryOperations,
  ...computedFieldOperations,
  ...permissionOperations,
  ...eventTriggerOperations,
  ...eventLogOperations,
  ...eventMaintenanceOperations,
  ...cronTriggerOperations,
  ...scheduledEventOperations,
  ...remoteSchemaOperations,
  setCustomTypes,
  ...actionOperations,
  ...queryCollectionOperations,
  ...allowlistOperations,
  ...restEndpointOperations,
  ...inheritedRoleOperations,
  ...settingOperations,
  testWebhookTransform,
  runSql,
  select,
  count,
  insert,
  update,
  deleteRows,
];

/** Prefixes of operations on a source; they mean the same. */
const PREFIXES = ['pg_', 'postgres_'];

const byName: Readonly<Record<Endpoint, ReadonlyMap<string, MetadataOperation>>> = {
  '/v1/metadata': spellings('/v1/metadata', ({ name, spelling }) => [
    ...(spelling === 'prefixed' ? [] : [name]),
    ...(spelling === 'bare' ? [] : PREFIXES.map((prefix) => prefix + name)),
  ]),
  '/v1/query': new Map([
    ...spellings('/v1/query', ({ name }) => [name]),
    ['add_existing_table_or_view', trackTable],
  ]),
  '/v2/query': spellings('/v2/query', ({ name, spelling }) => [
    name,
    ...(spelling === 'bare' ? [] : PREFIXES.map((prefix) => prefix + name)),
  ]),
};

function spellings(
  endpoint: Endpoint,
  names: (operation: MetadataOperation) => readonly string[],
): ReadonlyMap<string, MetadataOperation> {
  const known = operations.filter(({ endpoints }) => endpoints.includes(endpoint));
  return new Map(known.flatMap((operation) => names(operation).map((name) => [name, operation] as const)));
}

/** The operation that a request's `type` names on an endpoint; throws `parse-failed` at `path`. */
export function findOperation(endpoint: Endpoint, type: string, path: string): MetadataOperation {
  const operation = byName[endpoint].get(type);
  if (operation !== undefined) return operation;
  throw new EngineError('parse-failed', unknownType(endpoint, type), { path: pathStep(path, 'type') });
}

function unknownType(endpoint: Endpoint, type: string): string {
  if (endpoint !== '/v1/metadata') return `Unrecognised RQLQuery type: ${type}`;
  const prefix = PREFIXES.find((candidate) => type.startsWith(candidate));
  if (prefix !== undefined)
    return `unknown metadata command "${type.slice(prefix.length)}" for backend postgres`;
  return `unknown metadata command "${type}"; "${type.split('_')[0]}" was not recognized as a valid backend name`;
}
