/** Makes sessions to try a rule with. Their variables have values of the columns that the rule compares them with. */

import type { SourceCatalog } from '../../../runtime/catalog/catalog.ts';
import { readRule, referring } from '../../../runtime/core/condition/rule.ts';
import { displayName } from '../../../runtime/core/names.ts';
import { bindParameters } from '../../../runtime/core/request/bind.ts';
import { NOBODY } from '../../../runtime/core/session.ts';
import {
  bindRow,
  identifier,
  join,
  literal,
  raw,
  type Sql,
  sql,
} from '../../../runtime/core/sql/fragment.ts';
import { print } from '../../../runtime/core/sql/print.ts';
import { columnText } from '../../../runtime/database/text-query.ts';
import type { Argument, BooleanExpression } from '../../model/model.ts';
import { planCondition } from '../../phases/4-plan/boolean-expression.ts';
import { branchesNaming } from './conditions.ts';
import { insertMatching, valueFor } from './rows.ts';
import type { TestSubject } from './subjects.ts';
import type { Trial } from './trial.ts';

export type SessionValues = Readonly<Record<string, string>>;

/** How often rows are made for a branch: those that they refer to may be the same again. */
const ATTEMPTS = 4;

/** Maximum values of a variable, and maximum rows of the table, that are read to make sessions. */
const VALUES = 60;
const ROWS = 200;

interface Comparison {
  readonly from: Sql;
  /** `ticket`, `other.ticket`. */
  readonly table: string;
  readonly column: string;
  readonly variable: string;
  readonly isList: boolean;
}

/** Columns that a rule compares with a session variable: `ticket.tenant_id`. */
export function comparedColumns({ condition, table: { shape } }: TestSubject, variable: string): string[] {
  const all = comparisons(condition, shape.schema, shape.name).filter((each) => each.variable === variable);
  return [...new Set(all.map(({ table, column }) => `${table}.${column}`))];
}

/** The places in which a condition compares columns with session variables. */
function comparisons(condition: BooleanExpression, schema: string, name: string): Comparison[] {
  switch (condition.kind) {
    case 'and':
    case 'or':
      return condition.conditions.flatMap((part) => comparisons(part, schema, name));
    case 'not':
      return comparisons(condition.condition, schema, name);
    case 'relationship':
    case 'exists':
      return comparisons(condition.condition, condition.target.schema, condition.target.name);
    case 'comparison': {
      const { left, right } = condition;
      if (left.kind !== 'column') return [];
      return variablesOf(right).map(({ variable, isList }) => ({
        from: identifier(schema, name),
        table: displayName(schema, name),
        column: left.column,
        variable,
        isList,
      }));
    }
    default:
      return [];
  }
}

function variablesOf(right: Argument): { variable: string; isList: boolean }[] {
  switch (right.kind) {
    case 'value':
      return right.value.kind === 'session' ? [{ variable: right.value.name, isList: false }] : [];
    case 'list':
      return right.values.flatMap((value) =>
        value.kind === 'session' ? [{ variable: value.name, isList: false }] : [],
      );
    case 'session-list':
      return [{ variable: right.name, isList: true }];
    case 'fields':
      return [];
  }
}

export interface Sessions {
  readonly sessions: readonly SessionValues[];
  /** Rows were made in the trial. */
  readonly made: boolean;
  /** Why rows were refused that would have shown more. */
  readonly problem?: string;
}

/**
 * Sessions that reach rows by each branch of the rule, and for each of them others that differ in one variable alone. Where
 * no two differ by a branch, rows are made for it. None when a variable has no values to try.
 * @param most sessions for each branch
 */
export async function sessionsFor(
  trial: Trial,
  catalog: SourceCatalog,
  subject: TestSubject,
  most: number,
): Promise<Sessions> {
  const { condition, variables } = subject;
  const found: SessionValues[] = [];
  let made = false;
  let problem: string | undefined;
  for (const variable of variables)
    for (const branch of branchesNaming(condition, variable)) {
      const where = planCondition(subject.table.shape.source, branch, 0);
      const reached = await reaching(trial, subject, where, await valuesOf(trial, subject), most);
      const differ = () => new Set(reached.map((each) => each[variable])).size > 1;
      for (let attempt = 0; attempt < ATTEMPTS && !differ(); attempt += 1) {
        const session = await makeSession(trial, catalog, subject, branch);
        if (typeof session === 'string') problem = session;
        else reached.push(session);
        made ||= typeof session !== 'string';
      }
      found.push(...reached);
    }
  const values = await valuesOf(trial, subject);
  const rest = { made, ...(problem !== undefined && { problem }) };
  if ([...values.values()].some((each) => each.length === 0)) return { sessions: [], ...rest };
  const some: SessionValues = {
    ...forPresets(catalog, subject),
    ...Object.fromEntries([...values].map(([variable, [first]]) => [variable, first!])),
  };
  const sessions = (found.length > 0 ? found : [some]).map((each) => ({ ...some, ...each }));
  const others = sessions.flatMap((session) =>
    variables.flatMap((variable) =>
      [...new Set([...sessions.map((each) => each[variable]!), ...values.get(variable)!])]
        .filter((value) => value !== session[variable])
        .slice(0, most)
        .map((value): SessionValues => ({ ...session, [variable]: value })),
    ),
  );
  const distinct = new Map([...sessions, ...others].map((session) => [JSON.stringify(session), session]));
  return { sessions: [...distinct.values()], ...rest };
}

