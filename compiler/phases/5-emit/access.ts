/** `<table>.access.ts`: what each role may do with a table. */

import {
  type AnyRule,
  type Aspect,
  type ByAspect,
  eachAspect,
  OPERATIONS,
} from '../../../runtime/core/contract/aspects.ts';
import { type AccessRules, EVERY_ROW, type RuleText } from '../../../runtime/core/contract/shapes.ts';
import type { PlannedTable } from '../../model/plan.ts';
import { type FileNames, fileName } from './names.ts';
import { placeOf } from './table.ts';
import {
  type AccessRoleContext,
  inlineLiteral,
  type Property,
  printLiteral,
  propertyKey,
  stringLiteral,
  templateLiteral,
  templates,
} from './templates.ts';

/** Characters of a group that is one line. */
const MAX_LINE = 90;

/** Text of a table's access file. */
export function emitAccess({ shape, access }: PlannedTable, names: FileNames): string {
  const operations = OPERATIONS.flatMap((operation) => {
    const rules = access[operation];
    return rules
      ? [{ operation, roles: Object.entries(rules).map(([role, rule]) => roleView(role, rule)) }]
      : [];
  });
  return templates.access({
    place: placeOf(shape),
    imports: usesEveryRow(access) ? 'access, EVERY_ROW' : 'access',
    identifier: names.identifier,
    tableImport: `./${fileName(names)}.table.ts`,
    operations,
  });
}

function roleView(role: string, rule: AnyRule): AccessRoleContext {
  const { columns = [] } = rule;
  const printed = eachAspect(rule, PRINTED).flat();
  return {
    role,
    // A list is one entry a line, unless it has only one.
    columns: columns.length > 1 ? columns : [],
    properties: printed.flatMap((each) => ('value' in each ? [each] : [])),
    groups: printed.flatMap((each) => ('entries' in each ? [each] : [])),
  };
}

type Printed = Property | AccessRoleContext['groups'][number];

const line =
  (name: Aspect) =>
  (value: unknown): Printed[] => [{ name, value: inlineLiteral(value) }];
const condition =
  (name: Aspect) =>
  (text: RuleText): Printed[] => [{ name, value: ruleLiteral(text) }];
/** One line if there is one entry, and it is short. */
const group =
  (name: Aspect, print: (text: string) => string) =>
  (texts: Readonly<Record<string, string>>): Printed[] => {
    const entries = Object.entries(texts).map(([key, text]) => ({ name: key, value: print(text) }));
    const value = `{ ${entries.map((each) => `${propertyKey(each.name)}: ${each.value}`).join(', ')} }`;
    const isLong = entries.length > 1 || value.length > MAX_LINE || value.includes('\n');
    return [isLong ? { name, entries } : { name, value }];
  };

/** In the order of a file. */
const PRINTED: ByAspect<Printed[]> = {
  columns: (columns) => (columns.length > 1 ? [] : line('columns')(columns)),
  computedFields: line('computedFields'),
  where: condition('where'),
  check: condition('check'),
  checkMessage: (text) => [{ name: 'checkMessage', value: stringLiteral(text) }],
  canFail: line('canFail'),
  limit: line('limit'),
  aggregations: line('aggregations'),
  queryRoots: line('queryRoots'),
  subscriptionRoots: line('subscriptionRoots'),
  backendOnly: line('backendOnly'),
  validateInput: (value) => [{ name: 'validateInput', value: printLiteral(value, 3) }],
  implies: group('implies', stringLiteral),
  presets: group('presets', templateLiteral),
  cells: group('cells', templateLiteral),
};

function ruleLiteral(text: RuleText): string {
  return text === EVERY_ROW ? 'EVERY_ROW' : templateLiteral(text);
}

function usesEveryRow(access: AccessRules): boolean {
  return OPERATIONS.flatMap((operation) => Object.values<AnyRule>(access[operation] ?? {})).some(
    ({ where, check }) => where === EVERY_ROW || check === EVERY_ROW,
  );
}
