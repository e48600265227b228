/** What a mutation reads of the state as it is: for its conditions, for rules, and for its answer. */
import type { Expected } from '../queries/answer.ts';
import type { Condition } from '../queries/condition.ts';
import { grantOf, holds, type Lens, rawLens, roleLens } from '../queries/lens.ts';
import { expectedFields } from '../queries/oracle.ts';
import { type Project, type Row, type Table, tableNamed } from '../queries/project.ts';
import type { Value } from '../queries/types.ts';
import { FUNCTIONS } from './functions.ts';
import type { Permissions } from './permissions.ts';
import type { Key, Mutation, MutationField } from './request.ts';
import type { State } from './state.ts';
import { projectOf } from './world.ts';

export type Reads = ReturnType<typeof createReads>;

export function createReads(state: State, permissions: Permissions, { role, session }: Mutation) {
  return { raw, matching, hasKey, response, rowAnswer, latest, functionAnswer };

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

  /** Columns as they were written, whatever the role's row rule says; relationships as the role sees them now. */
  function rowAnswer({ table, returning }: MutationField, row: Row | undefined): Expected {
    if (!row) return { kind: 'exactly', value: null };
    const now = project();
    const own = tableNamed(now, table);
    const lens = roleLens(now, session, role);
    const written: Lens = {
      ...lens,
      cell: (of, at, column) => (at === row ? writtenCell(lens, of, at, column) : lens.cell(of, at, column)),
    };
    return expectedFields(now, role, written, own, row, returning!);
  }

  /** A written row as it is now, if the role may see it; otherwise as it was written. */
  function latest(table: Table, row: Row): Row {
    const { primaryKey } = table;
    if (primaryKey.length === 0) return row;
    const now = project();
    const own = tableNamed(now, table.name);
    const found = own.rows.find((each) => primaryKey.every((name) => each[name] === row[name]));
    return found && roleLens(now, session, role).visible(own, found) ? found : row;
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

  /** Of the rows that a function has written the role gets what it may see. */
  function functionAnswer(
    field: Extract<MutationField, { kind: 'call' }>,
    written: readonly Row[],
  ): Expected {
    const now = project();
    const own = tableNamed(now, field.table);
    const lens = roleLens(now, session, role);
    const rows = written
      .filter((row) => lens.visible(own, row) && holds(lens, field.where, own, row, row, own) === true)
      .map((row) => expectedFields(now, role, lens, own, row, field.returning!));
    if (!FUNCTIONS[field.function]!.set) return rows[0] ?? { kind: 'exactly', value: null };
    const limits = [field.limit, grantOf(now, own, role)!.limit, rows.length];
    return {
      kind: 'rows',
      groups: rows.length > 0 ? [rows] : [],
      skip: 0,
      take: Math.min(...limits.filter((each) => each !== undefined)),
    };
  }
}
