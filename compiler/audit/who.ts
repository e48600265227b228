/**
 * Who can read or write a column, and by which paths. Each path names the row rules that stand on it, all of which apply.
 * What a function's body does cannot be read off generated code: such paths are `possible`, never left out.
 */
import type { Program, Relationship, Table } from '../../runtime/core/program.ts';
import { analyseOperation } from '../../runtime/core/request/analyse.ts';
import type { RoleView } from '../../runtime/core/schema/role-view.ts';
import type { TableView } from '../../runtime/core/schema/table-view.ts';
import { namedType } from '../../runtime/core/schema/types.ts';
import { ADMIN_ROLE } from '../../runtime/core/session.ts';
import { analyse } from '../check/operation-changes.ts';
import type { Location } from '../diagnostics/diagnostic.ts';
import type { GeneratedCode } from '../generated-code/index.ts';
import { rootsOf } from './roots.ts';
import { inputReaches, usesOf } from './saved-uses.ts';

type Via =
  | 'table'
  | 'relationship'
  | 'computed field'
  | 'function'
  | 'view'
  | 'aggregate'
  | 'order and filter'
  | 'answer of a mutation'
  | 'saved operation'
  | 'insert'
  | 'nested insert'
  | 'update'
  | 'upsert'
  | 'preset'
  | 'delete';

/** A rule that stands on a path. */
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

export interface WhoResult {
  readonly label: string;
  readonly source: string;
  readonly table: string;
  readonly column: string;
  readonly type: string;
  readonly paths: readonly AccessPath[];
  readonly foreign: readonly Location[];
}

/** Every path of every role but `admin` to the column. */
export function whoCan(code: GeneratedCode, table: Table, column: string): WhoResult {
  const paths = code.roles
    .filter((role) => role !== ADMIN_ROLE)
    .flatMap((role) =>
      pathsOfRole({ code, program: code.program, view: code.program.view(role, true), role }, table, column),
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
  };
}

interface Scope {
  readonly code: GeneratedCode;
  readonly program: Program;
  readonly view: RoleView;
  readonly role: string;
}

function pathsOfRole(scope: Scope, table: Table, column: string): AccessPath[] {
  const own = [...readPaths(scope, table, column), ...writePaths(scope, table, column)];
  return [...own, ...viewPaths(scope, table, column), ...savedPaths(scope, table, column)];
}

/** The rule of a permission as a step of a path. */
function ruleOf(
  scope: Scope,
  table: Table,
  operation: 'select' | 'insert' | 'update' | 'delete',
  cell?: string,
): PathRule[] {
  const rules: Readonly<Record<string, object>> = scope.code.resolversOf(table).access[operation] ?? {};
  const rule = Object.hasOwn(rules, scope.role) ? rules[scope.role] : undefined;
  if (!rule) return [];
  const place = scope.code.locate(rule);
  const step = (part: string, text: string | undefined, limit?: number): PathRule[] =>
    text === undefined
      ? []
      : [{ table: table.key, part, text, ...(limit !== undefined && { limit }), ...(place && { place }) }];
  const any = rule as { where?: string; check?: string; limit?: number; cells?: Record<string, string> };
  return [
    ...step(operation, any.where, any.limit),
    ...step(`${operation} check`, any.check),
    ...(cell !== undefined && any.cells && Object.hasOwn(any.cells, cell)
      ? step('cell', any.cells[cell])
      : []),
  ];
}

function names(fields: readonly { readonly name: string; readonly root: string }[]): string[] {
  return [...new Set(fields.map(({ name }) => name))];
}

function readPaths(scope: Scope, table: Table, column: string): AccessPath[] {
  const { role, view } = scope;
  const tableView = view.table(table);
  const possible = rowFunctionPaths(scope, table, tableView, column);
  const readable = tableView.select?.readable.get(column);
  if (!tableView.select || !readable) return possible;
  const rules = ruleOf(scope, table, 'select', column);
  const path = (via: Via, fields: readonly string[], more: Partial<AccessPath> = {}): AccessPath[] =>
    fields.length === 0 ? [] : [{ role, access: 'read', via, fields, rules, ...more }];
  const roots = rootsOf(scope.code, scope.role).ofTable(table);
  const kinds = (wanted: readonly string[]) => names(roots.filter(({ kind }) => wanted.includes(kind)));
  const ways = waysTo(scope, table);
  const note =
    readable.column.field === undefined
      ? { note: 'has no GraphQL name; only the old API of data operations shows it' }
      : {};
  return [
    ...path('table', kinds(['select', 'select_by_pk', 'select_stream']), note),
    ...ways.relationships.flatMap(({ from, fields }) =>
      path('relationship', fields, { rules: [...ruleOf(scope, from, 'select'), ...rules] }),
    ),
    ...ways.computedFields.flatMap(({ from, fields }) =>
      path('computed field', fields, {
        rules: [...ruleOf(scope, from, 'select'), ...rules],
        note: 'rows that the function returns',
      }),
    ),
    ...path('function', ways.functions, { note: 'rows that the function returns' }),
    ...(tableView.select.aggregations
      ? path('aggregate', [...kinds(['select_aggregate']), ...ways.aggregates.map(({ field }) => field)])
      : []),
    ...path('order and filter', [
      ...kinds(['select', 'select_aggregate', 'select_stream']),
      ...ways.relationships.flatMap(({ fields }) => fields.map((field) => `where and order_by of ${field}`)),
    ]),
    ...writtenAnswers(scope, table, tableView, column),
    ...possible,
  ];
}

