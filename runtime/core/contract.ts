/**
 * What generated files import as `engine/contract`: the constructors of their data and the functions that their
 * resolvers call. Nothing else of the runtime is visible to them.
 */
export {
  access,
  type AccessRules,
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
