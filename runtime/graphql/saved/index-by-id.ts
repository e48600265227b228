/**
 * The names under which clients call saved operations: hashes of the document's text, and what the collection calls it
 * (docs/saved-operations.md).
 */
import { createHash } from 'node:crypto';
import type { SavedOperation } from '../../core/saved/saved.ts';

/** Finds an operation by an id of a client; undefined if unknown. */
export type FindSaved = (id: string) => SavedOperation | undefined;

/** Hashes that the generators of client manifests use: Apollo's the first, client-preset's the second, Relay's the third. */
const ALGORITHMS = ['sha256', 'sha1', 'md5'] as const;

/**
 * Indexes operations by the hashes of their documents (`<hash>` or `sha256:<hash>`), by `<collection>/<name>`, and by the
 * name alone where no other collection has it.
 */
export function indexById(operations: readonly SavedOperation[]): FindSaved {
  const byId = new Map<string, SavedOperation>();
  const add = (id: string, operation: SavedOperation) => {
    if (!byId.has(id)) byId.set(id, operation);
  };
  for (const operation of operations) {
    // A text in a YAML block ends with a line break that the client's does not have.
    for (const text of new Set([operation.document, operation.document.trimEnd()])) {
      for (const algorithm of ALGORITHMS) {
        const hash = createHash(algorithm).update(text).digest('hex');
        add(hash, operation);
        add(`${algorithm}:${hash}`, operation);
      }
    }
    add(`${operation.collection}/${operation.name}`, operation);
  }
  const names = new Map<string, SavedOperation | undefined>();
  for (const operation of operations)
    names.set(operation.name, names.has(operation.name) ? undefined : operation);
  for (const [name, operation] of names) if (operation) add(name, operation);
  return (id) => byId.get(id);
}

/** Operations by the exact text of their documents, with or without white space at the end. */
export function indexByText(operations: readonly SavedOperation[]): FindSaved {
  const byText = new Map(operations.map((operation) => [operation.document.trimEnd(), operation]));
  return (text) => byText.get(text.trimEnd());
}
