/** `<table>.access.ts`: what each role may do with a table. */
import {
  type AccessRules,
  type DeleteRule,
  EVERY_ROW,
  type InsertRule,
  type RuleText,
  type SelectRule,
  type UpdateRule,
} from '../../../runtime/core/contract/shapes.ts';
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

type Rule = SelectRule & InsertRule & UpdateRule & DeleteRule;
/** Characters of a group that is one line. */
const MAX_LINE = 90;
const OPERATIONS = ['select', 'insert', 'update', 'delete'] as const;

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

function roleView(role: string, any: AccessRule): AccessRoleContext {
  const rule: Partial<Rule> = any;
  const properties: Property[] = [];
  const { columns = [] } = rule;
  // A list is one entry a line, unless it has only one.
  const listed = columns.length > 1 ? columns : [];
  if (rule.columns && columns.length <= 1)
    properties.push({ name: 'columns', value: inlineLiteral(columns) });
  const add = (name: keyof Rule, print: (value: never) => string) => {
    const value = rule[name];
    if (value !== undefined) properties.push({ name, value: print(value as never) });
  };
  add('computedFields', inlineLiteral);
  add('where', ruleLiteral);
  add('check', ruleLiteral);
  add('checkMessage', stringLiteral);
  add('canFail', inlineLiteral);
  add('limit', inlineLiteral);
  add('aggregations', inlineLiteral);
  add('queryRoots', inlineLiteral);
  add('subscriptionRoots', inlineLiteral);
  add('backendOnly', inlineLiteral);
  add('validateInput', (value) => printLiteral(value, 3));
  const groups = (['implies', 'presets', 'cells'] as const).flatMap((name) => {
    const texts = rule[name];
    if (!texts) return [];
    const all = entriesOf(texts, name === 'implies' ? stringLiteral : templateLiteral);
    const line = `{ ${all.map((each) => `${propertyKey(each.name)}: ${each.value}`).join(', ')} }`;
    if (all.length > 1 || line.length > MAX_LINE || line.includes('\n')) return [{ name, entries: all }];
    properties.push({ name, value: line });
    return [];
  });
  return { role, columns: listed, properties, groups };
}

type AccessRule = SelectRule | InsertRule | UpdateRule | DeleteRule;

function ruleLiteral(text: RuleText): string {
  return text === EVERY_ROW ? 'EVERY_ROW' : templateLiteral(text);
}

function entriesOf(texts: Readonly<Record<string, string>>, print: (text: string) => string): Property[] {
  return Object.entries(texts).map(([name, text]) => ({ name, value: print(text) }));
}

function usesEveryRow(access: AccessRules): boolean {
  return OPERATIONS.flatMap((operation) => Object.values<AccessRule>(access[operation] ?? {})).some(
    (rule) => ('where' in rule && rule.where === EVERY_ROW) || ('check' in rule && rule.check === EVERY_ROW),
  );
}
