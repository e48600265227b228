/**
 * What generated files import as `engine/contract`: the constructors of their data and the functions that their
 * resolvers call. Nothing else of the runtime is visible to them.
 */

export { deleteRow, deleteRows } from './mutation/delete.ts';
export { functionAggregate, functionMutation, functionRows } from './mutation/function.ts';
export { insertRow, insertRows } from './mutation/insert.ts';
export { updateMany, updateRow, updateRows } from './mutation/update.ts';
export { selectAggregate, selectByKey, selectRows } from './query/select.ts';
export {
  type FunctionResolvers,
  functionResolvers,
  type GeneratedProgram,
  program,
  type Requester,
  type RootFields,
  resolvers,
  type TableResolvers,
} from './resolvers.ts';
export {
  type AllowedDocument,
  allowedDocuments,
  type RestRoute,
  restRoutes,
  type SavedOperation,
  type SavedProgram,
  savedOperation,
} from './saved.ts';
export {
  type AccessRules,
  access,
  type DeleteRule,
  EVERY_ROW,
  type FunctionAccess,
  type FunctionShape,
  type InsertRule,
  type SelectRule,
  type SourceShape,
  source,
  type TableAccess,
  type TableShape,
  table,
  trackedFunction,
  type UpdateRule,
} from './shapes.ts';
