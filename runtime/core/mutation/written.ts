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
  /** Where errors of the database and a failed check belong. */
  readonly path: string;
}

/** A write of any number of rows: its one row has the given columns, made of the rows as WITH item `written`. */
export function rowsStatement({ statement, alias, check }: Write, columns: readonly Sql[]): Statement {
  const checked = check ? sql`, ${failUnlessPassed(check)} as ${CHECK}` : raw('');
  return print(
    sql`with ${WRITTEN} as (${statement} returning ${alias}.*${checked}) select ${join(columns, ', ')}`,
  );
}

/** A write of one row at most: yields the given columns of it, made of its alias, or nothing. */
export function rowStatement({ statement, check }: Write, columns: readonly Sql[]): Statement {
  const returned = check ? [...columns, failUnlessPassed(check)] : columns;
  return print(sql`${statement} returning ${join(returned, ', ')}`);
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
  const { alias, path } = write;
  if (readsBeyondRow(selection)) {
    const statement = answerStatement(view, selection, form, scope);
    return form === 'row'
      ? writeByStatements({
          write: rowStatement(write, [sql`json_build_array(${alias})::text`]),
          path,
          read: { statement, results: ['rows'] },
        })
      : writeByStatements({
          write: rowsStatement(write, [COUNT_OF_WRITTEN, JSON_OF_WRITTEN]),
          path,
          read: { statement, results: ['count', 'rows'] },
        });
  }
  if (form === 'row') {
    const answer = jsonRows('single', rowEntries(selection, view, alias, scope), raw(''), scope);
    return writeByStatements({ write: rowStatement(write, [sql`${answer}::text`]), path });
  }
  const row = scope.alias();
  const from = sql`${WRITTEN} as ${row}`;
  const count = sql`(select count(*) from ${WRITTEN})`;
  const answer = answerOf(view, selection, form, from, row, count, scope);
  return writeByStatements({ write: rowsStatement(write, [sql`${answer}::text`]), path });
}

/** The step that runs these statements and nothing else. */
export function writeByStatements(statements: WriteStatements): MutationStep {
  const { write, path, read } = statements;
  return {
    kind: 'run',
    statements,
    run: async (execution) => {
      const texts = await execution.read(write, path, {}, !read);
      if (!read) return texts[0] ?? 'null';
      const results = Object.fromEntries(read.results.map((name, index) => [name, texts[index] ?? null]));
      return (await execution.read(read.statement, '$', results, true))[0] ?? 'null';
    },
  };
}

/** Whether a selection needs more than the columns of the written rows. */
function readsBeyondRow(selection: Selection): boolean {
  return selection.fields.some(({ definition, selection: inner }) => {
    const { meaning } = definition;
    const { kind } = meaning;
    if (kind === 'returning') return readsBeyondRow(inner);
    // Rows of the write's own statement are of no table's type.
    if (kind === 'column') return meaning.column.needsWholeRow || meaning.column.looksElsewhere;
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
