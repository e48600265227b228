/** Why a role may not run an operation: the rule of the metadata that lacks something, in a sentence. */
import type { EngineError } from '../../../runtime/core/errors.ts';
import type { Program, Table, TableFunction } from '../../../runtime/core/program.ts';
import type { MutationFieldKind, QueryFieldKind } from '../../../runtime/core/resolvers.ts';
import { updatableColumns } from '../../../runtime/core/schema/mutation-types.ts';
import type { TableView } from '../../../runtime/core/schema/table-view.ts';

type Operation = 'select' | 'insert' | 'update' | 'delete';

/** Who is refused, and where that role's rules stand. */
interface Refused {
  readonly role: string;
  /** The role has the rules of others. */
  readonly isInherited: boolean;
  readonly view: (table: Table) => TableView;
  readonly program: Program;
}

/**
 * The rule behind an error that says what a role does not see; undefined where no single rule is to blame.
 * @param rootField the operation's first root field, for a role that has no such root at all
 */
export function refusingRule(
  program: Program,
  role: string,
  isInherited: boolean,
  error: EngineError,
  rootField: string,
): string | undefined {
  const view = program.view(role, true);
  const refused: Refused = { role, isInherited, view: view.table, program };
  if (error.message === 'no mutations exist') return rootRule(rootField, 'mutation', refused);
  const [, field, type] = /^field '(.*)' not found in type: '(.*)'$/.exec(error.message) ?? [];
  if (field === undefined || type === undefined) return undefined;
  for (const table of program.tables) {
    const part = partOf(type, table);
    if (part) return fieldRule(field, part, table, refused);
  }
  const root = error.path.startsWith('$.selectionSet') && rootField !== '' ? field : undefined;
  return root === undefined
    ? undefined
    : (rootRule(root, 'query', refused) ?? rootRule(root, 'mutation', refused));
}

/** Types of a table that list its columns, by what the role needs for these. */
const SELECT_TYPES = ['bool_exp', 'order_by', 'pk_columns_input'];
const UPDATE_TYPES = ['set_input', 'inc_input', 'append_input', 'prepend_input', 'delete_key_input'];
const AGGREGATES = [
  'sum',
  'avg',
  'min',
  'max',
  'stddev',
  'stddev_pop',
  'stddev_samp',
  'variance',
  'var_pop',
  'var_samp',
];

function partOf(type: string, { names }: Table): Operation | undefined {
  if (type === names.object || SELECT_TYPES.some((suffix) => type === names.derived(suffix))) return 'select';
  if (AGGREGATES.some((operation) => type === names.aggregateFields(operation))) return 'select';
  if (UPDATE_TYPES.some((suffix) => type === names.derived(suffix))) return 'update';
  return type === names.derived('insert_input') ? 'insert' : undefined;
}

/** A field of a table's type: a column, a relationship or a computed field. */
function fieldRule(field: string, operation: Operation, table: Table, refused: Refused): string | undefined {
  const column = [...table.columns.values()].find((each) => each.field === field);
  if (column) return `${rule(operation, table, refused)} does not list the column "${column.name}".`;
  for (const relationship of table.relationships.values()) {
    const { field: name, target } = relationship;
    if (field !== name && !field.toLowerCase().startsWith(`${name.toLowerCase()}`)) continue;
    const { select } = refused.view(target);
    if (!select) return noPermission('select', target, refused);
    if (field !== name && !select.aggregations)
      return `${rule('select', target, refused)} does not set allow_aggregations.`;
  }
  const computed = [...table.computedFields.values()].find((each) => each.field === field);
  if (!computed) return undefined;
  if ('table' in computed.returns) return noPermission('select', computed.returns.table, refused);
  return `${rule('select', table, refused)} does not list the computed field "${computed.name}".`;
}

function rootRule(field: string, root: 'query' | 'mutation', refused: Refused): string | undefined {
  for (const table of refused.program.tables) {
    const query = root === 'query' ? refused.program.resolvers(table).query?.[field] : undefined;
    if (query) return selectRule(query.field, table, refused);
    const mutation = root === 'mutation' ? refused.program.resolvers(table).mutation?.[field] : undefined;
    if (mutation) return writeRule(mutation.field, table, refused);
  }
  const called = refused.program.functions.find(({ resolvers }) => resolvers[root]?.[field]);
  return called && functionRule(called, field, root, refused);
}

function selectRule(kind: QueryFieldKind, table: Table, refused: Refused): string | undefined {
  const { select } = refused.view(table);
  if (!select) return noPermission('select', table, refused);
  const place = rule('select', table, refused);
  if (select.queryRoots && !select.queryRoots.includes(kind))
    return `${place} leaves "${kind}" out of query_root_fields.`;
  if (kind === 'select_aggregate') return `${place} does not set allow_aggregations.`;
  return keyRule(table, refused);
}

/** A row is found by its key only if the role may read the key. */
function keyRule(table: Table, refused: Refused): string | undefined {
  const { select } = refused.view(table);
  if (!select) return noPermission('select', table, refused);
  const missing = table.primaryKey.find(({ name }) => !select.columns.has(name));
  return missing && `${rule('select', table, refused)} does not list the key's column "${missing.name}".`;
}

function writeRule(kind: MutationFieldKind, table: Table, refused: Refused): string | undefined {
  const operation = kind.split('_')[0] as 'insert' | 'update' | 'delete';
  const view = refused.view(table);
  if (!view[operation]) return noPermission(operation, table, refused);
  if (operation === 'update' && updatableColumns(view).length === 0)
    return `${rule('update', table, refused)} lists no column.`;
  return kind.endsWith('_one') && !view.select
    ? noPermission('select', table, refused)
    : keyRule(table, refused);
}

function functionRule(
  { shape, resolvers, returns }: TableFunction,
  field: string,
  root: 'query' | 'mutation',
  refused: Refused,
): string | undefined {
  const { select } = refused.view(returns);
  if (!select) return noPermission('select', returns, refused);
  if (root === 'query' && resolvers.query?.[field]?.field === 'function_aggregate' && !select.aggregations)
    return `${rule('select', returns, refused)} does not set allow_aggregations.`;
  const { source, schema, name } = shape;
  return `sources.${source.name}.functions.${schema}.${name}.permissions does not name the role "${refused.role}".`;
}

/** The rule of the role, by its path in the metadata. */
function rule(operation: Operation, table: Table, { role, isInherited }: Refused): string {
  return isInherited
    ? `What role "${role}" inherits at ${permissions(operation, table)}`
    : `${permissions(operation, table)}.${role}`;
}

function noPermission(operation: Operation, table: Table, { role, isInherited }: Refused): string {
  return isInherited
    ? `${permissions(operation, table)} has no role from which "${role}" inherits.`
    : `${permissions(operation, table)} has no role "${role}".`;
}

function permissions(operation: Operation, { source, shape }: Table): string {
  return `sources.${source.name}.tables.${shape.schema}.${shape.name}.${operation}_permissions`;
}
