/**
 * A row rule asked about as clients ask: by requests of a role with a session, planned and answered as any other. Reads
 * show the rows that a rule lets through. Writes are tried on rows that stay as they are, whatever is written: a trigger puts
 * each row back, and foreign keys and the triggers of the schema rest, so that nothing but permissions refuses a request.
 */

import pg from 'pg';
import { readRule } from '../../../runtime/core/condition/rule.ts';
import { EngineError } from '../../../runtime/core/errors.ts';
import type { Table } from '../../../runtime/core/program/program.ts';
import type { MutationFieldKind } from '../../../runtime/core/program/root-fields.ts';
import { bindParameters } from '../../../runtime/core/request/bind.ts';
import type { Planner } from '../../../runtime/core/request/planner.ts';
import { boundRule } from '../../../runtime/core/schema/visible-table.ts';
import type { Session } from '../../../runtime/core/session.ts';
import { NOBODY } from '../../../runtime/core/session.ts';
import { identifier, raw, sql } from '../../../runtime/core/sql/fragment.ts';
import { print } from '../../../runtime/core/sql/print.ts';
import { columnText } from '../../../runtime/database/text-query.ts';
import { executeData } from '../../../runtime/graphql/execute.ts';
import type { InputValidator } from '../../../runtime/graphql/request.ts';
import type { ReadRows } from './isolation.ts';
import type { SessionValues } from './sessions.ts';
import type { TestSubject } from './subjects.ts';
import type { Trial } from './trial.ts';

/** A rule cannot be asked about; the message says why. */
export class UntriedError extends Error {
  override readonly name = 'UntriedError';
}

/**
 * Makes the reader of a rule: which rows a session reads, changes or deletes; for a check, how a row may be that it writes.
 * @param rows rows to try a check with, as `checkedRows` chooses them
 * @throws UntriedError
 */
export function createReader(
  trial: Trial,
  subject: TestSubject,
  planner: Planner,
  rows: readonly string[],
): ReadRows {
  switch (subject.kind) {
    case 'select':
      return readRows(trial, subject, planner);
    case 'update':
    case 'delete':
      return touchRows(trial, subject, planner);
    case 'insert check':
    case 'update check':
    case 'delete check':
      return writeRows(trial, subject, planner, rows);
  }
}

/** True if the request was permitted. @throws UntriedError if it failed for another reason than the rule */
type Ask = (session: SessionValues) => Promise<Record<string, unknown> | undefined>;

function createAsk(trial: Trial, subject: TestSubject, planner: Planner, query: string): Ask {
  const sources = new Map([[subject.source, trial.connection]]);
  return async (variables) => {
    try {
      return JSON.parse(
        await executeData({ query }, sessionOf(subject, variables, planner), {
          planner,
          sources,
          inputValidator: agrees,
        }),
      );
    } catch (error) {
      if (!(error instanceof EngineError)) throw error;
      // A missing variable, a value that is not of the column's type, a check that is not fulfilled.
      if (['not-found', 'data-exception', 'permission-error'].includes(error.code)) return undefined;
      if (error.code !== 'validation-failed' && !(error.cause instanceof pg.DatabaseError)) throw error;
      throw new UntriedError(`it cannot be tried: ${error.message}`);
    }
  };
}

/** Rules are tried, not webhooks: those that validate input agree to everything. */
export const agrees: InputValidator = async () => {};

function sessionOf({ role }: TestSubject, variables: SessionValues, { program }: Planner): Session {
  return {
    vocabulary: program.vocabulary,
    role,
    backendOnly: true,
    variables: { 'x-engine-role': role, ...variables },
  };
}

function readRows(trial: Trial, subject: TestSubject, planner: Planner): ReadRows {
  const { table } = subject;
  const field = fieldOf(subject, 'select');
  const linked = subjectTable(subject, planner);
  const fieldsOf = (columns: readonly string[]) =>
    columns.flatMap((column) => linked.columns.get(column)?.field ?? []);
  const key = fieldsOf(table.shape.primaryKey?.columns ?? []);
  // Columns whose names GraphQL cannot spell are no fields.
  const isKey = key.length > 0 && key.length === table.shape.primaryKey?.columns.length;
  const fields = isKey ? key : fieldsOf([...linked.columns.keys()]);
  const ask = createAsk(trial, subject, planner, `{ ${field(`{ __typename ${fields.join(' ')} }`)} }`);
  return async (session) => {
    const answer = await ask(session);
    if (!answer) return undefined;
    const [first] = Object.values(answer);
    const rows = Array.isArray(first) ? first : Object.values(first as object)[0];
    return numbered(rows.map((row: unknown) => JSON.stringify(row)));
  };
}

/** The texts with a number, so that rows that look the same are counted. */
function numbered(texts: readonly string[]): ReadonlySet<string> {
  const counts = new Map<string, number>();
  return new Set(
    texts.map((text) => {
      const count = (counts.get(text) ?? 0) + 1;
      counts.set(text, count);
      return `${count} ${text}`;
    }),
  );
}

/** Writes a root field of the rule's table, below the namespace of its source. @throws UntriedError */
export function fieldOf(
  { table }: TestSubject,
  kind: 'select' | MutationFieldKind,
): (rest: string) => string {
  const name = table.rootFields.find((each) => each.kind === kind)?.name;
  if (name === undefined) throw new UntriedError('no field of the API leads there');
  const { rootNamespace } = table.shape.source;
  return (rest) => (rootNamespace === undefined ? `${name} ${rest}` : `${rootNamespace} { ${name} ${rest} }`);
}

