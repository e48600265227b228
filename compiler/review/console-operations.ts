/** Saved operations for the console: who may run them, what they read and write, and the SQL that was made for them. */
import type {
  OperationAnswer,
  OperationColumns,
  OperationsAnswer,
  SavedStatements,
} from '../../runtime/console/operator-questions.ts';
import type { Column, Table } from '../../runtime/core/program/program.ts';
import type { SavedOperation, SavedPlan } from '../../runtime/core/saved/saved.ts';
import { ADMIN_ROLE } from '../../runtime/core/session.ts';
import { describeOperations } from './audit/matrix.ts';
import { type ColumnUse, columnUses } from './audit/saved-uses.ts';
import { analyse } from './check/operation-changes.ts';
import type { GeneratedCode } from './generated-code/index.ts';

export function operationsAnswer(code: GeneratedCode): OperationsAnswer {
  return {
    operations: describeOperations(code, restAddress).map((operation) => ({
      ...operation,
      ...allowedFor(code, operation),
    })),
  };
}

function restAddress(url: string): string {
  return `/api/rest/${url.replace(/^\//, '')}`;
}

/** An operation of a collection; undefined for an unknown one. */
export function operationAnswer(
  code: GeneratedCode,
  collection: string,
  name: string,
): OperationAnswer | undefined {
  const { operations = [], routes = [] } = code.generated.saved ?? {};
  const operation = operations.find((each) => each.collection === collection && each.name === name);
  if (!operation) return undefined;
  return {
    collection,
    name,
    kind: operation.kind,
    document: operation.document,
    variables: Object.fromEntries(
      Object.entries(operation.variables ?? {}).map(([variable, given]) => [
        variable,
        'default' in given ? `${given.type} = ${JSON.stringify(given.default)}` : given.type,
      ]),
    ),
    ...allowedFor(code, operation),
    routes: routes
      .filter((route) => route.operation === operation)
      .map(({ name, methods, url }) => ({ name, methods, url: restAddress(url) })),
    roles: code.roles.map((role) => {
      const outcome = analyse(code, role, operation);
      return { role, ...('error' in outcome && { refused: outcome.error }) };
    }),
    columns: columnsOf(code, operation),
    statements: (operation.plans ?? []).map(statementsOf),
    ...(operation.template !== undefined && { unplanned: operation.template }),
  };
}

/** Roles for which the allow-list has the operation. */
function allowedFor(
  code: GeneratedCode,
  { collection, name }: Pick<SavedOperation, 'collection' | 'name'>,
): { readonly allowed?: 'every role' | readonly string[] } {
  const entries = (code.generated.saved?.allowlist ?? []).filter(
    (entry) => entry.collection === collection && entry.name === name,
  );
  if (entries.length === 0) return {};
  if (entries.some(({ roles }) => roles === undefined)) return { allowed: 'every role' };
  return { allowed: [...new Set(entries.flatMap(({ roles = [] }) => roles))] };
}

/** The columns that the operation names, by table: those that a role needs. */
function columnsOf(code: GeneratedCode, operation: SavedOperation): readonly OperationColumns[] {
  const outcome = analyse(code, ADMIN_ROLE, operation);
  if ('error' in outcome) return [];
  const owners = new Map<Column, Table>(
    code.program.tables.flatMap((table) =>
      [...table.columns.values()].map((column) => [column, table] as const),
    ),
  );
  const found = new Map<Table, Record<ColumnUse, Set<string>>>();
  for (const [column, use] of columnUses(outcome.selection)) {
    const table = owners.get(column);
    if (!table) continue;
    const uses = found.get(table) ?? { shows: new Set(), writes: new Set(), 'chooses rows by': new Set() };
    found.set(table, uses);
    uses[use].add(column.name);
  }
  return [...found].map(([{ source, key }, uses]) => ({
    source: source.name,
    table: key,
    shows: [...uses.shows],
    writes: [...uses.writes],
    selectsBy: [...uses['chooses rows by']],
  }));
}

function statementsOf({ roles, when, steps }: SavedPlan): SavedStatements {
  return {
    roles,
    ...(when && { when }),
    statements: steps.flatMap((step) =>
      ('sql' in step ? [step] : step.statements).map(({ sql }) => ({ source: step.source, sql })),
    ),
  };
}
