/**
 * Inherited roles, combined here so that nothing at run time knows of them: the rows that any
 * parent sees, the columns that any parent sees, and a column that not every parent sees only in the rows of those who do.
 * @rule What does an inherited role see of rows that only one parent may read?
 */

import type { TableOperation } from '../../../runtime/core/contract/aspects.ts';
import { messages } from '../../../runtime/core/diagnostics/catalogue.ts';
import { at } from '../../../runtime/core/diagnostics/diagnostic.ts';
import { displayName, quotedName } from '../../../runtime/core/names.ts';
import type { InheritedRole, Metadata, TableEntry } from '../../../runtime/metadata/metadata.ts';
import type { Memory } from '../../memory/memory.ts';
import type { BooleanExpression, ModelSelectPermission, TablePermissions } from '../../model/model.ts';
import { leaveOut, type PhaseReport, type ReportedObject } from './report.ts';
import type { AccessScope, TableScope } from './scope.ts';

/** The roles of a cycle beginning with the first by name, which is repeated at the end. */
function closedCycle(roles: readonly string[]): readonly string[] {
  const first = roles.indexOf(roles.toSorted()[0]!);
  return [...roles.slice(first), ...roles.slice(0, first), roles[first]!];
}

/** Inherited roles whose parents exist, each after its parents. Others are reported. */
export function orderInheritedRoles(
  report: PhaseReport,
  metadata: Metadata,
  memory: Memory,
): InheritedRole[] {
  if (metadata.inherited_roles.length === 0) return [];
  const inherited = new Map(metadata.inherited_roles.map((role) => [role.role_name, role]));
  const known = rolesWithPermissions(metadata, memory);
  const ordered: InheritedRole[] = [];
  const state = new Map<string, 'open' | 'done' | 'out'>();
  const visit = (role: InheritedRole, trail: readonly string[]): void => {
    const seen = state.get(role.role_name);
    if (seen === 'done' || seen === 'out') return;
    if (seen === 'open') {
      const cycle = closedCycle(trail.slice(trail.indexOf(role.role_name)));
      for (const name of new Set(cycle)) {
        state.set(name, 'out');
        leaveOut(
          report,
          roleObject(inherited.get(name)!),
          messages.inheritedRoleCycle({ cycle: JSON.stringify(cycle) }),
        );
      }
      return;
    }
    state.set(role.role_name, 'open');
    for (const parent of role.role_set) {
      const next = inherited.get(parent);
      if (next) visit(next, [...trail, role.role_name]);
    }
    if (state.get(role.role_name) === 'out') return;
    const missing = role.role_set.filter((parent) => !known.has(parent) && state.get(parent) !== 'done');
    if (missing.length > 0) {
      state.set(role.role_name, 'out');
      const parents = missing.toSorted().join(',');
      leaveOut(
        report,
        roleObject(role),
        messages.inheritedRoleParentsMissing({ parents, role: role.role_name }),
      );
      return;
    }
    state.set(role.role_name, 'done');
    ordered.push(role);
  };
  for (const role of metadata.inherited_roles) visit(role, []);
  return ordered;
}

/** Roles that any permission of the metadata names: the roles that exist. */
function rolesWithPermissions(metadata: Metadata, memory: Memory): Set<string> {
  const roles = new Set<string>();
  const add = (permissions: readonly { readonly role: string }[]) => {
    for (const { role } of permissions) roles.add(role);
  };
  for (const source of metadata.sources) {
    for (const table of source.tables) {
      const own = memory.call(rolesOfTable, table);
      for (const role of own) roles.add(role);
    }
    for (const { permissions } of source.functions) add(permissions);
  }
  for (const { permissions } of metadata.actions) add(permissions);
  for (const { permissions } of metadata.remote_schemas) add(permissions);
  return roles;
}

function rolesOfTable(table: TableEntry): readonly string[] {
  const { select_permissions, insert_permissions, update_permissions, delete_permissions } = table;
  const all = [...select_permissions, ...insert_permissions, ...update_permissions, ...delete_permissions];
  return [...new Set(all.map(({ role }) => role))];
}

function roleObject(role: InheritedRole): ReportedObject {
  return {
    path: role.path,
    type: 'inherited_role',
    name: `inherited role ${role.role_name}`,
    definition: { role_name: role.role_name, role_set: role.role_set },
    context: `in inherited role ${role.role_name}: `,
  };
}

/** Adds to the permissions of a table what inherited roles have from their parents; permissions of their own win. */
export function inheritPermissions(
  scope: AccessScope,
  table: TableScope,
  permissions: TablePermissions,
  roles: readonly InheritedRole[],
): TablePermissions {
  const select = { ...permissions.select };
  const writes = {
    insert: { ...permissions.insert },
    update: { ...permissions.update },
    delete: { ...permissions.delete },
  };
  for (const role of roles) {
    const name = role.role_name;
    // A name such as "constructor" must not find what every object has.
    if (!Object.hasOwn(select, name)) {
      const parents = role.role_set.flatMap((parent) =>
        Object.hasOwn(select, parent) ? [select[parent]!] : [],
      );
      if (parents.length > 0) select[name] = combineSelect(table, parents);
    }
    inheritWrite(scope, table, 'insert', writes.insert, role);
    inheritWrite(scope, table, 'update', writes.update, role);
    inheritWrite(scope, table, 'delete', writes.delete, role);
  }
  return {
    select: sorted(select),
    insert: sorted(writes.insert),
    update: sorted(writes.update),
    delete: sorted(writes.delete),
  };
}

