import { EngineError } from '../../core/errors.ts';
import { isObject } from '../../core/json/json.ts';
import { jsonKind } from '../../core/types.ts';
import type { Invalid, TypeOf } from '../../metadata/codec.ts';
import { missingKey, object } from '../../metadata/combinators.ts';
import { allowlistEntry, allowlistScope } from '../../metadata/kinds/query-collection.ts';
import { name } from '../../metadata/values.ts';
import { NO_PATH } from '../change/edit.ts';
import { listOperations, serviceList } from '../request/list-operations.ts';
import { METADATA_AND_LEGACY, type MetadataOperation, operation, SUCCESS } from '../request/operation.ts';
import { findCollection } from './query-collections.ts';

const common = { spelling: 'bare', endpoints: METADATA_AND_LEGACY, policy: 'others' } as const;

const { change, drop } = listOperations(serviceList('allowlist', 'collection'), common, () => []);

const missing = ({ collection }: { readonly collection: string }) =>
  new EngineError('not-found', `collection "${collection}" doesn't exist in the allowlist`);

const collectionOnly = object({ collection: name });

/** `{collection}`; the errors name a type, as clients of this API family know them from this operation alone. */
const droppedCollection: typeof collectionOnly = {
  ...collectionOnly,
  read(input, reading): TypeOf<typeof collectionOnly> | Invalid {
    const type = `${reading.vocabulary.capitalized}.RQL.Types.Allowlist.DropCollectionFromAllowlist(DropCollectionFromAllowlist)`;
    const failed = (reason: string): Invalid => reading.problem(`parsing ${type} failed, ${reason}`);
    if (!isObject(input)) return failed(`expected Object, but encountered ${jsonKind(input)}`);
    if (!Object.hasOwn(input, 'collection')) return failed(missingKey('collection'));
    return collectionOnly.read(input, reading);
  },
};

export const allowlistOperations: readonly MetadataOperation[] = [
  operation({
    ...common,
    name: 'add_collection_to_allowlist',
    documentation: 'Allows the queries of a collection, to every role or to those of its scope.',
    arguments: allowlistEntry,
    changesMetadata: true,
    run: (entry, copy) => {
      const { collection } = entry;
      findCollection(copy.metadata, collection);
      if (copy.metadata.allowlist.some((known) => known.collection === collection)) {
        return {
          message:
            `collection "${collection}" already exists in the allowlist, scope ignored; to change scope, use ` +
            'update_scope_of_collection_in_allowlist',
        };
      }
      const allowlist = [...copy.metadata.allowlist, { ...NO_PATH, ...entry }];
      copy.metadata = { ...copy.metadata, allowlist };
      return SUCCESS;
    },
  }),
  change({
    name: 'update_scope_of_collection_in_allowlist',
    documentation: 'Changes to which roles a collection of the allow-list is open.',
    arguments: object({ collection: name, scope: allowlistScope }),
    missing,
    change: (entry, { scope }) => ({ ...entry, scope }),
  }),
  drop({
    name: 'drop_collection_from_allowlist',
    documentation: 'Takes a collection out of the allow-list.',
    arguments: droppedCollection,
    missing,
  }),
];
