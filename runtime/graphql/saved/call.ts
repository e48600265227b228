/**
 * Which operation a GraphQL request means: one that it brings as text, one that is saved, or one that an earlier request
 * registered under its hash.
 */
import { EngineError } from '../../core/errors.ts';
import type { SavedOperation } from '../../core/saved/saved.ts';
import { ADMIN_ROLE } from '../../core/session.ts';
import type { CheckAllowed } from './allowlist.ts';
import type { FindSaved } from './index-by-id.ts';
import type { RegisteredQueries } from './registered.ts';

/** A GraphQL request as clients send it. */
export interface GraphqlCall {
  /** Text of the document. */
  readonly query?: string | undefined;
  /** Hash or name of a saved operation, instead of the text. */
  readonly documentId?: string | undefined;
  /** `extensions.persistedQuery.sha256Hash`: with the text it is registered, without it the text is known. */
  readonly hash?: string | undefined;
  readonly operationName?: string | undefined;
  readonly variables?: Readonly<Record<string, unknown>> | undefined;
  /** It is meant for the relay API. */
  readonly relay?: true;
  /** Sent with GET, which runs nothing but queries. */
  readonly onlyQueries?: true;
}

/** The operation that a call names, or its text. */
export type Called = { readonly operation: SavedOperation } | { readonly query: string };

export interface CallOptions {
  readonly findSaved: FindSaved;
  /** True if the program has saved operations. */
  readonly hasSaved: boolean;
  /** Only where roles may send nothing but saved operations: these by their texts. */
  readonly findByText?: FindSaved;
  /** Absent: clients cannot register texts. */
  readonly registered?: RegisteredQueries;
  /** Absent: there is no allow-list. */
  readonly checkAllowed: CheckAllowed | undefined;
}

/**
 * Finds what a call means for a role.
 * @throws EngineError PERSISTED_QUERY_NOT_FOUND for an unknown hash or name; PERSISTED_QUERY_NOT_SUPPORTED for a hash where
 * none is known; validation-failed for what the role may not send
 */
export function findCalled(call: GraphqlCall, role: string, options: CallOptions): Called {
  const { findSaved, registered } = options;
  const { documentId, hash, query } = call;
  if (documentId !== undefined)
    return calledSaved(findSaved(documentId) ?? unknownOperation(), role, options);
  if (hash === undefined) return text(query, role, options);
  const operation = findSaved(hash);
  if (operation) return calledSaved(operation, role, options);
  if (!registered && !options.hasSaved)
    throw new EngineError('PERSISTED_QUERY_NOT_SUPPORTED', 'PersistedQueryNotSupported');
  if (query === undefined) return text(registered?.find(hash) ?? unknownOperation(), role, options);
  const called = text(query, role, options);
  registered?.register(hash, query);
  return called;
}

/** A saved operation, by whatever API and name it is called. @throws EngineError validation-failed if the role may not send it */
export function calledSaved(
  operation: SavedOperation,
  role: string,
  { checkAllowed }: Pick<CallOptions, 'checkAllowed'>,
): Called {
  checkAllowed?.(role, operation.document);
  return { operation };
}

function text(query: string | undefined, role: string, options: CallOptions): Called {
  const { findByText, checkAllowed, registered, hasSaved } = options;
  if (query === undefined) {
    // An address without any of them: GET is there for persisted queries, says the reference.
    if (!registered && !hasSaved)
      throw new EngineError('not-supported', 'Automatic Persisted Queries is not enabled');
    throw new EngineError('parse-failed', 'key "query" not found');
  }
  if (findByText && role !== ADMIN_ROLE) {
    const operation = findByText(query);
    if (operation) return calledSaved(operation, role, options);
    throw new EngineError(
      'validation-failed',
      'only saved operations are answered: send "documentId" with the hash or the name of one',
      {
        reason: {
          rule: 'only-saved-operations',
          why: 'roles other than admin may only run operations of query collections, and this text is not one',
          path: 'only-saved-operations',
        },
      },
    );
  }
  checkAllowed?.(role, query);
  return { query };
}

function unknownOperation(): never {
  throw new EngineError('PERSISTED_QUERY_NOT_FOUND', 'PersistedQueryNotFound');
}
