/**
 * Who sees what, computed from raw rows: the meaning of permissions, inherited roles and boolean expressions in plain
 * TypeScript. The engine's planner and rules are not imported here; that is the point.
 */
import { aggregateOf, count } from './aggregates.ts';
import type { AggregateCondition, Comparison, Condition, Operand } from './condition.ts';
import {
  areJoined,
  type ComputedField,
  columnNamed,
  type Permission,
  type Project,
  type Row,
  rowsOf,
  scalarType,
  type Table,
  tableNamed,
} from './project.ts';
import { applyOperator, equal, TYPES, type TypeName, type Value } from './types.ts';

/** Session variables of a request: the value, and the text that travels. */
export type SessionValues = Readonly<Record<string, { readonly value: Value; readonly text: string }>>;

/** What a request, or a permission, may look at. */
export interface Lens {
  readonly visible: (table: Table, row: Row) => boolean;
  readonly cell: (table: Table, row: Row, column: string) => Value;
  readonly computed: (table: Table, row: Row, field: ScalarField, added?: number) => Value;
  readonly rows: (table: Table) => readonly Row[];
  readonly session: SessionValues;
  readonly project: Project;
  /** `_neq` of permissions lets rows without a value through. */
  readonly nullSafe: boolean;
}

export type ScalarField = Exclude<ComputedField, { kind: 'rows' }>;

/** What a role may do on a table, however it got it. */
export interface Grant {
  readonly columns: readonly string[];
  readonly computedFields: readonly ScalarField[];
  readonly limit: number | undefined;
  readonly aggregations: boolean;
  /** Columns and computed fields that are not shown in every visible row. */
  readonly masked: ReadonlySet<string>;
}

const permissionOf = (table: Table, role: string): Permission | undefined =>
  table.permissions.find((permission) => permission.role === role);

/** The roles from whose permissions the role's rights on a table come; none: it has no right there. */
function sources(project: Project, table: Table, role: string): readonly string[] {
  if (permissionOf(table, role)) return [role];
  const inherited = project.inheritedRoles.find(({ name }) => name === role);
  return (inherited?.parents ?? []).filter((parent) => sources(project, table, parent).length > 0);
}

/** What a role may do with a table; undefined without a permission. */
export function grantOf(project: Project, table: Table, role: string): Grant | undefined {
  const scalars = table.computedFields.filter((field): field is ScalarField => field.kind !== 'rows');
  if (role === 'admin') {
    return {
      columns: table.columns.map(({ name }) => name),
      computedFields: scalars,
      limit: undefined,
      aggregations: true,
      masked: new Set(),
    };
  }
  const own = permissionOf(table, role);
  if (own) {
    return {
      columns: own.columns,
      computedFields: scalars.filter(({ name }) => own.computedFields.includes(name)),
      limit: own.limit,
      aggregations: own.aggregations,
      masked: new Set(),
    };
  }
  const parents = sources(project, table, role).map((parent) => grantOf(project, table, parent)!);
  if (parents.length === 0) return undefined;
  const limits = parents.map(({ limit }) => limit);
  const columns = table.columns
    .map(({ name }) => name)
    .filter((name) => parents.some((parent) => parent.columns.includes(name)));
  const computedFields = scalars.filter((field) =>
    parents.some((parent) => parent.computedFields.includes(field)),
  );
  const masked = [...columns, ...computedFields.map(({ name }) => name)].filter((name) =>
    parents.some(
      (parent) =>
        parent.masked.has(name) ||
        !(parent.columns.includes(name) || parent.computedFields.some((field) => field.name === name)),
    ),
  );
  return {
    columns,
    computedFields,
    limit: limits.includes(undefined) ? undefined : Math.max(...(limits as number[])),
    aggregations: parents.some(({ aggregations }) => aggregations),
    masked: new Set(masked),
  };
}

/** Everything, as permissions see it and functions read it. */
export function rawLens(project: Project, session: SessionValues): Lens {
  return {
    project,
    session,
    nullSafe: true,
    visible: () => true,
    rows: (table) => rowsOf(project, table),
    cell: (_table, row, column) => row[column]!,
    computed: (_table, row, field, added) => computeScalar(row, field, session, added),
  };
}

