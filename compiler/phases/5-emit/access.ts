/** `<table>.access.ts`: what each role may do with a table. */

import {
  type AnyRule,
  type Aspect,
  type ByAspect,
  eachAspect,
  OPERATIONS,
  type TextPart,
  textPartsOf,
} from '../../../runtime/core/contract/aspects.ts';
import { type AccessRules, EVERY_ROW, type RuleText } from '../../../runtime/core/contract/shapes.ts';
import type { PlannedTable } from '../../model/plan.ts';
import { type FileNames, fileName, nameRules } from './names.ts';
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
  const named = namedRules(access, names);
  const operations = OPERATIONS.flatMap((operation) => {
    const rules = access[operation];
    return rules
      ? [{ operation, roles: Object.entries(rules).map(([role, rule]) => roleView(role, rule, named)) }]
      : [];
  });
  return templates.access({
    place: placeOf(shape),
    imports: usesEveryRow(access) ? 'access, EVERY_ROW' : 'access',
    identifier: names.identifier,
    tableImport: `./${fileName(names)}.table.ts`,
    rules: [...named].map(([text, name]) => ({ name, value: templateLiteral(text) })),
    operations,
  });
}

/** Text → name. */
type NamedRules = ReadonlyMap<RuleText, string>;

/**
 * Names of the rules of several lines that occur more than once, in the order of the file. A name says where a rule stands first: `agentSelect`,
 * `agentInsertCheck`.
 */
function namedRules(access: AccessRules, names: FileNames): NamedRules {
  const first = new Map<RuleText, string>();
  const repeated = new Map<RuleText, string>();
  for (const operation of OPERATIONS)
    for (const [role, rule] of Object.entries<AnyRule>(access[operation] ?? {}))
      for (const part of textPartsOf(rule)) {
        const { text } = part;
        if (part.part === 'preset' || !text.includes('\n')) continue;
        const place = first.get(text);
        if (place === undefined) first.set(text, [role, operation, ...partWords(part)].join('_'));
        else repeated.set(text, place);
      }
  const ordered = [...first].filter(([text]) => repeated.has(text));
  const unique = nameRules(
    ordered.map(([, place]) => place),
    names,
  );
  return new Map(ordered.map(([text], index) => [text, unique[index]!]));
}

/** What a name says of a rule besides role and operation. */
function partWords(part: TextPart): string[] {
  if (part.part === 'where') return [];
  return 'column' in part ? [part.part, part.column] : [part.part];
}

function roleView(role: string, rule: AnyRule, named: NamedRules): AccessRoleContext {
  const printed = eachAspect(rule, PRINTED, named).flat();
  return {
    role,
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
  (text: RuleText, named: NamedRules): Printed[] => [{ name, value: ruleLiteral(text, named) }];
/** One line if there is one entry, and it is short. */
const group =
  (name: Aspect, print: (text: string, named: NamedRules) => string) =>
  (texts: Readonly<Record<string, string>>, named: NamedRules): Printed[] => {
    const entries = Object.entries(texts).map(([key, text]) => ({ name: key, value: print(text, named) }));
    const value = `{ ${entries.map((each) => `${propertyKey(each.name)}: ${each.value}`).join(', ')} }`;
    const isBroken = entries.length > 1 || value.length > MAX_LINE || value.includes('\n');
    return [isBroken ? { name, entries } : { name, value }];
  };

/** In the order of a file. */
const PRINTED: ByAspect<Printed[], [NamedRules]> = {
  columns: (columns) => [{ name: 'columns', value: printLiteral(columns, 3) }],
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
  cells: group('cells', (text, named) => named.get(text) ?? templateLiteral(text)),
};

function ruleLiteral(text: RuleText, named: NamedRules): string {
  return text === EVERY_ROW ? 'EVERY_ROW' : (named.get(text) ?? templateLiteral(text));
}

function usesEveryRow(access: AccessRules): boolean {
  return OPERATIONS.flatMap((operation) => Object.values<AnyRule>(access[operation] ?? {})).some(
    ({ where, check }) => where === EVERY_ROW || check === EVERY_ROW,
  );
}
