/** Manifests of persisted operations, as the generators of GraphQL clients write them. */

import { createHash } from 'node:crypto';
import { GraphQLError, Kind } from 'graphql';
import { parseGraphql } from '../../runtime/core/graphql-text.ts';
import { isObject } from '../../runtime/core/json/json.ts';
import { graphqlProblem } from '../../runtime/core/reasons.ts';

/** An operation of a client, to be saved. */
export interface ManifestOperation {
  /** Name in the collection. */
  readonly name: string;
  readonly query: string;
}

export interface Manifest {
  readonly operations: readonly ManifestOperation[];
  /** Operations that the client calls by an id that is not a hash of the text; the id becomes their name. */
  readonly calledById: readonly string[];
}

/** The file is not a manifest, or contains something that cannot be saved. The message says where and why. */
export class ManifestError extends Error {
  override readonly name = 'ManifestError';
}

/**
 * Reads a manifest: `{"<hash>": "<document>"}`, as @graphql-codegen/client-preset and Relay write it, or Apollo's
 * `apollo-persisted-query-manifest`. An operation keeps its own name. It is named by its id if the id is not a hash of the
 * text (then the client has no other name for it), if it has no name, and if another operation has the same name.
 * @throws ManifestError
 */
export function readManifest(manifest: unknown): Manifest {
  const names = new Set<string>();
  const calledById: string[] = [];
  const operations = entriesOf(manifest).map(({ id, body }) => {
    const own = operationName(id, body);
    const isKnown = isHash(id, body);
    const name = own === undefined || !isKnown || names.has(own) ? id : own;
    if (names.has(name)) throw new ManifestError(`Two operations of the manifest are called "${name}".`);
    names.add(name);
    if (!isKnown) calledById.push(name);
    return { name, query: body };
  });
  return { operations, calledById };
}

interface Entry {
  readonly id: string;
  readonly body: string;
}

const FORMS =
  'A manifest is a JSON object of documents by their hashes, as @graphql-codegen/client-preset (persistedDocuments) and Relay (persistConfig) write it, or the "apollo-persisted-query-manifest" of @apollo/generate-persisted-query-manifest.';

function entriesOf(manifest: unknown): readonly Entry[] {
  if (!isObject(manifest)) throw new ManifestError(FORMS);
  if ('format' in manifest || 'operations' in manifest) return apolloEntries(manifest);
  return Object.entries(manifest).map(([id, body]) => {
    if (typeof body !== 'string') throw new ManifestError(`The value of "${id}" is not a text. ${FORMS}`);
    return { id, body };
  });
}

function apolloEntries({ format, version, operations }: Readonly<Record<string, unknown>>): readonly Entry[] {
  if (format !== 'apollo-persisted-query-manifest' || !Array.isArray(operations))
    throw new ManifestError(FORMS);
  if (version !== 1)
    throw new ManifestError(`The manifest has version ${String(version)}; known is version 1.`);
  return operations.map((operation: unknown, index) => {
    const { id, body } = isObject(operation) ? operation : {};
    if (typeof id !== 'string' || id === '' || typeof body !== 'string')
      throw new ManifestError(`operations[${index}] of the manifest lacks its id or its body.`);
    return { id, body };
  });
}

/** Name of the only operation of a document. @throws ManifestError if it has not exactly one */
function operationName(id: string, body: string): string | undefined {
  try {
    const operations = parseGraphql(body).definitions.filter(
      (definition) => definition.kind === Kind.OPERATION_DEFINITION,
    );
    if (operations.length === 1) return operations[0]!.name?.value;
    throw new ManifestError(`The document "${id}" has ${operations.length} operations; one is needed.`);
  } catch (error) {
    if (!(error instanceof GraphQLError)) throw error;
    throw new ManifestError(`The document "${id}" is not GraphQL: ${graphqlProblem(error)}.`);
  }
}

/** True if the server finds the text by this id. */
function isHash(id: string, body: string): boolean {
  const hash = id.replace(/^(?:sha256|sha1|md5):/, '');
  return ['sha256', 'sha1', 'md5'].some(
    (algorithm) => createHash(algorithm).update(body).digest('hex') === hash,
  );
}
