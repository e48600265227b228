/** Who may do what with which table: everything that access files say, role by role and table by table. */
import type { AccessOperation } from '../../../runtime/console/questions.ts';
import { handlerHost } from '../../../runtime/core/action/host.ts';
import {
  type AnyRule,
  type Aspect,
  OPERATIONS,
  type TableOperation,
} from '../../../runtime/core/contract/aspects.ts';
import type { Location } from '../../../runtime/core/diagnostics/diagnostic.ts';
import { displayName } from '../../../runtime/core/names.ts';
import type { Table, TableFunction } from '../../../runtime/core/program/program.ts';
import { remoteFactTexts } from '../../../runtime/core/remotes/facts.ts';
import { operationOf } from '../../../runtime/core/schema/offer.ts';
import { ADMIN_ROLE } from '../../../runtime/core/session.ts';
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

/** Aspects that the matrix has. Root fields are listed instead of the keys that withhold them; the rest grants and denies nothing. */
const IN_MATRIX = {
  columns: true,
  computedFields: true,
  where: true,
  check: true,
  checkMessage: true,
  limit: true,
  aggregations: true,
  backendOnly: true,
  validateInput: true,
  presets: true,
  cells: true,
  queryRoots: false,
  subscriptionRoots: false,
  canFail: false,
  implies: false,
} as const satisfies Record<Aspect, boolean>;

type MatrixAspect = { [Key in Aspect]: (typeof IN_MATRIX)[Key] extends true ? Key : never }[Aspect];
export const MATRIX_ASPECTS = (Object.keys(IN_MATRIX) as Aspect[]).filter(
  (aspect): aspect is MatrixAspect => IN_MATRIX[aspect],
);

/** The permission of a role for one operation on a table. */
export interface Permission extends Pick<AnyRule, MatrixAspect> {
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
  const { program } = code;
  const roles = code.roles.filter(isNoAdmin);
  return {
    label: code.label,
    roles,
    tables: program.tables.map(describeTable),
    permissions: program.tables.flatMap((table) => permissionsOf(table, code)),
    functions: program.functions.map((entry) => describeFunction(entry, code, roles)),
    actions: describeActions(code),
    remoteSchemas: program.remotes.map(({ name, roles: parts }) => ({
      name,
      roles: Object.fromEntries(
        Object.entries(parts).map(([role, schema]) => [role, remoteFactTexts(schema)]),
      ),
    })),
    operations: describeOperations(code, roles),
    foreign: code.foreign,
  };
}

function isNoAdmin(role: string): boolean {
  return role !== ADMIN_ROLE;
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
      const fields = rootsOf(code, role)
        .ofTable(table)
        .filter(({ kind }) => operationOf(kind) === operation);
      return {
        role,
        source: table.source.name,
        table: table.key,
        operation,
        ...pick(rule, MATRIX_ASPECTS),
        fields: [...new Set(fields.map(({ name }) => name))],
        roots: fields.map(({ root, kind }) => ({ root, kind })),
        ...(place && { place }),
      };
    }),
  );
}

/** Those of the keys that are there, in their order. */
function pick<Whole extends object, Key extends keyof Whole>(
  whole: Whole,
  keys: readonly Key[],
): Pick<Whole, Key> {
  const entries = keys.flatMap((key) => (whole[key] === undefined ? [] : [[key, whole[key]] as const]));
  return Object.fromEntries(entries) as Pick<Whole, Key>;
}

function describeFunction(
  entry: TableFunction,
  code: GeneratedCode,
  roles: readonly string[],
): MatrixFunction {
  const { schema, name, source, volatile: isVolatile, definer } = entry.shape;
  const fields = roles.flatMap((role) => {
    const names = rootsOf(code, role)
      .ofFunction(entry)
      .map((field) => field.name);
    return names.length > 0 ? [[role, [...new Set(names)]] as const] : [];
  });
  return {
    source: source.name,
    key: entry.key,
    name: displayName(schema, name),
    returns: entry.returns.key,
    changesData: isVolatile === true,
    ...(definer && { definer }),
    fields: Object.fromEntries(fields),
  };
}

function describeActions({ generated, locate }: GeneratedCode): MatrixAction[] {
  return (generated.actions?.actions ?? []).map((action) => {
    const { name, kind, type, roles } = action;
    const place = locate(action);
    const host = handlerHost(action);
    return { ...{ name, kind, type, host }, roles: roles.filter(isNoAdmin), ...(place && { place }) };
  });
}

/** @param address the address of an endpoint for people */
export function describeOperations(
  code: GeneratedCode,
  roles: readonly string[],
  address = (url: string) => url,
): AccessOperation[] {
  const { operations = [], routes = [] } = code.generated.saved ?? {};
  return operations.map((operation) => ({
    collection: operation.collection,
    name: operation.name,
    kind: operation.kind,
    roles: roles.filter((role) => !('error' in analyse(code, role, operation))),
    endpoints: routes
      .filter((route) => route.operation === operation)
      .flatMap(({ methods, url }) => methods.map((method) => `${method} ${address(url)}`)),
  }));
}
