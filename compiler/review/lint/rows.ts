/** Rules of the lint about which rows a permission lets through. */

import { parseCondition } from '../../../runtime/core/condition/parse.ts';
import { implies, isAlwaysTrue, isNeverTrue } from '../../../runtime/core/condition/prove.ts';
import { messages } from '../../../runtime/core/diagnostics/catalogue.ts';
import type { Message } from '../../../runtime/core/diagnostics/diagnostic.ts';
import { nearest } from '../../../runtime/core/diagnostics/nearest.ts';
import { isObject } from '../../../runtime/core/json/json.ts';
import { displayName } from '../../../runtime/core/names.ts';
import type { Vocabulary } from '../../../runtime/core/vocabulary.ts';
import type { Json, JsonObject, MetadataPath } from '../../../runtime/metadata/metadata.ts';
import { namesSession } from '../../../runtime/metadata/values.ts';
import { comparedVariables, dependsOnSession, visitConditions } from './conditions.ts';
import { about, causedBy, type Found } from './finding.ts';
import type { LintInput, PlacedPermission, PlacedTable } from './place.ts';
import { looseExists, tiesOfWritten } from './ties.ts';

/** An `_or` with one branch that is tied to the session and one that is not, without a session condition around it. */
export function orBranches(
  table: PlacedTable,
  permission: PlacedPermission,
  { vocabulary }: LintInput,
): Found[] {
  const { filter } = permission.written;
  if (!filter || permission.operation === 'insert') return [];
  const found: Found[] = [];
  const hasSession = (value: Json) => namesSession(value, vocabulary);
  const report = (written: Json, place: MetadataPath) => {
    const branch = JSON.stringify(written);
    const message = messages.orBranchWithoutSession({ ...permissionNames(table, permission), branch });
    found.push(causedBy(place, message, [table.source, table.model.key, branch]));
  };
  const look = (value: JsonObject, path: MetadataPath): void => {
    for (const [key, part] of Object.entries(value)) {
      // Conditions beside the _or apply to the rows of every branch.
      const isGuarded = Object.entries(value).some(([other, beside]) => other !== key && hasSession(beside));
      if (isGuarded) continue;
      // Conditions on a relationship or another table can have branches, too.
      if (isObject(part)) (key === '_not' ? lookNegated : look)(part, [...path, key]);
      if (!Array.isArray(part)) continue;
      if (key === '_or') lookAtBranches(part, [...path, key]);
      if (key !== '_and') continue;
      part.forEach((each: Json, index: number) => {
        const others = part.filter((_, position) => position !== index);
        if (isObject(each) && !others.some(hasSession)) look(each, [...path, key, index]);
      });
    }
  };
  /** By De Morgan, what holds together is an _or when it is negated. */
  const lookNegated = (value: JsonObject, path: MetadataPath): void => {
    const parts = conjunctsOf(value, path);
    const isBound = parts.map(([part]) => hasSession(part));
    parts.forEach(([part, place], index) => {
      const inner = part._not;
      if (isBound[index]) {
        if (isObject(inner)) look(inner, [...place, '_not']);
      } else if (isBound.includes(true)) {
        report(isObject(inner) ? inner : { _not: part }, place);
      }
    });
  };
  const lookAtBranches = (branches: readonly Json[], path: MetadataPath): void => {
    const isBound = branches.map(hasSession);
    branches.forEach((branch, index) => {
      if (isBound[index] || !isBound.includes(true)) {
        if (isBound[index] && isObject(branch)) look(branch, [...path, index]);
        return;
      }
      report(branch, [...path, index]);
    });
  };
  look(filter, [...permission.path, 'filter']);
  return found;
}

/** The conditions of an object that hold together, each with its place. */
function conjunctsOf(value: JsonObject, path: MetadataPath): [JsonObject, MetadataPath][] {
  return Object.entries(value).flatMap(([key, part]): [JsonObject, MetadataPath][] =>
    key === '_and' && Array.isArray(part)
      ? part.flatMap((each: Json, index: number) =>
          isObject(each) ? conjunctsOf(each, [...path, key, index]) : [],
        )
      : [[{ [key]: part } as JsonObject, path]],
  );
}

export function permissionNames(table: PlacedTable, { role, operation }: PlacedPermission) {
  return { role, operation, table: table.name };
}

