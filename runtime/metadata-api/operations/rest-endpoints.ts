import { EngineError } from '../../core/errors.ts';
import { object } from '../../metadata/combinators.ts';
import { restEndpoint } from '../../metadata/kinds/query-collection.ts';
import { name } from '../../metadata/values.ts';
import type { WorkingCopy } from '../change/working-copy.ts';
import { listOperations, serviceList } from '../request/list-operations.ts';
import { globalObject } from '../request/names.ts';
import { METADATA_AND_LEGACY, type MetadataOperation } from '../request/operation.ts';

const { create, drop } = listOperations(
  serviceList('rest_endpoints', 'name'),
  { spelling: 'bare', endpoints: METADATA_AND_LEGACY },
  (endpoint) => [globalObject('rest_endpoint', endpoint)],
);

export const restEndpointOperations: readonly MetadataOperation[] = [
  create({
    name: 'create_rest_endpoint',
    documentation: 'Makes a saved query callable under a URL of its own.',
    arguments: restEndpoint,
    before: ({ definition: { query } }, copy) => requireQuery(copy, query.collection_name, query.query_name),
    taken: (args) => new EngineError('already-exists', `Endpoint with name: ${args.name} already exists`),
  }),
  drop({
    name: 'drop_rest_endpoint',
    documentation: 'Drops a REST endpoint; the saved query stays.',
    arguments: object({ name }),
    missing: (args) => new EngineError('not-exists', `endpoint with name: ${args.name} does not exist`),
  }),
];

/** @throws EngineError not-exists */
function requireQuery(copy: WorkingCopy, collection: string, query: string): void {
  const found = copy.metadata.query_collections.find((entry) => entry.name === collection);
  if (!found) throw new EngineError('not-exists', `collection with name ${collection} does not exist`);
  if (found.definition.queries.some((entry) => entry.name === query)) return;
  throw new EngineError('not-exists', `query with name ${query} does not exist in collection ${collection}`);
}
