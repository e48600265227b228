/** Permissions as the console shows them: in letters, and in words. */
import { ruleLayout, ruleWords } from '../core/condition/words.ts';
import {
  type DeleteRule,
  type InsertRule,
  isOpen,
  type SelectRule,
  type UpdateRule,
} from '../core/contract/shapes.ts';
import type { Vocabulary } from '../core/vocabulary.ts';
import type { AccessPermission } from './questions.ts';

export const OPERATIONS = ['select', 'insert', 'update', 'delete'] as const;
export type Operation = (typeof OPERATIONS)[number];

/** A rule of any operation. */
export type AnyRule = Partial<SelectRule & InsertRule & UpdateRule & DeleteRule>;

/**
 * The letters of what a role may do with a table, and their marks: see AccessLine. Empty for nothing.
 * @param offered operations to which root fields lead
 */
export function variantText(
  ruleOf: (operation: Operation) => AnyRule | undefined,
  offered: ReadonlySet<Operation>,
): string {
  let text = '';
  let marks = '';
  for (const operation of OPERATIONS) {
    const rule = ruleOf(operation);
    const [letter = ''] = operation;
    text += !rule ? '-' : isOpen(rule) ? letter.toUpperCase() : letter;
    marks += !rule ? '.' : !offered.has(operation) ? 'h' : rule.backendOnly ? 'b' : '.';
  }
  if (text === '----') return '';
  return marks === '....' ? text : text + marks;
}

/** @param fields root fields that lead to it */
export function permissionInWords(
  rule: AnyRule,
  { role, operation, fields }: Pick<AccessPermission, 'role' | 'operation' | 'fields'>,
  vocabulary: Vocabulary,
): AccessPermission {
  const { columns, computedFields, where, check, presets, cells, limit } = rule;
  const { checkMessage, aggregations, backendOnly, validateInput } = rule;
  return {
    ...{ role, operation, isOpen: isOpen(rule), fields },
    ...(columns && { columns }),
    ...(computedFields && { computedFields }),
    ...(where !== undefined && { where: ruleLayout(where, vocabulary) }),
    ...(check !== undefined && { check: ruleLayout(check, vocabulary) }),
    ...(checkMessage !== undefined && { checkMessage }),
    ...(presets && { presets: inWords(presets, vocabulary) }),
    ...(cells && { cells: inWords(cells, vocabulary) }),
    ...(limit !== undefined && { limit }),
    ...(aggregations && { aggregations }),
    ...(backendOnly && { backendOnly }),
    ...(validateInput && { validatedBy: validateInput.url }),
  };
}

function inWords(rules: Readonly<Record<string, string>>, vocabulary: Vocabulary): Record<string, string> {
  return Object.fromEntries(Object.entries(rules).map(([name, text]) => [name, ruleWords(text, vocabulary)]));
}

const RELATIONS = {
  table: 'table',
  partitioned: 'partitioned table',
  view: 'view',
  materialized: 'materialized view',
  foreign: 'foreign table',
} as const;

/** The name of a kind of relation. */
export function relationWords<Kind extends keyof typeof RELATIONS>(kind: Kind): (typeof RELATIONS)[Kind] {
  return RELATIONS[kind];
}
