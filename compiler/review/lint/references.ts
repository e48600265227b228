/** Rules of the lint about references to rows of others, and about tables that decide what others may see. */
import { parseCondition } from '../../../runtime/core/condition/parse.ts';
import { columnsOfRule, readsSession, tableOfItem } from '../../../runtime/core/condition/reads.ts';
import { isSession, type Token } from '../../../runtime/core/condition/tokens.ts';
import type { Condition } from '../../../runtime/core/condition/tree.ts';
import { EVERY_ROW } from '../../../runtime/core/contract/shapes.ts';
import { messages } from '../../../runtime/core/diagnostics/catalogue.ts';
import { remember } from '../../../runtime/core/remember.ts';
import { sessionVariable } from '../../../runtime/metadata/values.ts';
import { referencesOf, variablesBinding, variablesBindingReference } from '../bound.ts';
import { about, causedBy, type Found } from './finding.ts';
import type { LintInput, PlacedPermission, PlacedTable } from './place.ts';
import { permissionNames } from './rows.ts';

/**
 * References that a role writes to rows which it reads by session only, without a check on them.
 * @param known findings about the permission's columns that say the same
 */
export function looseReferences(
  table: PlacedTable,
  permission: PlacedPermission,
  { tableOf, vocabulary }: LintInput,
  known: readonly Found[],
): Found[] {
  const { operation, role, columns, rule, path } = permission;
  if (operation !== 'insert' && operation !== 'update') return [];
  return referencesOf(table.model.shape).flatMap((reference) => {
    const written = reference.columns.filter((name) => columns.includes(name));
    const target = tableOf(table.source, reference.target);
    if (written.length === 0 || !target || !isOwned(target, role)) return [];
    if (written.some((name) => known.some((each) => each.columns?.includes(name)))) return [];
    const isHeld = (name: string) =>
      sessionVariable(permission.written.set?.[name] ?? null, vocabulary) !== undefined ||
      variablesBindingReference(rule.check, [name]).size > 0 ||
      (operation === 'update' &&
        !columns.includes(name) &&
        variablesBindingReference(rule.where, [name]).size > 0);
    if (variablesBindingReference(rule.check, reference.columns).size > 0 || reference.columns.some(isHeld))
      return [];
    const quoted = written.map((name) => `"${name}"`).join(', ');
    const facts = { ...permissionNames(table, permission), columns: quoted, target: target.name };
    return [about(table, [...path, 'columns'], messages.referenceCanLeave(facts), written, target.model.key)];
  });
}

/** By the rule of the role, or by those of others where it has none. */
function isOwned(target: PlacedTable, role: string): boolean {
  const readers = target.permissions.filter(({ operation }) => operation === 'select');
  const own = readers.filter((each) => each.role === role);
  return (own.length > 0 ? own : readers).some(({ rule }) => variablesBinding(rule.where).size > 0);
}

/**
 * Tables in which rules of others look for rows of the session, and which a role writes without a check that has any.
 * @param known findings about the permission's columns that say the same
 */
export function decidingTables(
  table: PlacedTable,
  permission: PlacedPermission,
  input: LintInput,
  known: readonly Found[],
): Found[] {
  const { operation, rule, columns, path } = permission;
  if ((operation !== 'insert' && operation !== 'update') || known.length > 0) return [];
  if (rule.check !== undefined && readsSession(rule.check)) return [];
  const deciding = decidingRules(input).get(table);
  const users = [...(deciding ?? [])].flatMap(([other, asked]) =>
    other !== table && asked.some((names) => names.some((name) => columns.includes(name))) ? [other] : [],
  );
  if (users.length === 0) return [];
  const facts = { ...permissionNames(table, permission), users: users.map(({ name }) => name).join(', ') };
  const cause = [table.source, table.model.key, facts.users];
  return [causedBy([...path, 'check'], messages.decidingTableWritable(facts), cause)];
}

type Deciding = ReadonlyMap<PlacedTable, ReadonlyMap<PlacedTable, readonly (readonly string[])[]>>;

/** Memo: the input of lint never changes. */
const known = new WeakMap<LintInput, Deciding>();

/**
 * By table the tables with rules that compare its rows with the session, and the columns that each of the rules asks for. A
 * permission decides if clients write one by it; what presets write no client chooses.
 */
function decidingRules(input: LintInput): Deciding {
  return remember(known, input, () => {
    const found = new Map<PlacedTable, Map<PlacedTable, (readonly string[])[]>>();
    for (const other of input.tables)
      for (const where of new Set(other.permissions.map((each) => each.rule.where ?? EVERY_ROW))) {
        const compared = sessionComparisons(parseCondition(where), new Map());
        if (compared.size === 0) continue;
        const columns = columnsOfRule(where, other.model.key);
        for (const key of compared) {
          const table = input.tableOf(other.source, key);
          const asked = columns.flatMap(([of, name]) => (of === key ? [name] : []));
          if (!table || asked.length === 0) continue;
          const users = remember(found, table, () => new Map<PlacedTable, (readonly string[])[]>());
          remember(users, other, (): (readonly string[])[] => []).push(asked);
        }
      }
    return found;
  });
}

/** Tables, beside the rule's own row, with a column that a condition compares with the session. */
function sessionComparisons(condition: Condition, outer: ReadonlyMap<Token, string>): Set<string> {
  switch (condition.kind) {
    case 'and':
    case 'or':
      return new Set(condition.parts.flatMap((part) => [...sessionComparisons(part, outer)]));
    case 'guarded':
      return new Set(
        [condition.when, condition.part].flatMap((part) => [...sessionComparisons(part, outer)]),
      );
    case 'not':
      return sessionComparisons(condition.part, outer);
    case 'exists': {
      const aliases = new Map(outer);
      for (const { tokens, alias } of condition.from) {
        const key = tokens && tableOfItem(tokens);
        if (key === undefined) aliases.delete(alias);
        else aliases.set(alias, key);
      }
      const parts = [...condition.from.flatMap(({ on }) => on ?? []), condition.where];
      return new Set(parts.flatMap((part) => [...sessionComparisons(part, aliases)]));
    }
    case 'leaf': {
      const { tokens = [] } = condition;
      if (!tokens.some(isSession)) return new Set();
      return new Set(
        tokens.flatMap((token, index) => {
          const key = tokens[index + 1] === '.' ? outer.get(token) : undefined;
          return key ?? [];
        }),
      );
    }
  }
}
