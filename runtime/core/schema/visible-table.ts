/**
 * A table as one role sees it: which columns, under which row condition, with which limit.
 * @rule Which columns does a role see, in which rows, and with which limit of rows?
 */
import { readsOtherRows, readsWholeRow } from '../condition/reads.ts';
import { type Rule, type RulePart, referring } from '../condition/rule.ts';
import { type OperationRules, ruleOf } from '../contract/aspects.ts';
import {
  type AccessRules,
  type DeleteRule,
  EVERY_ROW,
  type InsertRule,
  type RuleText,
  type SelectRule,
  type TableAccess,
  type TableShape,
  type UpdateRule,
} from '../contract/shapes.ts';
import type { Column, ComputedField, Relationship, Table } from '../program/program.ts';
import { type RuleOperation, type RuleReference, ruleName } from '../reason.ts';
import { lazy, remember } from '../remember.ts';
import { ADMIN_ROLE } from '../session.ts';
import { distributionColumn, isDistributed } from '../shards/index.ts';
import { bindRow, builtIn, raw, type Sql, sql, TRUE } from '../sql/fragment.ts';
import { equality } from '../sql/operand.ts';
import { columnOf, conjunction, nested, ruleFor } from '../sql/statement.ts';
import { isStringified } from '../types.ts';
import { offerOfWrite, type RoleRules } from './offer.ts';

/** A column of a table as one role may read it. */
export interface VisibleColumn {
  readonly column: Column;
  /** GraphQL name. */
  readonly field: string;
  readonly nullable: boolean;
  /** True if the column mask passes the row to a function, so that the value needs a row of the table's type. */
  readonly needsWholeRow: boolean;
  /** True if the column mask can raise an error for some row. */
  readonly canFail: boolean;
  /** True if the column mask depends on other rows. */
  readonly looksElsewhere: boolean;
  /** The column's value in the row of an alias; masked where an inherited role sees it in some rows only. */
  readonly value: (alias: Sql) => Sql;
}

export interface VisibleTable {
  /** Rules are holes in what is planned (see saved/holes.ts). */
  readonly holes: boolean;
  /** Statements are saved or changed after they are planned, and keep their trees. */
  readonly keepsTrees: boolean;
  readonly table: Table;
  /** The select permission; undefined without one. */
  readonly select: VisibleRows | undefined;
  readonly insert: InsertRule | undefined;
  readonly update: UpdateRule | undefined;
  readonly delete: DeleteRule | undefined;
  /** The rules of the role as they are written; all of them for admin. */
  readonly rules: RoleRules;
  /** Names a part of what the role may do, for denials. */
  readonly rule: (operation: RuleOperation, ...part: readonly string[]) => RuleReference;
  /** Another table as the same role sees it. */
  readonly of: (table: Table) => VisibleTable;
  /** A rule of the program. */
  readonly read: Read;
  /**
   * Whether relationships lead to rows whose rule follows, as far as looked up. Present only where the rule of this table is
   * known to hold for the rows that the role sees (see query/visible.ts).
   */
  readonly implied?: Map<Relationship, boolean>;
}

type Read = (text: RuleText) => Rule;

export interface VisibleRows {
  /** By database name. */
  readonly columns: ReadonlyMap<string, VisibleColumn>;
  /** The same, including columns without a GraphQL name, which the legacy data operations call by their database name. */
  readonly readable: ReadonlyMap<string, VisibleColumn>;
  /** Columns with rows of other logical models, which relationships show in their place. */
  readonly nested: ReadonlyMap<string, VisibleColumn>;
  readonly computedFields: readonly ComputedField[];
  /** The rows in which the value of a scalar computed field is shown; undefined = in every one. */
  readonly computedMask: (name: string) => ((alias: Sql) => Sql) | undefined;
  /** Relationships whose target the role may read. */
  readonly relationships: readonly { readonly relationship: Relationship; readonly visible: VisibleTable }[];
  readonly rule: Rule;
  /** The texts of the rule and the column masks. */
  readonly texts: Pick<SelectRule, 'where' | 'cells'>;
  /** Facts of the access file about relationships. */
  readonly implies: SelectRule['implies'];
  /** The rule as a condition on an alias, in parentheses; undefined = every row. */
  readonly where: ((alias: Sql) => Sql) | undefined;
  /** The rule, or a column mask, can raise an error for some row. */
  readonly canFail: boolean;
  readonly limit: number | undefined;
  readonly aggregations: boolean;
  readonly queryRoots: SelectRule['queryRoots'];
  readonly subscriptionRoots: SelectRule['subscriptionRoots'];
}

