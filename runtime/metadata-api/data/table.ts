/**
 * Tables as the legacy data operations name them: by schema and database name. What a role may see and write is the
 * table view's, the same that GraphQL asks; here are the words in which this API refuses. To a role, what it may not see and what does
 * not exist are the same, in the same words.
 */
import { EngineError } from '../../core/errors.ts';
import { type QualifiedName, quotedName } from '../../core/names.ts';
import type { ComputedField, Program, Relationship, Table } from '../../core/program/program.ts';
import { type RuleSubject, ruleName } from '../../core/reason.ts';
import { userArguments } from '../../core/schema/function-arguments.ts';
import type { VisibleColumn, VisibleRows, VisibleTable } from '../../core/schema/visible-table.ts';
import { ADMIN_ROLE } from '../../core/session.ts';

/** The table of a request, as the requester's role sees it. */
export interface RequestedTable {
  readonly program: Program;
  readonly role: string;
  readonly visible: VisibleTable;
}

/** A table that the role may read. */
export interface ReadableTable extends RequestedTable {
  readonly select: VisibleRows;
}

type Write = 'insert' | 'update' | 'delete';
export type DataOperation = Write | 'select';

/**
 * The tracked table.
 * @throws EngineError not-exists; for a role the error of a table that it may not use for the operation
 */
export function findRequestedTable(
  program: Program,
  source: string,
  name: QualifiedName,
  { role, operation, path = '$' }: { role: string; operation: DataOperation; path?: string },
): Table {
  const table = program.tables.find(
    ({ shape }) => shape.source.name === source && shape.schema === name.schema && shape.name === name.name,
  );
  if (table) return table;
  if (role !== ADMIN_ROLE) throw notAllowed(operation, { source: { name: source }, ...name }, role, path);
  const tablePath = path === '$' ? '$.table' : path;
  throw new EngineError('not-exists', `table ${quotedName(name)} does not exist`, { path: tablePath });
}

/** @throws EngineError permission-denied, with `note` after the reason */
export function readableTable(table: RequestedTable, path = '$', note = ''): ReadableTable {
  const { program, role, visible } = table;
  if (!visible.select) throw notAllowed('select', visible.table.shape, role, path, note);
  return { program, role, visible, select: visible.select };
}

/**
 * A table whose rows the role may ask for directly; a permission can keep that to relationships.
 * @throws EngineError permission-denied
 */
export function listedTable(requested: RequestedTable): ReadableTable {
  const table = readableTable(requested);
  const { queryRoots } = table.select;
  if (queryRoots && !queryRoots.includes('select'))
    throw notAllowed('select', table.visible.table.shape, table.role, '$');
  return table;
}

/** The rule of a write. @throws EngineError not-supported for a view that takes none, permission-denied */
export function writeRule<Operation extends Write>(
  { visible, role }: RequestedTable,
  operation: Operation,
): NonNullable<VisibleTable[Operation]> {
  const { shape } = visible.table;
  if (shape.readOnly?.includes(operation) && visible.rules[operation]) {
    const able = { insert: 'insertable', update: 'updatable', delete: 'deletable' }[operation];
    throw new EngineError('not-supported', `view ${quotedName(shape)} is not ${able}`);
  }
  const rule = visible[operation];
  if (!rule) throw notAllowed(operation, shape, role, '$');
  return rule;
}

function notAllowed(
  operation: DataOperation,
  table: RuleSubject,
  role: string,
  path: string,
  note = '',
): EngineError {
  return new EngineError(
    'permission-denied',
    `${operation} on ${quotedName(table)} for role "${role}" is not allowed. ${note}`,
    {
      path,
      reason: {
        rule: ruleName(table, operation, role),
        why: `the role ${role} has no ${operation} permission that allows this`,
      },
    },
  );
}

/** A column that the role may read. @throws EngineError permission-denied, whether or not there is such a column */
export function readableColumn(table: ReadableTable, name: string, path: string): VisibleColumn {
  const column = table.select.readable.get(name);
  if (column) return column;
  throw columnDenied(table.role, 'select', name, path);
}

export function columnDenied(role: string, verb: string, name: string, path: string): EngineError {
  const text =
    role === ADMIN_ROLE
      ? `no such column exists: "${name}"`
      : `role "${role}" does not have permission to ${verb} column "${name}"`;
  return new EngineError('permission-denied', text, { path });
}

/** A relationship and the table behind it, which the role must be able to read. */
export interface ReadableRelationship {
  readonly relationship: Relationship;
  readonly target: ReadableTable;
}

/** The relationship of a name, if there is one whose rows the role may read. */
export function findRelationship(table: ReadableTable, name: string): ReadableRelationship | undefined {
  const relationship = table.visible.table.relationships.get(name);
  if (!relationship) return undefined;
  const visible = table.visible.of(relationship.target);
  const { program, role } = table;
  return visible.select && { relationship, target: { program, role, visible, select: visible.select } };
}

/** The computed field of a name that the role may read and that takes no arguments of the client. */
export function findComputedField(
  { select }: ReadableTable,
  name: string,
  path: string,
): ComputedField | undefined {
  const field = select.computedFields.find((each) => each.name === name);
  if (field && userArguments(field).length > 0) {
    throw new EngineError(
      'unexpected-payload',
      `the computed field "${name}" takes arguments, which cannot be given here`,
      { path },
    );
  }
  return field;
}