/** An inherited role may call what any of its parents may call. Roles come parents first. */
export function inheritFunctionRoles(
  roles: readonly string[],
  inherited: readonly InheritedRole[],
): string[] {
  const all = new Set(roles);
  for (const { role_name, role_set } of inherited)
    if (role_set.some((parent) => all.has(parent))) all.add(role_name);
  return [...all].sort();
}

function inheritWrite<Rule>(
  scope: AccessScope,
  table: TableScope,
  operation: Exclude<TableOperation, 'select'>,
  rules: Record<string, Rule>,
  role: InheritedRole,
): void {
  const name = role.role_name;
  if (Object.hasOwn(rules, name)) return;
  const parents = role.role_set.flatMap((parent) => (Object.hasOwn(rules, parent) ? [rules[parent]!] : []));
  if (parents.length === 0) return;
  // Rules are made by this compiler, keys in one order, so equal text is equal meaning.
  if (new Set(parents.map((rule) => JSON.stringify(rule))).size === 1) {
    rules[name] = parents[0]!;
    return;
  }
  const { schema } = table.catalog;
  const shown = displayName(schema, table.catalog.name);
  scope.diagnostics.push(
    at(
      role.path,
      messages.inheritedRoleMutationConflict({
        role: name,
        operation,
        table: quotedName(table.catalog),
        source: scope.source.name,
      }),
      {
        type: 'inherited role permission inconsistency',
        name,
        reason: `Could not inherit permission for the role '${name}' for the entity: '${operation} permission, table: ${shown}, source: '${scope.source.name}''`,
        entity: {
          permission_type: operation,
          source: scope.source.name,
          table: schema === 'public' ? table.catalog.name : { schema, name: table.catalog.name },
        },
      },
    ),
  );
}

function combineSelect(table: TableScope, parents: readonly ModelSelectPermission[]): ModelSelectPermission {
  const limits = parents.map(({ limit }) => limit);
  const limit = limits.includes(undefined) ? undefined : Math.max(...(limits as number[]));
  const columns = [...table.columns.keys()].filter((column) =>
    parents.some((parent) => parent.columns.includes(column)),
  );
  const computedFields = [...new Set(parents.flatMap((parent) => parent.computedFields))].sort();
  const cells = combineCells(parents, columns, computedFields);
  const queryRoots = uniteLists(parents.map((parent) => parent.queryRoots));
  const subscriptionRoots = uniteLists(parents.map((parent) => parent.subscriptionRoots));
  return {
    columns,
    computedFields,
    filter: anyOf(parents.map(({ filter }) => filter)),
    ...(limit !== undefined && { limit }),
    aggregations: parents.some(({ aggregations }) => aggregations),
    ...(queryRoots && { queryRoots }),
    ...(subscriptionRoots && { subscriptionRoots }),
    ...(Object.keys(cells).length > 0 && { cells }),
  };
}

/** Conditions of the columns and computed fields that some parent lacks, or shows in some rows only. */
function combineCells(
  parents: readonly ModelSelectPermission[],
  columns: readonly string[],
  computedFields: readonly string[],
): Record<string, BooleanExpression> {
  const cells: [string, BooleanExpression][] = [];
  for (const name of [...columns, ...computedFields]) {
    const granting = parents.filter(
      (parent) => parent.columns.includes(name) || parent.computedFields.includes(name),
    );
    const masked = granting.some((parent) => parent.cells && Object.hasOwn(parent.cells, name));
    if (granting.length === parents.length && !masked) continue;
    const shown = granting.map((parent) =>
      parent.cells && Object.hasOwn(parent.cells, name) ? parent.cells[name]! : parent.filter,
    );
    cells.push([name, anyOf(shown)]);
  }
  return Object.fromEntries(cells);
}

/** Any of the conditions; one that is always true makes the others say nothing. */
function anyOf(conditions: readonly BooleanExpression[]): BooleanExpression {
  const distinct = [
    ...new Map(conditions.map((condition) => [JSON.stringify(condition), condition])).values(),
  ];
  const always = distinct.find((condition) => condition.kind === 'and' && condition.conditions.length === 0);
  if (always) return always;
  return distinct.length === 1 ? distinct[0]! : { kind: 'or', conditions: distinct };
}

/** Lists of root fields united; one absent list means all. */
function uniteLists<Field>(lists: readonly (readonly Field[] | undefined)[]): Field[] | undefined {
  if (lists.includes(undefined)) return undefined;
  return [...new Set(lists.flatMap((list) => list!))].sort();
}

function sorted<Value>(record: Readonly<Record<string, Value>>): Record<string, Value> {
  return Object.fromEntries(Object.entries(record).sort(([left], [right]) => (left < right ? -1 : 1)));
}
