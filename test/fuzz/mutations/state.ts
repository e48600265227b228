/**
 * What the database does by itself, in plain TypeScript: defaults and sequences, generated columns, NOT NULL, CHECK, unique
 * and foreign keys with their actions. One statement at a time; a statement that fails leaves the state as it was.
 */
import type { Column, Row } from '../queries/project.ts';
import { isObject, type Value } from '../queries/types.ts';
import type { Change } from './request.ts';
import { type Reference, RULES, type Rules, TABLES } from './tables.ts';

/** A statement fails. Where the order of rows decides which error comes first, `codes` has all that may come. */
export class StatementFailed extends Error {
  readonly codes: ReadonlySet<string>;

  constructor(codes: Iterable<string>) {
    super([...codes].join(' or '));
    this.codes = new Set(codes);
  }
}

/** Codes of errors by SQLSTATE, as the reference has them. */
const CONSTRAINT = 'constraint-violation';
export const CHECK = 'permission-error';
const SECOND_TIME = 'data-exception';
const DATA = 'data-exception';

export interface State {
  readonly rows: Record<string, readonly Row[]>;
  readonly sequences: Record<string, number>;
}

export function copyState({ rows, sequences }: State): State {
  return { rows: { ...rows }, sequences: { ...sequences } };
}

export interface Upsert {
  readonly key: readonly string[];
  /** The row as it is to be; undefined: it stays. No function: conflicts are skipped. */
  readonly change?: (existing: Row, proposed: Row) => Row | undefined;
}

export interface WrittenRow {
  readonly row: Row;
  readonly inserted: boolean;
}

/**
 * Runs one INSERT, row by row. `given` has what the statement says; what it leaves out gets its default. `accepts` says
 * whether a written row may be; the statement looks at references after that.
 */
export function insertRows(
  state: State,
  table: string,
  given: readonly Row[],
  upsert?: Upsert,
  accepts: (row: WrittenRow) => boolean = () => true,
): WrittenRow[] {
  const rules = RULES[table]!;
  const columns = columnsOf(table);
  let rows = state.rows[table]!;
  const written: WrittenRow[] = [];
  const write = (row: WrittenRow) => {
    if (!accepts(row)) throw new StatementFailed([CHECK]);
    written.push(row);
  };
  for (const values of given) {
    const row: Record<string, Value> = {};
    for (const { name } of columns) {
      if (Object.hasOwn(values, name)) row[name] = values[name]!;
      else if (name === rules.serial) row[name] = state.sequences[table] = state.sequences[table]! + 1;
      else row[name] = rules.defaults[name] ?? null;
    }
    const proposed = generated(rules, row);
    fail(rowErrors(rules, columns, proposed));
    const existing = upsert && rows.find((other) => sameKey(upsert.key, other, proposed));
    if (existing && upsert) {
      if (!upsert.change) continue;
      if (written.some(({ row: own }) => own === existing)) throw new StatementFailed([SECOND_TIME]);
      const changed = upsert.change(existing, proposed);
      if (!changed) continue;
      const row = generated(rules, changed);
      fail(rowErrors(rules, columns, row));
      const others = rows.filter((other) => other !== existing);
      if (duplicates(rules, row, others)) throw new StatementFailed([CONSTRAINT]);
      rows = [...others, row];
      write({ row, inserted: false });
      continue;
    }
    if (duplicates(rules, proposed, rows)) throw new StatementFailed([CONSTRAINT]);
    rows = [...rows, proposed];
    write({ row: proposed, inserted: true });
  }
  const before = state.rows[table]!;
  state.rows[table] = rows;
  checkReferences(state, () => {
    state.rows[table] = before;
  });
  return written;
}

/** Runs one UPDATE; `change` gives the new row of those that are to change; `accepts` as of insertRows. */
export function updateRows(
  state: State,
  table: string,
  change: (row: Row) => Row | undefined,
  accepts: (row: Row) => boolean = () => true,
): Row[] {
  const rules = RULES[table]!;
  const columns = columnsOf(table);
  const before = state.rows[table]!;
  const changed: Row[] = [];
  const errors = new Set<string>();
  const rows = before.map((row) => {
    let after: Row | undefined;
    try {
      after = change(row);
    } catch (error) {
      if (!(error instanceof StatementFailed)) throw error;
      for (const code of error.codes) errors.add(code);
    }
    if (!after) return row;
    const whole = generated(rules, after);
    for (const code of rowErrors(rules, columns, whole)) errors.add(code);
    changed.push(whole);
    return whole;
  });
  for (const row of changed) {
    if (
      duplicates(
        rules,
        row,
        rows.filter((other) => other !== row),
      )
    )
      errors.add(CONSTRAINT);
  }
  if (!changed.every(accepts)) errors.add(CHECK);
  fail(errors);
  state.rows[table] = rows;
  checkReferences(state, () => {
    state.rows[table] = before;
  });
  return changed;
}

/**
 * Runs one DELETE with what it cascades to; gives the rows of the table itself.
 * @param accepts the role's check of these rows, which is evaluated before any reference
 */
export function deleteRows(
  state: State,
  table: string,
  chosen: (row: Row) => boolean,
  accepts: (row: Row) => boolean = () => true,
): Row[] {
  const before = { ...state.rows };
  const removed = state.rows[table]!.filter(chosen);
  if (!removed.every(accepts)) throw new StatementFailed([CHECK]);
  remove(state, table, removed);
  checkReferences(state, () => Object.assign(state.rows, before));
  return removed;
}