/** Conditions that are always true, or never. */
export function constantRules(
  table: PlacedTable,
  permission: PlacedPermission,
  { knowledge }: LintInput,
): Found[] {
  const { written, rule: own, path, operation } = permission;
  const look = (key: 'filter' | 'check', text: string | undefined): Found[] => {
    const condition = written[key];
    if (text === undefined || !condition || Object.keys(condition).length === 0) return [];
    const report = (message: Message) => [
      causedBy([...path, key], message, [table.source, table.model.key, text]),
    ];
    const rule = parseCondition(text);
    const known = knowledge(table, key === 'check' && operation !== 'delete');
    const follows =
      key === 'check' && operation === 'delete' && implies(parseCondition(own.where!), rule, known);
    if (follows || isAlwaysTrue(rule, known))
      return report(messages.ruleIsAlwaysTrue(permissionNames(table, permission)));
    return isNeverTrue(rule, known)
      ? report(messages.ruleIsNeverTrue(permissionNames(table, permission)))
      : [];
  };
  return [...look('filter', own.where), ...look('check', own.check)];
}

/** Comparisons of a column with itself, and other tables that are asked for nothing of the row. */
export function emptyDemands(table: PlacedTable, permission: PlacedPermission): Found[] {
  return (['filter', 'check'] as const).flatMap((key) => {
    const condition = permission[key];
    if (!condition) return [];
    const found = new Map<string, Found>();
    const place = [...permission.path, key];
    visitConditions(condition, (part, isOwnRow) => {
      if (part.kind === 'column-comparison' && part.left.kind === 'column') {
        const isItself = part.column === part.left.column && (isOwnRow || part.of !== 'root');
        if (isItself)
          found.set(
            part.column,
            about(
              table,
              place,
              messages.columnComparedWithItself({
                ...permissionNames(table, permission),
                column: part.column,
              }),
              [part.column],
            ),
          );
      }
    });
    const known = key === 'check' ? tiesOfWritten(permission) : undefined;
    for (const loose of looseExists(condition, known)) {
      const other = displayName(loose.target.schema, loose.target.name);
      const cause = [table.source, JSON.stringify(loose)];
      const message = messages.existsNotCorrelated({ ...permissionNames(table, permission), other });
      found.set(cause.join(' '), causedBy(place, message, cause));
    }
    return [...found.values()];
  });
}

/** Updates and deletes without a session variable, by a role whose reading has one. */
export function widerWrites(
  table: PlacedTable,
  permission: PlacedPermission,
  { knowledge }: LintInput,
): Found[] {
  const { operation, filter, role, path } = permission;
  if ((operation !== 'update' && operation !== 'delete') || !filter || dependsOnSession(filter)) return [];
  const read = table.permissions.find((each) => each.operation === 'select' && each.role === role);
  if (!read?.filter || !dependsOnSession(read.filter)) return [];
  const { where } = permission.rule;
  if (implies(parseCondition(where!), parseCondition(read.rule.where!), knowledge(table, false))) return [];
  const message = messages.writeWiderThanRead(permissionNames(table, permission));
  return [causedBy([...path, 'filter'], message, [table.source, table.model.key, where])];
}

/** Views that show columns of a table, for a role that is bound there and not here. */
export function freeViews(view: PlacedTable, permission: PlacedPermission, { tableOf }: LintInput): Found[] {
  if (permission.operation !== 'select' || !permission.filter || dependsOnSession(permission.filter))
    return [];
  const { columns, below } = view.model.shape;
  const computes = permission.columns.some((column) => !columns[column]?.origin);
  const shown = new Set([
    ...permission.columns.flatMap((column) => columns[column]?.origin?.table ?? []),
    ...(below && computes ? Object.keys(below.reads ?? {}) : []),
  ]);
  return [...shown].flatMap((key) => {
    const table = tableOf(view.source, key);
    const read = table?.permissions.find(
      (each) => each.operation === 'select' && each.role === permission.role,
    );
    if (!table || !read?.filter || !dependsOnSession(read.filter)) return [];
    const message = messages.viewWithoutRowRule({
      role: permission.role,
      table: table.name,
      view: view.name,
    });
    return [causedBy([...permission.path, 'filter'], message, [view.source, view.model.key, key])];
  });
}

/** Variables that no session has. */
export function unknownVariables(
  table: PlacedTable,
  permission: PlacedPermission,
  supplied: readonly string[] | undefined,
  vocabulary: Vocabulary,
): Found[] {
  if (!supplied) return [];
  const known = new Set([
    'x-engine-role',
    ...supplied.map((name) => vocabulary.toCanonical(name) ?? name.toLowerCase()),
  ]);
  return (['filter', 'check'] as const).flatMap((key) => {
    const condition = permission[key];
    if (!condition) return [];
    return comparedVariables(condition)
      .filter((variable) => !known.has(variable))
      .map((variable) => {
        const near = nearest(variable, known);
        return causedBy(
          [...permission.path, key],
          messages.variableNotSupplied({
            ...permissionNames(table, permission),
            variable: vocabulary.fromCanonical(variable),
            ...(near !== undefined && { nearest: vocabulary.fromCanonical(near) }),
          }),
          [variable],
        );
      });
  });
}
