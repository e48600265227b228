/**
 * What a mutation must do: the answer and the state after it, or the error that leaves everything as it was. Inserts with
 * nested data go object by object here, as the reference has it, however the engine does it.
 */
import type { Expected } from '../queries/answer.ts';
import type { Condition } from '../queries/condition.ts';
import { grantOf, holds, type Lens, rawLens, roleLens } from '../queries/lens.ts';
import { expectedFields } from '../queries/oracle.ts';
import {
  columnNamed,
  type Project,
  type Relationship,
  type Row,
  type Table,
  tableNamed,
} from '../queries/project.ts';
import { TYPES, type Value } from '../queries/types.ts';
import { forbiddenPath } from './forbidden.ts';
import { FUNCTIONS } from './functions.ts';
import { NO_PERMISSIONS, type Permissions, type Preset, rulesOf } from './permissions.ts';
import type { Change, Conflict, InsertObject, Key, Mutation, MutationField, Nested } from './request.ts';
import { signupRows, signupTriggers } from './signup.ts';
import {
  changedValue,
  copyState,
  deleteRows,
  insertRows,
  type State,
  StatementFailed,
  type Upsert,
  updateRows,
  type WrittenRow,
} from './state.ts';
import { baseOf, isParent, RULES, SIGNUP, VIEW_DEFAULTS } from './tables.ts';
import { projectOf } from './world.ts';

export type Outcome =
  | { readonly kind: 'answer'; readonly answer: Expected; readonly state: State }
  | { readonly kind: 'error'; readonly codes: ReadonlySet<string>; readonly path: string };

/** The request fails, at a path. */
class Refused extends Error {
  readonly codes: ReadonlySet<string>;
  readonly path: string;

  constructor(codes: Iterable<string>, path: string) {
    super(path);
    this.codes = new Set(codes);
    this.path = path;
  }
}

/** Runs the mutation on a copy of the state. */
export function expectedOutcome(before: State, permissions: Permissions, mutation: Mutation): Outcome {
  const state = copyState(before);
  try {
    // All is planned before any of it runs.
    for (const field of mutation.fields) {
      const forbidden = forbiddenPath(permissions, mutation, field, argumentsPath(field));
      if (forbidden !== undefined) throw new Refused(['validation-failed'], forbidden);
    }
    for (const field of mutation.fields) checkForm(field);
    const run = createRunner(state, permissions, mutation);
    const entries = mutation.fields.map((field) => [field.response, run(field)] as const);
    return { kind: 'answer', answer: { kind: 'object', entries }, state };
  } catch (error) {
    if (!(error instanceof Refused)) throw error;
    return { kind: 'error', codes: error.codes, path: error.path };
  }
}

function rootName(field: MutationField): string {
  if (field.kind === 'call') return field.function;
  const { table, kind } = field;
  const [verb, suffix] = {
    insert: ['insert', ''],
    'insert one': ['insert', '_one'],
    update: ['update', ''],
    'update by key': ['update', '_by_pk'],
    'update many': ['update', '_many'],
    delete: ['delete', ''],
    'delete by key': ['delete', '_by_pk'],
  }[kind] as [string, string];
  return `${verb}_${table}${suffix}`;
}

function argumentsPath(field: MutationField): string {
  return `$.selectionSet.${rootName(field)}.args`;
}

/** What is wrong with a request whatever is in the database. */
function checkForm(field: MutationField): void {
  const path = argumentsPath(field);
  switch (field.kind) {
    case 'insert':
      for (const [index, object] of field.objects.entries())
        checkObject(field.table, object, [], `${path}.objects[${index}]`);
      return;
    case 'insert one':
      checkObject(field.table, field.objects[0]!, [], `${path}.object`);
      return;
    case 'update':
    case 'update by key':
      checkChanges(field.changes, path);
      return;
    case 'update many':
      for (const [index, { changes }] of field.entries.entries())
        checkChanges(changes, `${path}.updates[${index}]`);
  }
}

function checkChanges(changes: readonly Change[], path: string): void {
  const names = changes.map(({ column }) => column);
  if (new Set(names).size < names.length) throw new Refused(['validation-failed'], path);
}

const shapes = projectOf({}, NO_PERMISSIONS);