/** Rows of a table that a write answers with: the select permission says which columns, its row rule does not apply. */
function writtenAnswers(scope: Scope, table: Table, tableView: TableView, column: string): AccessPath[] {
  const roots = rootsOf(scope.code, scope.role).ofTable(table);
  return (['insert', 'update', 'delete'] as const).flatMap((operation): AccessPath[] => {
    const rule = tableView[operation];
    const fields = names(roots.filter(({ kind, root }) => root === 'mutation' && kind.startsWith(operation)));
    if (!rule || fields.length === 0) return [];
    return [
      {
        role: scope.role,
        access: 'read',
        via: 'answer of a mutation',
        fields,
        rules: [
          ...ruleOf(scope, table, operation),
          ...ruleOf(scope, table, 'select', column).filter(({ part }) => part === 'cell'),
        ],
        note: 'rows just written; the row rule of select does not apply to them',
        ...(rule.backendOnly && { backendOnly: true as const }),
      },
    ];
  });
}

/** Scalar computed fields: their functions get the whole row, columns that the role may not read included. */
function rowFunctionPaths(scope: Scope, table: Table, tableView: TableView, column: string): AccessPath[] {
  if (tableView.select?.readable.has(column)) return [];
  return (tableView.select?.computedFields ?? []).flatMap((field): AccessPath[] => {
    if ('table' in field.returns) return [];
    const { schema, name } = field.shape.function;
    return [
      {
        role: scope.role,
        access: 'read',
        via: 'computed field',
        fields: [`${table.shape.graphqlName}.${field.field}`],
        rules: ruleOf(scope, table, 'select', field.name),
        possible: true,
        note: `the function ${schema}.${name} gets the whole row`,
      },
    ];
  });
}

/** Fields that lead a role to the rows of a table: root fields, relationships, functions. */
export function entrances(code: GeneratedCode, table: Table, role: string): string[] {
  const scope: Scope = { code, program: code.program, view: code.program.view(role, true), role };
  const roots = rootsOf(code, role)
    .ofTable(table)
    .filter(({ root }) => root !== 'mutation');
  const ways = waysTo(scope, table);
  const paths = [...ways.relationships, ...ways.computedFields].flatMap(({ fields }) => fields);
  return [...names(roots), ...paths, ...ways.functions];
}

interface Way {
  readonly from: Table;
  readonly fields: readonly string[];
}

interface Ways {
  readonly relationships: readonly Way[];
  readonly computedFields: readonly Way[];
  readonly aggregates: readonly { readonly field: string }[];
  readonly functions: readonly string[];
}

/** How a role comes to the rows of a table other than by its own root fields. */
function waysTo(scope: Scope, table: Table): Ways {
  const { program, view } = scope;
  const relationships: Way[] = [];
  const computedFields: Way[] = [];
  const aggregates: { field: string }[] = [];
  for (const from of program.tables) {
    if (from.source !== table.source) continue;
    const { select } = view.table(from);
    if (!select) continue;
    const base = from.shape.graphqlName;
    const leading = select.relationships.filter(({ relationship }) => relationship.target === table);
    if (leading.length > 0)
      relationships.push({
        from,
        fields: leading.map(({ relationship }) => `${base}.${relationship.field}`),
      });
    for (const { relationship } of leading)
      if (isArray(relationship)) aggregates.push({ field: `${base}.${relationship.field}_aggregate` });
    const computed = select.computedFields.filter(
      ({ returns }) => 'table' in returns && returns.table === table,
    );
    if (computed.length > 0)
      computedFields.push({ from, fields: computed.map(({ field }) => `${base}.${field}`) });
  }
  const functions = program.functions
    .filter(({ returns }) => returns === table)
    .flatMap((entry) => names(rootsOf(scope.code, scope.role).ofFunction(entry)));
  return { relationships, computedFields, aggregates, functions };
}

function isArray({ shape }: Relationship): boolean {
  return shape.kind === 'array';
}

