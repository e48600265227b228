/** Permissions as access rules: columns, row rules, presets. */

import { printCondition } from '../../../runtime/core/condition/print.ts';
import { ruleText } from '../../../runtime/core/condition/rule.ts';
import type {
  AccessRules,
  DeleteRule,
  InsertRule,
  RuleText,
  SelectRule,
  TableShape,
  UpdateRule,
} from '../../../runtime/core/contract/shapes.ts';
import { columnType } from '../../../runtime/core/types.ts';
import type {
  BooleanExpression,
  ModelDeletePermission,
  ModelInsertPermission,
  ModelSelectPermission,
  ModelTable,
  ModelUpdatePermission,
  Presets,
} from '../../model/model.ts';
import { conditionTree } from './boolean-expression.ts';
import { canFail } from './failing.ts';
import { typedValue } from './value.ts';

/** Column in the access file at which the lines of a broken rule begin: of a role, of an entry below it, of a named rule. */
const RULE_INDENTATION = 8;
const ENTRY_INDENTATION = 10;
const NAMED_INDENTATION = 2;

/** Plans what the roles may do with a table. */
export function planAccess({ shape, permissions }: ModelTable): AccessRules {
  const print = createPrinter(shape, permissions);
  return {
    ...section('select', permissions.select, (permission) => planSelect(shape, permission, print)),
    ...section('insert', permissions.insert, (permission) => planInsert(shape, permission, print)),
    ...section('update', permissions.update, (permission) => planUpdate(shape, permission, print)),
    ...section('delete', permissions.delete, (permission) => planDelete(permission, print)),
  };
}

type PrintRule = (condition: BooleanExpression, indentation: number) => RuleText;

/** A printer of rules. One of several lines that occurs more than once in the file has the same text everywhere: it is printed once, with a name. */
function createPrinter({ source }: TableShape, permissions: ModelTable['permissions']): PrintRule {
  const trees = new Map(
    conditionsOf(permissions).map((condition) => [condition, conditionTree(source, condition)]),
  );
  const texts = new Map<string, number>();
  const named = new Map<BooleanExpression, RuleText>();
  for (const condition of conditionsOf(permissions)) {
    const text = printCondition(trees.get(condition)!, NAMED_INDENTATION);
    if (!text.includes('\n')) continue;
    named.set(condition, text);
    texts.set(text, (texts.get(text) ?? 0) + 1);
  }
  return (condition, indentation) => {
    const text = named.get(condition);
    return text !== undefined && texts.get(text)! > 1
      ? text
      : printCondition(trees.get(condition)!, indentation);
  };
}

/** All conditions that an access file prints, at each place where it does. */
function conditionsOf({
  select,
  insert,
  update,
  delete: deletes,
}: ModelTable['permissions']): BooleanExpression[] {
  const checks = Object.values(insert).map(({ check }) => check);
  const reads = Object.values(select).flatMap(({ filter, cells }) => [filter, ...Object.values(cells ?? {})]);
  const writes = [...Object.values(update), ...Object.values(deletes)].flatMap(({ filter, check }) =>
    check ? [filter, check] : [filter],
  );
  return [...reads, ...checks, ...writes];
}

function section<Permission, Rule, Operation extends string>(
  operation: Operation,
  permissions: Readonly<Record<string, Permission>>,
  plan: (permission: Permission) => Rule,
): Partial<Record<Operation, Record<string, Rule>>> {
  const rules = Object.entries(permissions).map(([role, permission]) => [role, plan(permission)] as const);
  if (rules.length === 0) return {};
  return { [operation]: Object.fromEntries(rules) } as Record<Operation, Record<string, Rule>>;
}

function planSelect({ source }: TableShape, permission: ModelSelectPermission, print: PrintRule): SelectRule {
  const { columns, computedFields, filter, limit, aggregations, queryRoots, subscriptionRoots, cells } =
    permission;
  return {
    columns,
    ...(computedFields.length > 0 && { computedFields }),
    where: print(filter, RULE_INDENTATION),
    ...([filter, ...Object.values(cells ?? {})].some((each) => canFail(each, source)) && { canFail: true }),
    ...(limit !== undefined && { limit }),
    ...(aggregations && { aggregations: true }),
    ...(queryRoots && { queryRoots }),
    ...(subscriptionRoots && { subscriptionRoots }),
    ...(cells && { cells: planCells(cells, print) }),
  };
}

function planCells(
  cells: Readonly<Record<string, BooleanExpression>>,
  print: PrintRule,
): Record<string, string> {
  return Object.fromEntries(
    Object.entries(cells).map(([name, condition]) => [name, print(condition, ENTRY_INDENTATION)]),
  );
}

function planInsert(table: TableShape, permission: ModelInsertPermission, print: PrintRule): InsertRule {
  return {
    columns: permission.columns,
    check: print(permission.check, RULE_INDENTATION),
    ...planPresets(table, permission.presets),
    ...further(permission),
  };
}

function planUpdate(table: TableShape, permission: ModelUpdatePermission, print: PrintRule): UpdateRule {
  const { columns, filter, check, presets } = permission;
  return {
    columns,
    where: print(filter, RULE_INDENTATION),
    ...(check && { check: print(check, RULE_INDENTATION) }),
    ...planPresets(table, presets),
    ...further(permission),
  };
}

function planDelete(permission: ModelDeletePermission, print: PrintRule): DeleteRule {
  const { filter, check } = permission;
  return {
    where: print(filter, RULE_INDENTATION),
    ...(check && { check: print(check, RULE_INDENTATION) }),
    ...further(permission),
  };
}

/** What permissions to write have alike. */
function further({
  checkMessage,
  backendOnly,
  validateInput,
}: Pick<ModelDeletePermission, 'checkMessage' | 'backendOnly' | 'validateInput'>) {
  return {
    ...(checkMessage !== undefined && { checkMessage }),
    ...(backendOnly && ({ backendOnly: true } as const)),
    ...(validateInput && { validateInput }),
  };
}

function planPresets(table: TableShape, presets: Presets): { presets?: Record<string, string> } {
  const entries = Object.entries(presets).map(([column, value]) => {
    const type = columnType(table.source, table.columns[column]!.type);
    return [column, ruleText(typedValue(type, value))] as const;
  });
  return entries.length === 0 ? {} : { presets: Object.fromEntries(entries) };
}
