/**
 * What ledgers say about relationships: where they lead, where the rule of the related table is not asked again, and which
 * related rows updates may change.
 * @rule Which relationships along which a rule is not asked again does a ledger name, and why does the rule follow?
 */
import { implicationOf } from '../../../runtime/core/condition/implied.ts';
import { follows } from '../../../runtime/core/condition/join.ts';
import type { RelationshipShape } from '../../../runtime/core/contract/shapes.ts';
import { nameText } from '../../../runtime/core/program/facts.ts';
import { remember } from '../../../runtime/core/remember.ts';
import { offer } from '../../../runtime/core/schema/offer.ts';
import { relatedOperations } from '../../../runtime/core/schema/related-types.ts';
import { rulesOf } from '../../../runtime/core/schema/visible-table.ts';
import type { BooleanExpression, ModelTable } from '../../model/model.ts';
import type { PlannedTable } from '../../model/plan.ts';
import { conjunctsOf, planCondition } from './boolean-expression.ts';
import { conditionWords } from './words.ts';

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
  for (const [role, { filter, columns }] of Object.entries(permissions.select)) {
    for (const [relationship, shape] of Object.entries(planned.shape.relationships ?? {})) {
      const target = targets.get(shape.target);
      if (!target || !rulesOf(target.access, role).select) continue;
      if (shape.nested !== undefined) {
        if (columns.includes(shape.nested))
          add(
            role,
            `select relationship ${nameText(relationship)}: ${nameText(shape.target)} inside of the row`,
          );
        continue;
      }
      const pairs = [
        ...(shape.query ? [`rows of the native query ${nameText(shape.query.name)}`] : []),
        ...Object.entries(shape.columns).map(([from, to]) => `${nameText(to)} = ${nameText(from)}`),
        ...Object.entries(shape.given ?? {}).map(([argument, from]) => `{{${argument}}} = ${nameText(from)}`),
      ];
      add(
        role,
        `select relationship ${nameText(relationship)}: ${[nameText(shape.target), ...pairs].join(', ')}`,
      );
      const reason = reasonOf(role, filter, relationship, shape, target);
      if (reason !== undefined)
        add(
          role,
          `select through ${nameText(relationship)}: the rule of ${nameText(shape.target)} is not asked again, it follows from ${reason}`,
        );
    }
  }
}

/** Why a role's rule is not asked for the rows of a relationship; undefined where it is asked, or lets every row through. */
type Reason = (
  role: string,
  filter: BooleanExpression,
  name: string,
  relationship: RelationshipShape,
  target: PlannedTable,
) => string | undefined;

/** The decision is the fact of the access file; the parts of the rule from which it follows are looked for here. */
function createReasons({ shape, access }: PlannedTable): Reason {
  // Many roles have the same rules, of which a fact is the hash.
  const reasons = new Map<string, string>();
  return (role, filter, relationshipName, relationship, target) => {
    const { implies = {} } = rulesOf(access, role).select!;
    if (!Object.hasOwn(implies, relationshipName)) return undefined;
    const { where: asked } = rulesOf(target.access, role).select!;
    const key = JSON.stringify([relationshipName, implies[relationshipName], conditionWords(filter)]);
    return remember(reasons, key, () =>
      neededParts(filter, (part) => {
        const known = { shape, where: planCondition(shape.source, part, 0) };
        return follows(implicationOf(known, relationship, { shape: target.shape, where: asked }));
      }),
    );
  };
}

/** The parts of a rule from which something follows, as few as possible: without any of them it does not. */
function neededParts(rule: BooleanExpression, follows: (condition: BooleanExpression) => boolean): string {
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
        add(
          role,
          `update related ${nameText(relationship)}: ${operations.join(', ')} of ${nameText(target)}`,
        );
    }
  }
}

function own<Rule>(rules: Readonly<Record<string, Rule>>, role: string): Rule | undefined {
  return Object.hasOwn(rules, role) ? rules[role] : undefined;
}