/** What a role sees: exactly the union of what its permissions show. */
export function roleLens(project: Project, session: SessionValues, role: string): Lens {
  const raw = rawLens(project, session);
  if (role === 'admin') return { ...raw, nullSafe: false };
  const seen = new Map<string, Map<Row, boolean>>();

  const visibleAs = (as: string, table: Table, row: Row): boolean => {
    const key = `${as} ${table.name}`;
    let answers = seen.get(key);
    if (!answers) {
      answers = new Map();
      seen.set(key, answers);
    }
    let answer = answers.get(row);
    if (answer === undefined) {
      const own = permissionOf(table, as);
      answer = own
        ? holds(raw, own.filter, table, row, row, table) === true
        : sources(project, table, as).some((parent) => visibleAs(parent, table, row));
      answers.set(row, answer);
    }
    return answer;
  };
  /** A cell is shown if one of the permissions that show the row has the column. */
  const shownAs = (as: string, table: Table, row: Row, name: string): boolean => {
    if (!visibleAs(as, table, row)) return false;
    const own = permissionOf(table, as);
    return own
      ? own.columns.includes(name) || own.computedFields.includes(name)
      : sources(project, table, as).some((parent) => shownAs(parent, table, row, name));
  };

  const visible = (table: Table, row: Row) => visibleAs(role, table, row);
  return {
    project,
    session,
    nullSafe: false,
    visible,
    rows: (table) => raw.rows(table).filter((row) => visible(table, row)),
    cell: (table, row, column) => (shownAs(role, table, row, column) ? row[column]! : null),
    computed: (table, row, field, added) =>
      shownAs(role, table, row, field.name) ? raw.computed(table, row, field, added) : null,
  };
}

function computeScalar(row: Row, field: ScalarField, session: SessionValues, added = 1): Value {
  const value = row[field.column]!;
  if (value === null) return null;
  switch (field.kind) {
    case 'double':
      return (value as number) * 2;
    case 'upper':
      return (value as string).toUpperCase();
    case 'plus':
      return (value as number) + added;
    case 'session':
      return (value as number) + (session['x-engine-int4']!.value as number);
  }
}

/** Rows of a relationship that the lens shows. */
export function relatedRows(
  lens: Lens,
  table: Table,
  row: Row,
  name: string,
): { target: Table; rows: readonly Row[] } {
  const relationship = table.relationships.find((each) => each.name === name)!;
  const target = tableNamed(lens.project, relationship.target);
  const rows = lens
    .rows(target)
    .filter((other) =>
      relationship.columns.every(([own, theirs]) => areJoined(table, own, target, theirs, row, other)),
    );
  return { target, rows };
}

/** Rows of a table computed field that the lens shows. */
export function computedRows(
  lens: Lens,
  table: Table,
  row: Row,
  name: string,
): { target: Table; rows: readonly Row[] } {
  const field = table.computedFields.find((each) => each.name === name)!;
  if (field.kind !== 'rows') throw new Error(`${name} is a scalar`);
  const target = tableNamed(lens.project, field.target);
  const type = TYPES[columnNamed(table, field.column).type];
  const rows = lens
    .rows(target)
    .filter((other) => applyOperator(type, '_eq', row[field.column]!, other[field.targetColumn]!) === true);
  return { target, rows };
}

/** SQL's answer to a boolean expression on a row; null is unknown. */
export function holds(
  lens: Lens,
  condition: Condition,
  table: Table,
  row: Row,
  root: Row,
  rootTable: Table,
): boolean | null {
  const inner = (item: Condition, at = table, on = row) => holds(lens, item, at, on, root, rootTable);
  switch (condition.kind) {
    case 'object':
      return every(condition.parts.map((part) => inner(part)));
    case 'and':
      return every(condition.items.map((item) => inner(item)));
    case 'or':
      return negate(every(condition.items.map((item) => negate(inner(item)))));
    case 'not':
      return negate(inner(condition.item));
    case 'relationship': {
      const { target, rows } = relatedRows(lens, table, row, condition.name);
      return rows.some((other) => inner(condition.item, target, other) === true);
    }
    case 'computed rows': {
      const { target, rows } = computedRows(lens, table, row, condition.name);
      return rows.some((other) => inner(condition.item, target, other) === true);
    }
    case 'aggregate': {
      const { target, rows } = relatedRows(lens, table, row, condition.name);
      return aggregateHolds(lens, condition, target, rows);
    }
    case 'exists': {
      const target = tableNamed(lens.project, condition.table);
      return lens.rows(target).some((other) => inner(condition.item, target, other) === true);
    }
    case 'column':
      return compare(lens.cell(table, row, condition.name), condition.type, condition.comparisons);
    case 'computed': {
      const field = table.computedFields.find(({ name }) => name === condition.name) as ScalarField;
      return compare(lens.computed(table, row, field), scalarType(field), condition.comparisons);
    }
  }

  function compare(left: Value, typeName: TypeName, comparisons: readonly Comparison[]): boolean | null {
    return compareValue(lens, left, typeName, comparisons, { row, root });
  }
}

