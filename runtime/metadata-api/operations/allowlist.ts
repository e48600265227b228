import { EngineError } from '../../core/errors.ts';
import { object } from '../../metadata/combinators.ts';
import { allowlistEntry, allowlistScope } from '../../metadata/kinds/query-collection.ts';
import { name } from '../../metadata/values.ts';
import { NO_PATH, replaceWhere } from '../edit.ts';
import { METADATA_AND_LEGACY, operation, SUCCESS } from '../operation.ts';
import type { WorkingCopy } from '../working-copy.ts';
import { findCollection } from './query-collections.ts';

export const addCollectionToAllowlist = operation({
  name: 'add_collection_to_allowlist',
  spelling: 'bare',
  endpoints: METADATA_AND_LEGACY,
  documentation: 'Allows the queries of a collection, to every role or to those of its scope.',
  arguments: allowlistEntry,
  policy: 'others',
  changesMetadata: true,
  run: ({ collection, scope }, copy) => {
    findCollection(copy, collection);
    if (copy.metadata.allowlist.some((entry) => entry.collection === collection)) {
      return {
        message:
          `collection "${collection}" already exists in the allowlist, scope ignored; to change scope, use ` +
          'update_scope_of_collection_in_allowlist',
      };
    }
    const added = { ...NO_PATH, collection, scope };
    copy.metadata = { ...copy.metadata, allowlist: [...copy.metadata.allowlist, added] };
    return SUCCESS;
  },
});

export const updateScopeOfCollectionInAllowlist = operation({
  name: 'update_scope_of_collection_in_allowlist',
  spelling: 'bare',
  endpoints: METADATA_AND_LEGACY,
  documentation: 'Changes to which roles a collection of the allow-list is open.',
  arguments: object({ collection: name, scope: allowlistScope }),
  policy: 'others',
  changesMetadata: true,
  run: ({ collection, scope }, copy) => {
    requireEntry(copy, collection);
    copy.metadata = {
      ...copy.metadata,
      allowlist: replaceWhere(
        copy.metadata.allowlist,
        (entry) => entry.collection === collection,
        (entry) => ({ ...entry, scope }),
      ),
    };
    return SUCCESS;
  },
});

export const dropCollectionFromAllowlist = operation({
  name: 'drop_collection_from_allowlist',
  spelling: 'bare',
  endpoints: METADATA_AND_LEGACY,
  documentation: 'Takes a collection out of the allow-list.',
  arguments: object({ collection: name }),
  policy: 'others',
  changesMetadata: true,
  run: ({ collection }, copy) => {
    requireEntry(copy, collection);
    copy.metadata = {
      ...copy.metadata,
      allowlist: copy.metadata.allowlist.filter((entry) => entry.collection !== collection),
    };
    return SUCCESS;
  },
});

function requireEntry(copy: WorkingCopy, collection: string): void {
  if (copy.metadata.allowlist.some((entry) => entry.collection === collection)) return;
  throw new EngineError('not-found', `collection "${collection}" doesn't exist in the allowlist`);
}
