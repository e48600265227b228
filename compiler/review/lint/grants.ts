/** Rules of the lint about grants that look smaller than they are. */

import { parseCondition } from '../../../runtime/core/condition/parse.ts';
import { implies } from '../../../runtime/core/condition/prove.ts';
import { anyOf } from '../../../runtime/core/condition/tree.ts';
import type { AnyRule } from '../../../runtime/core/contract/aspects.ts';
import { messages } from '../../../runtime/core/diagnostics/catalogue.ts';
import { at } from '../../../runtime/core/diagnostics/diagnostic.ts';
import { about, causedBy, type Found, type LintFinding } from './finding.ts';
import type { LintInput, PlacedPermission, PlacedTable } from './place.ts';
import { permissionNames } from './rows.ts';

/** Permissions of inherited roles beyond those of the roles that they inherit from. */
export function widerInherited(
  table: PlacedTable,
  permission: PlacedPermission,
  { metadata, knowledge }: LintInput,
): Found[] {
  const { role, operation, path } = permission;
  const inherited = metadata.inherited_roles.find(({ role_name }) => role_name === role);
  if (!inherited) return [];
  const rules: Readonly<Record<string, AnyRule>> = table.access[operation] ?? {};
  const parents = inherited.role_set.flatMap((name) => (Object.hasOwn(rules, name) ? [rules[name]!] : []));
  const report = (what: string, columns: readonly string[] = []) => [
    {
      ...causedBy(path, messages.inheritedRoleWider({ ...permissionNames(table, permission), what }), [role]),
      columns,
    },
  ];
  if (parents.length === 0) return report('none of them has one');
  const beyond = permission.columns.filter(
    (name) => !parents.some(({ columns = [] }) => columns.includes(name)),
  );
  if (beyond.length > 0) return report(`column ${beyond.map((name) => `"${name}"`).join(', ')}`, beyond);
  const isWider = (key: 'where' | 'check', text = 'true') =>
    !implies(
      parseCondition(text),
      anyOf(parents.map((parent) => parseCondition(parent[key] ?? 'true'))),
      knowledge(table, key === 'check' && operation !== 'delete'),
    );
  if (isWider('where', permission.where)) return report('its rows are not proved to be among theirs');
  return isWider('check', permission.checkText) ? report('its check is not proved to demand as much') : [];
}

const SECRETS =
  /(^|_)(passwords?|passwd|pwd|secrets?|tokens?|api_?keys?|access_?keys?|private_?keys?|credentials?|otp|salt)(_|$)/i;

export function isSecretName(name: string): boolean {
  return SECRETS.test(/[A-Z]/.test(name) ? name.replace(/([a-z])([A-Z])/g, '$1_$2') : name);
}

/** Columns with names of secrets. */
export function secretColumns(
  table: PlacedTable,
  { operation, role, columns, path }: PlacedPermission,
): Found[] {
  if (operation !== 'select') return [];
  return columns
    .filter(isSecretName)
    .map((column) =>
      about(table, [...path, 'columns'], messages.secretColumnGranted({ role, column, table: table.name }), [
        column,
      ]),
    );
}

/** Views whose queries call functions of the database. */
export function viewsOverFunctions(view: PlacedTable, { operation, role, path }: PlacedPermission): Found[] {
  const functions = Object.keys(view.model.shape.calls ?? {}).join(', ');
  if (operation !== 'select' || functions === '') return [];
  return [
    causedBy(path, messages.viewOverFunction({ role, view: view.name, functions }), [
      view.source,
      view.model.key,
    ]),
  ];
}

/** REST endpoints that write by GET. */
export function mutationsByGet({ metadata, plan }: LintInput): LintFinding[] {
  return (plan.saved?.routes ?? []).flatMap(({ methods, name, operation }): LintFinding[] => {
    if (!methods.includes('GET') || operation.kind !== 'mutation') return [];
    const path = metadata.rest_endpoints.find((each) => each.name === name)?.path ?? [];
    const facts = { endpoint: name, operation: `${operation.collection}.${operation.name}` };
    const diagnostic = at(path, messages.mutationByGet(facts));
    return [{ diagnostic, tables: [], columns: [], role: '', place: name, cause: [name] }];
  });
}
