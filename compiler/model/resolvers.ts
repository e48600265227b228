/** Which function of the contract answers which kind of root field. */
import type { RootFieldKind } from './model.ts';

export interface TableResolver {
  readonly section: 'query' | 'mutation';
  /** Name of the function. */
  readonly function:
    | 'selectRows'
    | 'selectByKey'
    | 'selectAggregate'
    | 'insertRows'
    | 'insertRow'
    | 'updateRows'
    | 'updateRow'
    | 'updateMany'
    | 'deleteRows'
    | 'deleteRow';
}

/** Kinds of root fields of tables that are served. */
export const TABLE_RESOLVERS: Partial<Record<RootFieldKind, TableResolver>> = {
  select: { section: 'query', function: 'selectRows' },
  select_by_pk: { section: 'query', function: 'selectByKey' },
  select_aggregate: { section: 'query', function: 'selectAggregate' },
  insert: { section: 'mutation', function: 'insertRows' },
  insert_one: { section: 'mutation', function: 'insertRow' },
  update: { section: 'mutation', function: 'updateRows' },
  update_by_pk: { section: 'mutation', function: 'updateRow' },
  update_many: { section: 'mutation', function: 'updateMany' },
  delete: { section: 'mutation', function: 'deleteRows' },
  delete_by_pk: { section: 'mutation', function: 'deleteRow' },
};

/** The function that answers a root field of a tracked function. */
export function functionResolver(
  exposedAs: 'query' | 'mutation',
  kind: string,
): 'functionMutation' | 'functionAggregate' | 'functionRows' {
  if (exposedAs === 'mutation') return 'functionMutation';
  return kind === 'function_aggregate' ? 'functionAggregate' : 'functionRows';
}
