import { EngineError } from '../../core/errors.ts';
import type { Codec } from '../../metadata/codec.ts';
import { json } from '../../metadata/values.ts';
import { runRequest, StepFailed } from '../change/run.ts';
import { type Answer, describeError } from '../request/answer.ts';
import { type MetadataOperation, operation, SUCCESS } from '../request/operation.ts';
import type { MetadataRequest } from '../request/request.ts';
import { relationshipOperations } from './relationships.ts';
import { remoteRelationshipOperations } from './remote-relationships.ts';
import { remoteSchemaRelationshipOperations } from './remote-schema-relationships.ts';

/** The request reader has read the steps already. */
const steps = json as unknown as Codec<readonly MetadataRequest[]>;

/** Operations whose effect on a database outlives a failed bulk. */
const WRITES_DATA: ReadonlySet<string> = new Set(['run_sql', 'insert', 'update', 'delete']);

function writesData({ operation: step, args, steps: inner }: MetadataRequest): boolean {
  if (inner !== undefined) return inner.some(writesData);
  return WRITES_DATA.has(step.name) && (args as { readonly read_only?: boolean }).read_only !== true;
}

/** The error, with a sentence about what earlier steps did to a database, if they did. */
function toldWhatStays(error: EngineError, done: readonly MetadataRequest[]): EngineError {
  const steps = done.flatMap((request, index) => (writesData(request) ? [index + 1] : []));
  if (steps.length === 0) return error;
  const [first, ...others] = steps;
  const which = others.length === 0 ? `step ${first}` : `steps ${steps.join(', ')}`;
  const { code, message, path, status, internal, reason, cause } = error;
  const told = `${message}; no metadata was stored, but what ${which} of the bulk did to the database stays`;
  return new StepFailed(code, told, { path, status, internal, reason, cause });
}

/** Names of the operations that bulk_atomic accepts. */
const ATOMIC: ReadonlySet<string> = new Set(
  [...relationshipOperations, ...remoteRelationshipOperations, ...remoteSchemaRelationshipOperations].map(
    ({ name }) => name,
  ),
);

export const bulkOperations: readonly MetadataOperation[] = [
  /** Requests in order on one copy; the first that fails ends it, and nothing of the metadata is stored. */
  operation({
    name: 'bulk',
    spelling: 'bare',
    endpoints: ['/v1/metadata', '/v1/query', '/v2/query'],
    documentation:
      'Runs a list of requests in order and answers with the list of their answers. The first failure aborts: no metadata ' +
      'is stored, but what `run_sql` did to a database stays.',
    arguments: steps,
    isBulk: true,
    changesMetadata: true,
    run: async (requests, copy, requester) => {
      const answers: Answer[] = [];
      for (const [index, request] of requests.entries()) {
        try {
          answers.push(await runRequest(request, copy, requester));
        } catch (error) {
          throw error instanceof EngineError ? toldWhatStays(error, requests.slice(0, index)) : error;
        }
      }
      return answers;
    },
  }),
  operation({
    name: 'bulk_keep_going',
    spelling: 'bare',
    endpoints: ['/v1/metadata'],
    documentation:
      'Like `bulk`, but goes on after a failure: the slot of the failed request holds its error, and its change is undone.',
    arguments: steps,
    isBulk: true,
    changesMetadata: true,
    run: async (requests, copy, requester) => {
      const answers: Answer[] = [];
      for (const request of requests) {
        const point = copy.save();
        try {
          answers.push(await runRequest(request, copy, requester));
        } catch (error) {
          copy.restore(point);
          answers.push(describeError(error, true));
        }
      }
      return answers;
    },
  }),
  operation({
    name: 'bulk_atomic',
    spelling: 'bare',
    endpoints: ['/v1/metadata'],
    documentation: 'Runs operations on relationships as one change, which is judged once, at its end.',
    arguments: steps,
    isBulk: true,
    policy: 'others',
    changesMetadata: true,
    run: async (requests, copy, requester) => {
      for (const { operation: step, args, endpoint, version } of requests) {
        if (!ATOMIC.has(step.name)) {
          throw new EngineError('unexpected', 'Bulk atomic does not support this command');
        }
        await step.run(args as never, copy, { ...requester, endpoint, version });
      }
      return SUCCESS;
    },
  }),
  operation({
    name: 'concurrent_bulk',
    spelling: 'bare',
    endpoints: ['/v2/query'],
    documentation:
      'Runs a list of requests that change no metadata, such as `run_sql` with `read_only`, at the same time.',
    arguments: steps,
    isBulk: true,
    changesMetadata: false,
    run: async (requests, copy, requester) => {
      if (requests.some(({ changesMetadata }) => changesMetadata)) {
        throw new EngineError('unexpected', 'Only read-only queries are allowed in a concurrent_bulk');
      }
      return Promise.all(requests.map((request) => runRequest(request, copy, requester)));
    },
  }),
];