/** Permissions of a role on a table by an access file; admin may do everything. */
export function visibleTable(
  table: Table,
  access: TableAccess,
  role: string | undefined,
  backendOnly: boolean,
  of: VisibleTable['of'],
  read: Read,
  holes = false,
): VisibleTable {
  const reference = (operation: RuleOperation, ...part: readonly string[]): RuleReference => ({
    rule: ruleName(table.shape, operation, role ?? ''),
    part,
  });
  const filter = reference('select', 'filter');
  const rules = lazy(() => (role === ADMIN_ROLE ? everything(table.shape) : rulesOf(access, role)));
  const select = lazy(() => {
    const { select: rule } = rules();
    return rule && visibleRows(table, rule, filter, of, read);
  });
  const granted = (operation: 'insert' | 'update' | 'delete') =>
    offerOfWrite(table.shape, rules(), operation, backendOnly) === true;
  return {
    table,
    rule: reference,
    of,
    read,
    holes,
    keepsTrees: holes || isDistributed(table.source),
    get select() {
      return select();
    },
    get rules() {
      return rules();
    },
    insert: granted('insert') ? rules().insert : undefined,
    update: granted('update') ? changeable(rules().update, table.shape) : undefined,
    delete: granted('delete') ? rules().delete : undefined,
  };
}

/** Citus does not move rows to other shards: the column that decides about the shard is not offered. */
function changeable(rule: UpdateRule | undefined, shape: TableShape): UpdateRule | undefined {
  const by = distributionColumn(shape);
  return rule && by !== undefined ? { ...rule, columns: rule.columns.filter((name) => name !== by) } : rule;
}

/** The rules of admin. */
export function everything(shape: TableShape): Partial<OperationRules> {
  const columns = Object.keys(shape.columns);
  const computedFields = Object.keys(shape.computedFields ?? {});
  return {
    select: { columns, where: EVERY_ROW, aggregations: true, computedFields },
    insert: { columns, check: EVERY_ROW },
    update: { columns, where: EVERY_ROW },
    delete: { where: EVERY_ROW },
  };
}

/** The rules of a role in an access file. */
export function rulesOf(access: AccessRules, role: string | undefined): Partial<OperationRules> {
  const [select, insert] = [ruleOf(access, 'select', role), ruleOf(access, 'insert', role)];
  const [update, remove] = [ruleOf(access, 'update', role), ruleOf(access, 'delete', role)];
  return {
    ...(select && { select }),
    ...(insert && { insert }),
    ...(update && { update }),
    ...(remove && { delete: remove }),
  };
}

