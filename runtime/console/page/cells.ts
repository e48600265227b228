/** Texts of the matrix's cells. */
import type { AccessAnswer, AccessPermission } from '../questions.ts';

export const OPERATIONS = ['select', 'insert', 'update', 'delete'] as const;

/** A line of the matrix. */
export interface Row {
  readonly kind: 'table' | 'function' | 'action' | 'remote schema';
  /** `-` for what belongs to no source. */
  readonly source: string;
  /** Unique with kind and source. */
  readonly name: string;
  readonly label: string;
  /** Lower case: the names by which it is found. */
  readonly searched: readonly string[];
}

export interface Cells {
  readonly rows: readonly Row[];
  /** `sI--` for a table, `✓` for anything else, empty for nothing. */
  readonly text: (row: Row, role: string) => string;
  readonly permissions: (row: Row, role: string) => readonly AccessPermission[];
  /** Whether two roles may do different things. */
  readonly differ: (row: Row, one: string, other: string) => boolean;
}

export function cellsOf(answer: AccessAnswer): Cells {
  const permissions = new Map<string, AccessPermission[]>();
  for (const permission of answer.permissions) {
    const key = keyOf(permission.source, permission.table, permission.role);
    const known = permissions.get(key);
    if (known) known.push(permission);
    else permissions.set(key, [permission]);
  }
  const others = new Map(answer.rows.map((row) => [keyOf(row.kind, row.source ?? '-', row.name), row]));
  const rows: Row[] = [
    ...answer.tables.map(({ source, key, name, columns, computedFields }) => ({
      kind: 'table' as const,
      source,
      name: key,
      label: name,
      searched: [key, ...columns, ...computedFields].map((each) => each.toLowerCase()),
    })),
    ...answer.rows.map(({ kind, name, source = '-' }) => ({
      kind,
      source,
      name,
      label: name,
      searched: [name.toLowerCase()],
    })),
  ];
  const permissionsOf = (row: Row, role: string) => permissions.get(keyOf(row.source, row.name, role)) ?? [];
  const grant = (row: Row, role: string) => others.get(keyOf(row.kind, row.source, row.name))?.roles[role];
  const text = (row: Row, role: string) => {
    if (row.kind !== 'table') return grant(row, role) ? '✓' : '';
    const found = permissionsOf(row, role);
    if (found.length === 0) return '';
    return OPERATIONS.map((operation) => {
      const permission = found.find((each) => each.operation === operation);
      if (!permission) return '-';
      return permission.isOpen ? operation[0]!.toUpperCase() : operation[0]!;
    }).join('');
  };
  return {
    rows,
    text,
    permissions: permissionsOf,
    differ: (row, one, other) =>
      row.kind === 'table'
        ? meaning(permissionsOf(row, one)) !== meaning(permissionsOf(row, other))
        : JSON.stringify(grant(row, one)) !== JSON.stringify(grant(row, other)),
  };
}

/** Equal for permissions that differ in role and place only. */
function meaning(permissions: readonly AccessPermission[]): string {
  return JSON.stringify(permissions.map(({ role: _role, place: _place, ...rest }) => rest));
}

function keyOf(...parts: readonly string[]): string {
  return parts.join('\n');
}
