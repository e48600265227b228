/** Mutants: rules weakened on purpose, which tests of permissions have to notice. */
import { parseCondition } from '../../../runtime/core/condition/parse.ts';
import { compareConditions } from '../../../runtime/core/condition/prove.ts';
import type { SourceShape } from '../../../runtime/core/shapes.ts';
import type { Condition } from '../../model/model.ts';
import { planCondition } from '../../phases/4-plan/boolean-expression.ts';
import { conditionWords } from '../../phases/4-plan/words.ts';

export interface Mutant {
  readonly condition: Condition;
  /** Rule text. */
  readonly where: string;
  /** The edit: `without status <> 'closed'`. */
  readonly what: string;
}

const EVERYTHING: Condition = { kind: 'and', conditions: [] };

/** Every weaker rule that one edit makes, without equivalent ones. */
export function mutantsOf(source: SourceShape, condition: Condition): Mutant[] {
  const original = planCondition(source, condition, 0);
  const before = parseCondition(original);
  const seen = new Set([original]);
  return edits(condition).flatMap(({ condition: edited, what }) => {
    const where = planCondition(source, edited, 0);
    if (seen.has(where) || compareConditions(before, parseCondition(where)) === 'same') return [];
    seen.add(where);
    return [{ condition: edited, where, what }];
  });
}

type Edit = Pick<Mutant, 'condition' | 'what'>;

function edits(condition: Condition): Edit[] {
  switch (condition.kind) {
    case 'and': {
      const { conditions } = condition;
      if (conditions.length === 0) return [];
      const without = conditions.map(
        (part, index): Edit => ({
          condition: { kind: 'and', conditions: conditions.filter((_, position) => position !== index) },
          what: `without ${conditionWords(part)}`,
        }),
      );
      const inside = conditions.flatMap((part, index) =>
        edits(part).map(
          (edit): Edit => ({
            ...edit,
            condition: { kind: 'and', conditions: conditions.with(index, edit.condition) },
          }),
        ),
      );
      const either: Edit[] =
        conditions.length > 1
          ? [
              {
                condition: { kind: 'or', conditions },
                what: `with or: ${conditionWords({ kind: 'or', conditions })}`,
              },
            ]
          : [];
      return [...without, ...either, ...inside];
    }
    case 'or':
      return condition.conditions.flatMap((part, index) =>
        edits(part).map(
          (edit): Edit => ({
            ...edit,
            condition: { kind: 'or', conditions: condition.conditions.with(index, edit.condition) },
          }),
        ),
      );
    case 'relationship':
    case 'exists':
    case 'computed-rows':
      return edits(condition.condition).map((edit) => ({
        ...edit,
        condition: { ...condition, condition: edit.condition },
      }));
    case 'not':
      return [{ condition: EVERYTHING, what: `without ${conditionWords(condition)}` }];
    default:
      return [{ condition: EVERYTHING, what: `without ${conditionWords(condition)}` }];
  }
}
