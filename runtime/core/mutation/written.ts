/**
 * From a writing statement to the answer of its root field. Where the selection asks only for columns of the rows, one
 * statement writes and answers; nested reads inside the write's own statement would see the state before it, so with
 * relationships or computed fields a second statement reads what the first one wrote.
 */
import { EngineError } from '../errors.ts';
import { jsonObject, jsonRows, type Scope } from '../query/scope.ts';
import { rowEntries } from '../query/select.ts';
import type { Selection } from '../request/selection.ts';
import type { TableView } from '../schema/table-view.ts';
import { literal, parameter, print, raw, type Sql, type Statement, sql } from '../sql/fragment.ts';
import type { MutationExecution, MutationStep } from './step.ts';

/** `object` answers with `affected_rows` and `returning`, `row` with the row itself. */
export type AnswerForm = 'object' | 'row';

export const WRITTEN = raw('"written"');
/** Extra column of a write: whether the row passes the role's check. No column of a real table is named so. */
const CHECK = raw('"engine check"');

export interface Write {
  /** `insert …`, `update …` or `delete …` without RETURNING. */
  readonly statement: Sql;
  /** Alias of the written table inside the statement. */
  readonly alias: Sql;
  /** The condition on each written row. */
  readonly check: Sql | undefined;
  /** Where errors of the database belong. */
  readonly path: string;
  /** Where a failed check belongs. */
  readonly checkPath: string;
}

/** The write as a WITH item named `written`. */
export function writtenRows({ statement, alias, check }: Write): Sql {
  return sql`with ${WRITTEN} as (${statement} returning ${alias}.*${check ? sql`, ${check} as ${CHECK}` : raw('')})`;
}

/** Whether all written rows pass the check. */
export function checkPassed({ check }: Write): Sql {
  return check
    ? sql`coalesce((select bool_and(coalesce(${CHECK}, false)) from ${WRITTEN}), true)`
    : raw('true');
}

/** @throws EngineError permission-error when a check failed; the transaction is rolled back by it */
export function requireCheck(passed: string | null | undefined, path: string): void {
  if (passed === 'true') return;
  throw new EngineError('permission-error', 'check constraint of an insert/update permission has failed', {
    path,
  });
}

/** The step of a write that is one statement, or two when the answer needs relationships. */
export function writeStep(
  write: Write,
  view: TableView,
  selection: Selection,
  form: AnswerForm,
  scope: Scope,
): MutationStep {
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
    const statement = print(sql`${writtenRows(write)} select ${checkPassed(write)}::text, ${answer}::text`);
    return {
      kind: 'run',
      run: async (execution) => {
        const [passed, text] = await execution.read(statement, write.path, {});
        requireCheck(passed, write.checkPath);
        return text ?? 'null';
      },
    };
  }
  const first = print(
    sql`${writtenRows(write)} select ${checkPassed(write)}::text, (select count(*) from ${WRITTEN})::text, (select coalesce(json_agg(${WRITTEN}), '[]') from ${WRITTEN})::text`,
  );
  const second = readWritten(view, selection, form, scope);
  return {
    kind: 'run',
    run: async (execution) => {
      const [passed, count, rows] = await execution.read(first, write.path, {});
      requireCheck(passed, write.checkPath);
      return second(execution, count!, rows!);
    },
  };
}

/** Whether a selection needs more than the columns of the written rows. */
export function readsBeyondRow(selection: Selection): boolean {
  return selection.fields.some(({ definition, selection: inner }) => {
    const { kind } = definition.meaning;
    if (kind === 'returning') return readsBeyondRow(inner);
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
  const alias = scope.alias();
  const rows = parameter({ from: 'result', name: 'rows' }, 'json');
  const count = parameter({ from: 'result', name: 'count' }, 'bigint');
  const from = sql`json_populate_recordset(null::${view.table.sql}, ${rows}) as ${alias}`;
  const statement: Statement = print(
    sql`select ${answerOf(view, selection, form, from, alias, count, scope)}::text`,
  );
  return async (execution, countText, rowsText) => {
    const [text] = await execution.read(statement, '$', { count: countText, rows: rowsText });
    return text ?? 'null';
  };
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
