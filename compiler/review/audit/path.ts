/** A path by which a role reaches a column, with the rules on it. */

import { type AnyRule, ruleOf, type TableOperation } from '../../../runtime/core/contract/aspects.ts';
import type { Location } from '../../../runtime/core/diagnostics/diagnostic.ts';
import type { Program, Table } from '../../../runtime/core/program/program.ts';
import type { RoleSchema } from '../../../runtime/core/schema/role-schema.ts';
import type { GeneratedCode } from '../generated-code/index.ts';

export type Via =
  | 'table'
  | 'relationship'
  | 'computed field'
  | 'function'
  | 'view'
  | 'same rows'
  | 'computed column'
  | 'default'
  | 'reference'
  | 'rule'
  | 'enum'
  | 'aggregate'
  | 'order and filter'
  | 'answer of a mutation'
  | 'saved operation'
  | 'insert'
  | 'nested insert'
  | 'update'
  | 'nested update'
  | 'upsert'
  | 'preset'
  | 'delete'
  | 'nested delete';

/** A rule on a path. */
export interface PathRule {
  readonly table: string;
  /** Which part of the permission: `select`, `insert check`, `update`, `update check`, `delete`, `cell`. */
  readonly part: string;
  readonly text: string;
  readonly limit?: number;
  readonly place?: Location;
}

export interface AccessPath {
  readonly role: string;
  readonly access: 'read' | 'write';
  readonly via: Via;
  /** Fields of the API that lead there. */
  readonly fields: readonly string[];
  /** All of them apply. */
  readonly rules: readonly PathRule[];
  /** The path is open if code does what only its author knows. */
  readonly possible?: true;
  readonly note?: string;
  readonly backendOnly?: true;
}

export interface PathScope {
  readonly code: GeneratedCode;
  readonly program: Program;
  readonly roleSchema: RoleSchema;
  readonly role: string;
}

/** The rule of a permission as a step of a path. */
export function pathRules(
  scope: PathScope,
  table: Table,
  operation: TableOperation,
  cell?: string,
): PathRule[] {
  const rule: AnyRule | undefined = ruleOf(scope.code.accessOf(table), operation, scope.role);
  if (!rule) return [];
  const place = scope.code.locate(rule);
  const step = (part: string, text: string | undefined, limit?: number): PathRule[] =>
    text === undefined
      ? []
      : [{ table: table.key, part, text, ...(limit !== undefined && { limit }), ...(place && { place }) }];
  const { where, check, limit, cells } = rule;
  return [
    ...step(operation, where, limit),
    ...step(`${operation} check`, check),
    ...(cell !== undefined && cells && Object.hasOwn(cells, cell) ? step('cell', cells[cell]) : []),
  ];
}

export function distinctNames(fields: readonly { readonly name: string; readonly root: string }[]): string[] {
  return [...new Set(fields.map(({ name }) => name))];
}
