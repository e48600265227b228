/**
 * Statements of saved operations as their files hold them: SQL with named holes. One text serves every role whose statement
 * differs in its rules only; the rules themselves are those of the access files, put in when a program is linked.
 *
 *   {$id::integer}                                    a variable of the operation
 *   {"closed"::text}                                  a constant of the document
 *   {session.x-engine-user-id::integer}               a session variable
 *   {select public.message "messages#2"}                     the role's rule for rows of an alias; also `update`, `delete`
 *   {select public.message "messages#2" through public.ticket messages}   … of rows joined by a relationship, whose rule may follow
 *   {check update public.ticket "ticket#1"}                the role's check of written or deleted rows
 *   {preset insert public.ticket channel}             the value that the role's preset gives a column
 *   {limit public.article}                            the role's limit of rows
 *   {limit public.article 20}                         the smaller of that limit, if there is one, and 20
 *   {{ and }}                                         braces that belong to the SQL
 */

import { EVERY_ROW, type SourceShape } from '../contract/shapes.ts';
import { PASSED, rowCheck } from '../mutation/check.ts';
import { ruleCondition } from '../mutation/delete.ts';
import type { Program, Table } from '../program/program.ts';
import { encoderOf } from '../query/scope.ts';
import { rowRule, seen, visibleThrough } from '../query/visible.ts';
import { remember } from '../remember.ts';
import { bindParameter } from '../request/bind.ts';
import type { RoleSchema } from '../schema/role-schema.ts';
import type { VisibleTable } from '../schema/visible-table.ts';
import { NOBODY } from '../session.ts';
import { type ParameterNode, quoteIdentifier, type Sql, TRUE } from '../sql/fragment.ts';
import { print, printSaved, type Statement } from '../sql/print.ts';
import { aliasNamed, conjunction, savedStatementOf } from '../sql/statement.ts';
import { presetValue, roleLimit } from './holes.ts';
import type { SavedReads, SavedValue } from './saved.ts';
import { linkReads, savedReads } from './saved-reads.ts';

/** A statement in its saved form, and how its variables are written for Postgres. */
export interface SavedText {
  readonly sql: string;
  /** By variable and type, as holes name them: `id::integer`. Also by the text and type of regular expressions: `"^a"::text`. */
  readonly values: Readonly<Record<string, SavedValue>>;
  /** Of a subscription and of a query with `@cached`. */
  readonly reads?: SavedReads | undefined;
  /** Keys of the tables that it writes. */
  readonly writes?: readonly string[] | undefined;
}

/** The saved form of a statement that was planned with holes; undefined where no hole can describe one of its parameters. */
export function savedText({ tree }: Pick<Statement, 'tree'>, namesReads = false): SavedText | undefined {
  if (!tree) throw new Error('a statement to save was planned without holes');
  const values: Record<string, SavedValue> = {};
  let isComplete = true;
  const nameOf = (parameter: ParameterNode) => {
    const name = holeOf(parameter, values);
    if (name === undefined || /[{}]/.test(parameter.type)) isComplete = false;
    return `${name}::${parameter.type}`;
  };
  const sql = printSaved(tree, (parameter) => `{${nameOf(parameter)}}`);
  return isComplete ? { sql, values, ...(namesReads && { reads: savedReads(tree, nameOf) }) } : undefined;
}

function holeOf(parameter: ParameterNode, values: Record<string, SavedValue>): string | undefined {
  const { source, encoding, path = '$', type } = parameter;
  switch (source.from) {
    case 'session':
      return `session.${source.name}`;
    case 'session-object':
      return 'session';
    case 'constant': {
      const hole = JSON.stringify(bindParameter(parameter, {}, NOBODY)).replace(
        /[{}]/g,
        (brace) => `\\u00${brace.charCodeAt(0).toString(16)}`,
      );
      // Postgres notices only when the statement runs that it is invalid.
      if (encoding?.as === 'regex') values[`${hole}::${type}`] ??= { encoding, path: String(path) };
      return hole;
    }
    case 'variable':
      // A part of a value has no name by which a file could ask for it.
      if (source.path !== '' || !encoding || encoding.as === 'part') return undefined;
      values[`${source.name}::${type}`] ??= { encoding, path: String(path) };
      return `$${source.name}`;
    default:
      return undefined;
  }
}

const HOLE =
  /\{\{|\}\}|\{\$(?<variable>\w+)::(?<variableType>[^{}]+)\}|\{(?<constant>"(?:[^"\\{}]|\\.)*"|null)::(?<constantType>[^{}]+)\}|\{session(?:\.(?<session>[^{}:]+))?::(?<sessionType>[^{}]+)\}|\{(?<operation>select|update|delete|check insert|check update|check delete) (?<table>\S+) (?<alias>"[^"{}]*")(?: through (?<from>\S+) (?<relationship>\S+))?\}|\{preset (?<preset>insert|update) (?<presetTable>\S+) (?<column>[^\s{}]+)\}|\{limit (?<limited>[^\s{}]+)(?: (?<written>\d+))?\}|[{}]/g;

/**
 * The SQL of a saved text for the role of a view.
 * @throws Error for a hole that names nothing: the file was edited wrongly
 */
