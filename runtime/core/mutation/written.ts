/**
 * From a writing statement to the answer of its root field. Where the selection asks only for columns of the rows, one
 * statement writes and answers; nested reads inside the write's own statement would see the state before it, so with
 * relationships or computed fields a second statement reads what the first one wrote and kept.
 */

import type { Path } from '../errors.ts';
import type { Table } from '../program/program.ts';
import { besideColumns, jsonObjectOf, jsonRows } from '../query/json-rows.ts';
import type { Scope } from '../query/scope.ts';
import { rowEntries } from '../query/select.ts';
import { onlyOne } from '../query/where.ts';
import type { Selection } from '../request/selection.ts';
import type { VisibleTable } from '../schema/visible-table.ts';
import { isDistributed } from '../shards/index.ts';
import { tablesWritten } from '../sql/contents.ts';
import { builtIn, COUNT, join, literal, quoteIdentifier, type Sql, sql, TRUE } from '../sql/fragment.ts';
import { print, type Statement } from '../sql/print.ts';
import { type FromItem, returning, selectStatement, type With, withItem } from '../sql/statement.ts';
import { failUnlessPassed, type RowCheck } from './check.ts';
import { keepCount, keepRows, keptCount, keptRows, ofWritten, rowColumn, rowText, WRITTEN } from './kept.ts';
import type { MutationStep, WriteStatement, WriteStep } from './step.ts';

/** `object` answers with `affected_rows` and `returning`, `row` with the row itself. */
export type AnswerForm = 'object' | 'row';

/** Extra column of a write: what the role's check says of the row. No column of a real table is named so. */

export interface Write {
  /** `insert …`, `update …` or `delete …` without RETURNING. */
  readonly statement: Sql;
  /** Alias of the written table inside the statement. */
  readonly alias: Sql;
  /** For each written row. */
  readonly check: RowCheck;
  /** The table as the role sees it. */
  readonly visible: VisibleTable;
  /** Where errors of the database and a failed check belong. */
  readonly path: Path;
}

/**
 * A write of any number of rows: its one row has the given columns, made of the rows as WITH item `written`.
 * @param kept the column with the texts of the rows, where rows are kept (see `rowColumn`)
 */
export function rowsStatement(
  { statement, alias, check, visible }: Write,
  columns: readonly Sql[],
  kept?: Sql,
): Statement {
  const { table } = visible;
  const item = { name: WRITTEN, item: statement };
  if (isDistributed(table.source)) {
    // Citus takes no subquery, and nothing but immutable functions, in RETURNING.
    const apart = ofWritten(builtIn('bool_and', failUnlessPassed(check ?? TRUE)), alias);
    const all = check ? [...columns, apart] : columns;
    return written({ ...item, returning: sql`${alias}.*`, statement: row(all) }, visible);
  }
  const returned = returnedColumns(table, alias, check, kept);
  return written({ ...item, returning: returned, statement: row(columns) }, visible);
}

/** One row, which is of no table. */
function row(columns: readonly Sql[]): Sql {
  return selectStatement({ columns: join(columns, ', ') });
}

function printWrite(write: Sql, keeps: boolean): Statement {
  return {
    ...print(write, keeps),
    writes: tablesWritten(write).map(({ schema, name }) => quoteIdentifier(schema, name)),
  };
}

function written(clauses: With, { keepsTrees }: VisibleTable): Statement {
  return printWrite(withItem(clauses), keepsTrees);
}

/** The row of an alias, its text if it is to be kept, and its check. */
function returnedColumns(table: Table, alias: Sql, check: RowCheck, kept: Sql | undefined): Sql {
  return join(
    [
      sql`${alias}.*`,
      ...(kept ? [sql`${rowText(alias)} as ${kept}`] : []),
      ...(check ? [sql`${failUnlessPassed(check)} as ${besideColumns(table, 'engine check')}`] : []),
    ],
    ', ',
  );
}

/**
 * Chooses the rows that an update without changes would write: locked where they are a table's, checked as written ones.
 * @param columns keep the rows, made of those as WITH item `written`
 */
export function chosenStatement(
  visible: VisibleTable,
  alias: Sql,
  where: readonly Sql[],
  check: RowCheck,
  columns: readonly Sql[],
): Statement {
  const { table } = visible;
  const { kind } = table.shape;
  const chosen = returnedColumns(table, alias, check, rowColumn(table));
  const locks = kind === 'table' || kind === 'partitioned';
  const item = selectStatement({
    columns: chosen,
    from: [{ rows: table.sql, alias }],
    where,
    ...(locks && { ending: sql`for no key update of ${alias}` }),
  });
  // Materialized, or Postgres would leave out the check, which nothing reads.
  return written({ name: WRITTEN, isMaterialized: true, item, statement: row(columns) }, visible);
}

