import { EngineError } from '../../core/errors.ts';
import { object } from '../../metadata/combinators.ts';
import { restEndpoint } from '../../metadata/kinds/query-collection.ts';
import { name } from '../../metadata/values.ts';
import { NO_PATH } from '../edit.ts';
import { globalObject } from '../names.ts';
import { METADATA_AND_LEGACY, operation, SUCCESS } from '../operation.ts';
import type { WorkingCopy } from '../working-copy.ts';

export const createRestEndpoint = operation({
  name: 'create_rest_endpoint',
  spelling: 'bare',
  endpoints: METADATA_AND_LEGACY,
  documentation: 'Makes a saved query callable under a URL of its own.',
  arguments: restEndpoint,
  policy: 'target',
  targets: ({ name }) => [globalObject('rest_endpoint', name)],
  changesMetadata: true,
  run: (endpoint, copy) => {
    const { name } = endpoint;
    const { collection_name, query_name } = endpoint.definition.query;
    requireQuery(copy, collection_name, query_name);
    if (copy.metadata.rest_endpoints.some((entry) => entry.name === name)) {
      throw new EngineError('already-exists', `Endpoint with name: ${name} already exists`);
    }
    copy.metadata = {
      ...copy.metadata,
      rest_endpoints: [...copy.metadata.rest_endpoints, { ...NO_PATH, ...endpoint }],
    };
    return SUCCESS;
  },
});

/** @throws EngineError not-exists */
function requireQuery(copy: WorkingCopy, collection: string, query: string): void {
  const found = copy.metadata.query_collections.find(({ name }) => name === collection);
  if (!found) throw new EngineError('not-exists', `collection with name ${collection} does not exist`);
  if (found.definition.queries.some(({ name }) => name === query)) return;
  throw new EngineError('not-exists', `query with name ${query} does not exist in collection ${collection}`);
}

export const dropRestEndpoint = operation({
  name: 'drop_rest_endpoint',
  spelling: 'bare',
  endpoints: METADATA_AND_LEGACY,
  documentation: 'Drops a REST endpoint; the saved query stays.',
  arguments: object({ name }),
  policy: 'others',
  changesMetadata: true,
  run: ({ name }, copy) => {
    const kept = copy.metadata.rest_endpoints.filter((entry) => entry.name !== name);
    if (kept.length === copy.metadata.rest_endpoints.length) {
      throw new EngineError('not-exists', `endpoint with name: ${name} does not exist`);
    }
    copy.metadata = { ...copy.metadata, rest_endpoints: kept };
    return SUCCESS;
  },
});
