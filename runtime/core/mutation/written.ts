/**
 * From a writing statement to the answer of its root field. Where the selection asks only for columns of the rows, one
 * statement writes and answers; nested reads inside the write's own statement would see the state before it, so with
 * relationships or computed fields a second statement reads what the first one wrote.
 */
import { jsonObject, jsonRows, type Scope } from '../query/scope.ts';
import { rowEntries } from '../query/select.ts';
import type { Selection } from '../request/selection.ts';
import type { TableView } from '../schema/table-view.ts';
import { join, literal, parameter, print, raw, type Sql, type Statement, sql } from '../sql/fragment.ts';
import { failUnlessPassed, type RowCheck } from './check.ts';
import type { MutationExecution, MutationStep, WriteStatements } from './step.ts';

/** `object` answers with `affected_rows` and `returning`, `row` with the row itself. */
export type AnswerForm = 'object' | 'row';

export const WRITTEN = raw('"written"');
/** Extra column of a write: what the role's check says of the row. No column of a real table is named so. */
const CHECK = raw('"engine check"');

export interface Write {
  /** `insert …`, `update …` or `delete …` without RETURNING. */
  readonly statement: Sql;
  /** Alias of the written table inside the statement. */
  readonly alias: Sql;
  /** For each written row. */
  readonly check: RowCheck;
  /** Where errors of the database belong. */
  readonly path: string;
  /** Where a failed check belongs. */
  readonly checkPath: string;
}

/** The write as a WITH item named `written`. */
function writtenRows({ statement, alias, check }: Write): Sql {
  return sql`with ${WRITTEN} as (${statement} returning ${alias}.*${check ? sql`, ${check} as ${CHECK}` : raw('')})`;
}

function checkColumn(check: RowCheck): Sql {
  return check ? sql`${failUnlessPassed(CHECK, WRITTEN)}, ` : raw('');
}

/** The statement of a write; its row has the given columns, behind one for the check if there is one. */
export function writeStatement(write: Write, columns: readonly Sql[]): Statement {
  return print(sql`${writtenRows(write)} select ${checkColumn(write.check)}${join(columns, ', ')}`);
}

/** The given columns of a row that a writeStatement yielded. */
export function withoutCheck(
  { check }: Pick<Write, 'check'>,
  row: readonly (string | null)[],
): readonly (string | null)[] {
  return check ? row.slice(1) : row;
}

export const COUNT_OF_WRITTEN = raw('(select count(*) from "written")::text');
export const JSON_OF_WRITTEN = raw(`(select coalesce(json_agg("written"), '[]') from "written")::text`);

/** The step of a write that is one statement, or two when the answer needs relationships. */
export function writeStep(
  write: Write,
  view: TableView,
  selection: Selection,
  form: AnswerForm,
  scope: Scope,
): MutationStep {
  const places = { path: write.path, ...(write.check && { checkPath: write.checkPath }) };
  if (!readsBeyondRow(selection)) {
    const alias = scope.alias();
    const answer = answerOf(
      view,
      selection,
      form,
      sql`${WRITTEN} as ${alias}`,
      alias,
      sql`(select count(*) from ${WRITTEN})`,
      scope,
    );
    return writeByStatements({ write: writeStatement(write, [sql`${answer}::text`]), ...places });
  }
  const read = { statement: answerStatement(view, selection, form, scope), results: ['count', 'rows'] };
  return writeByStatements({
    write: writeStatement(write, [COUNT_OF_WRITTEN, JSON_OF_WRITTEN]),
    ...places,
    read,
  });
}

/** The step that runs these statements and nothing else. */
export function writeByStatements(statements: WriteStatements): MutationStep {
  const { write, path, checkPath, read } = statements;
  const firstColumn = checkPath === undefined ? 0 : 1;
  return {
    kind: 'run',
    statements,
    run: async (execution) => {
      const texts = await execution.read(write, path, {}, !read);
      if (!read) return texts[firstColumn] ?? 'null';
      const results = Object.fromEntries(
        read.results.map((name, index) => [name, texts[firstColumn + index] ?? null]),
      );
      return (await execution.read(read.statement, '$', results, true))[0] ?? 'null';
    },
  };
}

/** Whether a selection needs more than the columns of the written rows. */
export function readsBeyondRow(selection: Selection): boolean {
  return selection.fields.some(({ definition, selection: inner }) => {
    const { meaning } = definition;
    const { kind } = meaning;
    if (kind === 'returning') return readsBeyondRow(inner);
    // Rows of the write's own statement are of no table's type.
    if (kind === 'column') return meaning.column.needsWholeRow;
    return kind === 'relationship' || kind === 'relationshipAggregate' || kind === 'computedField';
  });
}

/** Reads the answer from rows that earlier statements returned as JSON. */
export function readWritten(
  view: TableView,
  selection: Selection,
  form: AnswerForm,
  scope: Scope,
): (execution: MutationExecution, count: string, rows: string) => Promise<string> {
  const statement = answerStatement(view, selection, form, scope);
  return async (execution, countText, rowsText) => {
    const [text] = await execution.read(statement, '$', { count: countText, rows: rowsText }, true);
    return text ?? 'null';
  };
}

/** Takes `count` and `rows`, the written rows as JSON. */
function answerStatement(view: TableView, selection: Selection, form: AnswerForm, scope: Scope): Statement {
  const alias = scope.alias();
  const rows = parameter({ from: 'result', name: 'rows' }, 'json');
  const count = parameter({ from: 'result', name: 'count' }, 'bigint');
  const from = sql`json_populate_recordset(null::${view.table.sql}, ${rows}) as ${alias}`;
  return print(sql`select ${answerOf(view, selection, form, from, alias, count, scope)}::text`);
}

function answerOf(
  view: TableView,
  selection: Selection,
  form: AnswerForm,
  from: Sql,
  alias: Sql,
  count: Sql,
  scope: Scope,
): Sql {
  if (form === 'row')
    return jsonRows('single', rowEntries(selection, view, alias, scope), sql`from ${from}`, scope);
  const entries = selection.fields.map((field) => {
    const { kind } = field.definition.meaning;
    switch (kind) {
      case 'typename':
        return [field.responseName, sql`${literal(selection.typeName)}::text`] as const;
      case 'affectedRows':
        return [field.responseName, count] as const;
      case 'returning':
        return [
          field.responseName,
          jsonRows('list', rowEntries(field.selection, view, alias, scope), sql`from ${from}`, scope),
        ] as const;
      default:
        throw new Error(`the response of a mutation has no ${kind}`);
    }
  });
  return jsonObject(entries, scope);
}

/** The answer of a mutation that has nothing to do. */
export function nothingWritten(selection: Selection, form: AnswerForm): MutationStep {
  if (form === 'row') return { kind: 'constant', text: 'null' };
  const entries = selection.fields.map((field) => {
    const { kind } = field.definition.meaning;
    const value =
      kind === 'typename' ? JSON.stringify(selection.typeName) : kind === 'returning' ? '[]' : '0';
    return `${JSON.stringify(field.responseName)}:${value}`;
  });
  return { kind: 'constant', text: `{${entries.join(',')}}` };
}