/** Values for presets: any value of the column's type. */
export function forPresets(
  catalog: SourceCatalog,
  { presets, table: { shape } }: TestSubject,
): SessionValues {
  const columns = catalog.tables.find(
    ({ schema, name }) => schema === shape.schema && name === shape.name,
  )!.columns;
  return Object.fromEntries(
    Object.entries(presets).flatMap(([name, value]) =>
      value.kind === 'session'
        ? [[value.name, valueFor(catalog, columns.find((column) => column.name === name)!, 0) ?? '']]
        : [],
    ),
  );
}

/** Makes rows for a branch of a rule: the session that reaches them, or why they are refused. */
async function makeSession(
  trial: Trial,
  catalog: SourceCatalog,
  { table: { shape }, condition }: TestSubject,
  branch: BooleanExpression,
): Promise<SessionValues | string> {
  const session = new Map<string, unknown>();
  const lists = new Set(
    comparisons(condition, shape.schema, shape.name).flatMap(({ isList, variable }) =>
      isList ? [variable] : [],
    ),
  );
  try {
    await trial.attempt(() => insertMatching({ trial, catalog, session }, shape, branch));
  } catch (error) {
    return (error as Error).message;
  }
  return Object.fromEntries(
    [...session].map(([name, value]) => [name, lists.has(name) ? listOf(String(value)) : String(value)]),
  );
}

/** A list of one value, as Postgres reads it. */
function listOf(value: string): string {
  return `{${JSON.stringify(value)}}`;
}

/** Values of each variable that occur where the rule compares something with it. */
async function valuesOf(
  trial: Trial,
  { condition, table: { shape }, variables }: TestSubject,
): Promise<ReadonlyMap<string, readonly string[]>> {
  const all = comparisons(condition, shape.schema, shape.name);
  const values = new Map<string, readonly string[]>();
  for (const variable of variables) {
    const places = all.filter((place) => place.variable === variable);
    const own = new Set<string>();
    for (const { from, column, isList } of places) {
      const name = identifier(column);
      const { text } = print(
        sql`select ${name}::text as value from ${from} where ${name} is not null group by 1 order by md5(${name}::text) limit ${raw(String(Math.ceil(VALUES / places.length)))}`,
      );
      for (const { value } of await trial.run<{ value: string }>(text))
        own.add(isList ? listOf(value) : value);
    }
    values.set(variable, [...own]);
  }
  return values;
}

/** Sessions for which the subject's rule text holds for some row, with values of the columns that its condition compares. */
export async function sessionsOf(trial: Trial, subject: TestSubject, most: number): Promise<SessionValues[]> {
  if (subject.variables.length === 0) return [{}];
  return reaching(trial, subject, subject.where, await valuesOf(trial, subject), most);
}

/** Combinations of the values with which the rule holds for some row, those with the largest number of new values first. */
async function reaching(
  trial: Trial,
  { table: { shape }, role, name }: TestSubject,
  where: string,
  values: ReadonlyMap<string, readonly string[]>,
  most: number,
): Promise<SessionValues[]> {
  if ([...values.values()].some((each) => each.length === 0)) return [];
  const rule = referring(readRule(where).sql, { rule: name });
  const t = identifier('t');
  // The variables of the rule are columns of the tables of values here.
  const holds: Sql = {
    nodes: bindRow(rule, t).nodes.flatMap((node) =>
      node.kind === 'parameter' && node.source.from === 'session' && values.has(node.source.name)
        ? sql`(${identifier(node.source.name)}.value)::${raw(node.type)}`.nodes
        : [node],
    ),
  };
  const columns = [...values.keys()].map(
    (variable) => sql`${identifier(variable)}.value as ${identifier(variable)}`,
  );
  const lists = [...values].map(
    ([variable, list]) =>
      sql`unnest(array[${join(list.map(literal), ', ')}]) as ${identifier(variable)}(value)`,
  );
  const rows = sql`(select * from ${identifier(shape.schema, shape.name)} as ${t} order by md5((${t}.*)::text) limit ${raw(String(ROWS))}) as ${t}`;
  const statement = print(
    sql`select coalesce(json_agg(found), '[]')::text from (select distinct ${join(columns, ', ')} from ${join([rows, ...lists], ', ')} where ${holds} limit 500) as found`,
  );
  const session = { ...NOBODY, role, backendOnly: true, variables: { 'x-engine-role': role } };
  const found = await trial.connection.readTexts(statement, bindParameters(statement, {}, session)).then(
    ([text]) => JSON.parse(columnText(text!)) as SessionValues[],
    // A variable may be compared with columns of several types; not every value is valid for all of them.
    () => [],
  );
  const chosen: SessionValues[] = [];
  const known = new Set<string>();
  const news = (each: SessionValues) =>
    Object.entries(each).filter((entry) => !known.has(entry.join(' '))).length;
  while (chosen.length < most && found.length > 0) {
    found.sort((left, right) => news(left) - news(right));
    const next = found.pop()!;
    for (const entry of Object.entries(next)) known.add(entry.join(' '));
    chosen.push(next);
  }
  return chosen;
}
