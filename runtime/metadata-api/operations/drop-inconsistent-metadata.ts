import type { InconsistentObject } from '../../core/diagnostics/inconsistency.ts';
import { EngineError } from '../../core/errors.ts';
import type { JsonObject, Metadata, QualifiedName, TableEntry } from '../../metadata/metadata.ts';
import { replaceWhere } from '../change/edit.ts';
import { TABLE_LISTS } from '../change/table-lists.ts';
import { noArguments } from '../request/arguments.ts';
import { sameName } from '../request/names.ts';
import { METADATA_AND_LEGACY, operation, SUCCESS } from '../request/operation.ts';

export default operation<object>({
  name: 'drop_inconsistent_metadata',
  spelling: 'bare',
  endpoints: METADATA_AND_LEGACY,
  documentation: 'Removes every inconsistent object from the metadata.',
  arguments: noArguments,
  changesMetadata: true,
  run: async (_, copy) => {
    await copy.check();
    // Dependents follow their object in the list, so they are removed first.
    copy.metadata = [...copy.inconsistent].reverse().reduce(removeObject, copy.metadata);
    await copy.check();
    if (copy.inconsistent.length > 0) {
      throw new EngineError('unexpected', 'cannot continue due to new inconsistent metadata', {
        status: 400,
        internal: copy.inconsistent,
      });
    }
    return SUCCESS;
  },
});

function removeObject(metadata: Metadata, object: InconsistentObject): Metadata {
  if (object.objects !== undefined) {
    const { objects, reason } = object;
    return objects.map((each) => ({ ...each, reason })).reduce(removeObject, metadata);
  }
  if (object.conflicts !== undefined) {
    // The first of them goes, which may be enough; if not, the check afterwards says so.
    const [first] = object.conflicts as readonly JsonObject[];
    return {
      ...metadata,
      rest_endpoints: metadata.rest_endpoints.filter(({ name }) => name !== first?.name),
    };
  }
  const { type, definition } = object;
  const given = (typeof definition === 'object' && definition !== null ? definition : {}) as JsonObject;
  const sourceName = /in source (.*)$/s.exec(object.name)?.[1];
  const inSource = (
    change: (source: Metadata['sources'][number]) => Metadata['sources'][number],
  ): Metadata => ({
    ...metadata,
    sources: replaceWhere(metadata.sources, ({ name }) => name === sourceName, change),
  });
  const isNamed = (entry: { readonly name: string }) => entry.name === given.name;
  const list = (TABLE_LISTS as Readonly<Record<string, keyof TableEntry>>)[type];
  if (list !== undefined) {
    const table = given.table as unknown as QualifiedName;
    const configuration = given.configuration as JsonObject | undefined;
    const key = 'role' in given ? given.role : (given.name ?? configuration?.name);
    return inSource((source) => ({
      ...source,
      tables: replaceWhere(
        source.tables,
        (entry) => sameName(entry.table, table),
        (entry) => ({
          ...entry,
          [list]: (entry[list] as readonly { readonly name?: string; readonly role?: string }[]).filter(
            (item) => (item.role ?? item.name) !== key,
          ),
        }),
      ),
    }));
  }
  switch (type) {
    case 'source':
      return { ...metadata, sources: metadata.sources.filter(({ name }) => name !== definition) };
    case 'table':
      return inSource((source) => ({
        ...source,
        tables: source.tables.filter((entry) => !sameName(entry.table, given as unknown as QualifiedName)),
      }));
    case 'function':
      return inSource((source) => ({
        ...source,
        functions: source.functions.filter(
          (entry) => !sameName(entry.function, given as unknown as QualifiedName),
        ),
      }));
    case 'inherited_role':
      return {
        ...metadata,
        inherited_roles: metadata.inherited_roles.filter(({ role_name }) => role_name !== given.role_name),
      };
    case 'remote_schema':
      return { ...metadata, remote_schemas: metadata.remote_schemas.filter((entry) => !isNamed(entry)) };
    case 'action':
      return { ...metadata, actions: metadata.actions.filter((entry) => !isNamed(entry)) };
    case 'cron_trigger':
      return { ...metadata, cron_triggers: metadata.cron_triggers.filter((entry) => !isNamed(entry)) };
    case 'rest_endpoint':
      return { ...metadata, rest_endpoints: metadata.rest_endpoints.filter((entry) => !isNamed(entry)) };
    case 'query_collections':
      return removeQuery(metadata, object.name, given);
    case 'custom_types':
      return {
        ...metadata,
        custom_types: { path: [], input_objects: [], objects: [], scalars: [], enums: [] },
      };
    default:
      return metadata;
  }
}

/** A collection that loses its last query goes too, with what uses it. */
function removeQuery(metadata: Metadata, objectName: string, query: JsonObject): Metadata {
  const isInvalid = (collection: string, name: string) =>
    name === query.name && objectName === `query_collections ${name} in ${collection}`;
  const query_collections = metadata.query_collections
    .map((collection) => ({
      ...collection,
      definition: {
        queries: collection.definition.queries.filter(({ name }) => !isInvalid(collection.name, name)),
      },
    }))
    .filter(({ definition, name }) => definition.queries.length > 0 || !objectName.endsWith(` in ${name}`));
  const isLeft = (name: string) => query_collections.some((collection) => collection.name === name);
  return {
    ...metadata,
    query_collections,
    allowlist: metadata.allowlist.filter(({ collection }) => isLeft(collection)),
    rest_endpoints: metadata.rest_endpoints.filter(
      ({ definition: { query: used } }) =>
        isLeft(used.collection_name) && !isInvalid(used.collection_name, used.query_name),
    ),
  };
}
