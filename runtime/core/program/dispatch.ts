/** Which function resolves which kind of root field. */

import type { DeclaredFunction, DeclaredTable } from '../contract/shapes.ts';
import { deleteRow, deleteRows } from '../mutation/delete.ts';
import { functionAggregate, functionMutation, functionRows } from '../mutation/function.ts';
import { insertRow, insertRows } from '../mutation/insert.ts';
import { updateMany, updateRow, updateRows } from '../mutation/update.ts';
import { selectAggregate, selectByKey, selectGroups, selectRows } from '../query/resolvers.ts';
import type {
  FunctionFieldKind,
  MutationFieldKind,
  MutationResolver,
  QueryFieldKind,
  QueryResolver,
} from './root-fields.ts';

export const QUERY_RESOLVERS: Readonly<Record<QueryFieldKind, QueryResolver<DeclaredTable>>> = {
  select: selectRows,
  select_by_pk: selectByKey,
  select_aggregate: selectAggregate,
  select_group_by: selectGroups,
};

export const MUTATION_RESOLVERS: Readonly<Record<MutationFieldKind, MutationResolver<DeclaredTable>>> = {
  insert: insertRows,
  insert_one: insertRow,
  update: updateRows,
  update_by_pk: updateRow,
  update_many: updateMany,
  delete: deleteRows,
  delete_by_pk: deleteRow,
};

export const FUNCTION_RESOLVERS: Readonly<Record<FunctionFieldKind, QueryResolver<DeclaredFunction>>> = {
  function: functionRows,
  function_aggregate: functionAggregate,
};

export const FUNCTION_MUTATION: MutationResolver<DeclaredFunction> = functionMutation;
