/**
 * What ledgers say about relationships: where they lead, where the rule of the related table is not asked again, and which
 * related rows updates may change.
 * @rule Which relationships along which a rule is not asked again does a ledger name, and why does the rule follow?
 */
import { followsThrough } from '../../../runtime/core/condition/join.ts';
import { type Rule, readRule } from '../../../runtime/core/condition/rule.ts';
import { EVERY_ROW, type RelationshipShape, type RuleText } from '../../../runtime/core/contract/shapes.ts';
import { remember } from '../../../runtime/core/remember.ts';
import { offer } from '../../../runtime/core/schema/offer.ts';
import { relatedOperations } from '../../../runtime/core/schema/related-types.ts';
import { rulesOf } from '../../../runtime/core/schema/visible-table.ts';
import type { Condition, ModelTable } from '../../model/model.ts';
import type { PlannedTable } from '../../model/plan.ts';
import { conjunctsOf, planCondition } from './boolean-expression.ts';
import { conditionWords, name } from './words.ts';

type Add = (role: string, fact: string) => void;

/**
 * Relationships to tables that the role may select from, too. A row rule that statements leave out along a relationship gets
 * a line of its own, which does not repeat the rules: it comes and goes with the decision, not with each change of a rule.
 * @param planned the table with the rules that run
 * @param targets the tables that relationships lead to, by key
 */
export function addRelationships(
  add: Add,
  { permissions }: ModelTable,
  planned: PlannedTable,
  targets: ReadonlyMap<string, PlannedTable>,
): void {
  const reasonOf = createReasons(planned);
  for (const [role, { filter }] of Object.entries(permissions.select)) {
    for (const [relationship, shape] of Object.entries(planned.shape.relationships ?? {})) {
      const target = targets.get(shape.target);
      if (!target || !rulesOf(target.access, role).select) continue;
      const pairs = Object.entries(shape.columns).map(([from, to]) => `${name(to)} = ${name(from)}`);
      add(role, `select relationship ${name(relationship)}: ${[name(shape.target), ...pairs].join(', ')}`);
      const reason = reasonOf(role, filter, shape, target);
      if (reason !== undefined)
        add(
          role,
          `select through ${name(relationship)}: the rule of ${name(shape.target)} is not asked again, it follows from ${reason}`,
        );
    }
  }
}

/** Why a role's rule is not asked for the rows of a relationship; undefined where it is asked, or lets every row through. */
type Reason = (
  role: string,
  filter: Condition,
  relationship: RelationshipShape,
  target: PlannedTable,
) => string | undefined;

/** The decision is the one that statements are made by, about the same texts. */
function createReasons({ shape, access }: PlannedTable): Reason {
  const rules = new Map<RuleText, Rule>();
  const read = (text: RuleText) => remember(rules, text, () => readRule(text));
  // Many roles have the same rules.
  const reasons = new Map<RelationshipShape, Map<string, string>>();
  return (role, filter, relationship, target) => {
    const known = rulesOf(access, role).select!.where;
    const asked = rulesOf(target.access, role).select!.where;
    if (asked === EVERY_ROW) return undefined;
    const to = { shape: target.shape, rule: read(asked) };
    const follows = (rule: RuleText) => followsThrough({ shape, rule: read(rule) }, relationship, to);
    const ofRelationship = remember(reasons, relationship, () => new Map<string, string>());
    const reason = remember(ofRelationship, JSON.stringify([known, asked, conditionWords(filter)]), () =>
      follows(known) ? neededParts(filter, (part) => follows(planCondition(shape.source, part, 0))) : '',
    );
    return reason === '' ? undefined : reason;
  };
}

/** The parts of a rule from which something follows, as few as possible: without any of them it does not. */
function neededParts(rule: Condition, follows: (condition: Condition) => boolean): string {
  const all = conjunctsOf(rule);
  let needed = all;
  for (const part of all) {
    const others = needed.filter((each) => each !== part);
    if (follows({ kind: 'and', conditions: others })) needed = others;
  }
  if (needed.length === 0) return 'the join';
  return needed.length === all.length
    ? '"select where"'
    : conditionWords({ kind: 'and', conditions: needed });
}

/** What updates may do with rows of other tables along relationships. */
export function addRelated(
  add: Add,
  { shape, permissions }: ModelTable,
  targets: readonly ModelTable[],
): void {
  const field = { kind: 'update', root: 'mutation' } as const;
  for (const [role, permission] of Object.entries(permissions.update)) {
    // Without a field that updates the rows there is nothing to be related to.
    if (offer(shape, { update: permission }, field, true) !== true) continue;
    for (const [relationship, { kind, target }] of Object.entries(shape.relationships ?? {})) {
      const other = targets.find(({ key }) => key === target);
      if (!other) continue;
      const [insert, update, remove] = [
        own(other.permissions.insert, role),
        own(other.permissions.update, role),
        own(other.permissions.delete, role),
      ];
      const rules = {
        ...(insert && { insert }),
        ...(update && { update }),
        ...(remove && { delete: remove }),
      };
      const operations = relatedOperations({ shape: other.shape, rules }, kind, true);
      if (operations.length > 0)
        add(role, `update related ${name(relationship)}: ${operations.join(', ')} of ${name(target)}`);
    }
  }
}

function own<Rule>(rules: Readonly<Record<string, Rule>>, role: string): Rule | undefined {
  return Object.hasOwn(rules, role) ? rules[role] : undefined;
}
