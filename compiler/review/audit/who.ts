/**
 * Who can read or write a column, and by which paths. Each path names the row rules that apply on it, all together. Paths
 * through what is not read, or not read exactly, are `possible`, never left out.
 */

import type { Location } from '../../../runtime/core/diagnostics/diagnostic.ts';
import type { Table } from '../../../runtime/core/program/program.ts';
import { analyseOperation } from '../../../runtime/core/request/analyse.ts';
import { operationOf } from '../../../runtime/core/schema/offer.ts';
import { namedType } from '../../../runtime/core/schema/types.ts';
import type { VisibleTable } from '../../../runtime/core/schema/visible-table.ts';
import { analyse } from '../check/operation-changes.ts';
import type { GeneratedCode } from '../generated-code/index.ts';
import { certainPaths, derivedPaths, enumPaths, rulePaths } from './derived.ts';
import { joinsTo } from './joins.ts';
import { copiedValuePaths } from './nested-inserts.ts';
import { type AccessPath, distinctNames, type PathScope, pathRules, type Via } from './path.ts';
import { rootsOf } from './roots.ts';
import { inputReaches, usesOf } from './saved-uses.ts';
import { type Recipient, recipientsOf, type Unread, unreadBeside } from './sent.ts';
import { waysToRows } from './ways.ts';
import { writePaths } from './write-paths.ts';

export interface WhoResult {
  readonly label: string;
  readonly source: string;
  readonly table: string;
  readonly column: string;
  readonly type: string;
  readonly paths: readonly AccessPath[];
  readonly foreign: readonly Location[];
  /** Hosts that get the value. */
  readonly sent: readonly Recipient[];
  /** What no path speaks of. */
  readonly unread: Unread;
}

/** Every path of every role but `admin` to the column. */
export function whoCan(code: GeneratedCode, table: Table, column: string): WhoResult {
  const { program, roles } = code;
  const paths = roles.flatMap((role) =>
    pathsOfRole({ code, program, roleSchema: program.roleSchema(role, true), role }, table, column),
  );
  const { type } = table.shape.columns[column]!;
  return {
    label: code.label,
    source: table.source.name,
    table: table.key,
    column,
    type,
    paths,
    foreign: code.foreign,
    sent: recipientsOf(code, table, column),
    unread: unreadBeside(code, table),
  };
}

function pathsOfRole(scope: PathScope, table: Table, column: string): AccessPath[] {
  return [
    ...ownPaths(scope, table, column),
    ...derivedPaths(scope, table, column, ownPaths),
    ...rulePaths(scope, table, column),
    ...enumPaths(scope, table),
  ];
}

/** Paths to the column where it is. */
function ownPaths(scope: PathScope, table: Table, column: string): AccessPath[] {
  return [
    ...readPaths(scope, table, column),
    ...copiedValuePaths(scope, table, column),
    ...writePaths(scope, table, column),
    ...savedPaths(scope, table, column),
  ];
}

/**
 * Ways by which the role certainly learns a column that it may not read where it is: related rows and views that show the
 * same value.
 */
export function hiddenPaths(scope: PathScope, table: Table, column: string): AccessPath[] {
  const visibleTable = scope.roleSchema.table(table);
  if (visibleTable.select?.readable.has(column)) return [];
  return [
    ...equalColumnPaths(scope, table, visibleTable, column),
    ...certainPaths(scope, table, column, readPaths),
  ];
}