function writePaths(scope: Scope, table: Table, column: string): AccessPath[] {
  const { role, view } = scope;
  const { insert, update, delete: remove } = view.table(table);
  const roots = rootsOf(scope.code, scope.role).ofTable(table);
  const kinds = (start: string) =>
    names(roots.filter(({ kind, root }) => root === 'mutation' && kind.startsWith(start)));
  const path = (
    via: Via,
    fields: readonly string[],
    rules: readonly PathRule[],
    more: Partial<AccessPath> = {},
  ): AccessPath[] => (fields.length === 0 ? [] : [{ role, access: 'write', via, fields, rules, ...more }]);
  const backend = (rule: { readonly backendOnly?: true } | undefined) =>
    rule?.backendOnly ? { backendOnly: true as const } : {};
  const preset = (
    rule: { readonly presets?: Readonly<Record<string, string>> } | undefined,
    operation: 'insert' | 'update',
  ) =>
    rule?.presets && Object.hasOwn(rule.presets, column)
      ? path('preset', kinds(operation), ruleOf(scope, table, operation), {
          note: `always set to ${rule.presets[column]}`,
        })
      : [];
  const inserted = insert?.columns.includes(column);
  const updated = update?.columns.includes(column);
  const nested = insert ? nestedInserts(scope, table) : [];
  return [
    ...(inserted ? path('insert', kinds('insert'), ruleOf(scope, table, 'insert'), backend(insert)) : []),
    ...(inserted ? path('nested insert', nested, ruleOf(scope, table, 'insert'), backend(insert)) : []),
    ...(updated ? path('update', kinds('update'), ruleOf(scope, table, 'update'), backend(update)) : []),
    ...(insert && updated && (table.shape.primaryKey || table.shape.unique)
      ? path(
          'upsert',
          kinds('insert').map((field) => `on_conflict of ${field}`),
          [...ruleOf(scope, table, 'insert'), ...ruleOf(scope, table, 'update')],
        )
      : []),
    ...preset(insert, 'insert'),
    ...preset(update, 'update'),
    ...(remove
      ? path('delete', kinds('delete'), ruleOf(scope, table, 'delete'), {
          note: 'with the whole row',
          ...backend(remove),
        })
      : []),
  ];
}

/** Relationships of other tables along which rows of the table can be inserted together with theirs. */
function nestedInserts({ program, view }: Scope, table: Table): string[] {
  return program.tables
    .filter((from) => from.source === table.source && view.table(from).insert !== undefined)
    .flatMap((from) =>
      [...from.relationships.values()]
        .filter(({ target }) => target === table)
        .map(({ field }) => `${from.shape.graphqlName}.${field}`),
    );
}

/** Views whose columns show the column, or are computed by a query that mentions it. */
function viewPaths(scope: Scope, table: Table, column: string): AccessPath[] {
  return scope.program.tables
    .filter((view) => view.source === table.source && view !== table && view.shape.reads)
    .flatMap((view) => {
      const shown = [...view.columns.values()].filter(
        ({ shape }) => shape.origin?.table === table.key && shape.origin.column === column,
      );
      const direct = shown.flatMap(({ name }) =>
        [...readPaths(scope, view, name), ...writePaths(scope, view, name)].map(
          (path): AccessPath => ({
            ...path,
            via: 'view',
            note: [
              `column ${name} of ${view.key} (${path.via}); the rules of ${table.key} do not apply`,
              path.note,
            ]
              .filter(Boolean)
              .join('; '),
          }),
        ),
      );
      const select = scope.view.table(view).select;
      const computed = [...(select?.readable.keys() ?? [])].filter(
        (name) => !view.shape.columns[name]?.origin,
      );
      if (computed.length === 0 || !view.shape.reads?.[table.key]?.includes(column)) return direct;
      const fields = names(
        rootsOf(scope.code, scope.role)
          .ofTable(view)
          .filter(({ root }) => root !== 'mutation'),
      );
      const ways = waysTo(scope, view).relationships.flatMap((way) => way.fields);
      if (fields.length + ways.length === 0) return direct;
      return [
        ...direct,
        {
          role: scope.role,
          access: 'read' as const,
          via: 'view' as const,
          fields: [...fields, ...ways],
          rules: ruleOf(scope, view, 'select'),
          possible: true as const,
          note: `the query of ${view.key} mentions it, and computes ${computed.join(', ')}`,
        },
      ];
    });
}

function savedPaths(scope: Scope, table: Table, column: string): AccessPath[] {
  const target = table.columns.get(column)!;
  const rules = { read: ruleOf(scope, table, 'select', column) };
  return (scope.code.generated.saved?.operations ?? []).flatMap((saved): AccessPath[] => {
    const outcome = analyse(scope.code, scope.role, saved);
    if ('error' in outcome) return [];
    const uses: string[] = usesOf(target, outcome.selection);
    const { used } = analyseOperation(scope.view, outcome.operation);
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
