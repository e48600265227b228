/** Permissions as the console shows them: in letters, and in words. */
import { ruleLayout, ruleWords } from '../core/condition/words.ts';
import {
  type AnyRule,
  type ByAspect,
  eachAspect,
  OPERATIONS,
  type ShownAspect,
  type TableOperation,
} from '../core/contract/aspects.ts';
import { isOpen } from '../core/contract/shapes.ts';
import type { Vocabulary } from '../core/vocabulary.ts';
import type { AccessPermission } from './questions.ts';

/**
 * The letters of what a role may do with a table, and their marks: see AccessLine. Empty for nothing.
 * @param offered operations to which root fields lead
 */
export function variantText(
  ruleOf: (operation: TableOperation) => AnyRule | undefined,
  offered: ReadonlySet<TableOperation>,
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
  return Object.assign(
    { role, operation, isOpen: isOpen(rule), fields },
    ...eachAspect(rule, SHOWN, vocabulary),
  );
}

const SHOWN: ByAspect<Partial<AccessPermission>, [Vocabulary], ShownAspect> = {
  columns: (columns) => ({ columns }),
  computedFields: (computedFields) => ({ computedFields }),
  where: (text, vocabulary) => ({ where: ruleLayout(text, vocabulary) }),
  check: (text, vocabulary) => ({ check: ruleLayout(text, vocabulary) }),
  checkMessage: (checkMessage) => ({ checkMessage }),
  presets: (texts, vocabulary) => ({ presets: inWords(texts, vocabulary) }),
  cells: (texts, vocabulary) => ({ cells: inWords(texts, vocabulary) }),
  limit: (limit) => ({ limit }),
  aggregations: (aggregations) => ({ aggregations }),
  backendOnly: (backendOnly) => ({ backendOnly }),
  validateInput: ({ url }) => ({ validatedBy: url }),
};

/** Rules by the column that they decide about. */
export function inWords(
  rules: Readonly<Record<string, string>>,
  vocabulary: Vocabulary,
): Record<string, string> {
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
