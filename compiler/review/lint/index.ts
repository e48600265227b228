/** The lint of permissions: every rule over every permission, in the order of the metadata. */
import { messages } from '../../../runtime/core/diagnostics/catalogue.ts';
import { at } from '../../../runtime/core/diagnostics/diagnostic.ts';
import {
  computedByColumn,
  definerFields,
  definerFunctions,
  disabledPolicies,
  literalWebhooks,
  wholeRowsByView,
} from './below.ts';
import { chosenOwner, everyColumn, givenAway, type UnindexedColumn, unindexedColumns } from './columns.ts';
import type { LintConfiguration } from './configuration.ts';
import { failingRules } from './failing-rules.ts';
import type { Found, LintFinding } from './finding.ts';
import { mutationsByGet, secretColumns, viewsOverFunctions, widerInherited } from './grants.ts';
import { computedByView, givenToFunction, shownByRelationship, shownByView } from './hidden-columns.ts';
import { orderedAggregates } from './ordered-aggregates.ts';
import type { LintInput, PlacedPermission, PlacedTable } from './place.ts';
import { decidingTables, looseReferences } from './references.ts';
import { lostPresets } from './remote-presets.ts';
import { misspeltRole } from './role-names.ts';
import { constantRules, emptyDemands, freeViews, orBranches, unknownVariables, widerWrites } from './rows.ts';
import { literalPresets, rulesWithoutSession } from './session.ts';
import { literalCredentials, unreadablePayloads } from './webhooks.ts';

type Rule = (
  table: PlacedTable,
  permission: PlacedPermission,
  input: LintInput,
  configuration: LintConfiguration,
) => readonly Found[];

/** Rules that look at one permission, by code. */
const LINT_RULES: Readonly<Record<string, Rule>> = {
  'or-branch-without-session': orBranches,
  // Reports rule-is-never-true, too.
  'rule-is-always-true': constantRules,
  'row-can-be-given-away': givenAway,
  'owner-can-be-chosen': chosenOwner,
  'rule-without-session': (table, permission, input, { publicRoles }) =>
    rulesWithoutSession(table, permission, input, publicRoles, [
      ...constantRules(table, permission, input),
      ...widerWrites(table, permission, input),
    ]),
  'reference-can-leave': (table, permission, input) =>
    decidingTables(table, permission, input, []).length > 0
      ? []
      : looseReferences(table, permission, input, ownerFindings(table, permission)),
  'deciding-table-writable': (table, permission, input) =>
    decidingTables(table, permission, input, ownerFindings(table, permission)),
  'preset-is-literal': literalPresets,
  'inherited-role-wider': widerInherited,
  'role-used-once': misspeltRole,
  'secret-column-granted': secretColumns,
  'view-over-function': viewsOverFunctions,
  'all-columns-granted': (table, permission, _input, { publicRoles }) =>
    everyColumn(table, permission, publicRoles),
  'hidden-column-shown-by-view': shownByView,
  'hidden-column-computed-by-view': computedByView,
  'hidden-column-computed': computedByColumn,
  'whole-row-computed-by-view': wholeRowsByView,
  'function-security-definer': definerFields,
  'policies-disabled': disabledPolicies,
  'hidden-column-shown-by-relationship': shownByRelationship,
  'hidden-column-given-to-function': givenToFunction,
  'view-without-row-rule': freeViews,
  'write-wider-than-read': widerWrites,
  // Reports column-compared-with-itself, too.
  'exists-not-correlated': emptyDemands,
  'rule-can-fail': failingRules,
  'variable-not-supplied': (table, permission, { vocabulary }, { sessionVariables }) =>
    unknownVariables(table, permission, sessionVariables, vocabulary),
};

/** Findings about who a row belongs to: one cause, which other rules would report again. */
function ownerFindings(table: PlacedTable, permission: PlacedPermission): Found[] {
  return [...givenAway(table, permission), ...chosenOwner(table, permission)];
}

export const LINT_CODES: ReadonlySet<string> = new Set([
  ...Object.keys(LINT_RULES),
  'rule-is-never-true',
  'column-compared-with-itself',
  'rule-column-without-index',
  'aggregates-readable-by-order',
  'mutation-by-get',
  'payload-column-unreadable',
  'credential-in-metadata',
  'webhook-is-literal',
  'remote-preset-lost',
]);

/** Runs every rule. */
export function lint(input: LintInput, configuration: LintConfiguration): LintFinding[] {
  const findings = input.tables.flatMap((table) =>
    table.permissions.flatMap((permission) =>
      Object.values(LINT_RULES).flatMap((rule) =>
        rule(table, permission, input, configuration).map((found) => findingOf(found, table, permission)),
      ),
    ),
  );
  return [
    ...findings,
    ...orderedAggregates(input),
    ...mutationsByGet(input),
    ...unreadablePayloads(input),
    ...literalCredentials(input),
    ...literalWebhooks(input),
    ...definerFunctions(input),
    ...lostPresets(input),
    ...missingIndexes(input),
  ];
}

function findingOf(
  { columns = [], cause, ...diagnostic }: Found,
  { model: { key }, name }: PlacedTable,
  { role, operation }: PlacedPermission,
): LintFinding {
  return {
    diagnostic,
    tables: [key, name],
    columns,
    role,
    operation,
    place: `${operation} of ${name}`,
    cause,
  };
}

/** One finding a column, at the first rule that needs the index, however many do. */
function missingIndexes(input: LintInput): LintFinding[] {
  const users = new Map<string, { readonly place: UnindexedColumn; readonly rules: PlacedPermission[] }>();
  for (const table of input.tables)
    for (const permission of table.permissions)
      for (const place of unindexedColumns(table, permission, input)) {
        const key = JSON.stringify([place.target.source, place.target.model.key, place.column]);
        const known = users.get(key) ?? { place, rules: [] };
        if (!known.rules.includes(permission)) known.rules.push(permission);
        users.set(key, known);
      }
  return [...users.values()].map(({ place: { target, column }, rules }) => {
    const [first, ...others] = rules;
    const { role, operation, path } = first!;
    const more = others.length === 0 ? '' : ` So do ${others.length} more.`;
    const message = messages.ruleColumnWithoutIndex({ role, operation, column, target: target.name, more });
    return {
      diagnostic: at([...path, 'filter'], message),
      tables: [target.model.key, target.name],
      columns: [column],
      role,
      place: operation,
      cause: [target.source, target.model.key, column],
    };
  });
}
