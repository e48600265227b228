/**
 * What a mutation must do: the answer and the state after it, or the error that leaves everything as it was. Inserts with
 * nested data go object by object here, as the reference has it, however the engine does it.
 */
import type { Expected } from '../queries/answer.ts';
import type { Condition } from '../queries/condition.ts';
import { holds, type Lens } from '../queries/lens.ts';
import { type Row, type Table, tableNamed } from '../queries/project.ts';
import type { Value } from '../queries/types.ts';
import { forbiddenPath } from './forbidden.ts';
import { argumentsPath, checkForm, Refused, split } from './form.ts';
import { FUNCTIONS } from './functions.ts';
import { createNestedUpdates } from './nested-updates.ts';
import { BARE, type Permissions, type Preset, rulesOf } from './permissions.ts';
import { createReads } from './reads.ts';
import type { Change, Conflict, InsertObject, Mutation, MutationField } from './request.ts';
import { signupRows, signupTriggers } from './signup.ts';
import {
  CHECK,
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
import { baseOf, RULES, SIGNUP, VIEW_DEFAULTS } from './tables.ts';

export type Outcome =
  | { readonly kind: 'answer'; readonly answer: Expected; readonly state: State }
  | { readonly kind: 'error'; readonly codes: ReadonlySet<string>; readonly path: string };

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

function createRunner(
  state: State,
  permissions: Permissions,
  mutation: Mutation,
): (field: MutationField) => Expected {
  const { session } = mutation;
  const reads = createReads(state, permissions, mutation);
  const { raw, matching, hasKey, response, rowAnswer, functionAnswer } = reads;
  const updates = createNestedUpdates(reads, { insert, update, choose, remove });
  return run;

  function run(field: MutationField): Expected {
    const table = tableNamed(BARE, field.table);
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
        return rowAnswer(field, inserted.rows[0]);
      }
      case 'update': {
        const { affected, rows } = updates.run(table, field, matching(table, field.where), path);
        return response(field, affected, rows, false);
      }
      case 'update by key': {
        const { rows } = updates.run(table, field, hasKey(table, field.key), path);
        return rowAnswer(field, rows[0]);
      }
      case 'update many': {
        const answers = field.entries.map((entry, index) => {
          const at = `${path}.updates[${index}]`;
          const { affected, rows } = updates.run(table, entry, matching(table, entry.where), at);
          return response(field, affected, rows, false);
        });
        return { kind: 'rows', groups: answers.map((answer) => [answer]), skip: 0, take: answers.length };
      }
      case 'delete': {
        const rows = remove(table, matching(table, field.where), '$');
        return response(field, rows.length, rows, false);
      }
      case 'delete by key': {
        const [row] = remove(table, hasKey(table, field.key), '$');
        return rowAnswer(field, row);
      }
      case 'call':
        return call(field);
    }
  }

  /** The function may write whatever it writes; of its rows the role gets what it may see once they are written. */
  function call(field: Extract<MutationField, { kind: 'call' }>): Expected {
    const { arguments: declared, run: runFunction } = FUNCTIONS[field.function]!;
    const args = Object.fromEntries(
      declared.map((each) => [
        each.name,
        field.arguments[each.name] ?? (Object.hasOwn(field.arguments, each.name) ? null : each.default!),
      ]),
    );
    return functionAnswer(
      field,
      statement('$', () => runFunction(state, args)),
    );
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
      const target = tableNamed(BARE, nested.target);
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
      const target = tableNamed(BARE, nested.target);
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

  /** @returns undefined if there is nothing to change */
  function update(
    table: Table,
    changes: readonly Change[],
    wanted: (row: Row) => boolean,
    path: string,
  ): Row[] | undefined {
    const rule = rulesOf(permissions, mutation, table.name).update!;
    const set = presets(rule.set);
    if (changes.length === 0 && Object.keys(set).length === 0) return undefined;
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
    return statement(path, () => {
      if (table.name !== SIGNUP) return updateRows(state, baseOf(table.name), change, accepts);
      return signupTriggers.update(state, change, accepts);
    });
  }

  /** The rows that an update would change, which must pass its check. */
  function choose(table: Table, wanted: (row: Row) => boolean, path: string): Row[] {
    const rule = rulesOf(permissions, mutation, table.name).update!;
    const before = raw();
    const rows = table.name === SIGNUP ? signupRows(state.rows) : state.rows[baseOf(table.name)]!;
    const chosen = rows.filter(
      (row) => shown(table, row) && ruleHolds(before, rule.filter, table, row) && wanted(row),
    );
    if (rule.check && !chosen.every((row) => ruleHolds(before, rule.check!, table, row)))
      throw new Refused([CHECK], path);
    return chosen;
  }

  function remove(table: Table, wanted: (row: Row) => boolean, path: string): Row[] {
    const rule = rulesOf(permissions, mutation, table.name).delete!;
    const before = raw();
    const chosen = (row: Row) =>
      shown(table, row) && ruleHolds(before, rule.filter, table, row) && wanted(row);
    const accepts = (row: Row) => !rule.check || ruleHolds(before, rule.check, table, row);
    return statement(path, () =>
      table.name === SIGNUP
        ? signupTriggers.delete(state, chosen, accepts)
        : deleteRows(state, baseOf(table.name), chosen, accepts),
    );
  }
}

function ruleHolds(lens: Lens, rule: Condition, table: Table, row: Row): boolean {
  return holds(lens, rule, table, row, row, table) === true;
}

/** Whether a view shows the row of its table. */
function shown({ view }: Table, row: Row): boolean {
  return view?.notNull === undefined || row[view.notNull] !== null;
}

function statement<Result>(path: string, run: () => Result): Result {
  try {
    return run();
  } catch (error) {
    if (error instanceof StatementFailed) throw new Refused(error.codes, path);
    throw error;
  }
}