/** `given`: columns that the parent determines. */
function checkObject(table: string, object: InsertObject, given: readonly string[], path: string): void {
  const determined = new Set([...given, ...Object.keys(object.columns)]);
  const [parents, children] = split(table, object);
  for (const { nested, pairs } of parents) {
    if (pairs.some(([own]) => determined.has(own)))
      throw new Refused(['validation-failed'], `${path}.${nested.relationship}`);
    for (const [own] of pairs) determined.add(own);
    checkObject(nested.target, nested.objects[0]!, [], `${path}.${nested.relationship}.data`);
  }
  for (const { nested, pairs } of children) {
    const others = pairs.map(([, other]) => other);
    const data = `${path}.${nested.relationship}.data`;
    const placed = nested.objects.map((child, index) => ({
      child,
      place: nested.kind === 'object' ? data : `${data}[${index}]`,
    }));
    for (const { child, place } of placed)
      if (others.some((other) => Object.hasOwn(child.columns, other)))
        throw new Refused(['validation-failed'], place);
    for (const { child, place } of placed) checkObject(nested.target, child, others, place);
  }
}

interface Related {
  readonly nested: Nested;
  readonly pairs: Relationship['columns'];
  readonly isParent: boolean;
}

/** What is inserted before the row, and what after it. */
function split(table: string, object: InsertObject): [parents: Related[], children: Related[]] {
  const all = object.nested
    .filter(({ objects }) => objects.length > 0)
    .map((nested): Related => {
      const relationship = tableNamed(shapes, table).relationships.find(
        ({ name }) => name === nested.relationship,
      )!;
      return { nested, pairs: relationship.columns, isParent: isParent(relationship) };
    });
  return [all.filter((each) => each.isParent), all.filter((each) => !each.isParent)];
}