/** A write of one row at most: yields the given columns of it, made of its alias, or nothing. */
export function rowStatement(write: Write, columns: readonly Sql[]): Statement {
  const { statement, check, visible } = write;
  if (isDistributed(visible.table.source) && check)
    return rowsStatement(write, columns.length > 0 ? columns : [TRUE]);
  const returned = check ? [...columns, failUnlessPassed(check)] : columns;
  return printWrite(
    returned.length === 0 ? statement : returning(statement, join(returned, ', ')),
    visible.keepsTrees,
  );
}

/** The step of a write that is one statement, or two when the answer needs relationships. */
export function writeStep(
  write: Write,
  visible: VisibleTable,
  selection: Selection,
  form: AnswerForm,
  scope: Scope,
): MutationStep {
  const { alias, path } = write;
  if (readsBeyondRow(selection, isDistributed(visible.table.source))) {
    const columns = [...(asksForCount(selection) ? [keepCount(true)] : []), keepRows(visible.table)];
    const statement = rowsStatement(write, columns, rowColumn(visible.table));
    return writeThenRead([{ statement, path }], visible, selection, form, keptCount, scope);
  }
  if (form === 'row') {
    const apart = isDistributed(write.visible.table.source);
    const rest = apart ? { from: [{ rows: WRITTEN, alias }] } : {};
    const answer = jsonRows('single', rowEntries(selection, visible, alias, scope), rest, scope);
    const statement = (apart ? rowsStatement : rowStatement)(write, [sql`${answer}::text`]);
    return { kind: 'write', statements: [{ statement, path }], answer: [0], isOneObject: true };
  }
  const from = { rows: WRITTEN, alias: scope.alias('written') };
  const answer = answerOf(visible, selection, form, from, ofWritten(COUNT), scope);
  const statement = rowsStatement(write, [sql`${answer}::text`]);
  return { kind: 'write', statements: [{ statement, path }], answer: [0] };
}

/**
 * Statements that keep what they write, and one that reads the answer from it.
 * @param count of the written rows
 * @param rows those to show, as rows of the table
 */
export function writeThenRead(
  writes: readonly WriteStatement[],
  visible: VisibleTable,
  selection: Selection,
  form: AnswerForm,
  count: Sql,
  scope: Scope,
  rows = keptRows(visible.table),
): WriteStep {
  const alias = scope.alias(visible.table.shape.name);
  const answer = answerOf(visible, selection, form, { rows, alias }, count, scope);
  const read = { statement: print(row([sql`${answer}::text`]), visible.keepsTrees), path: '$' };
  const step: WriteStep = { kind: 'write', statements: [...writes, read], answer: [writes.length] };
  return form === 'row' ? { ...step, isOneObject: true } : step;
}

export function asksForCount(selection: Selection): boolean {
  return selection.fields.some(({ definition }) => definition.meaning.kind === 'affectedRows');
}

export function asksForRows(selection: Selection, form: AnswerForm): boolean {
  return form === 'row' || selection.fields.some(({ definition }) => definition.meaning.kind === 'returning');
}

/**
 * True if a selection needs more than the columns of the written rows.
 * @param isTyped rows are made the table's where a function takes them, as for clusters. Others are of no table's type
 */
function readsBeyondRow(selection: Selection, isTyped: boolean): boolean {
  return selection.fields.some(({ definition, selection: inner }) => {
    const { meaning } = definition;
    const { kind } = meaning;
    if (kind === 'returning') return readsBeyondRow(inner, isTyped);
    if (kind === 'column') return (!isTyped && meaning.column.needsWholeRow) || meaning.column.looksElsewhere;
    if (kind === 'computedField') return !(isTyped && 'type' in meaning.computedField.returns);
    if (kind === 'join') return meaning.join.keys.some(({ needsWholeRow }) => needsWholeRow);
    return kind === 'relationship' || kind === 'relationshipAggregate' || kind === 'relationshipGroups';
  });
}

function answerOf(
  visible: VisibleTable,
  selection: Selection,
  form: AnswerForm,
  from: FromItem & { readonly alias: Sql },
  count: Sql,
  scope: Scope,
): Sql {
  const { alias } = from;
  if (form === 'row')
    return jsonRows(
      'single',
      rowEntries(selection, visible, alias, scope),
      { from: [from], ...onlyOne(visible.table) },
      scope,
    );
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
          jsonRows('list', rowEntries(field.selection, visible, alias, scope), { from: [from] }, scope),
        ] as const;
      default:
        throw new Error(`the response of a mutation has no ${kind}`);
    }
  });
  return jsonObjectOf(entries, scope);
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
