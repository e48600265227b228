/** Who may do what with which table: everything that access files say, role by role and table by table. */
import type { AccessOperation } from '../../../runtime/console/questions.ts';
import { handlerHost } from '../../../runtime/core/action/host.ts';
import type { ActionShape } from '../../../runtime/core/action/shapes.ts';
import {
  type AnyRule,
  OPERATIONS,
  SHOWN_ASPECTS,
  type ShownAspect,
  type TableOperation,
} from '../../../runtime/core/contract/aspects.ts';
import type { Location } from '../../../runtime/core/diagnostics/diagnostic.ts';
import { displayName } from '../../../runtime/core/names.ts';
import type { Table, TableFunction } from '../../../runtime/core/program/program.ts';
import { remember } from '../../../runtime/core/remember.ts';
import { remoteFactTexts } from '../../../runtime/core/remotes/facts.ts';
import { operationOf } from '../../../runtime/core/schema/offer.ts';
import { servedAction, servedFunction, servedRemote } from '../../../runtime/core/schema/services.ts';
import { analyse } from '../check/operation-changes.ts';
import type { GeneratedCode } from '../generated-code/index.ts';
import { rootsOf } from './roots.ts';

export interface AccessTable {
  readonly source: string;
  /** `public.ticket`. */
  readonly key: string;
  /** Bare in schema public. */
  readonly name: string;
  readonly kind: string;
  readonly columns: readonly string[];
  readonly computedFields: readonly string[];
}

/** The permission of a role for one operation on a table. */
export interface Permission extends Pick<AnyRule, ShownAspect> {
  readonly role: string;
  readonly source: string;
  readonly table: string;
  readonly operation: TableOperation;
  /** Root fields that lead to it. */
  readonly fields: readonly string[];
  /** The same by kind and root. */
  readonly roots: readonly { readonly root: string; readonly kind: string }[];
  readonly place?: Location;
}

interface MatrixFunction {
  readonly source: string;
  /** `public.search`. */
  readonly key: string;
  /** Bare in schema public. */
  readonly name: string;
  /** Table whose rows it returns. */
  readonly returns: string;
  readonly changesData: boolean;
  /** It runs with the rights of its owner. */
  readonly definer?: true;
  /** Root fields by role. */
  readonly fields: Readonly<Record<string, readonly string[]>>;
}

interface MatrixAction {
  readonly name: string;
  readonly kind: string;
  readonly type: string;
  /** The host that answers it. */
  readonly host: string;
  readonly roles: readonly string[];
  readonly place?: Location;
}

interface MatrixRemote {
  readonly name: string;
  /** Role → fields, arguments and presets. */
  readonly roles: Readonly<Record<string, readonly string[]>>;
}

export interface Matrix {
  readonly label: string;
  readonly roles: readonly string[];
  readonly tables: readonly AccessTable[];
  readonly permissions: readonly Permission[];
  readonly functions: readonly MatrixFunction[];
  readonly actions: readonly MatrixAction[];
  readonly remoteSchemas: readonly MatrixRemote[];
  readonly operations: readonly AccessOperation[];
  /** Resolvers that no compiler wrote: what they do is not in this matrix. */
  readonly foreign: readonly Location[];
}

/** The matrix of generated code. `admin`, who may do everything, is not in it. */
export function auditMatrix(code: GeneratedCode): Matrix {
  const { program, roles } = code;
  return {
    label: code.label,
    roles,
    tables: program.tables.map(describeTable),
    permissions: program.tables.flatMap((table) => permissionsOf(table, code)),
    functions: program.functions.map((entry) => describeFunction(entry, code)),
    actions: (code.generated.actions?.actions ?? []).map((action) => describeAction(action, code)),
    // Whether or not the server that will serve this applies them.
    remoteSchemas: program.remotes.map((remote) => ({
      name: remote.name,
      roles: byRole(roles, servedRemote(remote, true).useOf, remoteFactTexts),
    })),
    operations: describeOperations(code),
    foreign: code.foreign,
  };
}

/** The permissions of each role and table, by `cellKey`. */
export function permissionsByCell({ permissions }: Matrix): Map<string, Permission[]> {
  const cells = new Map<string, Permission[]>();
  for (const permission of permissions)
    remember(cells, cellKey(permission.source, permission.table, permission.role), () => []).push(permission);
  return cells;
}

export function cellKey(source: string, table: string, role: string): string {
  return JSON.stringify([source, table, role]);
}

function describeTable(table: Table): AccessTable {
  const { source, schema, name, kind, columns, computedFields } = table.shape;
  return {
    source: source.name,
    key: table.key,
    name: displayName(schema, name),
    kind,
    columns: Object.keys(columns),
    computedFields: Object.keys(computedFields ?? {}),
  };
}

function permissionsOf(table: Table, code: GeneratedCode): Permission[] {
  const access = code.accessOf(table);
  return OPERATIONS.flatMap((operation) =>
    Object.entries<AnyRule>(access[operation] ?? {}).map(([role, rule]): Permission => {
      const place = code.locate(rule);
      const fields = rootsOf(code, role, table).filter(({ kind }) => operationOf(kind) === operation);
      return {
        role,
        source: table.source.name,
        table: table.key,
        operation,
        ...Object.fromEntries(
          SHOWN_ASPECTS.flatMap((key) => (rule[key] === undefined ? [] : [[key, rule[key]] as const])),
        ),
        fields: [...new Set(fields.map(({ name }) => name))],
        roots: fields.map(({ root, kind }) => ({ root, kind })),
        ...(place && { place }),
      };
    }),
  );
}

function describeFunction(entry: TableFunction, { program, roles }: GeneratedCode): MatrixFunction {
  const { source, name: key, label: name, useOf } = servedFunction(entry, program);
  const { volatile: isVolatile, definer } = entry.shape;
  return {
    ...{ source, key, name },
    returns: entry.returns.key,
    changesData: isVolatile === true,
    ...(definer && { definer }),
    fields: byRole(roles, useOf, (names) => names),
  };
}

function describeAction(action: ActionShape, { locate, roles }: GeneratedCode): MatrixAction {
  const { name, kind, type } = action;
  const place = locate(action);
  return {
    ...{ name, kind, type, host: handlerHost(action) },
    roles: roles.filter(servedAction(action).useOf),
    ...(place && { place }),
  };
}

/** What each role may use; roles that may use nothing are left out. */
function byRole<Use>(
  roles: readonly string[],
  useOf: (role: string) => Use | undefined,
  shown: (use: Use) => readonly string[],
): Record<string, readonly string[]> {
  return Object.fromEntries(
    roles.flatMap((role) => {
      const use = useOf(role);
      return use === undefined ? [] : [[role, shown(use)] as const];
    }),
  );
}

/** @param address the address of an endpoint for people */
export function describeOperations(code: GeneratedCode, address = (url: string) => url): AccessOperation[] {
  const { operations = [], routes = [] } = code.generated.saved ?? {};
  return operations.map((operation) => ({
    collection: operation.collection,
    name: operation.name,
    kind: operation.kind,
    roles: code.roles.filter((role) => !('error' in analyse(code, role, operation))),
    endpoints: routes
      .filter((route) => route.operation === operation)
      .flatMap(({ methods, url }) => methods.map((method) => `${method} ${address(url)}`)),
  }));
}