function visibleRows(
  table: Table,
  rule: SelectRule,
  filter: RuleReference,
  of: VisibleTable['of'],
  read: Read,
): VisibleRows {
  const columns = new Map<string, VisibleColumn>();
  const readable = new Map<string, VisibleColumn>();
  const nestedColumns = new Map<string, VisibleColumn>();
  for (const name of rule.columns) {
    const column = table.columns.get(name);
    if (!column) continue;
    const visible = visibleColumn(column, column.field ?? name, rule, filter, read);
    if (column.shape.nested) {
      nestedColumns.set(name, visible);
      continue;
    }
    readable.set(name, visible);
    if (column.field !== undefined) columns.set(name, visible);
  }
  const masks = new Map<string, ((alias: Sql) => Sql) | undefined>();
  const relationships = lazy(() =>
    [...table.relationships.values()].flatMap((relationship) => {
      const { nested: column } = relationship.shape;
      if (column !== undefined && !nestedColumns.has(column)) return [];
      const visible = of(relationship.target);
      return visible.select ? [{ relationship, visible }] : [];
    }),
  );
  return {
    columns,
    readable,
    nested: nestedColumns,
    texts: rule,
    get computedFields() {
      return [...table.computedFields.values()].filter((field) =>
        'table' in field.returns
          ? of(field.returns.table).select !== undefined
          : rule.computedFields?.includes(field.name),
      );
    },
    computedMask: (name) => remember(masks, name, () => cellMask(rule, name, filter, read)),
    get relationships() {
      return relationships();
    },
    rule: read(rule.where),
    implies: rule.implies,
    where: rule.where === EVERY_ROW ? undefined : boundRule(read(rule.where), filter),
    canFail: rule.canFail ?? false,
    limit: rule.limit,
    aggregations: rule.aggregations ?? false,
    queryRoots: rule.queryRoots,
    subscriptionRoots: rule.subscriptionRoots,
  };
}

function visibleColumn(
  column: Column,
  field: string,
  rule: SelectRule,
  filter: RuleReference,
  read: Read,
): VisibleColumn {
  const mask = cellMask(rule, column.name, filter, read);
  const { name } = column;
  return {
    column,
    field,
    nullable: mask !== undefined || !(column.shape.notNull || column.shape.promised),
    needsWholeRow: mask !== undefined && readsWholeRow(rule.cells![column.name]!),
    canFail: mask !== undefined && (rule.canFail ?? false),
    looksElsewhere: mask !== undefined && readsOtherRows(rule.cells![column.name]!),
    value: mask
      ? (alias) => sql`case when ${mask(alias)} then ${columnOf(alias, name)} end`
      : (alias) => columnOf(alias, name),
  };
}

/** The rows in which a rule shows a column or computed field; undefined = in every one. */
function cellMask(
  rule: SelectRule,
  name: string,
  filter: RuleReference,
  read: Read,
): ((alias: Sql) => Sql) | undefined {
  const { cells } = rule;
  return cells && Object.hasOwn(cells, name) ? boundRule(read(cells[name]!), filter) : undefined;
}

/** A rule, or one of its conditions, as a condition on an alias, always in parentheses. */
export function boundRule(rule: RulePart, reference: RuleReference): (alias: Sql) => Sql {
  const parsed = referring(rule.sql, reference);
  return (alias) => nested(ruleFor(rule, alias, bindRow(parsed, alias)));
}

/** Joins `columns` of two aliases: `"a"."x" = "b"."y" and …`. Rows inside of a row are not joined to others. */
export function joinCondition(relationship: Relationship, from: Sql, to: Sql): Sql {
  if (relationship.columns.length === 0) return TRUE;
  return conjunction(
    relationship.columns.map(([own, other]) =>
      equality(columnOf(to, other.name), other.type, columnOf(from, own.name), own.type),
    ),
  );
}

/** Values of enum tables are written as their GraphQL names, which one naming convention puts in upper case. */
export function shownEnumValue({ enumTable }: Column, value: Sql): Sql {
  return enumTable?.source.naming === 'graphql-default' ? builtIn('upper', value) : value;
}

/**
 * The JSON of a value: geometry as GeoJSON, big numbers as strings when asked for; everything
 * else as Postgres prints it.
 */
export function outputValue(type: Column['type'], value: Sql, stringifyNumbers: boolean): Sql {
  const base = type.element ?? type;
  if (!type.element && (base.family === 'geometry' || base.family === 'geography')) {
    return sql`ST_AsGeoJSON(${value}, 15, 4)::json`;
  }
  if (stringifyNumbers && isStringified(type))
    return sql`(${value})::${raw(type.element ? 'text[]' : 'text')}`;
  return value;
}
