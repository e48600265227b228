/** Reports saved operations that are larger than limits of the metadata allow. */
import type { DocumentNode } from 'graphql';
import { chooseOperation } from '../../../runtime/core/request/document.ts';
import { operationSize } from '../../../runtime/core/request/size.ts';
import { type ApiLimits, roleLimit } from '../../../runtime/core/settings.ts';
import { diagnostics as messages } from '../../../runtime/diagnostics/catalogue.ts';
import { at, type Diagnostic } from '../../../runtime/diagnostics/diagnostic.ts';
import type { CollectionQuery, QueryCollection } from '../../../runtime/metadata/metadata.ts';

/**
 * One diagnostic for each saved operation and limit that refuses it to a role.
 * @param documents with one operation each
 * @param roles without the administrator, who has no limits
 */
export function limitedQueries(
  collections: readonly QueryCollection[],
  documents: ReadonlyMap<CollectionQuery, DocumentNode>,
  limits: ApiLimits | undefined,
  roles: readonly string[],
): Diagnostic[] {
  if (!limits || limits.disabled) return [];
  return collections.flatMap((collection) =>
    collection.definition.queries.flatMap((query, index) => {
      const document = documents.get(query);
      if (!document) return [];
      const { depth, nodes } = operationSize(chooseOperation(document, undefined));
      const path = [...collection.path, 'definition', 'queries', index];
      return [
        { name: 'depth_limit', size: depth, limit: limits.depth_limit },
        { name: 'node_limit', size: nodes, limit: limits.node_limit },
      ].flatMap(({ name, size, limit }) => {
        const refused = roles.filter((role) => size > (roleLimit(limit, role) ?? Number.POSITIVE_INFINITY));
        if (refused.length === 0) return [];
        const problem = messages.savedQueryTooLarge({
          collection: collection.name,
          query: query.name,
          limit: name,
          size: String(size),
          roles: refused.map((role) => JSON.stringify(role)).join(', '),
        });
        return [at(path, problem)];
      });
    }),
  );
}
