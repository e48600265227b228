/** Changes of services, as requests of the metadata API. Each is made for the metadata with the changes before it. */
import type { JsonObject } from '../../../core/json/json.ts';
import type {
  ActionEntry,
  AllowlistAnswer,
  NamedEntry,
  ReadAction,
  SourceTable,
} from '../../services-questions.ts';
import { type Change, changeOf, type Request } from '../model/change.ts';

/** The metadata with an entry of a list: a new one, or in the place of the one that has its name. */
export function putCron(entry: JsonObject, isNew: boolean): Change {
  const { name } = entry as NamedEntry;
  if (isNew) return changeOf(`new cron trigger ${name}`, [['create_cron_trigger', entry]]);
  const requests: Request[] = [['create_cron_trigger', { ...entry, replace: true }]];
  return changeOf(`cron trigger ${name}`, requests, `cron ${name}`);
}

export function dropCron(name: string): Change {
  return changeOf(`delete the cron trigger ${name}`, [['delete_cron_trigger', { name }]]);
}

export function putTrigger(
  { source, schema, name: table }: SourceTable,
  entry: JsonObject,
  isNew: boolean,
): Change {
  const { definition, ...others } = entry as NamedEntry & { readonly definition: JsonObject };
  const { name } = others;
  const args = { source, table: { schema, name: table }, ...others, ...definition };
  if (isNew) return changeOf(`new event trigger ${name}`, [['pg_create_event_trigger', args]]);
  const requests: Request[] = [['pg_create_event_trigger', { ...args, replace: true }]];
  return changeOf(`event trigger ${name}`, requests, `trigger ${JSON.stringify([source, name])}`);
}

export function dropTrigger(source: string, name: string): Change {
  return changeOf(`delete the event trigger ${name}`, [['pg_delete_event_trigger', { source, name }]]);
}

export function putRemote(entry: JsonObject, isNew: boolean): Change {
  const { name } = entry as NamedEntry;
  if (isNew) return changeOf(`new remote schema ${name}`, [['add_remote_schema', entry]]);
  return changeOf(`remote schema ${name}`, [['update_remote_schema', entry]], `remote ${name}`);
}

export function dropRemote(name: string): Change {
  return changeOf(`remove the remote schema ${name}`, [['remove_remote_schema', { name }]]);
}

/** @param schema what the role is to see; absent: nothing */
export function setRemotePermission(
  remote_schema: string,
  role: string,
  hasOne: boolean,
  schema: string | undefined,
): Change {
  const place = { remote_schema, role };
  const requests: Request[] = [];
  if (hasOne) requests.push(['drop_remote_schema_permissions', place]);
  if (schema !== undefined)
    requests.push(['add_remote_schema_permissions', { ...place, definition: { schema } }]);
  return changeOf(`${schema === undefined ? 'no ' : ''}permission of ${role} on ${remote_schema}`, requests);
}

/**
 * An action with its types and roles.
 * @param former the action before the change; undefined for a new one
 * @param read what the text of its definition means
 * @param entry what the text does not say
 */
export function putAction(
  former: ActionEntry | undefined,
  { name, signature, types, remaining }: ReadAction,
  entry: JsonObject,
  roles: readonly string[],
): Change {
  const isSame = former?.name === name;
  const before = isSame ? (former.permissions ?? []).map(({ role }) => role) : [];
  const head = { ...entry, name, definition: { ...(entry.definition as JsonObject), ...signature } };
  const requests: Request[] = [
    ['set_custom_types', types],
    [isSame ? 'update_action' : 'create_action', head],
    ...before
      .filter((role) => !roles.includes(role))
      .map((role): Request => ['drop_action_permission', { action: name, role }]),
    ...roles
      .filter((role) => !before.includes(role))
      .map((role): Request => ['create_action_permission', { action: name, role }]),
  ];
  if (former && !isSame) requests.push(['drop_action', { name: former.name, clear_data: false }]);
  if (remaining) requests.push(['set_custom_types', remaining]);
  if (!former) return changeOf(`new action ${name}`, requests);
  return changeOf(isSame ? `action ${name}` : `rename the action ${former.name} to ${name}`, requests);
}

/** @param remaining types without the ones that only this action uses */
export function dropAction(name: string, remaining: JsonObject | undefined): Change {
  const requests: Request[] = [['drop_action', { name }]];
  if (remaining) requests.push(['set_custom_types', remaining]);
  return changeOf(`drop the action ${name}`, requests);
}

/** An operation of a collection, which is made if it does not exist. */
export function saveOperation(
  collections: readonly NamedEntry[],
  collection_name: string,
  query_name: string,
  query: string,
): Change {
  const title = `save ${query_name} in ${collection_name}`;
  if (collections.some(({ name }) => name === collection_name))
    return changeOf(title, [['add_query_to_collection', { collection_name, query_name, query }]]);
  const definition = { queries: [{ name: query_name, query }] };
  return changeOf(title, [['create_query_collection', { name: collection_name, definition }]]);
}

export function dropOperation(collection_name: string, query_name: string): Change {
  const title = `drop ${query_name} from ${collection_name}`;
  return changeOf(title, [['drop_query_from_collection', { collection_name, query_name }]]);
}

export function renameCollection(name: string, new_name: string): Change {
  const title = `rename the collection ${name} to ${new_name}`;
  return changeOf(title, [['rename_query_collection', { name, new_name }]]);
}

export function dropCollection(collection: string): Change {
  const title = `drop the collection ${collection}`;
  return changeOf(title, [['drop_query_collection', { collection, cascade: true }]]);
}

/** @param scope absent: nobody */
export function allow(
  collection: string,
  isListed: boolean,
  scope: AllowlistAnswer['scope'] | undefined,
): Change {
  const title = scope
    ? `allow ${collection} to ${scope.global ? 'every role' : scope.roles?.join(', ')}`
    : `${collection} is not allowed`;
  if (!scope) return changeOf(title, [['drop_collection_from_allowlist', { collection }]]);
  const type = isListed ? 'update_scope_of_collection_in_allowlist' : 'add_collection_to_allowlist';
  return changeOf(title, [[type, { collection, scope }]]);
}

export function createEndpoint(
  [collection_name, query_name]: readonly [string, string],
  entry: { readonly name: string; readonly url: string; readonly methods: readonly string[] },
): Change {
  const definition = { query: { collection_name, query_name } };
  return changeOf(`new REST endpoint ${entry.name}`, [['create_rest_endpoint', { ...entry, definition }]]);
}

export function dropEndpoint(name: string): Change {
  return changeOf(`drop the REST endpoint ${name}`, [['drop_rest_endpoint', { name }]]);
}