function touchRows(trial: Trial, subject: TestSubject, planner: Planner): ReadRows {
  const ask = createAsk(trial, subject, planner, writeOf(subject, planner));
  return (session) =>
    trial.undone(async () => {
      if (!(await ask(session))) return undefined;
      const rows = await trial.run<{ row: string }>('select row from engine_test.touched');
      return numbered(rows.map(({ row }) => row));
    });
}

function writeRows(trial: Trial, subject: TestSubject, planner: Planner, rows: readonly string[]): ReadRows {
  const ask = createAsk(trial, subject, planner, writeOf(subject, planner));
  const isInsert = subject.kind === 'insert check';
  return async (session) => {
    const accepted = new Set<string>();
    for (const row of rows)
      await trial.undone(async () => {
        // A row that is inserted once more would not be unique.
        if (isInsert) await trial.run(`delete from ${tableName(subject)} as t where ${ROW} = $1`, [row]);
        await trial.run(`select set_config('engine_test.row', $1, true)`, [row]);
        if (await ask(session)) accepted.add(row);
      });
    return accepted;
  };
}

function writeOf(subject: TestSubject, planner: Planner): string {
  const { kind, role } = subject;
  if (kind === 'insert check')
    return `mutation { ${fieldOf(subject, 'insert')('(objects: [{}]) { __typename }')} }`;
  if (kind === 'delete' || kind === 'delete check')
    return `mutation { ${fieldOf(subject, 'delete')('(where: {}) { __typename }')} }`;
  const table = subjectTable(subject, planner);
  const [column] = planner.program
    .access(table)
    .update![role]!.columns.flatMap((name) => table.columns.get(name)?.field ?? []);
  if (column === undefined) throw new UntriedError('no column may be updated');
  return `mutation { ${fieldOf(subject, 'update')(`(where: {}, _set: { ${column}: null }) { __typename }`)} }`;
}

export function subjectTable({ table: { key, shape } }: TestSubject, { program }: Planner): Table {
  return program.tables.find((each) => each.key === key && each.source.name === shape.source.name)!;
}

/** A row as text, by which it is found again; with its star, because a column may be called `t`. */
const ROW = '(t.*)::text';

function tableName({ table: { shape } }: TestSubject): string {
  return print(identifier(shape.schema, shape.name)).text;
}

/** Prepares the trial of a write. @throws UntriedError if it is not a table */
export async function watchWrites(trial: Trial, subject: TestSubject): Promise<void> {
  const { kind } = subject.table.shape;
  if (kind !== 'table' && kind !== 'partitioned')
    throw new UntriedError('rows of a view cannot be watched while they are written');
  const table = tableName(subject);
  await trial.run(`
    set local session_replication_role = replica;
    create schema engine_test;
    create table engine_test.touched (row text);
    create function engine_test.keep() returns trigger language plpgsql as $$
    declare
      wanted text := nullif(current_setting('engine_test.row', true), '');
    begin
      if tg_op = 'INSERT' then
        return wanted::${table};
      elsif wanted is not null and wanted <> old::text then
        return null;
      end if;
      insert into engine_test.touched values (old::text);
      return old;
    end $$;
    create trigger engine_test_keep before insert or update or delete on ${table}
      for each row execute function engine_test.keep();
    alter table ${table} enable always trigger engine_test_keep;
  `);
}

/** Maximum number of rows that a check is tried with. */
const CHECKED_ROWS = 8;

/** Rows to try a check with: some that it lets through for one of the sessions, and some others. */
export async function checkedRows(
  trial: Trial,
  subject: TestSubject,
  sessions: readonly SessionValues[],
): Promise<string[]> {
  const found = new Set<string>();
  for (const session of sessions)
    for (const row of await ruleRows(trial, subject, subject.where, session, 2)) found.add(row);
  const chosen = [...found].slice(0, CHECKED_ROWS);
  const others = await trial.run<{ row: string }>(
    `select ${ROW} as row from ${tableName(subject)} as t order by md5(${ROW}) limit ${CHECKED_ROWS / 2}`,
  );
  return [...new Set([...chosen, ...others.map(({ row }) => row)])];
}

/** The rows for which a condition holds, as texts: not what is tested, but what to test with. None when it is refused. */
export async function ruleRows(
  trial: Trial,
  subject: TestSubject,
  where: string,
  variables: SessionValues,
  limit: number,
): Promise<string[]> {
  const { shape } = subject.table;
  const t = identifier('t');
  const statement = print(
    sql`select coalesce(json_agg(row), '[]')::text from (select (${t}.*)::text as row from ${identifier(shape.schema, shape.name)} as ${t} where ${boundRule(readRule(where), { rule: subject.name })(t)} limit ${raw(String(limit))}) rows`,
  );
  try {
    const [text] = await trial.connection.readTexts(
      statement,
      bindParameters(statement, {}, { ...NOBODY, role: subject.role, variables }),
    );
    return JSON.parse(columnText(text!)) as string[];
  } catch (error) {
    if (error instanceof EngineError || (error as { code?: string }).code?.startsWith('22')) return [];
    throw error;
  }
}
