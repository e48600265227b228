/** The row rules under test, and a program for each that isolates it. */

import {
  type AccessRules,
  type DeleteRule,
  EVERY_ROW,
  type SelectRule,
  type TableShape,
  type UpdateRule,
} from '../../../runtime/core/contract/shapes.ts';
import { displayName } from '../../../runtime/core/names.ts';
import { linkProgram } from '../../../runtime/core/program/program.ts';
import { createPlanner, type Planner } from '../../../runtime/core/request/planner.ts';
import type { SavedOptions } from '../../../runtime/core/saved/saved.ts';
import type { BooleanExpression, Model, ModelTable, Presets } from '../../model/model.ts';
import type { Plan } from '../../model/plan.ts';
import { planCondition } from '../../phases/4-plan/boolean-expression.ts';
import { programOf } from '../../phases/4-plan/program.ts';
import { comparedVariables } from '../lint/conditions.ts';

/** The part of a rule: the rows that may be read, changed or deleted, or the check on written or deleted rows. */
export type RuleKind = 'select' | 'insert check' | 'update' | 'update check' | 'delete' | 'delete check';

/** Whether rows that do not satisfy the rule make the request fail. */
export function isCheck(kind: RuleKind): boolean {
  return kind.endsWith(' check');
}

export interface TestSubject {
  /** `role · kind · table`. */
  readonly name: string;
  readonly source: string;
  readonly table: ModelTable;
  readonly role: string;
  readonly kind: RuleKind;
  readonly condition: BooleanExpression;
  /** Rule text. */
  readonly where: string;
  /** In lower case. */
  readonly variables: readonly string[];
  /** Columns that the server sets, which may need session variables of their own. */
  readonly presets: Presets;
}

/** Every rule of every role, by table; of one table where a key is given. */
export function subjectsOf({ sources }: Model, only?: string): TestSubject[] {
  return sources.flatMap(({ shape, tables }) =>
    tables.flatMap((table) => {
      if (only !== undefined && table.key !== only) return [];
      const subject = (
        kind: RuleKind,
        role: string,
        condition: BooleanExpression,
        presets: Presets = {},
      ): TestSubject => ({
        name: `${role} · ${kind} · ${displayName(table.shape.schema, table.shape.name)}`,
        source: shape.name,
        table,
        role,
        kind,
        condition,
        where: planCondition(shape, condition, 0),
        variables: comparedVariables(condition),
        presets,
      });
      const { select, insert, update, delete: remove } = table.permissions;
      return [
        ...Object.entries(select).map(([role, { filter }]) => subject('select', role, filter)),
        ...Object.entries(insert).map(([role, { check, presets }]) =>
          subject('insert check', role, check, presets),
        ),
        ...Object.entries(update).flatMap(([role, { filter, check, presets }]) => [
          subject('update', role, filter, presets),
          ...(check ? [subject('update check', role, check, presets)] : []),
        ]),
        ...Object.entries(remove).flatMap(([role, { filter, check }]) => [
          subject('delete', role, filter),
          ...(check ? [subject('delete check', role, check)] : []),
        ]),
      ];
    }),
  );
}

/**
 * The planner of a program in which the rules of one kind are tried: all other rules let everything through, so that no
 * rule hides the effect of another.
 */
export function planAlone(plan: Plan, kind: RuleKind): Plan {
  return changeAccess(plan, (access, { shape }) => {
    switch (kind) {
      case 'select':
        // A limit holds back rows that the rule lets through, and a role without root fields sees them by other ways. Rows
        // are told apart by their keys, which the role may not see.
        return {
          ...access,
          select: changeRules(access.select, ({ limit, queryRoots, cells, ...rule }: SelectRule) => ({
            ...rule,
            columns: Object.keys(shape.columns),
          })),
        };
      case 'update':
        return { ...access, update: changeRules(access.update, ({ check, ...rule }: UpdateRule) => rule) };
      case 'update check':
        return {
          ...access,
          update: changeRules(access.update, (rule: UpdateRule) => ({ ...rule, where: EVERY_ROW })),
        };
      case 'delete':
        return { ...access, delete: changeRules(access.delete, ({ check, ...rule }: DeleteRule) => rule) };
      case 'delete check':
        return {
          ...access,
          delete: changeRules(access.delete, (rule: DeleteRule) => ({ ...rule, where: EVERY_ROW })),
        };
      default:
        return access;
    }
  });
}

function changeAccess(
  plan: Plan,
  change: (access: AccessRules, table: { readonly shape: TableShape }) => AccessRules,
): Plan {
  return {
    ...plan,
    sources: plan.sources.map((source) => ({
      ...source,
      tables: source.tables.map((table) => ({
        ...table,
        access: change(table.access, table),
      })),
    })),
  };
}

function changeRules<Rule>(
  rules: Readonly<Record<string, Rule>> | undefined,
  change: (rule: Rule) => Rule,
): Readonly<Record<string, Rule>> {
  return Object.fromEntries(Object.entries(rules ?? {}).map(([role, rule]) => [role, change(rule)]));
}

/** The planner of what a plan serves. */
export function plannerOf(plan: Plan, serving: SavedOptions): Planner {
  return createPlanner(linkProgram(programOf(plan), serving), serving);
}
