/**
 * The module that generated files import as `engine/contract`: the constructors of their data, types that carry a table's names, and
 * the functions that a resolver written by hand may call. Nothing else of the runtime is visible to them.
 */

export {
  type ActionShape,
  type ActionsProgram,
  action,
  type CustomTypesShape,
  customTypes,
} from '../action/shapes.ts';
export { exact } from '../json/json-value.ts';
export { deleteRow, deleteRows } from '../mutation/delete.ts';
export { functionAggregate, functionMutation, functionRows } from '../mutation/function.ts';
export { insertRow, insertRows } from '../mutation/insert.ts';
export { updateMany, updateRow, updateRows } from '../mutation/update.ts';
export { type GeneratedProgram, program } from '../program/resolvers.ts';
export type { Requester, RootFields } from '../program/root-fields.ts';
export { standardFields } from '../program/standard-fields.ts';
export { selectAggregate, selectByKey, selectGroups, selectRows } from '../query/resolvers.ts';
export { type RemoteSchemaShape, remoteSchema } from '../remotes/shapes.ts';
export {
  type AllowedDocument,
  allowedDocuments,
  type RestRoute,
  restRoutes,
  type SavedOperation,
  type SavedProgram,
} from '../saved/saved.ts';
export { savedOperation } from '../saved/saved-file.ts';
export { cronTriggers, eventsProgram, eventTrigger } from './events.ts';
export type { Row, Where } from './row-types.ts';
export {
  type AccessRules,
  access,
  type DeclaredFunction,
  type DeclaredTable,
  type DeleteRule,
  EVERY_ROW,
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
