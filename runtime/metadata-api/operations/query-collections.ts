import { GraphQLError } from 'graphql';
import { EngineError } from '../../core/errors.ts';
import { parseGraphql } from '../../core/graphql-text.ts';
import { graphqlProblem } from '../../core/reasons.ts';
import { object } from '../../metadata/combinators.ts';
import { queryCollection } from '../../metadata/kinds/query-collection.ts';
import type { Metadata, QueryCollection } from '../../metadata/metadata.ts';
import { boolean, name, text } from '../../metadata/values.ts';
import { replaceWhere } from '../change/edit.ts';
import type { WorkingCopy } from '../change/working-copy.ts';
import { innerList, listOperations, serviceList } from '../request/list-operations.ts';
import { METADATA_AND_LEGACY, type MetadataOperation } from '../request/operation.ts';

const common = { spelling: 'bare', endpoints: METADATA_AND_LEGACY, policy: 'others' } as const;

const collections = serviceList('query_collections', 'name');

const { create, change, drop } = listOperations(collections, common, () => []);

const taken = (collection: string, path: string) =>
  new EngineError('already-exists', `query collection with name "${collection}" already exists`, { path });

const missing = (collection: string) =>
  new EngineError('not-exists', `query collection with name "${collection}" does not exist`);

const queries = listOperations(
  innerList(collections, 'collection_name', missing, {
    key: 'name',
    read: ({ definition }) => definition.queries,
    write: (collection, queries) => ({ ...collection, definition: { queries } }),
  }),
  common,
  () => [],
);

export const queryCollectionOperations: readonly MetadataOperation[] = [
  create({
    name: 'create_query_collection',
    documentation: 'Makes a named collection of queries, for the allow-list and REST endpoints.',
    arguments: queryCollection,
    taken: (args) => taken(args.name, '$.name'),
    after: ({ definition }) => {
      const names = definition.queries.map((query) => query.name);
      const duplicates = [...new Set(names.filter((query, index) => names.indexOf(query) < index))];
      if (duplicates.length > 0) {
        const list = duplicates.map((query) => `"${query}"`).join(', ');
        throw new EngineError('not-supported', `found duplicate query names ${list}`, {
          path: '$.definition.queries',
        });
      }
      for (const [index, { query }] of definition.queries.entries()) {
        requireGraphql(query, `$.definition.queries[${index}].query`);
      }
    },
  }),
  change({
    name: 'rename_query_collection',
    documentation: 'Renames a query collection, also in the allow-list and in REST endpoints.',
    arguments: object({ name, new_name: name }),
    missing: (args) => missing(args.name),
    after: renameInReferences,
    change: (entry, { new_name }) => ({ ...entry, name: new_name }),
  }),
  drop({
    name: 'drop_query_collection',
    documentation: 'Drops a query collection; with `cascade` also from the allow-list.',
    arguments: object({ collection: name, cascade: boolean }),
    keyArgument: 'collection',
    missing: (args) => missing(args.collection),
    after: ({ collection, cascade }, copy) => {
      const kept = copy.metadata.allowlist.filter((entry) => entry.collection !== collection);
      if (!cascade && kept.length < copy.metadata.allowlist.length) {
        throw new EngineError(
          'dependency-error',
          `query collection with name "${collection}" is present in the allowlist; cannot proceed to drop. please use ` +
            'cascade to confirm the drop',
        );
      }
      copy.metadata = { ...copy.metadata, allowlist: kept };
    },
  }),
  queries.create({
    name: 'add_query_to_collection',
    documentation: 'Adds a query to a collection.',
    arguments: object({ collection_name: name, query_name: name, query: text }),
    keyArgument: 'query_name',
    taken: ({ query_name, collection_name }) =>
      new EngineError(
        'already-exists',
        `query with name "${query_name}" already exists in collection "${collection_name}"`,
      ),
    after: ({ query }) => requireGraphql(query, '$.query'),
    entry: ({ query_name, query }) => ({ name: query_name, query }),
  }),
  queries.drop({
    name: 'drop_query_from_collection',
    documentation: 'Drops a query from a collection.',
    arguments: object({ collection_name: name, query_name: name }),
    keyArgument: 'query_name',
    missing: ({ query_name, collection_name }) =>
      new EngineError(
        'not-found',
        `query with name "${query_name}" not found in collection "${collection_name}"`,
      ),
  }),
];

/** The collection; throws `not-exists`. */
export function findCollection(metadata: Metadata, collection: string): QueryCollection {
  const found = metadata.query_collections.find((entry) => entry.name === collection);
  if (found === undefined) throw missing(collection);
  return found;
}

function renameInReferences(
  { name: before, new_name }: { readonly name: string; readonly new_name: string },
  copy: WorkingCopy,
): void {
  const { query_collections, allowlist, rest_endpoints } = copy.metadata;
  if (query_collections.some((entry) => entry.name === new_name)) throw taken(new_name, '$.new_name');
  copy.metadata = {
    ...copy.metadata,
    allowlist: replaceWhere(
      allowlist,
      (entry) => entry.collection === before,
      (entry) => ({ ...entry, collection: new_name }),
    ),
    rest_endpoints: replaceWhere(
      rest_endpoints,
      (entry) => entry.definition.query.collection_name === before,
      (entry) => ({
        ...entry,
        definition: { query: { ...entry.definition.query, collection_name: new_name } },
      }),
    ),
  };
}

function requireGraphql(query: string, path: string): void {
  try {
    parseGraphql(query);
  } catch (error) {
    if (!(error instanceof GraphQLError)) throw error;
    throw new EngineError('parse-failed', `the query is not GraphQL: ${graphqlProblem(error)}`, { path });
  }
}
