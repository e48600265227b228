/**
 * Why a role is not offered a name of the schema that others know. Asked only when a request named one that the role lacks: the types of
 * a role never say what they leave out.
 */

import type { TableOperation } from '../contract/aspects.ts';
import type { EngineError, UnknownName } from '../errors.ts';
import { fullName } from '../names.ts';
import type { Column, Program, Table } from '../program/program.ts';
import type { RootFieldKind } from '../program/root-fields.ts';
import { type Reason, type RuleOperation, type RuleSubject, ruleName } from '../reason.ts';
import { ADMIN_ROLE } from '../session.ts';
import { hasAggregates } from './computed-aggregates.ts';
import { hasGroups } from './group-types.ts';
import { type Offer, offer, offerOfWrite, operationOf } from './offer.ts';
import type { HiddenName } from './provider.ts';
import { hasNestedUpdates, RELATED_OPERATIONS, type RelatedOperation } from './related-types.ts';
import type { RoleSchema } from './role-schema.ts';
import { namedType } from './types.ts';

/** The error with the rule that hides the name; unchanged if the name does not exist for any role. */
export function explainUnknown(error: UnknownName, roleSchema: RoleSchema, role: string): EngineError {
  const reason = whyHidden(error, roleSchema, role);
  return reason ? error.because(reason) : error;
}

/** The rule that hides a name from the role; undefined if the name does not exist for any role. */
export function whyHidden(
  { typeName, unknownName }: HiddenName,
  roleSchema: RoleSchema,
  role: string,
): Reason | undefined {
  if (role === ADMIN_ROLE) return undefined;
  if (unknownName === '__schema' || unknownName === '__type') return introspectionDisabled(roleSchema, role);
  const found =
    hiddenByProvider(roleSchema, { typeName, unknownName }) ??
    (isRoot(roleSchema, typeName)
      ? ownerOfRootField(roleSchema, typeName, unknownName)
      : ownerOfTypeName(roleSchema, typeName, unknownName));
  if (!found) return undefined;
  if (roleSchema.role === undefined) {
    return { rule: `roles.${role}`, why: `no permission of the metadata is for the role ${role}` };
  }
  return found(role);
}

function introspectionDisabled(roleSchema: RoleSchema, role: string): Reason | undefined {
  if (roleSchema.introspection) return undefined;
  return {
    rule: `graphql_schema_introspection.${role}`,
    why: `introspection is disabled for the role ${role}`,
    path: 'metadata.graphql_schema_introspection.disabled_for_roles',
  };
}

/** True if a type holds root fields: of an operation, or of a source with a root namespace. */
function isRoot({ program, roots }: RoleSchema, typeName: string): boolean {
  if (/^(query|mutation|subscription)_root$/.test(typeName)) return true;
  const names = program.sources.flatMap(({ rootNamespace }) => rootNamespace ?? []);
  return [roots.query, roots.mutation].some((root) =>
    names.some((name) => {
      const type = root?.fields().get(name)?.type;
      return type !== undefined && namedType(type).name === typeName;
    }),
  );
}

/** Says why a role may not have something. */
type Explain = (role: string) => Reason | undefined;

function hiddenByProvider(roleSchema: RoleSchema, unknown: HiddenName): Explain | undefined {
  for (const provider of roleSchema.program.providers) {
    const hidden = provider.hides?.(unknown, roleSchema);
    if (!hidden) continue;
    return 'because' in hidden ? hidden.because : (role) => noPermission(hidden.unreadable, 'select', role);
  }
  return undefined;
}

function ownerOfRootField(roleSchema: RoleSchema, typeName: string, name: string): Explain | undefined {
  const [field = name, argument] = name.split(/[()]/);
  for (const table of roleSchema.program.tables) {
    const root = table.fields.query.get(field) ?? table.fields.mutation.get(field);
    if (!root) continue;
    if (argument === undefined)
      return (role) => whyNoRootField(roleSchema, table, { kind: root.field, typeName }, role);
    return argument === 'related' && operationOf(root.field) === 'update'
      ? (role) => whyNoRelatedRows(roleSchema, table, role)
      : undefined;
  }
  for (const called of roleSchema.program.functions) {
    if (!called.fields.query.has(field) && !called.fields.mutation.has(field)) continue;
    return (role) => {
      if (!roleSchema.table(called.returns).select) return noPermission(called.returns, 'select', role);
      const why = `the role ${role} has no permission for the function`;
      return { ...denied(called.shape, 'function', role), why };
    };
  }
  return undefined;
}

/** Why the rows of a table may not be changed at all, by no root field and not as related rows. */
function whyNoRoot(
  roleSchema: RoleSchema,
  table: Table,
  kind: RelatedOperation,
  role: string,
): Reason | undefined {
  const { rules } = roleSchema.table(table);
  return reasonOf(offer(table.shape, rules, { kind, root: 'mutation' }, roleSchema.backendOnly), table, role);
}

/** Why updates of a table may change no related rows: of the permissions that would do, the first one is named. */
function whyNoRelatedRows(roleSchema: RoleSchema, table: Table, role: string): Reason | undefined {
  const [first] = table.relationships.values();
  return first && hasNestedUpdates(table.source)
    ? whyNoRoot(roleSchema, first.target, 'update', role)
    : undefined;
}

function whyNoRootField(
  roleSchema: RoleSchema,
  table: Table,
  { kind, typeName }: { readonly kind: RootFieldKind; readonly typeName: string },
  role: string,
): Reason | undefined {
  const isSubscription = typeName.startsWith('subscription');
  const root = operationOf(kind) !== 'select' ? 'mutation' : isSubscription ? 'subscription' : 'query';
  const { rules } = roleSchema.table(table);
  return reasonOf(offer(table.shape, rules, { kind, root }, roleSchema.backendOnly), table, role);
}

