/**
 * What a permission says about a role and a table, as data: the rule of its access file, one aspect for each key. Whatever
 * prints, compares, renames or proves permissions has a table over the aspects, so that the compiler names each place where a
 * new aspect has to be thought of.
 * @rule What can a permission say, aspect by aspect?
 */

import type { AccessRules, DeleteRule, InsertRule, RuleText, SelectRule, UpdateRule } from './shapes.ts';

/** The rules of one role, by operation. */
export interface OperationRules {
  readonly select: SelectRule;
  readonly insert: InsertRule;
  readonly update: UpdateRule;
  readonly delete: DeleteRule;
}

export type TableOperation = keyof OperationRules;

/** What a rule of each operation can say. */
export const ASPECTS: {
  readonly [Operation in TableOperation]: Readonly<Record<keyof OperationRules[Operation], true>>;
} = {
  select: {
    columns: true,
    computedFields: true,
    where: true,
    canFail: true,
    implies: true,
    limit: true,
    aggregations: true,
    queryRoots: true,
    subscriptionRoots: true,
    cells: true,
  },
  insert: {
    columns: true,
    check: true,
    checkMessage: true,
    presets: true,
    backendOnly: true,
    validateInput: true,
  },
  update: {
    columns: true,
    where: true,
    check: true,
    checkMessage: true,
    presets: true,
    backendOnly: true,
    validateInput: true,
  },
  delete: { where: true, check: true, checkMessage: true, backendOnly: true, validateInput: true },
};

/** In the order in which they are printed. */
export const OPERATIONS = Object.keys(ASPECTS) as readonly TableOperation[];

/** Everything that a rule of any operation can say. */
export type AnyRule = Partial<SelectRule & InsertRule & UpdateRule & DeleteRule>;

export type Aspect = keyof AnyRule;

/** Aspects that people are shown. Root fields are listed instead of the keys that withhold them; the rest grants and denies nothing. */
const IS_SHOWN = {
  columns: true,
  computedFields: true,
  where: true,
  check: true,
  checkMessage: true,
  limit: true,
  aggregations: true,
  backendOnly: true,
  validateInput: true,
  presets: true,
  cells: true,
  queryRoots: false,
  subscriptionRoots: false,
  canFail: false,
  implies: false,
} as const satisfies Record<Aspect, boolean>;

export type ShownAspect = { [Key in Aspect]: (typeof IS_SHOWN)[Key] extends true ? Key : never }[Aspect];
export const SHOWN_ASPECTS = (Object.keys(IS_SHOWN) as Aspect[]).filter(
  (aspect): aspect is ShownAspect => IS_SHOWN[aspect],
);

/** A function for each aspect that a rule can have. */
export type ByAspect<Result, More extends readonly unknown[] = [], Each extends Aspect = Aspect> = {
  readonly [Key in Each]: (value: NonNullable<AnyRule[Key]>, ...more: More) => Result;
};

/** The results for all aspects of the table that a rule has, in the order of the table. */
export function eachAspect<Result, More extends readonly unknown[]>(
  rule: AnyRule,
  table: ByAspect<Result, More, ShownAspect>,
  ...more: More
): Result[] {
  return (Object.keys(table) as ShownAspect[]).flatMap((aspect) => {
    const value = rule[aspect];
    if (value === undefined) return [];
    // A function of the table takes the values of its own key.
    return [(table[aspect] as (value: unknown, ...more: More) => Result)(value, ...more)];
  });
}

/** The rule of a role in an access file. Names of roles are data: inherited properties of the record do not count. */
export function ruleOf<Operation extends TableOperation>(
  access: AccessRules,
  operation: Operation,
  role: string | undefined,
): OperationRules[Operation] | undefined {
  const rules: Readonly<Record<string, OperationRules[TableOperation]>> | undefined = access[operation];
  return rules && role !== undefined && Object.hasOwn(rules, role)
    ? (rules[role] as OperationRules[Operation])
    : undefined;
}

/** A text of a rule. `column`: of a cell or preset, the column or computed field that it decides about. */
export type TextPart =
  | { readonly part: 'where' | 'check'; readonly text: RuleText }
  | { readonly part: 'cell' | 'preset'; readonly column: string; readonly text: RuleText };

/** All texts of a rule: conditions, then presets. */
export function textPartsOf(rule: AnyRule): TextPart[] {
  return eachAspect(rule, TEXTS).flat();
}

const none = (): TextPart[] => [];
const ofColumns =
  (part: 'cell' | 'preset') =>
  (texts: Readonly<Record<string, RuleText>>): TextPart[] =>
    Object.entries(texts).map(([column, text]) => ({ part, column, text }));

const TEXTS: ByAspect<TextPart[]> = {
  where: (text) => [{ part: 'where', text }],
  check: (text) => [{ part: 'check', text }],
  cells: ofColumns('cell'),
  presets: ofColumns('preset'),
  columns: none,
  computedFields: none,
  checkMessage: none,
  canFail: none,
  implies: none,
  limit: none,
  aggregations: none,
  queryRoots: none,
  subscriptionRoots: none,
  backendOnly: none,
  validateInput: none,
};