function readSavedText({ sql, values, reads }: SavedText, source: SourceShape, roleSchema: RoleSchema): Sql {
  const find = (key: string) => servedTable(key, source, roleSchema);
  const parts: (string | Sql)[] = [];
  const holes = new Map<string, Sql>();
  let end = 0;
  for (const match of sql.matchAll(HOLE)) {
    parts.push(sql.slice(end, match.index));
    end = match.index + match[0].length;
    if (match[0] === '{{' || match[0] === '}}') parts.push(match[0][0]!);
    else if (!match.groups || match[0].length === 1)
      throw new Error(`a saved statement has a brace that is not doubled at position ${match.index}`);
    else {
      // A value used in several places is one parameter, as in statements that are not saved.
      const value = remember(holes, match[0].slice(1, -1), () =>
        readHole(match[0], match.groups!, values, source, (key) => roleSchema.table(find(key))),
      );
      parts.push(value);
    }
  }
  parts.push(sql.slice(end));
  return savedStatementOf(linkReads(reads, find, holes), parts);
}

function servedTable(key: string, source: SourceShape, { program }: RoleSchema): Table {
  const found = program.tables.find((each) => each.source === source && each.key === key);
  if (!found) throw new Error(`the table ${key} is not served`);
  return found;
}

type Groups = Readonly<Record<string, string | undefined>>;

function readHole(
  hole: string,
  groups: Groups,
  values: SavedText['values'],
  source: SourceShape,
  visible: (key: string) => VisibleTable,
): Sql {
  const { variable, constant, sessionType, session, operation, alias } = groups;
  if (variable !== undefined) {
    const type = groups.variableType!;
    const value = values[`${variable}::${type}`];
    if (!value) throw new Error(`a saved statement has no value for ${hole}`);
    const { encoding, path } = value;
    const from = { from: 'variable', name: variable, path: '' } as const;
    const encode = encoderOf(encoding, source, path);
    return { nodes: [{ kind: 'parameter', source: from, type, path, encode, encoding }] };
  }
  if (constant !== undefined) {
    const type = groups.constantType!;
    const from = { from: 'constant', value: JSON.parse(constant) } as const;
    return { nodes: [{ kind: 'parameter', source: from, type, ...values[`${constant}::${type}`] }] };
  }
  if (sessionType !== undefined) {
    const from =
      session === undefined
        ? { from: 'session-object' as const }
        : { from: 'session' as const, name: session };
    return { nodes: [{ kind: 'parameter', source: from, type: sessionType }] };
  }
  const { preset, presetTable, column, limited, written } = groups;
  if (preset !== undefined) return presetOf(preset as 'insert' | 'update', visible(presetTable!), column!);
  if (limited !== undefined) return limitOf(visible(limited), written);
  const row = aliasNamed(alias!.slice(1, -1));
  return ruleSql(operation!, visible(groups.table!), row, groups, visible);
}

function presetOf(operation: 'insert' | 'update', target: VisibleTable, column: string): Sql {
  if (!Object.hasOwn(target[operation]?.presets ?? {}, column))
    throw new Error(`the role has no ${operation} preset for ${target.table.key}.${column}`);
  return presetValue(target, operation, column);
}

function limitOf(target: VisibleTable, written: string | undefined): Sql {
  if (written === undefined && target.select?.limit === undefined)
    throw new Error(`the role has no limit for ${target.table.key}`);
  return roleLimit(target, written === undefined ? undefined : Number(written));
}

function ruleSql(
  operation: string,
  target: VisibleTable,
  row: Sql,
  { from, relationship }: Groups,
  find: (key: string) => VisibleTable,
): Sql {
  switch (operation) {
    case 'check insert':
      return rowCheck(target, 'insert', target.insert?.check ?? EVERY_ROW, row) ?? PASSED;
    case 'check update':
      return rowCheck(target, 'update', target.update?.check ?? EVERY_ROW, row) ?? PASSED;
    case 'check delete':
      return rowCheck(target, 'delete', target.delete?.check ?? EVERY_ROW, row) ?? PASSED;
    case 'update':
    case 'delete':
      return all(ruleCondition(target, operation, row));
    default: {
      if (from === undefined) return all(rowRule(target, row));
      const start = find(from);
      const followed = start.table.relationships.get(relationship!);
      if (followed?.target !== target.table)
        throw new Error(`${from} has no relationship ${relationship} to ${target.table.key}`);
      return all(visibleThrough(seen(start), followed, target, row));
    }
  }
}

function all(conditions: readonly Sql[]): Sql {
  return conditions.length === 0 ? TRUE : conjunction(conditions);
}

/** The statement of a saved operation's plan for a role, with the rules that hold now. */
export function savedStatement(...saved: Parameters<typeof savedSql>): Statement {
  const [{ writes }, source, role, { sources, roleSchema }] = saved;
  const shape = sources.find(({ name }) => name === source)!;
  const statement = print(savedSql(...saved));
  if (!writes) return statement;
  const names = writes.map((key) => servedTable(key, shape, roleSchema(role, false)).shape);
  return { ...statement, writes: names.map(({ schema, name }) => quoteIdentifier(schema, name)) };
}

/** The same before its parameters are numbered. */
export function savedSql(
  text: SavedText,
  source: string,
  role: string,
  program: Pick<Program, 'sources' | 'roleSchema'>,
): Sql {
  const shape = program.sources.find(({ name }) => name === source);
  if (!shape) throw new Error(`the source ${source} is not served`);
  return readSavedText(text, shape, program.roleSchema(role, false));
}
