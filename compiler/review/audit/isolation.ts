/** Which rules, and which foreign keys that roles write, do not tie rows to a session variable such as the tenant's. */
import { columnsOfRule, readsSession, sessionVariablesIn } from '../../../runtime/core/condition/reads.ts';
import { textPartsOf } from '../../../runtime/core/contract/aspects.ts';
import type { TableShape } from '../../../runtime/core/contract/shapes.ts';
import type { Table } from '../../../runtime/core/program/program.ts';
import {
  type RowReference,
  referencesOf,
  sessionVariableOfHole,
  variablesBinding,
  variablesBindingReference,
} from '../bound.ts';
import type { GeneratedCode } from '../generated-code/index.ts';
import { auditMatrix, type Permission } from './matrix.ts';

export interface Isolation {
  readonly label: string;
  /** In lower case. */
  readonly variable: string;
  /** Foreign keys by which a role may write a reference to rows that are not tied to the variable. */
  readonly references: readonly LooseReference[];
  /** Rules without any session variable, with the way by which rows of the table lead to tied ones. */
  readonly free: readonly LooseRule[];
  /** Rules that tie rows to other session variables only, in every branch or in some. */
  readonly others: readonly (LooseRule & { readonly variables: readonly string[] })[];
  /** Tables that no role reaches by a permission. */
  readonly unreached: readonly string[];
  readonly counts: {
    readonly rules: number;
    readonly tied: number;
    readonly references: number;
    readonly functions: number;
    readonly views: number;
  };
}

interface LooseRule {
  readonly permission: Permission;
  /**
   * Tables by foreign keys and relationships to one to one row, from the one that the rule is about to one with a rule that ties
   * rows to the variable; only the first where that is the table itself. Absent: nothing leads there, its rows are shared.
   */
  readonly path?: readonly string[];
}

interface LooseReference {
  readonly permission: Permission;
  readonly columns: readonly string[];
  readonly target: string;
  /** Rules that lead along the foreign key and are not tied to the variable: who reads or writes what through it. */
  readonly through: readonly Permission[];
}

/** The session variables that rules and presets name, in lower case, sorted. */
export function isolationVariables(code: GeneratedCode): string[] {
  return sessionVariablesIn(
    auditMatrix(code).permissions.flatMap((permission) => textPartsOf(permission).map(({ text }) => text)),
  );
}

/** @param variable in lower case */
export function isolationOf(code: GeneratedCode, variable: string): Isolation {
  const { permissions } = auditMatrix(code);
  const tied = permissions.filter((permission) => bindings(permission).has(variable));
  const idOf = ({ source, table }: Pick<Permission, 'source' | 'table'>) => JSON.stringify([source, table]);
  const owned = new Set(tied.map(idOf));
  const loose = permissions
    .filter((permission) => !bindings(permission).has(variable))
    .map((permission): LooseRule => {
      const path = pathToOwned(code.program.tables, permission, (table) => owned.has(idOf(table)));
      return { permission, ...(path && { path }) };
    });
  // Cells decide about columns of rows, and tie no row.
  const isFree = (permission: Permission) =>
    !textPartsOf(permission).some(({ part, text }) => part !== 'cell' && readsSession(text));
  const keys = code.program.tables
    .flatMap((table) =>
      permissions
        .filter((each) => each.source === table.source.name && each.table === table.key)
        .flatMap((permission) =>
          writtenReferences(permission, table.shape).map((reference) => ({ permission, ...reference })),
        ),
    )
    .filter(({ permission, target }) => owned.has(idOf({ source: permission.source, table: target })));
  const references = keys
    .filter((key) => !isTied(key, variable))
    .map(({ permission, columns, target }) => ({
      permission,
      columns,
      target,
      through: permissions.filter(
        (other) =>
          other.source === permission.source &&
          !bindings(other).has(variable) &&
          leadsAlong(other, permission.table, columns),
      ),
    }));
  const { program } = code;
  return {
    label: code.label,
    variable,
    references,
    free: loose.filter(({ permission }) => isFree(permission)),
    others: loose
      .filter(({ permission }) => !isFree(permission))
      .map((rule) => ({ ...rule, variables: [...bindings(rule.permission)].sort() })),
    unreached: program.tables
      .filter(
        ({ source, key }) => !permissions.some((each) => each.source === source.name && each.table === key),
      )
      .map(({ key }) => key),
    counts: {
      rules: permissions.length,
      tied: tied.length,
      references: keys.length,
      functions: program.functions.length,
      views: program.tables.filter(isView).length,
    },
  };
}

/** The shortest way from a table to one with tied rules: along foreign keys, and object relationships, which views have instead. */
function pathToOwned(
  tables: readonly Table[],
  { source, table: start }: Permission,
  isOwned: (table: Pick<Permission, 'source' | 'table'>) => boolean,
): readonly string[] | undefined {
  const seen = new Set([start]);
  const queue: (readonly string[])[] = [[start]];
  for (const path of queue) {
    const key = path.at(-1)!;
    if (isOwned({ source, table: key })) return path;
    const shape = tables.find((each) => each.source.name === source && each.key === key)?.shape;
    const targets = [
      ...Object.values(shape?.relationships ?? {}).flatMap(({ kind, target }) =>
        kind === 'object' ? [target] : [],
      ),
      ...(shape?.references ?? []).map(({ target }) => target),
    ];
    for (const target of targets) {
      if (seen.has(target)) continue;
      seen.add(target);
      queue.push([...path, target]);
    }
  }
  return undefined;
}

function isView({ shape }: Table): boolean {
  return shape.kind === 'view' || shape.kind === 'materialized';
}

/** Variables to which a permission ties the rows that it reads, changes or makes. */
function bindings({ operation, where, check, presets = {} }: Permission): ReadonlySet<string> {
  if (operation !== 'insert') return variablesBinding(where);
  const preset = Object.values(presets).flatMap((text) => sessionVariableOfHole(text) ?? []);
  return new Set([...variablesBinding(check), ...preset]);
}

/** Foreign keys with a column that a permission writes. */
function writtenReferences({ columns = [], operation }: Permission, shape: TableShape): RowReference[] {
  if (operation !== 'insert' && operation !== 'update') return [];
  return referencesOf(shape).filter((reference) => reference.columns.some((name) => columns.includes(name)));
}

/**
 * Whether a written reference leads to rows that are tied to the variable: the check says so, or the foreign key has a column
 * that is. Another variable will do where the column equals it: whose value that is, the session decides.
 */
function isTied(
  { permission, columns }: RowReference & { readonly permission: Permission },
  variable: string,
): boolean {
  return (
    variablesBindingReference(permission.check, columns).size > 0 ||
    columns.some((name) => isHeld(permission, name, variable))
  );
}

/** True if the column of a written row equals the variable. */
function isHeld(
  { operation, columns = [], presets = {}, where, check }: Permission,
  column: string,
  variable: string,
): boolean {
  if (presets[column] !== undefined) return sessionVariableOfHole(presets[column]) === variable;
  if (variablesBindingReference(check, [column]).has(variable)) return true;
  return (
    operation === 'update' &&
    !columns.includes(column) &&
    variablesBindingReference(where, [column]).has(variable)
  );
}

/** Whether a rule of another table, or of this one, asks for rows by the columns of a foreign key. */
function leadsAlong(other: Permission, table: string, columns: readonly string[]): boolean {
  return [other.where, other.check].some((text) => {
    const used = text === undefined ? [] : columnsOfRule(text, other.table);
    return columns.every((name) => used.some(([of, column]) => of === table && column === name));
  });
}