/** SQL's answer to a condition on an aggregate of rows that the lens shows. */
export function aggregateHolds(
  lens: Lens,
  condition: AggregateCondition,
  table: Table,
  rows: readonly Row[],
): boolean | null {
  const { where, type, comparisons } = condition;
  const counted = where ? rows.filter((row) => holds(lens, where, table, row, row, table) === true) : rows;
  return compareValue(lens, aggregateValue(lens, condition, table, counted), type, comparisons, NO_ROWS);
}

function aggregateValue(
  lens: Lens,
  { function: name, columns, distinct = false }: AggregateCondition,
  table: Table,
  rows: readonly Row[],
): Value {
  if (name === 'count') return count(lens, table, rows, columns, distinct);
  const pairs = rows.map((row) => columns.map((column) => lens.cell(table, row, column)));
  // Of a covariance only whether there is one is asked.
  if (name === 'covar_samp') return pairs.filter((pair) => !pair.includes(null)).length > 1 ? 0 : null;
  const type = TYPES[columnNamed(table, columns[0]!).type];
  const values = pairs.map(([value]) => value!);
  const isRepeated = (value: Value, index: number) =>
    values.slice(0, index).some((other) => other !== null && value !== null && equal(type, other, value));
  const asked = distinct ? values.filter((value, index) => !isRepeated(value, index)) : values;
  return aggregateOf(type, name, asked).value;
}

/** Rows that comparisons of columns are about: the one at hand, and the one that the permission is about. */
interface ComparedRows {
  readonly row: Row;
  readonly root: Row;
}

const NO_ROWS: ComparedRows = { row: {}, root: {} };

function compareValue(
  lens: Lens,
  left: Value,
  typeName: TypeName,
  comparisons: readonly Comparison[],
  rows: ComparedRows,
): boolean | null {
  const type = TYPES[typeName];
  const answer = (comparison: Comparison): boolean | null => {
    switch (comparison.kind) {
      case 'null':
        return (left === null) === comparison.isNull;
      case 'cast': {
        const text = left === null ? null : jsonbText(left);
        return compareValue(lens, text, 'text', comparison.comparisons, rows);
      }
      case 'columns': {
        const right = (comparison.root ? rows.root : rows.row)[comparison.column]!;
        if (right === null) return null;
        return applyOperator(type, COLUMN_MEANING[comparison.operator]!, left, right);
      }
      case 'operator': {
        const right = operand(comparison.operand);
        if (lens.nullSafe && left === null && comparison.operator === '_neq') return true;
        return applyOperator(type, comparison.operator, left, right);
      }
    }
  };
  const operand = (given: Operand): Value =>
    given.kind === 'value' ? given.value : lens.session[given.name.toLowerCase()]!.value;
  return every(comparisons.map(answer));
}

const COLUMN_MEANING: Readonly<Record<string, string>> = {
  _ceq: '_eq',
  _cne: '_neq',
  _cneq: '_neq',
  _cgt: '_gt',
  _clt: '_lt',
  _cgte: '_gte',
  _clte: '_lte',
};

/** jsonb as Postgres prints it. */
function jsonbText(value: Value): string {
  if (Array.isArray(value)) return `[${value.map(jsonbText).join(', ')}]`;
  if (typeof value === 'object' && value !== null) {
    return `{${Object.entries(value)
      .sort(([left], [right]) => left.length - right.length || (left < right ? -1 : 1))
      .map(([key, item]) => `${JSON.stringify(key)}: ${jsonbText(item)}`)
      .join(', ')}}`;
  }
  return JSON.stringify(value);
}

function every(answers: readonly (boolean | null)[]): boolean | null {
  if (answers.includes(false)) return false;
  return answers.includes(null) ? null : true;
}

function negate(answer: boolean | null): boolean | null {
  return answer === null ? null : !answer;
}
