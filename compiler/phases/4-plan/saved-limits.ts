/** Reports saved operations that are larger than limits of the metadata allow. */

import type { DocumentNode } from 'graphql';
import { messages } from '../../../runtime/core/diagnostics/catalogue.ts';
import { at, type Diagnostic } from '../../../runtime/core/diagnostics/diagnostic.ts';
import { EngineError } from '../../../runtime/core/errors.ts';
import { analyseOperation } from '../../../runtime/core/request/analyse.ts';
import { chooseOperation, type Operation } from '../../../runtime/core/request/document.ts';
import { planOperation } from '../../../runtime/core/request/plan.ts';
import { type OperationSize, operationSize, sizeWithArguments } from '../../../runtime/core/request/size.ts';
import { planningVariables } from '../../../runtime/core/request/variables.ts';
import type { SavedOptions } from '../../../runtime/core/saved/saved.ts';
import { hasNestedUpdates } from '../../../runtime/core/schema/related-types.ts';
import type { RoleSchema } from '../../../runtime/core/schema/role-schema.ts';
import { type ApiLimits, limitOfRole } from '../../../runtime/core/settings.ts';
import type { CollectionQuery, QueryCollection } from '../../../runtime/metadata/metadata.ts';

/**
 * One diagnostic for each saved operation and limit that refuses it to a role.
 * @param documents with one operation each, which the administrator may run
 * @param roles without the administrator, who has no limits
 * @param everything what the administrator sees
 */
export function limitedQueries(
  collections: readonly QueryCollection[],
  documents: ReadonlyMap<CollectionQuery, DocumentNode>,
  limits: ApiLimits | undefined,
  roles: readonly string[],
  everything: RoleSchema,
  options: SavedOptions,
): Diagnostic[] {
  if (!limits || limits.disabled) return [];
  return collections.flatMap((collection) =>
    collection.definition.queries.flatMap((query, index) => {
      const document = documents.get(query);
      if (!document) return [];
      const { depth, nodes } = sizeOf(chooseOperation(document, undefined), everything, options);
      const path = [...collection.path, 'definition', 'queries', index];
      return [
        { name: 'depth_limit', size: depth, limit: limits.depth_limit },
        { name: 'node_limit', size: nodes, limit: limits.node_limit },
      ].flatMap(({ name, size, limit }) => {
        const refused = roles.filter((role) => size > (limitOfRole(limit, role) ?? Number.POSITIVE_INFINITY));
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

/** The size of the operation with the smallest values that its variables may have. */
function sizeOf(operation: Operation, everything: RoleSchema, options: SavedOptions): OperationSize {
  const size = operationSize(operation);
  if (operation.kind !== 'mutation' || !everything.program.sources.some(hasNestedUpdates)) return size;
  try {
    const { samples } = analyseOperation(everything, operation);
    const variables = planningVariables(operation.variables, samples);
    const plan = planOperation(everything, operation, variables, options);
    return sizeWithArguments(size, plan.kind === 'mutation' ? plan.size : undefined);
  } catch (error) {
    // Made-up values may be wrong together.
    if (error instanceof EngineError) return size;
    throw error;
  }
}