function reasonOf(offered: Offer, table: Table, role: string): Reason | undefined {
  if (offered === true) return undefined;
  const { operation, part, why } = offered;
  return why === undefined ? noPermission(table, operation, role) : partOf(table, operation, role, part, why);
}

/** The table that a type belongs to, and what the type's name begins with: the longest that is the name of a table. */
export function ownerOfType(
  { tables }: Pick<Program, 'tables'>,
  typeName: string,
): { readonly table: Table; readonly stem: string } | undefined {
  let owner: { readonly table: Table; readonly stem: string } | undefined;
  for (const table of tables) {
    const { object } = table.names;
    const stem = object.slice(0, object.length - (table.source.typeSuffix ?? '').length);
    if (typeName.startsWith(stem) && stem.length > (owner?.stem.length ?? 0)) owner = { table, stem };
  }
  return owner;
}

function ownerOfTypeName(roleSchema: RoleSchema, typeName: string, name: string): Explain | undefined {
  const owner = ownerOfType(roleSchema.program, typeName);
  if (!owner) return undefined;
  const { table, stem } = owner;
  const rest = typeName.slice(stem.length);
  const operation = operationOfType(rest);
  const isRelated = /related_?update_?input/i.test(rest);
  const change = RELATED_OPERATIONS.find((each) => each === name);
  if (change && /arr_?rel_?update_?input/i.test(rest))
    return (role) => whyNoRoot(roleSchema, table, change, role);
  const column = [...table.columns.values()].find((each) => each.field === name);
  if (column) return (role) => whyNoColumn(roleSchema, table, column, operation, role);
  for (const relationship of table.relationships.values()) {
    const { target } = relationship;
    if (relationship.field === name)
      return (role) =>
        isRelated
          ? whyNoRoot(roleSchema, target, 'update', role)
          : whyNoRelated(roleSchema, target, operation, role);
    if (isNamed(table, relationship.name, 'aggregate', name))
      return (role) => whyNoAggregates(roleSchema, target, role);
    if (isNamed(table, relationship.name, 'group_by', name) && hasGroups(target))
      return (role) => whyNoAggregates(roleSchema, target, role);
    if (name === `${relationship.name}_connection`)
      return (role) => whyNoRelated(roleSchema, target, 'select', role);
  }
  for (const computed of table.computedFields.values()) {
    const { returns } = computed;
    if (computed.field === name) {
      if ('table' in returns) return (role) => whyNoRelated(roleSchema, returns.table, 'select', role);
      const why = `the permission does not list the computed field ${computed.name}`;
      return (role) => partOf(table, 'select', role, ['computed_fields'], why);
    }
    if (isNamed(table, computed.name, 'aggregate', name) && hasAggregates(computed, table))
      return (role) => whyNoAggregates(roleSchema, computed.returns.table, role);
  }
  return undefined;
}

/** Whether a name is that of a further field for a relationship or computed field: `articles_aggregate`, `articlesAggregate`. */
function isNamed({ names }: Table, own: string, suffix: 'aggregate' | 'group_by', name: string): boolean {
  return name === names.related(own, suffix) || (suffix === 'aggregate' && name === names.relatedFilter(own));
}

/** The purpose of a type by the suffix of its name: `_insert_input`, `SetInput`. */
function operationOfType(rest: string): TableOperation {
  if (/insert|on_?conflict|related_?row/i.test(rest)) return 'insert';
  return /(set|inc|append|prepend|delete_?\w+)_?input|update/i.test(rest) ? 'update' : 'select';
}

function whyNoColumn(
  roleSchema: RoleSchema,
  table: Table,
  { name }: Column,
  operation: TableOperation,
  role: string,
): Reason | undefined {
  const access = roleSchema.table(table)[operation];
  if (!access) return noPermission(table, operation, role);
  if ('presets' in access && Object.hasOwn(access.presets ?? {}, name))
    return partOf(table, operation, role, ['set', name], `the permission sets the column ${name}`);
  const why = `the permission does not list the column ${name}`;
  return partOf(table, operation, role, ['columns'], why);
}

function whyNoRelated(
  roleSchema: RoleSchema,
  target: Table,
  operation: TableOperation,
  role: string,
): Reason | undefined {
  const access = roleSchema.table(target);
  if (!access.select) return noPermission(target, 'select', role);
  if (operation === 'insert' && !access.insert) {
    const offered = offerOfWrite(target.shape, access.rules, 'insert', roleSchema.backendOnly);
    return reasonOf(offered, target, role);
  }
  return undefined;
}

function whyNoAggregates(roleSchema: RoleSchema, target: Table, role: string): Reason | undefined {
  const { select } = roleSchema.table(target);
  if (!select) return noPermission(target, 'select', role);
  return select.aggregations
    ? undefined
    : partOf(target, 'select', role, ['allow_aggregations'], 'the permission allows no aggregations');
}

function noPermission(table: Table, operation: TableOperation, role: string): Reason {
  const why = `the role ${role} has no ${operation} permission on ${fullName('table', table.shape)}`;
  return { ...denied(table.shape, operation, role), why };
}

function partOf(
  table: Table,
  operation: TableOperation,
  role: string,
  part: readonly string[] | undefined,
  why: string,
): Reason {
  return { ...denied(table.shape, operation, role), ...(part ? { part } : {}), why };
}

/** A rule by its name, and as data. */
function denied(
  { source, schema, name }: RuleSubject,
  operation: RuleOperation,
  role: string,
): Pick<Reason, 'rule' | 'denied'> {
  const subject = { source: { name: source.name }, schema, name };
  return { rule: ruleName(subject, operation, role), denied: { subject, operation } };
}
