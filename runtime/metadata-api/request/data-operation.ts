/**
 * The legacy data operations as operations of this API. They run on the program of the request's copy, so that a step of a
 * bulk sees the tables that an earlier one tracked; runtime/metadata-api/data has what they do.
 */
import { Request } from '../../graphql/request.ts';
import type { Codec } from '../../metadata/codec.ts';
import { argument, choose, requiredList } from '../../metadata/combinators.ts';
import { json, name } from '../../metadata/values.ts';
import { JsonText } from './answer.ts';
import { type MetadataOperation, operation } from './operation.ts';

/** Reads or writes rows as the session's role may; gives the JSON text of the answer. */
type RunData<Arguments> = (args: Arguments, request: Request) => Promise<string>;

export function dataOperation<Arguments>({
  run,
  ...definition
}: Pick<MetadataOperation<Arguments>, 'name' | 'documentation' | 'arguments'> & {
  readonly run: RunData<Arguments>;
}): MetadataOperation {
  return operation({
    ...definition,
    spelling: 'bare',
    endpoints: ['/v1/query', '/v2/query'],
    changesMetadata: false,
    anyRole: true,
    run: async (args, copy, { session, client }) => {
      const { runnable } = await copy.program();
      return new JsonText(await run(args, new Request(runnable, session, { client })));
    },
  });
}

/** Any JSON but an absent key; read where it is used. */
export const anyJson: Codec<unknown> = json;

/** A name, or a list of names. */
export const names: Codec<readonly string[]> = choose((input) =>
  typeof input === 'string' ? argument(name, (given) => [given]) : requiredList(name),
);