function remove(state: State, table: string, removed: readonly Row[]): void {
  if (removed.length === 0) return;
  state.rows[table] = state.rows[table]!.filter((row) => !removed.includes(row));
  for (const [name, { references }] of Object.entries(RULES)) {
    for (const reference of references) {
      const { columns, target, onDelete } = reference;
      if (target !== table || onDelete === 'no action') continue;
      const refers = (row: Row) => removed.some((other) => refersTo(reference, row, other));
      if (onDelete === 'cascade') remove(state, name, state.rows[name]!.filter(refers));
      else {
        const cleared = Object.fromEntries(columns.map((column) => [column, null]));
        state.rows[name] = state.rows[name]!.map((row) => (refers(row) ? { ...row, ...cleared } : row));
      }
    }
  }
}

/** At the end of a statement every reference must have its row. */
function checkReferences(state: State, undo: () => void): void {
  for (const [name, { references }] of Object.entries(RULES)) {
    for (const reference of references) {
      const { columns, target } = reference;
      const isKept = (row: Row) =>
        columns.some((column) => row[column] === null) ||
        state.rows[target]!.some((other) => refersTo(reference, row, other));
      if (state.rows[name]!.every(isKept)) continue;
      undo();
      throw new StatementFailed([CONSTRAINT]);
    }
  }
}

function refersTo({ columns, targetColumns }: Reference, row: Row, other: Row): boolean {
  return columns.every(
    (column, index) => row[column] !== null && row[column] === other[targetColumns[index]!],
  );
}

function columnsOf(table: string): readonly Column[] {
  return TABLES.find(({ name }) => name === table)!.columns;
}

function generated({ doubled }: Rules, row: Row): Row {
  if (!doubled) return row;
  const [name, of] = doubled;
  return { ...row, [name]: row[of] === null ? null : (row[of] as number) * 2 };
}

/** NOT NULL first, as Postgres does. */
function rowErrors({ least }: Rules, columns: readonly Column[], row: Row): string[] {
  if (columns.some(({ name, nullable }) => !nullable && row[name] === null)) return [CONSTRAINT];
  return least && row[least[0]] !== null && (row[least[0]] as number) < least[1] ? [CHECK] : [];
}

function fail(codes: Iterable<string>): void {
  const list = [...codes];
  if (list.length > 0) throw new StatementFailed(list);
}

function duplicates({ keys }: Rules, row: Row, others: readonly Row[]): boolean {
  return Object.values(keys).some((key) => others.some((other) => sameKey(key, row, other)));
}

function sameKey(key: readonly string[], left: Row, right: Row): boolean {
  return key.every((name) => left[name] !== null && left[name] === right[name]);
}

/** The value of a column after an operator. @throws StatementFailed where Postgres refuses the value */
export function changedValue({ operator, value }: Change, current: Value): Value {
  if (operator === '_set') return value;
  if (current === null || value === null) return null;
  switch (operator) {
    case '_inc':
      return (current as number) + (value as number);
    case '_append':
      return concatenated(current, value);
    case '_prepend':
      return concatenated(value, current);
    case '_delete_key':
      if (isObject(current)) return withoutKey(current, String(value));
      if (Array.isArray(current)) return (current as readonly Value[]).filter((item) => item !== value);
      throw new StatementFailed([DATA]);
    case '_delete_elem': {
      if (!Array.isArray(current)) throw new StatementFailed([DATA]);
      return withoutItem(current as readonly Value[], value as number);
    }
    case '_delete_at_path':
      return withoutPath(current, value as readonly string[]);
  }
}

function concatenated(left: Value, right: Value): Value {
  if (isObject(left) && isObject(right)) return { ...left, ...right };
  const items = (value: Value): readonly Value[] =>
    Array.isArray(value) ? (value as readonly Value[]) : [value];
  return [...items(left), ...items(right)];
}

function withoutKey(object: { readonly [key: string]: Value }, key: string): Value {
  return Object.fromEntries(Object.entries(object).filter(([name]) => name !== key));
}

function withoutItem(items: readonly Value[], index: number): Value {
  const at = index < 0 ? items.length + index : index;
  return items.filter((_, position) => position !== at);
}

function withoutPath(current: Value, path: readonly string[], top = true): Value {
  if (!isObject(current) && !Array.isArray(current)) {
    if (top) throw new StatementFailed([DATA]);
    return current;
  }
  const [step, ...rest] = path;
  if (step === undefined) return current;
  if (isObject(current)) {
    if (!Object.hasOwn(current, step)) return current;
    return rest.length === 0
      ? withoutKey(current, step)
      : { ...current, [step]: withoutPath(current[step]!, rest, false) };
  }
  const items = current as readonly Value[];
  if (items.length === 0) return current;
  if (!/^-?\d+$/.test(step)) throw new StatementFailed([DATA]);
  const index = Number(step) < 0 ? items.length + Number(step) : Number(step);
  if (index < 0 || index >= items.length) return current;
  return rest.length === 0
    ? withoutItem(items, index)
    : items.map((item, position) => (position === index ? withoutPath(item, rest, false) : item));
}
