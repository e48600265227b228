import { GraphQLError, parse } from 'graphql';
import { EngineError } from '../../core/errors.ts';
import { object } from '../../metadata/combinators.ts';
import { queryCollection } from '../../metadata/kinds/query-collection.ts';
import type { CollectionQuery, QueryCollection } from '../../metadata/metadata.ts';
import { boolean, name, text } from '../../metadata/values.ts';
import { NO_PATH, replaceWhere } from '../edit.ts';
import { METADATA_AND_LEGACY, operation, SUCCESS } from '../operation.ts';
import type { WorkingCopy } from '../working-copy.ts';

export const createQueryCollection = operation({
  name: 'create_query_collection',
  spelling: 'bare',
  endpoints: METADATA_AND_LEGACY,
  documentation: 'Makes a named collection of queries, for the allow-list and REST endpoints.',
  arguments: queryCollection,
  policy: 'others',
  changesMetadata: true,
  run: (collection, copy) => {
    const { name, definition } = collection;
    refuseExisting(copy, name, '$.name');
    const names = definition.queries.map((query) => query.name);
    const duplicates = [...new Set(names.filter((query, index) => names.indexOf(query) < index))];
    if (duplicates.length > 0) {
      const list = duplicates.map((query) => `"${query}"`).join(', ');
      throw new EngineError('not-supported', `found duplicate query names ${list}`, {
        path: '$.definition.queries',
      });
    }
    for (const [index, query] of definition.queries.entries()) {
      requireGraphql(query.query, `$.definition.queries[${index}].query`);
    }
    const added = { ...NO_PATH, ...collection };
    copy.metadata = { ...copy.metadata, query_collections: [...copy.metadata.query_collections, added] };
    return SUCCESS;
  },
});

export const renameQueryCollection = operation({
  name: 'rename_query_collection',
  spelling: 'bare',
  endpoints: METADATA_AND_LEGACY,
  documentation: 'Renames a query collection, also in the allow-list and in REST endpoints.',
  arguments: object({ name, new_name: name }),
  policy: 'others',
  changesMetadata: true,
  run: ({ name, new_name }, copy) => {
    findCollection(copy, name);
    refuseExisting(copy, new_name, '$.new_name');
    const { query_collections, allowlist, rest_endpoints } = copy.metadata;
    copy.metadata = {
      ...copy.metadata,
      query_collections: replaceWhere(
        query_collections,
        (entry) => entry.name === name,
        (entry) => ({ ...entry, name: new_name }),
      ),
      allowlist: replaceWhere(
        allowlist,
        (entry) => entry.collection === name,
        (entry) => ({ ...entry, collection: new_name }),
      ),
      rest_endpoints: replaceWhere(
        rest_endpoints,
        (entry) => entry.definition.query.collection_name === name,
        (entry) => ({
          ...entry,
          definition: { query: { ...entry.definition.query, collection_name: new_name } },
        }),
      ),
    };
    return SUCCESS;
  },
});

export const dropQueryCollection = operation({
  name: 'drop_query_collection',
  spelling: 'bare',
  endpoints: METADATA_AND_LEGACY,
  documentation: 'Drops a query collection; with `cascade` also from the allow-list.',
  arguments: object({ collection: name, cascade: boolean }),
  policy: 'others',
  changesMetadata: true,
  run: ({ collection, cascade }, copy) => {
    findCollection(copy, collection);
    const { query_collections, allowlist } = copy.metadata;
    if (!cascade && allowlist.some((entry) => entry.collection === collection)) {
      throw new EngineError(
        'dependency-error',
        `query collection with name "${collection}" is present in the allowlist; cannot proceed to drop. please use ` +
          'cascade to confirm the drop',
      );
    }
    copy.metadata = {
      ...copy.metadata,
      query_collections: query_collections.filter(({ name }) => name !== collection),
      allowlist: allowlist.filter((entry) => entry.collection !== collection),
    };
    return SUCCESS;
  },
});

export const addQueryToCollection = operation({
  name: 'add_query_to_collection',
  spelling: 'bare',
  endpoints: METADATA_AND_LEGACY,
  documentation: 'Adds a query to a collection.',
  arguments: object({ collection_name: name, query_name: name, query: text }),
  policy: 'others',
  changesMetadata: true,
  run: ({ collection_name, query_name, query }, copy) => {
    const { queries } = findCollection(copy, collection_name).definition;
    if (queries.some(({ name }) => name === query_name)) {
      throw new EngineError(
        'already-exists',
        `query with name "${query_name}" already exists in collection "${collection_name}"`,
      );
    }
    requireGraphql(query, '$.query');
    changeQueries(copy, collection_name, (list) => [...list, { name: query_name, query }]);
    return SUCCESS;
  },
});

export const dropQueryFromCollection = operation({
  name: 'drop_query_from_collection',
  spelling: 'bare',
  endpoints: METADATA_AND_LEGACY,
  documentation: 'Drops a query from a collection.',
  arguments: object({ collection_name: name, query_name: name }),
  policy: 'others',
  changesMetadata: true,
  run: ({ collection_name, query_name }, copy) => {
    const { queries } = findCollection(copy, collection_name).definition;
    if (!queries.some(({ name }) => name === query_name)) {
      throw new EngineError(
        'not-found',
        `query with name "${query_name}" not found in collection "${collection_name}"`,
      );
    }
    changeQueries(copy, collection_name, (list) => list.filter(({ name }) => name !== query_name));
    return SUCCESS;
  },
});

/** The collection; throws `not-exists`. */
export function findCollection(copy: WorkingCopy, name: string): QueryCollection {
  const found = copy.metadata.query_collections.find((entry) => entry.name === name);
  if (found === undefined) {
    throw new EngineError('not-exists', `query collection with name "${name}" does not exist`);
  }
  return found;
}

function refuseExisting(copy: WorkingCopy, name: string, path: string): void {
  if (!copy.metadata.query_collections.some((entry) => entry.name === name)) return;
  throw new EngineError('already-exists', `query collection with name "${name}" already exists`, { path });
}

function changeQueries(
  copy: WorkingCopy,
  collection: string,
  change: (queries: readonly CollectionQuery[]) => readonly CollectionQuery[],
): void {
  copy.metadata = {
    ...copy.metadata,
    query_collections: replaceWhere(
      copy.metadata.query_collections,
      ({ name }) => name === collection,
      (entry) => ({ ...entry, definition: { queries: change(entry.definition.queries) } }),
    ),
  };
}

function requireGraphql(query: string, path: string): void {
  try {
    parse(query);
  } catch (error) {
    if (!(error instanceof GraphQLError)) throw error;
    throw new EngineError('parse-failed', error.message, { path });
  }
}