function readPaths(scope: PathScope, table: Table, column: string): AccessPath[] {
  const { role, roleSchema } = scope;
  const visibleTable = roleSchema.table(table);
  const readable = visibleTable.select?.readable.get(column);
  if (!visibleTable.select || !readable) return equalColumnPaths(scope, table, visibleTable, column);
  const rules = pathRules(scope, table, 'select', column);
  const path = (via: Via, fields: readonly string[], more: Partial<AccessPath> = {}): AccessPath[] =>
    fields.length === 0 ? [] : [{ role, access: 'read', via, fields, rules, ...more }];
  const roots = rootsOf(scope.code, scope.role, table);
  const kinds = (wanted: readonly string[]) =>
    distinctNames(roots.filter(({ kind }) => wanted.includes(kind)));
  const ways = waysToRows(scope, table);
  const note =
    readable.column.field === undefined
      ? { note: 'has no GraphQL name; only the old API of data operations shows it' }
      : {};
  return [
    ...path('table', kinds(['select', 'select_by_pk', 'select_stream']), note),
    ...ways.relationships.flatMap(({ from, fields }) =>
      path('relationship', fields, { rules: [...pathRules(scope, from, 'select'), ...rules] }),
    ),
    ...ways.computedFields.flatMap(({ from, fields }) =>
      path('computed field', fields, {
        rules: [...pathRules(scope, from, 'select'), ...rules],
        note: 'rows that the function returns',
      }),
    ),
    ...joinsTo(scope, table).flatMap(({ fields, note: joined, from }) =>
      path('relationship', fields, {
        rules: [...(from ? pathRules(scope, from, 'select') : []), ...rules],
        note: joined,
      }),
    ),
    ...path('function', ways.functions, { note: 'rows that the function returns' }),
    ...(visibleTable.select.aggregations
      ? path('aggregate', [
          ...kinds(['select_aggregate', 'select_group_by']),
          ...ways.aggregates.map(({ field }) => field),
        ])
      : []),
    ...path('order and filter', [
      ...kinds(['select', 'select_aggregate', 'select_group_by', 'select_stream']),
      ...ways.relationships.flatMap(({ fields }) => fields.map((field) => `where and order_by of ${field}`)),
    ]),
    ...writtenAnswers(scope, table, visibleTable, column),
  ];
}

/** Rows of a table that a write answers with: the select permission says which columns, its row rule does not apply. */
function writtenAnswers(
  scope: PathScope,
  table: Table,
  visibleTable: VisibleTable,
  column: string,
): AccessPath[] {
  const roots = rootsOf(scope.code, scope.role, table);
  return (['insert', 'update', 'delete'] as const).flatMap((operation): AccessPath[] => {
    const rule = visibleTable[operation];
    const fields = distinctNames(roots.filter(({ kind }) => operationOf(kind) === operation));
    if (!rule || fields.length === 0) return [];
    return [
      {
        role: scope.role,
        access: 'read',
        via: 'answer of a mutation',
        fields,
        rules: [
          ...pathRules(scope, table, operation),
          ...pathRules(scope, table, 'select', column).filter(({ part }) => part === 'cell'),
        ],
        note: 'rows just written; the row rule of select does not apply to them',
        ...(rule.backendOnly && { backendOnly: true as const }),
      },
    ];
  });
}

/** A column that the role may not read, and columns of related rows that have the same value. */
function equalColumnPaths(
  scope: PathScope,
  table: Table,
  visibleTable: VisibleTable,
  column: string,
): AccessPath[] {
  const { select } = visibleTable;
  if (!select || select.readable.has(column)) return [];
  return select.relationships.flatMap(({ relationship, visible }) =>
    relationship.columns.flatMap(([own, other]): AccessPath[] => {
      const shown = own.name === column ? visible.select?.columns.get(other.name) : undefined;
      if (!shown) return [];
      return [
        {
          role: scope.role,
          access: 'read',
          via: 'relationship',
          fields: [`${table.shape.graphqlName}.${relationship.field}.${shown.field}`],
          rules: [
            ...pathRules(scope, table, 'select'),
            ...pathRules(scope, relationship.target, 'select', other.name),
          ],
          note: `column ${other.name} of ${relationship.target.key} has the same value`,
        },
      ];
    }),
  );
}

function savedPaths(scope: PathScope, table: Table, column: string): AccessPath[] {
  const target = table.columns.get(column)!;
  const rules = { read: pathRules(scope, table, 'select', column) };
  return (scope.code.generated.saved?.operations ?? []).flatMap((saved): AccessPath[] => {
    const outcome = analyse(scope.code, scope.role, saved);
    if ('error' in outcome) return [];
    const uses: string[] = usesOf(target, outcome.selection);
    const { used } = analyseOperation(scope.roleSchema, outcome.operation);
    for (const [name, type] of used) {
      const input = namedType(type);
      if (input.kind === 'input' && inputReaches(target, input)) uses.push(`$${name} can name it`);
    }
    if (uses.length === 0) return [];
    const writes = uses.includes('writes');
    return [
      {
        role: scope.role,
        access: writes ? 'write' : 'read',
        via: 'saved operation',
        fields: [`${saved.collection}.${saved.name}`],
        rules: writes ? [] : rules.read,
        note: uses.join(', '),
      },
    ];
  });
}