function createRunner(
  state: State,
  permissions: Permissions,
  mutation: Mutation,
): (field: MutationField) => Expected {
  const { role, session } = mutation;
  return run;

  function run(field: MutationField): Expected {
    const table = tableNamed(shapes, field.table);
    const path = argumentsPath(field);
    switch (field.kind) {
      case 'insert': {
        const inserted = insertSet(
          table,
          field.objects,
          field.conflict,
          `${path}.objects`,
          {},
          (index) => `[${index}]`,
        );
        return response(field, inserted.affected, inserted.rows, true);
      }
      case 'insert one': {
        const inserted = insertSet(table, field.objects, field.conflict, `${path}.object`, {}, () => '');
        return inserted.rows[0] ? rowAnswer(field, inserted.rows[0]) : { kind: 'exactly', value: null };
      }
      case 'update': {
        const rows = update(table, field.changes, matching(table, field.where));
        return response(field, rows.length, rows, false);
      }
      case 'update by key': {
        const rows = update(table, field.changes, hasKey(table, field.key));
        return rows[0] ? rowAnswer(field, rows[0]) : { kind: 'exactly', value: null };
      }
      case 'update many': {
        const answers = field.entries.map(({ where, changes }) => {
          const rows = update(table, changes, matching(table, where));
          return response(field, rows.length, rows, false);
        });
        return { kind: 'rows', groups: answers.map((answer) => [answer]), skip: 0, take: answers.length };
      }
      case 'delete': {
        const rows = remove(table, matching(table, field.where));
        return response(field, rows.length, rows, false);
      }
      case 'delete by key': {
        const rows = remove(table, hasKey(table, field.key));
        return rows[0] ? rowAnswer(field, rows[0]) : { kind: 'exactly', value: null };
      }
      case 'call':
        return call(table, field);
    }
  }

  /** The function may write whatever it writes; of its rows the role gets what it may see once they are written. */
  function call(table: Table, field: Extract<MutationField, { kind: 'call' }>): Expected {
    const { set, arguments: declared, run: runFunction } = FUNCTIONS[field.function]!;
    const args = Object.fromEntries(
      declared.map((each) => [
        each.name,
        field.arguments[each.name] ?? (Object.hasOwn(field.arguments, each.name) ? null : each.default!),
      ]),
    );
    const written = statement('$', () => runFunction(state, args));
    const now = project();
    const own = tableNamed(now, table.name);
    const lens = roleLens(now, session, role);
    const rows = written
      .filter((row) => lens.visible(own, row) && holds(lens, field.where, own, row, row, own) === true)
      .map((row) => expectedFields(now, role, lens, own, row, field.returning!));
    if (!set) return rows[0] ?? { kind: 'exactly', value: null };
    const limits = [field.limit, grantOf(now, own, role)!.limit, rows.length];
    return {
      kind: 'rows',
      groups: rows.length > 0 ? [rows] : [],
      skip: 0,
      take: Math.min(...limits.filter((each) => each !== undefined)),
    };
  }

  function project(): Project {
    return projectOf(state.rows, permissions);
  }

  /** Everything as it is now, as rules see it. */
  function raw(): Lens {
    return rawLens(project(), session);
  }

  /** A client's condition on the state as it is now. */
  function matching(table: Table, where: Condition): (row: Row) => boolean {
    const lens = roleLens(project(), session, role);
    const own: Lens = {
      ...lens,
      cell: (of, row, column) =>
        of.name === table.name ? writtenCell(lens, of, row, column) : lens.cell(of, row, column),
    };
    return (row) => holds(own, where, table, row, row, table) === true;
  }

  function ruleHolds(lens: Lens, rule: Condition, table: Table, row: Row): boolean {
    return holds(lens, rule, table, row, row, table) === true;
  }

  function preset(value: Preset): Value {
    return value.kind === 'value' ? value.value : session[value.name]!.value;
  }

  function presets(set: Readonly<Record<string, Preset>>): Record<string, Value> {
    return Object.fromEntries(Object.entries(set).map(([name, value]) => [name, preset(value)]));
  }

  /** Objects of one list: a single statement if nothing is nested in any of them, else one after the other. */
  function insertSet(
    table: Table,
    objects: readonly InsertObject[],
    conflict: Conflict | undefined,
    path: string,
    given: Readonly<Record<string, Value>>,
    step: (index: number) => string,
  ): { readonly affected: number; readonly rows: readonly Row[] } {
    if (objects.length === 0) return { affected: 0, rows: [] };
    if (objects.every((object) => split(table.name, object).every((list) => list.length === 0))) {
      const written = insert(
        table,
        objects.map(({ columns }) => ({ ...columns, ...given })),
        conflict,
        path,
      );
      return { affected: written.length, rows: written };
    }
    let affected = 0;
    const rows: Row[] = [];
    objects.forEach((object, index) => {
      const inserted = insertObject(table, object, conflict, path, given, path + step(index));
      affected += inserted.affected;
      if (inserted.row) rows.push(inserted.row);
    });
    return { affected, rows };
  }

  function insertObject(
    table: Table,
    object: InsertObject,
    conflict: Conflict | undefined,
    path: string,
    given: Readonly<Record<string, Value>>,
    place: string,
  ): { readonly affected: number; readonly row: Row | undefined } {
    const [parents, children] = split(table.name, object);
    let affected = 0;
    const values: Record<string, Value> = { ...object.columns, ...given };
    for (const { nested, pairs } of parents) {
      const target = tableNamed(shapes, nested.target);
      const at = `${place}.${nested.relationship}`;
      const parent = insertObject(
        target,
        nested.objects[0]!,
        nested.conflict,
        `${at}.data`,
        {},
        `${at}.data`,
      );
      if (!parent.row) throw new Refused(['not-supported'], at);
      affected += parent.affected;
      for (const [own, other] of pairs) values[own] = parent.row[other]!;
    }
    const [row] = insert(table, [values], conflict, path);
    if (!row) {
      if (children.length > 0) throw new Refused(['not-supported'], place);
      return { affected, row };
    }
    affected += 1;
    for (const { nested, pairs } of children) {
      const target = tableNamed(shapes, nested.target);
      const data = `${place}.${nested.relationship}.data`;
      const step = nested.kind === 'object' ? () => '' : (index: number) => `[${index}]`;
      affected += insertSet(
        target,
        nested.objects,
        nested.conflict,
        data,
        Object.fromEntries(pairs.map(([own, other]) => [other, row[own]!])),
        step,
      ).affected;
    }
    return { affected, row };
  }

  /** One INSERT with the role's presets and check. */
  function insert(table: Table, rows: readonly Row[], conflict: Conflict | undefined, path: string): Row[] {
    const rules = rulesOf(permissions, mutation, table.name);
    const base = baseOf(table.name);
    const before = raw();
    const set = presets(rules.insert!.set);
    const given = rows.map((row) => ({ ...VIEW_DEFAULTS[table.name], ...row, ...set }));
    const accepts = ({ row, inserted }: WrittenRow) => {
      const check = inserted ? rules.insert!.check : (rules.update?.check ?? rules.insert!.check);
      return ruleHolds(before, check, table, row);
    };
    return statement(path, () => {
      if (table.name === SIGNUP) {
        const insertOne = (row: Row) => signupTriggers.insert(state, row, accepts);
        return given.map(insertOne).filter((row) => row !== undefined);
      }
      const upsert = conflict && upsertOf(table, conflict, before);
      return insertRows(state, base, given, upsert, accepts).map(({ row }) => row);
    });
  }

  function upsertOf(table: Table, { constraint, columns, where }: Conflict, before: Lens): Upsert {
    const key = RULES[table.name]!.keys[constraint]!;
    if (columns.length === 0) return { key };
    const rule = rulesOf(permissions, mutation, table.name).update!;
    const set = presets(rule.set);
    const wanted = where ? matching(table, where) : () => true;
    return {
      key,
      change: (existing, proposed) =>
        ruleHolds(before, rule.filter, table, existing) && wanted(existing)
          ? { ...existing, ...Object.fromEntries(columns.map((name) => [name, proposed[name]!])), ...set }
          : undefined,
    };
  }

  function update(table: Table, changes: readonly Change[], wanted: (row: Row) => boolean): Row[] {
    const rule = rulesOf(permissions, mutation, table.name).update!;
    const set = presets(rule.set);
    if (changes.length === 0 && Object.keys(set).length === 0) return [];
    const before = raw();
    const change = (row: Row): Row | undefined =>
      shown(table, row) && ruleHolds(before, rule.filter, table, row) && wanted(row)
        ? {
            ...row,
            ...Object.fromEntries(
              changes.map((each) => [each.column, changedValue(each, row[each.column]!)]),
            ),
            ...set,
          }
        : undefined;
    const accepts = (row: Row) => !rule.check || ruleHolds(before, rule.check, table, row);
    return statement('$', () => {
      if (table.name !== SIGNUP) return updateRows(state, baseOf(table.name), change, accepts);
      return signupTriggers.update(state, change, accepts);
    });
  }

  function remove(table: Table, wanted: (row: Row) => boolean): Row[] {
    const rule = rulesOf(permissions, mutation, table.name).delete!;
    const before = raw();
    const chosen = (row: Row) =>
      shown(table, row) && ruleHolds(before, rule.filter, table, row) && wanted(row);
    return statement('$', () =>
      table.name === SIGNUP
        ? signupRows(state.rows)
            .filter(chosen)
            .map((row) => signupTriggers.delete(state, row))
        : deleteRows(state, baseOf(table.name), chosen),
    );
  }

  /** Whether a view shows the row of its table. */
  function shown({ view }: Table, row: Row): boolean {
    return view?.notNull === undefined || row[view.notNull] !== null;
  }

  function hasKey(table: Table, key: Key): (row: Row) => boolean {
    const lens = roleLens(project(), session, role);
    return (row) =>
      Object.entries(key).every(([name, value]) => writtenCell(lens, table, row, name) === value);
  }

  function response(
    field: MutationField,
    affected: number,
    rows: readonly Row[],
    ordered: boolean,
  ): Expected {
    const entries: [string, Expected][] = [
      ['affected_rows', { kind: 'exactly', value: { kind: 'number', text: String(affected) } }],
    ];
    if (field.returning) {
      const answers = rows.map((row) => rowAnswer(field, row));
      const groups = ordered ? answers.map((answer) => [answer]) : answers.length > 0 ? [answers] : [];
      entries.push(['returning', { kind: 'rows', groups, skip: 0, take: rows.length }]);
    }
    return { kind: 'object', entries };
  }

  /**
   * Rows that are written may be others than those that the role may see; their cells are as they are, unless an inherited
   * role has the column from one parent only.
   */
  function writtenCell(lens: Lens, table: Table, row: Row, column: string): Value {
    const now = project();
    const own = tableNamed(now, table.name);
    return grantOf(now, own, role)?.masked.has(column) ? lens.cell(own, row, column) : row[column]!;
  }

  /** Columns as they were written, whatever the role's row rule says; relationships as the role sees them now. */
  function rowAnswer({ table, returning }: MutationField, row: Row): Expected {
    const now = project();
    const own = tableNamed(now, table);
    const lens = roleLens(now, session, role);
    const written: Lens = {
      ...lens,
      cell: (of, at, column) => (at === row ? writtenCell(lens, of, at, column) : lens.cell(of, at, column)),
    };
    return expectedFields(now, role, written, own, row, returning!);
  }
}

function statement<Result>(path: string, run: () => Result): Result {
  try {
    return run();
  } catch (error) {
    if (error instanceof StatementFailed) throw new Refused(error.codes, path);
    throw error;
  }
}

/** A row as `row_to_json` prints it, for comparing states. */
export function stateJson(state: State): Record<string, Value[]> {
  return Object.fromEntries(
    Object.keys(RULES).map((name) => {
      const table = tableNamed(shapes, name);
      const rows = [...state.rows[name]!].sort((left, right) => {
        for (const key of table.primaryKey) {
          const order = TYPES[columnNamed(table, key).type].compare!(left[key]!, right[key]!);
          if (order !== 0) return order;
        }
        return 0;
      });
      return [name, rows.map((row) => ({ ...row }))];
    }),
  );
}
