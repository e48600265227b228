/** Rules of the lint about permissions that do without the session where others have it. */
import { readsSession } from '../../../runtime/core/condition/reads.ts';
import type { RuleText } from '../../../runtime/core/contract/shapes.ts';
import { messages } from '../../../runtime/core/diagnostics/catalogue.ts';
import { remember } from '../../../runtime/core/remember.ts';
import { sessionVariable } from '../../../runtime/metadata/values.ts';
import { variablesBinding } from '../bound.ts';
import { boundColumns } from './conditions.ts';
import { about, causedBy, type Found } from './finding.ts';
import type { LintInput, PlacedPermission, PlacedTable } from './place.ts';
import { permissionNames } from './rows.ts';

const hasSession = (text: RuleText | undefined) => text !== undefined && readsSession(text);

/** Memo: the input of lint never changes. */
const bound = new WeakMap<LintInput, ReadonlySet<string>>();

/** Roles with a rule that reads the session. */
function boundRoles(input: LintInput): ReadonlySet<string> {
  return remember(
    bound,
    input,
    () =>
      new Set(
        input.tables.flatMap(({ permissions }) =>
          permissions
            .filter(({ rule }) => hasSession(rule.where) || hasSession(rule.check))
            .map(({ role }) => role),
        ),
      ),
  );
}

/**
 * Rows without a session variable, on a table whose rows other rules tie to the session.
 * @param known findings about the rule that say the same
 */
export function rulesWithoutSession(
  table: PlacedTable,
  permission: PlacedPermission,
  input: LintInput,
  publicRoles: readonly string[],
  known: readonly Found[],
): Found[] {
  const { role, path } = permission;
  const { where } = permission.rule;
  if (known.length > 0 || !boundRoles(input).has(role)) return [];
  if (where === undefined || hasSession(where) || publicRoles.includes(role)) return [];
  const isOwned = table.permissions.some(
    (each) => each !== permission && variablesBinding(each.rule.where).size > 0,
  );
  if (!isOwned) return [];
  return [
    causedBy([...path, 'filter'], messages.ruleWithoutSession(permissionNames(table, permission)), [
      role,
      where,
    ]),
  ];
}

/** Literals where other rules of the role compare with the session. */
export function literalPresets(
  table: PlacedTable,
  permission: PlacedPermission,
  { vocabulary }: LintInput,
): Found[] {
  const { role, written, path } = permission;
  return Object.entries(written.set ?? {}).flatMap(([column, value]): Found[] => {
    if (sessionVariable(value, vocabulary) !== undefined) return [];
    // The rules of the role itself say most.
    const others = table.permissions.toSorted(
      (left, right) => Number(right.role === role) - Number(left.role === role),
    );
    for (const other of others) {
      if (!other.filter) continue;
      const bound = boundColumns(other.filter).find((each) => each.column === column);
      if (bound?.variable === undefined) continue;
      const facts = { role, column, table: table.name, other: other.operation, variable: bound.variable };
      return [about(table, [...path, 'set', column], messages.presetIsLiteral(facts), [column])];
    }
    return [];
  });
}
