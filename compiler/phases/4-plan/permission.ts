/** Permissions as access rules: columns, row rules, presets. */

import { ruleText } from '../../../runtime/core/condition/rule.ts';
import type {
  AccessRules,
  DeleteRule,
  InsertRule,
  SelectRule,
  SourceShape,
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
import { planCondition } from './boolean-expression.ts';
import { canFail } from './failing.ts';
import { typedValue } from './value.ts';

/** Column in the access file at which the lines of a broken rule begin: of a role, of an entry below it. */
const RULE_INDENTATION = 8;
const ENTRY_INDENTATION = 10;

/** Plans what the roles may do with a table. */
export function planAccess({ shape, permissions }: ModelTable): AccessRules {
  const { source } = shape;
  return {
    ...section('select', permissions.select, (permission) => planSelect(source, permission)),
    ...section('insert', permissions.insert, (permission) => planInsert(shape, permission)),
    ...section('update', permissions.update, (permission) => planUpdate(shape, permission)),
    ...section('delete', permissions.delete, (permission) => planDelete(source, permission)),
  };
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

function planSelect(source: SourceShape, permission: ModelSelectPermission): SelectRule {
  const { columns, computedFields, filter, limit, aggregations, queryRoots, subscriptionRoots, cells } =
    permission;
  return {
    columns,
    ...(computedFields.length > 0 && { computedFields }),
    where: planCondition(source, filter, RULE_INDENTATION),
    ...([filter, ...Object.values(cells ?? {})].some((each) => canFail(each, source)) && { canFail: true }),
    ...(limit !== undefined && { limit }),
    ...(aggregations && { aggregations: true }),
    ...(queryRoots && { queryRoots }),
    ...(subscriptionRoots && { subscriptionRoots }),
    ...(cells && { cells: planCells(source, cells) }),
  };
}

function planCells(
  source: SourceShape,
  cells: Readonly<Record<string, BooleanExpression>>,
): Record<string, string> {
  return Object.fromEntries(
    Object.entries(cells).map(([name, condition]) => [
      name,
      planCondition(source, condition, ENTRY_INDENTATION),
    ]),
  );
}

function planInsert(table: TableShape, permission: ModelInsertPermission): InsertRule {
  return {
    columns: permission.columns,
    check: planCondition(table.source, permission.check, RULE_INDENTATION),
    ...planPresets(table, permission.presets),
    ...further(permission),
  };
}

function planUpdate(table: TableShape, permission: ModelUpdatePermission): UpdateRule {
  const { columns, filter, check, presets } = permission;
  return {
    columns,
    where: planCondition(table.source, filter, RULE_INDENTATION),
    ...(check && { check: planCondition(table.source, check, RULE_INDENTATION) }),
    ...planPresets(table, presets),
    ...further(permission),
  };
}

function planDelete(source: SourceShape, permission: ModelDeletePermission): DeleteRule {
  const { filter, check } = permission;
  return {
    where: planCondition(source, filter, RULE_INDENTATION),
    ...(check && { check: planCondition(source, check, RULE_INDENTATION) }),
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
